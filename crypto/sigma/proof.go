package sigma

import (
	"fmt"

	"alibi/crypto/group"
)

// A Proof belongs to one claim and context. It never changes.
type Proof struct {
	commitments []*group.Element // one per equation, in the order of the claim
	challenges  []*group.Scalar  // one per branch of an OR, except its last
	responses   []*group.Scalar  // one per secret, in the order of the claim
}

// ProofSize returns the length of a proof of c, in bytes.
func (c *Claim) ProofSize() int {
	s := c.shape()
	return group.ElementSize*s.commitments + group.ScalarSize*(s.challenges+s.responses)
}

// Bytes returns the commitments, the branch challenges and the responses, 32
// bytes each.
func (p *Proof) Bytes() []byte {
	n := len(p.commitments) + len(p.challenges) + len(p.responses)
	b := make([]byte, 0, group.ElementSize*n)
	for _, e := range p.commitments {
		enc := e.Encoding()
		b = append(b, enc[:]...)
	}
	for _, s := range p.challenges {
		b = append(b, s.Bytes()...)
	}
	for _, s := range p.responses {
		b = append(b, s.Bytes()...)
	}
	return b
}

// ParseProof decodes a proof of c: exactly ProofSize bytes, every element and
// scalar canonical. It says nothing yet about the proof being right.
func (c *Claim) ParseProof(b []byte) (*Proof, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	if want := c.ProofSize(); len(b) != want {
		return nil, fmt.Errorf("%w: %d bytes, want %d", ErrShape, len(b), want)
	}
	s := c.shape()
	p := &Proof{
		commitments: make([]*group.Element, s.commitments),
		challenges:  make([]*group.Scalar, s.challenges),
		responses:   make([]*group.Scalar, s.responses),
	}
	for i := range p.commitments {
		e, err := group.ParseElement(b[:group.ElementSize])
		if err != nil {
			return nil, fmt.Errorf("sigma: commitment %d: %w", i, err)
		}
		p.commitments[i], b = e, b[group.ElementSize:]
	}
	for _, list := range [][]*group.Scalar{p.challenges, p.responses} {
		for i := range list {
			v, err := group.ParseScalar(b[:group.ScalarSize])
			if err != nil {
				return nil, fmt.Errorf("sigma: challenge or response %d: %w", i, err)
			}
			list[i], b = v, b[group.ScalarSize:]
		}
	}
	return p, nil
}

// fits reports whether p has the shape of a proof of c, with nothing missing.
func (p *Proof) fits(c *Claim) error {
	if p == nil {
		return fmt.Errorf("%w: no proof", ErrShape)
	}
	got := shape{len(p.commitments), len(p.challenges), len(p.responses)}
	if want := c.shape(); got != want {
		return fmt.Errorf("%w: %+v values, want %+v", ErrShape, got, want)
	}
	return nil
}
