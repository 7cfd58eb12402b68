package web

import (
	"fmt"
	"slices"

	"alibi/cmd/internal/say"
	"alibi/game/audit"
	"alibi/game/rules"
	"alibi/game/table"
	"alibi/game/view"
)

// replayPage shows a log, a turn at a time.
type replayPage struct {
	Logs   []logLink
	Log    string // which is shown, "" for none
	Table  string
	Turn   int
	Turns  []turnLink
	Back   int // the turn before, -1 for none
	Next   int
	Title  string
	Cards  []card // asked about
	Lines  []told
	Shown  []shownCard
	Crime  []card
	Hands  []openHand
	FaceUp []card
	Report *fairness
}

type logLink struct {
	ID, Table string
	Here      bool
}

type turnLink struct {
	Number int
	Title  string
	Here   bool
}

type shownCard struct {
	Card card
	Text string
}

type openHand struct {
	Name  string
	Cards []card
	Open  bool
	Size  int
}

// replayed shows turn n of a log; what is beyond the last shows the last.
func replayed(b *say.Book, id string, r *audit.Report, n int) replayPage {
	v := view.For(r.State, nil)
	d := desk{b: b, v: v}
	turns := story(b, v, nil)
	slices.Reverse(turns)
	m := replayPage{Log: id, Table: v.Table, FaceUp: d.cards(v.FaceUp), Report: newFairness(b, r), Back: -1, Next: -1}
	if len(turns) == 0 {
		return m
	}
	n = min(max(n, 0), len(turns)-1)
	m.Turn, m.Title = n, turns[n].Title
	for i, t := range turns {
		m.Turns = append(m.Turns, turnLink{Number: i, Title: t.Title, Here: i == n})
	}
	if n > 0 {
		m.Back = n - 1
	}
	if n < len(turns)-1 {
		m.Next = n + 1
	}
	m.Lines = turns[n].Lines
	from := 0
	for _, t := range turns[:n] {
		from += len(t.Lines)
	}
	m.look(d, from)
	for _, p := range v.Players {
		m.Hands = append(m.Hands, openHand{Name: p.Name, Cards: d.cards(p.Hand), Open: p.Opened || p.Hand != nil, Size: p.Size})
	}
	return m
}

// look finds the cards of the lines of a turn.
func (m *replayPage) look(d desk, from int) {
	lines := d.v.Lines[from : from+len(m.Lines)]
	for i, l := range lines {
		switch {
		case l.Kind == table.Asked:
			m.Cards = d.cards(l.Cards)
		case l.Kind == table.Showed && l.Card != view.Hidden:
			m.Shown = append(m.Shown, shownCard{d.card(l.Card), m.Lines[i].Text})
		case l.Kind == table.Revealed:
			m.Crime = d.cards(l.Cards)
		}
	}
}

// rulesPage explains the games.
type rulesPage struct {
	Editions []ruledEdition
	Chapters []chapter
}

type ruledEdition struct {
	Name   string
	Groups []group
}

type chapter struct {
	ID, Title string
	Lines     []string
}

// chapters of the rules, with how many paragraphs each has in the catalogue.
var chapters = []struct {
	name  string
	lines int
}{{"cards", 3}, {"turn", 3}, {"answer", 3}, {"accuse", 5}, {"end", 3}, {"leave", 4}, {"fair", 4}}

func newRules(b *say.Book) rulesPage {
	var m rulesPage
	for _, c := range chapters {
		out := chapter{ID: c.name, Title: b.Say("web.rules." + c.name)}
		for i := range c.lines {
			out.Lines = append(out.Lines, b.Say(fmt.Sprintf("web.rules.%s.%d", c.name, i+1)))
		}
		m.Chapters = append(m.Chapters, out)
	}
	var before *rules.Edition
	for _, e := range rules.Editions() {
		d := desk{b: b, v: &view.View{Edition: e, Options: rules.Options{Notebook: "marks"}}}
		groups := d.groups()
		for i := range groups {
			for j := range groups[i].Cards {
				if c := &groups[i].Cards[j]; before != nil && !slices.ContainsFunc(before.Cards, func(f rules.Face) bool { return f.Key == c.Key }) {
					c.Tag = b.Say("web.rules.plus")
				}
			}
		}
		m.Editions = append(m.Editions, ruledEdition{Name: b.Edition(e.Name), Groups: groups})
		before = e
	}
	return m
}
