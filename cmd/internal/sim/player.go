package sim

import (
	"errors"
	"fmt"
	"time"

	"alibi/cmd/internal/session"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/view"
)

// habits are how somebody plays.
type habits struct {
	bot      bool // plays well; else legally, and at random
	reckless int  // of a hundred turns, in how many a random player accuses
	late     int  // of a hundred decisions, how many take very long
	pause    time.Duration
	floor    time.Duration
	slow     time.Duration // the longest an entry waits to be looked at
	patience time.Duration // session.Config.Patience
	drops    time.Duration // asks by hand to go on without whoever is not there, so often; 0 is never
	quits    time.Duration // wants to abandon a game in which nothing happens for so long; 0 is never
}

// decide has a player who is no bot think about what there is to decide.
func (p *peer) decide() {
	if p.core == nil || p.habits.bot || p.deciding || p.seat < 0 || !p.core.Latest().View.Choices.Any() {
		return
	}
	p.deciding = true
	think := p.dice.between(0, p.habits.pause)
	if p.w.faulty() && p.dice.chance(p.habits.late) {
		p.w.count("late decisions", 1)
		think = p.dice.between(10*time.Second, 3*time.Minute)
	}
	p.plan(p.w.now+think, func() {
		p.deciding = false
		p.step("decision", p.act)
	})
}

// act decides and says so.
func (p *peer) act() error {
	v := p.core.Latest().View
	if !v.Choices.Any() {
		return nil
	}
	a := p.random(v)
	err := p.core.Do(a)
	if err == nil || p.core.Broken() != nil {
		return p.core.Broken()
	}
	if !errors.Is(err, session.ErrOver) && !errors.Is(err, session.ErrWaiting) {
		return fmt.Errorf("refuses the legal %T: %w", a, err)
	}
	return nil
}

// random is a legal decision.
func (p *peer) random(v *view.View) seat.Action {
	d, c := p.dice, v.Choices
	switch {
	case c.Turn:
		if d.chance(p.habits.reckless) {
			return seat.Accuse{}
		}
		order := d.perm(len(v.Edition.Cards))[:v.Edition.QuestionSize]
		ask := seat.Ask{}
		for _, i := range order {
			ask.Cards = append(ask.Cards, rules.Card(i))
		}
		return ask
	case c.Answer && len(c.Show) == 0:
		return seat.Deny{}
	case c.Answer:
		return seat.Show{Card: c.Show[d.below(len(c.Show))]}
	case c.Join:
		if d.chance(p.habits.reckless) {
			return seat.Join{}
		}
		return seat.Pass{}
	case c.Guess:
		var g seat.Guess
		for i := range v.Edition.CategoryCount {
			of := v.Edition.Of(rules.Category(i))
			g.Cards = append(g.Cards, of[d.below(len(of))])
		}
		return g
	case c.Vote:
		return seat.Vote{For: p.vote(v)}
	case len(c.Propose) > 0:
		var a seat.Propose
		for _, i := range d.perm(len(c.Propose)) {
			a.Seats = append(a.Seats, c.Propose[i])
		}
		return a
	}
	return seat.Leave{Open: d.chance(50)}
}

func (p *peer) vote(v *view.View) int {
	var may []int
	for i, q := range v.Players {
		if !q.Gone {
			may = append(may, i)
		}
	}
	return may[p.dice.below(len(may))]
}

// mind is what a player does about others who are not there: now and then, by
// hand.
func (p *peer) mind() {
	p.w.after(p.w.dice.between(5*time.Second, 15*time.Second), p.mind)
	if !p.up || p.core == nil || p.frozen() || p.seat < 0 || p.core.Finished() {
		return
	}
	if h := p.habits.drops; h > 0 && p.w.now-p.moved > h {
		for i := range p.w.set.seats {
			p.step("drop", func() error { return p.refusable(p.core.Drop(i)) })
		}
	}
	if q := p.habits.quits; q > 0 && p.up && p.quit < p.life+1 && p.w.now-max(p.moved, p.w.set.calm) > q {
		p.quit = p.life + 1
		p.step("abandon", func() error { return p.refusable(p.core.Abandon()) })
	}
}

// refusable passes over what a core refuses a player.
func (p *peer) refusable(err error) error {
	for _, fine := range []error{session.ErrThere, session.ErrLeavers, session.ErrNoSeat, session.ErrOver} {
		if errors.Is(err, fine) {
			return p.core.Broken()
		}
	}
	return err
}
