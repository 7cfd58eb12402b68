package deck

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/sigma"
)

var here = []byte("game 1, round 9, seat 2")

// lyingDenial is a "no" with everything as it should be, except what lie does to
// the secrets and the points. The secrets of pair i are 2i (alpha) and 2i+1 (r).
func lyingDenial(s *seat, hand []elgamal.Ciphertext, asked []*group.Element, lie func(secrets []*group.Scalar, points []*group.Element)) *Denial {
	s.t.Helper()
	var secrets []*group.Scalar
	var points []*group.Element
	point := func(i int) *group.Element {
		c, m := hand[i/len(asked)], asked[i%len(asked)]
		return c.A.Mul(secrets[2*i]).Sub(c.B.Sub(m).Mul(secrets[2*i+1]))
	}
	n := len(hand) * len(asked)
	for range n {
		r := s.scalar()
		secrets = append(secrets, r.Mul(s.y), r)
	}
	for i := range n {
		points = append(points, point(i))
	}
	honest := append([]*group.Scalar{}, secrets...)
	lie(secrets, points)
	for i := range n {
		// A lie about secrets is followed by the point that goes with it.
		if secrets[2*i] != honest[2*i] || secrets[2*i+1] != honest[2*i+1] {
			points[i] = point(i)
		}
	}
	l := liar{s.t, denialClaim(s.key, hand, asked, points),
		denialPlace(here, s.key, hand, asked), s.rand}
	p := l.prove([]clauseShape{{1, 2 * n}}, []sigma.Known{{Secrets: secrets}})
	return &Denial{body{points, p}}
}

func TestDenial(t *testing.T) {
	d := New("clue", 21)
	s := newSeat(t, "deny")
	for h := 1; h <= 6; h++ {
		for q := 1; q <= 3; q++ {
			hand, asked := s.hold(pick(d, 0, 1, 2, 3, 4, 5)[:h]...), pick(d, 6, 7, 8)[:q]
			no, err := Deny(here, s.y, hand, asked, s.rand)
			if err != nil {
				t.Fatal(err)
			}
			b := no.Bytes()
			if len(b) != DenialSize(h, q) {
				t.Errorf("%d x %d: %d bytes, want %d", h, q, len(b), DenialSize(h, q))
			}
			parsed, err := ParseDenial(h, q, b)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(parsed.Bytes(), b) {
				t.Error("another encoding after parsing")
			}
			c, err := CheckDenial(here, s.key, hand, asked, parsed)
			accepted(t, c, err)
		}
	}
}

// The liar without a lie passes, or the tests below would prove nothing.
func TestDenialLiarIsAProver(t *testing.T) {
	d := New("clue", 21)
	s := newSeat(t, "twin")
	hand, asked := s.hold(pick(d, 0, 1)...), pick(d, 2, 3, 4)
	no := lyingDenial(s, hand, asked, func([]*group.Scalar, []*group.Element) {})
	c, err := CheckDenial(here, s.key, hand, asked, no)
	accepted(t, c, err)
}

// "No" while holding the card, for each card of the hand and each card asked.
func TestNoWhileHolding(t *testing.T) {
	d := New("clue", 21)
	const h, q = 3, 2
	for k := range h {
		for j := range q {
			t.Run(fmt.Sprintf("card %d, asked %d", k, j), func(t *testing.T) {
				s := newSeat(t, "holding")
				hand, asked := s.hold(pick(d, 0, 1, 2)...), pick(d, 10, 11)
				asked[j] = d.Card(k)
				if _, err := Deny(here, s.y, hand, asked, s.rand); !errors.Is(err, ErrHolds) {
					t.Errorf("Deny: %v", err)
				}
				check := func(no *Denial, equations ...int) {
					t.Helper()
					c, err := CheckDenial(here, s.key, hand, asked, no)
					refused(t, c, err, equations...)
				}
				pair := k*q + j
				// All true, so that C is the identity.
				no := lyingDenial(s, hand, asked, func([]*group.Scalar, []*group.Element) {})
				check(no)
				if _, err := CheckDenial(here, s.key, hand, asked, no); !errors.Is(err, ErrIdentity) {
					t.Errorf("CheckDenial: %v", err)
				}
				if _, err := ParseDenial(h, q, no.Bytes()); err == nil {
					t.Error("ParseDenial accepts the identity")
				}
				// C is some other element: violates C = alpha A - r (B - M) only.
				check(lyingDenial(s, hand, asked, func(_ []*group.Scalar, points []*group.Element) {
					points[pair] = group.BaseMul(s.scalar())
				}), 2*pair)
				// alpha is not r y: violates 0 = alpha G - r Y only.
				check(lyingDenial(s, hand, asked, func(secrets []*group.Scalar, _ []*group.Element) {
					secrets[2*pair] = s.scalar()
				}), 2*pair+1)
			})
		}
	}
}

