package sim

import (
	"bytes"
	"fmt"
	"slices"

	"alibi/cmd/internal/session"
	"alibi/crypto/feed"
	"alibi/game/audit"
	"alibi/game/rules"
	"alibi/game/table"
)

// settled reports whether nothing more is to be waited for.
func (l *law) settled() bool {
	for _, p := range l.w.peers {
		switch {
		case p.rogue != nil || p.leaves:
		case !p.up || p.frozen() || !p.finished && (p.seat >= 0 || !l.stopped()):
			return false
		}
	}
	return l.reached()
}

// reached reports whether all who are there can hear from each other how the game
// ended.
func (l *law) reached() bool {
	for _, p := range l.w.peers {
		for _, q := range l.w.peers {
			apart := slices.Contains(l.w.apart, p.seat) && slices.Contains(l.w.apart, q.seat)
			if !p.leaves && !q.leaves && !apart && !l.w.open(p, q) {
				return false
			}
		}
	}
	return true
}

// stopped reports whether an honest seat has stopped with a fault.
func (l *law) stopped() bool {
	return slices.ContainsFunc(l.w.peers, func(p *peer) bool {
		return p.honest() && p.core != nil && p.core.State().Stopped()
	})
}

// end looks at a run that is over.
func (l *law) end() {
	w := l.w
	var done []*peer
	for _, p := range w.peers {
		if p.rogue != nil || p.leaves {
			continue
		}
		if p.core == nil {
			w.fail("a live quorum ends", "%s is not back", p.name)
			return
		}
		if p.finished {
			done = append(done, p)
		} else if l.leftBehind(p) {
			w.count("left behind", 1)
		} else if p.seat >= 0 || !l.stopped() {
			l.waits(p)
		}
	}
	for name := range l.mind {
		l.hidden(name)
	}
	if len(done) == 0 {
		w.count("outcome: waits for somebody", 1)
		return
	}
	first := done[0]
	for _, p := range done {
		l.agree(first, p)
		if p == first || p.core.State().Stopped() {
			l.audited(p) // of equal logs one will do
		}
		if p.seat >= 0 {
			l.guesses(p)
		}
	}
	for _, i := range w.set.cheats {
		l.convicted(w.peers[i].rogue)
	}
	w.count("outcome: "+outcome(first.core.State()), 1)
	if gone := w.set.seats - len(first.core.State().Present()); gone > 0 {
		w.count("games that went on without somebody", 1)
	}
}

func outcome(st *table.State) string {
	switch {
	case st.Stopped():
		return "stopped, the culprit named"
	case st.Abandoned:
		return "abandoned"
	}
	return "played to its end"
}

// convicted looks whether a cheat was found out, by all alike.
func (l *law) convicted(r *rogue) {
	w, seat := l.w, r.p.seat
	forked := l.forks[seat]
	found := l.verdicts[seat]
	abandoned := slices.ContainsFunc(w.peers, func(p *peer) bool { return p.honest() && p.core != nil && p.core.State().Abandoned })
	if abandoned && len(r.how.rules) == 0 && !r.how.stalls && !r.late {
		w.fail("no harm", "%s has the table give up: %s", r.how.name, l.standing())
	}
	if len(found) > 0 {
		w.count("convicted: "+r.how.name, 1)
	}
	if r.landed() && len(r.how.rules) > 0 && len(found) == 0 && !l.witnessed(seat) && !abandoned && !l.unjudged(r) {
		w.fail("a cheat is convicted", "nobody holds anything against seat %d", seat)
	}
	for _, v := range found {
		known := slices.Contains(r.how.rules, v.fault.Rule)
		switch {
		case known || forked && v.fault.Rule == table.RuleFork:
		default:
			w.fail("a cheat is convicted of what it did", "%s holds against seat %d: round %d, %s", v.by.name, seat, v.fault.Round, v.fault.Rule)
		}
		// Of who signed two entries, some may have judged the one before the other came.
		if f := found[0].fault; f != v.fault && !forked {
			w.fail("all name the same", "%s names %v, %s %v", found[0].by.name, f, v.by.name, v.fault)
		}
	}
}

// witnessed reports whether a seat stands convicted by what came to light after the
// end: beside a log, or when logs are compared.
func (l *law) witnessed(seat int) bool {
	return l.lately[seat] || slices.ContainsFunc(l.w.peers, func(p *peer) bool {
		return p.honest() && p.core != nil && slices.ContainsFunc(p.core.Evidence(), func(e *feed.Signed) bool { return int(e.Seat) == seat })
	})
}

