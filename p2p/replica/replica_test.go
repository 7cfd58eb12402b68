package replica

import (
	"fmt"
	"testing"
	"time"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
)

var start = time.Unix(1_000_000, 0)

func signed(t testing.TB, round uint32, seat int, body string) *feed.Signed {
	t.Helper()
	s, err := feed.Seal(identity.KeyFromSeed([32]byte{byte(seat + 1)}), feed.Entry{Round: round, Seat: uint8(seat), Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// drain takes everything that may be sent by now.
func drain(p *Plan, now time.Time) (out []string, wait time.Duration) {
	for {
		e, w := p.Next(now)
		if e == nil {
			return out, w
		}
		out = append(out, fmt.Sprintf("%d/%d", e.Round, e.Seat))
	}
}

func want(t *testing.T, what string, got []string, wanted ...string) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(wanted) {
		t.Errorf("%s: sent %v, want %v", what, got, wanted)
	}
}

func TestEverythingLackingInLogOrder(t *testing.T) {
	b := NewBook()
	for round := range uint32(3) {
		for seat := range 3 {
			b.Add(signed(t, round, seat, ""))
		}
	}
	got, wait := drain(NewPlan(b, new(Repeats), 0, Position{Round: 1, Heard: 1 << 1}, 7, start), start)
	want(t, "hello", got, "1/0", "1/2", "2/0", "2/1", "2/2")
	if wait >= 0 {
		t.Errorf("still waiting %v", wait)
	}
	got, _ = drain(NewPlan(b, new(Repeats), 0, Position{Round: 9}, 7, start), start)
	want(t, "a peer that is ahead", got)
}

func TestRelayWaitsForTheAuthor(t *testing.T) {
	b := NewBook()
	connected := NewPlan(b, new(Repeats), 0, Position{}, 1<<1|1<<2, start)
	apart := NewPlan(b, new(Repeats), 0, Position{}, 1<<2, start)
	b.Add(signed(t, 0, 1, ""))
	b.Add(signed(t, 0, 0, ""))
	got, wait := drain(connected, start)
	want(t, "connected with the author", got, "0/0")
	if wait != RelayDelay {
		t.Errorf("waits %v", wait)
	}
	got, _ = drain(apart, start)
	want(t, "not connected with the author", got, "0/1", "0/0")

	late := start.Add(RelayDelay)
	got, _ = drain(connected, late)
	want(t, "the author does not deliver", got, "0/1")

	b.Add(signed(t, 1, 1, ""))
	if got, wait = drain(connected, late); wait != RelayDelay {
		t.Errorf("waits %v, sent %v", wait, got)
	}
	connected.Where(Position{Round: 1, Heard: 1 << 1}, 1<<1, late)
	got, wait = drain(connected, late.Add(time.Hour))
	want(t, "the author has delivered", got)
	if wait >= 0 || !connected.Idle() {
		t.Error("not idle")
	}

	b.Add(signed(t, 2, 1, ""))
	_, _ = drain(connected, late)
	connected.Where(Position{Round: 2}, 0, late) // the peer has lost the author
	got, _ = drain(connected, late)
	want(t, "no longer connected with the author", got, "2/1")
}

func TestNothingGoesBack(t *testing.T) {
	b := NewBook()
	p := NewPlan(b, new(Repeats), 0, Position{}, 0, start)
	e := signed(t, 0, 1, "")
	b.Add(e)
	p.Received(e)
	got, _ := drain(p, start.Add(time.Hour))
	want(t, "received from the peer", got)
	p.Restart(Position{}, 0, start)
	got, _ = drain(p, start)
	want(t, "asked for again", got, "0/1")
}

func TestBook(t *testing.T) {
	b := NewBook()
	e := signed(t, 4, 2, "a")
	if !b.Add(e) || b.Add(e) || b.Add(signed(t, 4, 2, "b")) || b.Add(nil) {
		t.Error("Add does not say what is new")
	}
	if !b.Holds(signed(t, 4, 2, "a")) || b.Holds(signed(t, 4, 2, "b")) || b.Holds(signed(t, 4, 1, "a")) {
		t.Error("Holds is wrong")
	}
	if got := b.Position(); got != (Position{Round: 4, Heard: 1 << 2}) || b.Len() != 1 {
		t.Errorf("stands at %v with %d", got, b.Len())
	}
}

// A peer that claims to hold or sends what nobody has does not grow the plan.
func TestInventedEntriesAreNotRemembered(t *testing.T) {
	p := NewPlan(NewBook(), new(Repeats), 0, Position{}, 0, start)
	for round := range uint32(2 * maxRecent) {
		e := signed(t, round, 1, "invented")
		if !p.Received(e) || p.Received(e) {
			t.Fatal("what comes twice is news twice, or never")
		}
	}
	if n := len(p.given) + len(p.shown.in); n > maxRecent || len(p.shown.order) > maxRecent {
		t.Errorf("%d entries remembered", n)
	}
}
