package link

import (
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"pgregory.net/rapid"

	"alibi/crypto/identity"
)

var (
	epoch  = time.Unix(1e9, 0)
	player = key(1).ID()
)

func ip(n int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)}) }

// testDoor admits everybody and has one member.
func testDoor() *door {
	return newDoor(everybody, func(id identity.ID) bool { return id == player })
}

// come enters by TCP and fails the test when it cannot.
func come(t *testing.T, d *door, at netip.Addr, now time.Time) (v *visit, sentAway *bool) {
	t.Helper()
	sentAway = new(bool)
	v, err := d.enter(at, false, func() { *sentAway = true }, now)
	if err != nil {
		t.Fatalf("from %v: %v", at, err)
	}
	return v, sentAway
}

// However many hold the door, one who means it gets a turn: the oldest of the
// greediest makes room.
func TestDoorSendsTheGreediestAway(t *testing.T) {
	d := testDoor()
	var gone []*bool
	for range rooms[strangeTCP].address {
		_, g := come(t, d, ip(1), epoch)
		gone = append(gone, g)
	}
	_, _ = come(t, d, ip(1), epoch) // has its share: the oldest of its own goes
	if !*gone[0] || *gone[1] {
		t.Errorf("sent away: first %v, second %v", *gone[0], *gone[1])
	}
	for n := 2; d.counts()[strangeTCP] < rooms[strangeTCP].all; n++ {
		come(t, d, ip(n), epoch)
	}
	_, honest := come(t, d, ip(1000), epoch) // full: the oldest of the greediest goes
	if !*gone[1] || *gone[2] {
		t.Errorf("sent away: second %v, third %v", *gone[1], *gone[2])
	}
	for n := range 40 { // others come after, and it stays
		come(t, d, ip(2000+n), epoch)
	}
	if *honest {
		t.Error("an honest one was sent away before older ones")
	}
	if got := d.counts()[strangeTCP]; got != rooms[strangeTCP].all {
		t.Errorf("%d inside", got)
	}
}

// Strangers cannot take the room of a member: neither before its key is known,
// if it comes from where it has been, nor after.
func TestMembersHaveRoomOfTheirOwn(t *testing.T) {
	d := testDoor()
	d.met(player, ip(7))
	for n := range 5000 {
		now := epoch.Add(time.Duration(n) * time.Millisecond)
		evict := func() {}
		if n%2 == 0 {
			evict = nil
		}
		v, err := d.enter(ip(100+n), evict == nil, evict, now)
		if err == nil && n%3 == 0 {
			_ = v.prove(key(byte(2 + n%200)).ID())
		}
	}
	full := d.counts()
	if full[strangeTCP] != rooms[strangeTCP].all || full[guests] != rooms[guests].all {
		t.Fatalf("the flood left room: %v", full)
	}
	v, _ := come(t, d, ip(7), epoch.Add(5*time.Second))
	if v.place != familiarTCP {
		t.Errorf("in place %d", v.place)
	}
	if err := v.prove(player); err != nil {
		t.Error(err)
	}
	if d.counts()[members] != 1 {
		t.Errorf("%v", d.counts())
	}
	v.leave()
	v.leave()
	if d.counts()[members] != 0 {
		t.Errorf("%v after it left", d.counts())
	}
}

