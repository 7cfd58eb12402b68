package cli

import (
	"fmt"
	"strings"

	"alibi/cmd/internal/cli/line"
	"alibi/cmd/internal/session"
	"alibi/game/audit"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/table"
	"alibi/game/view"
)

// report prints who played, what happened, and what is proved.
func (p *program) report(r *audit.Report) {
	v := view.For(r.State, nil)
	say := p.book.Say
	p.paper.Line(p.paper.Bold(say("report.game", "table", v.Table, "edition", p.book.Edition(v.Edition.Name))))
	p.tellTerms(v.Edition, v.Options, len(v.Players), int(r.State.Charter.Leavers))
	if v.Words[0] != "" {
		p.paper.Line(say("line.words", "words", strings.Join(v.Words[:], " ")))
	}
	var rows [][]string
	for i, s := range r.State.Charter.Seats {
		rows = append(rows, []string{"  " + say("report.seat", "seat", i+1, "who", s.Name), session.PeerID(s.ID)})
	}
	p.paper.Lines(line.Columns(rows))
	p.paper.Line("")
	teller := line.Teller{Paper: p.paper, Book: p.book}
	teller.Tell(v)
	p.paper.Line("")
	p.fairness(r)
}

// fairness prints what was checked and what came of it.
func (p *program) fairness(r *audit.Report) {
	say, st := p.book.Say, r.State
	p.paper.Line(p.paper.Bold(say("report.checked")))
	p.count("  "+say("report.entries"), r.Entries)
	p.count("  "+say("report.rounds"), int(st.Round))
	p.count("  "+say("report.proofs"), st.Proofs.Total())
	for kind, n := range st.Proofs {
		if n > 0 {
			p.count("    "+say("proof."+move.Kind(kind).String()), n)
		}
	}
	if r.Replay != nil {
		p.replayed(r)
	}
	p.paper.Line(p.paper.Bold(p.book.Conclusion(r)))
	for _, f := range r.Findings {
		p.paper.Line("  " + p.finding(r, f))
	}
}

// abandoned is the round in which a game was.
func (p *program) abandoned(r *audit.Report) (round uint32) {
	for _, e := range r.State.Story {
		if e.Kind == table.Stopped {
			round = e.Round
		}
	}
	return round
}

// replayed prints what was compared in the clear, trusting no proof.
func (p *program) replayed(r *audit.Report) {
	say, st := p.book.Say, r.State
	denials := 0
	for _, e := range st.Story {
		if _, open := r.Replay.Hands[e.Seat]; open && e.Kind == table.Denied {
			denials++
		}
	}
	key := "report.replay.part"
	if r.Replay.Whole {
		key = "report.replay"
	}
	p.paper.Line(p.paper.Bold(say(key)))
	p.count("  "+say("report.hands"), len(r.Replay.Hands))
	p.count("  "+say("report.denials"), denials)
	p.count("  "+say("report.shows"), len(r.Replay.Shown))
	p.count("  "+say("report.guesses"), len(r.Replay.Guesses))
	v := view.For(st, nil)
	for i := range v.Players {
		if g := r.Replay.Guesses[i]; g != nil {
			p.paper.Line("  " + say("report.guess", "who", v.Players[i].Name, "cards", p.book.Cards(v.Edition, g)))
		}
	}
}

// count prints a number beside what there are so many of.
func (p *program) count(what string, n int) {
	p.paper.Line(fmt.Sprintf("%s %6d", line.Pad(what, 60), n))
}

// finding names a fault with its seat by number and player.
func (p *program) finding(r *audit.Report, f audit.Finding) string {
	return p.book.Finding(p.book.Seat(view.For(r.State, nil), f.Seat), f.Round, f.Check)
}

// missing names the seats that an unfinished game waits for.
func (p *program) missing(r *audit.Report) string { return p.seats(r, r.Missing) }

func (p *program) seats(r *audit.Report, seats []int) string {
	v := view.For(r.State, nil)
	names := make([]string, len(seats))
	for i, s := range seats {
		names[i] = p.book.Seat(v, s)
	}
	if len(names) == 0 {
		return p.book.Say("player.nobody")
	}
	return strings.Join(names, p.book.Say("list.between"))
}

var eventNames = map[table.EventKind]string{
	table.Shuffled: "shuffled", table.Dealt: "dealt", table.Began: "began", table.Voted: "voted", table.Asked: "asked",
	table.Denied: "denied", table.Showed: "showed", table.Unanswered: "unanswered", table.Accused: "accused",
	table.Joined: "joined", table.Passed: "passed", table.Ordered: "ordered", table.Guessed: "guessed",
	table.Peeked: "peeked", table.Wrong: "wrong", table.Right: "right", table.Disclosed: "disclosed",
	table.Revealed: "revealed", table.Ended: "ended", table.Opened: "opened", table.Kept: "kept",
	table.Left: "left", table.LaidOpen: "laid-open", table.Stopped: "abandoned",
}

var reasonNames = map[rules.Reason]string{
	rules.RightAlone: "right-alone", rules.RightFirst: "right-first", rules.AllWrong: "all-wrong",
	rules.LastLeft: "last-left", rules.EveryoneOut: "everyone-out", rules.Abandoned: "abandoned",
}
