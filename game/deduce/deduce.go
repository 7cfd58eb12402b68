// Package deduce is an exact notebook: from what a player knows of a deal it finds what
// follows, and how likely the rest is, by counting every deal that agrees with it. All
// of these are taken to be equally likely, as they are after a fair shuffle; what people
// mean by what they ask is no part of it.
package deduce

import (
	"math/bits"
	"slices"

	"alibi/game/rules"
)

// Crime is the place of the Crime cards, beside the seats.
const Crime = -1

// set is a set of cards, by bit. No edition has more than 32 cards.
type set uint32

func of(cards ...rules.Card) (s set) {
	for _, c := range cards {
		s |= 1 << c
	}
	return s
}

func (s set) len() int { return bits.OnesCount32(uint32(s)) }

// Knowledge is what a player knows of a deal.
type Knowledge struct {
	edition *rules.Edition
	table   set    // face up: in nobody's hand
	hands   []hand // by seat
	crime   hand
	wrong   []set // these are not all of them Crime cards
}

// hand is what is known of one place.
type hand struct {
	size  int
	holds set
	lacks set
	oneOf []set // it holds one of each at least
}

// New is what everybody knows: the deck, how many cards each seat holds, and which lie
// face up. sizes and faceUp fit the deck, or nothing agrees with them.
func New(e *rules.Edition, sizes []int, faceUp []rules.Card) *Knowledge {
	k := &Knowledge{edition: e, table: of(faceUp...), hands: make([]hand, len(sizes)), crime: hand{size: e.CategoryCount}}
	for i, n := range sizes {
		k.hands[i].size = n
	}
	return k
}

// place is a seat's hand, or the Crime cards.
func (k *Knowledge) place(at int) *hand {
	if at == Crime {
		return &k.crime
	}
	return &k.hands[at]
}

// Holds notes that cards are in a place: a seat, or Crime.
func (k *Knowledge) Holds(at int, cards ...rules.Card) { k.place(at).holds |= of(cards...) }

// Lacks notes that cards are not in a place.
func (k *Knowledge) Lacks(at int, cards ...rules.Card) { k.place(at).lacks |= of(cards...) }

// OneOf notes that one of some cards, or more, is in a place.
func (k *Knowledge) OneOf(at int, cards ...rules.Card) {
	h := k.place(at)
	h.oneOf = append(h.oneOf, of(cards...))
}

// Wrong notes that cards are not all of them Crime cards: what a wrong accusation tells.
func (k *Knowledge) Wrong(cards ...rules.Card) { k.wrong = append(k.wrong, of(cards...)) }

// Odds is in how many of all deals that agree with some knowledge each card is where.
type Odds struct {
	// Deals is how many there are; 0 if the knowledge contradicts itself.
	Deals uint64
	crime []uint64   // by card
	seats [][]uint64 // by seat and card
}

// In is in how many deals a card is in a place: a seat, or Crime.
func (o *Odds) In(c rules.Card, at int) uint64 {
	if at == Crime {
		return o.crime[c]
	}
	return o.seats[at][c]
}

// Certain reports whether a card must be in a place.
func (o *Odds) Certain(c rules.Card, at int) bool { return o.Deals > 0 && o.In(c, at) == o.Deals }

// Possible reports whether a card can be in a place.
func (o *Odds) Possible(c rules.Card, at int) bool { return o.In(c, at) > 0 }

// Odds counts. There are at most some 4 * 10^13 deals, of a deck of 21.
func (k *Knowledge) Odds() *Odds {
	o := &Odds{crime: make([]uint64, len(k.edition.Cards)), seats: make([][]uint64, len(k.hands))}
	for i := range o.seats {
		o.seats[i] = make([]uint64, len(k.edition.Cards))
	}
	free, ok := k.free()
	if !ok {
		return o
	}
	kinds := k.kinds(free)
	// The Crime cards are one hand more. Whoever can hold the least comes first, so
	// that few cards are left over in different ways for the others.
	var ps []place
	for i, h := range k.hands {
		ps = append(ps, place{o.seats[i], h.holds, kinds.possible(h, nil)})
	}
	ps = append(ps, place{o.crime, k.crime.holds, kinds.possible(k.crime, k.solves)})
	slices.SortStableFunc(ps, func(a, b place) int { return len(a.hands) - len(b.hands) })
	o.Deals = kinds.count(ps)
	return o
}

// free are the cards of which it is not known where they are; not ok if they are not as
// many as are missing.
func (k *Knowledge) free() (set, bool) {
	free, missing := set(1)<<len(k.edition.Cards)-1, 0
	if k.table&^free != 0 {
		return 0, false
	}
	free &^= k.table
	for _, h := range append(slices.Clone(k.hands), k.crime) {
		missing += h.size - h.holds.len()
		if h.holds&^free != 0 { // elsewhere already
			return 0, false
		}
		free &^= h.holds
	}
	return free, free.len() == missing
}

// kinds sorts free cards by what is known of them: those of a kind, of one category, can
// change places in every deal. While little is known there are few kinds, and when there
// are many there are few ways to deal them.
func (k *Knowledge) kinds(free set) kinds {
	var marks []set // a card is in each of these or not
	for _, h := range append(slices.Clone(k.hands), k.crime) {
		marks = append(append(marks, h.lacks), h.oneOf...)
	}
	marks = append(marks, k.wrong...)
	var out kinds
	for c, f := range k.edition.Cards {
		card := of(rules.Card(c))
		if free&card == 0 {
			continue
		}
		alike := func(kd kind) bool {
			return kd.category == f.Category && !slices.ContainsFunc(marks, func(m set) bool { return (m&card == 0) != (m&kd.cards == 0) })
		}
		if i := slices.IndexFunc(out, alike); i >= 0 {
			out[i].cards |= card
		} else {
			out = append(out, kind{cards: card, category: f.Category})
		}
	}
	step := uint32(1)
	for i := range out {
		out[i].step, out[i].size = step, out[i].cards.len()
		step *= uint32(out[i].size + 1)
	}
	return out
}

// solves reports whether cards can be the Crime cards; of kinds that are more than one
// card it does not matter which.
func (k *Knowledge) solves(whole set) bool {
	seen := make([]bool, k.edition.CategoryCount)
	for c, f := range k.edition.Cards {
		if whole&(1<<c) != 0 {
			if seen[f.Category] {
				return false
			}
			seen[f.Category] = true
		}
	}
	return !slices.ContainsFunc(k.wrong, func(w set) bool { return w&^whole == 0 })
}
