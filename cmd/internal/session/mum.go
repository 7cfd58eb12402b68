package session

import (
	"slices"
	"time"

	"alibi/crypto/feed"
	"alibi/p2p/node"
)

// mumAfter is how long a seat that is there may owe its word on a motion before the
// others may go on without it: who voted for that is bound until then.
const mumAfter = 2 * time.Minute

// note remembers when a motion was first heard of.
func (c *Core) note(ballot *feed.Signed) {
	b, _ := ballot.Ballot()
	at := ask{ballot.Game, ballot.Round, b.Motion}
	if _, known := c.moved[at]; !known {
		c.moved[at] = c.cfg.Now()
	}
}

// mum is when a seat has been silent for too long about a motion that binds somebody
// at the table who voted for it; zero if there is no such motion.
func (c *Core) mum(seat int) (at time.Time) {
	for a, since := range c.moved {
		if due := since.Add(mumAfter); (at.IsZero() || due.Before(at)) && c.holdsUp(a, seat) {
			at = due
		}
	}
	return at
}

// holdsUp reports whether a motion waits for the word of a seat. One that votes for
// something else there, as high or higher, is not silent.
func (c *Core) holdsUp(a ask, seat int) bool {
	if !c.current(a) || a.motion.Drops(seat) || c.states[a.round].Gone[seat] ||
		c.log.Vote(a.round, a.motion, seat) != nil || c.log.Refused(a.round, a.motion) {
		return false
	}
	for _, m := range c.log.Motions(a.round) {
		if v := c.log.Vote(a.round, m, seat); m.Trial >= a.motion.Trial && v != nil && yes(v) {
			return false
		}
	}
	return slices.ContainsFunc(c.state.Present(), func(i int) bool {
		v := c.log.Vote(a.round, a.motion, i)
		return i != seat && v != nil && yes(v)
	})
}

// mute are those of some seats that are there and in time, but mum.
func (c *Core) mute(of uint16) (out uint16) {
	presence := c.port.Presence()
	for i := range c.state.Seats() {
		if m := feed.Without(i).Without; of&m != 0 && !c.mum(i).IsZero() && (i >= len(presence) || presence[i].State != node.Away) {
			out |= m
		}
	}
	return out
}
