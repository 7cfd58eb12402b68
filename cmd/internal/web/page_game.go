package web

import (
	"errors"
	"slices"
	"time"

	"alibi/cmd/internal/say"
	"alibi/cmd/internal/session"
	"alibi/game/rules"
	"alibi/game/table"
	"alibi/game/view"
)

// gamePage is a game under way, or just over.
type gamePage struct {
	Table, Edition string
	Round          string // and the game, as a form names them
	State          string // what the table waits for
	Until          *until
	Notices        []notice
	Compare        []string // words to be compared
	Words          []string
	Deal           *deal
	Act            *decision
	Asked          *asked
	Seen           *seen
	Hand, FaceUp   []card
	Peeked         []card // Crime cards that this player alone has seen
	Ahead          []card // the guess that is to be fixed
	Dealt          bool   // the hands are out
	Watching       bool
	Players        []player
	Story          []turn
	Notes          *notebook
	End            *end
	Playing        bool // with a seat that is there, and not over
	Ended          bool
}

// until is a moment as a page shows it: a script counts down to it.
type until struct {
	Unix  int64 // ms
	Clock string
}

// card is one card as it is drawn.
type card struct {
	Key, Name, Kind string
	Tag             string // where it is known to be
}

var kinds = []string{"suspect", "weapon", "location"}

// notice is one thing that keeps the table from going on as usual.
type notice struct {
	Text    string
	Bad     bool // somebody is caught, or the game has stopped
	Drop    int  // whom to go on without, -1 for nobody
	Ask     string
	Abandon bool
}

// desk is what the parts of a page are made from.
type desk struct {
	b *say.Book
	u *session.Update
	v *view.View
	g *Game
}

func gameBody(s *Scene, b *say.Book) body {
	d := desk{b: b, u: s.Game.Update, v: s.Game.Update.View, g: s.Game}
	v := d.v
	m := gamePage{
		Table: v.Table, Edition: b.Edition(v.Edition.Name), Round: moment{v.Round, d.g.ID}.String(), State: d.state(), Notices: d.notices(),
		Hand: d.cards(v.Hand), FaceUp: d.cards(v.FaceUp), Watching: v.Me == view.Spectator,
		Dealt: v.Stage == table.Playing, Players: d.players(), Story: story(b, v, d.u.Steps), Ended: d.g.Ended,
		Playing: d.there() && v.Result == nil && !d.g.Ended,
	}
	if !d.u.Deadline.IsZero() && v.Result == nil {
		m.Until = &until{Unix: d.u.Deadline.UnixMilli(), Clock: d.clock(d.u.Deadline)}
	}
	if v.Words[0] != "" {
		m.Words = v.Words[:]
	}
	if d.u.Compare {
		m.Compare = v.Words[:]
	}
	if !m.Dealt {
		m.Deal = d.deal()
	} else {
		m.Asked, m.Seen, m.Notes = d.asked(), d.seen(), d.notebook()
	}
	m.Act, m.End = d.act(), d.end()
	if m.End == nil {
		m.Peeked, m.Ahead = d.cards(v.Crime), d.cards(d.g.Ahead)
	}
	turn := m.Act != nil || d.u.Compare
	title := v.Table
	if turn {
		title = b.Say("web.title.turn", "table", v.Table)
	}
	return body{Name: "game", Title: title, Turn: turn, Data: m}
}

// there reports whether this seat is one, and was not left out.
func (d desk) there() bool { return d.v.Me != view.Spectator && !d.v.Players[d.v.Me].Gone }

func (d desk) clock(t time.Time) string { return d.b.Clock(t) }

// state is the one sentence that says where the game stands.
func (d desk) state() string {
	v := d.v
	switch {
	case v.Result != nil && !v.Choices.Leave:
		return d.b.Result(v, v.Result)
	case len(v.Faults) > 0:
		return d.b.Say("failed.stopped", "fault", d.b.Fault(v, v.Faults[0]))
	case d.u.Compare:
		return d.b.Say("web.compare.state")
	}
	if w := d.b.Waiting(v); w != "" {
		return w
	}
	return d.b.Say("web.state.busy")
}

func (d desk) card(c rules.Card) card {
	f := d.v.Edition.Cards[c]
	return card{Key: f.Key, Name: d.b.Card(d.v.Edition, c), Kind: kinds[f.Category]}
}

func (d desk) cards(cs []rules.Card) []card {
	var out []card
	for _, c := range cs {
		if d.v.Edition.Valid(c) {
			out = append(out, d.card(c))
		}
	}
	return out
}

