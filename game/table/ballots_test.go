package table_test

import (
	"slices"
	"testing"

	"alibi/crypto/feed"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/table"
)

// unlawful are sets of ballots and other entries that carry no motion at a table
// of four, of which seat 3 has left already and one more may.
func unlawful(t testing.TB, s *scene) map[string][]*feed.Signed {
	t.Helper()
	one, two := feed.Without(1), feed.Without(0)
	yes := func(m feed.Motion, seats ...int) []*feed.Signed { return s.votes(t, m, seats...) }
	no := s.ballot(t, 2, feed.Ballot{Motion: one})
	good := yes(one, 0, 2)
	at := func(change func(e *feed.Entry)) []*feed.Signed {
		e := good[1].Entry
		change(&e)
		out, err := feed.Seal(s.Keys[e.Seat], e)
		if err != nil {
			t.Fatal(err)
		}
		return []*feed.Signed{good[0], out}
	}
	again := one
	again.Trial++
	ordinary := s.sealed(t, 2, move.KindAccept, good[1].Body)
	return map[string][]*feed.Signed{
		"nothing":                          nil,
		"one voter missing":                yes(one, 0),
		"the other voter missing":          yes(one, 2),
		"a no among them":                  {good[0], no},
		"a no first":                       {s.ballot(t, 0, feed.Ballot{Motion: one}), good[1]},
		"no of all":                        {s.ballot(t, 0, feed.Ballot{Motion: one}), no},
		"a yes and a no of one seat":       {good[0], good[1], no},
		"another motion among them":        {good[0], yes(feed.Without(0), 2)[0]},
		"another trial among them":         {good[0], yes(again, 2)[0]},
		"an abandoning one among them":     {good[0], yes(feed.Motion{Without: 1 << 1, Abandon: true}, 2)[0]},
		"the other way round":              {good[1], good[0]},
		"one voter twice":                  {good[0], good[0]},
		"one voter twice and the other":    {good[0], good[1], good[1]},
		"who is dropped votes too":         yes(one, 0, 1, 2),
		"who is dropped votes alone":       yes(one, 1),
		"who has left votes too":           yes(one, 0, 2, 3),
		"who has left votes for another":   yes(one, 0, 3),
		"more leavers than may":            yes(feed.Without(1, 2), 0),
		"all":                              yes(feed.Without(0, 1, 2)),
		"abandoned by fewer than half":     yes(feed.Motion{Without: 1<<0 | 1<<1, Abandon: true}, 2),
		"abandoned by the lowest of three": yes(feed.Motion{Without: 1<<1 | 1<<2, Abandon: true}, 0),
		"who has left already":             yes(feed.Without(3), 0, 1, 2),
		"who has left already and another": yes(feed.Without(1, 3), 0, 2),
		"no seat":                          yes(feed.Without(4), 0, 1, 2),
		"the last bit":                     yes(feed.Without(11), 0, 1, 2),
		"no seat and another":              yes(feed.Without(1, 7), 0, 2),
		"abandoned without who has left":   yes(feed.Motion{Without: 1 << 3, Abandon: true}, 0, 1, 2),
		"abandoned without no seat":        yes(feed.Motion{Without: 1 << 5, Abandon: true}, 0, 1, 2),
		"abandoned by two of three":        yes(feed.Motion{Abandon: true}, 0, 1),
		"abandoned by all but one no":      append(yes(feed.Motion{Abandon: true}, 0, 1), s.ballot(t, 2, feed.Ballot{Motion: feed.Motion{Abandon: true}})),
		"an ordinary entry among them":     {good[0], ordinary},
		"ordinary entries that look alike": {s.sealed(t, 0, move.KindAccept, good[0].Body), ordinary},
		"another game":                     at(func(e *feed.Entry) { e.Game[0] ^= 1 }),
		"another history":                  at(func(e *feed.Entry) { e.Prev[0] ^= 1 }),
		"the round after":                  at(func(e *feed.Entry) { e.Round++ }),
		"the round before":                 at(func(e *feed.Entry) { e.Round-- }),
		"another seat's place":             at(func(e *feed.Entry) { e.Seat = 0 }),
		"two motions":                      append(yes(one, 0, 2), yes(two, 1, 2)...),
	}
}

