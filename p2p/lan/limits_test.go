package lan

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// deafRun is a service that is fed packets by hand, on one interface.
func deafRun(t *testing.T) (*run, *link, *counter) {
	t.Helper()
	looked := new(counter)
	r := &run{Service: New(Config{PeerID: "own", Port: 4001, Logger: slog.New(looked)})}
	n := nic{index: 1, name: "eth0", flags: net.FlagUp, subnets: []netip.Prefix{netip.MustParsePrefix("10.0.0.1/8")}}
	r.own, r.instance = ownOf([]nic{n}), "own"
	l := newLink(n, epoch)
	if err := l.zone.set("", "own", 4001, []net.IP{{10, 0, 0, 1}}, record{version: Version, id: "own"}); err != nil {
		t.Fatal(err)
	}
	r.links = []*link{l}
	return r, l, looked
}

// counter counts what is logged: every malformed packet that was looked at.
type counter struct{ n atomic.Int64 }

func (c *counter) Enabled(context.Context, slog.Level) bool  { return true }
func (c *counter) Handle(context.Context, slog.Record) error { c.n.Add(1); return nil }
func (c *counter) WithAttrs([]slog.Attr) slog.Handler        { return c }
func (c *counter) WithGroup(string) slog.Handler             { return c }

func sender(n int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, byte(n >> 8), byte(n)}), mdnsPort)
}

// A flood, from one sender or from ten thousand invented ones, is looked at so
// many times a second and no more; the list stays bounded, and somebody in it
// is heard all the time.
func TestFloodCostsABoundedAmountOfWork(t *testing.T) {
	malformed := append([]byte(nil), newParser("").needle...)
	malformed = append(bytes.Repeat([]byte{0}, headerSize), malformed...)
	binary.BigEndian.PutUint16(malformed[4:], 3) // three questions, and none is there
	for name, c := range map[string]struct {
		from func(int) netip.AddrPort
		most int64
	}{
		"one sender":   {func(int) netip.AddrPort { return sender(1) }, 200 + 10*100},
		"ten thousand": {sender, 2000 + 10*1000},
	} {
		t.Run(name, func(t *testing.T) {
			r, l, looked := deafRun(t)
			friend := netip.MustParseAddrPort("10.2.0.1:5353")
			good := response(t, r.parser.service, "friend", 4001, "alibi=1", "id=friend", "r=1")
			r.take(l, listening, good, friend, epoch)
			const packets = 100_000
			for i := range packets { // in ten seconds
				now := epoch.Add(time.Duration(i) * 10 * time.Second / packets)
				r.take(l, listening, malformed, c.from(i), now)
				if i%(packets/10) == 0 {
					r.take(l, listening, good, friend, now)
					if e := r.cache.entries[key{"friend", "friend"}]; e == nil || !e.last.Equal(now) {
						t.Fatalf("the friend is not heard at %v", now.Sub(epoch))
					}
				}
			}
			if n := looked.n.Load(); n > c.most || n < c.most/2 {
				t.Errorf("%d packets looked at, want %d", n, c.most)
			}
			for i := range 10_000 {
				id := fmt.Sprint("bad", i)
				packet := response(t, r.parser.service, id, 4001, "alibi=1", "id="+id, "r=1")
				r.take(l, listening, packet, c.from(i), epoch.Add(20*time.Second))
			}
			if n := len(r.cache.entries); n > maxEntries {
				t.Errorf("%d in the list", n)
			}
		})
	}
}

// What does not concern us, and what is over a sender's share, costs no memory
// at all, however large it is.
func TestForeignPacketsCostNoMemory(t *testing.T) {
	r, l, _ := deafRun(t)
	large := bytes.Repeat([]byte{0xc0, 0x0c}, maxPacket/2)
	ours := response(t, r.parser.service, "abc", 4001, "alibi=1", "id=abc", "r=1")
	for r.unknown.allow(epoch, sender(2).Addr()) {
	}
	for name, packet := range map[string][]byte{"foreign": large, "over the share": ours} {
		if n := testing.AllocsPerRun(100, func() { r.take(l, listening, packet, sender(2), epoch) }); n > 0 {
			t.Errorf("%s: %v allocations a packet", name, n)
		}
	}
}

