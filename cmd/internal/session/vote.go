package session

import (
	"errors"
	"slices"
	"time"

	"alibi/crypto/feed"
	"alibi/game/table"
	"alibi/p2p/node"
)

// ask is a motion for a round that this seat has closed in another way: whoever
// voted for it waits for a word.
type ask struct {
	game   feed.Hash // of the round, in the history that it was voted in
	round  uint32
	motion feed.Motion
}

// Refusals of Drop.
var (
	// ErrThere refuses to go on without somebody who is there and in time.
	ErrThere = errors.New("session: this player is there")
	// ErrLeavers refuses to go on without more than the table agreed on.
	ErrLeavers = errors.New("session: the table agreed not to go on without so many")
	// ErrNoSeat refuses a seat that is not at the table, or no longer.
	ErrNoSeat = errors.New("session: no such player at the table")
)

// Drop has this seat vote to go on without another. It needs everybody else's
// vote too. Nobody votes against somebody who is there and in time.
func (c *Core) Drop(seat int) error {
	switch {
	case c.Finished():
		return ErrOver
	case !c.there() || seat == c.cfg.Me || !c.log.Present(seat):
		return ErrNoSeat
	case !slices.Contains(c.droppable(), seat):
		return ErrThere
	case !c.state.Tolerates(append(c.culprits(), seat)...):
		return ErrLeavers
	}
	c.drop |= 1 << seat
	return c.advance()
}

// Abandon has this seat vote to give the game up. It takes all who are there.
func (c *Core) Abandon() error {
	switch {
	case c.Finished():
		return ErrOver
	case !c.there():
		return ErrNoSeat
	}
	c.quit = true
	return c.advance()
}

// May reports whether those who are there can go on without some seats if all others
// want it or, with abandon, give the game up.
func (c *Core) May(abandon bool, without ...int) bool {
	m := feed.Without(without...)
	m.Abandon = abandon
	return c.log.Lawful(m)
}

// droppable lists the seats that the others may go on without: convicted, away,
// over their time, long silent about a vote that holds somebody up, or left out by a
// vote already, though others have moved something above it since.
func (c *Core) droppable() []int {
	var out []int
	left := c.log.Out()
	late := c.timeout()
	presence := c.port.Presence()
	for _, i := range c.state.Others(c.cfg.Me) {
		_, blamed := c.blamed[i]
		away := i < len(presence) && presence[i].State == node.Away
		over := !late.IsZero() && !c.cfg.Now().Before(late) && c.log.Owes(i)
		mute := c.mum(i)
		if blamed || away || over || slices.Contains(left, i) || !mute.IsZero() && !c.cfg.Now().Before(mute) {
			out = append(out, i)
		}
	}
	return out
}

// timeout is when whoever owes an entry is over their time; zero is never.
func (c *Core) timeout() time.Time {
	if c.state.Options.Timer == 0 || c.state.Stage != table.Playing {
		return time.Time{}
	}
	return c.opened.Add(time.Duration(c.state.Options.Timer) * time.Second)
}

// patience is, by seat, when it comes to an end; zero is never.
func (c *Core) patience() []time.Time {
	out := make([]time.Time, c.state.Seats())
	if c.cfg.Patience == 0 || !c.there() {
		return out
	}
	presence := c.port.Presence()
	for _, i := range c.state.Others(c.cfg.Me) {
		if i < len(presence) && presence[i].State == node.Away {
			out[i] = presence[i].Since.Add(c.cfg.Patience)
		} else if late := c.timeout(); !late.IsZero() && c.log.Owes(i) {
			out[i] = late.Add(c.cfg.Patience)
		} else if mute := c.mum(i); !mute.IsZero() {
			out[i] = mute.Add(c.cfg.Patience)
		}
	}
	return out
}

// culprits lists the convicted seats that are still at the table, this one aside.
func (c *Core) culprits() []int {
	var out []int
	for _, i := range c.state.Present() {
		if _, blamed := c.blamed[i]; blamed && i != c.cfg.Me {
			out = append(out, i)
		}
	}
	return out
}

// against is the motion to go on without everybody who stands convicted; it may
// be unlawful.
func (c *Core) against() feed.Motion { return c.tried(feed.Without(c.culprits()...)) }

