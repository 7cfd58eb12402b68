package table_test

import (
	"slices"
	"testing"

	"alibi/crypto/feed"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
)

func accuser(p *rules.Position) int { return p.Accusation.Accuser }

// after is the k-th seat to the left of another at a table of four.
func after(seat, k int) int { return (seat + k) % 4 }

// What a leave means depends on who leaves: each part that a player can have in a
// turn, a question or an accusation, with what must be so once hands are laid.
func TestLeaveByRole(t *testing.T) {
	void := func(t *testing.T, before, now *rules.Position) {
		if now.Phase != rules.Turn || now.Accusation != nil || now.Question != nil || now.Result != nil {
			t.Errorf("it is %s, %+v", now.Phase, now.Accusation)
		}
		if !slices.Equal(now.Out, before.Out) || now.Active != after(before.Active, 1) {
			t.Errorf("seat %d is next, out are %v", now.Active, now.Out)
		}
	}
	again := func(t *testing.T, before, now *rules.Position) {
		if now.Phase != before.Phase || now.Active != before.Active || now.Turns != before.Turns || now.Result != before.Result {
			t.Errorf("it is %s of seat %d", now.Phase, now.Active)
		}
		if before.Accusation != nil && (accuser(now) != accuser(before) || now.Accusation.Alone() != before.Accusation.Alone()) {
			t.Errorf("accusing is %+v", now.Accusation)
		}
	}
	dropped := func(t *testing.T, before, now *rules.Position) {
		again(t, before, now)
		if len(now.Accusation.Order) != 3 || now.Accusation.Turn != before.Accusation.Turn {
			t.Errorf("accusers are %v", now.Accusation.Order)
		}
	}
	inherited := func(t *testing.T, before, now *rules.Position) {
		order := slices.DeleteFunc(slices.Clone(before.Accusation.Order), func(i int) bool { return i == accuser(before) })
		if now.Phase != before.Phase || accuser(now) != order[0] || now.Active != order[0] || !slices.Equal(now.Accusation.Order, order) {
			t.Errorf("it is %s, accusing %+v", now.Phase, now.Accusation)
		}
	}
	whole := func(p *rules.Position) int { return accuser(p) }
	left := func(k int) func(p *rules.Position) int {
		return func(p *rules.Position) int { return after(p.Active, k) }
	}
	for name, tt := range map[string]struct {
		reel string
		at   rules.Phase
		who  func(p *rules.Position) int
		want func(t *testing.T, before, now *rules.Position)
	}{
		"whose turn it is": {"alone", rules.Turn, left(0), void},
		"another":          {"alone", rules.Turn, left(2), again},
		"the asker":        {"alone", rules.Answering, left(0), void},
		"the responder": {"alone", rules.Answering, left(1), func(t *testing.T, before, now *rules.Position) {
			again(t, before, now)
			if before.Question.Responder != after(before.Active, 1) || now.Question.Responder != after(before.Active, 2) {
				t.Errorf("seat %d is asked", now.Question.Responder)
			}
		}},
		"who would be asked next":      {"alone", rules.Answering, left(2), again},
		"the accuser, sealing":         {"alone", rules.Sealing, left(0), void},
		"another, sealing":             {"alone", rules.Sealing, left(1), again},
		"the accuser, unsealing":       {"joined", rules.Unsealing, left(0), void},
		"one who joined, unsealing":    {"joined", rules.Unsealing, left(1), again},
		"the accuser, guessing alone":  {"alone", rules.Guessing, whole, void},
		"another, guessing alone":      {"alone", rules.Guessing, left(1), again},
		"the accuser, confirming":      {"alone", rules.Confirming, whole, void},
		"another, confirming":          {"alone", rules.Confirming, left(2), again},
		"the accuser, peeking":         {"alone", rules.Peeking, whole, void},
		"another, peeking":             {"alone", rules.Peeking, left(3), again},
		"the accuser, judging":         {"alone", rules.Judging, whole, void},
		"another, judging":             {"alone", rules.Judging, left(1), again},
		"the accuser, casting":         {"joined", rules.Casting, whole, inherited},
		"one who joined, casting":      {"joined", rules.Casting, left(2), dropped},
		"the accuser, ordering":        {"agreed", rules.Ordering, whole, inherited},
		"one who joined, ordering":     {"agreed", rules.Ordering, left(3), dropped},
		"the accuser, all guessing":    {"agreed", rules.Guessing, whole, inherited},
		"one who joined, all guessing": {"joined", rules.Guessing, left(1), dropped},
		"the accuser, disclosing":      {"agreed", rules.Disclosing, whole, inherited},
		"one who joined, disclosing":   {"joined", rules.Disclosing, left(1), dropped},
		"anybody, voting":              {"agreed", rules.Voting, left(1), again},
		"the drawn seat, voting": {"agreed", rules.Voting, left(0), func(t *testing.T, before, now *rules.Position) {
			if now.Phase != rules.Voting || now.Active != after(before.Active, 1) {
				t.Errorf("it is %s, drawn is %d", now.Phase, now.Active)
			}
		}},
		"whoever, after the last words": {"alone", rules.Farewell, left(1), again},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := reel(t, tt.reel)
			s := f.cut(t, f.first(t, phase(tt.at)), shortly(t))
			before := s.State
			s.leave(t, tt.who(before.Pos))
			for s.State.Phase() == rules.Laying {
				s.step(t)
			}
			tt.want(t, before.Pos, s.State.Pos)
			s.endsRight(t)
		})
	}
}

