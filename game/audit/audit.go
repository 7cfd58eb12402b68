// Package audit checks a whole game from its log alone: every signature, every
// round, every proof, every rule, with no secret. Where players opened their
// seat keys it also replays the hidden moves in the clear and checks them a
// second time by plain comparison, trusting no proof.
//
// After its last round a log may hold entries that have no place in it: they
// convict whoever signed them. The audit judges them as a peer at the table did.
package audit

import (
	"fmt"
	"slices"

	"alibi/crypto/feed"
	"alibi/game/rules"
	"alibi/game/table"
)

// Report is what an audit found.
type Report struct {
	State    *table.State
	Entries  int // read and placed
	Findings []Finding
	Complete bool // the game was played to its end and everybody has left, or it was abandoned
	Missing  []int
	Replay   *Replay // nil when no seat opened its key
}

// Finding is one reason why a log is not fair. Seat is -1 when the log itself
// is at fault rather than a seat.
type Finding struct {
	Seat  int
	Round uint32
	Check string
	Left  bool // the others went on without this seat: what stayed is not touched by it
}

func (f Finding) String() string {
	if f.Seat < 0 {
		return fmt.Sprintf("round %d: %s", f.Round, f.Check)
	}
	return fmt.Sprintf("seat %d, round %d: %s", f.Seat, f.Round, f.Check)
}

// Fair reports whether nothing was found wrong.
func (r *Report) Fair() bool { return len(r.Findings) == 0 }

// Sound reports whether nothing was found wrong with the game as those played it
// who stayed: whoever cheated was left out, and stands convicted beside the log.
func (r *Report) Sound() bool {
	return !slices.ContainsFunc(r.Findings, func(f Finding) bool { return !f.Left })
}

// Check audits a log. An error means that it cannot be one of a game that this
// build knows; everything else is in the report.
func Check(charter []byte, entries []*feed.Signed) (*Report, error) {
	st, err := table.New(charter)
	if err != nil {
		return nil, err
	}
	a := &auditor{
		Report: &Report{State: st}, states: []*table.State{st},
		log: feed.NewLog(charter, st.Charter.IDs(), int(st.Charter.Leavers)),
	}
	rest := a.readAll(entries)
	if a.Fair() {
		a.judge(rest)
	}
	a.finish()
	return a.Report, nil
}

// auditor is one audit under way.
type auditor struct {
	*Report
	log    *feed.Log
	states []*table.State // of every round up to the open one
	read   int            // entries of the open round
}

func (r *Report) find(seat int, round uint32, check string) {
	f := Finding{Seat: seat, Round: round, Check: check}
	if !slices.Contains(r.Findings, f) {
		r.Findings = append(r.Findings, f)
	}
}

// readAll takes entries as long as each stands in its place, closes rounds, and
// returns what comes after that. It ends early at a round that breaks a rule. Of
// ballots a log holds those that closed a round, so all on one motion.
func (a *auditor) readAll(entries []*feed.Signed) (rest []*feed.Signed) {
	last := -1
	var moved feed.Motion
	for i, e := range entries {
		b, ballot := e.Ballot()
		if int(e.Seat) < last || e.Round != a.log.Round() || ballot && (!b.Yes || last >= 0 && !moved.Normal() && b.Motion != moved) {
			return entries[i:]
		}
		if last < 0 {
			moved = feed.Motion{}
		}
		if ballot {
			moved = b.Motion
		}
		if verdict, err := a.log.Offer(e); err != nil || verdict != feed.Added {
			return entries[i:]
		}
		a.Entries, a.read = a.Entries+1, a.read+1
		last = int(e.Seat)
		if m, ok := a.log.Closes(-1, true); ok {
			last = -1
			if !a.close(m) {
				return nil
			}
		}
	}
	return nil
}

// close folds the open round, and reports whether the game goes on.
func (a *auditor) close(m feed.Motion) bool {
	entries := a.log.Open()
	if !m.Normal() {
		entries = a.log.Votes(m)
	}
	if a.read > len(entries) {
		a.find(-1, a.log.Round(), checkBeside) // or one game would have many logs
		return false
	}
	a.read = 0
	next := table.Apply(a.State, entries)
	a.State = next
	for _, f := range next.Faults {
		a.find(f.Seat, f.Round, string(f.Rule))
	}
	if !a.Fair() {
		return false
	}
	if _, err := a.log.CloseBy(m, next.Game, next.Speakers()); err != nil {
		a.find(-1, a.log.Round(), err.Error()) // only a complete round gets here
		return false
	}
	old := *next
	old.Story = nil // what is kept of every round is small
	a.states = append(a.states, &old)
	return true
}

func (a *auditor) finish() {
	if !a.Sound() {
		return
	}
	a.Complete = a.State.Abandoned || a.State.Stage == table.Playing && a.State.Phase() == rules.Over
	if a.Complete && a.read > 0 {
		a.find(-1, a.log.Round(), checkBeside)
		a.Complete = false
		return
	}
	for seat := range a.log.Seats() {
		if a.log.Owes(seat) {
			a.Missing = append(a.Missing, seat)
		}
	}
	a.replay()
}
