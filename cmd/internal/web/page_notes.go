package web

import (
	"fmt"
	"slices"

	"alibi/game/rules"
	"alibi/game/view"
)

// notebook is the page of cards by players, and what is written beside it.
type notebook struct {
	Columns []column
	Groups  []rowGroup
	Text    string
	Max     int
	Own     bool // nothing is filled in at this table
	Span    int
}

type column struct {
	Name  string
	Me    bool
	Seat  int
	Cards int
}

type rowGroup struct {
	Title string
	Rows  []row
}

type row struct {
	Card   card
	FaceUp bool
	Cells  []cell
}

// cell is one field. A field that was filled in by itself cannot be written on.
type cell struct {
	Sign  string // yes, no, maybe, question or ""
	Auto  bool
	Value string // what a click sends: card, seat, next sign
	Label string // for who does not see the sign
}

// after is the sign that a click makes of another.
var after = map[string]string{"": "yes", "yes": "no", "no": "maybe", "maybe": "question", "question": ""}

// signKeys name signs in the catalogue.
var signKeys = map[string]string{"": "web.mark.none", "yes": "mark.yes", "no": "mark.no", "maybe": "mark.maybe", "question": "web.mark.question"}

func (d desk) notebook() *notebook {
	v := d.v
	grid := v.Notebook()
	n := &notebook{Text: d.g.Notes.Text, Max: maxNote, Own: grid == nil, Span: len(v.Players) + 1}
	for i, p := range v.Players {
		n.Columns = append(n.Columns, column{Name: p.Name, Me: i == v.Me, Seat: i + 1, Cards: p.Size})
	}
	for cat := range v.Edition.CategoryCount {
		g := rowGroup{Title: d.b.Category(rules.Category(cat))}
		for _, c := range v.Edition.Of(rules.Category(cat)) {
			r := row{Card: d.card(c), FaceUp: slices.Contains(v.FaceUp, c)}
			for i := range v.Players {
				r.Cells = append(r.Cells, d.cell(grid, c, i))
			}
			g.Rows = append(g.Rows, r)
		}
		n.Groups = append(n.Groups, g)
	}
	return n
}

func (d desk) cell(grid view.Grid, c rules.Card, seat int) cell {
	key := d.v.Edition.Cards[c].Key
	m := cell{Sign: d.g.Notes.Marks[fmt.Sprint(key, "/", seat)]}
	if grid != nil && grid[c][seat] != view.Unknown {
		m = cell{Sign: map[view.Mark]string{view.Yes: "yes", view.No: "no"}[grid[c][seat]], Auto: true}
	}
	m.Value = fmt.Sprint(key, "/", seat, "/", after[m.Sign])
	m.Label = d.b.Say("web.mark.cell", "card", d.b.Card(d.v.Edition, c), "who", d.b.Player(d.v, seat), "mark", d.b.Say(signKeys[m.Sign]))
	return m
}
