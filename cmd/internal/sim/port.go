package sim

import (
	"bytes"
	"slices"

	"alibi/crypto/feed"
	"alibi/p2p/node"
)

// A peer is the session.Port of its own program.

// Publish implements session.Port.
func (p *peer) Publish(entries ...*feed.Signed) {
	added, cuts := false, p.book.Cuts()
	for _, e := range entries {
		added = p.book.Add(e) || added
	}
	if p.book.Cuts() != cuts {
		for _, e := range p.ends { // by its old position they may take it to be further than it is
			if e != nil {
				e.askAgain()
			}
		}
	}
	if p.rogue != nil {
		p.rogue.published(entries)
	}
	if added {
		p.tellAll()
		p.recheck()
		p.pump() // a network goroutine may be quicker than whatever comes next
	}
}

// pump has every connection say at once what there is to say.
func (p *peer) pump() {
	for _, e := range p.ends {
		if e != nil {
			e.pump()
		}
	}
}

// Repeat implements session.Port.
func (p *peer) Repeat(seat int, entries ...*feed.Signed) {
	if seat < 0 || seat >= p.w.set.seats || seat == p.seat {
		return
	}
	for _, e := range entries {
		p.repeats[seat].Add(e)
	}
	if p.rogue != nil {
		p.rogue.published(entries)
	}
	if e := p.ends[seat]; e != nil {
		e.pump()
	}
	if p.repeated++; len(p.early) > 0 {
		p.recheck()
	}
}

// Forget implements session.Port.
func (p *peer) Forget(which func(*feed.Signed) bool) {
	for _, r := range p.repeats {
		r.Forget(which)
	}
}

// Early implements session.Port.
func (p *peer) Early(a node.Arrival) {
	for _, held := range p.early {
		if bytes.Equal(held.Entry.Raw(), a.Entry.Raw()) {
			return
		}
	}
	if len(p.early) == maxEarly {
		p.early = slices.Delete(p.early, 0, 1)
	}
	p.early = append(p.early, a)
	p.recheck()
}

// Resync implements session.Port.
func (p *peer) Resync(seat int) {
	if seat < 0 || seat >= len(p.ends) {
		return
	}
	if e := p.ends[seat]; e != nil {
		p.w.trace("%s asks %s again", p.name, e.far.name)
		e.askAgain()
	}
}

// askAgain has the far end asked for everything that is lacking here.
func (e *end) askAgain() {
	if e.plan == nil {
		return // it is asked as soon as it can be (attach)
	}
	e.where, e.again = true, true
	e.plan.Again()
	e.wake()
}

// Presence implements session.Port.
func (p *peer) Presence() []node.Presence { return slices.Clone(p.presence) }

// tellAll has every peer told where this one stands now.
func (p *peer) tellAll() {
	for _, e := range p.ends {
		if e != nil && e.plan != nil {
			e.where = true
			e.wake()
		}
	}
}

// outgoing is what really leaves when an entry is due to a peer.
func (p *peer) outgoing(to *peer, e *feed.Signed) [][]byte {
	out := [][]byte{e.Raw()}
	if p.rogue != nil {
		out = p.rogue.outgoing(to, e)
	} else {
		p.w.law.sent(p, e)
	}
	for _, raw := range out {
		p.w.law.signed(raw)
		if p.w.faulty() && p.w.dice.chance(p.w.set.repeated) {
			out = append(out, raw)
			p.w.count("entries repeated", 1)
			break
		}
	}
	return out
}
