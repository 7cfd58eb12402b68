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

// departure is a leave that a scene has been through.
type departure struct {
	seats         []int
	before, after *table.State
}

// TestLeaveAnyMoment has a seat leave in every single round of a game, in the small
// edition every seat once each: the others play on to a right end.
func TestLeaveAnyMoment(t *testing.T) {
	for edition, n := range map[string]int{"card": 4, "card-advanced": 3} {
		whole := shot(t, "any moment", edition, n, 1, rules.DefaultOptions(), nil)
		for r, st := range whole.states {
			for p := range n {
				if edition != "card" && (r+p)%n != 0 || testing.Short() && (r+p)%5 != 0 {
					continue
				}
				t.Run(fmt.Sprintf("%s/round %d, %s %s, seat %d", edition, r, st.Stage, st.Phase(), p), func(t *testing.T) {
					t.Parallel()
					s := whole.cut(t, r, shortly(t))
					s.leave(t, p)
					s.endsRight(t)
				})
			}
		}
	}
}

// shortly has whoever has a turn accuse alone and be right.
func shortly(t rapid.TB) func(s *scene, i int) seat.Action {
	return func(s *scene, _ int) seat.Action {
		if s.State.Stage != table.Playing {
			return nil
		}
		switch s.State.Phase() {
		case rules.Turn:
			return seat.Accuse{}
		case rules.Sealing:
			return seat.Pass{}
		case rules.Guessing:
			return seat.Guess{Cards: s.crime(t)}
		}
		return nil
	}
}

// endsRight plays on to the end, and demands what must be so whoever has left.
func (s *scene) endsRight(t rapid.TB) {
	t.Helper()
	for !s.State.Done() {
		s.step(t)
	}
	st := s.State
	if st.Stage != table.Playing || st.Phase() != rules.Over || st.Pos.Result == nil {
		t.Fatalf("it ends in %s, %s", st.Stage, st.Phase())
	}
	s.wonRightly(t)
	s.cardsAreTrue(t)
	s.goneAreSilent(t)
	if digest(s.again(t)) != digest(st) {
		t.Error("the log folds to something else")
	}
}

// wonRightly holds the result against who left, and when.
func (s *scene) wonRightly(t rapid.TB) {
	t.Helper()
	result := s.State.Pos.Result
	for _, d := range s.left {
		decided := d.before.Pos != nil && d.before.Pos.Result != nil
		if decided && *d.before.Pos.Result != *result {
			t.Errorf("%v left after the result, and it has become %+v", d.seats, *result)
		}
		if !decided && slices.Contains(d.seats, result.Winner) {
			t.Errorf("seat %d left in %s %s and has won: %+v", result.Winner, d.before.Stage, d.before.Phase(), *result)
		}
		if d.before.Name != (feed.Hash{}) && s.State.Name != d.before.Name {
			t.Error("the words of the table have changed")
		}
	}
	if w := result.Winner; result.Reason == rules.RightAlone && !slices.Equal(s.State.Pos.Accusation.Guesses[w], s.crime(t)) {
		t.Errorf("seat %d has won by a guess that is wrong", w)
	}
}

// cardsAreTrue compares every card that lies open or is held with what was dealt,
// and demands that those lie open whose seats left before the end.
func (s *scene) cardsAreTrue(t rapid.TB) {
	t.Helper()
	st, present, laid := s.State, everybody(s.State), map[int]bool{}
	for _, d := range s.left {
		for _, p := range d.seats {
			switch {
			case d.before.Stage < table.Checking:
				present = slices.DeleteFunc(present, func(i int) bool { return i == p })
			case d.before.Stage < table.Playing || d.after.Phase() == rules.Laying:
				laid[p] = true
			}
		}
		if d.before.Phase() == rules.Laying && d.before.Pos != nil && d.after.Phase() == rules.Revealing {
			for _, p := range d.before.Pos.Laid {
				delete(laid, p) // it is decided before their hands are open
			}
		}
	}
	if want := st.Edition.DealAmong(present); !slices.Equal(st.Owners, want) {
		t.Errorf("dealt to %v, want %v", st.Owners, want)
	}
	dealt, pool := map[int][]rules.Card{}, s.pool(t)
	for i, owner := range st.Owners {
		dealt[owner] = append(dealt[owner], pool[i])
	}
	if !slices.Equal(st.FaceUp, dealt[rules.FaceUp]) || !slices.Equal(st.Pos.Crime, s.crime(t)) {
		t.Errorf("open are %v, the crime is %v; dealt %v and %v", st.FaceUp, st.Pos.Crime, dealt[rules.FaceUp], s.crime(t))
	}
	for p := range s.Seats {
		if laid[p] != (st.Laid[p] != nil) || laid[p] && !slices.Equal(st.Laid[p], dealt[p]) {
			t.Errorf("seat %d was dealt %v, laid are %v", p, dealt[p], st.Laid[p])
		}
		for _, d := range s.left {
			if held := s.Seats[p].Hand(d.before); len(held) > 0 && !slices.Equal(held, dealt[p]) {
				t.Errorf("seat %d held %v before %v left, and was dealt %v", p, held, d.seats, dealt[p])
			}
		}
		if (st.Hands[p] != nil || !st.Gone[p]) && !slices.Equal(s.hand(p), dealt[p]) {
			t.Errorf("seat %d was dealt %v and holds %v", p, dealt[p], s.hand(p))
		}
	}
	all := append(slices.Clone(pool), s.crime(t)...)
	slices.Sort(all)
	for c, at := range all {
		if rules.Card(c) != at {
			t.Fatalf("the cards of the game are %v", all)
		}
	}
}

func everybody(st *table.State) []int {
	out := make([]int, st.Seats())
	for i := range out {
		out[i] = i
	}
	return out
}

// goneAreSilent demands that who left has left for good, once, and is told of.
func (s *scene) goneAreSilent(t rapid.TB) {
	t.Helper()
	left, laid := map[int]int{}, map[int]int{}
	for _, e := range s.State.Story {
		switch e.Kind {
		case table.Left:
			left[e.Seat]++
		case table.LaidOpen:
			laid[e.Seat]++
			if !slices.Equal(e.Cards, s.State.Laid[e.Seat]) {
				t.Errorf("seat %d laid %v, it is told that %v", e.Seat, s.State.Laid[e.Seat], e.Cards)
			}
		}
	}
	for p, gone := range s.State.Gone {
		if gone != (left[p] == 1) || left[p] > 1 || (s.State.Laid[p] != nil) != (laid[p] == 1) {
			t.Errorf("seat %d: gone %v, left %d times, laid %d times", p, gone, left[p], laid[p])
		}
	}
	for _, d := range s.left {
		for r := d.before.Round; r < s.Log.Round(); r++ {
			for _, e := range s.Log.Closed(r) {
				if slices.Contains(d.seats, int(e.Seat)) {
					t.Errorf("seat %d left in round %d and speaks in round %d", e.Seat, d.before.Round, r)
				}
			}
		}
	}
}
