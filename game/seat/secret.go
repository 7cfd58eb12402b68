// Package seat is one player's side of a game: the secrets of a seat, and the
// entries it owes. Given a State it says what the seat holds and has been
// shown, and makes the body of its next entry, proofs and all. It sends
// nothing, stores nothing and draws randomness only from the reader it is given.
//
// Most callers use Draw and Secret.Commitment before the charter, then New, and
// Seat.Answer whenever table.State.Owed names the seat.
package seat

import (
	"fmt"
	"io"

	"alibi/crypto/feed"
	"alibi/crypto/group"
	"alibi/crypto/identity"
	"alibi/crypto/transcript"
	"alibi/game/table"
)

// SecretSize is the length of an encoded Secret in bytes.
const SecretSize = 4 * 32

// Secret is what a player must never show and must not lose while the game
// lasts: two keys, a nonce and a seed for salts.
type Secret struct {
	nonce [32]byte
	seed  [32]byte
	seat  *group.Scalar // y
	lock  *group.Scalar // x
}

// Draw makes a fresh secret. One secret serves one game.
func Draw(rand io.Reader) (*Secret, error) {
	s := new(Secret)
	for _, b := range [][]byte{s.nonce[:], s.seed[:]} {
		if _, err := io.ReadFull(rand, b); err != nil {
			return nil, fmt.Errorf("seat: drawing a secret: %w", err)
		}
	}
	for _, k := range []**group.Scalar{&s.seat, &s.lock} {
		var err error
		if *k, err = group.RandomScalar(rand); err != nil {
			return nil, fmt.Errorf("seat: drawing a key: %w", err)
		}
	}
	return s, nil
}

// Bytes encodes the secret for a private store.
func (s *Secret) Bytes() []byte {
	out := make([]byte, 0, SecretSize)
	out = append(out, s.nonce[:]...)
	out = append(out, s.seed[:]...)
	out = append(out, s.seat.Bytes()...)
	return append(out, s.lock.Bytes()...)
}

// ParseSecret decodes what Bytes made. Errors do not contain the bytes.
func ParseSecret(b []byte) (*Secret, error) {
	if len(b) != SecretSize {
		return nil, fmt.Errorf("seat: a secret is %d bytes, not %d", SecretSize, len(b))
	}
	s := new(Secret)
	copy(s.nonce[:], b)
	copy(s.seed[:], b[32:])
	var err error
	if s.seat, err = group.ParseScalar(b[64:96]); err != nil {
		return nil, fmt.Errorf("seat: stored seat key: %w", err)
	}
	if s.lock, err = group.ParseScalar(b[96:]); err != nil {
		return nil, fmt.Errorf("seat: stored lock key: %w", err)
	}
	return s, nil
}

// String keeps a secret out of logs and error texts.
func (s Secret) String() string { return "seat.Secret" }

// Format does the same for every verb and flag, and for a copy of the value.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// Commitment is what the player's line of the charter commits to.
func (s *Secret) Commitment(id identity.ID) feed.Hash {
	seat, lock := s.public()
	return table.Commitment(id, s.nonce, seat.Encoding(), [][32]byte{lock.Encoding()})
}

func (s *Secret) public() (seat, lock *group.Element) {
	return group.BaseMul(s.seat), group.BaseMul(s.lock)
}

// salt hides a sealed choice. It is derived, so that a peer that comes back
// after a crash can still open what it sealed.
func (s *Secret) salt(game feed.Hash, round uint32) [32]byte {
	return transcript.Hash("salt", s.seed[:], game[:],
		[]byte{byte(round >> 24), byte(round >> 16), byte(round >> 8), byte(round)})
}
