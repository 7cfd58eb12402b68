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

// ErrSame reports that two lists of cards are equal, so that they cannot be
// proven to differ.
var ErrSame = errors.New("the cards are the same")

// Difference proves that two lists of cards under one key differ somewhere, and
// tells neither where nor in how many places.
type Difference struct{ body }

// differenceClaim speaks of the differences (a_k, b_k) = left_k - right_k, which
// hide M_k - M'_k under Y, with secrets alpha_k and r_k:
//
//	C = sum r_k b_k - sum alpha_k a_k
//	0 = alpha_k G - r_k Y  for all k
//
// The second makes alpha_k = r_k y, so that C = sum r_k (M_k - M'_k): if all
// differences are zero so is C, and otherwise it is a random element.
func differenceClaim(key *group.Element, left, right []elgamal.Ciphertext, c *group.Element) *sigma.Claim {
	rel := sigma.NewRelation()
	terms := make([]sigma.Term, 0, 2*len(left))
	for k := range left {
		diff := left[k].Sub(right[k])
		alpha, r := rel.Secret(), rel.Secret()
		terms = append(terms, r.Times(diff.B), alpha.Times(diff.A).Neg())
		rel.Equation(group.Identity(), alpha.Times(group.Base()), r.Times(key).Neg())
	}
	rel.Equation(c, terms...)
	return sigma.NewClaim("deck/difference").Clause(rel)
}

// Differ proves that the cards of left and right, all under y G, are not the
// same in every place. It returns ErrSame when they are.
func Differ(ctx []byte, y *group.Scalar, left, right []elgamal.Ciphertext, rand io.Reader) (*Difference, error) {
	if err := checkPair(left, right); err != nil {
		return nil, err
	}
	key := group.BaseMul(y)
	here := differencePlace(ctx, key, left, right)
	src, err := hedge.New("deck/difference", rand, []*group.Scalar{y}, here)
	if err != nil {
		return nil, err
	}
	var secrets, factors []*group.Scalar
	var bases []*group.Element
	for k := range left {
		r := src.Scalar()
		alpha := r.Mul(y)
		diff := left[k].Sub(right[k])
		secrets = append(secrets, alpha, r)
		factors = append(factors, r, alpha.Neg())
		bases = append(bases, diff.B, diff.A)
	}
	c := group.MultiMul(factors, bases)
	if c.IsIdentity() {
		return nil, ErrSame
	}
	proof, err := sigma.Prove(here, differenceClaim(key, left, right, c), []sigma.Known{{Secrets: secrets}}, rand)
	if err != nil {
		return nil, err
	}
	return &Difference{body{[]*group.Element{c}, proof}}, nil
}

func checkPair(left, right []elgamal.Ciphertext) error {
	if len(left) != len(right) {
		return fmt.Errorf("%d cards compared with %d", len(left), len(right))
	}
	if err := usableCards("first list", left); err != nil {
		return err
	}
	return usableCards("second list", right)
}

func differencePlace(ctx []byte, key *group.Element, left, right []elgamal.Ciphertext) []byte {
	return place("difference", ctx, []*group.Element{key}, flat(left), flat(right))
}

// DifferenceSize returns the length in bytes of a Difference of lists of n
// cards, or 0 when there is none.
func DifferenceSize(n int) int {
	if n < 1 || n > MaxCards {
		return 0
	}
	return bodySize(1, differenceShape(n))
}

func differenceShape(n int) *sigma.Claim {
	return differenceClaim(group.Base(), standCards(n), standCards(n), group.Base())
}

// ParseDifference reads a Difference of lists of n cards. It refuses any other
// length, encodings that are not canonical, and a C that is the identity: that
// would say they are the same.
func ParseDifference(n int, b []byte) (*Difference, error) {
	if n < 1 || n > MaxCards {
		return nil, fmt.Errorf("difference of %d cards", n)
	}
	m, err := parseBody(b, 1, differenceShape(n))
	if err != nil {
		return nil, fmt.Errorf("difference: %w", err)
	}
	return &Difference{m}, nil
}

// CheckDifference returns what remains to be verified of the claim d that left
// and right, under key, differ.
func CheckDifference(ctx []byte, key *group.Element, left, right []elgamal.Ciphertext, d *Difference) (*sigma.Check, error) {
	if err := checkPair(left, right); err != nil {
		return nil, err
	}
	if err := usable("seat key", key); err != nil {
		return nil, err
	}
	if d == nil {
		return nil, errors.New("difference is missing")
	}
	if err := d.fits(1); err != nil {
		return nil, fmt.Errorf("difference: %w", err)
	}
	return differenceClaim(key, left, right, d.points[0]).Check(differencePlace(ctx, key, left, right), d.proof)
}
