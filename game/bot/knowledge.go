package bot

import (
	"slices"

	"alibi/game/rules"
	"alibi/game/table"
	"alibi/game/view"
)

// Knowledge is what elimination leaves of where each card can be.
type Knowledge struct {
	v     *view.View
	grid  view.Grid
	crime []view.Mark // by card: is it a Crime card?
	shows []oneOf
}

// oneOf says that a seat holds at least one of some cards.
type oneOf struct {
	seat  int
	cards []rules.Card
}

// Solve eliminates until nothing more follows.
func Solve(v *view.View) *Knowledge {
	k := &Knowledge{v: v, grid: v.Seen(), crime: make([]view.Mark, len(v.Edition.Cards))}
	for _, c := range v.FaceUp {
		k.crime[c] = view.No
	}
	for _, c := range v.Crime {
		k.crime[c] = view.Yes
	}
	for _, l := range v.Lines {
		if l.Kind == table.Showed {
			k.shows = append(k.shows, oneOf{l.Seat, l.Cards})
		}
	}
	for k.cards() || k.categories() || k.hands() || k.shown() {
	}
	return k
}

// Solution is the one solution left, or nil.
func (k *Knowledge) Solution() []rules.Card {
	var out []rules.Card
	for c := range k.v.Edition.CategoryCount {
		left := k.Candidates(rules.Category(c))
		if len(left) != 1 {
			return nil
		}
		out = append(out, left[0])
	}
	return out
}

// Candidates lists the cards of a category that can be its Crime card.
func (k *Knowledge) Candidates(c rules.Category) []rules.Card {
	var out []rules.Card
	for _, card := range k.v.Edition.Of(c) {
		if k.crime[card] == view.Yes {
			return []rules.Card{card}
		}
		if k.crime[card] == view.Unknown {
			out = append(out, card)
		}
	}
	return out
}

// Unplaced lists the cards of which it is not known where they are.
func (k *Knowledge) Unplaced() []rules.Card {
	var out []rules.Card
	for c := range k.v.Edition.Cards {
		if k.crime[c] == view.Unknown {
			out = append(out, rules.Card(c))
		}
	}
	return out
}

func (k *Knowledge) faceUp(c int) bool { return slices.Contains(k.v.FaceUp, rules.Card(c)) }

// cards: each card is in exactly one place.
func (k *Knowledge) cards() (changed bool) {
	for c, row := range k.grid {
		switch {
		case k.crime[c] == view.Unknown && slices.Contains(row, view.Yes):
			k.crime[c] = view.No
			changed = true
		case k.crime[c] == view.Yes && slices.Contains(row, view.Unknown):
			for p := range row {
				row[p] = view.No
			}
			changed = true
		case k.crime[c] == view.Unknown && !slices.Contains(row, view.Unknown):
			k.crime[c] = view.Yes
			changed = true
		case k.crime[c] == view.No && !k.faceUp(c) && !slices.Contains(row, view.Yes) && single(row) >= 0:
			k.grid.Holds(rules.Card(c), single(row))
			changed = true
		}
	}
	return changed
}

// single is the only unknown place of a row, or -1.
func single(row []view.Mark) int {
	at := slices.Index(row, view.Unknown)
	if at < 0 || slices.Contains(row[at+1:], view.Unknown) {
		return -1
	}
	return at
}

// categories: exactly one Crime card of each.
func (k *Knowledge) categories() (changed bool) {
	for cat := range k.v.Edition.CategoryCount {
		left := k.Candidates(rules.Category(cat))
		if len(left) != 1 {
			continue
		}
		for _, c := range k.v.Edition.Of(rules.Category(cat)) {
			want := view.No
			if c == left[0] {
				want = view.Yes
			}
			if k.crime[c] != want {
				k.crime[c] = want
				changed = true
			}
		}
	}
	return changed
}

// hands: a full hand holds nothing else, and a hand with just enough
// possible cards holds them all.
func (k *Knowledge) hands() (changed bool) {
	for p, player := range k.v.Players {
		var yes, open []int
		for c, row := range k.grid {
			switch row[p] {
			case view.Yes:
				yes = append(yes, c)
			case view.Unknown:
				open = append(open, c)
			}
		}
		if len(open) == 0 {
			continue
		}
		switch player.Size {
		case len(yes):
			for _, c := range open {
				k.grid[c][p] = view.No
			}
			changed = true
		case len(yes) + len(open):
			for _, c := range open {
				k.grid.Holds(rules.Card(c), p)
			}
			changed = true
		}
	}
	return changed
}

// shown: whoever showed one of some cards holds it if it can hold no other of them.
func (k *Knowledge) shown() (changed bool) {
	for _, s := range k.shows {
		if slices.ContainsFunc(s.cards, func(c rules.Card) bool { return k.grid[c][s.seat] == view.Yes }) {
			continue
		}
		possible := slices.DeleteFunc(slices.Clone(s.cards), func(c rules.Card) bool { return k.grid[c][s.seat] == view.No })
		if len(possible) == 1 {
			k.grid.Holds(possible[0], s.seat)
			changed = true
		}
	}
	return changed
}

// shownBefore reports whether I have shown c to the present asker already; I
// know what I held, but only a show of which c was the sole possibility counts.
func shownBefore(v *view.View, c rules.Card) bool {
	if v.Question == nil {
		return false
	}
	for _, l := range v.Lines {
		if l.Kind != table.Showed || l.Seat != v.Me || l.To != v.Question.Asker || !slices.Contains(l.Cards, c) {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(l.Cards), func(x rules.Card) bool { return x == c })
		if !slices.ContainsFunc(others, func(x rules.Card) bool { return slices.Contains(v.Hand, x) }) {
			return true
		}
	}
	return false
}
