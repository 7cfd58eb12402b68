package feed_test

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"alibi/crypto/feed"
)

// leaving is a circle whose table lets leavers go.
func leaving(t testing.TB, seed string, n, leavers int) *circle {
	t.Helper()
	c := newCircle(t, seed, n)
	c.charter.Leavers = uint8(leavers)
	var err error
	if c.encoded, err = c.charter.Encode(); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *circle) vote(t testing.TB, l *feed.Log, round uint32, seat int, m feed.Motion, yes bool) *feed.Signed {
	t.Helper()
	s, err := feed.CastBallot(c.keys[seat], l.TemplateAt(round, seat), feed.Ballot{Motion: m, Yes: yes})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func offer(t testing.TB, l *feed.Log, entries ...*feed.Signed) {
	t.Helper()
	for _, e := range entries {
		if v, err := l.Offer(e); err != nil || v != feed.Added && v != feed.Known {
			t.Fatalf("round %d, seat %d: verdict %d, %v", e.Round, e.Seat, v, err)
		}
	}
}

// A round is closed by its ballots alone, under another name from then on, and
// whoever was left out speaks no more.
func TestCloseByMotion(t *testing.T) {
	c := leaving(t, "close by", 4, 1)
	l := c.log()
	c.play(t, l, 5)
	m := feed.Without(2)
	said := c.say(t, l, 0, "counts no more")
	late := c.say(t, l, 1, "too late")
	offer(t, l, said)
	for _, s := range []int{0, 1} {
		offer(t, l, c.vote(t, l, 5, s, m, true))
	}
	if got, ok := l.Closes(0, true); ok {
		t.Fatal("carried without seat 3:", got)
	}
	if _, err := l.CloseBy(m, feed.Hash{1}, nil); err == nil {
		t.Fatal("closed without seat 3")
	}
	offer(t, l, c.vote(t, l, 5, 3, m, true))
	for _, me := range []int{-1, 0, 1, 2, 3} {
		if got, ok := l.Closes(me, true); !ok || got != m {
			t.Fatalf("seat %d: %v, %v", me, got, ok)
		}
	}
	game, prev := feed.NextGame(l.Game(), l.Prev(), 5, m), l.Prev()
	entries, err := l.CloseBy(m, game, []int{1, 2, 3})
	if err != nil || len(entries) != 3 {
		t.Fatal(entries, err)
	}
	if l.Prev() != feed.Next(prev, 5, entries) || l.Game() != game || l.Round() != 6 {
		t.Error("the chain does not hold the ballots")
	}
	if l.Present(2) || l.Owes(2) || !l.Owes(1) || l.Entry(5, 0) != nil {
		t.Error("who left owes an entry, or what was said in the round counts")
	}
	if v, err := l.Offer(late); v != feed.Stale || err != nil {
		t.Errorf("an entry that is too late: verdict %d, %v", v, err)
	}
	var misplaced *feed.Misplaced
	if _, err := l.Offer(c.say(t, l, 2, "I am back")); !errors.As(err, &misplaced) {
		t.Error("a seat that left speaks:", err)
	}
	if _, err := l.Offer(c.vote(t, l, 6, 2, feed.Without(1), true)); !errors.As(err, &misplaced) {
		t.Error("a seat that left votes:", err)
	}
	if !slices.Equal(l.Closed(5), entries) || l.ClosedBy(5) != m || !l.ClosedBy(4).Normal() {
		t.Error("the round does not remember what closed it")
	}
}

func TestUnlawfulMotions(t *testing.T) {
	c := leaving(t, "unlawful", 4, 2)
	l := c.log()
	c.play(t, l, 5)
	for name, m := range map[string]feed.Motion{
		"too many": feed.Without(0, 1, 3), "a seat that is none": {Without: 1 << 7}, "oneself": feed.Without(2),
		"everybody": {Without: 15, Abandon: true}, "half with the lowest seat": feed.Without(0, 1),
		"three of four, to abandon": {Without: 11, Abandon: true},
	} {
		var misplaced *feed.Misplaced
		if _, err := l.Offer(c.vote(t, l, 5, 2, m, true)); !errors.As(err, &misplaced) {
			t.Errorf("%s: %v", name, err)
		}
	}
	offer(t, l, c.vote(t, l, 5, 2, feed.Motion{Without: 8, Abandon: true}, true), c.vote(t, l, 5, 2, feed.Motion{Abandon: true}, true))
	if l.Lawful(feed.Motion{}) || l.Lawful(feed.Without(0, 1, 2)) || !l.Lawful(feed.Without(1, 3)) {
		t.Error("Lawful")
	}
}

// A vote is in the way of whatever is lower, until it is refused.
// Two halves cannot go on one seat after the other either: who left counts among those
// who go until all who are there have spoken without them.
func TestHalvesSeatBySeat(t *testing.T) {
	c := leaving(t, "seat by seat", 4, 2)
	l := c.log()
	c.play(t, l, 5)
	carry := func(m feed.Motion, voters, speakers []int) {
		for _, s := range voters {
			offer(t, l, c.vote(t, l, l.Round(), s, m, true))
		}
		if _, err := l.CloseBy(m, feed.NextGame(l.Game(), l.Prev(), l.Round(), m), speakers); err != nil {
			t.Fatal(err)
		}
	}
	say := func(speakers, next []int) {
		for _, s := range speakers {
			offer(t, l, c.say(t, l, s, "said"))
		}
		if _, err := l.Close(l.Game(), next); err != nil {
			t.Fatal(err)
		}
	}
	lawful := func(when string, want ...bool) {
		t.Helper()
		for i, one := range []int{0, 1, 2} {
			for _, abandon := range []bool{false, true} {
				if m := (feed.Motion{Without: 1 << one, Abandon: abandon}); l.Lawful(m) != want[i] {
					t.Errorf("%s: without seat %d, abandon %v: %v", when, one, abandon, !want[i])
				}
			}
		}
	}
	carry(feed.Without(3), []int{0, 1, 2}, []int{0, 2})
	lawful("at once", false, true, true)
	say([]int{0, 2}, []int{0, 1, 2})
	lawful("when two have spoken", false, true, true)
	say([]int{0, 1, 2}, []int{1})
	lawful("when all have spoken", true, true, true)
	l.Reopen(l.Round() - 1)
	lawful("when that was opened again", false, true, true)
	say(nil, []int{1})
	carry(feed.Without(0), []int{1, 2}, []int{1, 2})
	lawful("when one of three has left", false, false, false)
}

func TestVoteIsAPromise(t *testing.T) {
	c := leaving(t, "promise", 4, 1)
	l := c.log()
	c.play(t, l, 4) // seat 0 speaks
	m := feed.Without(0)
	offer(t, l, c.vote(t, l, 4, 1, m, true), c.say(t, l, 0, "here I am"))
	if _, ok := l.Closes(1, true); ok {
		t.Error("whoever voted closes the normal way")
	}
	for _, other := range []int{-1, 0, 2, 3} {
		if got, ok := l.Closes(other, true); !ok || !got.Normal() {
			t.Errorf("seat %d cannot close: %v", other, got)
		}
	}
	offer(t, l, c.vote(t, l, 4, 3, m, false))
	if got, ok := l.Closes(1, true); !ok || !got.Normal() {
		t.Error("a refusal does not set free:", got, ok)
	}
	if _, ok := l.Closes(1, false); ok {
		t.Error("a faulty round closes the normal way")
	}
}

// A vote of its own is not in the way of a seat that the others left out: who is
// to refuse what it moved may have gone on without it, and not answer any more.
func TestVoteOfWhoIsLeftOut(t *testing.T) {
	c := leaving(t, "left out", 3, 1)
	l := c.log()
	c.play(t, l, 4)
	higher, lower := feed.Without(2), feed.Without(0)
	offer(t, l, c.vote(t, l, 4, 0, higher, true), c.vote(t, l, 4, 1, lower, true))
	if got, ok := l.Closes(0, true); ok {
		t.Error("closed by one vote of two:", got)
	}
	offer(t, l, c.vote(t, l, 4, 2, lower, true))
	if got, ok := l.Closes(0, true); !ok || got != lower {
		t.Error("it does not take over what left it out:", got, ok)
	}
	offer(t, l, c.vote(t, l, 4, 1, higher, true))
	if got, ok := l.Closes(0, true); !ok || got != higher {
		t.Error("what is higher is carried, too:", got, ok)
	}
}

func TestYesAndNoConvict(t *testing.T) {
	c := leaving(t, "yes and no", 4, 1)
	l := c.log()
	c.play(t, l, 4)
	yes, no := c.vote(t, l, 4, 1, feed.Without(0), true), c.vote(t, l, 4, 1, feed.Without(0), false)
	offer(t, l, yes)
	var fork *feed.Fork
	if _, err := l.Offer(no); !errors.As(err, &fork) || fork.First != yes || fork.Second != no {
		t.Error(err)
	}
	m := feed.Without(0)
	offer(t, l, c.vote(t, l, 4, 2, m, true), c.vote(t, l, 4, 3, m, true))
	if got, ok := l.Closes(2, true); ok || !l.Refused(4, m) {
		t.Error("what somebody said yes and no to is carried:", got)
	}
}

// What closed a round closes it again, even if somebody who said yes has said no since:
// others may have built on it.
func TestNoAfterTheRoundWasClosed(t *testing.T) {
	c := leaving(t, "late no", 4, 1)
	l := c.log()
	c.play(t, l, 4)
	m := feed.Without(0)
	for _, s := range []int{1, 2, 3} {
		offer(t, l, c.vote(t, l, 4, s, m, true))
	}
	if _, err := l.CloseBy(m, feed.Hash{1}, nil); err != nil {
		t.Fatal(err)
	}
	l.Reopen(4)
	if _, err := l.Offer(c.vote(t, l, 4, 1, m, false)); err == nil || !l.Refused(4, m) {
		t.Fatal(err)
	}
	if got, ok := l.Closes(2, true); !ok || got != m {
		t.Errorf("closed by %+v, %v", got, ok)
	}
}

// Reopen takes rounds back, and what closed them can close them again.
func TestReopen(t *testing.T) {
	c := leaving(t, "reopen", 3, 1)
	l := c.log()
	c.play(t, l, 4)
	head, game := l.Prev(), l.Game()
	before := l.Entries()
	c.play(t, l, 8)
	all := l.Entries()
	dropped := l.Reopen(4)
	if l.Round() != 4 || l.Prev() != head || l.Game() != game || !l.Complete() {
		t.Fatal("not where it was")
	}
	if !slices.Equal(append(slices.Clone(before), append(l.Open(), dropped...)...), all) {
		t.Error("entries were lost")
	}
	if _, err := l.Close(c.gameOf(5), c.speakersOf(5)); err != nil {
		t.Fatal(err)
	}
	c.play(t, l, 7)
	if got := l.Entries(); len(got) != len(all) || l.Round() != 12 {
		t.Errorf("%d entries, not %d", len(got), len(all))
	}
}

// What a carried motion left behind, whoever it left out takes over.
func TestOverruled(t *testing.T) {
	c := leaving(t, "overruled", 4, 1)
	others := c.log()
	c.play(t, others, 4)
	m := feed.Without(0)
	ballots := []*feed.Signed{c.vote(t, others, 4, 1, m, true), c.vote(t, others, 4, 2, m, true), c.vote(t, others, 4, 3, m, true)}
	mine := c.log()
	c.play(t, mine, 7)
	offer(t, mine, ballots[0], ballots[2])
	if _, over := mine.Overruled(0); over {
		t.Error("overruled by two of three")
	}
	offer(t, mine, ballots[1])
	for me, want := range map[int]bool{-1: true, 0: true, 1: false} {
		if r, over := mine.Overruled(me); over != want || over && r != 4 {
			t.Errorf("seat %d: %d, %v", me, r, over)
		}
	}
	mine.Reopen(4)
	got, ok := mine.Closes(0, true)
	if !ok || got != m {
		t.Fatal(got, ok)
	}
	if _, err := mine.CloseBy(m, feed.NextGame(mine.Game(), mine.Prev(), 4, m), nil); err != nil {
		t.Fatal(err)
	}
	if _, over := mine.Overruled(0); over {
		t.Error("overruled by what it was closed by")
	}
}

func TestBuiltOn(t *testing.T) {
	c := leaving(t, "built on", 4, 1)
	l := c.log()
	c.play(t, l, 6) // rounds 2..5: seats 2, 3, 0, and all in 5
	for round, want := range map[uint32]bool{5: false, 4: true, 0: true} {
		if got := l.BuiltOn(round, 1); got != want {
			t.Errorf("round %d: %v", round, got)
		}
	}
	for _, s := range []int{0, 2, 3} {
		offer(t, l, c.vote(t, l, 6, s, feed.Without(1), true))
	}
	if !l.BuiltOn(5, 1) || l.BuiltOn(5, 2) {
		t.Error("a ballot is on top of what was before it")
	}
}

func TestBallotsAreBounded(t *testing.T) {
	c := leaving(t, "many ballots", 12, 10)
	l := c.log()
	c.play(t, l, 3)
	var last error
	for w := uint16(1); w < 1<<12 && last == nil; w++ {
		m := feed.Motion{Without: w, Abandon: true}
		if !m.Drops(5) && l.Lawful(m) {
			_, last = l.Offer(c.vote(t, l, 3, 5, m, true))
		}
	}
	if !errors.Is(last, feed.ErrMany) {
		t.Error(last)
	}
}

// TestSeatsThatStayAgree lets seats that keep their word speak, vote and close
// one round in any order over a network that delays: no two that stay close it
// differently.
func TestSeatsThatStayAgree(outer *testing.T) {
	const n, round = 3, 5 // a round in which all speak
	c := leaving(outer, "agree", n, 1)
	rapid.Check(outer, func(t *rapid.T) {
		logs := make([]*feed.Log, n)
		for i := range logs {
			logs[i] = c.log()
			c.play(outer, logs[i], round)
		}
		var sent []*feed.Signed
		reached := make([]int, n) // how much of sent each has got, for simplicity in order
		closed := map[int]feed.Motion{}
		answered := map[feed.Place]bool{}
		post := func(i int, e *feed.Signed) {
			sent = append(sent, e)
			offer(outer, logs[i], e)
		}
		deal := func(i int) { // whoever has closed the round answers other motions
			for _, m := range logs[i].Motions(round) {
				at := feed.Place{Seat: uint8(i), Motion: m}
				if m != closed[i] && !m.Drops(i) && logs[i].Vote(round, m, i) == nil && !answered[at] {
					answered[at] = true
					post(i, c.vote(outer, logs[i], round, i, m, false))
				}
			}
		}
		step := func(i int) {
			if _, done := closed[i]; done {
				deal(i)
				return
			}
			if m, ok := logs[i].Closes(i, true); ok {
				closed[i] = m
				if _, err := logs[i].CloseBy(m, feed.Hash{9}, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range rapid.IntRange(0, 100).Draw(t, "steps") {
			i := rapid.IntRange(0, n-1).Draw(t, "seat")
			_, done := closed[i]
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				if !done && logs[i].Owes(i) {
					post(i, c.say(outer, logs[i], i, "word"))
				}
			case 1:
				m := feed.Motion{Without: 1 << rapid.IntRange(0, n-1).Draw(t, "without")}
				if !done && logs[i].Lawful(m) && !m.Drops(i) {
					post(i, c.vote(outer, logs[i], round, i, m, true))
				}
			default:
				if reached[i] < len(sent) {
					e := sent[reached[i]]
					reached[i]++
					if _, err := logs[i].Offer(e); err != nil && !errors.Is(err, feed.ErrTurn) {
						t.Fatal(err)
					}
				}
			}
			step(i)
		}
		for i, m := range closed {
			for j, o := range closed {
				if m != o && !m.Drops(i) && !m.Drops(j) && !o.Drops(i) && !o.Drops(j) {
					t.Fatalf("seat %d closed by %v, seat %d by %v", i, m, j, o)
				}
			}
		}
	})
}
