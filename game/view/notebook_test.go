package view_test

import (
	"slices"
	"testing"

	"alibi/game/internal/parlour"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
	"alibi/game/view"
)

// Whatever a notebook fills in is true, in every round of whole games.
func TestNotebookIsTrue(t *testing.T) {
	eachGame(t, func(t *testing.T, g game) {
		marks := 0
		everyView(t, g, func(p *parlour.Table, me *seat.Seat) {
			v := view.For(p.State, me)
			page := v.Notebook()
			if (page == nil) != (p.State.Stage != table.Playing || g.options.Notebook == "marks") {
				t.Fatalf("%s, %s: a page of %d rows", p.State.Stage, g.options.Notebook, len(page))
			}
			if !inPlay(p.State) {
				return
			}
			var hands [][]rules.Card
			for i := range p.Seats {
				hands = append(hands, held(p, i))
			}
			v.Options.Notebook = "solver" // and what follows
			for c, row := range v.Notebook() {
				for i, mark := range row {
					holds := slices.Contains(hands[i], rules.Card(c))
					if mark == view.Yes && !holds || mark == view.No && holds {
						t.Fatalf("round %d, seat %d: card %d at seat %d is marked %d", v.Round, v.Me, c, i, mark)
					}
					if mark != view.Unknown {
						marks++
					}
				}
				if at := v.Seen().Holder(rules.Card(c)); at >= 0 && row[at] != view.Yes {
					t.Fatalf("card %d is held by %d", c, at)
				}
			}
		})
		if marks == 0 {
			t.Error("nothing was ever filled in")
		}
	})
}

// written is a view of three players with seven cards known about: own hand 0,
// 6, 9 and the rest as lines say.
func written(lines ...view.Line) *view.View {
	e, _ := rules.Lookup("card")
	return &view.View{Edition: e, Me: 0, Stage: table.Playing, Options: rules.DefaultOptions(), Players: make([]view.Player, 3),
		Hand: []rules.Card{0, 6, 9}, Lines: lines}
}

func TestNotebookFillsIn(t *testing.T) {
	const unknown, yes, no = view.Unknown, view.Yes, view.No
	for name, tt := range map[string]struct {
		v    *view.View
		card rules.Card
		want []view.Mark
	}{
		"own card":          {written(), 6, []view.Mark{yes, no, no}},
		"a card not held":   {written(), 1, []view.Mark{no, unknown, unknown}},
		"a no":              {written(view.Line{Kind: table.Denied, Seat: 1, Cards: []rules.Card{1, 7}}), 7, []view.Mark{no, no, unknown}},
		"a no of another":   {written(view.Line{Kind: table.Denied, Seat: 1, Cards: []rules.Card{1, 7}}), 2, []view.Mark{no, unknown, unknown}},
		"shown to me":       {written(view.Line{Kind: table.Showed, Seat: 2, To: 0, Cards: []rules.Card{1, 7}, Card: 7}), 7, []view.Mark{no, no, yes}},
		"not the other one": {written(view.Line{Kind: table.Showed, Seat: 2, To: 0, Cards: []rules.Card{1, 7}, Card: 7}), 1, []view.Mark{no, unknown, unknown}},
		"shown to another":  {written(view.Line{Kind: table.Showed, Seat: 2, To: 1, Cards: []rules.Card{1, 7}, Card: view.Hidden}), 7, []view.Mark{no, unknown, unknown}},
		"asked about":       {written(view.Line{Kind: table.Asked, Seat: 2, Cards: []rules.Card{1, 7}}), 7, []view.Mark{no, unknown, unknown}},
		"nobody could show": {written(view.Line{Kind: table.Unanswered, Seat: 2, Cards: []rules.Card{1, 7}}), 7, []view.Mark{no, unknown, unknown}},
		"face up":           {with(written(), func(v *view.View) { v.FaceUp = []rules.Card{4} }), 4, []view.Mark{no, no, no}},
		"the crime":         {with(written(), func(v *view.View) { v.Crime = []rules.Card{1, 7, 10} }), 10, []view.Mark{no, no, no}},
		"an open hand":      {with(written(), func(v *view.View) { v.Players[2].Hand = []rules.Card{3} }), 3, []view.Mark{no, no, yes}},
		"a spectator":       {with(written(), func(v *view.View) { v.Me, v.Hand = view.Spectator, nil }), 6, []view.Mark{unknown, unknown, unknown}},
	} {
		t.Run(name, func(t *testing.T) {
			page := tt.v.Notebook()
			if !slices.Equal(page[tt.card], tt.want) {
				t.Errorf("row %v, want %v", page[tt.card], tt.want)
			}
			if want := slices.Index(tt.want, yes); page.Holder(tt.card) != want {
				t.Errorf("held by %d, want %d", page.Holder(tt.card), want)
			}
		})
	}
	quiet := written()
	quiet.Options.Notebook = "marks"
	if quiet.Notebook() != nil || quiet.Seen() == nil {
		t.Error("a table of own marks only fills in")
	}
}

func with(v *view.View, change func(*view.View)) *view.View {
	change(v)
	return v
}

// A solver also marks what follows: a hand of which all but one possible card is gone.
func TestNotebookMarksWhatFollows(t *testing.T) {
	line := func(kind table.EventKind, seat int, cards ...rules.Card) view.Line {
		return view.Line{Kind: kind, Seat: seat, Cards: cards, Card: view.Hidden}
	}
	v := written(line(table.Denied, 1, 1, 7), line(table.Showed, 2, 7, 1), line(table.Denied, 2, 1, 10))
	for i := range v.Players {
		v.Players[i].Size = 3
	}
	for book, want := range map[string]view.Mark{"auto": view.Unknown, "solver": view.Yes} {
		v.Options.Notebook = book
		if got := v.Notebook()[7][2]; got != want {
			t.Errorf("%s: mark %d, want %d", book, got, want)
		}
	}
}
