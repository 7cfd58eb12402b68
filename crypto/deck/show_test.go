package deck

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/sigma"
)

// question is a hand, cards asked for, and who asks. The cards have known
// logarithms here: with them a forger can solve equations that nobody can solve
// for real cards, and so violate one at a time.
type question struct {
	t             *testing.T
	holder, asker *seat
	logs          []*group.Scalar // of card i
	cards         []*group.Element
	rs            []*group.Scalar // randomness of card i of the hand
	hand          []elgamal.Ciphertext
	asked         []*group.Element
	held, wanted  []int
}

func newQuestion(t *testing.T, held, wanted []int) *question {
	t.Helper()
	qu := &question{t: t, holder: newSeat(t, "holder"), asker: newSeat(t, "asker"), held: held, wanted: wanted}
	for range 8 {
		m := qu.holder.scalar()
		qu.logs, qu.cards = append(qu.logs, m), append(qu.cards, group.BaseMul(m))
	}
	for _, c := range held {
		r := qu.holder.scalar()
		qu.rs = append(qu.rs, r)
		qu.hand = append(qu.hand, elgamal.Encrypt(qu.cards[c], qu.holder.key, r))
	}
	for _, c := range wanted {
		qu.asked = append(qu.asked, qu.cards[c])
	}
	return qu
}

// lie shows the element m with the two witnesses given, claimed of card k of the
// hand and card q of the question.
func (qu *question) lie(e elgamal.Ciphertext, k, q int, y, rho, rho2 *group.Scalar) *Showing {
	qu.t.Helper()
	l := liar{qu.t, showingClaim(qu.holder.key, qu.hand, qu.asked, qu.asker.key, e),
		showingPlace(here, qu.holder.key, qu.hand, qu.asked, qu.asker.key), qu.holder.rand}
	p := l.prove([]clauseShape{{len(qu.hand), 2}, {len(qu.asked), 1}}, []sigma.Known{
		{Branch: k, Secrets: []*group.Scalar{y, rho}},
		{Branch: q, Secrets: []*group.Scalar{rho2}},
	})
	return &Showing{body{flat([]elgamal.Ciphertext{e}), p}}
}

func (qu *question) check(s *Showing) (*sigma.Check, error) {
	return CheckShowing(here, qu.holder.key, qu.hand, qu.asked, qu.asker.key, s)
}

func TestShowing(t *testing.T) {
	for h := 1; h <= 6; h++ {
		for q := 1; q <= 3; q++ {
			held := []int{0, 1, 2, 3, 4, 5}[:h]
			for j := range q {
				for k := range h {
					wanted := []int{6, 7, 7}[:q]
					wanted[j] = held[k]
					qu := newQuestion(t, held, wanted)
					shown, err := Show(here, qu.holder.y, qu.hand, k, qu.asked, j, qu.asker.key, qu.holder.rand)
					if err != nil {
						t.Fatal(err)
					}
					b := shown.Bytes()
					if len(b) != ShowingSize(h, q) {
						t.Fatalf("%d bytes, want %d", len(b), ShowingSize(h, q))
					}
					if shown, err = ParseShowing(h, q, b); err != nil {
						t.Fatal(err)
					}
					if !bytes.Equal(shown.Bytes(), b) {
						t.Error("another encoding after parsing")
					}
					c, err := qu.check(shown)
					accepted(t, c, err)
					if !shown.Card().Decrypt(qu.asker.y).Equal(qu.cards[held[k]]) {
						t.Error("the asker sees another card")
					}
				}
			}
		}
	}
}

func TestShowingLiarIsAProver(t *testing.T) {
	qu := newQuestion(t, []int{0, 1, 2}, []int{1, 5})
	rho := qu.holder.scalar()
	c, err := qu.check(qu.lie(elgamal.Encrypt(qu.cards[1], qu.asker.key, rho), 1, 0, qu.holder.y, rho, rho))
	accepted(t, c, err)
}

// The hand holds 0, 1, 2; asked are 1 and 5. Equations 0 to 8 are of the hand,
// three for each card, and 9 to 12 of the question, two for each card.

