package deduce

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"alibi/game/rules"
)

// slow counts by dealing the cards in every way there is.
func slow(k *Knowledge) *Odds {
	o := &Odds{crime: make([]uint64, len(k.edition.Cards))}
	for range k.hands {
		o.seats = append(o.seats, make([]uint64, len(k.edition.Cards)))
	}
	got := make([]set, len(k.hands)+1) // the last are the Crime cards
	var deal func(c int)
	deal = func(c int) {
		if c == len(k.edition.Cards) {
			if !k.agrees(got) {
				return
			}
			o.Deals++
			for at, cards := range got {
				in := o.crime
				if at < len(k.hands) {
					in = o.seats[at]
				}
				add(in, cards, 1)
			}
			return
		}
		if k.table&(1<<c) != 0 {
			deal(c + 1)
			return
		}
		for at := range got {
			got[at] |= 1 << c
			deal(c + 1)
			got[at] &^= 1 << c
		}
	}
	deal(0)
	return o
}

func (k *Knowledge) agrees(got []set) bool {
	for at, h := range append(k.hands[:len(k.hands):len(k.hands)], k.crime) {
		if got[at].len() != h.size || got[at]&h.holds != h.holds || got[at]&h.lacks != 0 {
			return false
		}
		for _, o := range h.oneOf {
			if o&got[at] == 0 {
				return false
			}
		}
	}
	crime := got[len(got)-1]
	for cat := range k.edition.CategoryCount {
		if n := crime & of(k.edition.Of(rules.Category(cat))...); n.len() != 1 {
			return false
		}
	}
	for _, w := range k.wrong {
		if w&^crime == 0 {
			return false
		}
	}
	return true
}

// draw makes up a deck, and facts about a deal of it that need not be true.
func draw(t *rapid.T) *Knowledge {
	e := &rules.Edition{CategoryCount: rapid.IntRange(1, 3).Draw(t, "categories")}
	for cat := range e.CategoryCount {
		for range rapid.IntRange(1, 3).Draw(t, "of") {
			e.Cards = append(e.Cards, rules.Face{Category: rules.Category(cat)})
		}
	}
	n := len(e.Cards)
	pool := n - e.CategoryCount
	seats := rapid.IntRange(1, 3).Draw(t, "seats")
	up := rapid.IntRange(0, pool).Draw(t, "face up")
	sizes := make([]int, seats)
	for i := range pool - up {
		sizes[i%seats]++
	}
	cards := rapid.Permutation(all(e)).Draw(t, "cards")
	k := New(e, sizes, cards[:up])
	some := rapid.SliceOfNDistinct(rapid.SampledFrom(all(e)), 1, min(3, n), rapid.ID[rules.Card])
	for range rapid.IntRange(0, 6).Draw(t, "facts") {
		at, about := rapid.IntRange(Crime, seats-1).Draw(t, "at"), some.Draw(t, "about")
		switch rapid.IntRange(0, 5).Draw(t, "fact") {
		case 0:
			k.Holds(at, about[0])
		case 1, 2:
			k.Lacks(at, about...)
		case 3, 4:
			k.OneOf(at, about...)
		case 5:
			k.Wrong(about...)
		}
	}
	return k
}

// Whatever is known, the count is that of all deals which agree with it.
func TestCountIsThatOfAllDeals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := draw(t)
		got, want := k.Odds(), slow(k)
		if got.Deals != want.Deals {
			t.Fatalf("%d deals of %d", got.Deals, want.Deals)
		}
		for c := range k.edition.Cards {
			for at := Crime; at < len(k.hands); at++ {
				if c := rules.Card(c); got.In(c, at) != want.In(c, at) {
					t.Fatalf("card %d in place %d: %d of %d", c, at, got.In(c, at), want.In(c, at))
				}
			}
		}
	})
}

// Facts that contradict each other, or the deck, leave no deal; nothing is certain then.
func TestContradictions(t *testing.T) {
	e := &rules.Edition{CategoryCount: 1, Cards: make([]rules.Face, 4)}
	for what, k := range map[string]*Knowledge{
		"too many cards":     New(e, []int{2, 2}, nil),
		"too few":            New(e, []int{1, 1}, nil),
		"no such card":       New(e, []int{2, 0}, []rules.Card{4}),
		"in two hands":       known(New(e, []int{2, 1}, nil), func(k *Knowledge) { k.Holds(0, 1); k.Holds(1, 1) }),
		"open and in a hand": known(New(e, []int{1, 1}, []rules.Card{1}), func(k *Knowledge) { k.Holds(0, 1) }),
		"yes and no":         known(New(e, []int{2, 1}, nil), func(k *Knowledge) { k.Holds(0, 1); k.Lacks(0, 1) }),
		"a hand too full":    known(New(e, []int{2, 1}, nil), func(k *Knowledge) { k.Holds(1, 1, 2) }),
	} {
		if o := k.Odds(); o.Deals != 0 || o.Certain(0, 0) || o.Possible(0, Crime) {
			t.Errorf("%s: %+v", what, o)
		}
	}
}

func known(k *Knowledge, fact func(*Knowledge)) *Knowledge {
	fact(k)
	return k
}

// BenchmarkOdds counts for a deck of 21 and six players: of which nothing is known, and
// when many vague answers have made every card another.
func BenchmarkOdds(b *testing.B) {
	e := &rules.Edition{CategoryCount: 3}
	for cat, n := range []int{6, 6, 9} {
		for range n {
			e.Cards = append(e.Cards, rules.Face{Category: rules.Category(cat)})
		}
	}
	holder := make([]int, len(e.Cards)) // the seat, or Crime
	for c := range holder {
		holder[c] = c % 6
	}
	holder[5], holder[11], holder[20] = Crime, Crime, Crime
	for name, asked := range map[string]int{"nothing": 0, "12 questions": 12, "24 questions": 24} {
		b.Run(name, func(b *testing.B) {
			k := New(e, make([]int, 6), nil)
			for c, at := range holder {
				if at != Crime {
					k.hands[at].size++
				}
				if at == 0 {
					k.Holds(0, rules.Card(c))
				}
			}
			for i := range asked {
				about := []rules.Card{rules.Card(i * 5 % 6), rules.Card(6 + i*7%6), rules.Card(12 + i*4%9)}
				for at := (i + 1) % 6; at != i%6; at = (at + 1) % 6 {
					if slices.ContainsFunc(about, func(c rules.Card) bool { return holder[c] == at }) {
						k.OneOf(at, about...)
						break
					}
					k.Lacks(at, about...)
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				_ = k.Odds()
			}
			b.ReportMetric(float64(k.Odds().Deals), "deals")
		})
	}
}

func all(e *rules.Edition) (out []rules.Card) {
	for c := range e.Cards {
		out = append(out, rules.Card(c))
	}
	return out
}
