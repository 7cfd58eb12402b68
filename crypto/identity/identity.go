// Package identity holds the keys that sign a player's entries and the words
// that people read aloud to compare what their computers hold.
//
// An identity is an Ed25519 key (RFC 8032). It is the same key that names the
// peer on the network, so the holder of a seat and the far end of a connection
// are one and the same. It signs; it never encrypts, and no secret of a game is
// derived from it.
//
// Most callers want KeyFromSeed, Key.Sign and ID.Verify. Who needs a secret for
// a proof or a card wants group.RandomScalar instead.
package identity

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"filippo.io/edwards25519"
)

// SeedSize and SignatureSize are lengths in bytes (RFC 8032, section 5.1).
const (
	SeedSize      = ed25519.SeedSize
	SignatureSize = ed25519.SignatureSize
)

// ID is the public half of an identity: a canonical Ed25519 public key.
type ID [ed25519.PublicKeySize]byte

// Key is an identity's secret half. Its zero value signs nothing.
type Key struct {
	private ed25519.PrivateKey
}

// NewKey draws a key from rand.
func NewKey(rand io.Reader) (Key, error) {
	var seed [SeedSize]byte
	if _, err := io.ReadFull(rand, seed[:]); err != nil {
		return Key{}, fmt.Errorf("identity: drawing a seed: %w", err)
	}
	return KeyFromSeed(seed), nil
}

// KeyFromSeed is the key of a stored 32-byte seed (RFC 8032, section 5.1.5).
func KeyFromSeed(seed [SeedSize]byte) Key {
	return Key{private: ed25519.NewKeyFromSeed(seed[:])}
}

// Seed returns the 32 secret bytes that KeyFromSeed takes.
func (k Key) Seed() (seed [SeedSize]byte) {
	copy(seed[:], k.private.Seed())
	return seed
}

// ID returns the public half.
func (k Key) ID() (id ID) {
	copy(id[:], k.private[ed25519.PrivateKeySize-ed25519.PublicKeySize:])
	return id
}

// String keeps a secret key out of logs and error texts.
func (k Key) String() string { return "identity.Key(secret)" }

// GoString does the same for %#v.
func (k Key) GoString() string { return k.String() }

// Sign signs message for one purpose; a signature made for one purpose does not
// verify for another. The result is deterministic (RFC 8032), so an entry that
// is sealed twice is the same bytes twice.
func (k Key) Sign(purpose string, message []byte) (sig [SignatureSize]byte) {
	copy(sig[:], ed25519.Sign(k.private, framed(purpose, message)))
	return sig
}

// Errors of ParseID.
var (
	ErrLength       = errors.New("identity: an id is 32 bytes")
	ErrNotCanonical = errors.New("identity: id is not the canonical encoding of a curve point")
	ErrLowOrder     = errors.New("identity: id has low order")
)

// ParseID decodes a public key. It refuses what RFC 8032 verifiers disagree
// about: encodings that are not canonical and points of low order, under which
// one signature would fit many messages.
func ParseID(b []byte) (ID, error) {
	if len(b) != len(ID{}) {
		return ID{}, ErrLength
	}
	p, err := new(edwards25519.Point).SetBytes(b)
	if err != nil || !bytes.Equal(p.Bytes(), b) {
		return ID{}, ErrNotCanonical
	}
	if new(edwards25519.Point).MultByCofactor(p).Equal(edwards25519.NewIdentityPoint()) == 1 {
		return ID{}, ErrLowOrder
	}
	return ID(b), nil
}

// Verify reports whether sig is this identity's signature of message for purpose.
func (id ID) Verify(purpose string, message, sig []byte) bool {
	return len(sig) == SignatureSize && ed25519.Verify(id[:], framed(purpose, message), sig)
}

// String is the id in hexadecimal.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// framed separates purposes: they contain no zero byte, so no purpose and
// message can be read as another purpose and message.
func framed(purpose string, message []byte) []byte {
	b := make([]byte, 0, len(signPrefix)+len(purpose)+1+len(message))
	b = append(b, signPrefix...)
	b = append(b, purpose...)
	b = append(b, 0)
	return append(b, message...)
}

const signPrefix = "alibi/v1/sign/"
