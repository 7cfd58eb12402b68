package line

import (
	"fmt"
	"io"

	"alibi/cmd/internal/say"
	"alibi/game/table"
	"alibi/game/view"
)

// Paper is where lines are written: one after the other, never anything else.
// Marked paper may use bold and dim type; plain text means the same without.
type Paper struct {
	W      io.Writer
	Marked bool
}

// Line writes one line. A failed write is the reader's loss: whoever closed the
// other end does not stop a seat at a table.
func (p Paper) Line(s string) { _, _ = fmt.Fprintln(p.W, s) }

// Lines writes several.
func (p Paper) Lines(lines []string) {
	for _, l := range lines {
		p.Line(l)
	}
}

// Bold marks a heading, or what somebody is asked.
func (p Paper) Bold(s string) string { return p.mark("1", s) }

// Dim marks what can be skipped.
func (p Paper) Dim(s string) string { return p.mark("2", s) }

func (p Paper) mark(code, s string) string {
	if !p.Marked || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Ask writes a prompt: one line that begins with a question mark, so that a
// script and an ear can tell it from the story.
func (p Paper) Ask(prompt string) { p.Line(p.Bold("? " + prompt)) }

// Teller writes a story as it grows, turn by turn.
type Teller struct {
	Paper Paper
	Book  *say.Book
	told  []view.Line
}

// Tell writes what is new in the view, and reports whether anything was. Where
// the others have gone on in another way, the story is told anew from there.
func (t *Teller) Tell(v *view.View) bool {
	same := 0
	for same < len(t.told) && same < len(v.Lines) && alike(t.told[same], v.Lines[same]) {
		same++
	}
	if same < len(t.told) {
		t.Paper.Line(t.Paper.Bold(t.Book.Say("story.back", "lines", len(t.told)-same)))
	}
	news := t.Book.Story(v, same)
	for _, n := range news {
		if n.Turn > 0 {
			t.Paper.Line(t.Paper.Bold(t.Book.Say("story.turn", "turn", n.Turn, "who", t.Book.Player(v, n.Seat))))
		}
		if n.End {
			n.Text = t.Paper.Bold(n.Text)
		}
		t.Paper.Line("  " + n.Text)
	}
	t.told = v.Lines
	return len(news) > 0
}

// alike reports whether two lines tell of the same thing; the cards in one may
// come to light later.
func alike(a, b view.Line) bool {
	return a.Round == b.Round && a.Kind == b.Kind && a.Seat == b.Seat && a.To == b.To
}

// Skip passes over the events of a kind that come next.
func (t *Teller) Skip(v *view.View, kind table.EventKind) {
	n := len(t.told)
	for n < len(v.Lines) && v.Lines[n].Kind == kind {
		n++
	}
	t.told = v.Lines[:n]
}
