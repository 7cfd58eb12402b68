package table_test

import (
	"fmt"
	"slices"
	"testing"

	"alibi/crypto/deck"
	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/game/internal/parlour"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/table"
)

// question is a scene at an answer, with the responder's secrets at hand.
type question struct {
	*scene
	responder, asker, third int
	y                       *group.Scalar
	hand                    []elgamal.Ciphertext
	asked                   []*group.Element
	ctxDeny, ctxShow        []byte
}

// questioned lets the first player ask what cards says, given the hands of the
// responder and of the third player, and the Crime cards, which nobody holds.
func questioned(t testing.TB, seed string, cards func(hand, third, crime []rules.Card) []rules.Card) *question {
	t.Helper()
	s := newScene(t, seed, "card", 3, rules.DefaultOptions())
	s.until(t, phase(rules.Turn))
	q := &question{scene: s, asker: s.State.Pos.Active}
	q.responder = (q.asker + 1) % 3
	q.third = 3 - q.asker - q.responder
	hand, third, crime := s.hand(q.responder), s.hand(q.third), s.crime(t)
	s.follow(script{ask: func(int) []rules.Card { return cards(hand, third, crime) }})
	s.until(t, phase(rules.Answering))
	q.y, _ = s.keys(t, q.responder)
	q.hand = s.State.Hands[q.responder]
	q.asked = s.State.Elements(s.State.Pos.Question.Cards)
	place := s.State.Place(q.responder)
	q.ctxDeny, q.ctxShow = table.Context(place, move.KindDeny, 0), table.Context(place, move.KindShow, 0)
	return q
}

// deny is a "no" about any hand and question, under any key.
func (q *question) deny(t testing.TB, y *group.Scalar, hand []elgamal.Ciphertext, asked []*group.Element) *move.Deny {
	t.Helper()
	d, err := deck.Deny(q.ctxDeny, y, hand, asked, parlour.Rand("deny"))
	if err != nil {
		t.Fatal(err)
	}
	return &move.Deny{Proof: d.Bytes()}
}

// show is a shown card about any hand, question and asker.
func (q *question) show(t testing.TB, y *group.Scalar, hand []elgamal.Ciphertext, k int, asked []*group.Element, i int, asker *group.Element) *move.Show {
	t.Helper()
	w, err := deck.Show(q.ctxShow, y, hand, k, asked, i, asker, parlour.Rand("show"))
	if err != nil {
		t.Fatal(err)
	}
	return &move.Show{Proof: w.Bytes()}
}

// with is a copy of the list with one member exchanged.
func with[T any](in []T, at int, v T) []T {
	out := slices.Clone(in)
	out[at] = v
	return out
}

// "No" while holding: each card k of the hand, asked for in each place i. The
// cheat proves an honest "no" about a hand, or a question, that is not the one
// at the table, or admits the match with C = 0.
func TestNoWhileHolding(t *testing.T) {
	for k := range 3 {
		for i := range 2 {
			t.Run(fmt.Sprintf("card %d asked for in place %d", k, i), func(t *testing.T) {
				t.Parallel()
				q := questioned(t, fmt.Sprint("no ", k, i), func(hand, _, crime []rules.Card) []rules.Card {
					return with([]rules.Card{crime[0], crime[0]}, i, hand[k])
				})
				q.accepts(t)
				key := group.BaseMul(q.y)
				harmless := q.State.Deck.Card(int(q.crime(t)[2]))
				falseHand := with(q.hand, k, elgamal.Encrypt(harmless, key, scalar(t, "false hand")))
				falseQuestion := with(q.asked, i, harmless)
				honestAboutOther := q.deny(t, q.y, falseHand, q.asked)
				zero := slices.Clone(honestAboutOther.Proof)
				at := k*2 + i // the element C of the pair
				clear(zero[32*at : 32*at+32])
				short := slices.Concat(q.hand[:k], q.hand[k+1:])
				for name, m := range map[string]move.Move{
					"about another hand":     honestAboutOther,
					"about another question": q.deny(t, q.y, q.hand, falseQuestion),
					"about the other cards":  q.deny(t, q.y, short, q.asked),
					"with C = 0":             &move.Deny{Proof: zero},
					"under another key":      q.deny(t, q.y.Add(group.ScalarFromUint64(1)), q.hand, q.asked),
					"with a showing":         &move.Deny{Proof: q.show(t, q.y, q.hand, k, q.asked, i, q.State.SeatKeys[q.asker]).Proof},
				} {
					t.Run(name, func(t *testing.T) { q.refuses(t, q.responder, m, table.RuleDenial) })
				}
			})
		}
	}
}

// "No" while holding both cards asked about: the third player's honest "no".
func TestNoWhileHoldingBoth(t *testing.T) {
	q := questioned(t, "both", func(hand, _, _ []rules.Card) []rules.Card { return hand[:2] })
	q.accepts(t)
	y, _ := q.keys(t, q.third)
	q.refuses(t, q.responder, q.deny(t, y, q.State.Hands[q.third], q.asked), table.RuleDenial)
}