// owesVote reports whether somebody stands convicted, and this seat has not
// voted in this round to go on without them.
func (c *Core) owesVote() bool {
	m, round := c.against(), c.log.Round()
	if !c.there() || !c.log.Lawful(m) || c.log.Vote(round, m, c.cfg.Me) != nil || c.log.Refused(round, m) {
		return false
	}
	for _, other := range c.log.Motions(round) {
		if other.Without&m.Without == m.Without && c.log.Vote(round, other, c.cfg.Me) != nil && !c.log.Refused(round, other) {
			return false
		}
	}
	return true
}

// refused reports whether what this seat moved in the open round has been
// refused: the others have closed it in another way.
func (c *Core) refused() bool {
	_, ok := c.log.Closes(c.cfg.Me, true)
	return ok
}

// asked reports whether all others whose word it takes want to give the game up, and
// this seat has no wish of its own.
func (c *Core) asked() bool {
	if !c.cfg.Yields {
		return false
	}
	round := c.log.Round()
	return slices.ContainsFunc(c.log.Motions(round), func(m feed.Motion) bool {
		return m.Abandon && !m.Drops(c.cfg.Me) && !slices.ContainsFunc(c.state.Others(c.cfg.Me), func(i int) bool {
			v := c.log.Vote(round, m, i)
			return !m.Drops(i) && (v == nil || !yes(v))
		})
	})
}

// motions lists what this seat wants to be carried in the open round.
func (c *Core) motions() []feed.Motion {
	for i, at := range c.patience() {
		if !at.IsZero() && !c.cfg.Now().Before(at) {
			c.drop |= 1 << i
		}
	}
	left := feed.Without(c.log.Out()...).Without
	c.drop &= feed.Without(c.droppable()...).Without
	if c.drop&^left != 0 {
		c.drop |= left &^ (1 << c.cfg.Me) // their word on whom else to go on without will not come
	}
	var out []feed.Motion
	guilty := c.against()
	// Who is mum matters less than who is away, if not all of them may be left out.
	away := c.drop &^ c.mute(c.drop)
	for _, without := range []uint16{guilty.Without | c.drop, guilty.Without | away, guilty.Without, c.drop, away} {
		if m := c.tried(feed.Motion{Without: without}); c.log.Lawful(m) {
			out = append(out, m)
			break
		}
	}
	if !c.quit && !c.asked() {
		return out
	}
	// Whom to wait for may look different from every seat: any motion to give up
	// will do.
	up := feed.Motion{Abandon: true, Without: left}
	for i, p := range c.port.Presence() {
		if p.State == node.Away && c.log.Present(i) {
			up.Without |= 1 << i
		}
	}
	for _, m := range append(c.log.Motions(c.log.Round()), c.tried(up)) {
		if m.Abandon && m.Trial >= c.least() && c.log.Lawful(m) && !m.Drops(c.cfg.Me) {
			out = append(out, m)
		}
	}
	return out
}

// vote casts the ballots that are due. Who was left out moves nothing any more, but
// still owes a word for rounds in which it was there.
func (c *Core) vote() error {
	if c.cfg.Me == Spectator {
		return nil
	}
	c.later = time.Time{}
	if c.there() && !c.Finished() {
		round, wanted := c.log.Round(), c.motions()
		for _, m := range wanted {
			if c.log.Vote(round, m, c.cfg.Me) == nil && c.timely(m) {
				if err := c.cast(round, m, true); err != nil {
					return err
				}
			}
		}
		if err := c.decline(wanted); err != nil {
			return err
		}
	}
	return c.answer()
}

// answer gives a word to those who voted for what this seat has closed otherwise:
// no, as a rule. But who moved the same a second time cannot close the round the
// way this seat did any more. If this seat too wants to go on without whom they
// name, it opens the round again; while it may come to want it, it waits. What all
// the others have built on is not opened again: shares may have been given since.
func (c *Core) answer() error {
	asks := c.asks
	c.asks = nil
	for i, a := range asks {
		if a.round >= c.log.Round() || !c.current(a) || c.log.ClosedBy(a.round) == a.motion || a.motion.Drops(c.cfg.Me) ||
			c.log.Vote(a.round, a.motion, c.cfg.Me) != nil || c.states[a.round].Gone[c.cfg.Me] {
			continue
		}
		if c.second(a) && c.there() && !c.Finished() && !c.log.BuiltOn(a.round, a.motion.Seats()...) {
			switch {
			case c.wants(a):
				c.asks = append(c.asks, asks[i+1:]...)
				c.reopen(a.round)
				c.drop |= a.motion.Without
				return c.cast(a.round, a.motion, true)
			case c.may(a.motion):
				c.asks = append(c.asks, a)
				continue
			}
		}
		if err := c.cast(a.round, a.motion, false); err != nil {
			return err
		}
	}
	return nil
}

