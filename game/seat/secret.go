// Package seat is one player's side of a game: the secrets of a seat, and the
// entries it owes. Given a State it says what the seat holds and has been
// shown, and makes the body of its next entry, proofs and all. It sends
// nothing, stores nothing and draws randomness only from the reader it is given.
//
// Most callers use Draw and Secret.Commitment before the charter, then New, and
// Seat.Answer whenever table.State.Owed names the seat.
package seat

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"alibi/crypto/dkg"
	"alibi/crypto/feed"
	"alibi/crypto/group"
	"alibi/crypto/identity"
	"alibi/crypto/transcript"
	"alibi/game/table"
)

var errZeroKey = errors.New("seat: a stored key is zero")

// SecretSize is the length of an encoded Secret in bytes.
const SecretSize = 4 * 32

// Secret is what a player must never show and must not lose while the game
// lasts: two keys, a nonce and a seed for salts.
//
// It never prints, neither itself nor inside another value. There fmt asks no
// method, and a verb that does not fit makes it follow a pointer; it calls no
// function.
type Secret struct{ keep func() *kept }

type kept struct {
	nonce [32]byte
	seed  [32]byte
	seat  *group.Scalar // y
	lock  *group.Scalar // x
}

func keeping(k *kept) *Secret { return &Secret{keep: func() *kept { return k }} }

// Draw makes a fresh secret. One secret serves one game.
func Draw(rand io.Reader) (*Secret, error) {
	k := new(kept)
	for _, b := range [][]byte{k.nonce[:], k.seed[:]} {
		if _, err := io.ReadFull(rand, b); err != nil {
			return nil, fmt.Errorf("seat: drawing a secret: %w", err)
		}
	}
	for _, key := range []**group.Scalar{&k.seat, &k.lock} {
		var err error
		if *key, err = group.RandomScalar(rand); err != nil {
			return nil, fmt.Errorf("seat: drawing a key: %w", err)
		}
	}
	return keeping(k), nil
}

// Bytes encodes the secret for a private store.
func (s *Secret) Bytes() []byte {
	k := s.keep()
	out := make([]byte, 0, SecretSize)
	out = append(out, k.nonce[:]...)
	out = append(out, k.seed[:]...)
	out = append(out, k.seat.Bytes()...)
	return append(out, k.lock.Bytes()...)
}

// ParseSecret decodes what Bytes made. Errors do not contain the bytes.
func ParseSecret(b []byte) (*Secret, error) {
	if len(b) != SecretSize {
		return nil, fmt.Errorf("seat: a secret is %d bytes, not %d", SecretSize, len(b))
	}
	k := new(kept)
	copy(k.nonce[:], b)
	copy(k.seed[:], b[32:])
	var err error
	if k.seat, err = group.ParseScalar(b[64:96]); err != nil {
		return nil, fmt.Errorf("seat: stored seat key: %w", err)
	}
	if k.lock, err = group.ParseScalar(b[96:]); err != nil {
		return nil, fmt.Errorf("seat: stored lock key: %w", err)
	}
	if k.seat.IsZero() || k.lock.IsZero() {
		return nil, errZeroKey // the file was blanked
	}
	return keeping(k), nil
}

// String keeps a secret out of logs and error texts.
func (s Secret) String() string { return "seat.Secret" }

// Format does the same for every verb and flag.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// Commitment is what the player's line of the charter commits to, at a table of
// so many seats that so many may leave.
func (s *Secret) Commitment(id identity.ID, seats, leavers int) feed.Hash {
	seat, lock := s.public(lockSize(seats, leavers))
	return table.Commitment(id, s.keep().nonce, seat.Encoding(), encodings(lock))
}

// lockSize is how many coefficients a seat's part of the joint key has: one when
// all must help, else as many as must help.
func lockSize(seats, leavers int) int {
	if leavers == 0 {
		return 1
	}
	return seats - leavers
}

// public is the seat key and the commitments to the coefficients of the lock.
func (s *Secret) public(coefficients int) (seat *group.Element, lock []*group.Element) {
	return group.BaseMul(s.keep().seat), s.polynomial(coefficients).Commitments()
}

// polynomial has the lock key as its value at 0. Its other coefficients are
// derived, so that a peer that comes back after a crash deals the same shares.
func (s *Secret) polynomial(coefficients int) *dkg.Polynomial {
	k := s.keep()
	return dkg.New(k.lock, coefficients, func(i int) *group.Scalar {
		return transcript.HashToScalar("coefficient", k.seed[:], []byte{byte(coefficients), byte(i)})
	})
}

func encodings(es []*group.Element) [][32]byte {
	out := make([][32]byte, len(es))
	for i, e := range es {
		out[i] = e.Encoding()
	}
	return out
}

// salt hides a sealed choice. It is derived, so that a peer that comes back
// after a crash can still open what it sealed.
func (s *Secret) salt(game feed.Hash, round uint32) [32]byte {
	return transcript.Hash("salt", s.keep().seed[:], game[:],
		binary.BigEndian.AppendUint32(nil, round))
}
