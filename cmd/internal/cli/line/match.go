package line

import (
	"slices"
	"strings"

	"alibi/cmd/internal/say"
	"alibi/game/rules"
)

// maxWords bounds what is looked at in one line, far above any sense.
const maxWords = 24

// index finds cards of one edition by words of their names, in the language of the
// book and in English: who has learnt the game in another tongue than the table
// speaks, or has a keyboard for one only, is understood in either.
type index struct {
	edition *rules.Edition
	tongues []tongue // the book's own first
	fillers []string // words that mean nothing: the, and, with
}

// tongue holds, for each card, the names it goes by: the full one, then the short.
type tongue [][][]string

func newIndex(b *say.Book, e *rules.Edition) *index {
	x := &index{edition: e}
	books := []*say.Book{b}
	if b != say.English() {
		books = append(books, say.English())
	}
	for _, b := range books {
		var t tongue
		for c := range e.Cards {
			t = append(t, [][]string{words(b.Card(e, rules.Card(c))), words(b.Short(e, rules.Card(c)))})
		}
		x.tongues = append(x.tongues, t)
		x.fillers = append(x.fillers, words(b.Say("line.fillers"))...)
	}
	return x
}

func (x *index) all() []rules.Card {
	out := make([]rules.Card, len(x.edition.Cards))
	for i := range out {
		out[i] = rules.Card(i)
	}
	return out
}

func (x *index) strip(typed []string) []string {
	return slices.DeleteFunc(slices.Clone(typed), func(w string) bool { return slices.Contains(x.fillers, w) })
}

// find lists those of cards whose name the typed words shorten: each begins a
// word of the name, in the order of the name. Whole words win over beginnings, and
// among either the book's own tongue wins.
func (x *index) find(typed []string, cards []rules.Card) []rules.Card {
	for _, fits := range []func(word, typed string) bool{func(word, typed string) bool { return word == typed }, strings.HasPrefix} {
		for _, t := range x.tongues {
			if found := t.filter(typed, cards, fits); len(found) > 0 {
				return found
			}
		}
	}
	return nil
}

func (t tongue) filter(typed []string, cards []rules.Card, fits func(word, typed string) bool) []rules.Card {
	var out []rules.Card
	for _, c := range cards {
		if len(typed) > 0 && slices.ContainsFunc(t[c], func(name []string) bool { return shortens(typed, name, fits) }) {
			out = append(out, c)
		}
	}
	return out
}

func shortens(typed, name []string, fits func(word, typed string) bool) bool {
	for _, w := range name {
		if len(typed) > 0 && fits(w, typed[0]) {
			typed = typed[1:]
		}
	}
	return len(typed) == 0
}

// trouble says why words name no cards; the zero value is none.
type trouble struct {
	key   string
	word  string
	cards []rules.Card
	count int
}

// set reads exactly n different cards, in the order typed.
func (x *index) set(typed []string, n int, cards []rules.Card) ([]rules.Card, trouble) {
	typed = x.strip(typed)
	var found [][]rules.Card
	x.cut(typed, n, func(groups [][]string) {
		if x.mistitled(groups) {
			return
		}
		var got []rules.Card
		for _, g := range groups {
			c := x.find(g, cards)
			if len(c) != 1 || slices.Contains(got, c[0]) {
				return
			}
			got = append(got, c[0])
		}
		found = add(found, got)
	})
	if len(found) == 1 {
		return found[0], trouble{}
	}
	return nil, x.diagnose(typed, n, cards)
}

// solution reads one card of each category, typed in any order; what is short
// for several cards counts as the one that the others leave room for.
func (x *index) solution(typed []string) ([]rules.Card, trouble) {
	typed = x.strip(typed)
	n := x.edition.CategoryCount
	var found [][]rules.Card
	x.cut(typed, n, func(groups [][]string) {
		if x.mistitled(groups) {
			return
		}
		x.assign(groups, make([]rules.Card, 0, n), func(got []rules.Card) { found = add(found, got) })
	})
	if len(found) == 1 {
		return found[0], trouble{}
	}
	t := x.diagnose(typed, n, x.all())
	if t.key == "wrong.unclear" {
		t.key = "wrong.guess"
	}
	return nil, t
}