// Card 5 was asked for and is not held.
func TestShowOfACardNotHeld(t *testing.T) {
	qu := newQuestion(t, []int{0, 1, 2}, []int{1, 5})
	if _, err := Show(here, qu.holder.y, qu.hand, 0, qu.asked, 1, qu.asker.key, qu.holder.rand); err == nil {
		t.Error("Show shows it")
	}
	for k := range qu.hand {
		t.Run(fmt.Sprintf("as card %d", k), func(t *testing.T) {
			y, rho := qu.holder.y, qu.holder.scalar()
			e := elgamal.Encrypt(qu.cards[5], qu.asker.key, rho)
			gap := qu.logs[qu.held[k]].Sub(qu.logs[5]) // log of M_k - M_5

			// With its own witness it violates B_k - E_2 = y A_k - rho K only.
			c, err := qu.check(qu.lie(e, k, 1, y, rho, rho))
			refused(t, c, err, 3*k+2)
			// With a y' that solves this one, Y = y G only.
			y2 := y.Add(gap.Mul(qu.rs[k].Invert()))
			c, err = qu.check(qu.lie(e, k, 1, y2, rho, rho))
			refused(t, c, err, 3*k)
			// With a rho' that solves it, E_1 = rho G only.
			rho2 := rho.Sub(gap.Mul(qu.asker.y.Invert()))
			c, err = qu.check(qu.lie(e, k, 1, y, rho2, rho))
			refused(t, c, err, 3*k+1)
		})
	}
}

// Card 0 is held and was not asked for.
func TestShowOfACardNotAsked(t *testing.T) {
	qu := newQuestion(t, []int{0, 1, 2}, []int{1, 5})
	if _, err := Show(here, qu.holder.y, qu.hand, 0, qu.asked, 0, qu.asker.key, qu.holder.rand); err == nil {
		t.Error("Show shows it")
	}
	for q := range qu.asked {
		t.Run(fmt.Sprintf("as asked %d", q), func(t *testing.T) {
			y, rho := qu.holder.y, qu.holder.scalar()
			e := elgamal.Encrypt(qu.cards[0], qu.asker.key, rho)
			gap := qu.logs[0].Sub(qu.logs[qu.wanted[q]])

			// With its own witness it violates E_2 - M_q = rho K only.
			c, err := qu.check(qu.lie(e, 0, q, y, rho, rho))
			refused(t, c, err, 9+2*q+1)
			// With a rho' that solves this one, E_1 = rho G only.
			rho2 := rho.Add(gap.Mul(qu.asker.y.Invert()))
			c, err = qu.check(qu.lie(e, 0, q, y, rho, rho2))
			refused(t, c, err, 9+2*q)
		})
	}
}

// The right card, which somebody other than the asker can read.
func TestShowEncryptedToSomeoneElse(t *testing.T) {
	qu := newQuestion(t, []int{0, 1, 2}, []int{1, 5})
	friend := newSeat(t, "friend")
	shown, err := Show(here, qu.holder.y, qu.hand, 1, qu.asked, 0, friend.key, qu.holder.rand)
	if err != nil {
		t.Fatal(err)
	}
	c, err := qu.check(shown)
	refused(t, c, err)
	rho := qu.holder.scalar()
	c, err = qu.check(qu.lie(elgamal.Encrypt(qu.cards[1], friend.key, rho), 1, 0, qu.holder.y, rho, rho))
	refused(t, c, err, 5, 10)
}

// E_1 = 0 shows the card to the whole table.
func TestShowInTheOpen(t *testing.T) {
	qu := newQuestion(t, []int{0, 1, 2}, []int{1, 5})
	zero := group.ScalarFromUint64(0)
	shown := qu.lie(elgamal.Plain(qu.cards[1]), 1, 0, qu.holder.y, zero, zero)
	c, err := qu.check(shown)
	refused(t, c, err)
	if _, err := ParseShowing(3, 2, shown.Bytes()); err == nil {
		t.Error("ParseShowing accepts it")
	}
}

// A hand with a card that lies open has no answer, though the equations could be
// met.
func TestShowFromAnOpenHand(t *testing.T) {
	qu := newQuestion(t, []int{0, 1, 2}, []int{1, 5})
	qu.hand[1] = elgamal.Plain(qu.cards[1])
	rho := qu.holder.scalar()
	shown := qu.lie(elgamal.Encrypt(qu.cards[1], qu.asker.key, rho), 1, 0, qu.holder.y, rho, rho)
	if _, err := qu.check(shown); !errors.Is(err, ErrIdentity) {
		t.Errorf("CheckShowing: %v", err)
	}
	if _, err := Show(here, qu.holder.y, qu.hand, 1, qu.asked, 0, qu.asker.key, qu.holder.rand); err == nil {
		t.Error("Show shows it")
	}
	qu.hand[1] = elgamal.Ciphertext{}
	if _, err := qu.check(shown); err == nil {
		t.Error("a hole in the hand is accepted")
	}
}

