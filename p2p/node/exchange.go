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

var errPeer = errors.New("node: the peer does not keep to the protocol")

// exchange is one connection with a seat, or with a spectator. The fields from
// plan on are guarded by the game's mutex.
type exchange struct {
	game   *Game
	seat   int // at the far end, -1 for a spectator
	far    *seat
	conn   *link.Conn
	stream *wire.Stream
	inbox  chan *feed.Signed
	wake   chan struct{}
	done   chan struct{}
	work   sync.WaitGroup

	plan        *replica.Plan
	where       bool // the peer is to be told where this one stands
	again       bool // and to send everything that is lacking
	cuts        int  // of the book when the peer was told where this one stands first
	saying      bool // a message is on its way
	sent, acked uint32
	took, told  uint32
	pongs       []uint32
	pinged      time.Time
	pings       uint32
	parting     uint32 // the first ping after the far end was told that the game is over
	over        bool   // the far end has said so of its own, over this connection
	resends     int
	resent      time.Time
	thrift      thrift    // of a spectator
	moved       time.Time // when the far end last took something in, or had taken in everything
}

// handleGame owns an inbound connection for a game.
func (n *Node) handleGame(conn *link.Conn) {
	stream := wire.NewGameStream(conn)
	m, err := stream.Receive(helloWithin)
	if err != nil {
		return
	}
	switch m := m.(type) {
	case *wire.Hello:
		n.mu.Lock()
		g := n.games[m.Table]
		n.mu.Unlock()
		if g == nil {
			return // the other one is early, and will dial again
		}
		if seat := g.seatOf(conn.Remote()); seat >= 0 && seat != g.me {
			g.exchange(conn, stream, seat, m)
		}
	case *wire.Watch:
		n.handleWatch(conn, stream, m)
	}
}

// exchange runs a connection with another seat until it ends. hello is what the
// peer has said already, nil if nothing yet.
func (g *Game) exchange(conn *link.Conn, stream *wire.Stream, seat int, hello *wire.Hello) {
	defer conn.Close()
	if !g.enter() {
		return
	}
	defer g.work.Done()
	g.mu.Lock()
	mine := &wire.Hello{Version: wire.Version, Table: g.table, At: g.position(), Links: g.links(time.Now())}
	cuts := g.book.Cuts()
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
	g.newExchange(conn, stream, seat, g.seats[seat], cuts).run(hello.At, hello.Links)
}

func (g *Game) newExchange(conn *link.Conn, stream *wire.Stream, seat int, far *seat, cuts int) *exchange {
	return &exchange{
		game: g, seat: seat, far: far, conn: conn, stream: stream, cuts: cuts,
		inbox: make(chan *feed.Signed, wire.Window), wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
}

// run exchanges entries with a peer that has just said where it stands, until
// the connection ends.
func (x *exchange) run(at wire.Position, links uint16) {
	if !x.game.attach(x, at, links) {
		return
	}
	x.work.Go(x.write)
	x.work.Go(x.deliver)
	x.read()
	x.game.detach(x)
	close(x.done)
	_ = x.conn.Close()
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
// the same rule. Spectators dial alone, so there the newest replaces the others.
func (g *Game) attach(x *exchange, at wire.Position, links uint16) bool {
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed || x.seat < 0 && g.limit.Load() == 0 {
		return false
	}
	s := x.far
	x.plan = replica.NewPlan(g.book, s.repeats, g.me, placed(at), links, now)
	x.where, x.pinged, x.resent, x.moved, x.thrift = true, now, now, now, newThrift(now)
	if x.cuts != g.book.Cuts() {
		x.askAgain()
	}
	decides := x.seat < 0 || g.me < 0 || bytes.Compare(g.ids[g.me][:], g.ids[x.seat][:]) < 0
	for i, old := range s.conns {
		if decides || i <= len(s.conns)-maxConns {
			_ = old.conn.Close()
		}
	}
	s.conns = append(s.conns, x)
	s.heard, s.links = now, links
	if g.over && x.seat >= 0 {
		x.part()
	}
	if s.dialled != nil {
		s.dialled()
	}
	if x.seat >= 0 {
		ring(s.bell)
		ring(g.recheck)
		g.tellAll() // others learn that this one is connected
	}
	return true
}

// placed is a position as it comes over the wire.
func placed(at wire.Position) replica.Position {
	return replica.Position{Epoch: at.Epoch, Round: at.Round, Heard: at.Heard}
}

func (g *Game) detach(x *exchange) {
	g.mu.Lock()
	s := x.far
	s.conns = slices.DeleteFunc(s.conns, func(c *exchange) bool { return c == x })
	if next := s.current(); next != nil {
		ring(next.wake)
	} else {
		s.links, s.left = 0, time.Now()
	}
	if x.seat >= 0 {
		g.tellAll()
		ring(s.bell)
		ring(g.recheck)
	}
	g.wakeAll()
	g.mu.Unlock()
}
