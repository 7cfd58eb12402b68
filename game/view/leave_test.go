package view_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"alibi/crypto/feed"
	"alibi/game/bot"
	"alibi/game/internal/parlour"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
	"alibi/game/view"
)

func carry(t testing.TB, p *parlour.Table, m feed.Motion) {
	t.Helper()
	if err := p.Carry(m); err != nil || p.State.Stopped() {
		t.Fatal(err, p.State.Faults)
	}
}

// A seat that leaves is shown as gone at once, is not waited for, and its hand is
// shown to all once it is laid; the words and what else is known stay.
func TestViewOfALeave(t *testing.T) {
	p := leavable(t, "view of a leave", "card", 4, 1, rules.DefaultOptions())
	if err := p.Until(func(st *table.State) bool { return inPlay(st) && st.Pos.Turns == 3 }); err != nil {
		t.Fatal(err)
	}
	gone := (p.State.Pos.Active + 1) % 4
	hand := p.Seats[gone].Hand(p.State)
	everybody := append(slices.Clone(p.Seats), nil)
	var before []*view.View
	for _, me := range everybody {
		before = append(before, view.For(p.State, me))
	}
	carry(t, p, feed.Without(gone))
	for k, me := range everybody {
		v := view.For(p.State, me)
		p := v.Players[gone]
		if !p.Gone || p.Owes || p.Hand != nil || p.Size != len(hand) || v.Phase != rules.Laying {
			t.Errorf("seat %d sees %+v, %s", v.Me, p, v.Phase)
		}
		if last := v.Lines[len(v.Lines)-1]; last.Kind != table.Left || last.Seat != gone || last.Cards != nil {
			t.Errorf("seat %d is told %+v", v.Me, last)
		}
		if v.Choices.Any() || !reflect.DeepEqual(v.Seen(), before[k].Seen()) {
			t.Errorf("seat %d may decide %+v, or knows something else", v.Me, v.Choices)
		}
	}
	for range 2 { // all speak on top of the leave, and then lay the hand open
		if more, err := p.Round(); err != nil || !more {
			t.Fatal(err)
		}
	}
	for k, me := range everybody {
		v := view.For(p.State, me)
		if got := v.Players[gone]; !slices.Equal(got.Hand, hand) || got.Size != len(hand) || got.Opened || !got.Gone {
			t.Errorf("seat %d sees %+v", v.Me, got)
		}
		if last := v.Lines[len(v.Lines)-1]; last.Kind != table.LaidOpen || last.Seat != gone || !slices.Equal(last.Cards, hand) {
			t.Errorf("seat %d is told %+v", v.Me, last)
		}
		if v.Words != before[k].Words || v.Turns != before[k].Turns || v.Active != before[k].Active {
			t.Errorf("seat %d: words %v, turn %d of %d", v.Me, v.Words, v.Turns, v.Active)
		}
		page := v.Seen()
		for c, row := range page {
			holds := slices.Contains(hand, rules.Card(c))
			if holds != (page.Holder(rules.Card(c)) == gone) {
				t.Errorf("seat %d: card %d at seat %d, %v", v.Me, c, gone, row)
			}
			for i, mark := range before[k].Seen()[c] { // nothing that was known is forgotten
				if mark != view.Unknown && row[i] != mark {
					t.Errorf("seat %d: card %d at seat %d was %d and is %d", v.Me, c, i, mark, row[i])
				}
			}
		}
	}
}

// Who leaves while the cards are dealt is told of, and so is the hand that lies open.
func TestViewOfALeaveFromTheDeal(t *testing.T) {
	p := leavable(t, "deal", "card", 4, 1, rules.DefaultOptions())
	if err := p.Until(func(st *table.State) bool { return st.Stage == table.Dealing }); err != nil {
		t.Fatal(err)
	}
	carry(t, p, feed.Without(2))
	for range 2 { // all check once more, and deal
		if more, err := p.Round(); err != nil || !more {
			t.Fatal(err)
		}
	}
	laid := p.State.Laid[2]
	for _, me := range append(slices.Clone(p.Seats), nil) {
		v := view.For(p.State, me)
		if got := v.Players[2]; len(laid) != 2 || !slices.Equal(got.Hand, laid) || got.Size != 2 || !got.Gone {
			t.Errorf("seat %d sees %+v, laid are %v", v.Me, got, laid)
		}
		told := slices.ContainsFunc(v.Lines, func(l view.Line) bool {
			return l.Kind == table.LaidOpen && l.Seat == 2 && slices.Equal(l.Cards, laid)
		})
		if !told {
			t.Errorf("seat %d is not told", v.Me)
		}
	}
}