// mistitled reports whether a title stands for somebody and the next word is
// the surname of another: whoever types "mr plum" means one person, and must
// not ask about two.
func (x *index) mistitled(groups [][]string) bool {
	for i := 1; i < len(groups); i++ {
		if len(groups[i-1]) == 1 && x.suspect(groups[i-1][0], 0) && x.suspect(groups[i][0], 1) {
			return true
		}
	}
	return false
}

// suspect reports whether typed is, or from the second word on begins, that word
// of a suspect's name.
func (x *index) suspect(typed string, at int) bool {
	for _, t := range x.tongues {
		for c, names := range t {
			name := names[0] // only there are titles
			if x.edition.Cards[c].Category == rules.Suspect && at < len(name) &&
				(name[at] == typed || at > 0 && strings.HasPrefix(name[at], typed)) {
				return true
			}
		}
	}
	return false
}

// assign tries every card for every group, one of each category.
func (x *index) assign(groups [][]string, got []rules.Card, yield func([]rules.Card)) {
	if len(got) == len(groups) {
		sorted := slices.Sorted(slices.Values(got))
		if x.edition.Solution(sorted) {
			yield(sorted)
		}
		return
	}
	for _, c := range x.find(groups[len(got)], x.all()) {
		x.assign(groups, append(got, c), yield)
	}
}

// add keeps results that differ, whatever their order.
func add(found [][]rules.Card, got []rules.Card) [][]rules.Card {
	for _, f := range found {
		if slices.Equal(slices.Sorted(slices.Values(f)), slices.Sorted(slices.Values(got))) {
			return found
		}
	}
	return append(found, slices.Clone(got))
}

// cut yields every way to divide words into n groups of neighbours.
func (x *index) cut(typed []string, n int, yield func([][]string)) {
	if len(typed) > maxWords {
		return
	}
	var divide func(rest []string, groups [][]string)
	divide = func(rest []string, groups [][]string) {
		if len(groups) == n-1 {
			if len(rest) > 0 {
				yield(append(groups[:len(groups):len(groups)], rest))
			}
			return
		}
		// No name is longer than a few words.
		for at := 1; at < len(rest) && at <= 4; at++ {
			divide(rest[at:], append(groups[:len(groups):len(groups)], rest[:at]))
		}
	}
	divide(typed, nil)
}

// diagnose finds the likeliest reason why words are not n cards.
func (x *index) diagnose(typed []string, n int, cards []rules.Card) trouble {
	if len(typed) > maxWords {
		return trouble{key: "wrong.long"}
	}
	for _, w := range typed {
		if len(x.find([]string{w}, x.all())) == 0 {
			return trouble{key: "wrong.card", word: w}
		}
	}
	var seen []rules.Card
	groups := x.greedy(typed)
	for _, g := range groups {
		typed := strings.Join(g, " ")
		switch c := x.find(g, cards); {
		case len(c) == 0:
			return trouble{key: "wrong.other", word: typed, cards: cards}
		case len(c) > 1 && len(groups) == n:
			return trouble{key: "wrong.ambiguous", word: typed, cards: c}
		case len(c) == 1 && slices.Contains(seen, c[0]):
			return trouble{key: "wrong.twice", cards: c}
		case len(c) == 1:
			seen = append(seen, c[0])
		}
	}
	if len(groups) != n {
		return trouble{key: "wrong.count", count: n}
	}
	return trouble{key: "wrong.unclear"}
}

// greedy groups words from the left into the longest names that exist.
func (x *index) greedy(typed []string) [][]string {
	var groups [][]string
	for len(typed) > 0 {
		n := 1
		for n < len(typed) && len(x.find(typed[:n+1], x.all())) > 0 {
			n++
		}
		groups = append(groups, typed[:n])
		typed = typed[n:]
	}
	return groups
}
