// Package transcript is the one hash of the protocol: TupleHash256 of NIST
// SP 800-185, under the customisation string "alibi/v1/" + purpose.
//
// A tuple hash takes a list of byte strings and not their concatenation, so
// ("ab", "c") and ("a", "bc") differ by construction. [Hash] is for one value,
// [HashToElement] and [HashToScalar] for members of the group, [XOF] for a
// stream, and [Transcript] for the running record of a proof, whose challenges
// are hashes of all that was said before (Fiat-Shamir).
//
// A purpose should be used for one kind of output only.
package transcript

import (
	"encoding/binary"
	"io"

	"alibi/crypto/group"
)

const prefix = "alibi/v1/"

// Hash returns the 256-bit hash of the list of parts under purpose.
func Hash(purpose string, parts ...[]byte) [32]byte {
	var out [32]byte
	hashTo(out[:], purpose, parts)
	return out
}

// HashToElement derives an element of unknown discrete logarithm from the
// parts: 64 bytes of the hash through RFC 9496, section 4.3.4.
func HashToElement(purpose string, parts ...[]byte) *group.Element {
	var out [64]byte
	hashTo(out[:], purpose, parts)
	e, _ := group.ElementFromUniform(out[:]) // errs on other lengths only
	return e
}

// HashToScalar derives a uniform scalar: 64 bytes of the hash, reduced.
func HashToScalar(purpose string, parts ...[]byte) *group.Scalar {
	var out [64]byte
	hashTo(out[:], purpose, parts)
	s, _ := group.ScalarFromUniform(out[:]) // errs on other lengths only
	return s
}

// XOF returns an endless stream determined by the parts (TupleHashXOF256).
// Reading from it never fails.
func XOF(purpose string, parts ...[]byte) io.Reader {
	h := newTuple(prefix + purpose)
	for _, p := range parts {
		h.add(p)
	}
	return h.stream()
}

func hashTo(out []byte, purpose string, parts [][]byte) {
	h := newTuple(prefix + purpose)
	for _, p := range parts {
		h.add(p)
	}
	h.sum(out)
}

// Every message of a transcript is two members of the tuple: one byte of kind
// before the label, then the data. Kinds keep, say, an element apart from 32
// bytes that happen to be its encoding.
const (
	kindChain     = 'h'
	kindBytes     = 'b'
	kindElements  = 'e'
	kindScalars   = 's'
	kindUint64    = 'u'
	kindChallenge = 'c'
	kindDigest    = 'd'
)

// chainSize is the length of what is carried across a challenge: with it the
// transcript starts a new tuple that stands for all before.
const chainSize = 64

// A Transcript records what prover and verifier both see, in order.
// It is not safe for concurrent use.
type Transcript struct {
	purpose string
	h       tuple
	buf     []byte // scratch for one message
}

// New starts an empty transcript.
func New(purpose string) *Transcript {
	return &Transcript{purpose: purpose, h: newTuple(prefix + purpose)}
}

// Append records a byte string.
func (t *Transcript) Append(label string, data []byte) {
	t.head(kindBytes, label)
	t.h.add(data)
}

// AppendElements records a list of elements, and with them its length.
func (t *Transcript) AppendElements(label string, elements ...*group.Element) {
	t.head(kindElements, label)
	t.buf = t.buf[:0]
	for _, e := range elements {
		enc := e.Encoding()
		t.buf = append(t.buf, enc[:]...)
	}
	t.h.add(t.buf)
}

// AppendScalars records a list of scalars, and with them its length.
func (t *Transcript) AppendScalars(label string, scalars ...*group.Scalar) {
	t.head(kindScalars, label)
	t.buf = t.buf[:0]
	for _, s := range scalars {
		t.buf = append(t.buf, s.Bytes()...)
	}
	t.h.add(t.buf)
}

// AppendUint64 records a number.
func (t *Transcript) AppendUint64(label string, n uint64) {
	t.head(kindUint64, label)
	t.buf = binary.BigEndian.AppendUint64(t.buf[:0], n)
	t.h.add(t.buf)
}

// Challenge returns a scalar that depends on everything recorded so far, and
// records that it was drawn: two in a row differ.
func (t *Transcript) Challenge(label string) *group.Scalar {
	var out [64]byte
	t.squeeze(kindChallenge, label, out[:])
	s, _ := group.ScalarFromUniform(out[:]) // errs on other lengths only
	return s
}

// Digest returns 256 bits that depend on everything recorded so far, and
// records that they were drawn.
func (t *Transcript) Digest(label string) [32]byte {
	var out [32]byte
	t.squeeze(kindDigest, label, out[:])
	return out
}

func (t *Transcript) head(kind byte, label string) {
	t.buf = append(append(t.buf[:0], kind), label...)
	t.h.add(t.buf)
}

// squeeze ends the tuple for len(out) bytes and a chain value, and starts the
// next tuple with that value. The length of the output is part of a tuple
// hash, so no such output equals one of Hash or HashToScalar.
func (t *Transcript) squeeze(kind byte, label string, out []byte) {
	t.head(kind, label)
	all := make([]byte, chainSize+len(out))
	t.h.sum(all)
	copy(out, all[chainSize:])

	t.h = newTuple(prefix + t.purpose)
	t.head(kindChain, label)
	t.h.add(all[:chainSize])
}
