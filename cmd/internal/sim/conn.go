package sim

import (
	"time"

	"alibi/crypto/feed"
	"alibi/p2p/replica"
	"alibi/p2p/wire"
)

// Times of a connection, as package node has them.
const (
	pingEvery  = 2 * time.Second
	staleAfter = 2*pingEvery + time.Second/2
	firstRetry = 100 * time.Millisecond
	lastRetry  = 3 * time.Second
	maxAgain   = 16
)

// message is what one end says to the other, as package wire has it.
type message struct {
	kind  messageKind
	at    replica.Position
	links uint16
	again bool
	raw   []byte // of an entry
	count uint32
}

type messageKind uint8

const (
	hello messageKind = iota
	where
	taken
	ping
	entry
)

// end is one side of a connection: what package node's exchange is. It delivers
// in order and without loss until it breaks; then what is on the way is lost.
type end struct {
	w        *World
	own, far *peer
	other    *end
	dead     bool
	silent   bool // broken without anybody having been told
	plan     *replica.Plan
	cuts     int // of the book when the far end was told where this one stands first

	where, again bool
	sent, acked  uint32
	took, told   uint32
	pinged       time.Duration
	resends      int
	resent       time.Duration

	tail    time.Duration // when the last message on the way arrives
	stalled []message     // cannot be delivered for now
	inbox   []*feed.Signed
	busy    bool          // an entry of the inbox is being taken in
	due     time.Duration // when pump runs next
	pumping bool
}

// keep connects two peers whenever they are not, or doubt that they are.
func (w *World) keep(a, b *peer, retry time.Duration) {
	x, y := a.ends[b.index], b.ends[a.index]
	lively := x != nil && y != nil && w.now-max(a.heard[b.index], x.pinged-pingEvery) < staleAfter &&
		w.now-max(b.heard[a.index], y.pinged-pingEvery) < staleAfter
	switch {
	case lively:
		retry = firstRetry
		w.after(staleAfter, func() { w.keep(a, b, retry) })
		return
	case a.up && b.up && !a.frozen() && !b.frozen() && w.open(a, b) && w.open(b, a):
		w.connect(a, b)
	}
	w.after(retry/2+w.dice.between(0, retry), func() { w.keep(a, b, min(2*retry, lastRetry)) })
}

// open reports whether packets go from one peer to another.
func (w *World) open(from, to *peer) bool { return w.blocked[from.index][to.index] == 0 }

// connect puts a new connection in the place of whatever there was.
func (w *World) connect(a, b *peer) {
	w.count("connections", 1)
	w.trace("%s and %s connect", a.name, b.name)
	a.hangUp(b, false)
	b.hangUp(a, false)
	x, y := &end{w: w, own: a, far: b, pinged: w.now}, &end{w: w, own: b, far: a, pinged: w.now}
	x.other, y.other = y, x
	a.ends[b.index], b.ends[a.index] = x, y
	for _, e := range []*end{x, y} {
		e.cuts = e.own.book.Cuts()
		e.post(message{kind: hello, at: e.own.book.Position(), links: e.own.linked()})
		e.watch(w.now)
	}
}

// watch hangs up when the far end has been silent for too long.
func (e *end) watch(since time.Duration) {
	e.own.plan(since+awayAfter, func() {
		if e.dead {
			return
		}
		if heard := max(e.own.heard[e.far.index], since); heard > since {
			e.watch(heard)
			return
		}
		e.w.trace("%s gives %s up", e.own.name, e.far.name)
		e.own.hangUp(e.far, true)
	})
}

// hangUp closes this side of a connection; tell lets the other side know.
func (p *peer) hangUp(far *peer, tell bool) {
	e := p.ends[far.index]
	if e == nil {
		return
	}
	e.dead, p.ends[far.index] = true, nil
	if far.seat >= 0 {
		p.links[far.seat] = 0
	}
	if o := e.other; tell && !o.dead && !e.silent && p.w.open(p, far) {
		p.w.after(p.w.latency(p, far), func() {
			if !o.dead {
				far.hangUp(p, false)
			}
		})
	}
	p.tellAll()
	p.recheck()
}

// post sends a message on its way.
func (e *end) post(m message) {
	if e.silent || e.other.dead {
		return
	}
	e.tail = max(e.tail+time.Microsecond, e.w.now+e.w.latency(e.own, e.far))
	e.w.at(e.tail, func() { e.arrive(m) })
}

// arrive delivers a message to the other end, as soon as it can be.
func (e *end) arrive(m message) {
	switch {
	case e.silent || e.other.dead:
	case len(e.stalled) > 0 || !e.w.open(e.own, e.far) || e.far.frozen():
		e.stalled = append(e.stalled, m)
	default:
		e.other.take(m)
	}
}

// flush delivers what was held up.
func (e *end) flush() {
	held := e.stalled
	e.stalled = nil
	for _, m := range held {
		e.arrive(m)
	}
}

