package view

import (
	"alibi/game/deduce"
	"alibi/game/rules"
	"alibi/game/table"
)

// Knowledge is what this seat knows of the deal, without what others may mean.
func (v *View) Knowledge() *deduce.Knowledge {
	sizes := make([]int, len(v.Players))
	for i, p := range v.Players {
		sizes[i] = p.Size
	}
	k := deduce.New(v.Edition, sizes, v.FaceUp)
	for c, row := range v.Seen() {
		for seat, mark := range row {
			switch mark {
			case Yes:
				k.Holds(seat, rules.Card(c))
			case No:
				k.Lacks(seat, rules.Card(c))
			}
		}
	}
	k.Holds(deduce.Crime, v.Crime...)
	for _, l := range v.Lines {
		if l.Kind == table.Showed {
			k.OneOf(l.Seat, l.Cards...)
		}
	}
	return k
}

// follows is what was openly seen and what follows from it.
func (v *View) follows() Grid {
	g, odds := v.Seen(), v.Knowledge().Odds()
	if odds.Deals == 0 {
		return g // proofs rule that out
	}
	for c, row := range g {
		for seat := range row {
			switch card := rules.Card(c); {
			case odds.Certain(card, seat):
				row[seat] = Yes
			case !odds.Possible(card, seat):
				row[seat] = No
			}
		}
	}
	return g
}