// Secrets that are all zero would make C the identity for any card.
func TestNoWithZeroFactor(t *testing.T) {
	d := New("clue", 21)
	s := newSeat(t, "zero")
	hand, asked := s.hold(d.Card(3)), pick(d, 3)
	no := lyingDenial(s, hand, asked, func(secrets []*group.Scalar, _ []*group.Element) {
		copy(secrets, zeros(2))
	})
	c, err := CheckDenial(here, s.key, hand, asked, no)
	refused(t, c, err)
}

// A card that lies open, or a question with a hole, has no answer, though the
// equations could be met.
func TestNoAnswerToNonsense(t *testing.T) {
	d := New("clue", 21)
	s := newSeat(t, "nonsense")
	asked := pick(d, 5, 6)
	hand := append(s.hold(d.Card(0)), elgamal.Plain(d.Card(1)))
	no := lyingDenial(s, hand, asked, func([]*group.Scalar, []*group.Element) {})
	if _, err := CheckDenial(here, s.key, hand, asked, no); !errors.Is(err, ErrIdentity) {
		t.Errorf("open card: %v", err)
	}
	hand = s.hold(pick(d, 0, 1)...)
	if _, err := CheckDenial(here, s.key, hand, []*group.Element{asked[0], nil}, no); err == nil {
		t.Error("a hole in the question is accepted")
	}
	if _, err := CheckDenial(here, s.key, []elgamal.Ciphertext{hand[0], {}}, asked, no); err == nil {
		t.Error("a hole in the hand is accepted")
	}
	nothing := []*group.Element{asked[0], group.Identity()}
	no = lyingDenial(s, hand, nothing, func([]*group.Scalar, []*group.Element) {})
	if _, err := CheckDenial(here, s.key, hand, nothing, no); !errors.Is(err, ErrIdentity) {
		t.Errorf("question for the identity: %v", err)
	}
	for _, q := range [][]*group.Element{nil, nothing, {nil}, slices.Repeat(asked[:1], MaxCards+1)} {
		if _, err := Deny(here, s.y, hand, q, s.rand); err == nil {
			t.Errorf("Deny answers a question of %d", len(q))
		}
	}
}

// A "no" that was true is worth nothing for another question, hand, seat, game.
func TestNoOfAnotherPlace(t *testing.T) {
	d := New("clue", 21)
	s := newSeat(t, "place")
	other := newSeat(t, "other")
	hand, asked := s.hold(pick(d, 0, 1)...), pick(d, 5, 6)
	no, err := Deny(here, s.y, hand, asked, s.rand)
	if err != nil {
		t.Fatal(err)
	}
	swapped := []elgamal.Ciphertext{hand[1], hand[0]}
	for name, check := range map[string]func() (*sigma.Check, error){
		"context":  func() (*sigma.Check, error) { return CheckDenial([]byte("game 2"), s.key, hand, asked, no) },
		"key":      func() (*sigma.Check, error) { return CheckDenial(here, other.key, hand, asked, no) },
		"question": func() (*sigma.Check, error) { return CheckDenial(here, s.key, hand, pick(d, 5, 7), no) },
		"order":    func() (*sigma.Check, error) { return CheckDenial(here, s.key, hand, pick(d, 6, 5), no) },
		"fewer":    func() (*sigma.Check, error) { return CheckDenial(here, s.key, hand, pick(d, 5), no) },
		"hand":     func() (*sigma.Check, error) { return CheckDenial(here, s.key, s.hold(pick(d, 0, 1)...), asked, no) },
		"swapped":  func() (*sigma.Check, error) { return CheckDenial(here, s.key, swapped, asked, no) },
		"part":     func() (*sigma.Check, error) { return CheckDenial(here, s.key, hand[:1], asked, no) },
		"missing":  func() (*sigma.Check, error) { return CheckDenial(here, s.key, hand, asked, nil) },
		"empty":    func() (*sigma.Check, error) { return CheckDenial(here, s.key, hand, asked, new(Denial)) },
		"no key":   func() (*sigma.Check, error) { return CheckDenial(here, nil, hand, asked, no) },
		"identity": func() (*sigma.Check, error) { return CheckDenial(here, group.Identity(), hand, asked, no) },
		"no hand":  func() (*sigma.Check, error) { return CheckDenial(here, s.key, nil, asked, no) },
		"nothing":  func() (*sigma.Check, error) { return CheckDenial(here, s.key, hand, nil, no) },
		"open card": func() (*sigma.Check, error) {
			return CheckDenial(here, s.key, []elgamal.Ciphertext{elgamal.Plain(d.Card(0)), hand[1]}, asked, no)
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := check()
			refused(t, c, err)
		})
	}
}
