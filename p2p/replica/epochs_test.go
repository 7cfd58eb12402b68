package replica

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
)

// Names of games as they go on: one, and what it is called after one leave and
// after another.
var (
	before = feed.Hash{1}
	after  = feed.Hash{2}
	later  = feed.Hash{3}
)

func said(t testing.TB, game feed.Hash, round uint32, seat int) *feed.Signed {
	t.Helper()
	s, err := feed.Seal(identity.KeyFromSeed([32]byte{byte(seat + 1)}), feed.Entry{Game: game, Round: round, Seat: uint8(seat)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func vote(t testing.TB, game feed.Hash, round uint32, seat int, yes bool, without ...int) *feed.Signed {
	t.Helper()
	s, err := feed.CastBallot(identity.KeyFromSeed([32]byte{byte(seat + 1)}), feed.Entry{Game: game, Round: round, Seat: uint8(seat)},
		feed.Ballot{Motion: feed.Without(without...), Yes: yes})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// add wants every entry taken.
func add(t *testing.T, b *Book, entries ...*feed.Signed) {
	t.Helper()
	for _, e := range entries {
		if !b.Add(e) {
			t.Fatalf("round %d, seat %d is left out", e.Round, e.Seat)
		}
	}
}

// text is a book in a line: epoch, round and seat of each entry, ! for a ballot.
func text(b *Book) (out string) {
	for _, l := range b.lines {
		mark := ""
		if l.ballot {
			mark = "!"
		}
		out += fmt.Sprintf("%d:%d/%d%s ", l.epoch, l.entry.Round, l.entry.Seat, mark)
	}
	return out
}

func TestPosition(t *testing.T) {
	at := Position{Epoch: 2, Round: 5, Heard: 1 << 3}
	for _, c := range []struct {
		epoch uint8
		round uint32
		seat  uint8
		want  bool
	}{
		{1, 99, 0, true}, {3, 0, 3, false}, {2, 4, 0, true}, {2, 5, 3, true}, {2, 5, 2, false}, {2, 6, 3, false}, {2, 5, 200, false},
	} {
		if got := at.Has(c.epoch, c.round, c.seat); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// What two positions cover is covered by what they merge to, and nothing else.
func TestMerge(t *testing.T) {
	positions := rapid.Custom(func(t *rapid.T) Position {
		return Position{rapid.Uint8Max(2).Draw(t, "epoch"), rapid.Uint32Max(2).Draw(t, "round"), rapid.Uint16Max(3).Draw(t, "heard")}
	})
	rapid.Check(t, func(t *rapid.T) {
		p, q := positions.Draw(t, "p"), positions.Draw(t, "q")
		m := p.Merge(q)
		for epoch := range uint8(4) {
			for round := range uint32(4) {
				for seat := range uint8(3) {
					if got := m.Has(epoch, round, seat); got != (p.Has(epoch, round, seat) || q.Has(epoch, round, seat)) {
						t.Fatalf("%v and %v make %v, which says %v of %d:%d/%d", p, q, m, got, epoch, round, seat)
					}
				}
			}
		}
	})
}

// The ballots of a leave roll back what had been said in its round and after
// it, and what follows them is the next epoch.
func TestBookFindsEpochs(t *testing.T) {
	b := NewBook()
	add(t, b, said(t, before, 3, 0), said(t, before, 3, 1), said(t, before, 3, 2), said(t, before, 4, 0), said(t, before, 5, 1))
	stale := said(t, before, 4, 1)
	add(t, b, vote(t, before, 4, 0, true, 2))
	if got := text(b); got != "0:3/0 0:3/1 0:3/2 0:4/0! " || b.Cuts() != 1 || b.Len() != 4 || b.Added() != 6 {
		t.Fatalf("%s, %d cuts, %d added", got, b.Cuts(), b.Added())
	}
	if at := (Position{Epoch: 1, Round: 5}); b.Position() != at {
		t.Errorf("after the ballots it stands at %v", b.Position())
	}
	add(t, b, vote(t, before, 4, 1, true, 2), said(t, after, 5, 1), said(t, after, 5, 0))
	if got := text(b); got != "0:3/0 0:3/1 0:3/2 0:4/0! 0:4/1! 1:5/1 1:5/0 " || b.Cuts() != 1 {
		t.Fatal(got)
	}
	for name, e := range map[string]*feed.Signed{
		"what was rolled back":        stale,
		"a ballot after its epoch":    vote(t, before, 4, 3, true, 2),
		"a no":                        vote(t, after, 5, 0, false, 1),
		"a ballot that is there":      vote(t, before, 4, 0, true, 2),
		"an entry that is there":      said(t, after, 5, 1),
		"another one in its place":    signedIn(t, after, 5, 1, "other"),
		"a seat that cannot be there": said(t, after, 5, feed.MaxSeats),
	} {
		if b.Add(e) {
			t.Errorf("%s is taken", name)
		}
	}
	// Leaves may follow one another without a word between.
	add(t, b, vote(t, after, 5, 0, true, 1), vote(t, later, 6, 0, true, 3), said(t, feed.Hash{4}, 7, 0))
	if got := text(b); got != "0:3/0 0:3/1 0:3/2 0:4/0! 0:4/1! 1:5/0! 2:6/0! 3:7/0 " || b.Position() != (Position{3, 7, 1}) {
		t.Error(got, b.Position())
	}
}

func signedIn(t testing.TB, game feed.Hash, round uint32, seat int, body string) *feed.Signed {
	t.Helper()
	e := said(t, game, round, seat).Entry
	e.Body = []byte(body)
	s, err := feed.Seal(identity.KeyFromSeed([32]byte{byte(seat + 1)}), e)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Who was left out by the others takes over their closing of a round that it
// had closed by another motion, and with it everything since.
func TestBookTakesAClosingBack(t *testing.T) {
	b := NewBook()
	add(t, b, said(t, before, 3, 0), vote(t, before, 4, 2, true, 3), said(t, after, 5, 2), vote(t, after, 6, 2, true, 1), said(t, later, 7, 2))
	add(t, b, vote(t, before, 4, 0, true, 2, 3), vote(t, before, 4, 1, true, 2, 3))
	if got := text(b); got != "0:3/0 0:4/0! 0:4/1! " || b.Position() != (Position{Epoch: 1, Round: 5}) || b.Cuts() != 1 {
		t.Fatal(got, b.Position())
	}
	add(t, b, said(t, feed.Hash{9}, 5, 1))
	if got := text(b); got != "0:3/0 0:4/0! 0:4/1! 1:5/1 " {
		t.Error(got)
	}
	if b.Holds(said(t, after, 5, 2)) || !b.Holds(said(t, feed.Hash{9}, 5, 1)) {
		t.Error("Holds is wrong")
	}
}

func TestBookBoundsEpochs(t *testing.T) {
	b := NewBook()
	for i := range uint32(MaxEpoch) {
		add(t, b, vote(t, feed.Hash{byte(i)}, i, 0, true, 1))
	}
	if b.Add(vote(t, feed.Hash{77}, MaxEpoch, 0, true, 1)) {
		t.Error("more epochs than a game can have")
	}
}

// A peer that lags behind in a branch that was left gets the ballots and what
// follows them, and nothing of the branch from whoever had been there as well.
func TestPlanAcrossALeave(t *testing.T) {
	b := NewBook()
	branch := []*feed.Signed{said(t, before, 4, 0), said(t, before, 4, 2), said(t, before, 5, 0)}
	add(t, b, said(t, before, 3, 0))
	p := NewPlan(b, new(Repeats), 0, Position{Round: 3}, 1<<1|1<<2, start)
	add(t, b, branch...)
	p.consider(start) // what is under way here when the round is closed otherwise
	add(t, b, vote(t, before, 4, 0, true, 2), vote(t, before, 4, 1, true, 2), said(t, after, 5, 1), said(t, after, 5, 0))
	got, _ := drain(p, start)
	want(t, "a peer in the round before", got, "3/0", "4/0", "4/1", "5/0")
	got, _ = drain(p, start.Add(RelayDelay))
	want(t, "when the author does not deliver", got, "5/1")
	got, _ = drain(NewPlan(b, new(Repeats), 0, Position{Round: 6, Heard: 7}, 0, start), start)
	want(t, "a peer in the branch", got, "4/0", "4/1", "5/1", "5/0")
	got, _ = drain(NewPlan(b, new(Repeats), 0, Position{Epoch: 1, Round: 5, Heard: 1}, 0, start), start)
	want(t, "a peer in the new epoch", got, "4/0", "4/1", "5/1")
	if !p.Idle() {
		t.Error("not idle")
	}
}

// Over one connection a ballot goes once, whether as a repeat or as part of the
// log, and whoever sent it; when everything is asked for again, it goes again.
func TestBallotsGoOnce(t *testing.T) {
	b, repeats := NewBook(), new(Repeats)
	p := NewPlan(b, repeats, 0, Position{}, 1<<1|1<<2, start)
	mine, theirs, other := vote(t, before, 0, 0, true, 3), vote(t, before, 0, 1, true, 3), vote(t, before, 0, 2, true, 3)
	if !p.Received(theirs) || p.Received(theirs) {
		t.Error("the peer's ballot is news twice, or never")
	}
	repeats.Add(mine)
	repeats.Add(theirs)
	if p.Idle() {
		t.Error("idle with a ballot to show")
	}
	got, _ := drain(p, start)
	want(t, "to be shown", got, "0/0")
	add(t, b, mine, theirs, other)
	got, _ = drain(p, start)
	want(t, "when they close the round", got, "0/2")
	if p.Received(mine) {
		t.Error("what is in the book is news")
	}
	repeats.Forget(func(*feed.Signed) bool { return true })
	p.Restart(Position{Epoch: 1, Round: 1}, 0, start)
	got, _ = drain(p, start)
	want(t, "asked for again", got, "0/0", "0/1", "0/2")

	stray := said(t, before, 7, 2)
	if !p.Received(stray) || p.Received(stray) {
		t.Error("a stray entry is news twice, or never")
	}
	p.Again()
	if !p.Received(stray) {
		t.Error("what was asked for again is no news")
	}
}

// Without a seat there is nothing to send.
func TestOnlyListening(t *testing.T) {
	b := NewBook()
	add(t, b, said(t, before, 0, 0))
	p := NewPlan(b, new(Repeats), -1, Position{}, 0, start)
	add(t, b, said(t, before, 0, 1), vote(t, before, 1, 0, true, 1))
	if e, wait := p.Next(start); e != nil || wait >= 0 || !p.Idle() {
		t.Errorf("sends %v", e)
	}
}
