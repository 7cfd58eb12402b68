// Package audit checks a whole game from its log alone: every signature, every
// round, every proof, every rule, with no secret. Where players opened their
// seat keys it also replays the hidden moves in the clear and checks them a
// second time by plain comparison, trusting no proof.
package audit

import (
	"errors"
	"fmt"

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
}

func (f Finding) String() string {
	if f.Seat < 0 {
		return fmt.Sprintf("round %d: %s", f.Round, f.Check)
	}
	return fmt.Sprintf("seat %d, round %d: %s", f.Seat, f.Round, f.Check)
}

// Fair reports whether nothing was found wrong.
func (r *Report) Fair() bool { return len(r.Findings) == 0 }

// Check audits a log. An error means that it cannot be one of a game that this
// build knows; everything else is in the report.
func Check(charter []byte, entries []*feed.Signed) (*Report, error) {
	st, err := table.New(charter)
	if err != nil {
		return nil, err
	}
	r := &Report{State: st}
	log := feed.NewLog(charter, st.Charter.IDs(), int(st.Charter.Leavers))
	last := -1
	for _, e := range entries {
		if len(r.Findings) > 0 {
			break
		}
		if !r.offer(log, e) {
			break
		}
		if int(e.Seat) < last {
			r.find(-1, e.Round, "entries are not in seat order")
			break
		}
		last = int(e.Seat)
		if m, ok := log.Closes(-1, true); ok {
			last = -1
			r.close(log, m)
		}
	}
	r.finish(log)
	return r, nil
}

func (r *Report) find(seat int, round uint32, check string) {
	r.Findings = append(r.Findings, Finding{Seat: seat, Round: round, Check: check})
}

// offer places one entry, and reports whether the audit can go on.
func (r *Report) offer(log *feed.Log, e *feed.Signed) bool {
	verdict, err := log.Offer(e)
	var fork *feed.Fork
	var misplaced *feed.Misplaced
	switch {
	case err == nil && verdict == feed.Added:
		r.Entries++
		return true
	case err == nil && verdict == feed.Known:
		r.find(-1, e.Round, "an entry stands in the log twice")
	case err == nil:
		r.find(-1, log.Round(), "entries are missing before those of a later round")
	case errors.As(err, &fork):
		r.find(int(e.Seat), e.Round, string(table.RuleFork))
	case errors.As(err, &misplaced) && errors.Is(err, feed.ErrHistory):
		// Its author may have been shown another round before this one; by
		// whom, only two entries of that round can tell.
		r.find(-1, e.Round, fmt.Sprintf("an entry that seat %d %s", e.Seat, table.RuleHistory))
	case errors.As(err, &misplaced):
		r.find(int(e.Seat), e.Round, string(table.RuleTurn))
	default: // nobody signed this
		r.find(-1, e.Round, fmt.Sprintf("an entry that claims seat %d: %v", e.Seat, err))
	}
	return false
}

func (r *Report) close(log *feed.Log, m feed.Motion) {
	entries := log.Open()
	if !m.Normal() {
		entries = log.Votes(m)
	}
	next := table.Apply(r.State, entries)
	r.State = next
	for _, f := range next.Faults {
		r.find(f.Seat, f.Round, string(f.Rule))
	}
	if len(r.Findings) > 0 {
		return
	}
	if _, err := log.CloseBy(m, next.Game, next.Speakers()); err != nil {
		r.find(-1, log.Round(), err.Error()) // only a complete round gets here
	}
}

func (r *Report) finish(log *feed.Log) {
	if !r.Fair() {
		return
	}
	r.Complete = r.State.Abandoned || r.State.Stage == table.Playing && r.State.Phase() == rules.Over
	for seat := range log.Seats() {
		if log.Owes(seat) {
			r.Missing = append(r.Missing, seat)
		}
	}
	r.replay()
}
