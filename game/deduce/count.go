package deduce

import (
	"math/bits"
	"slices"

	"alibi/game/rules"
)

// kind is free cards that nothing tells apart.
type kind struct {
	cards    set
	category rules.Category
	size     int
	step     uint32 // what one of them counts in a remainder
}

// kinds are all free cards. How many of each are left is one number, the remainder: the
// counts are its digits, to the base size+1. There are at most 2^21 remainders of 21
// cards, when all of them are of different kinds.
type kinds []kind

// some is a number of cards of one kind, above 0.
type some struct{ kind, n int }

// place is a seat or the Crime cards, with the hands that it can have besides what is
// known to be there.
type place struct {
	in    []uint64 // by card: in how many deals it is there
	holds set
	hands [][]some
}

// left is how many of a kind are in a remainder.
func (ks kinds) left(rest uint32, kind int) int {
	return int(rest / ks[kind].step % uint32(ks[kind].size+1))
}

// all is the remainder before anything is dealt.
func (ks kinds) all() (rest uint32) {
	for _, k := range ks {
		rest += k.step * uint32(k.size)
	}
	return rest
}

// take deals a hand from a remainder: what is left, and in how many ways it can be done.
func (ks kinds) take(rest uint32, hand []some) (left uint32, ways uint64) {
	left, ways = rest, 1
	for _, s := range hand {
		have := ks.left(rest, s.kind)
		if have < s.n {
			return 0, 0
		}
		left -= ks[s.kind].step * uint32(s.n)
		ways *= choose(have, s.n)
	}
	return left, ways
}

// count counts the deals of the free cards, and in how many of them each card is where.
//
// A layer has, for each remainder when some places have got their cards, the number of
// ways to come there. What the others can make of the same remainder is counted back from
// the end: a hand is dealt in the product of both, summed over the remainders.
func (ks kinds) count(places []place) uint64 {
	layers := []map[uint32]uint64{{ks.all(): 1}}
	for _, p := range places {
		next := map[uint32]uint64{}
		for rest, ways := range layers[len(layers)-1] {
			for _, h := range p.hands {
				if left, n := ks.take(rest, h); n > 0 {
					next[left] += ways * n
				}
			}
		}
		layers = append(layers, next)
	}
	total := layers[len(places)][0]
	back := map[uint32]uint64{0: 1}
	for i := len(places) - 1; i >= 0; i-- {
		p, before := places[i], map[uint32]uint64{}
		dealt := make([]uint64, len(ks)) // how many cards of the kind, over all deals
		for rest, ways := range layers[i] {
			for _, h := range p.hands {
				left, n := ks.take(rest, h)
				if n == 0 || back[left] == 0 {
					continue
				}
				n *= back[left]
				before[rest] += n
				for _, s := range h {
					dealt[s.kind] += ways * n * uint64(s.n)
				}
			}
		}
		for j, n := range dealt { // each of a kind is there equally often
			add(p.in, ks[j].cards, n/uint64(ks[j].size))
		}
		add(p.in, p.holds, total)
		back = before
	}
	return total
}

func add(in []uint64, cards set, n uint64) {
	for ; cards != 0; cards &= cards - 1 {
		in[bits.TrailingZeros32(uint32(cards))] += n
	}
}

// possible lists what a place can have besides what is known to be there. fits judges all
// that would be there, with any cards of each kind.
func (ks kinds) possible(h hand, fits func(whole set) bool) (out [][]some) {
	if h.holds&h.lacks != 0 {
		return nil
	}
	var fill func(from, need int, hand []some, whole set)
	fill = func(from, need int, hand []some, whole set) {
		if need == 0 {
			if !slices.ContainsFunc(h.oneOf, func(o set) bool { return o&whole == 0 }) && (fits == nil || fits(whole)) {
				out = append(out, slices.Clone(hand))
			}
			return
		}
		if from == len(ks) {
			return
		}
		k := ks[from]
		fill(from+1, need, hand, whole)
		if k.cards&h.lacks != 0 {
			return
		}
		cards := set(0)
		for n := 1; n <= min(need, k.size); n++ {
			cards = cards | first(k.cards&^cards)
			fill(from+1, need-n, append(hand, some{from, n}), whole|cards)
		}
	}
	if need := h.size - h.holds.len(); need >= 0 {
		fill(0, need, nil, h.holds)
	}
	return out
}

func first(s set) set { return s & -s }

// choose is n over k.
func choose(n, k int) uint64 {
	out := uint64(1)
	for i := range uint64(k) {
		out = out * (uint64(n) - i) / (i + 1)
	}
	return out
}