// current reports whether a motion is one of this history.
func (c *Core) current(a ask) bool {
	return a.round <= c.log.Round() && c.log.TemplateAt(a.round, 0).Game == a.game
}

// second reports whether something was moved a second time: whoever moved it may be
// bound by a vote that nobody will carry or refuse any more, and cannot close the
// round the way this seat did, not even if that was by the same motion.
func (c *Core) second(a ask) bool { return a.motion.Trial > 0 && a.motion.Trial <= c.top(a.round) }

// wants reports whether this seat would vote for a motion if its round were open:
// it wants to go on, or has gone on, without all whom it drops, and hears none of
// them but those that it closed this round without.
func (c *Core) wants(a ask) bool {
	m := a.motion
	if m.Abandon {
		return c.quit
	}
	without := c.drop | feed.Without(c.culprits()...).Without | c.log.ClosedBy(a.round).Without
	for i, p := range c.port.Presence() {
		if c.state.Gone[i] && p.State == node.Away {
			without |= 1 << i
		}
	}
	return m.Without&^without == 0
}

// may reports whether this seat could come to vote for a motion: it hears nobody
// that it drops.
func (c *Core) may(m feed.Motion) bool {
	presence := c.port.Presence()
	late := feed.Without(c.droppable()...)
	for _, i := range m.Seats() {
		if !late.Drops(i) && c.log.Present(i) && (i >= len(presence) || presence[i].State == node.Connected) {
			return false
		}
	}
	return !m.Abandon
}

// calm is how long this seat hears somebody before it says that it will not go on
// without them.
const calm = 10 * time.Second

// decline says no to what others have moved in the open round, if this seat hears
// whom they name: they may be bound by a vote of a time when nobody did, and wait
// for a word from somebody who does not want what they wanted. It may still come to
// want the same at a later trial.
func (c *Core) decline(wanted []feed.Motion) error {
	round := c.log.Round()
	for _, m := range c.log.Motions(round) {
		if m.Abandon || m.Drops(c.cfg.Me) || slices.Contains(wanted, m) || c.log.Vote(round, m, c.cfg.Me) != nil || c.log.Refused(round, m) {
			continue
		}
		if at := c.heard(m); !at.IsZero() && c.due(at.Add(calm)) {
			if err := c.cast(round, m, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// heard is since when this seat hears one of those whom a motion drops, and would not
// go on without them; zero if there is no such.
func (c *Core) heard(m feed.Motion) (since time.Time) {
	presence, late := c.port.Presence(), feed.Without(c.droppable()...)
	for i, p := range presence {
		if m.Drops(i) && !late.Drops(i) && c.log.Present(i) && p.State == node.Connected && (since.IsZero() || p.Since.Before(since)) {
			since = p.Since
		}
	}
	return since
}

// due reports whether a moment has come, and has the core woken then if not.
func (c *Core) due(at time.Time) bool {
	if !c.cfg.Now().Before(at) {
		return true
	}
	if c.later.IsZero() || at.Before(c.later) {
		c.later = at
	}
	return false
}

// cast keeps a ballot and shows it to all.
func (c *Core) cast(round uint32, m feed.Motion, yes bool) error {
	e, err := feed.CastBallot(c.cfg.Key, c.log.TemplateAt(round, c.cfg.Me), feed.Ballot{Motion: m, Yes: yes})
	if err != nil {
		return err
	}
	switch _, err := c.log.Offer(e); {
	case errors.Is(err, feed.ErrMany):
		return nil // nobody would take it
	case err != nil:
		return err
	}
	c.spoke[round] = true
	c.unkept = append(c.unkept, e)
	if err := c.keep(); err != nil {
		return err
	}
	if yes {
		c.voted = c.cfg.Now()
		c.note(e)
	}
	c.tell(e)
	return nil
}

func yes(ballot *feed.Signed) bool {
	b, _ := ballot.Ballot()
	return b.Yes
}
