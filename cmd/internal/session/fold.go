package session

import (
	"errors"
	"fmt"
	"time"

	"alibi/crypto/feed"
	"alibi/game/move"
	"alibi/game/seat"
	"alibi/game/table"
	"alibi/game/view"
	"alibi/p2p/node"
)

// errClosing means that log and table disagree about what closes a round: a
// fault of the program.
var errClosing = errors.New("session: the table does not take what the log closes")

// closable reports whether the open round can be closed now.
func (c *Core) closable() bool {
	_, ok := c.log.Closes(c.cfg.Me, c.normal())
	return ok && !c.Finished()
}

// normal reports whether everybody having spoken is enough to close the round.
func (c *Core) normal() bool { return !c.faulty && !c.owesVote() }

// fold closes rounds as long as they can be closed.
func (c *Core) fold() error {
	for !c.Finished() {
		m, ok := c.log.Closes(c.cfg.Me, c.normal())
		if !ok {
			c.judge()
			return nil
		}
		entries := c.log.Open()
		if !m.Normal() {
			entries = c.log.Votes(m)
		}
		next := c.apply(entries)
		if next.Stopped() {
			c.fault(next)
			return nil
		}
		if next == c.state {
			return errClosing
		}
		c.unkept = append(c.unkept, c.excuse(m)...)
		if _, err := c.log.CloseBy(m, next.Game, next.Speakers()); err != nil {
			return err
		}
		c.moveOn(next, m, entries)
	}
	return nil
}

// excuse is what lets this seat close a round in spite of a vote that nobody has
// refused: what others have signed after it. Without that it could not come back
// to where it was after a crash.
func (c *Core) excuse(by feed.Motion) []*feed.Signed {
	round := c.log.Round()
	for _, m := range c.log.Motions(round) {
		v := c.log.Vote(round, m, c.cfg.Me)
		if m.Compare(by) > 0 && v != nil && yes(v) && !c.log.Refused(round, m) {
			return c.log.Ahead()
		}
	}
	return nil
}

// judge looks for faults in a complete round that this seat cannot close for now,
// since it has voted for something else: the others may wait for its vote against
// who is at fault.
func (c *Core) judge() {
	if c.judged || c.faulty || !c.log.Complete() {
		return
	}
	c.judged = true
	if next := table.Apply(c.state, c.log.Open()); next.Stopped() {
		c.fault(next)
	}
}

func (c *Core) apply(entries []*feed.Signed) *table.State {
	before, began := c.state, c.cfg.Now()
	next := table.Apply(before, entries)
	c.steps = append(c.steps, Step{
		Round: before.Round, Stage: before.Stage, Seats: before.Speakers(),
		Proofs: next.Proofs.Total() - before.Proofs.Total(), Took: c.cfg.Now().Sub(began),
	})
	return next
}

// rejudge forgets what was found in the open round: other entries stand there now.
func (c *Core) rejudge() { c.faulty, c.judged = false, false }

// anew begins a round, for the first time or once more.
func (c *Core) anew() {
	c.rejudge()
	c.queued, c.release, c.opened = nil, time.Time{}, c.cfg.Now()
}

// decided reports whether a game has a result.
func decided(st *table.State) bool { return st.Pos != nil && st.Pos.Result != nil }

// moveOn opens the next round.
func (c *Core) moveOn(next *table.State, m feed.Motion, closed []*feed.Signed) {
	round := c.state.Round
	if decided(next) && !decided(c.state) {
		c.quit = false // what was wanted has come: those who are done would leave the others waiting
	}
	c.state, c.states = next, append(c.states, next)
	c.anew()
	for _, other := range c.log.Motions(round) {
		if other != m {
			c.asks = append(c.asks, ask{c.log.TemplateAt(round, 0).Game, round, other})
		}
	}
	if m.Normal() {
		if c.trouble != nil && c.trouble.Round < round {
			c.trouble = nil // whoever signed on top of another round speaks on top of this one
		}
		c.again()
		return
	}
	c.trouble = nil
	for _, seat := range m.Seats() {
		if f, blamed := c.blamed[seat]; blamed {
			c.past = append(c.past, f)
		}
		delete(c.blamed, seat)
		c.drop &^= 1 << seat
	}
	c.port.Forget(func(e *feed.Signed) bool {
		b, ballot := e.Ballot()
		// Somebody who is behind may still wait for a no of this seat's.
		return ballot && e.Round <= round && (b.Yes || int(e.Seat) != c.cfg.Me)
	})
	c.port.Publish(closed...)
	c.again()
	c.condemn() // somebody else may have been the last who could be left out
}

