package web

import (
	"slices"
	"time"

	"alibi/cmd/internal/say"
	"alibi/cmd/internal/session"
	"alibi/game/table"
	"alibi/game/view"
)

// asked is the question on the table, until the next one.
type asked struct {
	Title string
	Cards []card
	Lines []string
	To    string // whose answer is awaited
	said  map[int]badge
}

func (d desk) asked() *asked {
	v := d.v
	at := -1
	for i, l := range v.Lines {
		switch l.Kind {
		case table.Asked:
			at = i
		case table.Accused, table.Ended:
			at = -1
		}
	}
	if at < 0 {
		return nil
	}
	told := d.b.Story(v, at)
	out := &asked{Title: told[0].Text, Cards: d.cards(v.Lines[at].Cards), said: map[int]badge{}}
	for i, l := range v.Lines[at+1:] {
		switch l.Kind {
		case table.Denied:
			out.said[l.Seat] = badge{"", d.b.Say("web.who.denied")}
		case table.Showed:
			out.said[l.Seat] = badge{"eye", d.b.Say("web.who.showed")}
		}
		out.Lines = append(out.Lines, told[i+1].Text)
	}
	if q := v.Question; q != nil && q.Responder >= 0 && q.Responder < len(v.Players) {
		out.To = d.b.Waiting(v)
	}
	return out
}

// seen is the card that was shown to this player last.
type seen struct {
	At   int // its line, so that the next one is another
	Card card
	Text string
}

func (d desk) seen() *seen {
	v := d.v
	if v.Me == view.Spectator || v.Result != nil {
		return nil
	}
	for i, l := range slices.Backward(v.Lines) {
		if l.Kind == table.Showed && l.To == v.Me && l.Card != view.Hidden {
			return &seen{At: i, Card: d.card(l.Card), Text: d.b.Story(v, i)[0].Text}
		}
	}
	return nil
}

// turn is one turn of the story.
type turn struct {
	Number int
	Title  string
	Lines  []told
}

type told struct {
	Text string
	Seal string // how it was proved
	Took string
	End  bool
}

// sealed are the kinds of line that stand on a proof.
var sealed = []table.EventKind{table.Shuffled, table.Dealt, table.Denied, table.Showed, table.Guessed, table.Peeked, table.Wrong,
	table.Right, table.Disclosed, table.Revealed, table.LaidOpen}

// story tells the turns, the newest first.
func story(b *say.Book, v *view.View, steps []session.Step) []turn {
	bySteps := map[uint32]session.Step{}
	for _, s := range steps {
		bySteps[s.Round] = s
	}
	out := []turn{{Title: b.Say("web.story.deal")}}
	for i, t := range b.Story(v, 0) {
		if t.Turn > 0 {
			out = append(out, turn{Number: t.Turn, Title: b.Say("story.turn", "turn", t.Turn, "who", b.Player(v, t.Seat))})
		}
		line := told{Text: t.Text, End: t.End}
		if s, ok := bySteps[v.Lines[i].Round]; ok && s.Proofs > 0 && slices.Contains(sealed, v.Lines[i].Kind) {
			line.Seal, line.Took = seal(b, s)
			delete(bySteps, s.Round) // one seal for a round
		}
		last := &out[len(out)-1]
		last.Lines = append(last.Lines, line)
	}
	if len(out[0].Lines) == 0 {
		out = out[1:]
	}
	slices.Reverse(out)
	return out
}

// seal says what was proved in a round and how long the check took here.
func seal(b *say.Book, s session.Step) (text, short string) {
	ms := millis(s.Took)
	if s.Proofs == 1 {
		return b.Say("web.seal.one", "ms", ms), b.Say("web.ms", "ms", ms)
	}
	return b.Say("web.seal", "n", s.Proofs, "ms", ms), b.Say("web.ms", "ms", ms)
}

// millis is a time in ms, with a decimal only where it matters.
func millis(d time.Duration) any {
	if d < 10*time.Millisecond {
		return float64(d.Round(100*time.Microsecond)) / float64(time.Millisecond)
	}
	return int(d.Round(time.Millisecond) / time.Millisecond)
}
