// Package rules is the games on plain values: decks, whose turn it is, what may
// be said, who has won. It knows no cryptography, no network and no clock, and
// nothing in it is hidden: a Position holds what everybody at the table may see.
//
// What differs between editions is data in Edition; what differs between tables
// is data in Options. A Position is folded with Play, one closed round at a time.
package rules

import (
	"slices"

	"alibi/game/board"
)

// Card is an index into Edition.Cards.
type Card int

// Category is an index into Edition.Categories: suspect, weapon, location.
type Category int

// The categories of every edition, in deck order.
const (
	Suspect Category = iota
	Weapon
	Location
)

// Face is what is printed on a card. Key names it for message catalogues.
type Face struct {
	Key      string
	Category Category
}

// Edition is one of the games as data.
type Edition struct {
	Name           string
	Cards          []Face // by category: all suspects, then weapons, then locations
	MinSeats       int    // fewest seats allowed, if need be as a house rule
	MaxSeats       int    // most seats allowed, likewise
	BoxMin, BoxMax int    // seats the box names; any others are a house rule
	QuestionSize   int    // cards in a question
	FaceUpRest     bool   // what cannot be dealt evenly lies face up; else hands differ by one
	JoinAccusation bool   // others may join an accusation
	Board          bool   // played on the board: see StartBoard
	CategoryCount  int
}

var (
	suspects = []string{"scarlett", "mustard", "white", "green", "peacock", "plum"}

	editions = []*Edition{
		cardEdition("card",
			[]string{"knife", "candlestick", "rope"},
			[]string{"billiard-room", "dining-room", "kitchen"}),
		cardEdition("card-advanced",
			[]string{"knife", "candlestick", "rope", "wrench"},
			[]string{"billiard-room", "dining-room", "kitchen", "library", "study"}),
	}
)

var classic = func() *Edition {
	e := &Edition{
		Name: "classic", MinSeats: 2, MaxSeats: 6, BoxMin: 3, BoxMax: 6,
		QuestionSize: 3, Board: true,
	}
	var rooms []string
	for r := range board.Room(board.Rooms) {
		rooms = append(rooms, r.Key())
	}
	return e.of(suspects, []string{"candlestick", "knife", "lead-pipe", "revolver", "rope", "wrench"}, rooms)
}()

func cardEdition(name string, weapons, locations []string) *Edition {
	e := &Edition{
		Name: name, MinSeats: 2, MaxSeats: 6, BoxMin: 3, BoxMax: 4,
		QuestionSize: 2, FaceUpRest: true, JoinAccusation: true,
	}
	return e.of(suspects, weapons, locations)
}

// of gives an edition its deck, by category.
func (e *Edition) of(decks ...[]string) *Edition {
	e.CategoryCount = len(decks)
	for c, keys := range decks {
		for _, k := range keys {
			e.Cards = append(e.Cards, Face{Key: k, Category: Category(c)})
		}
	}
	return e
}

// Classic is the board game. It is not among Editions yet, for the faces cannot
// show it.
func Classic() *Edition { return classic }

// Editions lists every edition that the faces of this build offer.
func Editions() []*Edition { return slices.Clone(editions) }

// Lookup finds one of Editions by name.
func Lookup(name string) (*Edition, bool) { return named(editions, name) }

// Played lists every edition that the game packages play.
func Played() []*Edition { return append(Editions(), classic) }

// LookupPlayed finds one of Played by name.
func LookupPlayed(name string) (*Edition, bool) { return named(Played(), name) }

func named(of []*Edition, name string) (*Edition, bool) {
	for _, e := range of {
		if e.Name == name {
			return e, true
		}
	}
	return nil, false
}

// Of lists the cards of one category in deck order.
func (e *Edition) Of(c Category) []Card {
	var out []Card
	for i, f := range e.Cards {
		if f.Category == c {
			out = append(out, Card(i))
		}
	}
	return out
}

// Valid reports whether c is a card of this edition.
func (e *Edition) Valid(c Card) bool { return c >= 0 && int(c) < len(e.Cards) }

// ByKey finds a card by its key.
func (e *Edition) ByKey(key string) (Card, bool) {
	for i, f := range e.Cards {
		if f.Key == key {
			return Card(i), true
		}
	}
	return 0, false
}

// PoolSize is how many cards remain once one of each category is put aside.
func (e *Edition) PoolSize() int { return len(e.Cards) - e.CategoryCount }

// Deal says to whom each position of the shuffled pool goes when all seats are
// there: a seat, or FaceUp.
func (e *Edition) Deal(seats int) []int {
	present := make([]int, seats)
	for i := range present {
		present[i] = i
	}
	return e.DealAmong(present)
}

// DealAmong is the deal round the seats that are present, in that order. With
// nobody there all lies face up.
func (e *Edition) DealAmong(present []int) []int {
	owners := make([]int, e.PoolSize())
	even := len(owners)
	switch {
	case len(present) == 0:
		even = 0
	case e.FaceUpRest:
		even -= len(owners) % len(present)
	}
	for i := range owners {
		owners[i] = FaceUp
		if i < even {
			owners[i] = present[i%len(present)]
		}
	}
	return owners
}

// FaceUp is the owner of a card that lies open on the table.
const FaceUp = -1

// Solution reports whether cards is one card of each category in category order.
func (e *Edition) Solution(cards []Card) bool {
	if len(cards) != e.CategoryCount {
		return false
	}
	for i, c := range cards {
		if !e.Valid(c) || e.Cards[c].Category != Category(i) {
			return false
		}
	}
	return true
}
