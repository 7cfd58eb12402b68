package feed

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// Verdict says what Offer did with an entry.
type Verdict uint8

const (
	Added Verdict = iota // new, and now part of the open round, or a ballot
	Known                // the same words were here before
	Early                // for a round that is not open yet; ask again later
	Stale                // of a history that was left behind: of no use any more
)

// Fork is two validly signed, different entries of one seat for one place:
// transferable evidence against their author.
type Fork struct {
	First, Second *Signed
}

func (f *Fork) Error() string {
	return fmt.Sprintf("feed: seat %d signed two entries for round %d", f.First.Seat, f.First.Round)
}

// Misplaced is a validly signed entry that cannot stand where it claims to:
// spoken out of turn, or on top of another history.
type Misplaced struct {
	Entry  *Signed
	Reason error
}

func (m *Misplaced) Error() string {
	return fmt.Sprintf("feed: seat %d, round %d: %v", m.Entry.Seat, m.Entry.Round, m.Reason)
}

func (m *Misplaced) Unwrap() error { return m.Reason }

// Refusals of Offer.
var (
	ErrForeign = errors.New("feed: entry of another game")
	ErrNoSeat  = errors.New("feed: no such seat")
	ErrTurn    = errors.New("this seat has nothing to say in this round")
	ErrHistory = errors.New("prev names another history")
	ErrMany    = errors.New("feed: more ballots of one seat than a game can need")
)

// Bounds of the ballots of one seat that a log keeps. An honest seat casts a few
// in a game. Whatever others move it may have to say no to: there is room for an
// answer to all of that.
const (
	maxYes = 128
	maxNo  = maxYes * (MaxSeats - 1)
)

// Offer takes an entry that arrived. Whatever a peer sends leaves the log
// consistent; a *Fork or *Misplaced error names its author beyond doubt, every
// other error blames nobody but the sender of the bytes.
func (l *Log) Offer(s *Signed) (Verdict, error) {
	if int(s.Seat) >= len(l.ids) {
		return 0, ErrNoSeat
	}
	if s.Round > l.Round() || s.Game != l.at(s.Round).game {
		return l.elsewhere(s)
	}
	held := l.held(s)
	if held != nil && bytes.Equal(held.raw, s.raw) {
		return Known, nil
	}
	if err := s.Verify(l.ids[s.Seat]); err != nil {
		return 0, err
	}
	if held != nil {
		if bytes.Equal(held.Content(), s.Content()) {
			return Known, nil // the same words under a second signature change nothing
		}
		if _, is := s.Ballot(); is {
			l.both[s.Place()] = true
		} else if s.Round == l.Round() && s.Prev == l.Prev() {
			l.open.other[s.Seat] = s
		}
		return 0, &Fork{First: held, Second: s}
	}
	if s.Prev != l.heads[s.Round] {
		return 0, &Misplaced{Entry: s, Reason: ErrHistory}
	}
	if _, is := s.Ballot(); is {
		return l.ballot(s)
	}
	if s.Round < l.Round() && !l.closed[s.Round].motion.Normal() {
		return Stale, nil // it counts no more that its author spoke before it was left out
	}
	if s.Round < l.Round() || l.open.speakers&(1<<s.Seat) == 0 {
		return 0, &Misplaced{Entry: s, Reason: ErrTurn}
	}
	l.open.said[s.Seat] = s
	return Added, nil
}

// held is what the log holds in the entry's place.
func (l *Log) held(s *Signed) *Signed {
	if s.ballot.Normal() {
		return l.Entry(s.Round, int(s.Seat))
	}
	return l.ballots[s.Place()]
}

// elsewhere judges an entry that does not fit this history: it may be ahead of
// it, behind it, or of another game.
func (l *Log) elsewhere(s *Signed) (Verdict, error) {
	l.Foresee(s)
	switch {
	case l.games[s.Game] && (s.Round <= l.Round() || s.Game != l.open.game):
		return Stale, nil
	case !l.games[s.Game] && s.Round <= l.Round() && l.leavers == 0:
		return 0, ErrForeign
	}
	// A later round of this game, or of the game as it goes on without somebody:
	// there the rounds may be such as this history has gone through already.
	return Early, nil
}

// Foresee notes that somebody has signed an entry of the round after the open one,
// and on top of what. Offer does so with entries that come early.
func (l *Log) Foresee(s *Signed) {
	if s.Round != l.Round()+1 || int(s.Seat) >= len(l.ids) {
		return
	}
	if ahead := &l.open.ahead[s.Seat]; *ahead == nil && s.Verify(l.ids[s.Seat]) == nil {
		*ahead = s
	}
}

// Ahead lists what others have signed for the round after the open one, one entry
// each: what may have let a seat close it in spite of a vote (Closes).
func (l *Log) Ahead() []*Signed {
	return slices.DeleteFunc(slices.Clone(l.open.ahead), func(s *Signed) bool { return s == nil })
}
