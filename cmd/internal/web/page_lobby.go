package web

import (
	"fmt"
	"slices"
	"strings"

	"alibi/cmd/internal/say"
	"alibi/cmd/internal/session"
	"alibi/game/rules"
)

// lobby is the page of somebody who sits nowhere.
type lobby struct {
	Name    string
	MaxName int
	Trouble string
	Kept    []keptGame
	Tables  []foundTable
	Fan     []string // pictures that welcome somebody new
	Finding string
	Offer   offer
}

type keptGame struct {
	ID, Table, Edition, Players string
	Over                        bool // only its end is to be handed on
}

type foundTable struct {
	Name, Host, Edition string
	Seats               []bool // taken, for each seat
	Taken               int
	Note                string // why nobody can sit down there
	Join, Watch         bool
}

// offer is the form that opens a table.
type offer struct {
	Table    string
	MaxName  int
	Editions []choice
	Seats    []choice
	Options  []option
	Leavers  []choice
	Timers   []choice
}

// option is a rule of the house with its choices.
type option struct {
	Field, Title, Help string
	Choices            []choice
}

type choice struct {
	Value, Text, Help string
	On                bool // chosen unless somebody says otherwise
}

func lobbyBody(s *Scene, b *say.Book) body {
	l := lobby{Name: s.Name, MaxName: session.MaxName, Finding: s.Finding, Offer: newOffer(s.Name, b),
		Fan: []string{"peacock", "candlestick", "back", "library", "mustard"}}
	if s.Trouble != nil {
		l.Trouble = b.Say(why(s.Trouble))
	}
	for _, k := range s.Games {
		if k.Edition == nil || k.Damaged {
			continue
		}
		l.Kept = append(l.Kept, keptGame{ID: fmt.Sprintf("%x", k.ID), Table: k.Table, Edition: b.Edition(k.Edition.Name),
			Players: strings.Join(k.Players, b.Say("list.between")), Over: k.Over})
	}
	for _, f := range s.Tables {
		l.Tables = append(l.Tables, newFound(f, b))
	}
	return body{Name: "lobby", Title: b.Say("web.lobby.title"), Data: l}
}

func newFound(f session.Found, b *say.Book) foundTable {
	t := foundTable{Name: f.Name, Host: f.Host, Edition: b.Edition(f.Edition), Taken: f.Taken}
	for i := range f.Seats {
		t.Seats = append(t.Seats, i < f.Taken)
	}
	switch {
	case f.Playing:
		t.Watch, t.Note = true, b.Say("web.table.playing")
	case f.Seats > 0 && f.Taken >= f.Seats:
		t.Note = b.Say("web.table.full")
	case f.Problem != "":
		t.Note = b.Say("web.table.foreign")
	default:
		t.Join = true
	}
	return t
}

// timers are what the lobby offers, in seconds.
var timers = []int{0, 30, 60, 120, 300, 600}

func newOffer(name string, b *say.Book) offer {
	o := offer{Table: b.Say("open.table", "name", name), MaxName: session.MaxName}
	most := 0
	for i, e := range rules.Editions() {
		o.Editions = append(o.Editions, choice{Value: e.Name, Text: b.Edition(e.Name), On: i == 0,
			Help: b.Say("web.edition.cards", "n", len(e.Cards))})
		most = max(most, e.MaxSeats)
	}
	for n := 2; n <= most; n++ {
		o.Seats = append(o.Seats, choice{Value: fmt.Sprint(n), Text: b.Digits(fmt.Sprint(n)), On: n == 3})
	}
	for n := range session.MaxLeavers(most) + 1 {
		key := "web.leavers"
		if n == 0 {
			key = "web.leavers.none"
		}
		o.Leavers = append(o.Leavers, choice{Value: fmt.Sprint(n), Text: b.Say(key, "n", n), On: n == 0})
	}
	for _, n := range timers {
		text := b.Say("web.timer.none")
		if n > 0 {
			text = b.Span(seconds(n))
		}
		o.Timers = append(o.Timers, choice{Value: fmt.Sprint(n), Text: text, On: n == 0})
	}
	for _, f := range []struct {
		field, title string
		values       []string
	}{
		{"first", "table.first", rules.FirstChoices},
		{"order", "table.order", rules.OrderChoices},
		{"last", "table.last", rules.LastChoices},
		{"notebook", "table.notebook", rules.NotebookChoices},
	} {
		op := option{Field: f.field, Title: b.Say(f.title)}
		for i, v := range f.values {
			op.Choices = append(op.Choices, choice{Value: v, Text: b.Say(f.field + "." + v),
				Help: b.Say("web." + f.field + "." + v), On: i == 0})
		}
		o.Options = append(o.Options, op)
	}
	return o
}

