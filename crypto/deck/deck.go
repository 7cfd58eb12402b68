// Package deck is a toolkit for card games without a dealer ("mental poker").
// It knows no game: who may see or do what, and when, is the caller's.
//
// A Deck names the cards of a game as group elements. Cards are dealt like this
// (the Example does it):
//
//  1. Every player has a lock key x_j and, to receive cards, a seat key y_j.
//     The lock keys together are an elgamal.Quorum.
//  2. The start deck is elgamal.Plain of every card. Each player in turn mixes
//     it with shuffle.Shuffle under Quorum.Joint and proves it; all check.
//  3. To take cards out, each helper publishes one Share for a list of Tasks:
//     Reveal turns a card up for all, HandOver gives it to one player only.
//     Opened and Handed add the checked shares up. A card handed over is a
//     ciphertext under the receiver's seat key, which everybody knows and the
//     receiver alone can decrypt; many such are a hand.
//
// With hands like that players can answer truthfully without showing:
//
//   - Deny: none of the cards in my hand is among those asked for.
//   - Show: this, encrypted to the asker, is a card of my hand and one asked
//     for. Nobody else learns which, nor whether there was a choice.
//   - MakeGuess, Open, Differ: commit to a choice of cards, open it, or prove
//     that it is not what some cards say, and nothing beyond that.
//
// Every message has a Check function that recomputes the challenges and returns
// a sigma.Check: call its Verify, or collect many in a sigma.Batch. The size of
// a message depends only on the public numbers it is made for (cards in the
// hand, cards asked for, tasks), never on which card or branch is true, and the
// proofs do the same operations for all of them.
//
// Every call takes a context, ctx: bytes naming game, round and seat. A proof is
// refused in any other context, so nobody can repeat another's message as their
// own. Secret scalars are passed in and never kept; randomness is an io.Reader,
// in programs crypto/rand.Reader. Lock keys and seat keys are drawn afresh for
// every game and serve for nothing else.
//
// Values parsed from a peer never make this package panic. A Task, a hand or a
// list of asked cards is the caller's own, from the agreed state of the game: a
// nil element there is reported as an error too.
package deck

import (
	"encoding/binary"
	"errors"
	"fmt"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/shuffle"
	"alibi/crypto/transcript"
)

// MaxCards bounds a deck, a hand, and a list of cards asked for.
const MaxCards = shuffle.MaxCards

// ErrIdentity reports an element that may not be the identity and is.
var ErrIdentity = elgamal.ErrIdentity

// Deck is a named list of cards, each a group element that everybody can
// compute. It is immutable and safe for concurrent use.
type Deck struct {
	cards []*group.Element
	index map[[group.ElementSize]byte]int
}

// New makes the deck of n cards called name: card i is the hash of name and i
// to the group, so that no relation between cards is known. Decks with
// different names have no card in common. It panics when n is outside
// 1..MaxCards, a number that no peer supplies.
func New(name string, n int) *Deck {
	if n < 1 || n > MaxCards {
		panic(fmt.Sprintf("deck: %d cards, allowed are 1 to %d", n, MaxCards))
	}
	d := &Deck{
		cards: make([]*group.Element, n),
		index: make(map[[group.ElementSize]byte]int, n),
	}
	for i := range d.cards {
		var at [8]byte
		binary.BigEndian.PutUint64(at[:], uint64(i))
		d.cards[i] = transcript.HashToElement("card", []byte(name), at[:])
		d.index[d.cards[i].Encoding()] = i
	}
	return d
}

// Len returns the number of cards.
func (d *Deck) Len() int { return len(d.cards) }

// Card returns card i, 0 <= i < Len. It is nil outside that range.
func (d *Deck) Card(i int) *group.Element {
	if i < 0 || i >= len(d.cards) {
		return nil
	}
	return d.cards[i]
}

// Index returns which card m is, and whether it is one.
func (d *Deck) Index(m *group.Element) (int, bool) {
	if m == nil {
		return 0, false
	}
	i, ok := d.index[m.Encoding()]
	return i, ok
}

// Start returns the deck before the first shuffle, elgamal.Plain of each card.
func (d *Deck) Start() []elgamal.Ciphertext {
	out := make([]elgamal.Ciphertext, len(d.cards))
	for i, m := range d.cards {
		out[i] = elgamal.Plain(m)
	}
	return out
}

var errNil = errors.New("element is missing")

// usable refuses elements that are missing or the identity.
func usable(what string, es ...*group.Element) error {
	for i, e := range es {
		if e == nil {
			return fmt.Errorf("%s %d: %w", what, i, errNil)
		}
		if e.IsIdentity() {
			return fmt.Errorf("%s %d: %w", what, i, ErrIdentity)
		}
	}
	return nil
}

// usableCards refuses an empty or too long list of ciphertexts and any that
// hides nothing.
func usableCards(what string, cs []elgamal.Ciphertext) error {
	if len(cs) < 1 || len(cs) > MaxCards {
		return fmt.Errorf("%s has %d cards, allowed are 1 to %d", what, len(cs), MaxCards)
	}
	for i, c := range cs {
		if !c.Valid() {
			return fmt.Errorf("%s %d: %w", what, i, errNil)
		}
		if c.A.IsIdentity() {
			return fmt.Errorf("%s %d: %w", what, i, ErrIdentity)
		}
	}
	return nil
}
