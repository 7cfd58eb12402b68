package node

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/p2p/replica"
	"alibi/p2p/wire"
)

// Bounds of a game's exchange.
const (
	maxEarly   = 64 // arrivals given back as Early
	earlyWait  = 300 * time.Millisecond
	maxConns   = 4 // connections with one seat; all but one are about to close
	flushLimit = 10 * time.Second
)

// ErrUndelivered means that a connected seat had not taken in everything when
// the time for it was over.
var ErrUndelivered = errors.New("node: not everything could be delivered")

// Game is the exchange of entries between the seats of one table.
type Game struct {
	node     *Node
	table    feed.Hash
	ids      []identity.ID
	me       int
	began    time.Time
	arrivals chan Arrival
	changed  chan struct{} // presence
	stop     context.CancelFunc
	ctx      context.Context // ends with the game; a goroutine of the game needs no other
	work     sync.WaitGroup  // grows only while not closed
	done     chan struct{}   // closed when everything has ended

	mu       sync.Mutex // guards all below
	closed   bool
	flushing bool
	book     *replica.Book
	seats    []*seat
	early    []Arrival
	ripened  int           // entries in the book when early arrivals last came again
	recheck  chan struct{} // early and presence are to be looked at
	news     chan struct{} // closed and replaced when something was taken in
	presence []Presence
}

// seat is the far end of one seat.
type seat struct {
	conns   []*exchange // the last one is in use
	heard   time.Time
	links   uint16
	repeats []*feed.Signed
	bell    chan struct{}      // wakes the goroutine that keeps the seat connected
	dialled context.CancelFunc // ends the dial under way, if there is one
}

// Play takes up a game: it connects to all other seats and keeps connecting
// until the game is closed. charter is the encoded charter, me the own seat.
// To take up a game that was under way, Publish its kept log first thing.
// Calling Play again for a table under way returns the same Game.
func (n *Node) Play(charter []byte, me int) (*Game, error) {
	c, err := feed.ParseCharter(charter)
	if err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	if me < 0 || me >= len(c.Seats) || c.Seats[me].ID != n.id {
		return nil, ErrNotSeated
	}
	g := &Game{
		node: n, table: feed.TableHash(charter), ids: c.IDs(), me: me, began: time.Now(),
		arrivals: make(chan Arrival), changed: make(chan struct{}, 1), done: make(chan struct{}),
		book: replica.NewBook(), recheck: make(chan struct{}, 1), news: make(chan struct{}),
	}
	for range g.ids {
		g.seats = append(g.seats, &seat{bell: make(chan struct{}, 1)})
	}
	g.presence, _ = judge(g.sightings(), me, g.began, g.began)
	for i := range g.presence {
		g.presence[i].Since = g.began
	}

	defer n.announce()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.run == nil || n.ended {
		return nil, ErrNotRunning
	}
	if same := n.games[g.table]; same != nil {
		return same, nil
	}
	n.games[g.table] = g
	g.ctx, g.stop = context.WithCancel(n.run)
	for i := range g.ids {
		if i != me {
			g.work.Go(func() { g.keep(i) })
		}
	}
	g.work.Go(g.tend)
	n.work.Go(g.end)
	return g, nil
}

// end waits for the game's end and for its goroutines.
func (g *Game) end() {
	<-g.ctx.Done()
	g.mu.Lock()
	g.closed = true
	for _, s := range g.seats {
		for _, x := range s.conns {
			_ = x.conn.Close()
		}
	}
	g.mu.Unlock()
	g.work.Wait()
	close(g.arrivals)
	g.node.mu.Lock()
	if g.node.games[g.table] == g {
		delete(g.node.games, g.table)
	}
	g.node.mu.Unlock()
	g.node.announce()
	close(g.done)
}

// Close ends the exchange and waits for its goroutines. Flush first if the
// last words matter.
func (g *Game) Close() {
	g.stop()
	<-g.done
}

// Table is the table's name, feed.TableHash of its charter.
func (g *Game) Table() feed.Hash { return g.table }

// Arrivals receives entries that came from other seats and have not been
// published here. It is closed when the game is. A peer is slowed down when
// nobody reads.
func (g *Game) Arrivals() <-chan Arrival { return g.arrivals }

// seatOf finds an identity's seat, or -1.
func (g *Game) seatOf(id identity.ID) int { return slices.Index(g.ids, id) }

// Publish hands over entries that the caller has accepted into its log, own and
// other seats' alike, in log order; its own it has made durable first. They go
// to every seat that lacks them. It never blocks on the network.
func (g *Game) Publish(entries ...*feed.Signed) {
	g.mu.Lock()
	defer g.mu.Unlock()
	added := false
	for _, e := range entries {
		added = g.book.Add(e) || added
	}
	if added {
		g.tellAll()
		ring(g.recheck)
	}
}

