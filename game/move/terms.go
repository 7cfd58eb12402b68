package move

import (
	"errors"
	"fmt"

	"alibi/crypto/feed"
	"alibi/crypto/transcript"
	"alibi/game/rules"
)

// Terms are the part of a charter that the game understands.
type Terms struct {
	_       struct{} `cbor:",toarray"`
	Edition string
	Deck    [32]byte // DeckHash of the edition: builds that print other cards do not meet
	First   string
	Order   string
	Last    string
	Book    string
	Timer   uint16
	Watch   bool
}

// BoardTerms are the terms of an edition that is played on a board.
type BoardTerms struct {
	_        struct{} `cbor:",toarray"`
	Terms    Terms
	Dice     uint8 // in a roll
	DoorCost uint8 // pips that a step into a room takes
}

// Refusals of DecodeTerms.
var (
	ErrEdition = errors.New("move: unknown edition")
	ErrDeck    = errors.New("move: edition has other cards here")
	ErrBoard   = errors.New("move: terms with a board are for editions that have one, and for them alone")
	ErrDice    = errors.New("move: a roll is of one or two dice, and a door costs one pip or none")
)

// DeckHash is a hash of the edition's name and of its cards' keys in order.
func DeckHash(e *rules.Edition) [32]byte {
	parts := [][]byte{[]byte(e.Name)}
	for _, f := range e.Cards {
		parts = append(parts, []byte(f.Key))
	}
	return transcript.Hash("deck", parts...)
}

// EncodeTerms is the charter's Terms for an edition and its options.
func EncodeTerms(e *rules.Edition, o rules.Options) ([]byte, error) {
	if err := o.Suit(e); err != nil {
		return nil, err
	}
	t := Terms{Edition: e.Name, Deck: DeckHash(e), First: o.First, Order: o.Order, Last: o.Last, Book: o.Notebook,
		Timer: o.Timer, Watch: o.Watch}
	if e.Board {
		return feed.Marshal(BoardTerms{Terms: t, Dice: uint8(o.Dice()), DoorCost: uint8(o.DoorCost())})
	}
	return feed.Marshal(t)
}

// DecodeTerms reads them strictly.
func DecodeTerms(b []byte) (*rules.Edition, rules.Options, error) {
	var t BoardTerms
	onBoard := feed.Unmarshal(b, &t) == nil
	if !onBoard {
		t = BoardTerms{Dice: 1, DoorCost: 1}
		if err := feed.Unmarshal(b, &t.Terms); err != nil {
			return nil, rules.Options{}, fmt.Errorf("move: terms: %w", err)
		}
	}
	e, ok := rules.LookupPlayed(t.Terms.Edition)
	switch {
	case !ok:
		return nil, rules.Options{}, fmt.Errorf("%w: %q", ErrEdition, t.Terms.Edition)
	case t.Terms.Deck != DeckHash(e):
		return nil, rules.Options{}, fmt.Errorf("%w: %q", ErrDeck, e.Name)
	case e.Board != onBoard:
		return nil, rules.Options{}, fmt.Errorf("%w: %q", ErrBoard, e.Name)
	case t.Dice < 1 || t.Dice > 2 || t.DoorCost > 1:
		return nil, rules.Options{}, fmt.Errorf("%w: %d, %d", ErrDice, t.Dice, t.DoorCost)
	}
	o := rules.Options{First: t.Terms.First, Order: t.Terms.Order, Last: t.Terms.Last, Notebook: t.Terms.Book,
		Timer: t.Terms.Timer, Watch: t.Terms.Watch, TwoDice: t.Dice == 2, FreeDoors: t.DoorCost == 0}
	return e, o, o.Suit(e)
}
