// Package table is the fold: the state of a game as a pure function of its
// closed rounds. Every peer, every spectator and every later auditor computes
// the same State from the same log, proofs checked, with no secret.
//
// New starts at a charter. Apply takes the entries of a closed round and
// returns the state after it. Owed says who must speak next and with what.
// Apply is total: a signed but illegal entry yields the same Fault on every
// machine, and a game with a fault stands still.
package table

import (
	"errors"
	"fmt"
	"slices"

	"alibi/crypto/beacon"
	"alibi/crypto/deck"
	"alibi/crypto/dkg"
	"alibi/crypto/elgamal"
	"alibi/crypto/feed"
	"alibi/crypto/group"
	"alibi/game/move"
	"alibi/game/rules"
)

// Stage is how far a game has come.
type Stage uint8

// The stages in order. Sorting and Pooling take one round for each seat.
const (
	Accepting Stage = iota // everybody signs the charter
	Keying                 // nonces and keys are opened
	Sharing                // each seat deals key shares to all others, if seats may leave
	Vetting                // everybody says whether the shares they got are good
	Sorting                // each seat shuffles the categories, apart
	Pooling                // each seat shuffles what is left, together
	Checking               // everybody states that all shuffles verified
	Dealing                // hands are handed over
	Playing                // Pos says the rest
)

var stageNames = [...]string{"accepting", "keying", "sharing", "vetting", "sorting", "pooling", "checking", "dealing", "playing"}

func (s Stage) String() string { return stageNames[s] }

// State is a game as everybody can see it. It is a value: Apply never changes
// the one it is given, and nobody else may.
type State struct {
	Charter feed.Charter
	Edition *rules.Edition
	Options rules.Options
	Table   feed.Hash
	Game    feed.Hash // what entries carry: the table hash until the nonces are open; new after each leave
	Name    feed.Hash // the game's name from then on, whoever leaves

	Gone      []bool // by seat: has left for good
	Sure      []bool // by seat: had left when all who were there spoke last
	Abandoned bool   // those who were there agreed to stop

	Round    uint32
	Prev     feed.Hash
	Stage    Stage
	Shuffler int // whose turn it is to shuffle, in Sorting and Pooling

	Deck      *deck.Deck
	SeatKeys  []*group.Element // Y_i
	Quorum    *elgamal.Quorum
	Locks     [][]*group.Element     // by seat: commitments to the coefficients of its polynomial
	KeyShares []*KeyShares           // by seat: the key shares it dealt
	Dealers   []int                  // whose key shares count
	Decks     [][]elgamal.Ciphertext // by category, under the joint key
	Pool      []elgamal.Ciphertext
	Crime     []elgamal.Ciphertext   // by category, under the joint key
	Owners    []int                  // by position of the pool: whom it is dealt to
	Hands     [][]elgamal.Ciphertext // by seat, under the seat's own key
	FaceUp    []rules.Card
	Laid      [][]rules.Card // by seat: the hand of one who left, open to all

	Pos     *rules.Position        // from Playing on
	Barrier bool                   // before a card is turned over: all have yet to say that they hold the same history
	Seals   []feed.Hash            // by seat, while an accusation is joined
	Sealed  uint32                 // the round they were made in
	Under   feed.Hash              // and the game field it had
	Guess   []*deck.Guess          // by seat, while an accusation is under way
	Peeked  [][]elgamal.Ciphertext // by seat: the Crime cards under its own key

	Story  []Event
	Faults []Fault
	Proofs Tally
	Opened []*group.Scalar // by seat: seat keys opened after the game
}

// KeyShares is what a seat dealt to the others: sealed shares of its polynomial.
type KeyShares struct {
	Context   []byte
	Receivers []int
	Dealing   *dkg.Dealing
}

// Tally counts the proofs that verified, by the kind of entry they came in.
type Tally [move.KindCount]int

// Total is the number of proofs.
func (t Tally) Total() int {
	n := 0
	for _, k := range t {
		n += k
	}
	return n
}

// ErrSeats refuses a charter.
var ErrSeats = errors.New("table: the edition does not take this number of seats")

// New is the state at the beginning: the charter is known, nobody has signed it.
func New(encoded []byte) (*State, error) {
	charter, err := feed.ParseCharter(encoded)
	if err != nil {
		return nil, err
	}
	edition, options, err := move.DecodeTerms(charter.Terms)
	if err != nil {
		return nil, err
	}
	n := len(charter.Seats)
	if n < edition.MinSeats || n > edition.MaxSeats {
		return nil, fmt.Errorf("%w: %s, %d", ErrSeats, edition.Name, n)
	}
	table := feed.TableHash(encoded)
	s := &State{
		Charter: charter, Edition: edition, Options: options,
		Table: table, Game: table, Prev: table,
		Gone:   make([]bool, n),
		Sure:   make([]bool, n),
		Laid:   make([][]rules.Card, n),
		Deck:   deck.New(edition.Name, len(edition.Cards)),
		Seals:  make([]feed.Hash, n),
		Guess:  make([]*deck.Guess, n),
		Peeked: make([][]elgamal.Ciphertext, n),
		Opened: make([]*group.Scalar, n),
	}
	for c := range edition.CategoryCount {
		var cards []elgamal.Ciphertext
		for _, card := range edition.Of(rules.Category(c)) {
			cards = append(cards, elgamal.Plain(s.Deck.Card(int(card))))
		}
		s.Decks = append(s.Decks, cards)
	}
	return s, nil
}