// tellAll has every peer told where this one stands now.
func (g *Game) tellAll() {
	for _, s := range g.seats {
		for _, x := range s.conns {
			x.where = true
			ring(x.wake)
		}
	}
}

// Early gives back an arrival that feed.Log called Early. It comes again
// after the next Publish that may let it in, and its sender is asked again
// when that takes long.
func (g *Game) Early(a Arrival) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, held := range g.early {
		if bytes.Equal(held.Entry.Raw(), a.Entry.Raw()) {
			return
		}
	}
	if len(g.early) == maxEarly {
		g.early = slices.Delete(g.early, 0, 1) // its sender has it still
	}
	g.early = append(g.early, a)
	ring(g.recheck)
}

// Resync asks a seat to send again what is not published here yet.
func (g *Game) Resync(seat int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.resync(seat)
}

func (g *Game) resync(seat int) {
	if x := g.current(seat); x != nil {
		x.where, x.again = true, true
		ring(x.wake)
	}
}

// current is the connection in use with a seat, or nil.
func (g *Game) current(seat int) *exchange {
	if seat < 0 || seat >= len(g.seats) || len(g.seats[seat].conns) == 0 {
		return nil
	}
	conns := g.seats[seat].conns
	return conns[len(conns)-1]
}

// Repeat sends entries to one seat whether or not it is known to hold entries
// for these places already. It is how two peers that hold different histories
// show each other what they hold, so that whoever signed both stands convicted
// on both sides (cmd/internal/session). Receivers pass such entries on to
// Arrivals even where they hold another one for the same round and seat. They
// are sent again on a new connection; at most replica.MaxRepeats are kept for
// a seat.
func (g *Game) Repeat(seat int, entries ...*feed.Signed) {
	if seat < 0 || seat >= len(g.seats) || seat == g.me {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.seats[seat]
	for _, e := range entries {
		known := slices.ContainsFunc(s.repeats, func(r *feed.Signed) bool { return bytes.Equal(r.Raw(), e.Raw()) })
		if known || len(s.repeats) == replica.MaxRepeats {
			continue
		}
		s.repeats = append(s.repeats, e)
		for _, x := range s.conns {
			x.plan.Repeat(e)
			ring(x.wake)
		}
	}
}

// Presence lists what is known of every seat, by seat. The own is Connected.
func (g *Game) Presence() []Presence {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.presence)
}

// PresenceChanged receives a value after Presence changed; values are merged
// while nobody reads.
func (g *Game) PresenceChanged() <-chan struct{} { return g.changed }

// Flush waits until every connected seat has taken in everything that was
// published; it gives up with ErrUndelivered after ten seconds, or when ctx
// ends. It is for the end of a game: from then on arrivals are taken in
// without being delivered, since their reader is about to leave.
func (g *Game) Flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, flushLimit)
	defer cancel()
	g.mu.Lock()
	g.flushing = true
	g.mu.Unlock()
	g.announceNews()
	for {
		g.mu.Lock()
		all, news := g.delivered(), g.news
		g.mu.Unlock()
		if all {
			return nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ErrUndelivered, ctx.Err())
		case <-g.done:
			return fmt.Errorf("%w: the game is closed", ErrUndelivered)
		}
	}
}

// delivered reports whether no connected seat lacks anything.
func (g *Game) delivered() bool {
	for i := range g.seats {
		if x := g.current(i); x != nil && (!x.plan.Idle() || x.sent != x.acked) {
			return false
		}
	}
	return true
}

// announceNews wakes whoever waits for something to have been taken in.
func (g *Game) announceNews() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.news)
	g.news = make(chan struct{})
}

// ring has the seat of an identity dialled anew if it is not connected.
func (g *Game) ring(id identity.ID) {
	if i := g.seatOf(id); i >= 0 {
		ring(g.seats[i].bell)
	}
}

func (g *Game) ringAll() {
	for _, s := range g.seats {
		ring(s.bell)
	}
}

// position is where this peer stands, as it is said to others.
func (g *Game) position() wire.Position {
	p := g.book.Position()
	return wire.Position{Round: p.Round, Heard: p.Heard}
}

// links are the seats this peer is connected to itself.
func (g *Game) links(now time.Time) (mask uint16) {
	for i, s := range g.sightings() {
		if i != g.me && s.fresh(now) {
			mask |= 1 << i
		}
	}
	return mask
}

func (g *Game) sightings() []sighting {
	out := make([]sighting, len(g.seats))
	for i, s := range g.seats {
		out[i] = sighting{heard: s.heard, links: s.links, live: len(s.conns) > 0}
	}
	return out
}
