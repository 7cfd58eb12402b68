package rehearsal

import (
	"context"
	"sync"
	"time"

	"alibi/cmd/internal/session"
	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/p2p/node"
)

// hub gives what one seat publishes to every other, in order.
type hub struct {
	plan    Plan
	telling sync.Mutex // held around Plan.Sent, which may call on the hub

	mu    sync.Mutex
	ports []*port
	sent  []parcel // everything, for those who miss some of it
}

// parcel is an entry on its way.
type parcel struct {
	from, to int
	entry    *feed.Signed
}

// port is one seat's place at the hub.
type port struct {
	hub      *hub
	seat     int
	key      identity.Key
	arrivals chan node.Arrival
	changed  chan struct{}

	// The hub's lock guards these.
	early  []node.Arrival
	silent bool
	since  time.Time
}

var _ session.Link = (*port)(nil)

// backlog is more entries than any game has, so that nothing ever blocks.
const backlog = 20_000

func newHub(p Plan) *hub {
	h := &hub{plan: p}
	for i := range p.Names {
		h.ports = append(h.ports, &port{hub: h, seat: i, since: time.Now(),
			arrivals: make(chan node.Arrival, backlog), changed: make(chan struct{}, 1)})
	}
	return h
}

func (h *hub) silence(seat int, silent bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ports[seat].silent, h.ports[seat].since = silent, time.Now()
	if !silent {
		for _, p := range h.sent {
			if p.from == seat || p.to == seat {
				h.carry(p)
			}
		}
	}
	for _, p := range h.ports {
		select {
		case p.changed <- struct{}{}:
		default:
		}
	}
}

// send notes an entry and carries it if both ends are there. The lock is held.
func (h *hub) send(p parcel) {
	h.sent = append(h.sent, p)
	h.carry(p)
}

func (h *hub) carry(p parcel) {
	if !h.ports[p.from].silent && !h.ports[p.to].silent {
		h.ports[p.to].arrivals <- node.Arrival{From: p.from, Entry: p.entry}
		h.ports[p.to].again()
	}
	h.ports[p.from].again()
}

// again lets what came early arrive once more: the seat may be ready for it now.
func (p *port) again() {
	early := p.early
	p.early = nil
	for _, a := range early {
		p.arrivals <- a
	}
}

// Publish implements session.Link. Only own entries travel: everybody is
// connected to everybody.
func (p *port) Publish(entries ...*feed.Signed) {
	for _, e := range entries {
		if int(e.Seat) == p.seat {
			p.hub.publish(p.seat, e, p.tampered(e))
		}
	}
}

func (h *hub) publish(seat int, e, seen *feed.Signed) {
	h.mu.Lock()
	for to := range h.ports {
		if to != seat {
			h.send(parcel{seat, to, seen})
		}
	}
	h.mu.Unlock()
	if h.plan.Sent != nil {
		h.telling.Lock()
		defer h.telling.Unlock()
		h.plan.Sent(seat, e)
	}
}

// tampered is what others get to see of an entry.
func (p *port) tampered(e *feed.Signed) *feed.Signed {
	if p.hub.plan.Tamper == nil {
		return e
	}
	s, err := feed.Seal(p.key, p.hub.plan.Tamper(e.Entry))
	if err != nil {
		return e // too large to be sealed: then it is not sent, either
	}
	return s
}

// Repeat implements session.Link.
func (p *port) Repeat(seat int, entries ...*feed.Signed) {
	p.hub.mu.Lock()
	defer p.hub.mu.Unlock()
	for _, e := range entries {
		p.hub.send(parcel{p.seat, seat, e})
	}
}

// Early implements session.Link.
func (p *port) Early(a node.Arrival) {
	p.hub.mu.Lock()
	defer p.hub.mu.Unlock()
	p.early = append(p.early, a)
}

// Presence implements session.Link.
func (p *port) Presence() []node.Presence {
	p.hub.mu.Lock()
	defer p.hub.mu.Unlock()
	out := make([]node.Presence, len(p.hub.ports))
	for i, other := range p.hub.ports {
		out[i] = node.Presence{Since: other.since, Via: -1}
		if p.silent {
			out[i].Since = p.since
		}
		if i != p.seat && (p.silent || other.silent) {
			out[i].State = node.Away
		}
	}
	return out
}

// The rest of session.Link: there is nothing to catch up on, and nothing to close.
func (p *port) Arrivals() <-chan node.Arrival    { return p.arrivals }
func (p *port) PresenceChanged() <-chan struct{} { return p.changed }
func (p *port) Resync(int)                       {}
func (p *port) Forget(func(*feed.Signed) bool)   {}
func (p *port) Over(bool)                        {}
func (p *port) Lacking() []int                   { return nil }
func (p *port) Flush(context.Context) error      { return nil }
func (p *port) Close()                           {}