// An abandoned game has ended without a winner, and nobody is waited for.
func TestViewOfAnAbandonedGame(t *testing.T) {
	p := leavable(t, "abandoned", "card", 3, 1, rules.DefaultOptions())
	if err := p.Until(inPlay); err != nil {
		t.Fatal(err)
	}
	words := view.For(p.State, nil).Words
	carry(t, p, feed.Motion{Without: 1 << 1, Abandon: true})
	for _, me := range append(slices.Clone(p.Seats), nil) {
		v := view.For(p.State, me)
		if v.Phase != rules.Over || v.Result == nil || *v.Result != (rules.Result{Winner: rules.Nobody, Reason: rules.Abandoned}) || v.Choices.Any() || v.Crime != nil {
			t.Errorf("seat %d: %s, %+v", v.Me, v.Phase, v.Result)
		}
		for i, player := range v.Players {
			if player.Owes || player.Gone != (i == 1) || player.Hand != nil {
				t.Errorf("seat %d sees %+v", v.Me, player)
			}
		}
		if last := v.Lines[len(v.Lines)-1]; last.Kind != table.Stopped || v.Words != words {
			t.Errorf("seat %d is told %+v", v.Me, last)
		}
	}
}

// leavingTwins are two tables like twins, that two may leave.
func leavingTwins(t *testing.T, seed string) twins {
	t.Helper()
	return twins{leavable(t, seed, "card", 4, 2, rules.DefaultOptions()), leavable(t, seed, "card", 4, 2, rules.DefaultOptions())}
}

func (w twins) leave(t *testing.T, seats ...int) {
	t.Helper()
	for _, p := range w {
		carry(t, p, feed.Without(seats...))
	}
}

// Which of two cards was shown stays between the two, although the hand it was
// shown from lies open later, and although the asker's does.
func TestViewOfAChoiceOfCardsAfterALeave(t *testing.T) {
	for name, leaves := range map[string]int{"who showed": 1, "who was shown": 0} {
		t.Run(name, func(t *testing.T) {
			w := leavingTwins(t, "choice")
			w.until(t, inPlay, func(_, i int) seat.Action { return nil })
			asker := w[0].State.Pos.Active
			responder := (asker + 1) % 4
			hand := w[0].Seats[responder].Hand(w[0].State)
			decide := func(twin, i int) seat.Action {
				if w[twin].State.Phase() == rules.Turn {
					return seat.Ask{Cards: hand}
				}
				return answers(w[twin], i, twin == 1 && i == responder && w[twin].State.Pos.Turns == 1)
			}
			w.round(t, decide)
			w.round(t, decide)
			w.differ(t, asker)
			gone := (asker + leaves) % 4
			others := slices.DeleteFunc([]int{0, 1, 2, 3}, func(i int) bool { return i == asker })
			w.leave(t, gone)
			for range 8 {
				w.alike(t, others...)
				w.round(t, decide)
			}
			w.differ(t, asker)
		})
	}
}

// A choice that was sealed by somebody who left before it was opened is never seen.
func TestViewOfASealedChoiceOfWhoLeft(t *testing.T) {
	w := leavingTwins(t, "sealed")
	w.until(t, inPlay, func(_, i int) seat.Action { return nil })
	accuser := w[0].State.Pos.Active
	joiner := (accuser + 1) % 4
	decide := func(twin, i int) seat.Action {
		switch phase := w[twin].State.Phase(); {
		case phase == rules.Turn:
			return seat.Accuse{}
		case phase == rules.Sealing && i == joiner && twin == 1:
			return seat.Join{}
		case phase == rules.Sealing:
			return seat.Pass{}
		}
		return bot.Bot{}.Decide(view.For(w[twin].State, w[twin].Seats[i]))
	}
	w.round(t, decide)
	w.round(t, decide)
	w.leave(t, joiner)
	for w[0].State.Phase() != rules.Over {
		w.alike(t, 0, 1, 2, 3)
		w.round(t, decide)
	}
	w.alike(t, 0, 1, 2, 3)
}

