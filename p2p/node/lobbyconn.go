package node

import (
	"net/netip"
	"sync"
	"time"

	"alibi/p2p/link"
	"alibi/p2p/lobby"
	"alibi/p2p/wire"
)

// Times of a lobby connection.
const (
	lobbySend    = 5 * time.Second
	lobbySilence = 12 * time.Second // six pings
	lobbyFirst   = 10 * time.Second // for the first message of a connection
	lobbyFinish  = time.Second
	seatWithin   = time.Minute // to sit down after connecting
	lobbyQueue   = 64
)

// lobbyConn sends what is queued, and a ping now and then.
type lobbyConn struct {
	conn   *link.Conn
	stream *wire.Stream
	queued chan struct{} // wakes the writer
	done   chan struct{} // closed when the reader has ended
	work   sync.WaitGroup

	mu  sync.Mutex // guards out
	out []outgoing
}

type outgoing struct {
	message wire.Message
	last    bool
}

func newLobbyConn(c *link.Conn) *lobbyConn {
	return &lobbyConn{conn: c, stream: wire.NewLobbyStream(c), queued: make(chan struct{}, 1), done: make(chan struct{})}
}

// put queues a message. A peer that does not read is cut off. Of seats that
// were shown one after the other only the last are: others change as often as
// anybody at the table likes, and must not fill this one's queue.
func (c *lobbyConn) put(m wire.Message, last bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.out); n > 0 && !c.out[n-1].last {
		_, was := c.out[n-1].message.(*wire.Seats)
		if _, is := m.(*wire.Seats); was && is {
			c.out[n-1] = outgoing{m, last}
			return
		}
	}
	if len(c.out) == lobbyQueue {
		_ = c.conn.Close()
		return
	}
	c.out = append(c.out, outgoing{m, last})
	ring(c.queued)
}

// take is the next message to send, if there is one.
func (c *lobbyConn) take() (next outgoing, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.out) == 0 {
		return outgoing{}, false
	}
	next = c.out[0]
	c.out = c.out[1:]
	return next, true
}

// write is the goroutine that sends.
func (c *lobbyConn) write() {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for n := uint32(0); ; {
		next, ok := c.take()
		if !ok {
			select {
			case <-c.queued:
				continue
			case <-tick.C:
				next.message = &wire.Ping{N: n}
				n++
			case <-c.done:
				return
			}
		}
		if c.stream.Send(next.message, lobbySend) != nil {
			_ = c.conn.Close()
			return
		}
		if next.last {
			c.part()
			return
		}
	}
}

// part lets the far end read the last word before the connection is cut.
func (c *lobbyConn) part() {
	defer c.conn.Close()
	if c.conn.CloseWrite() != nil {
		return
	}
	timer := time.NewTimer(lobbyFinish)
	defer timer.Stop()
	select {
	case <-c.done: // the reader saw it leave
	case <-timer.C:
	}
}

// finish waits until the writer has ended.
func (c *lobbyConn) finish() {
	close(c.done)
	c.work.Wait()
	_ = c.conn.Close()
}

// where adds to the addresses that somebody gives the one that was really
// seen, with the port that was given.
func where(c *link.Conn, given []string) []string {
	seen := c.RemoteAddr().Addr().Unmap()
	addrs := parseAddrs(given, seen.IsLoopback())
	if len(addrs) > 0 && seen.IsValid() && seen.Zone() == "" && !(seen.Is6() && seen.IsLinkLocalUnicast()) {
		best := netip.AddrPortFrom(seen, addrs[0].Port())
		out := []netip.AddrPort{best}
		for _, a := range credible(addrs, seen) {
			if a != best {
				out = append(out, a)
			}
		}
		addrs = out
	} else {
		addrs = credible(addrs, seen)
	}
	var text []string
	for _, a := range addrs[:min(len(addrs), wire.MaxAddrs)] {
		text = append(text, a.String())
	}
	return text
}

// remember keeps the addresses of everybody at a table, so that the game can
// dial them. from is who says so, invalid for the opener, who has looked at
// them already.
func (n *Node) remember(v lobby.View, from netip.Addr) {
	for _, s := range v.Seats {
		if !s.Taken() || s.ID == n.id {
			continue
		}
		addrs := parseAddrs(s.Addrs, !from.IsValid() || from.IsLoopback())
		if from.IsValid() {
			addrs = credible(addrs, from)
		}
		n.known.add(s.ID, addrs...)
	}
}
