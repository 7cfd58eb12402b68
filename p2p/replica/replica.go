// Package replica plans who is sent which entry. A Book holds what has been
// published here, in log order; a Plan, one per connection, knows what its peer
// has said it holds, and picks what to send next.
//
// Everything the peer lacks is sent in log order. Own entries go at once;
// another seat's entry goes at once to a peer that is not connected with its
// author, and after RelayDelay to one that is and has not said by then that it
// has got it. So two peers that cannot reach each other play through a third,
// and the rest do not flood each other with what everybody has.
//
// It is pure: no clock, no socket, no goroutine. Package node does the moving.
package replica

import (
	"bytes"
	"slices"
	"time"

	"alibi/crypto/feed"
)

// RelayDelay is how long an entry's author has to deliver it before others do.
const RelayDelay = 150 * time.Millisecond

// MaxRepeats bounds the entries that are to be repeated to one peer.
const MaxRepeats = 4 * feed.MaxSeats

// Position says what a peer holds: every entry of the rounds before Round, and
// in Round those of the seats in Heard, by bit.
type Position struct {
	Round uint32
	Heard uint16
}

// Has reports whether the position covers a seat's entry of a round.
func (p Position) Has(round uint32, seat uint8) bool {
	return round < p.Round || round == p.Round && seat < 16 && p.Heard&(1<<seat) != 0
}

// Merge is what is covered by either of two positions of one peer.
func (p Position) Merge(q Position) Position {
	switch {
	case p.Round > q.Round:
		return p
	case p.Round < q.Round:
		return q
	}
	return Position{Round: p.Round, Heard: p.Heard | q.Heard}
}

type place struct {
	round uint32
	seat  uint8
}

func placeOf(e *feed.Signed) place { return place{e.Round, e.Seat} }

// Book is what has been published here. It belongs to one goroutine, or to
// whoever holds its owner's lock.
type Book struct {
	list []*feed.Signed
	at   map[place]*feed.Signed
	pos  Position
}

// NewBook makes an empty book.
func NewBook() *Book { return &Book{at: make(map[place]*feed.Signed)} }

// Add takes an entry in and reports whether it is new. The caller adds in log
// order; a second entry for one place is left out.
func (b *Book) Add(e *feed.Signed) bool {
	if e == nil || e.Seat >= feed.MaxSeats || b.at[placeOf(e)] != nil {
		return false
	}
	b.at[placeOf(e)] = e
	b.list = append(b.list, e)
	b.pos = b.pos.Merge(Position{Round: e.Round, Heard: 1 << e.Seat})
	return true
}

// Holds reports whether exactly this entry is in the book.
func (b *Book) Holds(e *feed.Signed) bool {
	held := b.at[placeOf(e)]
	return held != nil && bytes.Equal(held.Raw(), e.Raw())
}

// Position is where the book stands.
func (b *Book) Position() Position { return b.pos }

// Len is the number of entries.
func (b *Book) Len() int { return len(b.list) }

// waiting is an entry of the book that the peer lacks, by its place in the
// list, and when it may be sent at the earliest.
type waiting struct {
	index int
	at    time.Time
}

// Plan is what one connection owes its peer. It belongs to the goroutine, or
// the lock, that owns its book.
type Plan struct {
	book    *Book
	me      int
	peer    Position
	links   uint16
	seen    int            // entries of the book that have been considered
	due     []waiting      // in log order
	given   map[place]bool // sent to or received from the peer, beyond its position
	repeats []*feed.Signed
}

// NewPlan plans for a peer that has just said where it stands and to which
// seats it is connected.
func NewPlan(book *Book, me int, peer Position, links uint16, now time.Time) *Plan {
	p := &Plan{book: book, me: me}
	p.Restart(peer, links, now)
	return p
}

// Restart plans anew from what the peer says it holds: whatever was sent
// before may have been lost.
func (p *Plan) Restart(peer Position, links uint16, now time.Time) {
	p.peer, p.links, p.due, p.seen = peer, links, nil, len(p.book.list)
	p.given = make(map[place]bool)
	for i, e := range p.book.list {
		if !peer.Has(e.Round, e.Seat) {
			p.due = append(p.due, waiting{i, now})
		}
	}
}

// Where notes that the peer has moved on, or is connected to other seats.
func (p *Plan) Where(peer Position, links uint16, now time.Time) {
	p.peer = p.peer.Merge(peer)
	p.links = links
	for at := range p.given {
		if p.peer.Has(at.round, at.seat) {
			delete(p.given, at)
		}
	}
	p.prune()
	for i, w := range p.due {
		if p.urgent(p.book.list[w.index]) && w.at.After(now) {
			p.due[i].at = now
		}
	}
}

// Received notes that the peer holds an entry, since it sent it. It remembers
// only what lies near the peer's position, so a peer that invents entries
// fills no memory.
func (p *Plan) Received(e *feed.Signed) {
	if !p.book.Holds(e) || p.peer.Has(e.Round, e.Seat) {
		return
	}
	p.given[placeOf(e)] = true
	p.prune()
}

func (p *Plan) prune() {
	p.due = slices.DeleteFunc(p.due, func(w waiting) bool { return p.has(p.book.list[w.index]) })
}

func (p *Plan) has(e *feed.Signed) bool {
	return p.peer.Has(e.Round, e.Seat) || p.given[placeOf(e)]
}

// urgent reports whether nobody else can be expected to deliver an entry.
func (p *Plan) urgent(e *feed.Signed) bool {
	return int(e.Seat) == p.me || p.links&(1<<e.Seat) == 0
}

// Repeat queues an entry for sending whatever the peer holds. It reports
// whether there was room.
func (p *Plan) Repeat(e *feed.Signed) bool {
	if len(p.repeats) == MaxRepeats {
		return false
	}
	p.repeats = append(p.repeats, e)
	return true
}

// Next picks the entry to send now and takes it as sent. With none it says how
// long to wait before asking again, or a negative time if only news can help.
func (p *Plan) Next(now time.Time) (*feed.Signed, time.Duration) {
	p.consider(now)
	if len(p.repeats) > 0 {
		e := p.repeats[0]
		p.repeats = p.repeats[1:]
		return e, 0
	}
	wait := time.Duration(-1)
	for i, w := range p.due {
		if left := w.at.Sub(now); left > 0 {
			if wait < 0 || left < wait {
				wait = left
			}
			continue
		}
		e := p.book.list[w.index]
		p.due = slices.Delete(p.due, i, i+1)
		p.given[placeOf(e)] = true
		return e, 0
	}
	return nil, wait
}

// consider takes up what was added to the book since the last time.
func (p *Plan) consider(now time.Time) {
	for ; p.seen < len(p.book.list); p.seen++ {
		e := p.book.list[p.seen]
		switch {
		case p.has(e):
		case p.urgent(e):
			p.due = append(p.due, waiting{p.seen, now})
		default:
			p.due = append(p.due, waiting{p.seen, now.Add(RelayDelay)})
		}
	}
}

// Idle reports whether the peer lacks nothing that could be sent. What it was
// sent it may not have taken in yet.
func (p *Plan) Idle() bool {
	if len(p.repeats) > 0 {
		return false
	}
	for _, e := range p.book.list[p.seen:] {
		if !p.has(e) {
			return false
		}
	}
	return len(p.due) == 0
}
