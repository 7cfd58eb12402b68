package node

import (
	"slices"
	"testing"
	"time"

	"alibi/crypto/feed"
	"alibi/p2p/wire"
)

// An early arrival comes again once it may fit, and its sender is asked again
// for what is missing.
func TestEarly(t *testing.T) {
	peers, charter := startTable(t, 2)
	a := peers[0].play(charter, 0)
	r := newRogue(t, testKey(2))
	_, s := r.enter(peers[0], a.Table())
	seal := func(seat int, round uint32) *feed.Signed {
		e, err := feed.Seal(testKey(seat+1), feed.Entry{Game: a.Table(), Round: round, Seat: uint8(seat)})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	if err := s.Send(&wire.Entry{Signed: seal(1, 5)}, long); err != nil {
		t.Fatal(err)
	}
	early := <-a.Arrivals()
	a.Early(early)
	for { // the sender is asked for everything
		m, err := s.Receive(long)
		if err != nil {
			t.Fatal(err)
		}
		if w, ok := m.(*wire.Where); ok && w.Again {
			break
		}
	}
	again := func() {
		t.Helper()
		select {
		case x := <-a.Arrivals():
			if x != early {
				t.Errorf("got %+v", x)
			}
		case <-within(t).Done():
			t.Fatal("it did not come again")
		}
	}
	a.Publish(seal(0, 3)) // not far enough yet
	a.Publish(seal(0, 4))
	again()
	a.Early(early) // round 4 is not closed yet: it is voted about
	a.Repeat(1, seal(0, 4))
	again()
}

// Of more early arrivals than there is room for, those go first whose sender has
// sent most, and it is asked for them again.
func TestManyEarlyArrivals(t *testing.T) {
	peers, charter := startTable(t, 3)
	g := peers[0].play(charter, 0)
	_, honest := newRogue(t, testKey(2)).enter(peers[0], g.Table())
	_, flood := newRogue(t, testKey(3)).enter(peers[0], g.Table())
	seal := func(seat int, round uint32) *feed.Signed {
		e, err := feed.Seal(testKey(seat+1), feed.Entry{Game: g.Table(), Round: round, Seat: uint8(seat)})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	early := func(seat int, s *wire.Stream, round uint32) {
		if err := s.Send(&wire.Entry{Signed: seal(seat, round)}, long); err != nil {
			t.Fatal(err)
		}
		g.Early(<-g.Arrivals())
	}
	early(1, honest, 1000)
	for round := range uint32(maxEarly + 10) {
		early(2, flood, 2000+round)
	}
	g.mu.Lock()
	kept := slices.ContainsFunc(g.early, func(a Arrival) bool { return a.From == 1 })
	if !kept || len(g.early) != maxEarly {
		t.Errorf("%d are kept, that of seat 1: %v", len(g.early), kept)
	}
	g.early = nil // all the others are of use by now
	g.mu.Unlock()
	ring(g.recheck)
	for asked := false; !asked; {
		m, err := flood.Receive(long)
		if err != nil {
			t.Fatal(err)
		}
		if w, ok := m.(*wire.Where); ok && w.Again {
			g.mu.Lock()
			asked = g.evicted == 0 // else that was an earlier one
			g.mu.Unlock()
		}
	}
	var asked nagging
	if _, held := g.overdue(&asked, time.Now()); held {
		t.Error("there is still something to ask for")
	}
}

// What does not come although it is asked for is asked for ever more seldom, until
// something comes.
func TestNaggingSlowsDown(t *testing.T) {
	peers, charter := startTable(t, 2)
	g := peers[0].play(charter, 0)
	now := time.Now()
	var n nagging
	at := func(want time.Duration) {
		t.Helper()
		due, held := g.overdue(&n, now)
		if !held || !due.Equal(now.Add(want)) {
			t.Fatalf("held %v, due in %v, want %v", held, due.Sub(now), want)
		}
	}
	g.mu.Lock()
	g.early = []Arrival{{From: 1, Entry: g.entry(t, 1, 5, "early")}}
	g.mu.Unlock()
	at(earlyWait)
	for _, pause := range []time.Duration{1, 2, 4, 8, 16, 30, 30} {
		now = n.due
		at(pause * time.Second)
	}
	g.Publish(g.entry(t, 0, 0, "news"))
	at(earlyWait)
	g.mu.Lock()
	g.early = nil
	g.mu.Unlock()
	if _, held := g.overdue(&n, now); held || n != (nagging{}) {
		t.Error("there is nothing to ask for")
	}
}