// Of several who accused, all fixed and opened, whoever leaves while the Crime
// cards are turned over cannot win; who comes next and is right does.
func TestWinnerToBeLeaves(t *testing.T) {
	f := reel(t, "agreed")
	r := f.first(t, phase(rules.Revealing))
	order := f.states[r].Pos.Accusation.Order
	for k, want := range map[int]int{0: order[1], 1: order[2], 2: order[1], 3: order[1]} {
		s := f.cut(t, r, nil)
		s.leave(t, order[k])
		s.endsRight(t)
		if got := *s.State.Pos.Result; got != (rules.Result{Winner: want, Reason: rules.RightFirst}) {
			t.Errorf("accuser %d of %v left: %+v", k, order, got)
		}
	}
	s := f.cut(t, r, nil)
	s.leave(t, order[1])
	s.leave(t, order[2])
	s.endsRight(t)
	if got := s.State.Pos.Result.Winner; got != order[3] {
		t.Errorf("seat %d has won", got)
	}
}

// Who has proven right has won, and leaving later changes nothing.
func TestWinnerLeavesAfterTheResult(t *testing.T) {
	f := reel(t, "alone")
	for _, p := range []rules.Phase{rules.Revealing, rules.Farewell} {
		s := f.cut(t, f.first(t, phase(p)), nil)
		won := *s.State.Pos.Result
		s.leave(t, won.Winner)
		s.endsRight(t)
		if got := *s.State.Pos.Result; got != won || won.Reason != rules.RightAlone || s.State.Laid[won.Winner] != nil {
			t.Errorf("%s: %+v, laid %v", p, got, s.State.Laid[won.Winner])
		}
		if s.State.Opened[won.Winner] != nil {
			t.Errorf("%s: who has left opened a key", p)
		}
	}
}

// The last one still in wins at once, or plays on, when the only other leaves; who
// is out already leaves a game that goes on as it was, and hands that lie open.
func TestLastOthersLeave(t *testing.T) {
	o := rules.DefaultOptions()
	wrongly := func(s *scene, i int) seat.Action {
		if a := shortly(t)(s, i); a != nil {
			if _, guesses := a.(seat.Guess); guesses {
				return seat.Guess{Cards: s.wrong(t, 0)}
			}
			return a
		}
		return nil
	}
	for _, last := range []string{"wins", "plays-on"} {
		o.Last = last
		f := shot(t, "last others", "card", 3, 1, o, wrongly)
		r := f.first(t, func(st *table.State) bool { return st.Pos != nil && st.Pos.Turns == 2 && st.Pos.Phase == rules.Turn })
		out := slices.Index(f.states[r].Pos.Out, true)
		active := f.states[r].Pos.Active
		other := 3 - out - active

		s := f.cut(t, r, shortly(t))
		s.leave(t, other)
		if want := s.State.Phase() == rules.Revealing; want != (last == "wins") {
			t.Fatalf("%s: it is %s", last, s.State.Phase())
		}
		s.endsRight(t)
		want := rules.Result{Winner: active, Reason: rules.LastLeft}
		if last == "plays-on" {
			want.Reason = rules.RightAlone
		}
		if got := *s.State.Pos.Result; got != want {
			t.Errorf("%s: %+v", last, got)
		}

		s = f.cut(t, r, shortly(t))
		s.leave(t, out)
		if s.State.Phase() != rules.Laying || s.State.Pos.After != rules.Turn || s.State.Pos.Active != active {
			t.Errorf("%s: who is out left, it is %s", last, s.State.Phase())
		}
		s.endsRight(t)
		if s.State.Laid[out] == nil || s.State.Pos.Result.Winner != active {
			t.Errorf("%s: laid %v, %+v", last, s.State.Laid[out], *s.State.Pos.Result)
		}
	}
}

// An entry of somebody who has left is none: neither what it said before in the
// round that is done again, nor anything it signs for the next.
func TestWhoHasLeftIsNotHeard(t *testing.T) {
	f := reel(t, "alone")
	s := f.cut(t, f.first(t, stage(table.Sharing)), nil)
	kind, body := encoded(t, s.honest(t, 3))
	old := s.sealed(t, 3, kind, body)
	s.leave(t, 3)
	round := s.round(t, nil)
	late := s.sealed(t, 3, kind, body)
	for name, entries := range map[string][]*feed.Signed{
		"late": append(slices.Clone(round), late), "old": append(slices.Clone(round), old),
		"in another's place": append(slices.Clone(round[:2]), late),
	} {
		if got := table.Apply(s.State, entries); got != s.State {
			t.Errorf("%s: folded, %v", name, got.Faults)
		}
	}
	if v, err := s.Log.Offer(old); v != feed.Stale || err != nil {
		t.Errorf("what it said before: %v %v", v, err)
	}
	if _, err := s.Log.Offer(late); err == nil {
		t.Error("what it says after is taken")
	}
	if m, err := s.Seats[3].Answer(s.State, nil); err == nil {
		t.Errorf("its own program answers %v", m)
	}
	s.goesOn(t, round)
}

// The opener, who was to say who begins, leaves: the drawn seat begins, and all are
// told.
func TestOpenerLeaves(t *testing.T) {
	o := rules.DefaultOptions()
	o.First = "opener"
	s := leavingScene(t, "opener", "card", 3, 1, o, shortly(t))
	s.until(t, phase(rules.Voting))
	s.from = s.State
	drawn := s.State.Pos.Active
	s.leave(t, 0)
	s.laid(t)
	if drawn == 0 {
		drawn = 1
	}
	if s.State.Phase() != rules.Turn || s.State.Pos.Active != drawn {
		t.Errorf("it is %s of seat %d", s.State.Phase(), s.State.Pos.Active)
	}
	s.endsRight(t)
	began := slices.DeleteFunc(slices.Clone(s.State.Story), func(e table.Event) bool { return e.Kind != table.Began })
	if len(began) != 1 || began[0].Seat != drawn {
		t.Errorf("told of the beginning: %v", began)
	}
}
