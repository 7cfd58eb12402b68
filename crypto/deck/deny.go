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

// ErrHolds reports that a card asked for is in the hand: there is no honest "no".
var ErrHolds = errors.New("the hand holds a card asked for")

// maxPairs bounds hand times question in a Denial.
const maxPairs = 4096

// Denial is the answer "no": no card of the hand is one of those asked for.
type Denial struct{ body }

// denialClaim says, for every card k of the hand under Y and every card q asked
// for, with secrets alpha and r of the pair (Camenisch and Shoup, "Practical
// Verifiable Encryption and Decryption of Discrete Logarithms", CRYPTO 2003,
// section 6, carried over to ElGamal):
//
//	C = alpha A_k - r (B_k - M_q)
//	0 = alpha G - r Y
//
// The second makes alpha = r y, so that C = r (M_q - M_k): the identity exactly
// when card k is q (or r is zero), and otherwise a random element.
func denialClaim(key *group.Element, hand []elgamal.Ciphertext, asked, points []*group.Element) *sigma.Claim {
	rel := sigma.NewRelation()
	zero := group.Identity()
	for k, c := range hand {
		for q, m := range asked {
			alpha, r := rel.Secret(), rel.Secret()
			rel.Equation(points[k*len(asked)+q], alpha.Times(c.A), r.Times(c.B.Sub(m)).Neg())
			rel.Equation(zero, alpha.Times(group.Base()), r.Times(key).Neg())
		}
	}
	return sigma.NewClaim("deck/denial").Clause(rel)
}

// Deny answers "no" for a hand of cards under y G. It returns ErrHolds when that
// is not true.
func Deny(ctx []byte, y *group.Scalar, hand []elgamal.Ciphertext, asked []*group.Element, rand io.Reader) (*Denial, error) {
	if err := checkQuestion(hand, asked); err != nil {
		return nil, err
	}
	key := tabled(group.BaseMul(y), len(hand)*len(asked))
	here := denialPlace(ctx, key, hand, asked)
	src, err := hedge.New("deck/denial", rand, []*group.Scalar{y}, here)
	if err != nil {
		return nil, err
	}
	var secrets []*group.Scalar
	var points []*group.Element
	holds := false
	for _, c := range hand {
		hidden := c.A.Mul(y).Sub(c.B) // minus the card
		for _, m := range asked {
			r := src.Scalar()
			p := hidden.Add(m).Mul(r) // alpha A - r (B - m), as alpha = r y
			holds = holds || p.IsIdentity()
			secrets = append(secrets, r.Mul(y), r)
			points = append(points, p)
		}
	}
	if holds {
		return nil, ErrHolds
	}
	proof, err := sigma.ProveMade(here, denialClaim(key, hand, asked, points), []sigma.Known{{Secrets: secrets}}, rand)
	if err != nil {
		return nil, err
	}
	return &Denial{body{points, proof}}, nil
}

func denialPlace(ctx []byte, key *group.Element, hand []elgamal.Ciphertext, asked []*group.Element) []byte {
	return place("denial", ctx, []*group.Element{key}, flat(hand), asked)
}

// checkQuestion refuses hands and questions no answer is made for.
func checkQuestion(hand []elgamal.Ciphertext, asked []*group.Element) error {
	if err := checkPairs(len(hand), len(asked)); err != nil {
		return err
	}
	if err := usableCards("hand", hand); err != nil {
		return err
	}
	return usable("asked card", asked...)
}

func checkPairs(h, q int) error {
	if h < 1 || q < 1 || h > MaxCards || q > MaxCards || h*q > maxPairs {
		return fmt.Errorf("no answer of %d cards to %d asked", h, q)
	}
	return nil
}

// DenialSize returns the length in bytes of a Denial of h cards to q asked, or 0
// when there is none.
func DenialSize(h, q int) int {
	if checkPairs(h, q) != nil {
		return 0
	}
	return bodySize(h*q, denialShape(h, q))
}

func denialShape(h, q int) *sigma.Claim {
	return denialClaim(group.Base(), standCards(h), stand(q), stand(h*q))
}

// ParseDenial reads a Denial of h cards to q asked. It refuses any other length,
// encodings that are not canonical, and a C that is the identity: that would be
// the proof of holding the card.
func ParseDenial(h, q int, b []byte) (*Denial, error) {
	if err := checkPairs(h, q); err != nil {
		return nil, err
	}
	m, err := parseBody(b, h*q, denialShape(h, q))
	if err != nil {
		return nil, fmt.Errorf("denial: %w", err)
	}
	return &Denial{m}, nil
}

// CheckDenial returns what remains to be verified of the answer d of the holder
// of key to the question asked.
func CheckDenial(ctx []byte, key *group.Element, hand []elgamal.Ciphertext, asked []*group.Element, d *Denial) (*sigma.Check, error) {
	if err := checkQuestion(hand, asked); err != nil {
		return nil, err
	}
	if err := usable("seat key", key); err != nil {
		return nil, err
	}
	if d == nil {
		return nil, errors.New("denial is missing")
	}
	if err := d.fits(len(hand) * len(asked)); err != nil {
		return nil, fmt.Errorf("denial: %w", err)
	}
	return denialClaim(key, hand, asked, d.points).Check(denialPlace(ctx, key, hand, asked), d.proof)
}
