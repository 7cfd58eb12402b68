package feed_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"alibi/crypto/feed"
)

func TestLogFromTheStart(t *testing.T) {
	c := newCircle(t, "start", 3)
	l := c.log()
	table := feed.TableHash(c.encoded)
	if l.Round() != 0 || l.Prev() != table || l.Game() != table || l.Seats() != 3 || !bytes.Equal(l.Charter(), c.encoded) {
		t.Fatalf("round %d, prev %x, game %x", l.Round(), l.Prev(), l.Game())
	}
	if l.Complete() || len(l.Entries()) != 0 || len(l.Open()) != 0 {
		t.Error("a new log holds something")
	}
	for i := range 3 {
		if !l.Owes(i) {
			t.Errorf("seat %d owes nothing", i)
		}
	}
	for _, i := range []int{-1, 3, 300} {
		if l.Owes(i) || l.Entry(0, i) != nil {
			t.Errorf("seat %d owes or said something", i)
		}
	}
	if _, err := l.Close(table, nil); err == nil {
		t.Error("a round that nobody spoke in was closed")
	}
}

func TestLogRoundByRound(t *testing.T) {
	c := newCircle(t, "rounds", 3)
	l := c.log()
	head := l.Prev()
	for r := range uint32(12) {
		speakers := c.speakersOf(r)
		for k, i := range speakers {
			if l.Complete() {
				t.Fatalf("round %d is complete after %d of %d", r, k, len(speakers))
			}
			s := c.say(t, l, i, "words")
			if v, err := l.Offer(s); v != feed.Added || err != nil {
				t.Fatal(v, err)
			}
			if l.Owes(i) || l.Entry(r, i) != s {
				t.Errorf("round %d: seat %d still owes", r, i)
			}
			if v, err := l.Offer(s); v != feed.Known || err != nil {
				t.Error(v, err)
			}
		}
		if !l.Complete() {
			t.Fatalf("round %d is not complete", r)
		}
		open := l.Open()
		closed := c.close(t, l)
		if !slices.Equal(open, closed) || !slices.Equal(l.Closed(r), closed) {
			t.Errorf("round %d: closed other entries than were open", r)
		}
		if want := feed.Next(head, r, closed); l.Prev() != want {
			t.Errorf("round %d: prev is %x, want %x", r, l.Prev(), want)
		}
		head = l.Prev()
		if l.Round() != r+1 || l.Game() != c.gameOf(r+1) || len(l.Open()) != 0 {
			t.Errorf("round %d: round %d, game %x", r, l.Round(), l.Game())
		}
		for i := range 3 {
			if l.Owes(i) != slices.Contains(c.speakersOf(r+1), i) {
				t.Errorf("round %d: Owes(%d) is %v", r+1, i, l.Owes(i))
			}
		}
	}
	if l.Closed(12) != nil || l.Closed(1<<31) != nil || l.Entry(12, 0) != nil || l.Entry(99, 0) != nil {
		t.Error("a round to come holds something")
	}
}