// unjudged reports whether what the cheat forged was never judged by all: the round of
// it, or that in which it would have come out, was closed without what was said in it,
// since somebody left; or it was opened again, and the game went on in another way.
func (l *law) unjudged(r *rogue) bool {
	dropped, went := map[uint32]bool{}, map[feed.Place]bool{}
	for _, p := range l.w.peers {
		if !p.honest() || p.core == nil {
			continue
		}
		_, entries := p.core.Log()
		for _, e := range entries {
			if _, ballot := e.Ballot(); ballot {
				dropped[e.Round] = true
			} else {
				went[feed.Place{Game: e.Game, Round: e.Round}] = true
			}
		}
	}
	shares := slices.Contains(r.how.rules, table.RuleKeyShare)
	return slices.ContainsFunc(r.places, func(at feed.Place) bool {
		return dropped[at.Round] || shares && dropped[at.Round+1] || !went[feed.Place{Game: at.Game, Round: at.Round}]
	})
}

// waits looks at a peer that has not finished: somebody must be missing whom the
// table cannot go on without, and it must say so.
func (l *law) waits(p *peer) {
	w, st := l.w, p.core.State()
	var missing []int
	for _, i := range st.Present() {
		// Whom a motion has put out helps no more, be it that those who carried it are
		// gone, or bound by a vote at a later trial.
		q := w.peers[i]
		out := q.honest() && q.core != nil && q.core.State().Gone[i]
		if q.leaves || out || q.rogue != nil && q.rogue.mute() {
			missing = append(missing, i)
		}
	}
	enough := p.core.May(true, missing...) && l.together(missing)
	can := p.core.May(false, missing...) && enough
	stalled := slices.ContainsFunc(missing, func(i int) bool { return w.peers[i].rogue != nil })
	switch {
	case len(missing) == 0:
		w.fail("a live quorum ends", "%s still waits in round %d, %s %s: %s", p.name, st.Round, st.Stage, st.Phase(), l.standing())
	case !stalled && (can || enough && p.habits.quits > 0):
		w.fail("a live quorum ends", "%s waits in round %d, %s %s, for %v: %s", p.name, st.Round, st.Stage, st.Phase(), missing, l.standing())
	case p.seat >= 0 && !l.names(p, missing):
		w.fail("says whom it waits for", "%s in round %d, %s %s, for %v", p.name, st.Round, st.Stage, st.Phase(), missing)
	}
}

// leftBehind reports whether others have gone on without a seat, in a round that it
// has not come to: it is no part of the quorum any more. It may be bound for ever in
// an earlier one by a vote on which the last word would have been that of a seat
// which has left for good. So may one in the last round, which others have closed:
// it knows the result, and nobody waits for it.
func (l *law) leftBehind(p *peer) bool {
	if p.seat < 0 || p.core.State().Gone[p.seat] {
		return false
	}
	last := p.core.State().Phase() == rules.Farewell
	return slices.ContainsFunc(l.w.peers, func(q *peer) bool {
		return q.honest() && q.seat >= 0 && q.core != nil && q.core.State().Round > p.core.State().Round &&
			(q.core.State().Gone[p.seat] || last && q.finished)
	})
}

// together reports whether those who are left can reach each other, if need be
// through a third.
func (l *law) together(missing []int) bool {
	pair := l.w.apart
	if len(pair) == 0 {
		return true
	}
	for _, p := range l.w.peers {
		if p.seat >= 0 && !slices.Contains(missing, p.seat) && !slices.Contains(pair, p.seat) && p.rogue == nil && !p.leaves {
			return true
		}
	}
	return slices.Contains(missing, pair[0]) || slices.Contains(missing, pair[1])
}

// names reports whether what a player sees names somebody who is missing, or
// somebody who waits for them in turn: in an earlier round.
func (l *law) names(p *peer, missing []int) bool {
	for i := range l.w.set.seats {
		if !waitsFor(p, i) {
			continue
		}
		if slices.Contains(missing, i) {
			return true
		}
		q := l.w.peers[i]
		if q.honest() && q.core != nil && slices.ContainsFunc(missing, func(j int) bool { return waitsFor(q, j) }) {
			return true
		}
	}
	return false
}

// waitsFor reports whether what a player sees says that a seat is waited for.
func waitsFor(p *peer, seat int) bool {
	u := p.core.Latest()
	return u.View.Players[seat].Owes ||
		slices.ContainsFunc(u.Away, func(a session.Absence) bool { return a.Seat == seat }) ||
		slices.ContainsFunc(u.Motions, func(m session.Motion) bool { return slices.Contains(m.Need, seat) })
}

