package view

import (
	"slices"

	"alibi/game/rules"
	"alibi/game/table"
)

// Mark is what is known of one card and one player.
type Mark uint8

// The marks.
const (
	Unknown Mark = iota
	Yes
	No
)

// Grid is a notebook page: a row for each card, a column for each seat.
type Grid [][]Mark

// Notebook fills in what the charter allows: what was openly seen or, with "solver",
// also what follows from that. It is nil where there are to be own marks only.
func (v *View) Notebook() Grid {
	switch {
	case v.Stage != table.Playing || v.Options.Notebook == "marks":
		return nil
	case v.Options.Notebook == "solver":
		return v.follows()
	}
	return v.Seen()
}

// Seen fills in what was openly seen, whatever the charter allows to show: own hand,
// cards face up, cards shown to me, every "no".
func (v *View) Seen() Grid {
	g := make(Grid, len(v.Edition.Cards))
	for c := range g {
		g[c] = make([]Mark, len(v.Players))
	}
	for _, c := range v.FaceUp {
		g.nobody(c)
	}
	if v.Me != Spectator {
		for c := range g {
			g[c][v.Me] = No
		}
		for _, c := range v.Hand {
			g.Holds(c, v.Me)
		}
	}
	for p, player := range v.Players {
		if len(player.Hand) == 0 {
			continue
		}
		for c := range g { // a hand that lies open lies open whole
			g[c][p] = No
		}
		for _, c := range player.Hand {
			g.Holds(c, p)
		}
	}
	for _, l := range v.Lines {
		switch {
		case l.Kind == table.Denied:
			for _, c := range l.Cards {
				g[c][l.Seat] = No
			}
		case l.Kind == table.Showed && l.Card != Hidden:
			g.Holds(l.Card, l.Seat)
		}
	}
	for _, c := range v.Crime {
		g.nobody(c)
	}
	return g
}

// Holds marks that seat holds c, and therefore nobody else does.
func (g Grid) Holds(c rules.Card, seat int) {
	g.nobody(c)
	g[c][seat] = Yes
}

func (g Grid) nobody(c rules.Card) {
	for p := range g[c] {
		g[c][p] = No
	}
}

// Holder is the seat known to hold c, or -1.
func (g Grid) Holder(c rules.Card) int { return slices.Index(g[c], Yes) }
