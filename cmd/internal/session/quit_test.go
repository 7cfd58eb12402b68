package session

import (
	"testing"

	"alibi/crypto/feed"
	"alibi/game/bot"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
	"alibi/game/view"
)

// turnOf plays with bots until it is a seat's turn, and takes its bot away then.
func (p *party) turnOf(seat int) *Core {
	p.t.Helper()
	c := p.sessions[seat].core
	c.cfg.Bot = nil
	for {
		p.pump(func() bool {
			return c.state.Stage == table.Playing && c.state.Phase() == rules.Turn && c.state.Pos.Active == seat || due(c)
		})
		if c.state.Phase() == rules.Turn {
			return c
		}
		if err := c.Do((&bot.Bot{}).Decide(view.For(c.state, c.seat))); err != nil {
			p.t.Fatal(err)
		}
	}
}

// due reports whether a seat has something to decide.
func due(c *Core) bool {
	_, decide := c.seat.Due(c.state)
	return decide && c.log.Owes(c.cfg.Me) && !c.spoken()
}

// Who asks on its own turn has taken back its word to give the game up.
func TestAskingTakesTheWordBack(t *testing.T) {
	p := newLeaving(t, 3, 1)
	c := p.turnOf(0)
	if err := c.Abandon(); err != nil {
		t.Fatal(err)
	}
	round := c.log.Round()
	if c.log.Vote(round, feed.Motion{Abandon: true}, 0) == nil {
		t.Fatal("it has not moved to give up")
	}
	hand := c.seat.Hand(c.state)
	if err := c.Do(seat.Ask{Cards: hand[:2]}); err != nil {
		t.Fatal(err)
	}
	if c.quit {
		t.Error("it still wants to give up")
	}
}

// A bot gives its word once all others have, and not before.
func TestBotAgreesToGiveUp(t *testing.T) {
	p := newLeaving(t, 3, 1)
	c := p.sessions[2].core
	p.pump(func() bool { return c.state.Stage == table.Keying && !c.log.Owes(2) })
	c.cfg.Yields = true
	m := feed.Motion{Abandon: true}
	for i, want := range []bool{false, true} {
		p.vote(c, c.log.Round(), i, m)
		if v := c.log.Vote(1, m, 2); (v != nil) != want {
			t.Errorf("after %d words of others: voted %v", i+1, v != nil)
		}
	}
	if !c.state.Abandoned {
		t.Error("the game goes on")
	}
}

// A wish to give up ends with a result: who has left the table by then would be
// waited for. After that it takes a new one.
func TestResultEndsTheWishToGiveUp(t *testing.T) {
	p := newLeaving(t, 3, 1)
	c := p.sessions[0].core
	p.pump(func() bool { return c.state.Stage == table.Playing && !decided(c.state) })
	c.quit = true
	before := c.state
	next := *before
	pos := *before.Pos
	pos.Result = &rules.Result{Winner: 1}
	next.Pos = &pos
	c.moveOn(&next, feed.Motion{}, nil)
	if c.quit {
		t.Error("it still wants to give up")
	}
}
