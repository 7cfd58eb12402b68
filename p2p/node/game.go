package node

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/p2p/replica"
	"alibi/p2p/wire"
)

// Bounds of a game's exchange.
const (
	maxConns     = 4 // connections with one seat; all but one are about to close
	flushLimit   = 10 * time.Second
	flushWatched = time.Second
)

// ErrUndelivered means that a connected seat had not taken in everything when
// the time for it was over.
var ErrUndelivered = errors.New("node: not everything could be delivered")

// Game is the exchange of entries between the seats of one table.
type Game struct {
	node     *Node
	charter  []byte
	name     string // of the table
	names    []string
	table    feed.Hash
	ids      []identity.ID
	leavers  int
	me       int          // -1 for one who only watches
	limit    atomic.Int32 // spectators that are let in at a time
	began    time.Time
	arrivals chan Arrival
	changed  chan struct{} // presence
	stop     context.CancelFunc
	ctx      context.Context // ends with the game; a goroutine of the game needs no other
	work     sync.WaitGroup  // grows only while not closed
	done     chan struct{}   // closed when everything has ended

	mu         sync.Mutex // guards all below
	closed     bool
	flushing   bool
	over       bool
	book       *replica.Book
	seats      []*seat
	spectators map[identity.ID]*seat
	public     *replica.Repeats // what spectators are shown besides
	summary    map[string]string
	early      []Arrival
	evicted    uint16        // senders of early arrivals that there was no room for
	repeated   int           // calls that had something repeated
	ripened    [2]int        // entries added to the book, and repeated, when early arrivals last came again
	recheck    chan struct{} // early and presence are to be looked at
	news       chan struct{} // closed and replaced when something was taken in
	presence   []Presence
	due        time.Time // when presence has to be looked at again; zero is never
}

// seat is the far end of one seat, or a spectator.
type seat struct {
	conns   []*exchange // the last one is in use
	heard   time.Time
	links   uint16
	repeats *replica.Repeats
	bell    chan struct{}      // wakes the goroutine that keeps the seat connected
	dialled context.CancelFunc // ends the dial under way, if there is one
	held    int                // goroutines that hold a spectator's place
	left    time.Time          // when its last connection ended
	over    bool               // it has said that its game is over
	told    bool               // and has heard the same of this one
}

// current is the connection in use, or nil.
func (s *seat) current() *exchange {
	if len(s.conns) == 0 {
		return nil
	}
	return s.conns[len(s.conns)-1]
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
	g := newGame(n, charter, c, me)

	defer n.notePlaces()
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

func newGame(n *Node, charter []byte, c feed.Charter, me int) *Game {
	g := &Game{
		node: n, charter: bytes.Clone(charter), name: c.Name, table: feed.TableHash(charter), ids: c.IDs(), leavers: int(c.Leavers),
		me: me, began: time.Now(),
		arrivals: make(chan Arrival), changed: make(chan struct{}, 1), done: make(chan struct{}),
		book: replica.NewBook(), spectators: map[identity.ID]*seat{}, public: new(replica.Repeats),
		recheck: make(chan struct{}, 1), news: make(chan struct{}),
	}
	for _, s := range c.Seats {
		g.names = append(g.names, s.Name)
		g.seats = append(g.seats, &seat{repeats: new(replica.Repeats), bell: make(chan struct{}, 1)})
	}
	g.presence, _ = judge(g.sightings(), me, g.began, g.began)
	for i := range g.presence {
		g.presence[i].Since = g.began
	}
	return g
}

// end waits for the game's end and for its goroutines.
func (g *Game) end() {
	<-g.ctx.Done()
	g.mu.Lock()
	g.closed = true
	for x := range g.exchanges() {
		_ = x.conn.Close()
	}
	g.mu.Unlock()
	g.work.Wait()
	close(g.arrivals)
	g.node.mu.Lock()
	if g.node.games[g.table] == g {
		delete(g.node.games, g.table)
	}
	if w := g.node.watched[g.table]; w != nil && w.Game == g {
		delete(g.node.watched, g.table)
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
// to every seat that lacks them. It never blocks on the network. The ballots
// that closed a round are handed over in one call; whatever was published for
// that round or after it is taken back by them.
func (g *Game) Publish(entries ...*feed.Signed) {
	g.mu.Lock()
	defer g.mu.Unlock()
	added, cuts := false, g.book.Cuts()
	for _, e := range entries {
		added = g.book.Add(e) || added
	}
	if !added {
		return
	}
	if g.book.Cuts() != cuts {
		// By its old position, others may take this peer to be further than it is.
		for x := range g.exchanges() {
			x.askAgain()
		}
	}
	g.tellAll()
	ring(g.recheck)
}

// exchanges goes through all connections.
func (g *Game) exchanges() iter.Seq[*exchange] {
	return func(yield func(*exchange) bool) {
		for _, s := range slices.AppendSeq(slices.Clone(g.seats), maps.Values(g.spectators)) {
			for _, x := range s.conns {
				if !yield(x) {
					return
				}
			}
		}
	}
}

// tellAll has every peer told where this one stands now.
func (g *Game) tellAll() {
	for x := range g.exchanges() {
		x.where = true
		ring(x.wake)
	}
}

// Resync asks a seat to send again what is not published here yet.
func (g *Game) Resync(seat int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.resync(seat)
}

func (g *Game) resync(seat int) {
	if x := g.current(seat); x != nil {
		x.askAgain()
	}
}

// askAgain has a seat asked for everything that is lacking here.
func (x *exchange) askAgain() {
	if x.seat < 0 {
		return
	}
	x.plan.Again()
	x.where, x.again = true, true
	ring(x.wake)
}

// current is the connection in use with a seat, or nil.
func (g *Game) current(seat int) *exchange {
	if seat < 0 || seat >= len(g.seats) {
		return nil
	}
	return g.seats[seat].current()
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
// ends. Spectators are given a second more. It is for the end of a game: from
// then on arrivals are taken in without being delivered, since their reader is
// about to leave.
func (g *Game) Flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, flushLimit)
	defer cancel()
	g.mu.Lock()
	g.flushing = true
	g.mu.Unlock()
	g.announceNews()
	if err := g.await(ctx, func(x *exchange) bool { return x.seat < 0 || x.delivered() }); err != nil {
		return err
	}
	brief, done := context.WithTimeout(ctx, flushWatched)
	defer done()
	_ = g.await(brief, (*exchange).delivered) // whoever is too slow sees the end elsewhere, or not
	return nil
}

// await waits until what is said of every connection in use is so.
func (g *Game) await(ctx context.Context, so func(*exchange) bool) error {
	for {
		g.mu.Lock()
		all, news := true, g.news
		for x := range g.exchanges() {
			all = all && (x != x.far.current() || so(x))
		}
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

// delivered reports whether the far end lacks nothing, and has been told that
// this one has what it sent, and that the game is over here.
func (x *exchange) delivered() bool {
	told := x.far.told || !x.game.over || x.seat < 0
	return x.far.settled() || told && x.plan.Idle() && x.sent == x.acked && x.told == x.took && !x.saying
}

// announceNews wakes whoever waits for something to have been taken in.
func (g *Game) announceNews() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wakeAll()
}

func (g *Game) wakeAll() {
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
	return wire.Position{Epoch: p.Epoch, Round: p.Round, Heard: p.Heard}
}

// links are the seats this peer is connected to itself. For one without a seat
// that is nobody else's business.
func (g *Game) links(now time.Time) (mask uint16) {
	if g.me < 0 {
		return 0
	}
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
