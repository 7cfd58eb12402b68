package web

import (
	"slices"

	"alibi/game/rules"
	"alibi/game/table"
	"alibi/game/view"
)

// decision is what this player is to decide now.
type decision struct {
	Kind   string // the template's part
	Text   string
	Who    string  // who asks, or accuses
	Asked  []card  // what is asked about
	Show   []card  // what may be shown
	Groups []group // all cards, to choose from
	Seats  []seatChoice
	Places []int // of an accusing order, from 1
	Ahead  []card
}

// group is the cards of one category.
type group struct {
	Field, Title string
	Cards        []card
}

type seatChoice struct {
	Seat int
	Name string
	Me   bool
}

// act is nil when there is nothing to decide.
func (d desk) act() *decision {
	b, v, c := d.b, d.v, d.v.Choices
	switch {
	case c.Turn:
		return &decision{Kind: "turn", Text: b.Say("web.act.turn"), Groups: d.groups()}
	case c.Answer:
		return d.answer()
	case c.Join:
		return &decision{Kind: "join", Text: b.Say("web.act.join", "who", b.Player(v, v.Active)), Groups: d.groups()}
	case c.Guess && d.g.Ahead != nil:
		return nil // it is being fixed
	case c.Guess:
		return &decision{Kind: "guess", Text: b.Say("web.act.guess"), Groups: d.groups()}
	case c.Vote:
		key := "web.act.vote"
		if v.Options.First == "opener" {
			key = "web.act.first"
		}
		return &decision{Kind: "vote", Text: b.Say(key), Seats: d.choices(d.present())}
	case len(c.Propose) > 0:
		a := &decision{Kind: "order", Text: b.Say("web.act.order"), Seats: d.choices(c.Propose)}
		for i := range c.Propose {
			a.Places = append(a.Places, i+1)
		}
		return a
	case c.Leave:
		return &decision{Kind: "leave", Text: b.Say("web.act.leave")}
	}
	return nil
}

func (d desk) answer() *decision {
	b, v := d.b, d.v
	a := &decision{Kind: "deny", Who: b.Player(v, v.Question.Asker), Asked: d.cards(v.Question.Cards), Show: d.cards(v.Choices.Show)}
	key := "web.act.deny"
	switch len(a.Show) {
	case 0:
	case 1:
		a.Kind, key = "show", "web.act.show"
	default:
		a.Kind, key = "choose", "web.act.choose"
	}
	a.Text = b.Say(key, "who", a.Who, "cards", b.Cards(v.Edition, v.Question.Cards), "card", b.Cards(v.Edition, v.Choices.Show))
	return a
}

func (d desk) present() []int {
	var out []int
	for i, p := range d.v.Players {
		if !p.Gone {
			out = append(out, i)
		}
	}
	return out
}

func (d desk) choices(seats []int) []seatChoice {
	var out []seatChoice
	for _, i := range seats {
		out = append(out, seatChoice{Seat: i, Name: d.v.Players[i].Name, Me: i == d.v.Me})
	}
	return out
}

// groups are all cards by category, each with where the notebook knows it to be.
func (d desk) groups() []group {
	v := d.v
	grid := v.Notebook()
	var out []group
	for cat := range v.Edition.CategoryCount {
		g := group{Field: kinds[cat], Title: d.b.Category(rules.Category(cat))}
		for _, c := range v.Edition.Of(rules.Category(cat)) {
			m := d.card(c)
			switch {
			case slices.Contains(v.Hand, c):
				m.Tag = d.b.Say("web.tag.yours")
			case slices.Contains(v.FaceUp, c):
				m.Tag = d.b.Say("notes.faceup")
			case grid != nil && grid.Holder(c) >= 0:
				m.Tag = d.b.Player(v, grid.Holder(c))
			}
			g.Cards = append(g.Cards, m)
		}
		out = append(out, g)
	}
	return out
}

// deal is what really happens before the hands are out.
type deal struct {
	Steps       []dealStep
	Done, Total int
	Proofs      int
}

type dealStep struct {
	Text       string
	Done, Now  bool
	Seal, Took string
	Wait       string
}

// ahead are the stages of a deal that every game has, in order.
var ahead = []table.Stage{table.Accepting, table.Keying, table.Sorting, table.Pooling, table.Checking, table.Dealing}

func (d desk) deal() *deal {
	v := d.v
	out := &deal{Proofs: v.Proofs}
	for _, s := range d.u.Steps {
		if s.Stage >= table.Playing {
			continue
		}
		step := dealStep{Text: d.step(s.Stage, s.Seats), Done: true}
		if s.Proofs > 0 {
			step.Seal, step.Took = seal(d.b, s)
		}
		out.Steps = append(out.Steps, step)
	}
	out.Done = len(out.Steps)
	var owing []int
	for i, p := range v.Players {
		if p.Owes {
			owing = append(owing, i)
		}
	}
	now := dealStep{Text: d.step(v.Stage, owing), Now: true, Wait: d.b.Waiting(v)}
	if d.alone(v.Stage) {
		now.Wait = ""
	}
	out.Steps = append(out.Steps, now)
	out.Steps = append(out.Steps, d.ahead(owing)...)
	out.Total = len(out.Steps)
	return out
}

// alone reports whether one seat at a time speaks in a stage.
func (d desk) alone(s table.Stage) bool { return s == table.Sorting || s == table.Pooling }

func (d desk) step(s table.Stage, seats []int) string {
	key := "step." + s.String()
	if slices.Equal(seats, []int{d.v.Me}) && d.alone(s) && d.v.Me != view.Spectator {
		return d.b.Say(map[table.Stage]string{table.Sorting: "story.shuffled.you", table.Pooling: "story.pooled.you"}[s])
	}
	return d.b.Say(key, "who", d.b.Names(d.v, seats))
}

// ahead lists what is still to come after the open round.
func (d desk) ahead(owing []int) []dealStep {
	var out []dealStep
	for _, s := range ahead {
		switch {
		case s < d.v.Stage || s == d.v.Stage && !d.alone(s):
		case !d.alone(s):
			out = append(out, dealStep{Text: d.step(s, nil)})
		default:
			for _, i := range d.present() {
				if s > d.v.Stage || len(owing) > 0 && i > owing[0] {
					out = append(out, dealStep{Text: d.step(s, []int{i})})
				}
			}
		}
	}
	return out
}
