package table_test

import (
	"fmt"
	"slices"
	"testing"

	"alibi/crypto/feed"
	"alibi/game/internal/parlour"
	"alibi/game/rules"
	"alibi/game/table"
)

func leaving(t testing.TB, seed, edition string, n, leavers int) *parlour.Table {
	t.Helper()
	p, err := parlour.NewLeaving(seed, edition, n, leavers, rules.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestLeaveAnyMoment has a seat leave in every single round of a game, once each:
// the others play on to a right end, and nothing of it depends on who watches.
func TestLeaveAnyMoment(t *testing.T) {
	for edition, n := range map[string]int{"card": 4, "card-advanced": 3} {
		whole := leaving(t, "any moment", edition, n, 1)
		if err := whole.Play(); err != nil {
			t.Fatal(err)
		}
		for r := range whole.State.Round {
			for p := range n {
				if testing.Short() && (int(r)+p)%5 != 0 {
					continue
				}
				t.Run(fmt.Sprintf("%s/round %d, seat %d", edition, r, p), func(t *testing.T) {
					t.Parallel()
					leaveAt(t, edition, n, r, p)
				})
			}
		}
	}
}

func leaveAt(t *testing.T, edition string, n int, round uint32, p int) {
	s := leaving(t, "any moment", edition, n, 1)
	if err := s.Until(func(st *table.State) bool { return st.Round == round }); err != nil {
		t.Fatal(err)
	}
	before := s.State
	if err := s.Carry(feed.Without(p)); err != nil {
		t.Fatal(err)
	}
	st := s.State
	if !st.Gone[p] || st.Round != round+1 || st.Game == before.Game || st.Stage < before.Stage || before.Gone[p] {
		t.Fatalf("left in %s: %v, round %d", before.Stage, st.Gone, st.Round)
	}
	if err := s.Play(); err != nil {
		t.Fatal(err)
	}
	st = s.State
	if st.Stopped() || st.Phase() != rules.Over || st.Pos.Result == nil {
		t.Fatalf("left in %s: it ends in %s, %s: %v", before.Stage, st.Stage, st.Phase(), st.Faults)
	}
	if w := st.Pos.Result.Winner; w == p && before.Pos.Result == nil {
		t.Errorf("who left has won: %+v", st.Pos.Result)
	}
	if before.Name != (feed.Hash{}) && st.Name != before.Name {
		t.Error("the words of the table have changed")
	}
	dealt := before.Stage == table.Playing && before.Phase() < rules.Revealing
	if dealt || before.Stage == table.Dealing {
		if len(st.Laid[p]) != len(st.Owners)/n || !disjoint(st) {
			t.Errorf("left in %s: laid %v", before.Stage, st.Laid)
		}
	}
	if again := replayed(t, s); again.Prev != st.Prev || again.Round != st.Round {
		t.Error("the log folds to something else")
	}
}

// disjoint reports whether no card lies in two open places.
func disjoint(st *table.State) bool {
	var all []rules.Card
	for _, cards := range append(slices.Clone(st.Laid), st.FaceUp, st.Pos.Crime) {
		all = append(all, cards...)
	}
	slices.Sort(all)
	return len(slices.Compact(slices.Clone(all))) == len(all)
}

// replayed folds the log of a game anew, as an auditor does.
func replayed(t *testing.T, s *parlour.Table) *table.State {
	t.Helper()
	st, err := table.New(s.Charter)
	if err != nil {
		t.Fatal(err)
	}
	for r := range s.Log.Round() {
		st = table.Apply(st, s.Log.Closed(r))
		if st.Round != r+1 {
			t.Fatalf("round %d does not fold: %v", r, st.Faults)
		}
	}
	return st
}
