package deck

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/internal/hedge"
	"alibi/crypto/sigma"
)

// Guess binds its maker to one card of each category, encrypted to the maker's
// own seat key, before anybody learns which.
type Guess struct{ body }

// guessClaim says of the ciphertext of every category, for some card M of it:
//
//	A = r G,  B - M = r Y
//
// Knowing r is what keeps somebody else's guess, re-randomised or not, from
// being passed off as one's own.
func guessClaim(key *group.Element, choices [][]*group.Element, cs []elgamal.Ciphertext) *sigma.Claim {
	claim := sigma.NewClaim("deck/guess")
	for i, cards := range choices {
		claim.Clause(hides(key, cards, cs[i])...)
	}
	return claim
}

// MakeGuess picks choices[i][picks[i]] in every category i, under the seat key
// key of its maker, who can later Open it.
func MakeGuess(ctx []byte, key *group.Element, choices [][]*group.Element, picks []int, rand io.Reader) (*Guess, error) {
	if err := checkChoices(key, choices); err != nil {
		return nil, err
	}
	if len(picks) != len(choices) {
		return nil, fmt.Errorf("%d picks for %d categories", len(picks), len(choices))
	}
	here := guessPlace(ctx, key, choices)
	picked := make([]byte, 0, 8*len(picks))
	for i, p := range picks {
		if p < 0 || p >= len(choices[i]) {
			return nil, fmt.Errorf("pick outside the %d cards of category %d", len(choices[i]), i)
		}
		picked = binary.BigEndian.AppendUint64(picked, uint64(p))
	}
	src, err := hedge.New("deck/guess", rand, nil, here, picked)
	if err != nil {
		return nil, err
	}
	cs := make([]elgamal.Ciphertext, len(choices))
	known := make([]sigma.Known, len(choices))
	for i, p := range picks {
		r := src.Scalar()
		cs[i] = elgamal.Encrypt(choices[i][p], key, r)
		known[i] = sigma.Known{Branch: p, Secrets: []*group.Scalar{r}}
	}
	proof, err := sigma.Prove(here, guessClaim(key, choices, cs), known, rand)
	if err != nil {
		return nil, err
	}
	return &Guess{body{flat(cs), proof}}, nil
}

func checkChoices(key *group.Element, choices [][]*group.Element) error {
	if err := usable("seat key", key); err != nil {
		return err
	}
	lens := make([]int, len(choices))
	for i, cards := range choices {
		if err := usable("card of category", cards...); err != nil {
			return err
		}
		lens[i] = len(cards)
	}
	return checkLens(lens)
}

// checkLens bounds the work. That there is a category at all, package sigma
// looks: it refuses to prove nothing.
func checkLens(lens []int) error {
	total := 0
	for i, n := range lens {
		if n < 1 || n > MaxCards {
			return fmt.Errorf("category %d has %d cards", i, n)
		}
		total += n
	}
	if total > maxPairs {
		return fmt.Errorf("guess among %d cards", total)
	}
	return nil
}

func guessPlace(ctx []byte, key *group.Element, choices [][]*group.Element) []byte {
	return place("guess", ctx, append([][]*group.Element{{key}}, choices...)...)
}

// Cards returns the ciphertexts under the maker's key, one for each category.
func (g *Guess) Cards() []elgamal.Ciphertext {
	cs := make([]elgamal.Ciphertext, len(g.points)/2)
	for i := range cs {
		cs[i] = elgamal.Ciphertext{A: g.points[2*i], B: g.points[2*i+1]}
	}
	return cs
}

// GuessSize returns the length in bytes of a Guess in categories of lens cards,
// or 0 when there is none.
func GuessSize(lens []int) int {
	if checkLens(lens) != nil {
		return 0
	}
	return bodySize(2*len(lens), guessShape(lens))
}

func guessShape(lens []int) *sigma.Claim {
	choices := make([][]*group.Element, len(lens))
	for i, n := range lens {
		choices[i] = stand(n)
	}
	return guessClaim(group.Base(), choices, standCards(len(lens)))
}

// ParseGuess reads a Guess in categories of lens cards. It refuses any other
// length, encodings that are not canonical, and the identity.
func ParseGuess(lens []int, b []byte) (*Guess, error) {
	if err := checkLens(lens); err != nil {
		return nil, err
	}
	m, err := parseBody(b, 2*len(lens), guessShape(lens))
	if err != nil {
		return nil, fmt.Errorf("guess: %w", err)
	}
	return &Guess{m}, nil
}

// CheckGuess returns what remains to be verified of the guess g under key.
func CheckGuess(ctx []byte, key *group.Element, choices [][]*group.Element, g *Guess) (*sigma.Check, error) {
	if err := checkChoices(key, choices); err != nil {
		return nil, err
	}
	if g == nil {
		return nil, errors.New("guess is missing")
	}
	if err := g.fits(2 * len(choices)); err != nil {
		return nil, fmt.Errorf("guess: %w", err)
	}
	return guessClaim(key, choices, g.Cards()).Check(guessPlace(ctx, key, choices), g.proof)
}