// A round that nobody owes anything in is the end: never complete, never closed.
func TestLogEnds(t *testing.T) {
	c := newCircle(t, "end", 2)
	l := c.log()
	for i := range 2 {
		if _, err := l.Offer(c.say(t, l, i, "")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Close(l.Game(), nil); err != nil {
		t.Fatal(err)
	}
	if l.Complete() {
		t.Error("the end is complete")
	}
	if _, err := l.Close(l.Game(), nil); err == nil {
		t.Error("the end was closed")
	}
	var m *feed.Misplaced
	if _, err := l.Offer(c.say(t, l, 1, "more")); !errors.As(err, &m) || !errors.Is(err, feed.ErrTurn) {
		t.Error(err)
	}
}

// A speaker named twice owes one entry.
func TestSpeakerNamedTwice(t *testing.T) {
	c := newCircle(t, "twice", 2)
	l := c.log()
	c.play(t, l, 1)
	for i := range 2 {
		if _, err := l.Offer(c.say(t, l, i, "")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Close(c.game, []int{1, 1, 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Offer(c.say(t, l, 1, "")); err != nil || !l.Complete() {
		t.Errorf("complete %v, %v", l.Complete(), err)
	}
}

func TestOfferRefuses(t *testing.T) {
	c := newCircle(t, "refuses", 3)
	l := c.log()
	c.play(t, l, 6)
	stranger := newCircle(t, "strangers", 3)
	speaker := c.speakersOf(6)[0]
	good := l.Template(speaker)
	good.Body = []byte("good")
	idle := (speaker + 1) % 3
	for name, tt := range map[string]struct {
		entry   *feed.Signed
		verdict feed.Verdict
		want    error
	}{
		"another game":                 {c.seal(t, speaker, edit(good, func(e *feed.Entry) { e.Game[31] ^= 1 })), 0, feed.ErrForeign},
		"the table's name too late":    {c.seal(t, speaker, edit(good, func(e *feed.Entry) { e.Game = c.gameOf(0) })), feed.Stale, nil},
		"the game's name too early":    {c.seal(t, speaker, edit(good, func(e *feed.Entry) { e.Round = 1 })), feed.Stale, nil},
		"no such seat":                 {c.seal(t, speaker, edit(good, func(e *feed.Entry) { e.Seat = 3 })), 0, feed.ErrNoSeat},
		"a stranger's signature":       {stranger.seal(t, speaker, good), 0, feed.ErrSignature},
		"another seat's signature":     {c.seal(t, idle, good), 0, feed.ErrSignature},
		"another history":              {c.seal(t, speaker, edit(good, func(e *feed.Entry) { e.Prev[0] ^= 1 })), 0, feed.ErrHistory},
		"out of turn":                  {c.seal(t, idle, edit(good, func(e *feed.Entry) { e.Seat = uint8(idle) })), 0, feed.ErrTurn},
		"out of turn, another history": {c.seal(t, idle, edit(good, func(e *feed.Entry) { e.Seat = uint8(idle); e.Prev[0] ^= 1 })), 0, feed.ErrHistory},
		"the next round":               {c.seal(t, speaker, edit(good, func(e *feed.Entry) { e.Round++ })), feed.Early, nil},
		"the last round there is":      {c.seal(t, speaker, edit(good, func(e *feed.Entry) { e.Round = 1<<32 - 1 })), feed.Early, nil},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := l.Offer(tt.entry)
			if v != tt.verdict || !errors.Is(err, tt.want) || (err != nil) != (tt.want != nil) {
				t.Errorf("verdict %d, %v", v, err)
			}
			var m *feed.Misplaced
			if named := errors.As(err, &m); named != (errors.Is(err, feed.ErrHistory) || errors.Is(err, feed.ErrTurn)) {
				t.Errorf("%v names its author: %v", err, named)
			} else if named && m.Entry != tt.entry {
				t.Error("the evidence is another entry")
			}
			if l.Round() != 6 || len(l.Open()) != 0 {
				t.Fatal("a refused entry changed the log")
			}
		})
	}
	if v, err := l.Offer(c.seal(t, speaker, good)); v != feed.Added || err != nil {
		t.Errorf("the good entry: %d, %v", v, err)
	}
}

// Who speaks now, but owed nothing in the round the entry is for, adds nothing to
// this one.
func TestSpeakerIntoAnEarlierRound(t *testing.T) {
	c := newCircle(t, "earlier", 3)
	l := c.log()
	all := c.play(t, l, 7)
	now := c.speakersOf(7)[0]
	for _, old := range all {
		if len(c.speakersOf(old.Round)) > 1 || int(old.Seat) == now {
			continue
		}
		e := edit(old.Entry, func(e *feed.Entry) { e.Seat = uint8(now) })
		var m *feed.Misplaced
		if _, err := l.Offer(c.seal(t, now, e)); !errors.As(err, &m) || !errors.Is(err, feed.ErrTurn) {
			t.Errorf("round %d: %v", old.Round, err)
		}
		if !l.Owes(now) || len(l.Open()) != 0 {
			t.Fatalf("round %d: it was taken for the open round", old.Round)
		}
	}
}

func edit(e feed.Entry, change func(*feed.Entry)) feed.Entry {
	change(&e)
	return e
}

// Whatever order entries arrive in, repeated, early and with noise in between,
// every peer computes the same chain.
func TestOrderOfArrivalDoesNotMatter(t *testing.T) {
	c := newCircle(t, "order", 4)
	all := c.play(t, c.log(), 16)
	want := func() feed.Hash { l := c.log(); refill(t, c, l, all); return l.Prev() }()
	rapid.Check(t, func(t *rapid.T) {
		l := c.log()
		for l.Round() < 16 {
			e := rapid.SampledFrom(all).Draw(t, "entry")
			v, err := l.Offer(e)
			if err != nil {
				t.Fatal(err)
			}
			if (v == feed.Early) != (e.Round > l.Round()) {
				t.Fatalf("round %d while round %d is open: %d", e.Round, l.Round(), v)
			}
			if v == feed.Early {
				for _, e := range all { // ask again: what is due now
					if e.Round == l.Round() && l.Owes(int(e.Seat)) && rapid.Bool().Draw(t, "resend") {
						if v, err := l.Offer(e); v != feed.Added || err != nil {
							t.Fatal(v, err)
						}
					}
				}
			}
			if l.Complete() {
				next := l.Round() + 1
				if _, err := l.Close(c.gameOf(next), c.speakersOf(next)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if l.Prev() != want {
			t.Fatal("another history")
		}
	})
}

func refill(t testing.TB, c *circle, l *feed.Log, all []*feed.Signed) {
	t.Helper()
	for _, e := range all {
		if v, err := l.Offer(e); v != feed.Added || err != nil {
			t.Fatal(v, err)
		}
		if l.Complete() {
			c.close(t, l)
		}
	}
	if got := l.Entries(); !slices.Equal(got, all) {
		t.Errorf("%d entries, want %d", len(got), len(all))
	}
}

// Entries lists the open round too, in seat order.
func TestEntriesInOrder(t *testing.T) {
	c := newCircle(t, "entries", 3)
	l := c.log()
	all := c.play(t, l, 5)
	last, first := c.say(t, l, 2, "last"), c.say(t, l, 0, "first")
	for _, s := range []*feed.Signed{last, first} {
		if _, err := l.Offer(s); err != nil {
			t.Fatal(err)
		}
	}
	if got := l.Entries(); !slices.Equal(got, append(all, first, last)) {
		t.Error("another order")
	}
}