// again takes up what was said in a round that had been opened before, and voted. The
// network may know nothing of it, if the program was started anew in between.
func (c *Core) again() {
	for _, e := range c.spare {
		if e.Round != c.log.Round() {
			continue
		}
		if verdict, err := c.log.Offer(e); err == nil && verdict == feed.Added { // else it is missing now
			c.port.Publish(e)
		}
	}
	for _, v := range c.log.Ballots() {
		if v.Round == c.log.Round() && v.Prev == c.log.Prev() {
			c.tell(v)
		}
	}
}

// reopen takes back the closing of a round and of all after it.
func (c *Core) reopen(round uint32) {
	c.spare = c.log.Reopen(round)
	c.state, c.states = c.states[round], c.states[:round+1]
	for len(c.steps) > 0 && c.steps[len(c.steps)-1].Round >= round {
		c.steps = c.steps[:len(c.steps)-1]
	}
	c.anew()
}

// speak makes and sends the entry that is due, if it can be made now.
func (c *Core) speak() error {
	if c.seat == nil || !c.log.Present(c.cfg.Me) {
		return nil
	}
	if c.queued != nil {
		return c.send()
	}
	if e := c.word(); e != nil && c.log.Owes(c.cfg.Me) {
		if e.Prev != c.log.Prev() {
			return nil // it was on top of another history: this seat has no other word for this place
		}
		c.queued, c.release = e, time.Time{}
		return c.send()
	}
	due, decide := c.seat.Due(c.state)
	switch {
	case !due || !c.log.Owes(c.cfg.Me) || c.silent():
		return nil
	case c.state.Stage >= table.Sorting && !c.ready:
		return nil
	case decide && c.cfg.Bot == nil:
		return nil
	}
	var want seat.Action
	var release time.Time
	if decide {
		if c.cfg.Pause != nil {
			release = c.cfg.Now().Add(c.cfg.Pause())
		}
		want = c.cfg.Bot.Decide(view.For(c.state, c.seat))
	}
	if err := c.queue(want, release); err != nil {
		return err
	}
	return c.send()
}

// silent reports whether this seat had better say nothing: somebody stands
// convicted and the round will be closed without them. A dispute alone silences
// nobody, or a made-up prev would stop a table: before each share that could tell
// something lies a round that nobody closes on two histories (protocol section 14).
func (c *Core) silent() bool {
	return c.faulty || len(c.culprits()) > 0 && !c.refused()
}

// queue makes the entry that this seat owes and holds it until release, the zero
// time for at once. The clock runs already, so that how long the proof takes is
// hidden.
func (c *Core) queue(want seat.Action, release time.Time) error {
	m, err := c.seat.Answer(c.state, want)
	if err != nil {
		return err
	}
	kind, body, err := move.Encode(m)
	if err != nil {
		return err
	}
	e := c.log.Template(c.cfg.Me)
	e.Kind, e.Body = uint8(kind), body
	sealed, err := feed.Seal(c.cfg.Key, e)
	if err != nil {
		return err
	}
	if faults := table.Judge(c.state, sealed); len(faults) > 0 {
		return fmt.Errorf("session: own entry would be %s", faults[0].Rule)
	}
	c.queued, c.release = sealed, release
	return nil
}

// send keeps the queued entry and everything it builds on, then lets it go.
func (c *Core) send() error {
	if c.cfg.Now().Before(c.release) || c.silent() {
		return nil
	}
	e := c.queued
	c.queued, c.release = nil, time.Time{}
	if _, err := c.log.Offer(e); err != nil {
		return fmt.Errorf("session: own entry: %w", err)
	}
	c.said[e.Place()], c.spoke[e.Round] = e, true
	c.unkept = append(c.unkept, e)
	if err := c.keep(); err != nil {
		return err
	}
	c.port.Publish(e)
	return nil
}

// word is what this seat has said for its place in the open round, be it that the
// round has been opened again since; nil if nothing.
func (c *Core) word() *feed.Signed {
	e := c.log.Template(c.cfg.Me)
	return c.said[feed.Place{Game: e.Game, Round: e.Round, Seat: e.Seat}]
}

// spoken reports whether this seat was due and has said its word in the open
// round, so that a second one would convict it.
func (c *Core) spoken() bool {
	if c.queued != nil {
		return true
	}
	if c.seat == nil {
		return false
	}
	due, _ := c.seat.Due(c.state)
	return due && (!c.log.Owes(c.cfg.Me) || c.word() != nil)
}

// mute is the port of a core that has not started.
type mute struct{}

func (mute) Publish(...*feed.Signed)        {}
func (mute) Early(node.Arrival)             {}
func (mute) Resync(int)                     {}
func (mute) Repeat(int, ...*feed.Signed)    {}
func (mute) Forget(func(*feed.Signed) bool) {}
func (mute) Presence() []node.Presence      { return nil }
