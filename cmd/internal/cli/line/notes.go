package line

import (
	"slices"
	"strings"
	"time"

	"alibi/cmd/internal/session"
	"alibi/game/rules"
	"alibi/game/view"
)

// The verbs that only tell.

func joined(typed []string) string { return strings.Join(typed, " ") }

func (d *Desk) hand(u *session.Update, _ []string) Reply {
	v := u.View
	if v.Hand == nil {
		r := d.tell("line.nocards")
		r.Text = append(r.Text, d.openHands(v)...)
		return r
	}
	r := d.tell("line.hand", "cards", d.book.Cards(v.Edition, v.Hand))
	if len(v.FaceUp) > 0 {
		r.Text = append(r.Text, d.book.Say("line.faceup", "cards", d.book.Cards(v.Edition, v.FaceUp)))
	}
	r.Text = append(r.Text, d.openHands(v)...)
	return r
}

// openHands lists the hands of those who left.
func (d *Desk) openHands(v *view.View) (out []string) {
	for i, p := range v.Players {
		if p.Gone && p.Hand != nil {
			out = append(out, d.book.Say("line.open", "who", d.book.Player(v, i), "cards", d.book.Cards(v.Edition, p.Hand)))
		}
	}
	return out
}

func (d *Desk) log(u *session.Update, _ []string) Reply {
	var r Reply
	for _, t := range d.book.Story(u.View, 0) {
		if t.Turn > 0 {
			r.Text = append(r.Text, d.book.Say("story.turn", "turn", t.Turn, "who", d.book.Player(u.View, t.Seat)))
		}
		r.Text = append(r.Text, "  "+t.Text)
	}
	if len(r.Text) == 0 {
		return d.tell("line.nostory")
	}
	return r
}

func (d *Desk) words(u *session.Update, _ []string) Reply {
	if u.View.Words[0] == "" {
		return d.tell("line.nowords")
	}
	return d.tell("line.words", "words", strings.Join(u.View.Words[:], " "))
}

func (d *Desk) help(*session.Update, []string) Reply {
	return Reply{Text: strings.Split(d.book.Say("line.help"), "\n")}
}

func (d *Desk) who(u *session.Update, _ []string) Reply {
	v := u.View
	unheard := map[int]session.Absence{}
	for _, a := range u.Away {
		unheard[a.Seat] = a
	}
	var r Reply
	for i, p := range v.Players {
		var state []string
		note := func(on bool, key string) {
			if on {
				state = append(state, d.book.Say(key))
			}
		}
		note(i == v.Me, "who.you")
		note(i == v.Active && v.Result == nil, "who.active")
		note(p.Out, "who.out")
		note(p.Owes, "who.owes")
		note(p.Gone, "who.gone")
		a, is := unheard[i]
		note(is && a.Shaky, "who.shaky")
		if is && !a.Shaky {
			state = append(state, d.book.Say("who.away", "time", d.book.Clock(a.Since)))
		}
		r.Text = append(r.Text, strings.TrimRight(d.book.Say("who.line", "seat", i+1, "who", p.Name, "cards", p.Size,
			"state", strings.Join(state, d.book.Say("list.between"))), " ,"))
	}
	r.Text = append(r.Text, d.waiting(u)...)
	return r
}

// waiting says what the table waits for, for how long, and how long it still
// will.
func (d *Desk) waiting(u *session.Update) []string {
	wait := d.book.Waiting(u.View)
	if wait == "" {
		return nil
	}
	out := []string{wait}
	if waited := time.Since(d.Since); !d.Since.IsZero() && waited >= warning {
		out[0] = d.book.Say("wait.long", "wait", wait, "span", d.book.Span(waited))
	}
	if left := time.Until(u.Deadline); left > 0 {
		out = append(out, d.book.Say("time.left", "span", d.book.Span(left)))
	} else if !u.Deadline.IsZero() {
		out = append(out, d.book.Say("time.over"))
	}
	return out
}

// mark writes an own mark: a card's name, a player, and the mark.
func (d *Desk) mark(u *session.Update, typed []string) Reply {
	v := u.View
	if len(typed) < 3 {
		return d.wrong("wrong.mark", "hint.mark")
	}
	last := len(typed) - 1
	sign, ok := d.sign(typed[last])
	if !ok {
		return d.wrong("wrong.mark", "hint.mark")
	}
	s, ok := d.player(v, typed[last-1])
	if !ok {
		return d.unknownPlayer(v, typed[last-1])
	}
	cards, t := d.index.set(typed[:last-1], 1, d.index.all())
	if t.key != "" {
		return d.unclear(t)
	}
	at := square{cards[0], s}
	if sign == "" {
		delete(d.marks, at)
		return d.tell("done.unmarked", "card", d.book.Card(v.Edition, at.card), "who", d.book.Player(v, s))
	}
	d.marks[at] = sign
	return d.tell("done.marked", "card", d.book.Card(v.Edition, at.card), "who", d.book.Player(v, s), "mark", d.book.Say(sign))
}

// sign reads a mark in English, or as the notebook draws it.
func (d *Desk) sign(typed string) (key string, ok bool) {
	key, ok = map[string]string{"yes": "mark.yes", "no": "mark.no", "maybe": "mark.maybe", "?": "mark.unsure", "-": ""}[typed]
	for _, k := range []string{"mark.yes", "mark.no", "mark.maybe"} {
		if !ok && fold(d.book.Say(k)) == typed {
			return k, true
		}
	}
	return key, ok
}

// notes draws the notebook: what was openly seen, and own marks in brackets.
func (d *Desk) notes(u *session.Update, _ []string) Reply {
	v := u.View
	grid := v.Notebook()
	var rows [][]string
	head := []string{""}
	for i := range v.Players {
		head = append(head, d.book.Player(v, i))
	}
	for cat := range v.Edition.CategoryCount {
		title := make([]string, len(head))
		title[0] = d.book.Category(rules.Category(cat))
		if cat == 0 {
			copy(title[1:], head[1:])
		}
		rows = append(rows, title)
		for _, c := range v.Edition.Of(rules.Category(cat)) {
			row := []string{"  " + d.book.Card(v.Edition, c)}
			for s := range v.Players {
				row = append(row, d.square(grid, c, s))
			}
			if slices.Contains(v.FaceUp, c) {
				row = append(row, d.book.Say("notes.faceup"))
			}
			rows = append(rows, row)
		}
	}
	r := Reply{Text: Columns(rows)}
	if grid == nil {
		r.Text = append(r.Text, d.book.Say("notes.own"))
	}
	r.Text = append(r.Text, d.book.Say("notes.how"))
	return r
}

func (d *Desk) square(grid view.Grid, c rules.Card, s int) string {
	if grid != nil && grid[c][s] != view.Unknown {
		if grid[c][s] == view.Yes {
			return d.book.Say("mark.yes")
		}
		return d.book.Say("mark.no")
	}
	if own := d.marks[square{c, s}]; own != "" {
		return d.book.Say("mark.own", "mark", d.book.Say(own))
	}
	return d.book.Say("mark.none")
}

// Columns lines columns up, two spaces apart.
func Columns(rows [][]string) []string {
	widths := map[int]int{}
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], cells(cell))
		}
	}
	out := make([]string, len(rows))
	for r, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(Pad(cell, widths[i]) + "  ")
		}
		out[r] = strings.TrimRight(line.String(), " ")
	}
	return out
}

// Pad fills a text up to a number of cells.
func Pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-cells(text)))
}