// next picks what to send, or says how long there is nothing.
func (e *end) next() (m message, raws [][]byte, wait time.Duration) {
	now := e.own.time()
	switch {
	case e.where:
		m = message{kind: where, at: e.own.book.Position(), links: e.own.linked(), again: e.again}
		e.where, e.again = false, false
		return m, nil, 0
	case e.told != e.took:
		e.told = e.took
		return message{kind: taken, count: e.told}, nil, 0
	}
	left := pingEvery - (e.w.now - e.pinged)
	if left <= 0 {
		e.pinged = e.w.now
		return message{kind: ping}, nil, 0
	}
	if e.sent-e.acked >= wire.Window {
		return message{}, nil, left
	}
	next, wait := e.plan.Next(now)
	if next != nil {
		raws = e.own.outgoing(e.far, next)
		e.sent += uint32(len(raws))
		return message{kind: entry}, raws, 0
	}
	if wait < 0 || wait > left {
		wait = left
	}
	return message{}, nil, wait
}

// pump says what there is to say.
func (e *end) pump() {
	if e.dead || e.plan == nil || !e.own.up {
		return
	}
	for {
		m, raws, wait := e.next()
		if wait > 0 {
			e.pumpAt(e.w.now + wait)
			return
		}
		if m.kind != entry {
			e.post(m)
			continue
		}
		for _, raw := range raws {
			e.post(message{kind: entry, raw: raw})
		}
	}
}

func (e *end) pumpAt(at time.Duration) {
	if e.pumping && e.due <= at && e.due >= e.w.now {
		return
	}
	e.pumping, e.due = true, at
	e.own.plan(at, func() {
		if e.due == at {
			e.pumping = false
			e.pump()
		}
	})
}

// wake has the end look for something to say.
func (e *end) wake() {
	if e.plan != nil {
		e.pumpAt(e.w.now)
	}
}

// take takes in what the far end says.
func (e *end) take(m message) {
	p := e.own
	if gap := e.w.now - p.heard[e.far.index]; gap >= shakyAfter {
		defer p.recheck()
	}
	if m.kind == hello {
		e.attach(m)
		return
	}
	p.heard[e.far.index] = e.w.now
	switch m.kind {
	case where:
		e.takeWhere(m)
	case taken:
		if m.count-e.acked <= e.sent-e.acked {
			e.acked = m.count
			e.wake()
		}
	case entry:
		e.takeEntry(m.raw)
	}
}

// attach begins to plan for the far end.
func (e *end) attach(m message) {
	p := e.own
	p.heard[e.far.index] = e.w.now
	if e.far.seat >= 0 {
		p.links[e.far.seat] = m.links
	}
	e.plan = replica.NewPlan(p.book, p.repeats[e.far.index], p.seat, m.at, m.links, p.time())
	e.where, e.resent = true, e.w.now
	if e.cuts != p.book.Cuts() {
		e.askAgain()
	}
	e.wake()
	p.recheck()
	p.tellAll()
}

func (e *end) takeWhere(m message) {
	p := e.own
	if s := e.far.seat; s >= 0 && p.links[s] != m.links {
		p.links[s] = m.links
		p.recheck()
	}
	e.plan.Where(m.at, m.links, p.time())
	if m.again {
		e.resends = max(e.resends-int((e.w.now-e.resent)/time.Second), 0) + 1
		e.resent = e.w.now
		if e.resends > maxAgain {
			e.breach(tooOften)
			return
		}
		e.plan.Restart(m.at, m.links, p.time())
	}
	e.wake()
}

// takeEntry takes in an entry, unless it is known here.
func (e *end) takeEntry(raw []byte) {
	s, err := feed.Decode(raw)
	if err != nil || int(s.Seat) >= len(e.own.links) {
		e.breach("sends what is no entry")
		return
	}
	e.w.count("entries delivered", 1)
	if !e.plan.Received(s) {
		e.tookOne()
		return
	}
	if len(e.inbox) >= wire.Window {
		e.breach("sends more than fits")
		return
	}
	e.inbox = append(e.inbox, s)
	e.deliver()
}

const tooOften = "asks again too often"

// breach hangs up on a far end that does not keep to the protocol.
func (e *end) breach(how string) {
	e.w.count("breaches: "+how, 1)
	// What was held up on the way comes all at once: asking again too often is no
	// fault of an honest peer's, and costs it the connection only.
	if e.far.rogue == nil && how != tooOften {
		e.w.fail("wire", "%s: %s %s", e.own.name, e.far.name, how)
	}
	e.own.hangUp(e.far, true)
}

func (e *end) tookOne() {
	e.took++
	e.wake()
}

// deliver hands the inbox on, one entry after the other.
func (e *end) deliver() {
	if e.busy || len(e.inbox) == 0 {
		return
	}
	e.busy = true
	e.own.plan(e.w.now+e.own.slowness(), func() {
		e.busy = false
		if e.dead {
			return
		}
		s := e.inbox[0]
		e.inbox = e.inbox[1:]
		if !e.own.book.Holds(s) {
			e.own.hand(e.far, s)
		}
		e.tookOne()
		e.deliver()
	})
}
