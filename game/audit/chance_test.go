package audit_test

import (
	"fmt"
	"testing"

	"alibi/game/rules"
)

// bound is the chi-square value, by degrees of freedom, that chance exceeds in
// one of a thousand experiments.
var bound = map[int]float64{1: 10.83, 2: 13.82, 3: 16.27, 4: 18.47, 5: 20.52, 53: 90.57, 119: 172.42}

// even compares counts with an even spread. It says nothing of fewer than five
// expected in each cell, for which the bound does not hold.
func even(t *testing.T, what string, cells map[int]int, n int) {
	t.Helper()
	total := 0
	for _, c := range cells {
		total += c
	}
	if total < 5*n {
		return
	}
	want := float64(total) / float64(n)
	sum := 0.0
	for i := range n {
		d := float64(cells[i]) - want
		sum += d * d / want
	}
	if sum > bound[n-1] {
		t.Errorf("%s: chi-square %.2f of %d over %d cells, bound %.2f", what, sum, total, n, bound[n-1])
	}
	t.Logf("%s: chi-square %.2f of %d over %d cells (bound %.2f)", what, sum, total, n, bound[n-1])
}

// report is the statistics of all games: Crime cards by category and as a
// solution, first players, and how games ended.
func report(t *testing.T, all []outcome) {
	t.Helper()
	reasons, first := map[rules.Reason]int{}, map[int]map[int]int{}
	for _, e := range rules.Editions() {
		solutions, cards := map[int]int{}, [3]map[int]int{{}, {}, {}}
		size := 1
		for c := range 3 {
			size *= len(e.Of(rules.Category(c)))
		}
		for _, o := range all {
			if o.edition != e.Name {
				continue
			}
			at := 0
			for c, card := range o.crime {
				of := e.Of(rules.Category(c))
				cards[c][int(card-of[0])]++
				at = at*len(of) + int(card-of[0])
			}
			solutions[at]++
		}
		for c := range 3 {
			even(t, fmt.Sprintf("%s, category %d", e.Name, c), cards[c], len(e.Of(rules.Category(c))))
		}
		even(t, e.Name+", solutions", solutions, size)
	}
	var rounds, entries, proofs int
	for _, o := range all {
		reasons[o.reason]++
		rounds, entries, proofs = rounds+int(o.rounds), entries+o.entries, proofs+o.proofs
		if o.drawn {
			if first[o.seats] == nil {
				first[o.seats] = map[int]int{}
			}
			first[o.seats][o.first]++
		}
	}
	for n, cells := range first {
		even(t, fmt.Sprintf("first of %d", n), cells, n)
	}
	t.Logf("%d games ended by %v; a game has %d rounds, %d entries and %d proofs on average",
		len(all), reasons, rounds/len(all), entries/len(all), proofs/len(all))
}
