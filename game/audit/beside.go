package audit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"alibi/crypto/feed"
	"alibi/game/table"
)

// What is wrong with an entry that stands beside the log and convicts nobody.
const (
	checkTwice   = "an entry stands in the log twice"
	checkMissing = "entries are missing before those of a later round"
	checkOrder   = "entries are not in seat order"
	checkBeside  = "an entry that the round was closed without"
)

// oddity is an entry beside the log, and what to say of it if it convicts nobody.
type oddity struct {
	entry *feed.Signed
	held  bool // signed by its seat: it may convict together with others
	at    Finding
}

// beside is the judgement on entries that stand after the log.
type beside struct {
	*auditor
	odd   []oddity
	first map[feed.Place]*feed.Signed
	tried map[uint32]bool // rounds whose entries convicted somebody
}

// judge looks at what stands after the last entry of the log. Whoever is
// convicted by it and was left out touches nothing of the game that the others
// went on with; anything else there makes the log unfair.
func (a *auditor) judge(rest []*feed.Signed) {
	b := &beside{auditor: a, first: map[feed.Place]*feed.Signed{}, tried: map[uint32]bool{}}
	for _, e := range rest {
		b.offer(e)
	}
	b.contents()
	for i, f := range a.Findings {
		a.Findings[i].Left = a.State.Gone[f.Seat]
	}
	if !a.Sound() {
		return
	}
	for _, o := range b.odd {
		// A seat that has left may have said much before it knew; and whatever
		// was said together with the entry that convicts belongs to the evidence.
		if !o.held || !a.State.Gone[o.entry.Seat] && !b.tried[o.entry.Round] {
			a.Findings = append(a.Findings, o.at)
			return
		}
	}
}

// offer places one entry: it convicts, or it is odd.
func (b *beside) offer(e *feed.Signed) {
	verdict, err := b.log.Offer(e)
	var fork *feed.Fork
	var misplaced *feed.Misplaced
	switch {
	case errors.As(err, &fork):
		b.convict(e, table.RuleFork)
	case errors.As(err, &misplaced) && errors.Is(err, feed.ErrHistory) && e.Round == 0:
		b.convict(e, table.RuleHistory) // before that there is only the charter
	case errors.As(err, &misplaced) && errors.Is(err, feed.ErrHistory):
		// Its author may have been shown another round before this one; by
		// whom, only two entries of that round can tell.
		b.hold(e, fmt.Sprintf("an entry that seat %d %s", e.Seat, table.RuleHistory))
	case errors.As(err, &misplaced):
		b.convict(e, table.RuleTurn)
	case err != nil: // nobody signed this
		b.stray(e, e.Round, fmt.Sprintf("an entry that claims seat %d: %v", e.Seat, err))
	case verdict == feed.Known:
		b.stray(e, e.Round, checkTwice)
	case verdict == feed.Early:
		b.stray(e, b.log.Round(), checkMissing)
	case verdict == feed.Stale:
		if err := e.Verify(b.State.Charter.Seats[e.Seat].ID); err != nil {
			b.stray(e, e.Round, fmt.Sprintf("an entry that claims seat %d: %v", e.Seat, err))
			return
		}
		b.hold(e, checkBeside)
	default:
		b.hold(e, checkOrder)
	}
}

func (b *beside) convict(e *feed.Signed, rule table.Rule) {
	b.find(int(e.Seat), e.Round, string(rule))
	b.tried[e.Round] = true
}

func (b *beside) stray(e *feed.Signed, round uint32, check string) {
	b.odd = append(b.odd, oddity{entry: e, at: Finding{Seat: -1, Round: round, Check: check}})
}

// hold keeps an entry that its seat has signed. Two different ones for one place
// convict, whatever histories they stand on.
func (b *beside) hold(e *feed.Signed, check string) {
	if first := b.first[e.Place()]; first == nil {
		b.first[e.Place()] = e
	} else if !bytes.Equal(first.Content(), e.Content()) {
		b.convict(e, table.RuleFork)
	}
	b.odd = append(b.odd, oddity{entry: e, held: true, at: Finding{Seat: -1, Round: e.Round, Check: check}})
}

// contents judges what was said in the open round, and in rounds that were closed
// without it.
func (b *beside) contents() {
	said := map[uint32][]*feed.Signed{b.log.Round(): b.log.Open()}
	for _, o := range b.odd {
		e := o.entry
		if o.held && e.Round < b.log.Round() && e.Game == b.states[e.Round].Game && e.Prev == b.states[e.Round].Prev {
			said[e.Round] = append(said[e.Round], e)
		}
	}
	for round := range b.log.Round() + 1 {
		for _, f := range faults(b.states[round], said[round]) {
			if !b.found(f.Seat, round) {
				b.find(f.Seat, round, string(f.Rule))
			}
			b.tried[round] = true
		}
	}
}

// found reports whether seat stands convicted by something it signed in a round.
func (b *beside) found(seat int, round uint32) bool {
	return slices.ContainsFunc(b.Findings, func(f Finding) bool { return f.Seat == seat && f.Round == round })
}

// faults finds what breaks a rule in entries of one round. Some faults show only
// in all entries of a round together, so these are tried first.
func faults(st *table.State, said []*feed.Signed) []table.Fault {
	said = slices.DeleteFunc(slices.Clone(said), func(e *feed.Signed) bool { _, ballot := e.Ballot(); return ballot })
	slices.SortStableFunc(said, func(a, b *feed.Signed) int { return cmp.Compare(a.Seat, b.Seat) })
	if next := table.Apply(st, said); next.Stopped() {
		return next.Faults
	}
	var out []table.Fault
	for _, e := range said {
		if !slices.Contains(st.Speakers(), int(e.Seat)) {
			out = append(out, table.Fault{Seat: int(e.Seat), Round: e.Round, Rule: table.RuleTurn})
			continue
		}
		out = append(out, table.Judge(st, e)...)
	}
	return out
}

// Excerpt is what a finding rests on, as a log: everything up to its round, and
// what stands beside it. An audit of it comes to the same finding.
func Excerpt(entries []*feed.Signed, f Finding) []*feed.Signed {
	return slices.DeleteFunc(slices.Clone(entries), func(e *feed.Signed) bool { return e.Round > f.Round })
}
