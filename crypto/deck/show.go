package deck

import (
	"errors"
	"fmt"
	"io"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/internal/hedge"
	"alibi/crypto/sigma"
)

// Showing is the answer that shows one card: encrypted to the asker, with the
// proof that it is in the hand and was asked for.
type Showing struct{ body }

// showingClaim speaks of E = (E1, E2), under the asker's key K, in two clauses
// under one challenge. E is a card of the hand under Y; for some k:
//
//	Y = y G,  E1 = rho G,  B_k - E2 = y A_k - rho K
//
// and E is a card asked for; for some q:
//
//	E1 = rho G,  E2 - M_q = rho K
//
// E fixes rho and the card it hides, so both clauses speak of the same card.
func showingClaim(key *group.Element, hand []elgamal.Ciphertext, asked []*group.Element, asker *group.Element, e elgamal.Ciphertext) *sigma.Claim {
	held := make([]*sigma.Relation, len(hand))
	for k, c := range hand {
		rel := sigma.NewRelation()
		y, rho := rel.Secret(), rel.Secret()
		rel.Equation(key, y.Times(group.Base()))
		rel.Equation(e.A, rho.Times(group.Base()))
		rel.Equation(c.B.Sub(e.B), y.Times(c.A), rho.Times(asker).Neg())
		held[k] = rel
	}
	return sigma.NewClaim("deck/showing").Clause(held...).Clause(hides(asker, asked, e)...)
}

// hides returns the branches "e, under key, hides m" for every m of ms, each with
// the one secret r:
//
//	A = r G,  B - m = r K
func hides(key *group.Element, ms []*group.Element, e elgamal.Ciphertext) []*sigma.Relation {
	rels := make([]*sigma.Relation, len(ms))
	for i, m := range ms {
		rel := sigma.NewRelation()
		r := rel.Secret()
		rel.Equation(e.A, r.Times(group.Base()))
		rel.Equation(e.B.Sub(m), r.Times(key))
		rels[i] = rel
	}
	return rels
}

// Show answers a question by showing asked[q], which is card k of a hand under
// y G, to the holder of asker. It refuses a card that is not both.
func Show(ctx []byte, y *group.Scalar, hand []elgamal.Ciphertext, k int, asked []*group.Element, q int, asker *group.Element, rand io.Reader) (*Showing, error) {
	if err := checkQuestion(hand, asked); err != nil {
		return nil, err
	}
	if err := usable("asker's key", asker); err != nil {
		return nil, err
	}
	if k < 0 || k >= len(hand) || q < 0 || q >= len(asked) {
		return nil, fmt.Errorf("show of card %d of %d for %d of %d asked", k, len(hand), q, len(asked))
	}
	branches := len(hand) + len(asked)
	key := tabled(group.BaseMul(y), len(hand))
	asker = tabled(asker, branches)
	here := showingPlace(ctx, key, hand, asked, asker)
	src, err := hedge.New("deck/showing", rand, []*group.Scalar{y, group.ScalarFromUint64(uint64(q))}, here)
	if err != nil {
		return nil, err
	}
	rho := src.Scalar()
	e := elgamal.Encrypt(asked[q], asker, rho)
	e.A = tabled(e.A, branches)
	known := []sigma.Known{
		{Branch: k, Secrets: []*group.Scalar{y, rho}},
		{Branch: q, Secrets: []*group.Scalar{rho}},
	}
	proof, err := sigma.Prove(here, showingClaim(key, hand, asked, asker, e), known, rand)
	if err != nil {
		return nil, err
	}
	return &Showing{body{flat([]elgamal.Ciphertext{e}), proof}}, nil
}

func showingPlace(ctx []byte, key *group.Element, hand []elgamal.Ciphertext, asked []*group.Element, asker *group.Element) []byte {
	return place("showing", ctx, []*group.Element{key, asker}, flat(hand), asked)
}

// Card returns the shown card, encrypted to the asker.
func (s *Showing) Card() elgamal.Ciphertext {
	return elgamal.Ciphertext{A: s.points[0], B: s.points[1]}
}

// ShowingSize returns the length in bytes of a Showing out of h cards for q
// asked, or 0 when there is none.
func ShowingSize(h, q int) int {
	if checkPairs(h, q) != nil {
		return 0
	}
	return bodySize(2, showingShape(h, q))
}

func showingShape(h, q int) *sigma.Claim {
	return showingClaim(group.Base(), standCards(h), stand(q), group.Base(), standCards(1)[0])
}

// ParseShowing reads a Showing out of h cards for q asked. It refuses any other
// length, encodings that are not canonical, and the identity.
func ParseShowing(h, q int, b []byte) (*Showing, error) {
	if err := checkPairs(h, q); err != nil {
		return nil, err
	}
	m, err := parseBody(b, 2, showingShape(h, q))
	if err != nil {
		return nil, fmt.Errorf("showing: %w", err)
	}
	return &Showing{m}, nil
}

// CheckShowing returns what remains to be verified of the answer s of the holder
// of key, to the question asked by the holder of asker.
func CheckShowing(ctx []byte, key *group.Element, hand []elgamal.Ciphertext, asked []*group.Element, asker *group.Element, s *Showing) (*sigma.Check, error) {
	if err := checkQuestion(hand, asked); err != nil {
		return nil, err
	}
	if err := usable("seat key", key, asker); err != nil {
		return nil, err
	}
	if s == nil {
		return nil, errors.New("showing is missing")
	}
	if err := s.fits(2); err != nil {
		return nil, fmt.Errorf("showing: %w", err)
	}
	claim := showingClaim(key, hand, asked, asker, s.Card())
	return claim.Check(showingPlace(ctx, key, hand, asked, asker), s.proof)
}
