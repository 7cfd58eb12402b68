package deck

import (
	"fmt"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/sigma"
	"alibi/crypto/transcript"
)

// A message of this package is some group elements followed by a proof about
// them. Its layout depends on public numbers alone.

// body is what all messages have in common. The zero body is no message: it has
// no proof and is refused.
type body struct {
	points []*group.Element
	proof  *sigma.Proof
}

// Bytes returns the encoding: the elements, then the proof.
func (m *body) Bytes() []byte {
	return append(encodings(m.points), m.proof.Bytes()...)
}

// bodySize returns the length of a message of n elements and a proof of claim,
// of which only the shape matters.
func bodySize(n int, claim *sigma.Claim) int {
	return n*group.ElementSize + claim.ProofSize()
}

// parseBody reads what Bytes made. It compares the length first and refuses the
// identity as an element of any message: the relations are made so that an
// honest one never is.
func parseBody(b []byte, n int, claim *sigma.Claim) (body, error) {
	if len(b) != bodySize(n, claim) {
		return body{}, fmt.Errorf("message has %d bytes, not %d", len(b), bodySize(n, claim))
	}
	m := body{points: make([]*group.Element, n)}
	for i := range m.points {
		var err error
		if m.points[i], err = group.ParseNonIdentity(b[:group.ElementSize]); err != nil {
			return body{}, fmt.Errorf("element %d: %w", i, err)
		}
		b = b[group.ElementSize:]
	}
	var err error
	if m.proof, err = claim.ParseProof(b); err != nil {
		return body{}, err
	}
	return m, nil
}

// fits refuses a message that is not of n elements or holds the identity. Whether
// the proof is there and of the right shape, package sigma looks.
func (m *body) fits(n int) error {
	if len(m.points) != n {
		return fmt.Errorf("message has %d elements, not %d", len(m.points), n)
	}
	return usable("element of message", m.points...)
}

// place hashes where a message is said, and about what. The equations of a proof
// speak of differences such as B - M only; here the values themselves, and
// their number, are bound as well.
func place(purpose string, ctx []byte, about ...[]*group.Element) []byte {
	parts := make([][]byte, 0, len(about)+1)
	parts = append(parts, ctx)
	for _, es := range about {
		parts = append(parts, encodings(es))
	}
	h := transcript.Hash("deck/"+purpose, parts...)
	return h[:]
}

func encodings(es []*group.Element) []byte {
	b := make([]byte, 0, len(es)*group.ElementSize)
	for _, e := range es {
		b = append(b, e.Bytes()...)
	}
	return b
}

// tabled prepares an element that the prover is about to multiply that often; a
// table pays from the sixth time on.
func tabled(e *group.Element, times int) *group.Element {
	if times < 6 {
		return e
	}
	return e.Prepared()
}

// flat lists the elements of ciphertexts, A before B.
func flat(cs []elgamal.Ciphertext) []*group.Element {
	out := make([]*group.Element, 0, 2*len(cs))
	for _, c := range cs {
		out = append(out, c.A, c.B)
	}
	return out
}

// stand returns n elements that stand for unknown ones where only the shape of
// a claim is wanted.
func stand(n int) []*group.Element {
	out := make([]*group.Element, n)
	for i := range out {
		out[i] = group.Base()
	}
	return out
}

func standCards(n int) []elgamal.Ciphertext {
	out := make([]elgamal.Ciphertext, n)
	for i := range out {
		out[i] = elgamal.Ciphertext{A: group.Base(), B: group.Base()}
	}
	return out
}
