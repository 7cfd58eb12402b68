package seat_test

import (
	"fmt"
	"slices"
	"testing"

	"alibi/crypto/feed"
	"alibi/game/internal/parlour"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
)

// measure is what a bystander can measure of an entry: its length, and (beside
// it on the same computer) how much randomness was drawn for it.
type measure struct{ bytes, drawn int }

func measured(t *testing.T, p *parlour.Table, st *table.State, i int, want seat.Action) (measure, move.Move) {
	t.Helper()
	s, source := again(p, i)
	m, err := s.Answer(st, want)
	if err != nil {
		t.Fatal(err)
	}
	return measure{len(body(t, m)), source.n}, m
}

// only demands that all measures of one kind are one.
func only(t *testing.T, what string, seen map[measure]int) {
	t.Helper()
	if len(seen) != 1 {
		t.Errorf("%s can be told apart: %v", what, seen)
	}
	for m, n := range seen {
		t.Logf("%s: %d times %d bytes, %d drawn", what, n, m.bytes, m.drawn)
	}
}

// An answer is as long whichever card it shows, whether there was a choice, and
// whichever cards were asked about: here for every question, every responder
// and every card that could be shown.
func TestAnswersAreOfOneSize(t *testing.T) {
	for _, c := range []struct {
		edition string
		seats   int
	}{{"card", 3}, {"card-advanced", 4}} {
		t.Run(fmt.Sprint(c.edition, c.seats), func(t *testing.T) {
			p := dealt(t, "sizes", c.edition, c.seats)
			e := p.State.Edition
			shows, denials, choices := map[measure]int{}, map[measure]int{}, 0
			for a := range e.Cards {
				for b := range e.Cards {
					if a == b || testing.Short() && a > 3 {
						continue
					}
					responder := (a*31 + b) % c.seats
					st := asked(p.State, (responder+1)%c.seats, responder, rules.Card(a), rules.Card(b))
					hand := p.Seats[responder].Hand(st)
					held := 0
					for _, card := range st.Pos.Question.Cards {
						if slices.Contains(hand, card) {
							m, _ := measured(t, p, st, responder, seat.Show{Card: card})
							shows[m]++
							held++
						}
					}
					switch held {
					case 0:
						m, _ := measured(t, p, st, responder, seat.Deny{})
						denials[m]++
					case 2:
						choices++
					}
				}
			}
			only(t, "a show", shows)
			only(t, "a no", denials)
			if choices == 0 {
				t.Error("nobody had a choice")
			}
		})
	}
}

func TestGuessesAreOfOneSize(t *testing.T) {
	for _, edition := range []string{"card", "card-advanced"} {
		p := dealt(t, "sizes", edition, 3)
		guesses, openings := map[measure]int{}, map[measure]int{}
		for k, cards := range solutions(p.State.Edition) {
			i := k % 3
			st := accused(p.State, i, rules.Guessing)
			m, made := measured(t, p, st, i, seat.Guess{Cards: cards})
			guesses[m]++
			after := fixed(t, p, st, i, made)
			m, _ = measured(t, p, after, i, nil)
			openings[m]++
		}
		only(t, edition+", a guess", guesses)
		only(t, edition+", a disclosure", openings)
	}
}

// fixed is the state in which seat i has fixed a guess and opens it.
func fixed(t *testing.T, p *parlour.Table, st *table.State, i int, m move.Move) *table.State {
	t.Helper()
	s, err := p.Seal(i, m)
	if err != nil {
		t.Fatal(err)
	}
	after := table.Apply(st, []*feed.Signed{s})
	if after.Stopped() {
		t.Fatal(after.Faults)
	}
	after.Pos.Phase = rules.Disclosing
	return after
}

// Joining and passing, sealed and opened; accusing and asking are public.
func TestJoiningAndPassingAreOfOneSize(t *testing.T) {
	p := dealt(t, "sizes", "card", 3)
	seals, opened := map[measure]int{}, map[measure]int{}
	for i := range 3 {
		for _, a := range []seat.Action{seat.Join{}, seat.Pass{}} {
			st := accused(p.State, (i+1)%3, rules.Sealing)
			m, made := measured(t, p, st, i, a)
			seals[m]++
			after := *accused(p.State, (i+1)%3, rules.Unsealing)
			after.Sealed, after.Under, after.Seals = st.Round, st.Game, slices.Clone(st.Seals)
			after.Round++
			after.Seals[i] = made.(*move.Seal).Commitment
			m, un := measured(t, p, &after, i, nil)
			opened[m]++
			if _, join := a.(seat.Join); un.(*move.Unseal).Join != join {
				t.Errorf("%T was opened as join = %v", a, !join)
			}
		}
	}
	only(t, "a seal", seals)
	only(t, "an opened seal", opened)
}

// A wrong verdict is as long wherever the guess is wrong, and in how many places.
func TestWrongVerdictsAreOfOneSize(t *testing.T) {
	p := dealt(t, "sizes", "card", 3)
	crime := solved(t, p)
	wrong := map[measure]int{}
	for k, cards := range solutions(p.State.Edition) {
		if slices.Equal(cards, crime) {
			continue
		}
		if k%3 != 0 && testing.Short() {
			continue
		}
		st := accused(p.State, 0, rules.Guessing)
		_, made := measured(t, p, st, 0, seat.Guess{Cards: cards})
		after := fixed(t, p, st, 0, made)
		after.Peeked[0] = under(t, after, 0, crime)
		after.Pos.Phase = rules.Judging
		m, v := measured(t, p, after, 0, nil)
		if v.(*move.Verdict).Right {
			t.Fatalf("%v is called right, the crime is %v", cards, crime)
		}
		wrong[m]++
	}
	only(t, "a wrong verdict", wrong)
}
