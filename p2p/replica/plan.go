package replica

import (
	"maps"
	"slices"
	"time"

	"alibi/crypto/feed"
)

// waiting is a line of the book that the peer lacks, and when it may be sent at
// the earliest.
type waiting struct {
	*line
	at time.Time
}

// Plan is what one connection owes its peer. It belongs to the goroutine, or
// the lock, that owns its book.
type Plan struct {
	book    *Book
	repeats *Repeats
	me      int
	peer    Position
	links   uint16
	seen    int            // serial number of the first line that has not been considered
	cuts    int            // of the book when due and given were last looked through
	due     []waiting      // in log order
	given   map[*line]bool // sent to or received from the peer, beyond its position
	turn    int            // serial number of the first repeat that has not been sent
	shown   recent         // ballots, repeats and what is news here: sent or received
}

// NewPlan plans for a peer that has just said where it stands and to which
// seats it is connected. repeats are what it is to be shown besides. Without a
// seat, me is -1: then there is nothing that the peer could lack.
func NewPlan(book *Book, repeats *Repeats, me int, peer Position, links uint16, now time.Time) *Plan {
	p := &Plan{book: book, repeats: repeats, me: me}
	p.Restart(peer, links, now)
	return p
}

// Restart plans anew from what the peer says it holds: whatever was sent
// before may have been lost.
func (p *Plan) Restart(peer Position, links uint16, now time.Time) {
	p.peer, p.links, p.due, p.seen, p.turn = peer, links, nil, p.book.added, 0
	p.given, p.shown = make(map[*line]bool), recent{}
	for _, l := range p.book.lines {
		if !p.has(l) {
			p.due = append(p.due, waiting{l, now})
		}
	}
}

// Where notes that the peer has moved on, or is connected to other seats.
func (p *Plan) Where(peer Position, links uint16, now time.Time) {
	p.peer = p.peer.Merge(peer)
	p.links = links
	maps.DeleteFunc(p.given, func(l *line, _ bool) bool { return !l.ballot && p.covers(l) })
	p.prune()
	for i, w := range p.due {
		if p.urgent(w.line) && w.at.After(now) {
			p.due[i].at = now
		}
	}
}

// Received notes that the peer holds an entry, since it sent it, and reports
// whether that is news: an entry that is not in the book and was not sent over
// this connection before, in either direction. It remembers a bounded number,
// so a peer that invents entries fills no memory.
func (p *Plan) Received(e *feed.Signed) bool {
	l := p.book.find(e)
	switch {
	case l == nil:
		return p.shown.add(sum(e))
	case l.ballot:
		p.shown.add(l.sum)
	case !p.covers(l):
		p.given[l] = true
	}
	p.prune()
	return false
}

// Again notes that the peer is asked to send everything again: what it has sent
// before is news when it comes once more.
func (p *Plan) Again() { p.shown = recent{} }

// prune drops what need not be sent any more.
func (p *Plan) prune() {
	p.cuts = p.book.cuts
	p.due = slices.DeleteFunc(p.due, func(w waiting) bool { return w.gone || p.has(w.line) })
	maps.DeleteFunc(p.given, func(l *line, _ bool) bool { return l.gone })
}

func (p *Plan) has(l *line) bool {
	if l.ballot {
		return p.shown.in[l.sum]
	}
	return p.covers(l) || p.given[l]
}

func (p *Plan) covers(l *line) bool { return p.peer.Has(l.epoch, l.entry.Round, l.entry.Seat) }

// urgent reports whether nobody else can be expected to deliver an entry.
func (p *Plan) urgent(l *line) bool {
	return int(l.entry.Seat) == p.me || p.links&(1<<l.entry.Seat) == 0 || l.ballot
}

// Next picks the entry to send now and takes it as sent. With none it says how
// long to wait before asking again, or a negative time if only news can help.
func (p *Plan) Next(now time.Time) (*feed.Signed, time.Duration) {
	if p.me < 0 {
		return nil, -1
	}
	p.consider(now)
	for _, r := range p.repeats.since(p.turn) {
		p.turn = r.serial + 1
		if p.shown.add(r.sum) {
			p.prune()
			return r.entry, 0
		}
	}
	wait := time.Duration(-1)
	for i, w := range p.due {
		if left := w.at.Sub(now); left > 0 {
			if wait < 0 || left < wait {
				wait = left
			}
			continue
		}
		p.due = slices.Delete(p.due, i, i+1)
		if w.ballot {
			p.shown.add(w.sum)
		} else {
			p.given[w.line] = true
		}
		return w.entry, 0
	}
	return nil, wait
}

// consider takes up what was added to the book since the last time.
func (p *Plan) consider(now time.Time) {
	if p.cuts != p.book.cuts {
		p.prune()
	}
	for _, l := range p.book.since(p.seen) {
		switch {
		case p.has(l):
		case p.urgent(l):
			p.due = append(p.due, waiting{l, now})
		default:
			p.due = append(p.due, waiting{l, now.Add(RelayDelay)})
		}
	}
	p.seen = p.book.added
}

// Idle reports whether the peer lacks nothing that could be sent. What it was
// sent it may not have taken in yet.
func (p *Plan) Idle() bool {
	if p.me < 0 {
		return true
	}
	unshown := func(r *repeat) bool { return !p.shown.in[r.sum] }
	lacking := func(l *line) bool { return !p.has(l) }
	return !slices.ContainsFunc(p.repeats.since(p.turn), unshown) &&
		!slices.ContainsFunc(p.book.since(p.seen), lacking) &&
		!slices.ContainsFunc(p.due, func(w waiting) bool { return !w.gone && !p.has(w.line) })
}
