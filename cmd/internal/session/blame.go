package session

import (
	"bytes"
	"errors"

	"alibi/crypto/feed"
	"alibi/game/table"
	"alibi/p2p/node"
)

// place is where an entry stands.
type place struct {
	round uint32
	seat  uint8
}

// maxOdd bounds, for each seat at the table, how many entries on top of another
// history are kept to compare with what may still come.
const maxOdd = 8

// refuse judges an entry that the log did not take. What convicts its author is
// shown to everybody: who was shown something else would otherwise wait for the
// seat that stopped, and blame it.
func (s *Session) refuse(a node.Arrival, err error) {
	var fork *feed.Fork
	var misplaced *feed.Misplaced
	switch {
	case errors.As(err, &fork):
		s.convict(table.RuleFork, fork.First, fork.Second)
	case !errors.As(err, &misplaced):
		// Nobody signed it; nobody but its sender is to blame.
	case errors.Is(err, feed.ErrHistory) && a.Entry.Round > 0:
		s.dispute(a.Entry)
	case errors.Is(err, feed.ErrHistory): // before round 0 there is only the charter
		s.convict(table.RuleHistory, a.Entry)
	default:
		s.convict(table.RuleTurn, a.Entry)
	}
}

// dispute handles an entry on top of another history. That alone does not
// convict its author, who may have been shown another round before it. So
// everybody is shown the entry, and what this peer holds of that round: whoever
// signed two entries for one place stands convicted before all.
func (s *Session) dispute(e *feed.Signed) {
	at := place{e.Round, e.Seat}
	if first := s.odd[at]; first != nil {
		if !bytes.Equal(first.Content(), e.Content()) {
			s.convict(table.RuleFork, first, e)
		}
		return
	}
	if len(s.odd) >= maxOdd*s.state.Seats() {
		return
	}
	s.odd[at] = e
	s.trouble = &Trouble{Round: e.Round - 1}
	s.tell(e)
	s.tell(s.log.Closed(e.Round - 1)...)
}

// compare looks at an entry that the log took beside a disputed one for the
// same place: its author has signed both.
func (s *Session) compare(e *feed.Signed) {
	if odd := s.odd[place{e.Round, e.Seat}]; odd != nil && !bytes.Equal(odd.Content(), e.Content()) {
		s.convict(table.RuleFork, e, odd)
	}
}

// convict stops the game and shows everybody the entries that prove why.
func (s *Session) convict(rule table.Rule, proof ...*feed.Signed) {
	s.state = s.state.Stop(table.Fault{Seat: int(proof[0].Seat), Round: proof[0].Round, Rule: rule})
	for _, e := range proof {
		if held := s.log.Entry(e.Round, int(e.Seat)); held == nil || !bytes.Equal(held.Raw(), e.Raw()) {
			s.evidence = append(s.evidence, e)
		}
	}
	s.tell(proof...)
}

// expose shows everybody the entries in which the fold found faults, since
// their authors may have sent others something legal in the same place.
func (s *Session) expose() {
	for _, f := range s.state.Faults {
		if e := s.log.Entry(f.Round, f.Seat); e != nil {
			s.tell(e)
		}
	}
}

// tell sends entries to every other seat, whatever it is known to hold.
func (s *Session) tell(entries ...*feed.Signed) {
	for i := range s.state.Seats() {
		if i != s.cfg.Me {
			s.cfg.Link.Repeat(i, entries...)
		}
	}
}