// terms are the rules of a table in sentences.
func terms(b *say.Book, e *rules.Edition, o rules.Options, seats, leavers int) []string {
	say := b.Say
	out := []string{
		say("web.term", "what", say("table.first"), "is", say("first."+o.First)),
		say("web.term", "what", say("table.order"), "is", say("order."+o.Order)),
		say("web.term", "what", say("table.last"), "is", say("last."+o.Last)),
		say("web.term", "what", say("table.notebook"), "is", say("notebook."+o.Notebook)),
	}
	switch leavers {
	case 0:
		out = append(out, say("table.leavers.none", "seats", seats))
	case 1:
		out = append(out, say("table.leavers.one", "seats", seats, "threshold", seats-1))
	default:
		out = append(out, say("table.leavers.some", "seats", seats, "leavers", leavers, "threshold", seats-leavers))
	}
	switch {
	case o.Timer > 0 && leavers > 0:
		out = append(out, say("table.timer", "span", b.Span(seconds(int(o.Timer)))))
	case o.Timer > 0:
		out = append(out, say("table.timer.wait", "span", b.Span(seconds(int(o.Timer)))))
	}
	if o.Watch {
		out = append(out, say("table.watch"))
	}
	if seats < e.BoxMin || seats > e.BoxMax {
		out = append(out, say("table.house", "seats", seats, "least", e.BoxMin, "most", e.BoxMax))
	}
	return out
}

// room is the page of a table that is filling.
type room struct {
	Table, Edition string
	Taken, Seats   int
	Chairs         []chair
	Terms          []string
	Ready          bool
	Full           bool
	Invite         *invite
}

type chair struct {
	Name      string // "" while nobody sits there
	Me, Ready bool
}

// invite is how a friend finds a table who does not see it.
type invite struct {
	Addrs []string
	Text  string
	Code  qrCode
}

func roomBody(s *Scene, b *say.Book) body {
	r := s.Room
	m := room{Table: r.Table, Taken: len(r.Players), Seats: r.Seats, Full: len(r.Players) == r.Seats}
	if r.Edition != nil {
		m.Edition = b.Edition(r.Edition.Name)
		m.Terms = terms(b, r.Edition, r.Options, r.Seats, r.Leavers)
	}
	for i := range r.Seats {
		var c chair
		if i < len(r.Players) {
			c = chair{Name: r.Players[i].Name, Me: r.Players[i].Me, Ready: r.Players[i].Ready}
		}
		m.Ready = m.Ready || c.Me && c.Ready
		m.Chairs = append(m.Chairs, c)
	}
	opener := len(r.Players) > 0 && r.Players[0].Me
	if opener && len(s.Addrs) > 0 {
		m.Invite = &invite{Addrs: slices.Clone(s.Addrs), Code: newCode(s.Addrs[0]),
			Text: b.Say("web.invite.text", "table", r.Table, "address", s.Addrs[0])}
	}
	mine := slices.ContainsFunc(r.Players, func(g session.Guest) bool { return g.Me && !g.Ready })
	return body{Name: "room", Title: r.Table, Turn: mine && m.Full, Data: m}
}