// An honest "no" of one's own is no answer to the next question.
func TestNoReplayed(t *testing.T) {
	s := newScene(t, "replayed no", "card", 3, rules.DefaultOptions())
	s.until(t, phase(rules.Turn))
	crime := s.crime(t)
	s.follow(script{ask: func(int) []rules.Card { return []rules.Card{crime[0], crime[1]} }})
	s.until(t, phase(rules.Answering))
	first := s.honest(t, s.State.Pos.Question.Responder)
	by := s.State.Pos.Question.Responder
	s.until(t, func(st *table.State) bool {
		return phase(rules.Answering)(st) && st.Pos.Question.Responder == by && st.Pos.Turns > 1
	})
	s.accepts(t)
	s.refuses(t, by, first, table.RuleDenial)
}

func TestFalseShow(t *testing.T) {
	q := questioned(t, "show", func(hand, _, crime []rules.Card) []rules.Card {
		return []rules.Card{hand[1], crime[0]}
	})
	q.accepts(t)
	key, asker := group.BaseMul(q.y), q.State.SeatKeys[q.asker]
	third := q.State.SeatKeys[q.third]
	notAsked := q.State.Deck.Card(int(q.scene.hand(q.responder)[0]))
	lacked := elgamal.Encrypt(q.asked[1], key, scalar(t, "lacked"))
	honest := q.show(t, q.y, q.hand, 1, q.asked, 0, asker)
	spoil := func(at int, e *group.Element) *move.Show {
		b := slices.Clone(honest.Proof)
		copy(b[32*at:], e.Bytes())
		return &move.Show{Proof: b}
	}
	for name, m := range map[string]move.Move{
		// It holds card 0, which nobody asked about.
		"a card not asked about": q.show(t, q.y, q.hand, 0, with(q.asked, 1, notAsked), 1, asker),
		// It makes itself a ciphertext of the card it lacks.
		"a card not held":            q.show(t, q.y, with(q.hand, 2, lacked), 2, q.asked, 1, asker),
		"a card added to the hand":   q.show(t, q.y, append(slices.Clone(q.hand), lacked), 3, q.asked, 1, asker),
		"to another player":          q.show(t, q.y, q.hand, 1, q.asked, 0, third),
		"to itself":                  q.show(t, q.y, q.hand, 1, q.asked, 0, key),
		"to a stranger":              q.show(t, q.y, q.hand, 1, q.asked, 0, group.BaseMul(scalar(t, "stranger"))),
		"of a smaller hand":          q.show(t, q.y, q.hand[:2], 1, q.asked, 0, asker),
		"about fewer cards":          q.show(t, q.y, q.hand, 1, q.asked[:1], 0, asker),
		"cards asked in other order": q.show(t, q.y, q.hand, 1, []*group.Element{q.asked[1], q.asked[0]}, 1, asker),
		"another randomness":         spoil(0, group.BaseMul(scalar(t, "e1"))),
		"another card inside":        spoil(1, group.BaseMul(scalar(t, "e2"))),
		"identity as E1":             spoil(0, group.Identity()),
		"identity as E2":             spoil(1, group.Identity()),
		"nothing":                    &move.Show{Proof: []byte{}},
		"zeros":                      &move.Show{Proof: make([]byte, len(honest.Proof))},
		"one byte less":              &move.Show{Proof: honest.Proof[:len(honest.Proof)-1]},
		"one byte more":              &move.Show{Proof: append(slices.Clone(honest.Proof), 0)},
	} {
		t.Run(name, func(t *testing.T) { q.refuses(t, q.responder, m, table.RuleShowing) })
	}
}

// A false "yes": showing something while holding nothing that was asked about.
func TestShowWhileHoldingNothing(t *testing.T) {
	q := questioned(t, "false yes", func(_, third, _ []rules.Card) []rules.Card { return third[:2] })
	q.accepts(t)
	key, asker := group.BaseMul(q.y), q.State.SeatKeys[q.asker]
	own := elgamal.Encrypt(q.asked[0], key, scalar(t, "own"))
	held := q.State.Elements(q.scene.hand(q.responder))
	for name, m := range map[string]move.Move{
		"a card it made itself":         q.show(t, q.y, with(q.hand, 0, own), 0, q.asked, 0, asker),
		"a card that was not asked for": q.show(t, q.y, q.hand, 0, with(q.asked, 0, held[0]), 0, asker),
	} {
		t.Run(name, func(t *testing.T) { q.refuses(t, q.responder, m, table.RuleShowing) })
	}
	// The holder's own answer, in the responder's mouth.
	y, _ := q.keys(t, q.third)
	q.refuses(t, q.responder, q.show(t, y, q.State.Hands[q.third], 1, q.asked, 1, asker), table.RuleShowing)
}