func TestShowOfNoSuchCard(t *testing.T) {
	qu := newQuestion(t, []int{0, 1, 2}, []int{1, 5})
	for _, at := range [][2]int{{-1, 0}, {3, 0}, {1, -1}, {1, 2}} {
		if _, err := Show(here, qu.holder.y, qu.hand, at[0], qu.asked, at[1], qu.asker.key, qu.holder.rand); err == nil {
			t.Errorf("card %d for asked %d is shown", at[0], at[1])
		}
	}
	for _, key := range []*group.Element{nil, group.Identity()} {
		if _, err := Show(here, qu.holder.y, qu.hand, 1, qu.asked, 0, key, qu.holder.rand); err == nil {
			t.Error("shown to nobody")
		}
	}
}

func TestShowOfAnotherPlace(t *testing.T) {
	qu := newQuestion(t, []int{0, 1, 2}, []int{1, 5})
	shown, err := Show(here, qu.holder.y, qu.hand, 1, qu.asked, 0, qu.asker.key, qu.holder.rand)
	if err != nil {
		t.Fatal(err)
	}
	other := newSeat(t, "else")
	rehand := qu.holder.hold(pickFrom(qu.cards, qu.held)...)
	for name, check := range map[string]func() (*sigma.Check, error){
		"context": func() (*sigma.Check, error) {
			return CheckShowing(nil, qu.holder.key, qu.hand, qu.asked, qu.asker.key, shown)
		},
		"key": func() (*sigma.Check, error) {
			return CheckShowing(here, other.key, qu.hand, qu.asked, qu.asker.key, shown)
		},
		"asker": func() (*sigma.Check, error) {
			return CheckShowing(here, qu.holder.key, qu.hand, qu.asked, other.key, shown)
		},
		"hand": func() (*sigma.Check, error) {
			return CheckShowing(here, qu.holder.key, rehand, qu.asked, qu.asker.key, shown)
		},
		"question": func() (*sigma.Check, error) {
			return CheckShowing(here, qu.holder.key, qu.hand, []*group.Element{qu.cards[1], qu.cards[6]}, qu.asker.key, shown)
		},
		"order": func() (*sigma.Check, error) {
			return CheckShowing(here, qu.holder.key, qu.hand, []*group.Element{qu.cards[5], qu.cards[1]}, qu.asker.key, shown)
		},
		"missing": func() (*sigma.Check, error) {
			return CheckShowing(here, qu.holder.key, qu.hand, qu.asked, qu.asker.key, nil)
		},
		"empty": func() (*sigma.Check, error) {
			return CheckShowing(here, qu.holder.key, qu.hand, qu.asked, qu.asker.key, new(Showing))
		},
		"no asker": func() (*sigma.Check, error) { return CheckShowing(here, qu.holder.key, qu.hand, qu.asked, nil, shown) },
		"identity": func() (*sigma.Check, error) {
			return CheckShowing(here, qu.holder.key, qu.hand, qu.asked, group.Identity(), shown)
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := check()
			refused(t, c, err)
		})
	}
}

func pickFrom(cards []*group.Element, at []int) []*group.Element {
	out := make([]*group.Element, len(at))
	for i, k := range at {
		out[i] = cards[k]
	}
	return out
}

// Nothing about the length of an answer tells the card or a choice, and two
// answers have no value in common.
func TestAnswersLookAlike(t *testing.T) {
	qu := newQuestion(t, []int{0, 1, 2}, []int{1, 2})
	seen := make(map[string]bool)
	for range 2 {
		for q, k := range []int{1, 2} {
			shown, err := Show(here, qu.holder.y, qu.hand, k, qu.asked, q, qu.asker.key, qu.holder.rand)
			if err != nil {
				t.Fatal(err)
			}
			b := shown.Bytes()
			if len(b) != ShowingSize(3, 2) {
				t.Errorf("%d bytes", len(b))
			}
			for ; len(b) > 0; b = b[32:] {
				if seen[string(b[:32])] {
					t.Error("a value of one answer occurs in another")
				}
				seen[string(b[:32])] = true
			}
		}
	}
}
