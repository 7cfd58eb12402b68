package table_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
)

// reels are films of four players, of whom two may leave, that together go
// through every stage and phase.
var reels = []string{"alone", "joined", "agreed"}

var shelf sync.Map

// reel is a film, shot once for all tests; they cut from it and change nothing.
func reel(t rapid.TB, name string) *film {
	t.Helper()
	if f, ok := shelf.Load(name); ok {
		return f.(*film)
	}
	o := rules.DefaultOptions()
	o.Last = "plays-on"
	plan := accusingAlone(t)
	switch name {
	case "joined":
		o.Order, plan = "random", accusingTogether(t)
	case "agreed":
		o.First, o.Order, plan = "vote", "agreed", accusingTogether(t)
	}
	f := shot(t, name, "card", 4, 2, o, plan)
	shelf.Store(name, f)
	return f
}

// accusingAlone is a game of questions until everybody has had a turn, and then of
// lone accusations: a wrong one first, then a right one.
func accusingAlone(t rapid.TB) func(s *scene, i int) seat.Action {
	return func(s *scene, i int) seat.Action {
		if s.State.Stage != table.Playing {
			return nil
		}
		crime := s.crime(t)
		switch s.State.Phase() {
		case rules.Turn:
			if s.State.Pos.Turns > 2 {
				return seat.Accuse{}
			}
			return seat.Ask{Cards: []rules.Card{crime[0], s.hand((i + 2) % 4)[0]}}
		case rules.Sealing:
			return seat.Pass{}
		case rules.Guessing:
			if !slices.Contains(s.State.Pos.Out, true) {
				return seat.Guess{Cards: s.wrong(t, 1)}
			}
			return seat.Guess{Cards: crime}
		}
		return nil
	}
}

// accusingTogether has the first player accuse and all join; all but the first
// are right.
func accusingTogether(t rapid.TB) func(s *scene, i int) seat.Action {
	return func(s *scene, i int) seat.Action {
		if s.State.Stage != table.Playing {
			return nil
		}
		switch s.State.Phase() {
		case rules.Turn:
			return seat.Accuse{}
		case rules.Sealing:
			return seat.Join{}
		case rules.Guessing:
			if i == s.State.Pos.Active {
				return seat.Guess{Cards: s.wrong(t, 1)}
			}
			return seat.Guess{Cards: s.crime(t)}
		}
		return nil
	}
}

// moment is a round of a reel.
type moment struct {
	*film
	name  string
	round int
}

func (m moment) state() *table.State { return m.states[m.round] }

// moments lists, for every stage and phase, the first round of each reel in which
// it is open, setting up only once.
func moments(t testing.TB) (out []moment) {
	t.Helper()
	for _, name := range reels {
		f := reel(t, name)
		last := ""
		seen := map[string]bool{}
		for r, st := range f.states {
			at := st.Stage.String()
			if st.Stage == table.Playing {
				at = st.Phase().String()
			}
			if at != last && !seen[at] && (st.Stage == table.Playing || name == "alone") {
				out = append(out, moment{f, fmt.Sprint(name, ", ", at), r})
			}
			last, seen[at] = at, true
		}
	}
	return out
}

// The reels leave nothing out, so that what is tried at every moment is tried
// everywhere.
func TestReelsGoEverywhere(t *testing.T) {
	stages, phases := map[table.Stage]bool{}, map[rules.Phase]bool{rules.Laying: true} // Laying comes of a leave
	for _, m := range moments(t) {
		st := m.state()
		stages[st.Stage] = true
		if st.Pos != nil {
			phases[st.Phase()] = true
		}
	}
	for s := table.Accepting; s <= table.Playing; s++ {
		if !stages[s] {
			t.Errorf("no reel goes through %s", s)
		}
	}
	for p := rules.Voting; p <= rules.Over; p++ {
		if !phases[p] {
			t.Errorf("no reel goes through %s", p)
		}
	}
}
