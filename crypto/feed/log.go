package feed

import (
	"bytes"
	"errors"
	"fmt"

	"alibi/crypto/identity"
)

// Log is one peer's copy of a game: closed rounds, and what has been said in
// the open one. It is a plain value for one goroutine.
type Log struct {
	charter  []byte
	ids      []identity.ID
	closed   [][]*Signed
	heads    []Hash // heads[r] is prev of round r
	game     Hash
	games    []Hash // the game field of each round so far
	speakers []bool
	owed     int
	open     []*Signed // by seat
}

// Verdict says what Offer did with an entry.
type Verdict uint8

const (
	Added Verdict = iota // new, and now part of the open round
	Known                // the same bytes were here before
	Early                // for a round that is not open yet; ask again later
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
)

// NewLog starts a log at the charter. The caller has validated the charter
// (ParseCharter). Round 0 is open, every seat owes an entry.
func NewLog(charter []byte, ids []identity.ID) *Log {
	table := TableHash(charter)
	l := &Log{charter: bytes.Clone(charter), ids: ids, heads: []Hash{table}}
	all := make([]int, len(ids))
	for i := range all {
		all[i] = i
	}
	l.begin(table, all)
	return l
}

func (l *Log) begin(game Hash, speakers []int) {
	l.game = game
	l.games = append(l.games, game)
	l.speakers = make([]bool, len(l.ids))
	l.owed = 0
	for _, s := range speakers {
		if !l.speakers[s] {
			l.speakers[s] = true
			l.owed++
		}
	}
	l.open = make([]*Signed, len(l.ids))
}

// Charter returns the encoded charter.
func (l *Log) Charter() []byte { return l.charter }

// Round is the number of the open round.
func (l *Log) Round() uint32 { return uint32(len(l.closed)) }

// Prev is the hash of everything before the open round.
func (l *Log) Prev() Hash { return l.heads[len(l.heads)-1] }

// Game is the game field that entries of the open round carry.
func (l *Log) Game() Hash { return l.game }

// Seats is the number of seats.
func (l *Log) Seats() int { return len(l.ids) }

// Owes reports whether seat has yet to speak in the open round.
func (l *Log) Owes(seat int) bool {
	return seat >= 0 && seat < len(l.ids) && l.speakers[seat] && l.open[seat] == nil
}

// Entry returns what a seat said in a round, or nil.
func (l *Log) Entry(round uint32, seat int) *Signed {
	if seat < 0 || seat >= len(l.ids) {
		return nil
	}
	if round == l.Round() {
		return l.open[seat]
	}
	if round > l.Round() {
		return nil
	}
	for _, s := range l.closed[round] {
		if int(s.Seat) == seat {
			return s
		}
	}
	return nil
}

// Template is an entry for the open round, without kind and body.
func (l *Log) Template(seat int) Entry {
	return Entry{Game: l.game, Round: l.Round(), Seat: uint8(seat), Prev: l.Prev()}
}

// Offer takes an entry that arrived. Whatever a peer sends leaves the log
// consistent; a *Fork or *Misplaced error names its author beyond doubt, every
// other error blames nobody but the sender of the bytes.
func (l *Log) Offer(s *Signed) (Verdict, error) {
	if int(s.Seat) >= len(l.ids) {
		return 0, ErrNoSeat
	}
	if s.Round > l.Round() {
		return Early, nil
	}
	if s.Game != l.games[s.Round] {
		return 0, ErrForeign
	}
	held := l.Entry(s.Round, int(s.Seat))
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
		return 0, &Fork{First: held, Second: s}
	}
	if s.Prev != l.heads[s.Round] {
		return 0, &Misplaced{Entry: s, Reason: ErrHistory}
	}
	if s.Round < l.Round() || !l.speakers[s.Seat] {
		return 0, &Misplaced{Entry: s, Reason: ErrTurn}
	}
	l.open[s.Seat] = s
	return Added, nil
}

// Complete reports whether everybody who owes an entry in the open round has
// spoken. A round that nobody owes anything in is never complete: it is the end.
func (l *Log) Complete() bool { return l.owed > 0 && len(l.Open()) == l.owed }

// Open lists the entries of the open round in seat order.
func (l *Log) Open() []*Signed {
	var out []*Signed
	for _, s := range l.open {
		if s != nil {
			out = append(out, s)
		}
	}
	return out
}

// Close closes the complete open round and opens the next one, in which
// speakers owe an entry that carries the game field game. It returns the
// closed entries in seat order.
func (l *Log) Close(game Hash, speakers []int) ([]*Signed, error) {
	if !l.Complete() {
		return nil, errors.New("feed: round is not complete")
	}
	entries := l.Open()
	l.heads = append(l.heads, Next(l.Prev(), l.Round(), entries))
	l.closed = append(l.closed, entries)
	l.begin(game, speakers)
	return entries, nil
}

// Closed returns the entries of a closed round in seat order, nil for others.
func (l *Log) Closed(round uint32) []*Signed {
	if round >= l.Round() {
		return nil
	}
	return l.closed[round]
}

// Entries lists every entry, closed rounds first, in order.
func (l *Log) Entries() []*Signed {
	var out []*Signed
	for _, r := range l.closed {
		out = append(out, r...)
	}
	return append(out, l.Open()...)
}
