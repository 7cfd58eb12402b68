package table_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"alibi/crypto/feed"
	"alibi/game/rules"
	"alibi/game/table"
)

// TestAbandonAnyMoment has the table stop at every stage and phase: all who are
// there, or all but some who cannot answer, as many as half of them.
func TestAbandonAnyMoment(t *testing.T) {
	for _, m := range moments(t) {
		for _, seats := range [][]int{nil, {0}, {2, 3}} {
			t.Run(fmt.Sprintf("%s, without %v", m.name, seats), func(t *testing.T) {
				t.Parallel()
				s := m.cut(t, m.round, nil)
				s.abandons(t, seats...)
			})
		}
	}
	t.Run("laying", func(t *testing.T) {
		f := reel(t, "alone")
		s := f.cut(t, f.first(t, phase(rules.Answering)), nil)
		s.leave(t, 3)
		s.allSpeak(t)
		if s.State.Phase() != rules.Laying {
			t.Fatal(s.State.Phase())
		}
		s.abandons(t, 0)
	})
	t.Run("more than may leave", func(t *testing.T) {
		f := reel(t, "alone")
		s := f.cut(t, f.first(t, phase(rules.Answering)), nil)
		s.leave(t, 3)
		s.leave(t, 2)
		s.allSpeak(t)
		s.abandons(t, 1)
	})
	t.Run("where nobody may leave", func(t *testing.T) {
		s := at(t, "abandon", phase(rules.Turn))
		s.from = s.State
		s.abandons(t, 2)
	})
	t.Run("stopped by a fault", func(t *testing.T) {
		f := reel(t, "alone")
		s := f.cut(t, f.first(t, stage(table.Pooling)), nil)
		s.State = s.State.Stop(table.Fault{Seat: 1, Round: s.State.Round, Rule: table.RuleShuffle})
		s.abandons(t, 1)
	})
}

// abandons has everybody but some agree to stop, and demands that this is the end.
func (s *scene) abandons(t testing.TB, seats ...int) {
	t.Helper()
	before, stood := s.State, digest(s.State)
	m := feed.Motion{Without: feed.Without(seats...).Without, Abandon: true}
	if err := s.Carry(m); err != nil {
		t.Fatal(err)
	}
	st := s.State
	if digest(before) != stood {
		t.Fatal("the state that was given has changed")
	}
	if !st.Abandoned || st.Stopped() || !st.Done() || len(st.Owed()) != 0 || len(st.Speakers()) != 0 || len(st.Tasks()) != 0 && st.Stage == table.Playing {
		t.Fatalf("abandoned %v, faults %v, owed %v", st.Abandoned, st.Faults, st.Owed())
	}
	if st.Round != before.Round+1 || st.Game == before.Game || st.Prev != s.Log.Prev() || st.Stage != before.Stage || st.Name != before.Name {
		t.Errorf("round %d, %s", st.Round, st.Stage)
	}
	switch {
	case before.Pos == nil && st.Pos != nil:
		t.Error("a position out of nothing")
	case before.Pos != nil:
		want := rules.Result{Winner: rules.Nobody, Reason: rules.Abandoned}
		if before.Pos.Result != nil {
			want = *before.Pos.Result
		}
		if st.Phase() != rules.Over || *st.Pos.Result != want {
			t.Errorf("%s with %+v, want %+v", st.Phase(), *st.Pos.Result, want)
		}
	}
	s.toldOfTheEnd(t, before, seats)
	again := s.again
	if before.Stopped() { // the fault is in no closed round
		again = func(rapid.TB) *table.State { return st }
	}
	if digest(again(t)) != digest(st) {
		t.Error("the log folds to something else")
	}
	s.nothingFollows(t, before)
}

// toldOfTheEnd demands that who could not answer is told of as gone, and the end last.
func (s *scene) toldOfTheEnd(t testing.TB, before *table.State, seats []int) {
	t.Helper()
	var want []string
	for _, p := range seats {
		want = append(want, fmt.Sprint(table.Left, p, before.Round))
		if !s.State.Gone[p] {
			t.Errorf("seat %d is not gone", p)
		}
	}
	want = append(want, fmt.Sprint(table.Stopped, 0, before.Round))
	var got []string
	for _, e := range s.State.Story[len(before.Story):] {
		got = append(got, fmt.Sprint(e.Kind, e.Seat, e.Round))
	}
	if !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

// nothingFollows demands that nothing can be folded onto a game that was abandoned.
func (s *scene) nothingFollows(t testing.TB, before *table.State) {
	t.Helper()
	st := s.State
	present := st.Present()
	rest := present[1:]
	tries := map[string][]*feed.Signed{
		"nothing":    nil,
		"once more":  s.votes(t, feed.Motion{Abandon: true}, present...),
		"a leave":    s.votes(t, feed.Without(present[0]), rest...),
		"old words":  s.Log.Closed(before.Round),
		"one leaves": s.votes(t, feed.Motion{Without: feed.Without(present[0]).Without, Abandon: true}, rest...),
	}
	var said []*feed.Signed
	for _, i := range before.Speakers() {
		e := before.Place(i)
		e.Game, e.Prev, e.Round, e.Body = st.Game, st.Prev, st.Round, []byte{0x80}
		signed, err := feed.Seal(s.Keys[i], e)
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, signed)
	}
	tries["the round once more"] = said
	for name, entries := range tries {
		if got := table.Apply(st, entries); got != st {
			t.Errorf("%s: folded, %v", name, got.Faults)
		}
	}
	for _, p := range s.Seats {
		if due, decide := p.Due(st); due || decide {
			t.Errorf("seat %d is waited for", p.Index())
		}
		if m, err := p.Answer(st, nil); err == nil {
			t.Errorf("seat %d says %v", p.Index(), m)
		}
	}
}
