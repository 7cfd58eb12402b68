package node

import (
	"time"

	"alibi/crypto/feed"
	"alibi/p2p/wire"
)

// Resends that a peer may ask for: a burst, then one a second.
const maxAgain = 16

// read takes in what the peer says until it falls silent or breaks the rules.
func (x *exchange) read() {
	for {
		m, err := x.stream.Receive(x.silence())
		if err != nil || x.take(m, time.Now()) != nil {
			return
		}
	}
}

// silence is how long the far end may say nothing before it is given up.
func (x *exchange) silence() time.Duration {
	if x.game.me < 0 {
		return watchSilence
	}
	return awayAfter
}

func (x *exchange) take(m wire.Message, now time.Time) error {
	g := x.game
	g.mu.Lock()
	defer g.mu.Unlock()
	if !x.expects(m, now) {
		return errPeer
	}
	s := x.far
	if now.Sub(s.heard) >= shakyAfter {
		ring(g.recheck) // it is back
	}
	s.heard = now
	switch m := m.(type) {
	case *wire.Entry:
		return x.takeEntry(m.Signed)
	case *wire.Where:
		return x.takeWhere(m, now)
	case *wire.Taken:
		if m.Count-x.acked > x.sent-x.acked {
			return errPeer
		}
		if m.Count != x.acked {
			x.acked, x.moved = m.Count, now
		}
		ring(x.wake)
		g.wakeAll()
	case *wire.Ping:
		if len(x.pongs) >= wire.Window {
			return errPeer
		}
		x.pongs = append(x.pongs, m.N)
		ring(x.wake)
	case *wire.Pong:
		if g.over && m.N-x.parting < 1<<31 {
			s.told = true
			g.wakeAll()
		}
	default:
		return errPeer
	}
	return nil
}

func (x *exchange) takeEntry(e *feed.Signed) error {
	g := x.game
	if int(e.Seat) >= len(g.ids) {
		return errPeer
	}
	if !x.plan.Received(e) || g.flushing {
		g.wakeAll() // it need not be sent any more
		x.tookOne()
		return nil
	}
	select {
	case x.inbox <- e:
		return nil
	default:
		return errPeer // more than the window is under way
	}
}

func (x *exchange) takeWhere(m *wire.Where, now time.Time) error {
	g := x.game
	links := m.Links
	if x.seat < 0 {
		links = 0 // it has no seat that others could count on
	}
	if s := x.far; s.links != links {
		s.links = links
		ring(g.recheck)
	}
	// What a program has kept stays kept when it is started anew. Only the same one
	// can say that its game goes on after all.
	x.far.over = m.Over || x.far.over && !x.over
	x.over = m.Over
	x.plan.Where(placed(m.At), links, now)
	if m.Again {
		x.resends -= int(now.Sub(x.resent) / time.Second)
		x.resends = max(x.resends, 0) + 1
		x.resent = now
		if x.resends > maxAgain {
			return errPeer
		}
		x.plan.Restart(placed(m.At), links, now)
	}
	ring(x.wake)
	g.wakeAll()
	return nil
}

// tookOne notes that an entry was taken in, for the peer to send more.
func (x *exchange) tookOne() {
	x.took++
	ring(x.wake)
}

// deliver hands entries on, one after the other.
func (x *exchange) deliver() {
	g := x.game
	for {
		var e *feed.Signed
		select {
		case e = <-x.inbox:
		case <-x.done:
			return
		}
		g.mu.Lock()
		held := g.book.Holds(e)
		g.mu.Unlock()
		if !held && !g.hand(Arrival{From: x.seat, Entry: e}, x.done) {
			return
		}
		g.mu.Lock()
		x.tookOne()
		g.mu.Unlock()
	}
}

// hand delivers an arrival, unless its reader has left.
func (g *Game) hand(a Arrival, done <-chan struct{}) bool {
	for {
		g.mu.Lock()
		flushing, news := g.flushing, g.news
		g.mu.Unlock()
		if flushing {
			return true
		}
		select {
		case g.arrivals <- a:
			return true
		case <-news:
		case <-done:
			return false
		case <-g.ctx.Done():
			return false
		}
	}
}

// write says what there is to say, the short things first.
func (x *exchange) write() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		m, wait := x.say(time.Now())
		switch {
		case m != nil:
			if x.stream.Send(m, sendWithin) != nil {
				_ = x.conn.Close()
				return
			}
			continue
		case wait < 0:
			_ = x.conn.Close()
			return
		}
		timer.Reset(wait)
		select {
		case <-x.wake:
		case <-timer.C:
		case <-x.done:
			return
		}
	}
}

// say is next for the one goroutine that sends: what it picked before has been
// sent by now.
func (x *exchange) say(now time.Time) (wire.Message, time.Duration) {
	g := x.game
	g.mu.Lock()
	defer g.mu.Unlock()
	if x.saying && g.flushing {
		g.wakeAll()
	}
	m, wait := x.next(now)
	x.saying = m != nil
	return m, wait
}

// next picks what to send, or says how long there is nothing; a negative time
// gives the connection up.
func (x *exchange) next(now time.Time) (wire.Message, time.Duration) {
	g := x.game
	if len(x.pongs) > 0 {
		n := x.pongs[0]
		x.pongs = x.pongs[1:]
		return &wire.Pong{N: n}, 0
	}
	if x.where {
		m := &wire.Where{At: g.position(), Links: g.links(now), Again: x.again, Over: g.over}
		x.where, x.again = false, false
		return m, 0
	}
	if x.told != x.took {
		x.told = x.took
		return &wire.Taken{Count: x.told}, 0
	}
	idle := pingEvery - now.Sub(x.pinged)
	switch {
	case x.seat < 0:
		if idle = x.patience(now); idle <= 0 {
			return nil, -1
		}
	case idle <= 0:
		x.pinged = now
		x.pings++
		return &wire.Ping{N: x.pings}, 0
	}
	if x.far.current() != x || x.sent-x.acked >= wire.Window {
		return nil, idle
	}
	e, wait := x.plan.Next(now)
	if e != nil {
		if x.sent == x.acked {
			x.moved = now
		}
		x.sent++
		x.thrift.earn()
		return &wire.Entry{Signed: e}, 0
	}
	if wait < 0 || wait > idle {
		wait = idle
	}
	return nil, wait
}
