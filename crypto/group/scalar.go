package group

import (
	"encoding/binary"
	"fmt"
	"io"

	"filippo.io/edwards25519"
)

// A Scalar is an integer modulo the group order
// l = 2^252 + 27742317777372353535851937790883648493.
// It never changes; the zero value is zero. All methods run in constant time.
type Scalar struct {
	_ [0]func() // equal numbers may be stored differently
	s edwards25519.Scalar
}

// ParseScalar decodes exactly 32 little-endian bytes of a number below l.
func ParseScalar(b []byte) (*Scalar, error) {
	if len(b) != ScalarSize {
		return nil, fmt.Errorf("%w: scalar of %d bytes, want %d", ErrLength, len(b), ScalarSize)
	}
	s := new(Scalar)
	if _, err := s.s.SetCanonicalBytes(b); err != nil {
		return nil, ErrScalarRange
	}
	return s, nil
}

// ScalarFromUniform reduces 64 uniformly random bytes modulo l
// (RFC 9496, section 4.4); the result is uniform within 2^-250.
func ScalarFromUniform(b []byte) (*Scalar, error) {
	s := new(Scalar)
	if _, err := s.s.SetUniformBytes(b); err != nil {
		return nil, fmt.Errorf("%w: %d uniform bytes, want %d", ErrLength, len(b), uniformSize)
	}
	return s, nil
}

// ScalarFromUint64 returns n as a scalar.
func ScalarFromUint64(n uint64) *Scalar {
	var b [ScalarSize]byte
	binary.LittleEndian.PutUint64(b[:], n)
	return mustShort(&b)
}

// ScalarFromWeight returns the 128-bit little-endian number w as a scalar.
// Half as long as a whole scalar, it costs half as much to multiply by, and
// is long enough to weight the members of a batch.
func ScalarFromWeight(w [16]byte) *Scalar {
	var b [ScalarSize]byte
	copy(b[:], w[:])
	return mustShort(&b)
}

// mustShort decodes a number known to be below 2^252, which is canonical.
func mustShort(b *[ScalarSize]byte) *Scalar {
	s := new(Scalar)
	s.s.SetCanonicalBytes(b[:])
	return s
}

// RandomScalar draws a scalar from rand: 64 bytes, reduced.
func RandomScalar(rand io.Reader) (*Scalar, error) {
	var b [uniformSize]byte
	if _, err := io.ReadFull(rand, b[:]); err != nil {
		return nil, fmt.Errorf("group: reading randomness: %w", err)
	}
	return ScalarFromUniform(b[:])
}

// Add returns s + t.
func (s *Scalar) Add(t *Scalar) *Scalar {
	r := new(Scalar)
	r.s.Add(&s.s, &t.s)
	return r
}

// Sub returns s - t.
func (s *Scalar) Sub(t *Scalar) *Scalar {
	r := new(Scalar)
	r.s.Subtract(&s.s, &t.s)
	return r
}

// Mul returns s t.
func (s *Scalar) Mul(t *Scalar) *Scalar {
	r := new(Scalar)
	r.s.Multiply(&s.s, &t.s)
	return r
}

// MulAdd returns s t + u.
func (s *Scalar) MulAdd(t, u *Scalar) *Scalar {
	r := new(Scalar)
	r.s.MultiplyAdd(&s.s, &t.s, &u.s)
	return r
}

// Neg returns -s.
func (s *Scalar) Neg() *Scalar {
	r := new(Scalar)
	r.s.Negate(&s.s)
	return r
}

// Invert returns 1/s, and zero for zero.
func (s *Scalar) Invert() *Scalar {
	r := new(Scalar)
	r.s.Invert(&s.s)
	return r
}

// IsZero reports whether s is zero.
func (s *Scalar) IsZero() bool { return s.s.Equal(edwards25519.NewScalar()) == 1 }

// Equal reports whether s and t are the same number.
func (s *Scalar) Equal(t *Scalar) bool { return s.s.Equal(&t.s) == 1 }

// Bytes returns the canonical 32 little-endian bytes.
func (s *Scalar) Bytes() []byte { return s.s.Bytes() }
