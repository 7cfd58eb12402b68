package deck

import (
	"errors"
	"fmt"
	"io"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/sigma"
)

// Opening proves what ciphertexts under one's seat key hide. The cards
// themselves are said beside it.
type Opening struct{ body }

// openingClaim says, with one y, that ciphertext k under Y hides ms[k]:
//
//	Y = y G,  B_k - M_k = y A_k  for all k
func openingClaim(key *group.Element, cs []elgamal.Ciphertext, ms []*group.Element) *sigma.Claim {
	rel := sigma.NewRelation()
	y := rel.Secret()
	rel.Equation(key, y.Times(group.Base()))
	for k, c := range cs {
		rel.Equation(c.B.Sub(ms[k]), y.Times(c.A))
	}
	return sigma.NewClaim("deck/opening").Clause(rel)
}

// Open proves that cs, under y G, hide ms. It refuses when they do not.
func Open(ctx []byte, y *group.Scalar, cs []elgamal.Ciphertext, ms []*group.Element, rand io.Reader) (*Opening, error) {
	if err := checkOpened(cs, ms); err != nil {
		return nil, err
	}
	key := group.BaseMul(y)
	known := []sigma.Known{{Secrets: []*group.Scalar{y}}}
	proof, err := sigma.Prove(openingPlace(ctx, key, cs, ms), openingClaim(key, cs, ms), known, rand)
	if err != nil {
		return nil, err
	}
	return &Opening{body{nil, proof}}, nil
}

func checkOpened(cs []elgamal.Ciphertext, ms []*group.Element) error {
	if err := usableCards("opening", cs); err != nil {
		return err
	}
	if len(cs) != len(ms) {
		return fmt.Errorf("%d ciphertexts opened to %d cards", len(cs), len(ms))
	}
	return usable("opened card", ms...)
}

func openingPlace(ctx []byte, key *group.Element, cs []elgamal.Ciphertext, ms []*group.Element) []byte {
	return place("opening", ctx, []*group.Element{key}, flat(cs), ms)
}

// OpeningSize returns the length in bytes of an Opening of n ciphertexts, or 0
// when there is none.
func OpeningSize(n int) int {
	if n < 1 || n > MaxCards {
		return 0
	}
	return bodySize(0, openingShape(n))
}

func openingShape(n int) *sigma.Claim {
	return openingClaim(group.Base(), standCards(n), stand(n))
}

// ParseOpening reads an Opening of n ciphertexts. It refuses any other length
// and encodings that are not canonical.
func ParseOpening(n int, b []byte) (*Opening, error) {
	if n < 1 || n > MaxCards {
		return nil, fmt.Errorf("opening of %d cards", n)
	}
	m, err := parseBody(b, 0, openingShape(n))
	if err != nil {
		return nil, fmt.Errorf("opening: %w", err)
	}
	return &Opening{m}, nil
}

// CheckOpening returns what remains to be verified of the claim o that cs, under
// key, hide ms.
func CheckOpening(ctx []byte, key *group.Element, cs []elgamal.Ciphertext, ms []*group.Element, o *Opening) (*sigma.Check, error) {
	if err := checkOpened(cs, ms); err != nil {
		return nil, err
	}
	if err := usable("seat key", key); err != nil {
		return nil, err
	}
	if o == nil {
		return nil, errors.New("opening is missing")
	}
	return openingClaim(key, cs, ms).Check(openingPlace(ctx, key, cs, ms), o.proof)
}
