package session

import (
	"bytes"
	"errors"
	"slices"

	"alibi/crypto/feed"
	"alibi/game/table"
)

// maxOdd bounds, for each seat at the table, how many entries on top of another
// history are kept to compare with what may still come.
const maxOdd = 8

// maxEvidence bounds the entries kept for convicting one seat.
const maxEvidence = 8

// refuse judges an entry that the log did not take, and reports whether somebody
// at the table stands behind it. What convicts its author is shown to everybody:
// who was shown something else would otherwise wait for the seat that stopped,
// and blame it.
func (c *Core) refuse(e *feed.Signed, err error) bool {
	var fork *feed.Fork
	var misplaced *feed.Misplaced
	switch {
	case errors.As(err, &fork):
		c.convict(table.RuleFork, fork.First, fork.Second)
	case !errors.As(err, &misplaced):
		return false // nobody signed it; nobody but its sender is to blame
	case errors.Is(err, feed.ErrHistory) && e.Round > 0:
		c.dispute(e)
	case errors.Is(err, feed.ErrHistory): // before round 0 there is only the charter
		c.convict(table.RuleHistory, e)
	default:
		c.convict(table.RuleTurn, e)
	}
	return true
}

// witness keeps two entries for one place that come to light after the end. The
// game stays as it ended: nobody who lost may take that back by signing twice.
func (c *Core) witness(err error) {
	var fork *feed.Fork
	if !errors.As(err, &fork) || c.holds(fork.First) && c.holds(fork.Second) || c.held(int(fork.First.Seat)) >= maxEvidence {
		return
	}
	for _, e := range []*feed.Signed{fork.First, fork.Second} {
		if !c.holds(e) {
			c.evidence = append(c.evidence, e)
		}
	}
	c.tell(fork.First, fork.Second)
}

// held counts the entries kept for convicting a seat.
func (c *Core) held(author int) (n int) {
	for _, e := range c.evidence {
		if int(e.Seat) == author {
			n++
		}
	}
	return n
}

// dispute handles an entry on top of another history. That alone does not
// convict its author, who may have been shown another round before it. So
// everybody is shown the entry, and what this peer holds of that round: whoever
// signed two entries for one place stands convicted before all.
func (c *Core) dispute(e *feed.Signed) {
	if first := c.odd[e.Place()]; first != nil {
		if !bytes.Equal(first.Content(), e.Content()) {
			c.convict(table.RuleFork, first, e)
		}
		return
	}
	held := 0
	for at := range c.odd {
		if at.Seat == e.Seat {
			held++
		}
	}
	if !c.log.Present(int(e.Seat)) || held >= maxOdd {
		return
	}
	c.odd[e.Place()] = e
	c.unkept = append(c.unkept, e)
	c.trouble = &Trouble{Round: e.Round - 1}
	c.tell(e)
	c.tell(c.log.Closed(e.Round - 1)...)
}

// convict notes who signed proof and shows it to everybody. All of it is kept: what
// stands in the log now may be left out with its author.
func (c *Core) convict(rule table.Rule, proof ...*feed.Signed) {
	author := int(proof[0].Seat)
	news := slices.ContainsFunc(proof, func(e *feed.Signed) bool { return !c.holds(e) })
	if !news || c.held(author) >= maxEvidence {
		return
	}
	c.keepProof(proof...)
	c.tell(proof...)
	c.blame(table.Fault{Seat: author, Round: proof[0].Round, Rule: rule})
	if len(proof) == 2 && !c.final {
		c.doubt(author, proof[0].Round)
	}
}

// keepProof adds entries to the evidence, each once.
func (c *Core) keepProof(proof ...*feed.Signed) {
	for _, e := range proof {
		if !slices.ContainsFunc(c.evidence, func(have *feed.Signed) bool { return bytes.Equal(have.Raw(), e.Raw()) }) {
			c.evidence = append(c.evidence, e)
			c.unkept = append(c.unkept, e)
		}
	}
}

// holds reports whether an entry stands in the log or among the evidence. A
// ballot is not in the log that is written before it has closed a round.
func (c *Core) holds(e *feed.Signed) bool {
	if held := c.log.Entry(e.Round, int(e.Seat)); held != nil && bytes.Equal(held.Raw(), e.Raw()) {
		return true
	}
	for _, have := range c.evidence {
		if bytes.Equal(have.Raw(), e.Raw()) {
			return true
		}
	}
	return false
}

// blame holds a fault against a seat that is at the table.
func (c *Core) blame(f table.Fault) {
	if !c.log.Present(f.Seat) {
		return
	}
	if _, before := c.blamed[f.Seat]; !before {
		c.blamed[f.Seat] = f
	}
	c.condemn()
}

// condemn ends the game here if the table cannot go on without all who are blamed.
func (c *Core) condemn() {
	var guilty []int
	for i := range c.blamed {
		guilty = append(guilty, i)
	}
	if len(guilty) > 0 && !c.state.Tolerates(guilty...) {
		c.stop()
	}
}

// stop ends the game with what was found.
func (c *Core) stop() {
	c.final = true
	for _, i := range c.state.Present() {
		if f, blamed := c.blamed[i]; blamed {
			c.state = c.state.Stop(f)
		}
	}
}

// doubt opens a round again of which a seat has signed two entries: others may
// have closed it with the other one. Once all who are not to blame have built on
// what this peer holds, there is no doubt; and whoever voted the author out did so
// on top of it.
func (c *Core) doubt(author int, round uint32) {
	if round < c.log.Round() && c.log.Present(author) && c.there() && !c.log.BuiltOn(round, author) {
		c.reopen(round)
	}
}

// fault notes what the fold found in a complete round, and shows it to everybody,
// since the authors may have sent others something legal in the same place.
func (c *Core) fault(found *table.State) {
	c.faulty = true
	for _, f := range found.Faults {
		e := c.log.Entry(f.Round, f.Seat)
		if e != nil {
			c.tell(e)
		}
		switch {
		case len(c.evidence) >= maxEvidence*c.state.Seats():
		case e != nil && len(table.Judge(c.state, e)) > 0:
			c.keepProof(e)
		default: // only all that was said in the round shows it
			c.keepProof(c.log.Open()...)
		}
	}
	for _, f := range found.Faults {
		c.blame(f)
	}
}

// tell sends entries to every other seat, whatever it is known to hold.
func (c *Core) tell(entries ...*feed.Signed) {
	if len(entries) == 0 {
		return
	}
	for i := range c.state.Seats() {
		if i != c.cfg.Me {
			c.port.Repeat(i, entries...)
		}
	}
}
