// Package beacon turns the helpers' shares of one curve point into random
// numbers that nobody could predict or choose.
//
// For each number of a game there is one point P that everybody can compute.
// The helpers publish x_j P (a deck.Raise task, with its proof); the weighted
// sum Z = x P is the same whoever helps, and unknown before enough have
// helped. The value is a hash of Z (a threshold verifiable random function in
// the manner of RFC 9381 section 1, without the single key).
//
// The shares must have been checked with deck.CheckShare: this package only
// adds them up. What is left to a dishonest helper is to withhold its share,
// which stops everybody and names it.
package beacon

import (
	"encoding/binary"
	"errors"
	"fmt"

	"alibi/crypto/group"
	"alibi/crypto/transcript"
)

// ErrIdentity reports a share, or a sum, that is the identity.
var ErrIdentity = errors.New("beacon share is the identity")

// Point returns the point whose multiple decides the counter-th random value
// of the game.
func Point(game [32]byte, counter uint64) *group.Element {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], counter)
	return transcript.HashToElement("beacon", game[:], n[:])
}

// Value is 32 uniformly random bytes from which any number of draws can be
// made, each under its own label.
type Value [32]byte

// Combine adds shares x_j P with the weights of elgamal.Quorum.Weights for the
// same helpers in the same order, and hashes the sum. It refuses the identity
// as a share or as the sum, missing shares, and none at all.
func Combine(weights []*group.Scalar, shares []*group.Element) (Value, error) {
	if len(weights) != len(shares) || len(shares) == 0 {
		return Value{}, fmt.Errorf("%d weights for %d beacon shares", len(weights), len(shares))
	}
	for j, s := range shares {
		if s == nil || weights[j] == nil {
			return Value{}, fmt.Errorf("beacon share %d or its weight is missing", j)
		}
		if s.IsIdentity() {
			return Value{}, fmt.Errorf("share %d: %w", j, ErrIdentity)
		}
	}
	return FromSum(group.VarTimeMultiMul(weights, shares))
}

// FromSum is the value behind Z, the weighted sum of checked shares, which is
// what deck.Opened returns for a deck.Raise. It refuses the identity.
func FromSum(z *group.Element) (Value, error) {
	if z.IsIdentity() {
		return Value{}, fmt.Errorf("sum of shares: %w", ErrIdentity)
	}
	return transcript.Hash("beacon/value", z.Bytes()), nil
}

// Int draws from 0..n-1, each equally likely. The same value and label always
// give the same number; different labels give independent ones. It panics
// when n < 1, which only a program can ask for.
func (v Value) Int(label string, n int) int {
	return v.draw(label, 0, n)
}

// Perm draws an order of 0..n-1, each of the n! equally likely up to the 256
// bits of the value, and independent of Int under the same label. It panics
// when n < 0.
func (v Value) Perm(label string, n int) []int {
	if n < 0 {
		panic(fmt.Sprintf("beacon: permutation of %d items", n))
	}
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	// Fisher-Yates from the top (Durstenfeld 1964).
	for i := n - 1; i > 0; i-- {
		j := v.draw(label, uint64(i), i+1)
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// draw hashes 64-bit words and rejects those at or above the largest multiple
// of n, since a plain remainder would favour small numbers.
func (v Value) draw(label string, index uint64, n int) int {
	if n < 1 {
		panic(fmt.Sprintf("beacon: draw from %d items", n))
	}
	bound := uint64(n)
	// 2^64 mod bound words at the top are one too many for some remainders.
	excess := -bound % bound
	for try := uint64(0); ; try++ {
		var at [16]byte
		binary.BigEndian.PutUint64(at[:8], index)
		binary.BigEndian.PutUint64(at[8:], try)
		h := transcript.Hash("beacon/draw", v[:], []byte(label), at[:])
		word := binary.BigEndian.Uint64(h[:8])
		if word <= ^uint64(0)-excess {
			return int(word % bound)
		}
	}
}
