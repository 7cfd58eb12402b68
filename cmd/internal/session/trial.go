package session

import (
	"time"

	"alibi/crypto/feed"
	"alibi/game/table"
)

// tried gives a motion for the open round the trial at which it can be carried:
// the one that others moved it at, but above whatever else this seat has voted for
// and nobody has refused, since the last whose word that needs may have left. A
// motion that was refused is moved again if that stands in the way, and a few times
// if this seat has said no itself before, or if one of those it drops signed two
// entries for this round: who refused may have known only one of them.
func (c *Core) tried(m feed.Motion) feed.Motion {
	round := c.log.Round()
	m.Trial = c.least()
	again, changed, moved := false, false, 0
	same := func(o feed.Motion) bool { return o.Without == m.Without && o.Abandon == m.Abandon }
	top := c.top(round)
	for _, o := range c.log.Motions(round) {
		mine := c.log.Vote(round, o, c.cfg.Me)
		if same(o) && mine != nil {
			moved++
		}
		switch {
		case same(o) && !c.log.Refused(round, o):
			if o.Trial <= top {
				m.Trial = max(m.Trial, o.Trial)
			}
		case same(o) && mine != nil && !yes(mine):
			changed = true // it has opened the round again, or hears them no more
		case !same(o) && mine != nil && yes(mine) && !c.log.Refused(round, o):
			again = true
			if o.Compare(m) > 0 {
				m.Trial = max(m.Trial, o.Trial+1)
			}
		}
	}
	for _, i := range m.Seats() {
		f := c.blamed[i]
		changed = changed || f.Rule == table.RuleFork && f.Round == round
	}
	again = again || changed && moved < fewTimes
	for again && c.log.Refused(round, m) {
		m.Trial++
	}
	return m
}

// least is the lowest trial at which this seat may vote yes in the open round. If it
// has spoken in the next one already, before it opened this one again, then others
// may have taken that for its word that nothing is carried here at trial 0 any more.
func (c *Core) least() uint16 {
	if c.spoke[c.log.Round()+1] {
		return 1
	}
	return 0
}

// fewTimes is how many words a seat gives on one motion in one round before it is
// content that the others have closed it otherwise.
const fewTimes = 4

// top is the highest trial at which something was moved in a round, where there is
// something at each one below it too. Nobody is led up by a single jump: every step
// costs one of the ballots that a seat may cast, and together they are fewer than
// there are trials.
func (c *Core) top(round uint32) (top uint16) {
	moved := map[uint16]bool{}
	for _, m := range c.log.Motions(round) {
		moved[m.Trial] = true
	}
	for moved[top+1] {
		top++
	}
	return top
}

// Bounds of how long a seat waits before it moves something at a higher trial than
// it has moved before in the same round.
const (
	firstPause = time.Second
	lastPause  = time.Minute
)

// timely reports whether a motion is to be moved now. Two that want different things
// would climb over each other as fast as they can sign; so each of them waits longer
// every time, and joins at once in what others have moved.
func (c *Core) timely(m feed.Motion) bool {
	round, highest, any := c.log.Round(), uint16(0), false
	for _, o := range c.log.Motions(round) {
		if o == m {
			return true
		}
		if mine := c.log.Vote(round, o, c.cfg.Me); mine != nil && yes(mine) {
			highest, any = max(highest, o.Trial), true
		}
	}
	if !any || m.Trial <= highest || highest == 0 {
		return true
	}
	pause := lastPause
	if highest < 7 {
		pause = min(pause, firstPause<<(highest-1))
	}
	return c.due(c.voted.Add(pause))
}
