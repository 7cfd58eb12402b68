package feed_test

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"alibi/crypto/feed"
)

func motions(t *rapid.T, label string) feed.Motion {
	return feed.Motion{Without: rapid.Uint16Max(1<<feed.MaxSeats-1).Draw(t, label), Abandon: rapid.Bool().Draw(t, label+" abandons"),
		Trial: rapid.Uint16().Draw(t, label+" trial")}
}

func TestBallotRoundTrip(t *testing.T) {
	c := newCircle(t, "ballot", 3)
	rapid.Check(t, func(t *rapid.T) {
		b := feed.Ballot{Motion: motions(t, "motion"), Yes: rapid.Bool().Draw(t, "yes")}
		s, err := feed.CastBallot(c.keys[1], feed.Entry{Round: 7, Seat: 1}, b)
		if b.Normal() {
			if !errors.Is(err, feed.ErrBallot) {
				t.Fatal("a motion that proposes nothing was cast:", err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		d, err := feed.Decode(s.Raw())
		if err != nil {
			t.Fatal(err)
		}
		if got, is := d.Ballot(); !is || got != b {
			t.Fatalf("%v came back as %v", b, got)
		}
		if at := d.Place(); at.Motion != b.Motion || at.Round != 7 || at.Seat != 1 {
			t.Fatal(at)
		}
	})
}

// Yes and no to one motion stand in one place, votes on two motions do not.
func TestPlacesOfBallots(t *testing.T) {
	c := newCircle(t, "ballot places", 3)
	cast := func(m feed.Motion, yes bool) feed.Place {
		s, err := feed.CastBallot(c.keys[0], feed.Entry{}, feed.Ballot{Motion: m, Yes: yes})
		if err != nil {
			t.Fatal(err)
		}
		return s.Place()
	}
	one := feed.Without(1)
	if cast(one, true) != cast(one, false) {
		t.Error("yes and no to one motion are in two places")
	}
	for _, other := range []feed.Motion{feed.Without(2), feed.Without(1, 2), {Without: one.Without, Abandon: true}, {Abandon: true}, {Without: one.Without, Trial: 1}} {
		if cast(one, true) == cast(other, true) {
			t.Errorf("%v is in the place of %v", other, one)
		}
	}
}

func TestMotionsAreInOneOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := motions(t, "a"), motions(t, "b"), motions(t, "c")
		if a.Compare(b) != -b.Compare(a) || (a.Compare(b) == 0) != (a == b) && !a.Normal() {
			t.Fatal("not antisymmetric:", a, b)
		}
		if a.Compare(b) <= 0 && b.Compare(c) <= 0 && a.Compare(c) > 0 {
			t.Fatal("not transitive:", a, b, c)
		}
		if !a.Normal() && a.Compare(feed.Motion{}) <= 0 {
			t.Fatal("not above the normal way:", a)
		}
		if a.Abandon == b.Abandon && a.Trial == b.Trial && a.Without != b.Without && a.Without&b.Without == a.Without && a.Compare(b) >= 0 {
			t.Fatal("a part is not below the whole:", a, b)
		}
		if !a.Normal() && !b.Normal() && a.Trial < b.Trial && a.Compare(b) >= 0 {
			t.Fatal("a later trial does not prevail:", a, b)
		}
	})
	if got := feed.Without(0, 3, 11).Seats(); !slices.Equal(got, []int{0, 3, 11}) {
		t.Error(got)
	}
}

// A game goes on under a name that depends on everything about the leave.
func TestNextGameDependsOnEverything(t *testing.T) {
	var game, prev, other feed.Hash
	other[5] = 1
	m := feed.Motion{Without: 2}
	seen := map[feed.Hash]bool{game: true}
	for _, h := range []feed.Hash{
		feed.NextGame(game, prev, 3, m), feed.NextGame(other, prev, 3, m), feed.NextGame(game, other, 3, m), feed.NextGame(game, prev, 4, m),
		feed.NextGame(game, prev, 3, feed.Motion{Without: 2, Trial: 1}), feed.NextGame(game, prev, 3, feed.Motion{Without: 4}), feed.NextGame(game, prev, 3, feed.Motion{Without: 2, Abandon: true}),
	} {
		if seen[h] {
			t.Error("two leaves go on under one name")
		}
		seen[h] = true
	}
}

func TestParseBallotRefuses(t *testing.T) {
	for name, b := range map[string][]byte{
		"nothing":       nil,
		"no motion":     {0x84, 0x00, 0xf4, 0x01, 0xf5},
		"thirteen":      {0x84, 0x19, 0x10, 0x00, 0xf4, 0x00, 0xf5},
		"a long head":   {0x84, 0x18, 0x02, 0xf4, 0x00, 0xf5},
		"five fields":   {0x85, 0x02, 0xf4, 0x00, 0xf5, 0xf5},
		"trailing byte": {0x84, 0x02, 0xf4, 0x00, 0xf5, 0x00},
		"a number":      {0x84, 0x02, 0x00, 0x00, 0xf5},
		"a high trial":  {0x84, 0x02, 0xf4, 0x1a, 0x00, 0x01, 0x00, 0x00, 0xf5},
	} {
		if v, err := feed.ParseBallot(b); err == nil {
			t.Errorf("%s: read as %v", name, v)
		}
	}
}
