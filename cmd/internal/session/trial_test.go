package session

import (
	"testing"
	"time"

	"alibi/crypto/feed"
	"alibi/game/table"
	"alibi/p2p/node"
)

// sight is a port whose presence a test sets, seat by seat.
type sight struct {
	Port
	seats []node.Presence
}

func (s *sight) Presence() []node.Presence { return s.seats }

// watched is a party of which seat 0 is in the round keying, with a clock and a
// presence that the test sets. Everybody is there, from now on.
func watched(t *testing.T, n, leavers int) (p *party, c *Core, now *time.Time, s *sight) {
	t.Helper()
	p = newLeaving(t, n, leavers)
	c, now = p.sessions[0].core, new(time.Time)
	*now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	p.pump(func() bool { return c.state.Stage == table.Keying && !c.log.Owes(0) })
	c.cfg.Now = func() time.Time { return *now }
	s = &sight{c.port, make([]node.Presence, n)}
	for i := range s.seats {
		s.seats[i] = node.Presence{State: node.Connected, Since: *now}
	}
	c.port = s
	return p, c, now, s
}

// drop has the core want to go on without a seat that alone is away.
func (s *sight) drop(t *testing.T, c *Core, seat int) {
	t.Helper()
	for i := range s.seats {
		s.seats[i].State = node.Connected
	}
	s.seats[seat].State = node.Away
	if err := c.Drop(seat); err != nil {
		t.Fatal(err)
	}
}

// word is a core's ballot on a motion for its open round: +1 yes, -1 no, 0 none.
func word(c *Core, m feed.Motion) int {
	switch v := c.log.Vote(c.log.Round(), m, c.cfg.Me); {
	case v == nil:
		return 0
	case yes(v):
		return 1
	}
	return -1
}

// Whoever moves something at a high trial at once leads nobody there: a trial is
// above those that were tried.
func TestNobodyIsLedUpByAJump(t *testing.T) {
	p, c, _, s := watched(t, 4, 1)
	round := c.log.Round()
	jump := feed.Motion{Without: 1 << 3, Trial: 7}
	p.vote(c, round, 1, jump)
	s.drop(t, c, 3)
	if word(c, jump) != 0 || word(c, feed.Without(3)) != 1 {
		t.Errorf("at trial 7: %d, at 0: %d", word(c, jump), word(c, feed.Without(3)))
	}
	for trial := range uint16(7) {
		p.vote(c, round, 1, feed.Motion{Without: 1 << 3, Trial: trial})
	}
	if word(c, jump) != 1 {
		t.Error("it does not follow who has climbed step by step")
	}
}

// A seat that changes its mind again and again climbs ever more slowly, and joins
// at once in what another has moved.
func TestClimbingTakesTime(t *testing.T) {
	p, c, now, s := watched(t, 4, 1)
	at := func(seat int, trial uint16) feed.Motion { return feed.Motion{Without: 1 << seat, Trial: trial} }
	s.drop(t, c, 3)
	s.drop(t, c, 2)
	if word(c, at(3, 0)) != 1 || word(c, at(2, 1)) != 1 {
		t.Fatal("the first step is not made at once")
	}
	for trial, pause := uint16(2), time.Second; trial < 5; trial, pause = trial+1, 2*pause {
		seat := 3 - int(trial)%2
		s.drop(t, c, seat)
		if due := c.Deadline(); word(c, at(seat, trial)) != 0 || !due.Equal(now.Add(pause)) {
			t.Fatalf("trial %d: voted at once, or due in %v and not in %v", trial, due.Sub(*now), pause)
		}
		*now = now.Add(pause)
		if err := c.Wake(); err != nil || word(c, at(seat, trial)) != 1 {
			t.Fatalf("trial %d: not voted when it was due: %v", trial, err)
		}
	}
	s.drop(t, c, 2)
	p.vote(c, c.log.Round(), 1, at(2, 5))
	if word(c, at(2, 5)) != 1 {
		t.Error("it waits before it joins")
	}
}

