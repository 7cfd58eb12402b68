package node

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"time"

	"alibi/crypto/feed"
	"alibi/p2p/link"
	"alibi/p2p/replica"
	"alibi/p2p/wire"
)

// Times of one connection of a game.
const (
	helloWithin = 5 * time.Second
	sendWithin  = 10 * time.Second
)

// Resends that a peer may ask for: a burst, then one a second.
const maxAgain = 16

var errPeer = errors.New("node: the peer does not keep to the protocol")

// exchange is one connection with a seat. The fields below mu are guarded by
// the game's.
type exchange struct {
	game   *Game
	seat   int
	conn   *link.Conn
	stream *wire.Stream
	inbox  chan *feed.Signed
	wake   chan struct{}
	done   chan struct{}
	work   sync.WaitGroup

	plan        *replica.Plan
	where       bool // the peer is to be told where this one stands
	again       bool // and to send everything that is lacking
	sent, acked uint32
	took, told  uint32
	pongs       []uint32
	pinged      time.Time
	pings       uint32
	resends     int
	resent      time.Time
}

// handleGame owns an inbound connection for a game.
func (n *Node) handleGame(conn *link.Conn) {
	stream := wire.NewGameStream(conn)
	m, err := stream.Receive(helloWithin)
	if err != nil {
		return
	}
	hello, ok := m.(*wire.Hello)
	if !ok {
		return
	}
	n.mu.Lock()
	g := n.games[hello.Table]
	n.mu.Unlock()
	if g == nil {
		return // the other one is early, and will dial again
	}
	seat := g.seatOf(conn.Remote())
	if seat < 0 || seat == g.me {
		return
	}
	g.exchange(conn, stream, seat, hello)
}

// exchange runs a connection until it ends. hello is what the peer has said
// already, nil if nothing yet.
func (g *Game) exchange(conn *link.Conn, stream *wire.Stream, seat int, hello *wire.Hello) {
	defer conn.Close()
	if !g.enter() {
		return
	}
	defer g.work.Done()
	g.mu.Lock()
	mine := &wire.Hello{Version: wire.Version, Table: g.table, At: g.position(), Links: g.links(time.Now())}
	g.mu.Unlock()
	if stream.Send(mine, helloWithin) != nil {
		return
	}
	if hello == nil {
		m, err := stream.Receive(helloWithin)
		if err != nil {
			return
		}
		var ok bool
		if hello, ok = m.(*wire.Hello); !ok {
			return
		}
	}
	if hello.Version != wire.Version || hello.Table != g.table {
		return
	}
	x := &exchange{
		game: g, seat: seat, conn: conn, stream: stream,
		inbox: make(chan *feed.Signed, wire.Window), wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	if !g.attach(x, hello) {
		return
	}
	x.work.Go(x.write)
	x.work.Go(x.deliver)
	x.read()
	g.detach(x)
	close(x.done)
	_ = conn.Close()
	x.work.Wait()
}

// enter counts a connection in, unless the game is closed.
func (g *Game) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed || g.ctx.Err() != nil {
		return false
	}
	g.work.Add(1)
	return true
}

// attach puts a connection into use. Both sides dial, so there may be two at a
// time. Each side uses the newest; the one with the lower identity, and nobody
// else, closes the others, so that they do not each close the one that the
// other keeps. Whoever dials again because its connection died is served by
// the same rule.
func (g *Game) attach(x *exchange, hello *wire.Hello) bool {
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	s := g.seats[x.seat]
	x.plan = replica.NewPlan(g.book, g.me, replica.Position{Round: hello.At.Round, Heard: hello.At.Heard}, hello.Links, now)
	for _, e := range s.repeats {
		x.plan.Repeat(e)
	}
	x.where, x.pinged, x.resent = true, now, now
	decides := bytes.Compare(g.ids[g.me][:], g.ids[x.seat][:]) < 0
	for i, old := range s.conns {
		if decides || i <= len(s.conns)-maxConns {
			_ = old.conn.Close()
		}
	}
	s.conns = append(s.conns, x)
	s.heard, s.links = now, hello.Links
	if s.dialled != nil {
		s.dialled()
	}
	ring(s.bell)
	ring(g.recheck)
	g.tellAll() // others learn that this one is connected
	return true
}

func (g *Game) detach(x *exchange) {
	g.mu.Lock()
	s := g.seats[x.seat]
	s.conns = slices.DeleteFunc(s.conns, func(c *exchange) bool { return c == x })
	if next := g.current(x.seat); next != nil {
		ring(next.wake)
	} else {
		s.links = 0
	}
	g.tellAll()
	g.mu.Unlock()
	ring(s.bell)
	ring(g.recheck)
	g.announceNews()
}

// read takes in what the peer says until it falls silent or breaks the rules.
func (x *exchange) read() {
	for {
		m, err := x.stream.Receive(awayAfter)
		if err != nil || x.take(m) != nil {
			return
		}
	}
}

func (x *exchange) take(m wire.Message) error {
	g := x.game
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.seats[x.seat]
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
		x.acked = m.Count
		ring(x.wake)
		close(g.news)
		g.news = make(chan struct{})
	case *wire.Ping:
		if len(x.pongs) >= wire.Window {
			return errPeer
		}
		x.pongs = append(x.pongs, m.N)
		ring(x.wake)
	case *wire.Pong:
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
	x.plan.Received(e)
	if g.book.Holds(e) || g.flushing {
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
	at := replica.Position{Round: m.At.Round, Heard: m.At.Heard}
	if s := g.seats[x.seat]; s.links != m.Links {
		s.links = m.Links
		ring(g.recheck)
	}
	x.plan.Where(at, m.Links, now)
	if m.Again {
		x.resends -= int(now.Sub(x.resent) / time.Second)
		x.resends = max(x.resends, 0) + 1
		x.resent = now
		if x.resends > maxAgain {
			return errPeer
		}
		x.plan.Restart(at, m.Links, now)
	}
	ring(x.wake)
	close(g.news)
	g.news = make(chan struct{})
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
		x.game.mu.Lock()
		m, wait := x.next(time.Now())
		x.game.mu.Unlock()
		if m == nil {
			timer.Reset(wait)
			select {
			case <-x.wake:
			case <-timer.C:
			case <-x.done:
				return
			}
			continue
		}
		if x.stream.Send(m, sendWithin) != nil {
			_ = x.conn.Close()
			return
		}
	}
}

// next picks what to send, or says how long there is nothing.
func (x *exchange) next(now time.Time) (wire.Message, time.Duration) {
	g := x.game
	if len(x.pongs) > 0 {
		n := x.pongs[0]
		x.pongs = x.pongs[1:]
		return &wire.Pong{N: n}, 0
	}
	if x.where {
		m := &wire.Where{At: g.position(), Links: g.links(now), Again: x.again}
		x.where, x.again = false, false
		return m, 0
	}
	if x.told != x.took {
		x.told = x.took
		return &wire.Taken{Count: x.told}, 0
	}
	ping := pingEvery - now.Sub(x.pinged)
	if ping <= 0 {
		x.pinged = now
		x.pings++
		return &wire.Ping{N: x.pings}, 0
	}
	if g.current(x.seat) != x || x.sent-x.acked >= wire.Window {
		return nil, ping
	}
	e, wait := x.plan.Next(now)
	if e != nil {
		x.sent++
		return &wire.Entry{Signed: e}, 0
	}
	if wait < 0 || wait > ping {
		wait = ping
	}
	return nil, wait
}