// What a lone accuser had guessed and seen nobody else learns when they leave
// before the verdict.
func TestViewOfALoneAccuserWhoLeft(t *testing.T) {
	w := leavingTwins(t, "alone")
	w.until(t, inPlay, func(_, i int) seat.Action { return nil })
	accuser := w[0].State.Pos.Active
	others := slices.DeleteFunc([]int{0, 1, 2, 3}, func(i int) bool { return i == accuser })
	wrong := []rules.Card{0, 6, 9}
	decide := func(twin, i int) seat.Action {
		p := w[twin]
		switch p.State.Phase() {
		case rules.Turn:
			if p.State.Gone[accuser] {
				return seat.Ask{Cards: []rules.Card{1, 7}}
			}
			return seat.Accuse{}
		case rules.Sealing:
			return seat.Pass{}
		case rules.Guessing:
			of := slices.Clone(wrong)
			of[0] += rules.Card(twin)
			return seat.Guess{Cards: of}
		}
		return answers(p, i, false)
	}
	w.until(t, func(st *table.State) bool { return st.Phase() == rules.Judging }, decide)
	if !slices.Equal(view.For(w[0].State, w[0].Seats[accuser]).Crime, solution(t, w[0])) {
		t.Fatal("the accuser has not seen the crime")
	}
	w.leave(t, accuser)
	for range 10 {
		w.alike(t, others...)
		for _, i := range others {
			if v := view.For(w[0].State, w[0].Seats[i]); v.Crime != nil {
				t.Errorf("seat %d sees the crime: %v", i, v.Crime)
			}
		}
		w.round(t, decide)
	}
}

// The notebook, and what a bot makes of it, stay true whoever leaves: a bot that
// plays on solves the case with the hands that lie open.
func TestBotsPlayOnAfterLeaves(t *testing.T) {
	for i := range 4 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			p := leavable(t, fmt.Sprint("play on ", i), "card", 5, 3, rules.DefaultOptions())
			if err := p.Until(func(st *table.State) bool { return inPlay(st) && st.Pos.Turns > 1 }); err != nil {
				t.Fatal(err)
			}
			first := p.State.Present()[i]
			carry(t, p, feed.Without(first))
			if more, err := p.Round(); err != nil || !more {
				t.Fatal(err)
			}
			for _, me := range p.Seats {
				if me.Index() == first {
					continue
				}
				k := bot.Solve(view.For(p.State, me))
				for _, c := range p.State.Laid[first] {
					if slices.Contains(k.Unplaced(), c) {
						t.Errorf("seat %d does not know where card %d lies", me.Index(), c)
					}
				}
			}
			crime := secretly(t, p)
			carry(t, p, feed.Without(p.State.Present()[1], p.State.Present()[2]))
			for {
				for _, s := range p.State.Present() {
					k := bot.Solve(view.For(p.State, p.Seats[s]))
					if s := k.Solution(); s != nil && !slices.Equal(s, crime) {
						t.Fatalf("solved as %v, the crime is %v", s, crime)
					}
				}
				more, err := p.Round()
				if err != nil || p.State.Stopped() {
					t.Fatal(err, p.State.Faults)
				}
				if !more {
					break
				}
			}
			if r := p.State.Pos.Result; r.Reason != rules.RightAlone && r.Reason != rules.RightFirst {
				t.Errorf("bots that know ended with %+v", r)
			}
		})
	}
}

// secretly is the crime, which all lock keys that were dealt from decrypt.
func secretly(t testing.TB, p *parlour.Table) []rules.Card {
	t.Helper()
	if len(p.State.Dealers) != len(p.Seats) {
		t.Fatal("somebody left before the keys were shared")
	}
	return solution(t, p)
}
