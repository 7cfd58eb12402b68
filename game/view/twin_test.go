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

// twins are two tables from one seed that play the same rounds, but for what a
// player decides in secret.
type twins [2]*parlour.Table

func newTwins(t *testing.T, seed string) twins {
	t.Helper()
	return twins{newTable(t, seed, "card", 3, rules.DefaultOptions()), newTable(t, seed, "card", 3, rules.DefaultOptions())}
}

// round plays one round at both; decide is told which of them it plays for.
func (w twins) round(t *testing.T, decide func(twin, i int) seat.Action) {
	t.Helper()
	for twin, p := range w {
		if _, err := p.RoundWith(func(i int) seat.Action { return decide(twin, i) }); err != nil || p.State.Stopped() {
			t.Fatal(err, p.State.Faults)
		}
	}
}

// until plays both to where the condition holds of the first.
func (w twins) until(t *testing.T, done func(*table.State) bool, decide func(twin, i int) seat.Action) {
	t.Helper()
	for !done(w[0].State) {
		w.round(t, decide)
	}
}

// alike demands that the views of seats, and of a spectator, are equal.
func (w twins) alike(t *testing.T, seats ...int) {
	t.Helper()
	if !reflect.DeepEqual(view.For(w[0].State, nil), view.For(w[1].State, nil)) {
		t.Errorf("round %d: a spectator sees the difference", w[0].State.Round)
	}
	for _, i := range seats {
		a, b := view.For(w[0].State, w[0].Seats[i]), view.For(w[1].State, w[1].Seats[i])
		if !reflect.DeepEqual(a, b) {
			t.Errorf("round %d: seat %d sees the difference", w[0].State.Round, i)
		}
	}
}

// differ demands that seat i sees the difference: the twins are not one game.
func (w twins) differ(t *testing.T, i int) {
	t.Helper()
	if reflect.DeepEqual(view.For(w[0].State, w[0].Seats[i]), view.For(w[1].State, w[1].Seats[i])) {
		t.Errorf("round %d: seat %d sees no difference", w[0].State.Round, i)
	}
}

// answers says the truth, and shows the first card asked about that is held, or
// the last one.
func answers(p *parlour.Table, i int, last bool) seat.Action {
	c := view.For(p.State, p.Seats[i]).Choices
	may := c.Show
	switch {
	case !c.Answer:
		return nil
	case len(may) == 0:
		return seat.Deny{}
	case last:
		return seat.Show{Card: may[len(may)-1]}
	}
	return seat.Show{Card: may[0]}
}

// Which of two matching cards was shown is seen by the asker alone, from then
// on to the end of the questions.
func TestViewOfAChoiceOfCards(t *testing.T) {
	w := newTwins(t, "choice")
	w.until(t, inPlay, func(_, i int) seat.Action { return nil })
	asker := w[0].State.Pos.Active
	responder, bystander := (asker+1)%3, (asker+2)%3
	hand := w[0].Seats[responder].Hand(w[0].State)
	decide := func(question []rules.Card) func(twin, i int) seat.Action {
		return func(twin, i int) seat.Action {
			if w[twin].State.Phase() == rules.Turn {
				return seat.Ask{Cards: question}
			}
			return answers(w[twin], i, twin == 1 && i == responder)
		}
	}
	w.round(t, decide(hand[:2]))
	w.alike(t, 0, 1, 2)
	w.round(t, decide(nil))
	w.differ(t, asker)
	w.alike(t, responder, bystander)
	for _, question := range [][]rules.Card{{0, 6}, {1, 7}, {2, 8}, {hand[0], hand[1]}} {
		w.until(t, func(st *table.State) bool { return st.Phase() == rules.Turn }, decide(question))
		w.round(t, decide(question))
		w.alike(t, responder, bystander)
	}
}

// Whether somebody joins is not seen before all have said so.
func TestViewOfASealedChoice(t *testing.T) {
	w := newTwins(t, "sealed")
	w.until(t, inPlay, func(_, i int) seat.Action { return nil })
	accuser := w[0].State.Pos.Active
	joiner := (accuser + 1) % 3
	decide := func(twin, i int) seat.Action {
		switch phase := w[twin].State.Phase(); {
		case phase == rules.Turn:
			return seat.Accuse{}
		case phase == rules.Sealing && i == joiner && twin == 1:
			return seat.Join{}
		case phase == rules.Sealing:
			return seat.Pass{}
		}
		return nil
	}
	w.round(t, decide)
	w.round(t, decide)
	w.alike(t, 0, 1, 2)
	w.round(t, decide)
	for i := range 3 {
		w.differ(t, i)
	}
}

// What a lone accuser guessed, and the Crime cards they saw, nobody else sees;
// a wrong guess not even afterwards, however it was wrong.
func TestViewOfALoneAccusation(t *testing.T) {
	w := newTwins(t, "alone")
	w.until(t, inPlay, func(_, i int) seat.Action { return nil })
	accuser := w[0].State.Pos.Active
	others := []int{(accuser + 1) % 3, (accuser + 2) % 3}
	crime := solution(t, w[0])
	decide := func(twin, i int) seat.Action {
		switch w[twin].State.Phase() {
		case rules.Turn:
			return seat.Accuse{}
		case rules.Sealing:
			return seat.Pass{}
		case rules.Guessing:
			guess := slices.Clone(crime) // wrong in one place at this table, in all at that
			for c := range guess {
				if c == 0 || twin == 1 {
					of := w[twin].State.Edition.Of(rules.Category(c))
					guess[c] = of[(slices.Index(of, guess[c])+1)%len(of)]
				}
			}
			return seat.Guess{Cards: guess}
		}
		return nil
	}
	for w[0].State.Pos.Turns == 1 {
		w.round(t, decide)
		w.alike(t, others...)
	}
	for _, p := range w {
		for _, i := range others {
			if v := view.For(p.State, p.Seats[i]); v.Crime != nil {
				t.Errorf("seat %d sees the crime: %v", i, v.Crime)
			}
		}
		if v := view.For(p.State, p.Seats[accuser]); !slices.Equal(v.Crime, crime) {
			t.Errorf("the accuser sees %v", v.Crime)
		}
	}
}
