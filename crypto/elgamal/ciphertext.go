// Package elgamal encrypts group elements (cards) and describes who together
// can decrypt them.
//
// A Ciphertext hides one element under one public key. A Quorum is the joint
// key of several players, each of whom holds a share of it: what is encrypted
// to Quorum.Joint opens only when enough of them help. Both are plain values
// without secrets; the secret scalars stay with the caller.
//
// The encryption is malleable on purpose, since a shuffle must be able to
// re-randomise a card without knowing it. Nobody should use it for messages.
// Card games want crypto/deck, which adds the proofs.
package elgamal

import (
	"errors"
	"fmt"

	"alibi/crypto/group"
)

// Size is the length in bytes of an encoded Ciphertext.
const Size = 2 * group.ElementSize

// ErrIdentity reports an element that may not be the identity and is.
var ErrIdentity = errors.New("element is the identity")

// Ciphertext is an ElGamal ciphertext (A, B) = (r G, M + r K) of M under the
// key K with randomness r. The elements are never nil in a value made by this
// package; the zero Ciphertext is not usable.
type Ciphertext struct {
	A, B *group.Element
}

// Plain returns (0, m): the ciphertext of m that anybody can read, under every
// key. It is what a deck looks like before the first shuffle.
func Plain(m *group.Element) Ciphertext {
	return Ciphertext{A: group.Identity(), B: m}
}

// Encrypt returns (r G, m + r key), in constant time.
func Encrypt(m, key *group.Element, r *group.Scalar) Ciphertext {
	return Plain(m).Rerandomise(key, r)
}

// Rerandomise returns (A + r G, B + r key): the same element under the same
// key, not linkable to c for whoever knows neither r nor the secret key. It
// takes constant time.
func (c Ciphertext) Rerandomise(key *group.Element, r *group.Scalar) Ciphertext {
	return Ciphertext{
		A: c.A.Add(group.BaseMul(r)),
		B: c.B.Add(key.Mul(r)),
	}
}

// Sub returns the ciphertext (A - A', B - B') of the difference of what c and
// d hide, when both are under the same key.
func (c Ciphertext) Sub(d Ciphertext) Ciphertext {
	return Ciphertext{A: c.A.Sub(d.A), B: c.B.Sub(d.B)}
}

// Equal reports whether c and d are the same pair of elements. Two different
// ciphertexts may hide the same element.
func (c Ciphertext) Equal(d Ciphertext) bool {
	return c.A.Equal(d.A) && c.B.Equal(d.B)
}

// Decrypt returns B - y A: what c hides under the key y G. It takes constant
// time.
func (c Ciphertext) Decrypt(y *group.Scalar) *group.Element {
	return c.B.Sub(c.A.Mul(y))
}

// Bytes returns the Size bytes of A followed by B.
func (c Ciphertext) Bytes() []byte {
	return append(c.A.Bytes(), c.B.Bytes()...)
}

// Parse reads the form made by Bytes. It refuses any other length, encodings
// that are not canonical, and an A that is the identity: such a ciphertext
// hides nothing. Start decks (see Plain) are made by every peer on its own and
// never travel.
func Parse(b []byte) (Ciphertext, error) {
	if len(b) != Size {
		return Ciphertext{}, fmt.Errorf("ciphertext has %d bytes, not %d", len(b), Size)
	}
	a, err := group.ParseNonIdentity(b[:group.ElementSize])
	if err != nil {
		return Ciphertext{}, fmt.Errorf("first half of ciphertext: %w", err)
	}
	m, err := group.ParseElement(b[group.ElementSize:])
	if err != nil {
		return Ciphertext{}, fmt.Errorf("second half of ciphertext: %w", err)
	}
	return Ciphertext{A: a, B: m}, nil
}

// ParseAll reads n ciphertexts that follow one another and fill b exactly. It
// compares the length before it allocates.
func ParseAll(b []byte, n int) ([]Ciphertext, error) {
	if n < 0 || len(b)%Size != 0 || len(b)/Size != n {
		return nil, fmt.Errorf("%d bytes are not %d ciphertexts", len(b), n)
	}
	out := make([]Ciphertext, n)
	for i := range out {
		var err error
		if out[i], err = Parse(b[i*Size : (i+1)*Size]); err != nil {
			return nil, fmt.Errorf("ciphertext %d: %w", i, err)
		}
	}
	return out, nil
}

// EncodeAll is the inverse of ParseAll: Size bytes for each ciphertext.
func EncodeAll(cs []Ciphertext) []byte {
	out := make([]byte, 0, len(cs)*Size)
	for _, c := range cs {
		a, b := c.A.Encoding(), c.B.Encoding()
		out = append(append(out, a[:]...), b[:]...)
	}
	return out
}

// Valid reports whether both elements are there.
func (c Ciphertext) Valid() bool { return c.A != nil && c.B != nil }
