package web

import (
	"slices"

	"alibi/cmd/internal/say"
	"alibi/game/audit"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/table"
	"alibi/game/view"
)

// end is what there is to see once a game is decided.
type end struct {
	Result  string
	Won     bool // by somebody
	Crime   []card
	Guesses []string
	Report  *fairness
	Log     bool
}

func (d desk) end() *end {
	v := d.v
	if v.Result == nil && !d.g.Ended {
		return nil
	}
	out := &end{Result: d.b.Result(v, v.Result), Won: v.Result != nil && v.Result.Winner != rules.Nobody,
		Crime: d.cards(v.Crime)}
	told := map[int]bool{} // seats whose guess everybody has seen
	for i, t := range d.b.Story(v, 0) {
		switch l := v.Lines[i]; l.Kind {
		case table.Disclosed, table.Right:
			told[l.Seat] = true
			out.Guesses = append(out.Guesses, t.Text)
		case table.Wrong:
			out.Guesses = append(out.Guesses, t.Text)
		}
	}
	if e := d.g.Ending; e != nil {
		out.Log = len(e.Log) > 0
		if e.Report != nil {
			out.Report = newFairness(d.b, e.Report)
			out.Report.Guesses = slices.DeleteFunc(out.Report.Guesses, func(g guessed) bool { return told[g.seat] })
		}
	}
	return out
}

// fairness is the report on a log.
type fairness struct {
	Conclusion string
	Fair       bool
	Checked    []count
	Proofs     []count
	Replay     string // what stands above what was checked in the clear
	Clear      []count
	Guesses    []guessed
	Findings   []string
}

// guessed is a guess that an opened key has shown.
type guessed struct {
	seat int
	Text string
}

type count struct {
	What string
	N    string
}

func newFairness(b *say.Book, r *audit.Report) *fairness {
	st, v := r.State, view.For(r.State, nil)
	number := func(key string, n int) count { return count{b.Say(key), b.Say("web.number", "n", n)} }
	f := &fairness{Conclusion: b.Conclusion(r), Fair: r.Sound(), Checked: []count{
		number("report.entries", r.Entries), number("report.rounds", int(st.Round)), number("report.proofs", st.Proofs.Total()),
	}}
	for kind, n := range st.Proofs {
		if n > 0 {
			f.Proofs = append(f.Proofs, number("proof."+move.Kind(kind).String(), n))
		}
	}
	for _, found := range r.Findings {
		f.Findings = append(f.Findings, b.Finding(b.Seat(v, found.Seat), found.Round, found.Check))
	}
	if r.Replay == nil {
		return f
	}
	denials := 0
	for _, e := range st.Story {
		if _, open := r.Replay.Hands[e.Seat]; open && e.Kind == table.Denied {
			denials++
		}
	}
	f.Replay = b.Say("report.replay.part")
	if r.Replay.Whole {
		f.Replay = b.Say("report.replay")
	}
	f.Clear = []count{number("report.hands", len(r.Replay.Hands)), number("report.denials", denials),
		number("report.shows", len(r.Replay.Shown)), number("report.guesses", len(r.Replay.Guesses))}
	for i, p := range v.Players {
		if g := r.Replay.Guesses[i]; g != nil {
			f.Guesses = append(f.Guesses, guessed{i, b.Say("report.guess", "who", p.Name, "cards", b.Cards(v.Edition, g))})
		}
	}
	return f
}
