package line

import (
	"time"

	"alibi/cmd/internal/say"
	"alibi/cmd/internal/session"
	"alibi/game/rules"
	"alibi/game/table"
	"alibi/game/view"
)

// pace follows how long the table has waited for the same word, and says so now
// and then: somebody who looks away for a while must not wonder.
type pace struct {
	book  *say.Book
	round uint32
	wait  string
	since time.Time
	told  int  // how often it was said
	short bool // that the own time runs out, or that the game lingers
}

// warning is how long before its end the own time is said to run out.
const warning = 10 * time.Second

// patience is after how long a game that is over is said to linger.
const patience = 3 * time.Second

// over reports whether there is nothing more to be said.
func over(v *view.View) bool { return v.Stage == table.Playing && v.Phase == rules.Over }

// nudge is after how long waiting is told for the n-th time.
func nudge(n int) time.Duration {
	if steps := [...]time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}; n < len(steps) {
		return steps[n]
	}
	return time.Duration(n-2) * 30 * time.Minute
}

// see lists what there is to say at a time.
func (p *pace) see(u *session.Update, now time.Time) (out []string) {
	wait := p.book.Waiting(u.View)
	if wait != p.wait || u.View.Round != p.round {
		p.round, p.wait, p.since, p.told, p.short = u.View.Round, wait, now, 0, false
	}
	if at := p.next(u); at.IsZero() || now.Before(at) {
		return nil
	}
	if over(u.View) {
		p.short = true
		return []string{p.book.Say("linger")}
	}
	if mine(u.View) {
		p.short = true
		return []string{p.book.Say("time.short", "span", p.book.Span(u.Deadline.Sub(now)))}
	}
	p.told++
	return []string{p.book.Say("wait.long", "wait", wait, "span", p.book.Span(now.Sub(p.since)))}
}

// next is when see has something to say again; zero is never.
func (p *pace) next(u *session.Update) time.Time {
	switch {
	case over(u.View) && !p.short:
		return p.since.Add(patience)
	case p.wait == "":
		return time.Time{}
	case !mine(u.View):
		return p.since.Add(nudge(p.told))
	case u.Deadline.IsZero() || p.short || u.Deadline.Sub(p.since) < 2*warning:
		return time.Time{}
	}
	return u.Deadline.Add(-warning)
}

// mine reports whether it is this seat that the table waits for.
func mine(v *view.View) bool { return v.Me >= 0 && v.Players[v.Me].Owes }
