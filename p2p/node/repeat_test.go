package node

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"alibi/crypto/feed"
	"alibi/p2p/wire"
)

// entry is an entry of the game, by a seat.
func (g *Game) entry(t *testing.T, seat int, round uint32, body string) *feed.Signed {
	t.Helper()
	e, err := feed.Seal(testKey(seat+1), feed.Entry{Game: g.Table(), Round: round, Seat: uint8(seat), Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// vote is a ballot of a seat to go on without others.
func (g *Game) vote(t *testing.T, seat int, round uint32, without ...int) *feed.Signed {
	t.Helper()
	e, err := feed.CastBallot(testKey(seat+1), feed.Entry{Game: g.Table(), Round: round, Seat: uint8(seat)},
		feed.Ballot{Motion: feed.Without(without...), Yes: true})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// awaitArrival waits for the next arrival.
func awaitArrival(t *testing.T, ctx context.Context, g *Game) Arrival {
	t.Helper()
	select {
	case a := <-g.Arrivals():
		return a
	case <-ctx.Done():
		t.Fatal("nothing came")
	}
	return Arrival{}
}

// What two histories make of each other: an entry for a place that is taken
// is handed on all the same when it is another one.
func TestRepeat(t *testing.T) {
	peers, charter := startTable(t, 2)
	acquaint(peers, nil)
	a, b := peers[0].play(charter, 0), peers[1].play(charter, 1)
	one, two := a.entry(t, 0, 0, "one"), a.entry(t, 0, 0, "two")
	b.Publish(one)
	a.Publish(two)
	a.Repeat(1, two, two)
	ctx := within(t)
	if got := awaitArrival(t, ctx, b); string(got.Entry.Body) != "two" || got.From != 0 {
		t.Errorf("got %q from %d", got.Entry.Body, got.From)
	}
	// What is the same on both sides is not handed on, nor what came before.
	b.Repeat(0, one)
	a.Publish(a.entry(t, 0, 0, "never sent: b holds another for this place"))
	a.Repeat(1, one, two, a.entry(t, 0, 1, "three"))
	if got := awaitArrival(t, ctx, b); string(got.Entry.Body) != "three" {
		t.Errorf("b was handed %q", got.Entry.Body)
	}
}

// What is repeated goes to all, its author too, once over a connection, and
// again over the next one, until it is forgotten.
func TestRepeatAll(t *testing.T) {
	peers, charter := startTable(t, 3)
	acquaint(peers, func(a, b int) bool { return a == 1 && b == 2 })
	a, b, c := peers[0].play(charter, 0), peers[1].play(charter, 1), peers[2].play(charter, 2)
	awaitPresence(t, a, func(p []Presence) bool { return p[1].State == Connected && p[2].State == Connected })
	ballot, other := a.vote(t, 1, 0, 2), a.vote(t, 0, 0, 2)
	ctx := within(t)
	a.RepeatAll(ballot, other)
	a.RepeatAll(ballot)
	a.RepeatAll(a.entry(t, 0, 7, "last"))
	for seat, g := range map[int]*Game{1: b, 2: c} {
		var got []string
		for range 3 {
			x := awaitArrival(t, ctx, g)
			got = append(got, fmt.Sprintf("%d/%d", x.Entry.Round, x.Entry.Seat))
		}
		if want := []string{"0/1", "0/0", "7/0"}; !slices.Equal(got, want) {
			t.Errorf("seat %d got %v", seat, got)
		}
	}
	a.Forget(func(e *feed.Signed) bool { return e == other })
	a.cutAll()
	for seat, g := range map[int]*Game{1: b, 2: c} {
		if first, last := awaitArrival(t, ctx, g), awaitArrival(t, ctx, g); first.Entry.Seat != 1 || last.Entry.Round != 7 {
			t.Errorf("after the cut seat %d got %d/%d and %d/%d", seat, first.Entry.Round, first.Entry.Seat, last.Entry.Round, last.Entry.Seat)
		}
	}
}

// A ballot that everybody passes on comes back to nobody who is connected.
func TestRepeatsDoNotGoRound(t *testing.T) {
	peers, charter := startTable(t, 2)
	acquaint(peers, nil)
	a, b := peers[0].play(charter, 0), peers[1].play(charter, 1)
	ctx := within(t)
	a.RepeatAll(a.vote(t, 0, 0, 1))
	got := awaitArrival(t, ctx, b)
	b.RepeatAll(got.Entry)
	b.RepeatAll(b.entry(t, 1, 5, "after it"))
	if got := awaitArrival(t, ctx, a); got.Entry.Round != 5 {
		t.Error("the ballot came back")
	}
}

// What a peer sends again and again is handed on once, until it is asked for
// everything again.
func TestSameEntryAgainAndAgain(t *testing.T) {
	peers, charter := startTable(t, 2)
	g := peers[0].play(charter, 0)
	_, s := newRogue(t, testKey(2)).enter(peers[0], g.Table())
	send := func(entries ...*feed.Signed) {
		t.Helper()
		for _, e := range entries {
			if err := s.Send(&wire.Entry{Signed: e}, long); err != nil {
				t.Fatal(err)
			}
		}
	}
	ctx := within(t)
	stray, next := g.entry(t, 1, 7, "stray"), g.entry(t, 1, 8, "next")
	send(stray, stray, stray, next)
	if a, b := awaitArrival(t, ctx, g), awaitArrival(t, ctx, g); a.Entry.Round != 7 || b.Entry.Round != 8 {
		t.Errorf("rounds %d and %d are handed on", a.Entry.Round, b.Entry.Round)
	}
	g.Resync(1)
	send(stray)
	if a := awaitArrival(t, ctx, g); a.Entry.Round != 7 {
		t.Errorf("round %d is handed on", a.Entry.Round)
	}
}

// Whoever went on while others closed the round without it gets their ballots
// and everything after them, and gives up what it held instead: what was said
// in that round, or another way of closing it and more rounds than theirs.
func TestLeaveAcrossConnections(t *testing.T) {
	for name, rest := range map[string]func(*Game) []*feed.Signed{
		"a round": func(g *Game) []*feed.Signed {
			return []*feed.Signed{g.entry(t, 0, 1, ""), g.entry(t, 1, 1, ""), g.entry(t, 2, 1, ""), g.entry(t, 2, 2, "")}
		},
		"a closing": func(g *Game) []*feed.Signed {
			return []*feed.Signed{g.vote(t, 0, 1, 1), g.vote(t, 2, 1, 1), elsewhere(t, 8, 2, 2), elsewhere(t, 8, 2, 5)}
		},
	} {
		t.Run(name, func(t *testing.T) { testLeave(t, rest) })
	}
}

// elsewhere is an entry of the game as it goes on under another name.
func elsewhere(t *testing.T, game byte, seat int, round uint32) *feed.Signed {
	t.Helper()
	e, err := feed.Seal(testKey(seat+1), feed.Entry{Game: feed.Hash{game}, Round: round, Seat: uint8(seat)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func testLeave(t *testing.T, branch func(*Game) []*feed.Signed) {
	peers, charter := startTable(t, 3)
	acquaint(peers, nil)
	a, c := peers[0].play(charter, 0), peers[2].play(charter, 2)
	said := []*feed.Signed{a.entry(t, 0, 0, ""), a.entry(t, 1, 0, ""), a.entry(t, 2, 0, "")}
	ballots := []*feed.Signed{a.vote(t, 0, 1, 2), a.vote(t, 1, 1, 2)}
	after := []*feed.Signed{elsewhere(t, 9, 0, 2), elsewhere(t, 9, 1, 2), elsewhere(t, 9, 0, 3)}
	a.Publish(slices.Concat(said, ballots, after)...)
	c.Publish(slices.Concat(said, branch(c))...)
	go func() {
		for range a.Arrivals() { // what seat 2 holds is of no use to seat 0
		}
	}()

	ctx := within(t)
	var votes [2]*feed.Signed
	for votes[0] == nil || votes[1] == nil {
		// It does not understand what follows before it has the ballots.
		if got := awaitArrival(t, ctx, c); got.Entry.Kind == feed.KindBallot {
			votes[got.Entry.Seat] = got.Entry
		}
	}
	c.Publish(votes[:]...)
	left := slices.Clone(after)
	for len(left) > 0 {
		got := awaitArrival(t, ctx, c).Entry
		left = slices.DeleteFunc(left, func(e *feed.Signed) bool { return string(e.Raw()) == string(got.Raw()) })
	}
	c.Publish(after...)
	if err := c.Flush(ctx); err != nil {
		t.Error(err)
	}
	if at := c.book.Position(); at != a.book.Position() || at.Epoch != 1 || at.Round != 3 {
		t.Errorf("seat 2 stands at %v, seat 0 at %v", at, a.book.Position())
	}
}
