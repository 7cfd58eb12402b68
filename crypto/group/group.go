// Package group is ristretto255 (RFC 9496): a group of prime order l on the
// curve of Ed25519, without the cofactor and without two encodings of one
// element.
//
// It is the only place that touches curve points. Everything else in the
// crypto wing speaks of [Element] and [Scalar], which are immutable values
// behind pointers: every operation returns a new one, so they are shared
// freely, between goroutines too.
//
// Two kinds of multiplication exist. [Element.Mul], [BaseMul] and [MultiMul]
// take the same time whatever the scalars are, and are the ones for secrets.
// [VarTimeMultiMul] is several times faster and leaks its scalars through its
// running time: for verification only.
//
// Who wants to sign or agree on a key should use crypto/ed25519 or
// crypto/ecdh instead.
package group

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"sync/atomic"

	"filippo.io/edwards25519"
)

// ElementSize and ScalarSize are the lengths of the encodings, in bytes.
const (
	ElementSize = 32
	ScalarSize  = 32
	uniformSize = 64
)

// Why an encoding was refused. The five in the middle are the classes of
// RFC 9496, appendix A.2.
var (
	ErrLength       = errors.New("group: wrong length")
	ErrNonCanonical = errors.New("group: field element not canonical")
	ErrNegative     = errors.New("group: negative field element")
	ErrNotSquare    = errors.New("group: no such point on the curve")
	ErrNegativeT    = errors.New("group: negative product of coordinates")
	ErrZeroY        = errors.New("group: zero y coordinate")
	ErrIdentity     = errors.New("group: identity element")
	ErrScalarRange  = errors.New("group: scalar not below the group order")
)

// An Element is a member of the group. It never changes; the zero value is
// not an element.
type Element struct {
	_ [0]func() // two points may stand for one element: == would be wrong
	p edwards25519.Point
	// The encoding costs a field exponentiation, so it is kept once known.
	// Racing writers store equal values.
	enc   atomic.Pointer[[ElementSize]byte]
	table *fixedTable // of a prepared element, otherwise nil
}

var (
	identity = &Element{p: *edwards25519.NewIdentityPoint()}
	base     = &Element{p: *edwards25519.NewGeneratorPoint()}
)

// Identity returns the neutral element, whose encoding is 32 zero bytes.
func Identity() *Element { return identity }

// Base returns the generator G of RFC 9496, section 4.
func Base() *Element { return base }

// ParseElement decodes exactly 32 bytes. It accepts canonical encodings only,
// the identity among them.
func ParseElement(b []byte) (*Element, error) {
	e := new(Element)
	if err := decode(&e.p, b); err != nil {
		return nil, err
	}
	enc := [ElementSize]byte(b)
	e.enc.Store(&enc)
	return e, nil
}

// ParseNonIdentity is ParseElement for places where the identity would void
// the protocol: public keys, the first half of a ciphertext, beacon shares.
func ParseNonIdentity(b []byte) (*Element, error) {
	e, err := ParseElement(b)
	if err != nil {
		return nil, err
	}
	if e.IsIdentity() {
		return nil, ErrIdentity
	}
	return e, nil
}

// ElementFromUniform maps 64 uniformly random bytes to an element nobody knows
// the discrete logarithm of (RFC 9496, section 4.3.4).
func ElementFromUniform(b []byte) (*Element, error) {
	if len(b) != uniformSize {
		return nil, fmt.Errorf("%w: %d uniform bytes, want %d", ErrLength, len(b), uniformSize)
	}
	e := new(Element)
	if err := fromUniform(&e.p, b); err != nil {
		return nil, err
	}
	return e, nil
}

// Add returns e + f.
func (e *Element) Add(f *Element) *Element {
	r := new(Element)
	r.p.Add(&e.p, &f.p)
	return r
}

// Sub returns e - f.
func (e *Element) Sub(f *Element) *Element {
	r := new(Element)
	r.p.Subtract(&e.p, &f.p)
	return r
}

// Neg returns -e.
func (e *Element) Neg() *Element {
	r := new(Element)
	r.p.Negate(&e.p)
	return r
}

// Mul returns s e in constant time.
func (e *Element) Mul(s *Scalar) *Element {
	if e.hasTable() {
		return MultiMul([]*Scalar{s}, []*Element{e})
	}
	r := new(Element)
	r.p.ScalarMult(&s.s, &e.p)
	return r
}

// BaseMul returns s G in constant time, from a table of multiples of G.
func BaseMul(s *Scalar) *Element {
	r := new(Element)
	r.p.ScalarBaseMult(&s.s)
	return r
}

// Equal reports whether e and f are the same element, whatever points of
// their cosets stand for them (RFC 9496, section 4.3.3).
func (e *Element) Equal(f *Element) bool {
	if a, b := e.enc.Load(), f.enc.Load(); a != nil && b != nil {
		return subtle.ConstantTimeCompare(a[:], b[:]) == 1
	}
	return equalPoints(&e.p, &f.p)
}

// IsIdentity reports whether e is the neutral element.
func (e *Element) IsIdentity() bool { return e == identity || isIdentityPoint(&e.p) }

// Encoding returns the canonical 32 bytes. It is computed once.
func (e *Element) Encoding() [ElementSize]byte {
	if enc := e.enc.Load(); enc != nil {
		return *enc
	}
	enc := encode(&e.p)
	e.enc.Store(&enc)
	return enc
}

// Bytes is Encoding as a fresh slice.
func (e *Element) Bytes() []byte {
	enc := e.Encoding()
	return enc[:]
}