// standing says where everybody stands.
func (l *law) standing() string {
	var b bytes.Buffer
	for _, p := range l.w.peers {
		if p.core == nil {
			fmt.Fprintf(&b, "%s is down; ", p.name)
			continue
		}
		st := p.core.State()
		var owes []int
		for i, q := range p.core.Latest().View.Players {
			if q.Owes {
				owes = append(owes, i)
			}
		}
		fmt.Fprintf(&b, "%s is in round %d, %s %s, present %v, owed by %v, motions %+v, trouble %v, blamed %v; ", p.name, st.Round, st.Stage, st.Phase(),
			st.Present(), owes, p.core.Latest().Motions, p.core.Latest().Trouble, p.core.Blamed())
	}
	return b.String()
}

// agree compares two peers that have finished.
func (l *law) agree(p, q *peer) {
	a, b := p.core.State(), q.core.State()
	if a.Stopped() || b.Stopped() {
		if !l.forked() && !slices.Equal(a.Faults, b.Faults) && !outvoted(p) && !outvoted(q) {
			l.w.fail("all name the same", "%s names %v, %s %v", p.name, a.Faults, q.name, b.Faults)
		}
		return
	}
	if !bytes.Equal(logOf(p), logOf(q)) && !l.twoEnds(p, q) {
		l.w.fail("one log", "%s (round %d) and %s (round %d) have different logs", p.name, a.Round, q.name, b.Round)
	}
}

// outvoted reports whether somebody was left out in a round, and holds something that was
// said there against one of those who stay. For them it counts for nothing.
func outvoted(p *peer) bool {
	st := p.core.State()
	return p.seat >= 0 && st.Gone[p.seat] && !slices.ContainsFunc(st.Faults, func(f table.Fault) bool { return f.Round+1 != st.Round || st.Gone[f.Seat] })
}

// twoEnds reports whether two logs differ only in what was said last, by somebody
// who signed both. Nobody speaks on top of it any more: it comes to light when the
// logs are compared, and then it convicts.
func (l *law) twoEnds(p, q *peer) bool {
	charter, a := p.core.Log()
	_, b := q.core.Log()
	if len(a) != len(b) {
		return false
	}
	var other []*feed.Signed
	for i := range a {
		switch {
		case bytes.Equal(a[i].Raw(), b[i].Raw()):
		case a[i].Place() == b[i].Place() && a[i].Round == a[len(a)-1].Round && l.forks[a[i].Seat]:
			other = append(other, b[i])
		default:
			return false
		}
	}
	r, err := audit.Check(charter, append(a, other...))
	if err != nil {
		return false
	}
	for _, e := range other {
		if !slices.ContainsFunc(r.Findings, func(f audit.Finding) bool { return f.Seat == int(e.Seat) }) {
			return false
		}
		l.lately[e.Seat] = true
	}
	return true
}

// logOf is a peer's log as it writes it to a file, without evidence.
func logOf(p *peer) []byte {
	charter, entries := p.core.Log()
	var b bytes.Buffer
	_ = feed.WriteLog(&b, charter, entries)
	return b.Bytes()
}

// audited has a finished peer's log audited as another computer would.
func (l *law) audited(p *peer) {
	charter, entries := p.core.Log()
	r, err := audit.Check(charter, append(entries, p.core.Evidence()...))
	if err != nil {
		l.w.fail("the log is good", "%s: %v", p.name, err)
		return
	}
	for _, f := range r.Findings {
		if f.Seat >= 0 && l.w.peers[f.Seat].rogue == nil {
			l.w.fail("the log is good", "an audit of the log of %s blames seat %d: %v", p.name, f.Seat, f)
		}
	}
	st := p.core.State()
	switch {
	case st.Stopped():
		named := slices.ContainsFunc(r.Findings, func(f audit.Finding) bool {
			return slices.ContainsFunc(st.Faults, func(g table.Fault) bool { return g.Seat == f.Seat })
		})
		if !named {
			l.w.fail("evidence convicts", "%s stopped for %v, an audit finds %v", p.name, st.Faults, r.Findings)
		}
	case len(p.core.Evidence()) > 0:
	case !r.Fair() || !r.Complete:
		l.w.fail("the log is good", "%s: findings %v, complete %v", p.name, r.Findings, r.Complete)
	case st.Phase() != rules.Over && !st.Abandoned:
		l.w.fail("the log is good", "%s has finished in %s", p.name, st.Phase())
	}
}
