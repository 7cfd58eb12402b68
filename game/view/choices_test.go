package view_test

import (
	"reflect"
	"slices"
	"testing"

	"alibi/game/internal/parlour"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
	"alibi/game/view"
)

// What a view offers is what the seat can do, and nothing that it offers is
// refused: in every round of whole games.
func TestChoicesAreWhatTheSeatCanDo(t *testing.T) {
	eachGame(t, func(t *testing.T, g game) {
		everyView(t, g, func(p *parlour.Table, me *seat.Seat) {
			if me == nil {
				return
			}
			v := view.For(p.State, me)
			_, decide := me.Due(p.State)
			if v.Choices.Any() != decide {
				t.Fatalf("%s: seat %d may choose %+v, has to decide %v", v.Phase, v.Me, v.Choices, decide)
			}
			if !reflect.DeepEqual(v.Choices, view.Choices{}) != decide {
				t.Fatalf("%s: Any says %v of %+v", v.Phase, v.Choices.Any(), v.Choices)
			}
			for _, a := range offered(v) {
				if _, err := me.Answer(p.State, a); err != nil {
					t.Fatalf("%s: seat %d is offered %T %+v and refused: %v", v.Phase, v.Me, a, a, err)
				}
			}
			for _, a := range refused(v) {
				if m, err := me.Answer(p.State, a); err == nil {
					t.Fatalf("%s: seat %d is not offered %T %+v and says %v", v.Phase, v.Me, a, a, m)
				}
			}
		})
	})
}

// offered lists the actions that choices allow, one of each kind.
func offered(v *view.View) (out []seat.Action) {
	c := v.Choices
	if c.Turn {
		out = append(out, seat.Accuse{}, seat.Ask{Cards: []rules.Card{0, 1}})
	}
	if c.Answer && len(c.Show) == 0 {
		out = append(out, seat.Deny{})
	}
	for _, card := range c.Show {
		out = append(out, seat.Show{Card: card})
	}
	if c.Join {
		out = append(out, seat.Join{}, seat.Pass{})
	}
	if c.Guess {
		out = append(out, seat.Guess{Cards: []rules.Card{0, 6, v.Edition.Of(rules.Location)[0]}})
	}
	if c.Vote {
		last := len(v.Players) - 1
		for v.Players[last].Gone {
			last--
		}
		out = append(out, seat.Vote{For: last})
	}
	if len(c.Propose) > 0 {
		out = append(out, seat.Propose{Seats: c.Propose})
	}
	if c.Leave {
		out = append(out, seat.Leave{}, seat.Leave{Open: true})
	}
	return out
}

// refused lists actions that choices do not allow.
func refused(v *view.View) (out []seat.Action) {
	c := v.Choices
	if !c.Turn {
		out = append(out, seat.Accuse{}, seat.Ask{Cards: []rules.Card{0, 1}})
	}
	if !c.Answer || len(c.Show) > 0 {
		out = append(out, seat.Deny{})
	}
	for card := range v.Edition.Cards {
		if !slices.Contains(c.Show, rules.Card(card)) {
			out = append(out, seat.Show{Card: rules.Card(card)})
		}
	}
	if !c.Join {
		out = append(out, seat.Join{}, seat.Pass{})
	}
	if !c.Guess {
		out = append(out, seat.Guess{Cards: []rules.Card{0, 6, 9}})
	}
	if !c.Vote {
		out = append(out, seat.Vote{})
	}
	if len(c.Propose) == 0 {
		out = append(out, seat.Propose{Seats: []int{0, 1}})
	}
	if !c.Leave {
		out = append(out, seat.Leave{}, seat.Leave{Open: true})
	}
	return out
}

// What everybody sees alike, held against the state, in every round.
func TestViewSaysWhatIsPublic(t *testing.T) {
	eachGame(t, func(t *testing.T, g game) {
		everyView(t, g, func(p *parlour.Table, me *seat.Seat) {
			st, v := p.State, view.For(p.State, me)
			if v.Round != st.Round || v.Stage != st.Stage || v.Table != st.Charter.Name || v.Edition != st.Edition || v.Options != st.Options ||
				v.Proofs != st.Proofs.Total() || len(v.Lines) != len(st.Story) || len(v.Players) != st.Seats() {
				t.Fatalf("round %d: %+v", st.Round, v)
			}
			if named := v.Words != [4]string{}; named != (st.Stage >= table.Sharing) {
				t.Fatalf("%s: words %v", st.Stage, v.Words)
			}
			for i, player := range v.Players {
				if player.Name != st.Charter.Seats[i].Name || player.Owes != slices.Contains(st.Speakers(), i) || player.Opened != (st.Opened[i] != nil) {
					t.Fatalf("round %d: %+v", st.Round, player)
				}
				if player.Gone != st.Gone[i] || player.Gone && player.Owes {
					t.Fatalf("round %d: seat %d, gone %v: %+v", st.Round, i, st.Gone[i], player)
				}
				open := player.Opened || st.Laid[i] != nil
				if open && !slices.Equal(player.Hand, held(p, i)) || !open && player.Hand != nil {
					t.Fatalf("round %d: seat %d holds %v", st.Round, i, player.Hand)
				}
			}
			if st.Pos == nil {
				if v.Active != -1 || v.Hand != nil || v.Question != nil || v.Result != nil || v.Accusers != nil {
					t.Fatalf("%s: %+v", st.Stage, v)
				}
				return
			}
			for i, player := range v.Players {
				if player.Out != st.Pos.Out[i] || player.Size != len(held(p, i)) {
					t.Fatalf("round %d: %+v", st.Round, player)
				}
			}
			active := st.Pos.Active
			if st.Pos.Phase == rules.Voting {
				active = -1 // nobody's turn yet
			}
			if v.Active != active || v.Turns != st.Pos.Turns || !reflect.DeepEqual(v.Result, st.Pos.Result) || !reflect.DeepEqual(v.Question, st.Pos.Question) {
				t.Fatalf("round %d: %+v", st.Round, v)
			}
			if me != nil && !slices.Equal(v.Hand, me.Hand(st)) {
				t.Fatalf("round %d: hand %v", st.Round, v.Hand)
			}
		})
	})
}

// A fault that stops the game is in every view, and nothing is left to decide.
func TestViewOfAStoppedGame(t *testing.T) {
	p := newTable(t, "stopped", "card", 3, rules.DefaultOptions())
	if err := p.Until(inPlay); err != nil {
		t.Fatal(err)
	}
	fault := table.Fault{Seat: 2, Round: 9, Rule: table.RuleFork}
	st := p.State.Stop(fault)
	for _, me := range append(slices.Clone(p.Seats), nil) {
		v := view.For(st, me)
		if !slices.Equal(v.Faults, []table.Fault{fault}) || v.Choices.Any() {
			t.Errorf("seat %d: %v %+v", v.Me, v.Faults, v.Choices)
		}
		for _, player := range v.Players {
			if player.Owes {
				t.Errorf("seat %d: somebody is waited for", v.Me)
			}
		}
	}
}
