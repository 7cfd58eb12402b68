// Package shuffle mixes a deck of encrypted cards and proves that nothing else
// happened to it.
//
// Shuffle permutes the ciphertexts and re-randomises each; Prove shows, without
// a word about the order, that the output holds exactly the cards of the input.
// Whoever plays checks every shuffle before a card is opened: with Verify, or
// with Check and a sigma.Batch when there are several. One honest shuffler is
// enough to hide the order from all the others.
//
// The proof is the argument of Bayer and Groth, "Efficient Zero-Knowledge
// Argument for Correctness of a Shuffle" (EUROCRYPT 2012), in its form with a
// single row (m = 1), made non-interactive by hashing. It has
// 32 (3 N + 10) bytes for N cards and costs 5 N + 11 points to verify in a
// batch.
//
// # What the prover's timing depends on
//
// The order and the re-randomisation are secret. All group operations on them
// are constant time, the tiny exponents of the first commitment included. The
// permutation is applied by indexing slices, so the number and kind of
// operations do not depend on it but the addresses read do: somebody who
// watches the cache lines of this process would see it, a peer who measures
// how long a proof took does not. Drawing the permutation takes one random
// word per card except where a word is rejected, which happens independently
// of the number that is drawn in the end.
//
// Nobody who wants to play cards needs this package alone: crypto/deck deals
// and opens what it shuffles.
package shuffle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/internal/hedge"
	"alibi/crypto/transcript"
)

// A shuffle takes MinCards to MaxCards cards.
const (
	MinCards = 2
	MaxCards = 1024
)

// ErrStuck reports a random source that cannot be random.
var ErrStuck = errors.New("random source repeats itself")

// Witness is what the shuffler alone knows: the order and the re-randomisation
// of one shuffle. It is made by Shuffle, used by Prove and then forgotten.
type Witness struct {
	perm []int           // out[i] comes from in[perm[i]]
	rho  []*group.Scalar // and was re-randomised by rho[i]
	made [32]byte        // hash of key, in and out
}

// Shuffle returns the cards of in under key in a random order, each
// re-randomised, and the witness to prove it. All n! orders are equally likely.
//
// The deck in is either a start deck (every card elgamal.Plain) or the output
// of a shuffle: a mixture is refused, as is a key that is the identity.
// The order comes straight from rand; the re-randomisation is hashed from rand,
// the key and the deck, so that it never repeats for another deck.
func Shuffle(key *group.Element, in []elgamal.Ciphertext, rand io.Reader) ([]elgamal.Ciphertext, *Witness, error) {
	if err := checkInput(key, in); err != nil {
		return nil, nil, err
	}
	perm, err := permutation(len(in), rand)
	if err != nil {
		return nil, nil, err
	}
	src, err := hedge.New("shuffle/rerandomise", rand, nil, key.Bytes(), elgamal.EncodeAll(in))
	if err != nil {
		return nil, nil, err
	}
	rho := src.Scalars(len(in))
	out := make([]elgamal.Ciphertext, len(in))
	table := key.Prepared() // pays from the fifth card on
	for i := range out {
		out[i] = in[perm[i]].Rerandomise(table, rho[i])
	}
	return out, &Witness{perm: perm, rho: rho, made: statementHash(key, in, out)}, nil
}

// permutation draws one of the n! orders by Fisher-Yates.
func permutation(n int, rand io.Reader) ([]int, error) {
	perm := make([]int, n)
	for i := range perm {
		perm[i] = i
	}
	for i := n - 1; i > 0; i-- {
		j, err := below(uint32(i)+1, rand)
		if err != nil {
			return nil, err
		}
		perm[i], perm[j] = perm[j], perm[i]
	}
	return perm, nil
}

// below draws from 0..n-1 by rejection: words at the top of the range would
// make some remainders likelier than others. With at most MaxCards items a
// word of 32 bits is rejected with a chance below 2^-22, so a source that is
// rejected eight times running is broken, and saying so beats reading for ever.
func below(n uint32, rand io.Reader) (int, error) {
	excess := -n % n // 2^32 mod n
	var word [4]byte
	for range 8 {
		if _, err := io.ReadFull(rand, word[:]); err != nil {
			return 0, fmt.Errorf("drawing a permutation: %w", err)
		}
		v := binary.LittleEndian.Uint32(word[:])
		if v <= ^uint32(0)-excess {
			return int(v % n), nil
		}
	}
	return 0, ErrStuck
}

// statementHash binds a witness to the shuffle it was made with.
func statementHash(key *group.Element, in, out []elgamal.Ciphertext) [32]byte {
	return transcript.Hash("shuffle/witness", key.Bytes(), elgamal.EncodeAll(in), elgamal.EncodeAll(out))
}
