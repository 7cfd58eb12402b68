// Package hedge derives one-time scalars (nonces, blinding factors) for the
// provers of this wing.
//
// A nonce that repeats, or that an attacker can guess, gives the secret away.
// Drawing it straight from a random source makes the proof as weak as that
// source, so here it comes out of a hash over the secrets, fresh randomness
// and the whole statement: a broken source then costs nothing as long as the
// secrets are unknown, and two statements never share a nonce
// (draft-irtf-cfrg-det-sigs-with-noise explains the idea for signatures).
//
// It is internal: whoever plays cards wants crypto/deck.
package hedge

import (
	"fmt"
	"io"

	"alibi/crypto/group"
	"alibi/crypto/transcript"
)

// Source is a stream of secret scalars. It is not safe for concurrent use.
type Source struct{ stream io.Reader }

// New reads 32 bytes from rand and mixes them with secrets and statement. The
// purpose separates the streams of different proofs. Every part is framed by
// length, so no two different inputs hash the same bytes.
func New(purpose string, rand io.Reader, secrets []*group.Scalar, statement ...[]byte) (*Source, error) {
	var fresh [32]byte
	if _, err := io.ReadFull(rand, fresh[:]); err != nil {
		return nil, fmt.Errorf("reading 32 random bytes: %w", err)
	}
	known := make([]byte, 0, len(secrets)*group.ScalarSize)
	for _, s := range secrets {
		known = append(known, s.Bytes()...)
	}
	parts := append([][]byte{fresh[:], known}, statement...)
	return &Source{transcript.XOF("hedge/"+purpose, parts...)}, nil
}

// Scalar returns the next scalar of the stream.
func (s *Source) Scalar() *group.Scalar {
	r, _ := group.RandomScalar(s.stream) // an XOF does not end and does not err
	return r
}

// Scalars returns the next n scalars of the stream.
func (s *Source) Scalars(n int) []*group.Scalar {
	out := make([]*group.Scalar, n)
	for i := range out {
		out[i] = s.Scalar()
	}
	return out
}
