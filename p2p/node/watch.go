package node

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/p2p/link"
	"alibi/p2p/lobby"
	"alibi/p2p/wire"
)

// Errors of watching.
var (
	ErrNotShown = errors.New("node: no game there lets anybody watch")
	ErrCrowded  = errors.New("node: as many watch that game as may")
	ErrSeated   = errors.New("node: this identity has a seat in that game")
)

// watchSilence is how long a seat that is watched may say nothing, six of this
// peer's pings, before another is asked.
const watchSilence = 12 * time.Second

// Watching is a game that is followed without a seat in it, over a connection
// with one of the seats, whichever answers. Its methods are those of a Game
// that has nothing to say: Publish tells what has been taken in and does not
// have to come again; Repeat, RepeatAll and Forget do nothing.
type Watching struct{ *Game }

// Charter is the encoded charter of the game. Whose game it is, its words and
// the signatures of its entries say; nothing else does.
func (w *Watching) Charter() []byte { return w.charter }

// Watch follows a game that was found. It returns once a seat lets it in.
func (n *Node) Watch(ctx context.Context, t Table) (*Watching, error) {
	w, err := n.watchAt(ctx, t.Opener, unique(append(parseAddrs(t.Addrs, true), n.addresses(t.Opener)...)), t.Game)
	for _, p := range n.heard() {
		if err == nil || ctx.Err() != nil {
			break
		}
		other, ok := tableOf(p)
		if !ok || other.Game != t.Game || other.Game == "" || other.Opener == t.Opener {
			continue
		}
		if again, failed := n.watchAt(ctx, other.Opener, n.addresses(other.Opener), t.Game); failed == nil {
			return again, nil
		}
	}
	return w, err
}

// WatchAddr follows a game that is played at a typed address; see JoinAddr.
func (n *Node) WatchAddr(ctx context.Context, addr string) (*Watching, error) {
	if _, err := n.running(); err != nil {
		return nil, err
	}
	id, addrs, err := n.locate(ctx, addr)
	if err != nil {
		return nil, err
	}
	w, err := n.watchAt(ctx, id, addrs, "")
	if errors.Is(err, ErrUnreachable) && len(addrs) == 1 && n.answers(ctx, id, addrs[0]) {
		err = ErrNotShown // somebody is there, and hangs up
	}
	return w, err
}

// watchAt follows the game in which somebody has a seat. name, if not empty, is
// the short name of the game that is meant.
func (n *Node) watchAt(ctx context.Context, id identity.ID, addrs []netip.AddrPort, name string) (*Watching, error) {
	if _, err := n.running(); err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, dialWithin)
	defer cancel()
	conn, err := n.host.Dial(within, id, addrs, link.Game)
	if err != nil {
		if err = dialError(ctx, err); errors.Is(err, lobby.ErrNoTable) {
			err = ErrNotShown
		}
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	stream := wire.NewGameStream(conn)
	charter, err := askToWatch(stream, feed.Hash{})
	if !stop() {
		err = ctx.Err()
	}
	if err == nil {
		var w *Watching
		if w, err = n.follow(charter, name, conn, stream); err == nil {
			return w, nil
		}
	}
	_ = conn.Close()
	return nil, err
}

// askToWatch gets the charter of a game, of whichever is played there if table
// is zero.
func askToWatch(stream *wire.Stream, table feed.Hash) ([]byte, error) {
	if err := stream.Send(&wire.Watch{Version: wire.Version, Table: table}, helloWithin); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotShown, err)
	}
	m, err := stream.Receive(helloWithin)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotShown, err)
	}
	switch m := m.(type) {
	case *wire.Charter:
		return m.Charter, nil
	case *wire.Bye:
		switch m.Reason {
		case wire.ByeFull:
			return nil, ErrCrowded
		case wire.ByeVersion:
			return nil, lobby.ErrVersion
		}
		return nil, ErrNotShown
	}
	return nil, errPeer
}

// follow takes up a game over the connection that its charter has come from.
func (n *Node) follow(charter []byte, name string, conn *link.Conn, stream *wire.Stream) (*Watching, error) {
	c, err := feed.ParseCharter(charter)
	if err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	g := newGame(n, charter, c, -1)
	seat := g.seatOf(conn.Remote())
	switch {
	case g.seatOf(n.id) >= 0:
		return nil, ErrSeated
	case seat < 0:
		return nil, errPeer
	case name != "" && name != shortName(g.table):
		return nil, ErrNotShown // it was announced, and is another one by now
	}
	defer n.announce()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.run == nil || n.ended {
		return nil, ErrNotRunning
	}
	if same := n.watched[g.table]; same != nil {
		_ = conn.Close()
		return same, nil
	}
	w := &Watching{g}
	n.watched[g.table] = w
	n.known.prefer(conn.Remote(), conn.RemoteAddr())
	g.ctx, g.stop = context.WithCancel(n.run)
	g.work.Go(func() { g.attend(seat, conn, stream); g.roam(seat) })
	g.work.Go(g.tend)
	n.work.Go(g.end)
	return w, nil
}

// roam is the goroutine that finds another connection whenever one is lost: with
// the same seat, or the next that can be reached.
func (g *Game) roam(seat int) {
	for retry := firstRetry; g.ctx.Err() == nil; {
		if next := g.visitAny(seat); next >= 0 {
			seat, retry = next, firstRetry
			continue
		}
		timer := time.NewTimer(jitter(retry))
		select {
		case <-timer.C:
		case <-g.ctx.Done():
		}
		timer.Stop()
		retry = min(2*retry, lastRetry)
	}
}

// visitAny watches over the first seat, from one on, that lets it for a while.
// It returns -1 when none does.
func (g *Game) visitAny(first int) int {
	for i := range g.ids {
		seat := (first + i) % len(g.ids)
		if g.visit(seat) {
			return seat
		}
	}
	return -1
}

// visit watches over one seat until the connection ends, and reports whether
// that was one worth the name.
func (g *Game) visit(seat int) bool {
	addrs := g.node.addresses(g.ids[seat])
	if len(addrs) == 0 {
		return false
	}
	ctx, cancel := context.WithTimeout(g.ctx, dialWithin)
	defer cancel()
	conn, err := g.node.host.Dial(ctx, g.ids[seat], addrs, link.Game)
	if err != nil {
		return false
	}
	defer context.AfterFunc(g.ctx, func() { _ = conn.Close() })()
	defer conn.Close()
	stream := wire.NewGameStream(conn)
	charter, err := askToWatch(stream, g.table)
	if err != nil || feed.TableHash(charter) != g.table {
		return false
	}
	g.node.known.prefer(g.ids[seat], conn.RemoteAddr())
	began := time.Now()
	g.attend(seat, conn, stream)
	return time.Since(began) > shortLife
}

// attend watches over a connection on which a seat has agreed to that, until it
// ends.
func (g *Game) attend(seat int, conn *link.Conn, stream *wire.Stream) {
	defer g.node.count(conn)()
	defer conn.Close()
	g.mu.Lock()
	at, cuts := g.position(), g.book.Cuts()
	g.mu.Unlock()
	if stream.Send(&wire.Where{At: at}, helloWithin) == nil {
		g.newExchange(conn, stream, seat, g.seats[seat], cuts).run(wire.Position{}, 0)
	}
}
