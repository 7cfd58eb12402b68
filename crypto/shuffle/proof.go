package shuffle

import (
	"errors"
	"fmt"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
)

// points is the number of group elements in a proof, whatever its size.
const points = 8

// Proof shows that one deck is a shuffle of another. It has 8 elements and
// 3 N + 2 scalars for N cards. It is immutable.
type Proof struct {
	cPi, cB *group.Element // commitments to pi(i) and to x^pi(i)
	// Commitments of the product argument: to d, to -delta_i d_{i+1} and to
	// delta_{i+1} - a_{i+1} delta_i - p_i d_{i+1}.
	cD, cCross, cCarry *group.Element
	cAlpha             *group.Element     // commitment to alpha
	e0                 elgamal.Ciphertext // (tau0 G, tau0 Y) + sum alpha_i C'_i

	a          []*group.Scalar // a~_1 .. a~_N
	b          []*group.Scalar // b~_2 .. b~_{N-1}: the ends follow from a~ and the statement
	o          []*group.Scalar // o_1 .. o_N
	r, s, oR   *group.Scalar   // r~, s~, o_r
	tau        *group.Scalar
	cardsCount int
}

// ProofSize returns the length in bytes of a proof for n cards: 32 (3 n + 10).
func ProofSize(n int) int { return 32 * (3*n + 10) }

// Bytes returns the ProofSize(n) bytes of the proof: the eight elements in the
// order of the type, then a~, b~, o, r~, s~, o_r and tau.
func (p *Proof) Bytes() []byte {
	out := make([]byte, 0, ProofSize(p.cardsCount))
	for _, e := range p.commitments() {
		out = append(out, e.Bytes()...)
	}
	for _, s := range p.responses() {
		out = append(out, s.Bytes()...)
	}
	return out
}

func (p *Proof) commitments() []*group.Element {
	return []*group.Element{p.cPi, p.cB, p.cD, p.cCross, p.cCarry, p.cAlpha, p.e0.A, p.e0.B}
}

func (p *Proof) responses() []*group.Scalar {
	out := make([]*group.Scalar, 0, 3*p.cardsCount+2)
	out = append(out, p.a...)
	out = append(out, p.b...)
	out = append(out, p.o...)
	return append(out, p.r, p.s, p.oR, p.tau)
}

// ParseProof reads a proof for n cards. It refuses a number of cards no shuffle
// has, any other length (before it allocates) and encodings that are not
// canonical.
func ParseProof(b []byte, n int) (*Proof, error) {
	if n < MinCards || n > MaxCards {
		return nil, fmt.Errorf("proof for %d cards, a shuffle takes %d to %d", n, MinCards, MaxCards)
	}
	if len(b) != ProofSize(n) {
		return nil, fmt.Errorf("proof for %d cards has %d bytes, not %d", n, len(b), ProofSize(n))
	}
	var es [points]*group.Element
	for i := range es {
		var err error
		if es[i], err = group.ParseElement(b[:group.ElementSize]); err != nil {
			return nil, fmt.Errorf("element %d of shuffle proof: %w", i, err)
		}
		b = b[group.ElementSize:]
	}
	ss := make([]*group.Scalar, 3*n+2)
	for i := range ss {
		var err error
		if ss[i], err = group.ParseScalar(b[:group.ScalarSize]); err != nil {
			return nil, fmt.Errorf("scalar %d of shuffle proof: %w", i, err)
		}
		b = b[group.ScalarSize:]
	}
	end := ss[3*n-2:]
	return &Proof{
		cPi: es[0], cB: es[1],
		cD: es[2], cCross: es[3], cCarry: es[4],
		cAlpha: es[5], e0: elgamal.Ciphertext{A: es[6], B: es[7]},
		a: ss[:n], b: ss[n : 2*n-2], o: ss[2*n-2 : 3*n-2],
		r: end[0], s: end[1], oR: end[2], tau: end[3],
		cardsCount: n,
	}, nil
}

// fits reports whether p was made for n cards. A Proof only comes from Prove
// and ParseProof, so the slices agree with cardsCount.
func (p *Proof) fits(n int) error {
	if p == nil {
		return errors.New("shuffle proof is missing")
	}
	if p.cardsCount != n {
		return fmt.Errorf("shuffle proof is for %d cards, not %d", p.cardsCount, n)
	}
	return nil
}