// Who hears somebody for a while says no to going on without them, so that whoever
// wanted that when nobody heard them is not bound by it; and may want it later.
func TestNoToGoingOnWithoutWhoIsHeard(t *testing.T) {
	p, c, now, s := watched(t, 4, 1)
	m := feed.Without(3)
	p.vote(c, c.log.Round(), 1, m)
	if word(c, m) != 0 || !c.Deadline().Equal(now.Add(calm)) {
		t.Fatalf("voted %d at once; due in %v", word(c, m), c.Deadline().Sub(*now))
	}
	*now = now.Add(calm)
	if err := c.Wake(); err != nil || word(c, m) != -1 {
		t.Fatalf("voted %d, %v", word(c, m), err)
	}
	s.drop(t, c, 3)
	if later := (feed.Motion{Without: 1 << 3, Trial: 1}); word(c, later) != 1 {
		t.Error("it cannot want it any more")
	}
}

// Who is there and does not give its word on what another is bound by may be left
// out in the end, like somebody who is away.
func TestWhoIsMumMayBeLeftOut(t *testing.T) {
	for _, closed := range []bool{false, true} {
		p, c, now, _ := watched(t, 4, 1)
		round := c.log.Round()
		if closed {
			round-- // another waits in the round before
		}
		p.vote(c, round, 1, feed.Without(3))
		if err := c.Drop(2); err != ErrThere {
			t.Fatalf("left out at once: %v", err)
		}
		*now = now.Add(mumAfter)
		if err := c.Wake(); err != nil {
			t.Fatal(err)
		}
		if err := c.Drop(2); err == nil {
			t.Fatal("left out although somebody has said no, and nobody waits for it")
		}

		p, c, now, s := watched(t, 4, 1)
		s.seats[3].State = node.Away // so this seat does not say no
		if closed {
			round = c.log.Round() - 1
		}
		at := feed.Motion{Without: 1 << 3, Trial: 1}
		p.vote(c, round, 1, feed.Without(3))
		p.vote(c, round, 1, at)
		*now = now.Add(mumAfter)
		if err := c.Drop(2); err != nil || word(c, feed.Without(2)) != 1 {
			t.Errorf("closed %v: %v, voted %d", closed, err, word(c, feed.Without(2)))
		}
	}
}

// Whoever votes for something else in that round, at a later trial, is not mum; and
// who is mum is not left out in place of who is away.
func TestWhoVotesIsNotMum(t *testing.T) {
	p, c, now, s := watched(t, 5, 2)
	round := c.log.Round()
	s.seats[3].State, s.seats[4].State = node.Away, node.Away
	p.vote(c, round, 1, feed.Without(3))
	p.vote(c, round, 2, feed.Motion{Without: 1 << 4, Trial: 1})
	*now = now.Add(mumAfter)
	if err := c.Drop(2); err != ErrThere {
		t.Errorf("who votes is mum: %v", err)
	}
	c.drop = 1<<1 | 1<<3 | 1<<4 // seat 1 owes a word on the second motion
	if err := c.Wake(); err != nil || word(c, feed.Without(3, 4)) != 1 {
		t.Errorf("voted %d, %v: %v", word(c, feed.Without(3, 4)), err, c.log.Motions(round))
	}
}

// Who does not hear them, or would go on without them too, says nothing.
func TestNoWordOnWhoIsAway(t *testing.T) {
	p, c, now, s := watched(t, 4, 1)
	s.seats[3].State = node.Away
	p.vote(c, c.log.Round(), 1, feed.Without(3))
	*now = now.Add(time.Hour)
	if err := c.Wake(); err != nil || word(c, feed.Without(3)) != 0 {
		t.Errorf("voted %d, %v", word(c, feed.Without(3)), err)
	}
}

// As many motions as a seat may make for old rounds are all answered, and leave
// room for the votes of whoever answered.
func TestFloodOfMotions(t *testing.T) {
	p := newLeaving(t, 4, 1)
	c := p.sessions[0].core
	p.pump(func() bool { return c.state.Stage == table.Pooling && !c.log.Owes(0) })
	for _, flooder := range []int{2, 3} {
		for i := range uint16(200) {
			p.vote(c, uint32(i)%c.log.Round(), flooder, feed.Motion{Abandon: true, Trial: i})
		}
	}
	if c.broken != nil {
		t.Fatal(c.broken)
	}
	c.port = absent{c.port, []int{3}}
	if err := c.Drop(3); err != nil || word(c, feed.Without(3)) != 1 {
		t.Errorf("voted %d, %v", word(c, feed.Without(3)), err)
	}
}