// Ballots that carry nothing change nothing, whatever the round: they neither
// drop anybody nor blame anybody.
func TestBallotsThatCarryNothing(t *testing.T) {
	f := reel(t, "alone")
	for name, is := range map[string]func(*table.State) bool{
		"everybody speaks": stage(table.Sharing),
		"one speaks":       stage(table.Pooling),
		"a turn":           phase(rules.Turn),
		"revealing":        phase(rules.Revealing),
		"over":             phase(rules.Over),
	} {
		t.Run(name, func(t *testing.T) {
			s := f.cut(t, f.first(t, is), nil)
			s.leave(t, 3)
			bad := unlawful(t, s)
			refuses := func(st *table.State) {
				before := digest(st)
				for name, ballots := range bad {
					if got := table.Apply(st, ballots); got != st {
						t.Errorf("%s: folded, %v", name, got.Faults)
					}
				}
				if digest(st) != before {
					t.Error("Apply changed the state it was given")
				}
			}
			refuses(s.State)
			if got := table.Apply(s.State, s.votes(t, feed.Without(1), 0, 2)); got == s.State || !got.Gone[1] {
				t.Error("the right ballots are not folded either")
			}
			if name == "over" {
				return
			}
			stopped := s.State.Stop(table.Fault{Seat: 1, Round: s.State.Round, Rule: table.RuleFork})
			refuses(stopped)
			if got := table.Apply(stopped, s.votes(t, feed.Without(1), 0, 2)); !got.Gone[1] || got.Stopped() {
				t.Error("a convicted seat is not dropped")
			}
		})
	}
}

// Half of a table goes on without the other half only if the lowest seat is in it,
// so that two halves never do both.
func TestTwoHalvesOfATable(t *testing.T) {
	f := reel(t, "alone")
	s := f.cut(t, f.first(t, phase(rules.Turn)), nil)
	for _, abandon := range []bool{false, true} {
		on := func(going ...int) bool {
			m := feed.Motion{Without: feed.Without(going...).Without, Abandon: abandon}
			staying := slices.DeleteFunc(everybody(s.State), m.Drops)
			return table.Apply(s.State, s.votes(t, m, staying...)) != s.State
		}
		for a := range 4 {
			for b := range a {
				if got, want := on(b, a), b != 0; got != want {
					t.Errorf("without %d and %d, abandoned %v: folded %v", b, a, abandon, got)
				}
			}
			three := slices.DeleteFunc(everybody(s.State), func(i int) bool { return i == a })
			if on(three...) {
				t.Errorf("seat %d alone goes on, abandoned %v", a, abandon)
			}
		}
	}
}

// Package feed, which counts ballots, and the fold, which reads them, agree on
// what can be moved: for every set of seats, whoever has left already.
func TestFeedAndFoldAgreeOnMotions(t *testing.T) {
	f := reel(t, "alone")
	for name, left := range map[string][][]int{
		"nobody": nil, "one": {{1}}, "two": {{1, 3}}, "one after the other": {{1}, {3}},
		"the lowest": {{0}}, "the lowest, and all have spoken": {{0}, nil}, "one after another who spoke": {{0}, nil, {1}},
	} {
		t.Run(name, func(t *testing.T) {
			s := f.cut(t, f.first(t, stage(table.Checking)), nil)
			for _, seats := range left {
				if seats == nil {
					s.allSpeak(t)
					continue
				}
				s.leave(t, seats...)
			}
			lawful := 0
			for without := range uint16(1 << 6) {
				for _, abandon := range []bool{false, true} {
					m := feed.Motion{Without: without, Abandon: abandon}
					if m.Normal() {
						continue
					}
					voters := slices.DeleteFunc(s.State.Present(), m.Drops)
					next := table.Apply(s.State, s.votes(t, m, voters...))
					if want := s.Log.Lawful(m); want != (next != s.State) {
						t.Errorf("%v: lawful %v, folded %v", m, want, !want)
					} else if want {
						lawful++
					}
					if tolerates := s.State.Tolerates(m.Seats()...); !abandon && tolerates != s.Log.Lawful(m) {
						t.Errorf("%v: tolerated %v", m, tolerates)
					}
				}
			}
			if lawful == 0 || s.State.Tolerates() {
				t.Error("nothing is lawful, or to go on without nobody is")
			}
		})
	}
}
