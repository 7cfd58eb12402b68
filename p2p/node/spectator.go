package node

import (
	"fmt"
	"maps"
	"time"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/p2p/link"
	"alibi/p2p/lobby"
	"alibi/p2p/wire"
)

// MaxSpectators is the most that one seat lets watch at a time.
const MaxSpectators = 8

// slowAfter is how long a spectator may leave untouched what it was sent.
const slowAfter = 10 * time.Second

// Spectators lets peers without a seat watch the game over this one, at most
// limit at a time and no more than MaxSpectators; 0, as it is at first, lets
// nobody in and ends the watching of those who do. While somebody is let in the
// game is announced, so that others find it with Tables.
func (g *Game) Spectators(limit int) {
	if g.me < 0 {
		return
	}
	limit = min(max(limit, 0), MaxSpectators)
	g.limit.Store(int32(limit))
	g.mu.Lock()
	over := len(g.spectators) - limit
	for _, s := range g.spectators {
		if over--; over < 0 {
			break
		}
		for _, x := range s.conns {
			_ = x.conn.Close()
		}
	}
	g.mu.Unlock()
	g.node.announce()
}

// Watchers counts who watches over this peer now. PresenceChanged tells of a
// change.
func (g *Game) Watchers() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.spectators)
}

// Describe says in a few words what is played, for people who look for a game
// to watch; see lobby.Offer.Summary.
func (g *Game) Describe(summary map[string]string) error {
	if err := (lobby.Offer{Table: g.name, Seats: len(g.ids), Leavers: g.leavers, Summary: summary}).Check(); err != nil {
		return err
	}
	g.mu.Lock()
	g.summary = maps.Clone(summary)
	g.mu.Unlock()
	g.node.announce()
	return nil
}

// announced is what is said of a game that can be watched.
func (g *Game) announced() map[string]string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return infoOf(g.name, g.names[0], len(g.ids), len(g.ids), g.leavers, g.summary, shortName(g.table))
}

// shortName tells a game from others among those that are announced.
func shortName(table feed.Hash) string { return fmt.Sprintf("%x", table[:8]) }

// shown finds the game that somebody may watch, or says why there is none.
func (n *Node) shown(m *wire.Watch) (*Game, uint8) {
	if m.Version != wire.Version {
		return nil, wire.ByeVersion
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	g := n.games[m.Table]
	if m.Table == (feed.Hash{}) {
		g = n.onShow()
	}
	if g == nil || g.limit.Load() == 0 {
		return nil, wire.ByeNoTable
	}
	return g, 0
}

// handleWatch answers one who wants to watch.
func (n *Node) handleWatch(conn *link.Conn, stream *wire.Stream, m *wire.Watch) {
	g, reason := n.shown(m)
	if g == nil {
		turnAway(conn, stream, reason)
		return
	}
	g.show(conn, stream)
}

func turnAway(conn *link.Conn, stream *wire.Stream, reason uint8) {
	if stream.Send(&wire.Bye{Reason: reason}, helloWithin) == nil {
		conn.Finish(lobbyFinish)
	}
}

// show has a spectator follow the game until the connection ends.
func (g *Game) show(conn *link.Conn, stream *wire.Stream) {
	defer conn.Close()
	if !g.enter() {
		return
	}
	defer g.work.Done()
	id := conn.Remote()
	s := g.letIn(id)
	if s == nil {
		turnAway(conn, stream, wire.ByeFull)
		return
	}
	defer g.letGo(id, s)
	if stream.Send(&wire.Charter{Charter: g.charter}, helloWithin) != nil {
		return
	}
	m, err := stream.Receive(helloWithin)
	if err != nil {
		return
	}
	if where, ok := m.(*wire.Where); ok {
		g.newExchange(conn, stream, -1, s, 0).run(where.At, 0)
	}
}

// letIn takes a place for a spectator, or returns nil. Several connections of
// one identity share one place, since the older ones are about to end.
func (g *Game) letIn(id identity.ID) *seat {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.spectators[id]
	if s == nil {
		if len(g.spectators) >= int(g.limit.Load()) {
			return nil
		}
		s = &seat{repeats: g.public}
		g.spectators[id] = s
		ring(g.changed)
	}
	s.held++
	return s
}

func (g *Game) letGo(id identity.ID, s *seat) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s.held--; s.held == 0 {
		delete(g.spectators, id)
		ring(g.changed)
	}
}

// expects reports whether a message may come from the far end at all. Who has
// no seat sends nothing of the game, and little else.
func (x *exchange) expects(m wire.Message, now time.Time) bool {
	if x.seat < 0 && !x.thrift.spend(now) {
		return false
	}
	switch m.(type) {
	case *wire.Where:
		return true
	case *wire.Entry, *wire.Pong:
		return x.seat >= 0
	case *wire.Taken, *wire.Ping:
		return x.game.me >= 0
	}
	return false
}

// patience is how much longer a spectator may leave untouched what it was sent.
func (x *exchange) patience(now time.Time) time.Duration {
	if x.sent == x.acked {
		return pingEvery
	}
	return slowAfter - now.Sub(x.moved)
}

// Bounds of what a spectator may say: some messages at once, a few a second, and
// a few for each entry that it is sent.
const (
	thriftBurst  = 64
	thriftSecond = 8
	thriftEntry  = 3
	thriftMost   = thriftBurst + thriftEntry*wire.Window
)

// thrift counts the messages that a spectator may still say.
type thrift struct {
	left  int
	since time.Time
}

func newThrift(now time.Time) thrift { return thrift{left: thriftBurst, since: now} }

func (t *thrift) spend(now time.Time) bool {
	if seconds := int(now.Sub(t.since) / time.Second); seconds > 0 {
		t.left = min(t.left+min(seconds, thriftMost)*thriftSecond, thriftMost)
		t.since = now
	}
	if t.left == 0 {
		return false
	}
	t.left--
	return true
}

func (t *thrift) earn() { t.left = min(t.left+thriftEntry, thriftMost) }