// notices are absences, overtime, motions, blame and trouble, in sentences.
func (d desk) notices() []notice {
	var out []notice
	b, u, v := d.b, d.u, d.v
	if key := trouble(d.g.Err); key != "" {
		out = append(out, notice{Text: b.Say(key), Bad: true, Drop: -1})
	}
	if u.Trouble != nil {
		out = append(out, notice{Text: b.Say("trouble", "round", u.Trouble.Round), Bad: true, Drop: -1})
	}
	named := map[int]bool{} // seats whose button is there
	for _, f := range u.Blamed {
		key := "caught"
		if f.Seat == v.Me {
			key = "caught.you"
		}
		out = append(out, d.about(f.Seat, b.Say(key, "fault", b.Fault(v, f)), named))
		out[len(out)-1].Bad = true
	}
	if d.g.Ended || v.Result != nil {
		return out
	}
	for _, a := range u.Away {
		key := "away"
		switch {
		case a.Shaky:
			continue
		case v.Players[a.Seat].Owes:
			key = "away.wait"
		}
		out = append(out, d.about(a.Seat, b.Say(key, "who", b.Player(v, a.Seat), "time", d.clock(a.Since)), named))
	}
	for _, i := range u.Late {
		text := b.Say("late", "who", b.Player(v, i))
		if i == v.Me {
			text = b.Overtime(u.Spared)
		}
		out = append(out, d.about(i, text, named))
	}
	if v.Me != view.Spectator && !d.there() {
		out = append(out, notice{Text: b.Say("web.left"), Drop: -1})
	}
	return append(out, d.motions(named)...)
}

// trouble is the key of what there is to say of a game's error. That it was given
// up, or stopped, is said as its result.
func trouble(err error) string {
	switch {
	case err == nil, errors.Is(err, session.ErrAbandoned), errors.Is(err, session.ErrStopped):
		return ""
	case errors.Is(err, session.ErrUndelivered):
		return "web.undelivered"
	}
	return why(err)
}

// about adds the button to go on without a seat, once.
func (d desk) about(seat int, text string, named map[int]bool) notice {
	n := notice{Text: text, Drop: -1}
	if d.there() && !named[seat] && slices.Contains(d.u.Droppable, seat) && !d.voted(seat) {
		named[seat] = true
		n.Drop, n.Ask = seat, d.b.Say("web.drop", "who", d.b.Player(d.v, seat))
	}
	return n
}

// voted reports whether this seat has given its word to go on without another.
func (d desk) voted(seat int) bool {
	return slices.ContainsFunc(d.u.Motions, func(m session.Motion) bool {
		return slices.Contains(m.Without, seat) && slices.Contains(m.Yes, d.v.Me)
	})
}

func (d desk) motions(named map[int]bool) []notice {
	var out []notice
	b, v := d.b, d.v
	for _, m := range d.u.Motions {
		mine := d.there() && slices.Contains(m.Need, v.Me)
		who, yes, need := b.Names(v, m.Without), b.Names(v, m.Yes), b.Names(v, m.Need)
		n := notice{Drop: -1}
		switch {
		case m.Abandon:
			n.Text, n.Abandon = b.Say("moved.abandon", "yes", yes, "need", need), mine
		case slices.Contains(m.Without, v.Me):
			n.Text = b.Say("moved.drop.me", "yes", yes)
		case mine && !slices.Contains(d.u.Droppable, m.Without[0]):
			n.Text = b.Say("moved.drop.there", "who", who, "yes", yes)
		default:
			n = d.about(m.Without[0], b.Say("moved.drop", "who", who, "yes", yes, "need", need), named)
		}
		out = append(out, n)
	}
	return out
}

// player is one seat as the row of players shows it.
type player struct {
	Seat   int // from 1
	Name   string
	Me     bool
	Active bool
	Dim    bool // out or gone
	Owes   bool
	Cards  int
	States []badge
	Hand   []card // that lies open
}

type badge struct{ Icon, Text string }

func (d desk) players() []player {
	v, b := d.v, d.b
	unheard := map[int]session.Absence{}
	for _, a := range d.u.Away {
		unheard[a.Seat] = a
	}
	said := map[int]badge{}
	if a := d.asked(); a != nil && v.Question != nil {
		said = a.said
	}
	var out []player
	for i, p := range v.Players {
		m := player{Seat: i + 1, Name: p.Name, Me: i == v.Me, Active: i == v.Active && v.Result == nil,
			Dim: p.Out || p.Gone, Cards: p.Size, Owes: p.Owes && v.Result == nil, Hand: d.cards(p.Hand)}
		note := func(on bool, icon, key string, pairs ...any) {
			if on {
				m.States = append(m.States, badge{icon, b.Say(key, pairs...)})
			}
		}
		away, is := unheard[i]
		note(v.Result != nil && v.Result.Winner == i, "crown", "web.who.won")
		note(m.Active, "hand", "who.active")
		note(m.Owes && m.Me, "", "web.who.you.owe")
		note(m.Owes && !m.Me && v.Stage == table.Playing, "", "web.who.thinks")
		note(m.Owes && !m.Me && v.Stage < table.Playing, "", "who.owes")
		if s, ok := said[i]; ok {
			m.States = append(m.States, s)
		}
		note(p.Out && !p.Gone, "out", "who.out")
		note(p.Gone, "out", "who.gone")
		note(is && away.Shaky && !p.Gone, "away", "who.shaky")
		note(is && !away.Shaky && !p.Gone, "away", "who.away", "time", d.clock(away.Since))
		out = append(out, m)
	}
	return out
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
