package feed

import (
	"bytes"
	"errors"
	"math/bits"

	"alibi/crypto/identity"
)

// Log is one peer's copy of a game: closed rounds, and what has been said in
// the open one. It is a plain value for one goroutine.
type Log struct {
	charter  []byte
	ids      []identity.ID
	leavers  int
	closed   []closedRound
	heads    []Hash // heads[r] is prev of round r
	open     openRound
	ballots  map[Place]*Signed
	moved    map[roundName][]Motion // highest first
	both     map[Place]bool         // where a seat said yes and no
	cast     []count                // ballots held, by seat
	games    map[Hash]bool          // every game field that this log has gone under
	finished bool                   // abandoned
}

// closedRound is a round with what it takes to open it again.
type closedRound struct {
	openRound
	motion  Motion
	entries []*Signed
}

// roundName is a round of one history of several that a log can have had.
type roundName struct {
	game  Hash
	round uint32
}

// count is how many ballots of each kind there are.
type count struct{ yes, no int }

// openRound is a round in which speakers owe an entry.
type openRound struct {
	game     Hash
	gone     uint16 // seats that left before it, by bit
	sure     uint16 // of these, those who left before all who were there spoke last
	speakers uint16 // who owes an entry, by bit
	said     []*Signed
	other    []*Signed // by seat: the second of two entries for one place
	ahead    []*Signed // by seat: something that it has signed for the next round
	was      Motion    // what it had been closed by before it was opened again
}

// NewLog starts a log at the charter. The caller has validated the charter
// (ParseCharter); leavers is how many seats may leave it. Round 0 is open, every
// seat owes an entry.
func NewLog(charter []byte, ids []identity.ID, leavers int) *Log {
	table := TableHash(charter)
	l := &Log{
		charter: bytes.Clone(charter), ids: ids, leavers: leavers, heads: []Hash{table},
		ballots: map[Place]*Signed{}, moved: map[roundName][]Motion{}, both: map[Place]bool{}, cast: make([]count, len(ids)), games: map[Hash]bool{},
	}
	l.begin(table, 0, 0, l.all())
	return l
}

func (l *Log) all() uint16 { return 1<<len(l.ids) - 1 }

func (l *Log) begin(game Hash, gone, sure, speakers uint16) {
	l.games[game] = true
	l.open = openRound{game: game, gone: gone, sure: sure, speakers: speakers &^ gone, said: make([]*Signed, len(l.ids)), other: make([]*Signed, len(l.ids)),
		ahead: make([]*Signed, len(l.ids))}
}

// Charter returns the encoded charter.
func (l *Log) Charter() []byte { return l.charter }

// Round is the number of the open round.
func (l *Log) Round() uint32 { return uint32(len(l.closed)) }

// Prev is the hash of everything before the open round.
func (l *Log) Prev() Hash { return l.heads[len(l.heads)-1] }

// Game is the game field that entries of the open round carry.
func (l *Log) Game() Hash { return l.open.game }

// Seats is the number of seats, of those that left too.
func (l *Log) Seats() int { return len(l.ids) }

// Present reports whether seat has not left.
func (l *Log) Present(seat int) bool {
	return seat >= 0 && seat < len(l.ids) && l.open.gone&(1<<seat) == 0
}

// Owes reports whether seat has yet to speak in the open round.
func (l *Log) Owes(seat int) bool {
	return seat >= 0 && seat < len(l.ids) && l.open.speakers&(1<<seat) != 0 && l.open.said[seat] == nil
}

// at is a round of the history, the open one included.
func (l *Log) at(round uint32) *openRound {
	if round == l.Round() {
		return &l.open
	}
	return &l.closed[round].openRound
}

// Entry returns what a seat said in a round, or nil. A round that was closed by
// a motion holds nothing but ballots.
func (l *Log) Entry(round uint32, seat int) *Signed {
	if seat < 0 || seat >= len(l.ids) || round > l.Round() {
		return nil
	}
	if round < l.Round() && !l.closed[round].motion.Normal() {
		return nil
	}
	return l.at(round).said[seat]
}

// Template is an entry of seat for the open round, without kind and body.
func (l *Log) Template(seat int) Entry { return l.TemplateAt(l.Round(), seat) }

// TemplateAt is an entry of seat for a round of the history, without kind and
// body. The round must not be later than the open one.
func (l *Log) TemplateAt(round uint32, seat int) Entry {
	return Entry{Game: l.at(round).game, Round: round, Seat: uint8(seat), Prev: l.heads[round]}
}

// Complete reports whether everybody who owes an entry in the open round has
// spoken. A round that nobody owes anything in is never complete: it is the end.
func (l *Log) Complete() bool {
	return l.open.speakers != 0 && len(l.Open()) == bits.OnesCount16(l.open.speakers)
}

// Open lists the entries of the open round in seat order, ballots aside.
func (l *Log) Open() []*Signed { return l.open.list() }

func (o *openRound) list() []*Signed {
	var out []*Signed
	for _, s := range o.said {
		if s != nil {
			out = append(out, s)
		}
	}
	return out
}

var errNotClosing = errors.New("feed: the round is not complete in this way")

// Close closes the open round in which everybody has spoken. It opens the next
// one, in which speakers owe an entry that carries the game field game, and
// returns the closed entries in seat order.
func (l *Log) Close(game Hash, speakers []int) ([]*Signed, error) {
	return l.CloseBy(Motion{}, game, speakers)
}

// CloseBy closes the open round by a motion that is carried, and returns its
// ballots in seat order. What else was said in the round counts no more.
func (l *Log) CloseBy(m Motion, game Hash, speakers []int) ([]*Signed, error) {
	entries := l.Open()
	if m.Normal() {
		if !l.Complete() {
			return nil, errNotClosing
		}
	} else {
		if !l.carried(l.Round(), m) {
			return nil, errNotClosing
		}
		entries = l.votes(l.Round(), m)
	}
	l.heads = append(l.heads, Next(l.Prev(), l.Round(), entries))
	l.closed = append(l.closed, closedRound{openRound: l.open, motion: m, entries: entries})
	sure := l.open.sure
	if m.Normal() && l.open.speakers == l.all()&^l.open.gone {
		sure = l.open.gone // each of them has closed all rounds before this one alike
	}
	l.begin(game, l.open.gone|m.Without, sure, mask(speakers))
	l.finished = m.Abandon
	return entries, nil
}

func mask(seats []int) (m uint16) {
	for _, s := range seats {
		m |= 1 << s
	}
	return m
}

// Reopen takes back the closing of a round and of all after it. What was said in
// it stands; what was said after it is gone from the log and returned, in order.
func (l *Log) Reopen(round uint32) (dropped []*Signed) {
	for _, c := range l.closed[round+1:] {
		dropped = append(dropped, c.entries...)
	}
	dropped = append(dropped, l.Open()...)
	l.open = l.closed[round].openRound
	l.open.was = l.closed[round].motion
	l.closed, l.heads, l.finished = l.closed[:round], l.heads[:round+1], false
	return dropped
}

// Closed returns the entries of a closed round in seat order, nil for others.
func (l *Log) Closed(round uint32) []*Signed {
	if round >= l.Round() {
		return nil
	}
	return l.closed[round].entries
}

// ClosedBy is the motion that closed a round, the zero one for the normal way.
func (l *Log) ClosedBy(round uint32) Motion { return l.closed[round].motion }

// Entries lists every entry, closed rounds first, in order.
func (l *Log) Entries() []*Signed {
	var out []*Signed
	for _, r := range l.closed {
		out = append(out, r.entries...)
	}
	return append(out, l.Open()...)
}
