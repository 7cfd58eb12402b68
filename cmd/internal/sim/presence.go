package sim

import (
	"time"

	"alibi/p2p/node"
)

// Silence after which a seat is shaky, and away, as package node has it.
const (
	shakyAfter = 6 * time.Second
	awayAfter  = 25 * time.Second
)

// fresh reports whether a seat is connected here and talks.
func (p *peer) fresh(seat int) bool {
	e := p.ends[seat]
	return e != nil && e.plan != nil && p.w.now-p.heard[seat] < shakyAfter
}

// linked are the seats this peer is connected to itself.
func (p *peer) linked() (mask uint16) {
	for i := range p.links {
		if i != p.seat && p.fresh(i) {
			mask |= 1 << i
		}
	}
	return mask
}

// vouched finds a connected seat that says it is connected to another, or -1.
func (p *peer) vouched(of int) int {
	for i, l := range p.links {
		if i != p.seat && i != of && p.fresh(i) && l&(1<<of) != 0 {
			return i
		}
	}
	return -1
}

// judge says what each seat's state is, and when to look again.
func (p *peer) judge() (out []node.Presence, again time.Duration) {
	w := p.w
	again = -1
	sooner := func(t time.Duration) {
		if again < 0 || t < again {
			again = t
		}
	}
	out = make([]node.Presence, len(p.links))
	for i := range out {
		out[i].Via = -1
		if i == p.seat {
			continue
		}
		if via := p.vouched(i); via >= 0 && !p.fresh(i) {
			out[i].Via = via
			sooner(p.heard[via] + shakyAfter)
			continue
		}
		heard := p.heard[i]
		if heard < 0 {
			heard = p.began - shakyAfter
			if w.now-p.began < awayAfter {
				out[i].State = node.Shaky
				sooner(p.began + awayAfter)
				continue
			}
		}
		switch silent := w.now - heard; {
		case silent < shakyAfter:
			sooner(heard + shakyAfter)
		case silent < awayAfter:
			out[i].State = node.Shaky
			sooner(heard + awayAfter)
		default:
			out[i].State = node.Away
		}
	}
	return out, again
}

// recheck has presence and early arrivals looked at.
func (p *peer) recheck() {
	if p.checking {
		return
	}
	p.checking = true
	p.plan(p.w.now, func() {
		p.checking = false
		p.tend()
	})
}

// tend brings presence up to date and early arrivals back.
func (p *peer) tend() {
	fresh, again := p.judge()
	changed := false
	for i := range fresh {
		fresh[i].Since = p.presence[i].Since
		if fresh[i].State != p.presence[i].State {
			fresh[i].Since = p.time()
		}
		changed = changed || fresh[i] != p.presence[i]
	}
	p.presence = fresh
	if changed {
		p.tellAll()
		p.step("presence", func() error { return p.core.Wake() })
	}
	if again >= 0 {
		p.lookAt(max(again, p.w.now+time.Millisecond))
	}
	p.ripen()
}

// lookAt plans the next look at presence, unless an earlier one is planned.
func (p *peer) lookAt(at time.Duration) {
	if p.look > p.w.now && p.look <= at {
		return
	}
	p.look = at
	p.plan(at, func() {
		if p.look == at {
			p.look = 0
			p.recheck()
		}
	})
}

// How long an early arrival may wait before its sender is asked, and again, as in
// p2p/node.
const (
	earlyWait = 300 * time.Millisecond
	firstNag  = time.Second
	lastNag   = 30 * time.Second
)

// nagging is when seats are asked again next because of early arrivals; before
// that, due is negative.
type nagging struct {
	due, pause time.Duration
	added      int
}

// maxEarly bounds what is kept of them.
const maxEarly = 64

// ripen offers early arrivals again that may fit by now, and asks their senders
// for what has to come before.
func (p *peer) ripen() {
	if at := [2]int{p.book.Added(), p.repeated}; at != p.ripened {
		p.ripened = at
		held := p.early
		p.early = nil
		open := p.book.Position().Round + 1
		for _, a := range held {
			switch {
			case p.book.Holds(a.Entry):
			case a.Entry.Round > open:
				p.early = append(p.early, a)
			default:
				p.step("early", func() error { return p.core.Arrive(a) })
			}
		}
	}
	if len(p.early) == 0 {
		p.nag = nagging{due: -1}
		return
	}
	n, now := &p.nag, p.w.now
	if soon := now + earlyWait; n.due < 0 || p.book.Added() != n.added && soon < n.due {
		n.due, n.pause = soon, firstNag
	}
	n.added = p.book.Added()
	if now >= n.due {
		n.due, n.pause = now+n.pause, min(2*n.pause, lastNag)
		for _, a := range p.early {
			p.Resync(a.From)
		}
	}
	p.lookAt(n.due)
}