func ask1(t *testing.T, questions ...dns.Question) []byte {
	t.Helper()
	packet, err := (&dns.Msg{MsgHdr: dns.MsgHdr{Id: 77}, Question: questions}).Pack()
	if err != nil {
		t.Fatal(err)
	}
	return packet
}

func TestWhoAsksIsAnswered(t *testing.T) {
	r, l, _ := deafRun(t)
	service := r.parser.service
	ptr := dns.Question{Name: service, Qtype: dns.TypePTR, Qclass: dns.ClassINET}
	unicast := ptr
	unicast.Qclass |= unicastBit
	many := []dns.Question{ptr}
	for i := range 60 {
		many = append(many, dns.Question{Name: fmt.Sprintf("x%d.%s", i, service), Qtype: dns.TypeANY, Qclass: dns.ClassINET})
	}
	for name, c := range map[string]struct {
		packet  []byte
		records int // in the answer
		asked   bool
	}{
		"the service":         {ask1(t, ptr), 4, true},
		"only me":             {ask1(t, unicast), 4, false},
		"twice":               {ask1(t, ptr, ptr), 4, true},
		"the instance":        {ask1(t, dns.Question{Name: "own." + service, Qtype: dns.TypeTXT, Qclass: dns.ClassINET}), 1, false},
		"somebody else":       {ask1(t, dns.Question{Name: "other." + service, Qtype: dns.TypeTXT, Qclass: dns.ClassINET}), 0, false},
		"what there is":       {ask1(t, dns.Question{Name: enumeration, Qtype: dns.TypePTR, Qclass: dns.ClassINET}), 1, false},
		"another service":     {ask1(t, dns.Question{Name: "_ipp._tcp.local.", Qtype: dns.TypePTR, Qclass: dns.ClassINET}), 0, false},
		"many things":         {ask1(t, many...), 4, true},
		"more than we answer": {ask1(t, many[1:]...), 0, false},
		"a response":          {response(t, service, "abc", 1, "alibi=1", "id=abc", "r=1"), 0, false},
	} {
		l.prompted.Store(int32(noReason))
		reply := r.take(l, listening, c.packet, sender(9), epoch)
		var msg dns.Msg
		if len(reply) > 0 {
			if err := msg.Unpack(reply); err != nil || !msg.Response || msg.Id != 77 || len(reply) > maxAnswer {
				t.Errorf("%s: %v, %+v", name, err, msg.MsgHdr)
			}
		}
		if len(msg.Answer) != c.records || (reason(l.prompted.Load()) == asked) != c.asked {
			t.Errorf("%s: %d records; prompted %d", name, len(msg.Answer), l.prompted.Load())
		}
		if reply := r.take(l, asking, c.packet, sender(10), epoch); reply != nil {
			t.Errorf("%s: answered from a socket for questions", name)
		}
		if reply := r.take(l, listening, c.packet, netip.MustParseAddrPort("8.8.8.8:53"), epoch); reply != nil {
			t.Errorf("%s: answered somebody far away", name)
		}
	}
	got := 0
	for i := range 10_000 { // a second's
		if r.take(l, listening, ask1(t, unicast), sender(11), epoch.Add(time.Duration(i)*100*time.Microsecond)) != nil {
			got++
		}
	}
	if got > 60 || got < 40 {
		t.Errorf("%d answers to one asker in a second", got)
	}
}

// However fast the list changes, its reader is told of it so many times.
func TestChangesAreToldNowAndThen(t *testing.T) {
	r, l, _ := deafRun(t)
	r.links = nil // nothing to send
	told := 0
	now := epoch
	for i := range 5000 { // in five seconds
		now = now.Add(time.Millisecond)
		id := fmt.Sprint("p", i%100)
		r.take(l, listening, response(t, r.parser.service, id, uint16(1+i), "alibi=1", "id="+id, "r=1"), sender(i%100), now)
		r.takeRequests(now)
		select {
		case <-r.Changed():
			told++
		default:
		}
	}
	if most := int(5*time.Second/tellEvery) + 1; told > most || told < most/2 {
		t.Errorf("told %d times", told)
	}
}