// Seats is the number of seats.
func (s *State) Seats() int { return len(s.Charter.Seats) }

// Present lists the seats that have not left, in seat order.
func (s *State) Present() []int {
	var out []int
	for i, gone := range s.Gone {
		if !gone {
			out = append(out, i)
		}
	}
	return out
}

// Others lists the present seats but one.
func (s *State) Others(seat int) []int {
	return slices.DeleteFunc(s.Present(), func(i int) bool { return i == seat })
}

// Threshold is how many must help to unlock: everybody but those who may leave.
func (s *State) Threshold() int { return s.Seats() - int(s.Charter.Leavers) }

// Phase is the phase of play; it means something from Playing on.
func (s *State) Phase() rules.Phase {
	if s.Pos == nil {
		return rules.Over
	}
	return s.Pos.Phase
}

// Done reports whether nothing more can be said: the game is over or has stopped.
func (s *State) Done() bool { return len(s.Owed()) == 0 }

// Stopped reports whether a fault has ended the game.
func (s *State) Stopped() bool { return len(s.Faults) > 0 }

// Point is what this round's beacon shares are taken of. It is new in every
// round, and nobody knows its value before every share is out.
func (s *State) Point() *group.Element { return beacon.Point(s.Game, uint64(s.Round)) }

// Tasks lists what every helper unlocks in this round, in order; empty when
// the round unlocks nothing. Nothing outside this list may be opened.
func (s *State) Tasks() []deck.Task {
	switch {
	case s.Stage == Dealing:
		var tasks []deck.Task
		for i, owner := range s.Owners {
			if owner == rules.FaceUp || s.Gone[owner] {
				tasks = append(tasks, deck.Reveal(s.Pool[i]))
			} else {
				tasks = append(tasks, deck.HandOver(s.Pool[i], s.SeatKeys[owner]))
			}
		}
		return append(tasks, deck.Raise(s.Point()))
	case s.Barrier:
		return nil
	case s.Phase() == rules.Casting, s.Phase() == rules.Rolling:
		return []deck.Task{deck.Raise(s.Point())}
	case s.Phase() == rules.Peeking:
		var tasks []deck.Task
		for _, c := range s.Crime {
			tasks = append(tasks, deck.HandOver(c, s.SeatKeys[s.Pos.Accusation.Accuser]))
		}
		return tasks
	case s.Phase() == rules.Laying:
		var tasks []deck.Task
		for _, i := range s.laying() {
			tasks = append(tasks, deck.Reveal(s.Pool[i]))
		}
		return tasks
	case s.Phase() == rules.Revealing:
		var tasks []deck.Task
		for _, c := range s.Crime {
			tasks = append(tasks, deck.Reveal(c))
		}
		return tasks
	}
	return nil
}

// laying lists the positions of the pool that lie open once those who left are
// done without.
func (s *State) laying() []int {
	var out []int
	for i, owner := range s.Owners {
		if slices.Contains(s.Pos.Laid, owner) {
			out = append(out, i)
		}
	}
	return out
}

// Elements lists the group elements of cards.
func (s *State) Elements(cards []rules.Card) []*group.Element {
	out := make([]*group.Element, len(cards))
	for i, c := range cards {
		out[i] = s.Deck.Card(int(c))
	}
	return out
}

// Fixed is the guess of an accuser as ciphertexts under its own key: as it was
// fixed unseen, or as it was announced.
func (s *State) Fixed(seat int) []elgamal.Ciphertext {
	if s.Pos.Accusation.Guesses[seat] != nil {
		return s.announced(seat)
	}
	return s.Guess[seat].Cards()
}

// announced is a guess that was announced, as ciphertexts under its maker's key.
// Their randomness is 1, so that everybody can make them: they hide nothing, and
// are there to be compared with what is hidden.
func (s *State) announced(seat int) []elgamal.Ciphertext {
	var out []elgamal.Ciphertext
	for _, m := range s.Elements(s.Pos.Accusation.Guesses[seat]) {
		out = append(out, elgamal.Encrypt(m, s.SeatKeys[seat], group.ScalarFromUint64(1)))
	}
	return out
}

// Choices lists the elements of each category, which a guess picks one of each of.
func (s *State) Choices() [][]*group.Element {
	out := make([][]*group.Element, s.Edition.CategoryCount)
	for c := range out {
		out[c] = s.Elements(s.Edition.Of(rules.Category(c)))
	}
	return out
}

// next is a copy whose slices by seat may be changed.
func (s *State) next() *State {
	t := *s
	t.Seals = slices.Clone(s.Seals)
	t.Guess = slices.Clone(s.Guess)
	t.Peeked = slices.Clone(s.Peeked)
	t.Opened = slices.Clone(s.Opened)
	t.Gone, t.Sure = slices.Clone(s.Gone), slices.Clone(s.Sure)
	t.Laid = slices.Clone(s.Laid)
	t.KeyShares = slices.Clone(s.KeyShares)
	t.Decks = slices.Clone(s.Decks)
	t.Story = slices.Clip(s.Story)
	t.Faults = slices.Clip(s.Faults)
	return &t
}
