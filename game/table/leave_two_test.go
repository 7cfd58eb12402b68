package table_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"alibi/crypto/feed"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
)

// TestTwoLeaveAtOnce has every pair of seats leave at every stage and phase, as many
// as may: together, or, where half of those who are there cannot leave at once, one
// when all others have spoken without the other.
func TestTwoLeaveAtOnce(t *testing.T) {
	for _, m := range moments(t) {
		for a := range 4 {
			for b := range a {
				if testing.Short() && (a+b+m.round)%3 != 0 {
					continue
				}
				t.Run(fmt.Sprintf("%s, seats %d and %d", m.name, b, a), func(t *testing.T) {
					t.Parallel()
					s := m.cut(t, m.round, shortly(t))
					if s.State.Tolerates(b, a) {
						s.leave(t, b, a)
					} else {
						s.leave(t, a)
						if s.allSpeak(t); s.State.Tolerates(b) {
							s.leave(t, b)
						} else if !s.State.Done() {
							t.Errorf("seat %d cannot leave after seat %d", b, a)
						}
					}
					if s.State.Tolerates(s.State.Present()[0]) {
						t.Error("a third could leave")
					}
					s.endsRight(t)
				})
			}
		}
	}
}

// TestLeaversOneAfterTheOther draws games in which seats leave at any moments,
// one after the other or together, until no more may. The others decide at random.
func TestLeaversOneAfterTheOther(t *testing.T) {
	seen := map[string]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		f := reel(rt, rapid.SampledFrom(reels).Draw(rt, "reel"))
		// The later a game is entered the sooner it ends; most of it is play.
		r := len(f.states) - 1 - min(rapid.IntRange(0, len(f.states)-1).Draw(rt, "from the end"), rapid.IntRange(0, len(f.states)-1).Draw(rt, "or"))
		d := rapid.Uint64().Draw(rt, "decisions")
		s := f.cut(rt, r, func(s *scene, i int) seat.Action { return rash(s, i, d) })
		for may := 2; may > 0; {
			for range rapid.IntRange(0, 4).Draw(rt, "rounds") {
				if s.State.Done() {
					break
				}
				s.step(rt)
			}
			seats := slices.Clone(rapid.Permutation(s.State.Present()).Draw(rt, "who"))[:rapid.IntRange(1, may).Draw(rt, "many")]
			if slices.Sort(seats); !s.State.Tolerates(seats...) {
				seats = seats[1:] // half cannot leave without the lowest
			}
			if len(seats) == 0 && s.State.Done() {
				break
			}
			if len(seats) == 0 {
				s.allSpeak(rt)
				continue
			}
			seen[fmt.Sprint(s.State.Stage, s.State.Phase())] = true
			s.leave(rt, seats...)
			may -= len(seats)
		}
		s.plans(func(s *scene, i int) seat.Action {
			if s.State.Round > s.left[len(s.left)-1].after.Round+12 {
				return shortly(rt)(s, i)
			}
			return rash(s, i, d)
		})
		s.endsRight(rt)
	})
	t.Logf("left at %d stages and phases", len(seen))
}

// rash decides at random what a player may, and leaves the rest to the bots.
func rash(s *scene, i int, d uint64) seat.Action {
	n := d ^ uint64(s.State.Round)*0x9e3779b97f4a7c15 ^ uint64(i)*0xd1b54a32d192ed03
	n ^= n >> 29
	n *= 0xbf58476d1ce4e5b9
	n ^= n >> 32
	switch {
	case s.State.Stage != table.Playing:
	case s.State.Phase() == rules.Turn && n%3 == 0:
		return seat.Accuse{}
	case s.State.Phase() == rules.Sealing && n%2 == 0:
		return seat.Join{}
	case s.State.Phase() == rules.Farewell:
		return seat.Leave{Open: n%3 > 0}
	}
	return nil
}

// Whoever leaves is left out of the game's name, and of nothing that stands
// already: the game id is made of the nonces of those who opened them.
func TestLeaveBeforeTheKeysAreOpen(t *testing.T) {
	f := reel(t, "alone")
	ids := map[feed.Hash]string{}
	for _, stage := range []table.Stage{table.Accepting, table.Keying} {
		for _, seats := range [][]int{{0}, {2}, {3}, {1, 3}, {1, 2}} {
			s := f.cut(t, f.first(t, func(st *table.State) bool { return st.Stage == stage }), shortly(t))
			s.leave(t, seats...)
			if s.State.Name != (feed.Hash{}) || s.State.Stage != stage {
				t.Fatalf("%v left: %s", seats, s.State.Stage)
			}
			for s.State.Stage < table.Sharing {
				if s.State.Stage == table.Keying {
					s.step(t)
					break
				}
				s.step(t)
			}
			var nonces [][]byte
			for _, i := range s.State.Present() {
				nonces = append(nonces, s.Secrets[i].Bytes()[:32])
			}
			keys := s.Log.Closed(s.State.Round - 1)
			if want := feed.GameID(keys[0].Game, nonces); s.State.Game != want || s.State.Name != want {
				t.Errorf("%s, without %v: the game is not named by those who are there", stage, seats)
			}
			what := fmt.Sprintf("%s, without %v", stage, seats)
			if other, twice := ids[s.State.Name]; twice {
				t.Errorf("%s and %s have one name", what, other)
			}
			ids[s.State.Name] = what
			for _, i := range seats {
				if s.State.SeatKeys[i] != nil || s.State.Locks[i] != nil {
					t.Errorf("%s: seat %d has opened keys", what, i)
				}
			}
			s.endsRight(t)
			if !slices.Equal(s.State.Dealers, s.State.Present()) {
				t.Errorf("%s: shares of %v count", what, s.State.Dealers)
			}
		}
	}
}

// Who leaves while hands are laid has theirs laid in the same round.
func TestLeaveWhileHandsAreLaid(t *testing.T) {
	f := reel(t, "alone")
	for _, order := range [][2]int{{1, 3}, {3, 1}} {
		s := f.cut(t, f.first(t, phase(rules.Answering)), shortly(t))
		together := f.cut(t, f.first(t, phase(rules.Answering)), shortly(t))
		together.leave(t, 1, 3)
		s.leave(t, order[0])
		if got := s.State.Pos.Laid; s.State.Phase() != rules.Laying || !slices.Equal(got, []int{order[0]}) {
			t.Fatalf("%s: laying %v", s.State.Phase(), got)
		}
		if !s.State.Barrier || s.State.Tasks() != nil {
			t.Fatal("a hand is laid before all have spoken on top of the leave")
		}
		s.step(t)
		tasks := len(s.State.Tasks())
		s.leave(t, order[1])
		if !s.State.Barrier || s.State.Tasks() != nil {
			t.Fatal("a hand is laid before all have spoken on top of the second leave")
		}
		s.step(t)
		if got := s.State.Pos.Laid; s.State.Phase() != rules.Laying || !slices.Equal(got, []int{1, 3}) || len(s.State.Tasks()) != 2*tasks {
			t.Fatalf("%s: laying %v, %d cards", s.State.Phase(), got, len(s.State.Tasks()))
		}
		if a, b := s.State.Pos, together.State.Pos; a.After != b.After || a.Active != b.Active || a.Turns != b.Turns {
			t.Errorf("one after the other: %+v, together: %+v", a, b)
		}
		s.endsRight(t)
	}
}