func TestDoorRefuses(t *testing.T) {
	d := newDoor(func(id identity.ID) bool { return id != key(9).ID() }, func(id identity.ID) bool { return id == player })
	at := func(n int) *visit { v, _ := come(t, d, ip(n), epoch); return v }
	if err := at(1).prove(key(9).ID()); !errors.Is(err, errGated) {
		t.Errorf("somebody who is not admitted: %v", err)
	}
	for n := range rooms[guests].identity {
		if err := at(2 + n).prove(key(2).ID()); err != nil {
			t.Errorf("connection %d of a guest: %v", n, err)
		}
	}
	if err := at(50).prove(key(2).ID()); !errors.Is(err, errCrowded) {
		t.Errorf("one connection too many of a guest: %v", err)
	}
	for n := range rooms[guests].address {
		v, _ := come(t, d, ip(60), epoch)
		if err := v.prove(key(byte(100 + n)).ID()); err != nil {
			t.Errorf("guest %d of an address: %v", n, err)
		}
	}
	v := at(60)
	if err := v.prove(key(200).ID()); !errors.Is(err, errCrowded) {
		t.Errorf("one guest too many of an address: %v", err)
	}
	for n := range maxConnsTable {
		if err := at(300 + n).prove(player); err != nil {
			t.Errorf("connection %d of a member: %v", n, err)
		}
	}
	if err := at(400).prove(player); !errors.Is(err, errCrowded) {
		t.Errorf("one connection too many of a member: %v", err)
	}
	gone := at(500)
	for range rooms[strangeTCP].address {
		at(500)
	}
	if err := gone.prove(player); !errors.Is(err, errCrowded) {
		t.Errorf("one that was sent away: %v", err)
	}
}

// Nobody can be sent away over QUIC, so there the newcomer waits; and what the
// library never tells the end of does not fill the room for good.
func TestDoorForQUIC(t *testing.T) {
	d := testDoor()
	enter := func(n int, now time.Time) error { _, err := d.enter(ip(n), true, nil, now); return err }
	if d.busy(ip(1)) {
		t.Error("busy at once")
	}
	for n := range rooms[strangeQUIC].address {
		if err := enter(1, epoch); err != nil {
			t.Errorf("%d: %v", n, err)
		}
	}
	if err := enter(1, epoch); !errors.Is(err, errCrowded) {
		t.Errorf("one too many of an address: %v", err)
	}
	if !d.busy(ip(1)) || d.busy(ip(2)) {
		t.Errorf("busy for the greedy %v, for another %v", d.busy(ip(1)), d.busy(ip(2)))
	}
	for n := 2; d.counts()[strangeQUIC] < rooms[strangeQUIC].all; n++ {
		if err := enter(n, epoch); err != nil {
			t.Fatal(err)
		}
	}
	if !d.busy(ip(900)) {
		t.Error("not busy when full")
	}
	if err := enter(901, epoch); !errors.Is(err, errCrowded) {
		t.Errorf("one too many: %v", err)
	}
	come(t, d, ip(902), epoch) // TCP is another room
	if err := enter(903, epoch.Add(quicHandshake+1)); err != nil {
		t.Errorf("after a handshake's time: %v", err)
	}
	if n := d.counts()[strangeQUIC]; n != 1 {
		t.Errorf("%d inside", n)
	}
}

func TestDoorKeepsPace(t *testing.T) {
	d := testDoor()
	let := func(n int, at func(i int) netip.Addr, over time.Duration) (in int) {
		for i := range n {
			v, err := d.enter(at(i), false, func() {}, epoch.Add(over*time.Duration(i)/time.Duration(n)))
			if err == nil {
				in++
				v.leave()
			}
		}
		return in
	}
	one := let(10_000, func(int) netip.Addr { return ip(1) }, 10*time.Second)
	if want := addressBurst + 10*addressPerSecond; one > want+1 || one < want-1 {
		t.Errorf("%d from one address in ten seconds, want %d", one, want)
	}
	d = testDoor()
	all := let(50_000, func(i int) netip.Addr { return ip(i) }, 10*time.Second)
	if want := strangeBurst + 10*strangePerSecond; all > want+1 {
		t.Errorf("%d from everywhere in ten seconds, want %d", all, want)
	}
	d.met(player, ip(7))
	if got := let(100, func(int) netip.Addr { return ip(7) }, 0); got != 100 {
		t.Errorf("%d of 100 from where a member has been, while strangers use up theirs", got)
	}
}

