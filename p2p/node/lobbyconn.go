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
	out    chan outgoing
	done   chan struct{} // closed when the reader has ended
	work   sync.WaitGroup
}

type outgoing struct {
	message wire.Message
	last    bool
}

func newLobbyConn(c *link.Conn) *lobbyConn {
	return &lobbyConn{conn: c, stream: wire.NewLobbyStream(c), out: make(chan outgoing, lobbyQueue), done: make(chan struct{})}
}

// put queues a message. A peer that does not read is cut off.
func (c *lobbyConn) put(m wire.Message, last bool) {
	select {
	case c.out <- outgoing{m, last}:
	default:
		_ = c.conn.Close()
	}
}

// write is the goroutine that sends.
func (c *lobbyConn) write() {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for n := uint32(0); ; n++ {
		next := outgoing{message: &wire.Ping{N: n}}
		select {
		case next = <-c.out:
		default:
			select {
			case next = <-c.out:
			case <-tick.C:
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
		for _, a := range addrs {
			if a != best {
				out = append(out, a)
			}
		}
		addrs = out
	}
	var text []string
	for _, a := range addrs[:min(len(addrs), wire.MaxAddrs)] {
		text = append(text, a.String())
	}
	return text
}

// remember keeps the addresses of everybody at a table, so that the game can
// dial them. Loopback ones count only if the table is on this computer.
func (n *Node) remember(v lobby.View, loopback bool) {
	for _, s := range v.Seats {
		if s.Taken() && s.ID != n.id {
			n.known.add(s.ID, parseAddrs(s.Addrs, loopback)...)
		}
	}
}
