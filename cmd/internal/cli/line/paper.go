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
	told  int
}

// Tell writes what is new in the view, and reports whether anything was.
func (t *Teller) Tell(v *view.View) bool {
	news := t.Book.Story(v, t.told)
	for _, n := range news {
		if n.Turn > 0 {
			t.Paper.Line(t.Paper.Bold(t.Book.Say("story.turn", "turn", n.Turn, "who", t.Book.Player(v, n.Seat))))
		}
		if n.End {
			n.Text = t.Paper.Bold(n.Text)
		}
		t.Paper.Line("  " + n.Text)
	}
	t.told += len(news)
	return len(news) > 0
}

// Skip passes over the events of a kind that come next.
func (t *Teller) Skip(v *view.View, kind table.EventKind) {
	for t.told < len(v.Lines) && v.Lines[t.told].Kind == kind {
		t.told++
	}
}