// What is remembered of members is bounded, and the latest is kept.
func TestAcquaintances(t *testing.T) {
	d := newDoor(everybody, everybody)
	var ids []identity.ID
	for n := range 2 * maxAcquaintances {
		ids = append(ids, key(byte(n)).ID())
	}
	for n := range 10_000 {
		d.met(ids[n/10%len(ids)], ip(n))
	}
	if len(d.familiar) != maxAcquaintances || len(d.familiar[0].haunts) != maxHaunts {
		t.Errorf("%d identities with %d addresses", len(d.familiar), len(d.familiar[0].haunts))
	}
	if d.haunt(ip(9999)) == nil || d.haunt(ip(1)) != nil {
		t.Error("not the latest ones")
	}
	d.met(player, netip.Addr{})
	if d.haunt(netip.Addr{}) != nil {
		t.Error("no address became familiar")
	}
	d = testDoor()
	d.met(key(2).ID(), ip(3))
	if d.haunt(ip(3)) != nil {
		t.Error("the address of somebody who is no member became familiar")
	}
}

// Whatever comes and goes, no place ever holds more than it may, and nobody is
// counted twice.
func TestDoorHoldsItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := newDoor(everybody, func(id identity.ID) bool { return id == player || id == key(2).ID() })
		d.met(player, ip(1))
		inside := map[*visit]bool{}
		now := epoch
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 500).Draw(t, "ms")) * time.Millisecond)
			switch rapid.SampledFrom([]string{"come", "come", "come", "prove", "leave"}).Draw(t, "do") {
			case "come":
				var v *visit
				quic := rapid.Bool().Draw(t, "quic")
				var evict func()
				if !quic {
					evict = func() { delete(inside, v) }
				}
				v, err := d.enter(ip(rapid.IntRange(1, 20).Draw(t, "at")), quic, evict, now)
				if err == nil {
					inside[v] = true
				}
			case "prove":
				for v := range inside {
					if v.evict != nil && v.prove(key(byte(rapid.IntRange(1, 30).Draw(t, "who"))).ID()) != nil {
						v.leave()
						delete(inside, v)
					}
					break
				}
			case "leave":
				for v := range inside {
					v.leave()
					delete(inside, v)
					break
				}
			}
			check(t, d, inside)
		}
	})
}

func check(t *rapid.T, d *door, inside map[*visit]bool) {
	seen := map[*visit]bool{}
	for p, list := range d.rooms {
		if limit := rooms[p]; limit.all > 0 && len(list) > limit.all {
			t.Fatalf("%d in place %d", len(list), p)
		}
		of := map[string]int{}
		for _, v := range list {
			if seen[v] || v.over || v.place != place(p) {
				t.Fatalf("%+v is in place %d", v, p)
			}
			seen[v] = true
			of[fmt.Sprint(v.address)]++
			of[fmt.Sprint(v.id)]++
			if n := of[fmt.Sprint(v.address)]; rooms[p].address > 0 && n > rooms[p].address {
				t.Fatalf("%d from %v in place %d", n, v.address, p)
			}
			if n := of[fmt.Sprint(v.id)]; rooms[p].identity > 0 && n > rooms[p].identity {
				t.Fatalf("%d of one identity in place %d", n, p)
			}
		}
	}
	for v := range inside {
		if !seen[v] && !v.over {
			t.Fatalf("%+v is lost", v)
		}
	}
}

// An address that does not answer is tried so often and no more, whatever is
// said of who is there; other addresses, and those that answer, are not.
func TestMisses(t *testing.T) {
	m := newMisses()
	tried := 0
	for i := range 10_000 { // in ten seconds
		now := epoch.Add(time.Duration(i) * time.Millisecond)
		if m.allow(ip(1), now) {
			tried++
			m.note(ip(1), now)
		}
		if !m.allow(ip(2), now) || !m.allow(netip.MustParseAddr("127.0.0.1"), now) {
			t.Fatal("an address that nobody missed")
		}
		m.note(netip.MustParseAddr("127.0.0.1"), now)
	}
	if want := missesBurst + 10*missesPerSecond; tried > want+1 || tried < want-1 {
		t.Errorf("%d tries in ten seconds, want %d", tried, want)
	}
}
