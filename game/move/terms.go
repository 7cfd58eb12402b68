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

// Refusals of DecodeTerms.
var (
	ErrEdition = errors.New("move: unknown edition")
	ErrDeck    = errors.New("move: edition has other cards here")
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
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return feed.Marshal(Terms{Edition: e.Name, Deck: DeckHash(e), First: o.First, Order: o.Order, Last: o.Last, Book: o.Notebook,
		Timer: o.Timer, Watch: o.Watch})
}

// DecodeTerms reads them strictly.
func DecodeTerms(b []byte) (*rules.Edition, rules.Options, error) {
	var t Terms
	if err := feed.Unmarshal(b, &t); err != nil {
		return nil, rules.Options{}, fmt.Errorf("move: terms: %w", err)
	}
	e, ok := rules.Lookup(t.Edition)
	if !ok {
		return nil, rules.Options{}, fmt.Errorf("%w: %q", ErrEdition, t.Edition)
	}
	if t.Deck != DeckHash(e) {
		return nil, rules.Options{}, fmt.Errorf("%w: %q", ErrDeck, t.Edition)
	}
	o := rules.Options{First: t.First, Order: t.Order, Last: t.Last, Notebook: t.Book, Timer: t.Timer, Watch: t.Watch}
	return e, o, o.Validate()
}
