package session

import (
	"fmt"

	"alibi/crypto/feed"
)

// restore takes one of the kept entries in, as it was taken in when it came. What this
// seat votes itself is among them.
func (c *Core) restore(kept []*feed.Signed, i int) error {
	e, rest := kept[i], kept[i:]
	b, ballot := e.Ballot()
	if int(e.Seat) == c.cfg.Me {
		c.spoke[e.Round] = true
		if !ballot {
			c.said[e.Place()] = e
		}
	}
	if ballot && b.Yes && int(e.Seat) == c.cfg.Me && e.Round < c.log.Round() {
		c.reopen(e.Round) // as it did before it voted
	}
	verdict, err := c.log.Offer(e)
	if verdict == feed.Early {
		// It was known then that others had gone on.
		for _, later := range rest {
			c.log.Foresee(later)
		}
		if !c.there() && c.log.Rebase(e) {
			c.rejudge()
		}
		if err := c.fold(); err != nil {
			return err
		}
		// What was known need not be of this history: it is of the one that others went
		// on in, and may have let this seat close a round in a third way.
		if verdict, err = c.log.Offer(e); verdict == feed.Early && e.Round > c.log.Round() {
			if err := c.recall(kept[:i]); err != nil {
				return err
			}
			verdict, err = c.log.Offer(e)
		}
	}
	switch {
	case err != nil:
		if !c.refuse(e, err) {
			return fmt.Errorf("%w: round %d: %w", ErrKept, e.Round, err)
		}
	case verdict == feed.Early && e.Round > c.log.Round():
		return fmt.Errorf("%w: round %d is missing before round %d", ErrKept, c.log.Round(), e.Round)
	case verdict == feed.Added:
		c.took(e)
	}
	c.unkept = nil // it is where it came from
	return c.fold()
}

// recall takes entries in once more. Each is kept once, where it was first heard of: it may
// have been said again, by this seat or another, after a round before it was closed in
// one way, opened again, and closed in the other.
func (c *Core) recall(before []*feed.Signed) error {
	for i := 0; i < len(before); i++ {
		e := before[i]
		if verdict, err := c.log.Offer(e); err != nil || verdict != feed.Added {
			continue
		}
		c.took(e)
		if err := c.fold(); err != nil {
			return err
		}
		i = -1 // others may fit now
	}
	return nil
}
