package node

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"alibi/crypto/identity"
	"alibi/p2p/link"
	"alibi/p2p/lobby"
	"alibi/p2p/wire"
)

// opening is the own open table.
type opening struct {
	node    *Node
	sitting *Sitting
	work    sync.WaitGroup // inbound lobby connections; grows only while not over

	mu    sync.Mutex // guards all below
	core  *lobby.Opener
	conns map[identity.ID]*lobbyConn
	over  bool
}

func (n *Node) openTable(ctx context.Context, offer lobby.Offer, me Me) (*Sitting, error) {
	if _, err := n.running(); err != nil {
		return nil, err
	}
	if err := offer.Check(); err != nil {
		return nil, err
	}
	commitment, err := me.Commit(offer)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	core, err := lobby.NewOpener(offer, n.id, me.Name, commitment, n.Addrs())
	if err != nil {
		return nil, err
	}
	o := &opening{node: n, core: core, conns: map[identity.ID]*lobbyConn{}}
	o.sitting = newSitting(o, core.View())
	n.mu.Lock()
	if n.open != nil {
		n.mu.Unlock()
		return nil, ErrBusy
	}
	n.open = o
	n.mu.Unlock()
	if err := n.start(o.attend); err != nil {
		n.forget(o)
		return nil, err
	}
	n.announce()
	return o.sitting, nil
}

// forget closes the table to newcomers.
func (n *Node) forget(o *opening) {
	n.mu.Lock()
	if n.open == o {
		n.open = nil
		if _, _, ok := o.sitting.Charter(); ok {
			n.begun = o
		}
	}
	n.mu.Unlock()
	n.announce()
}

// begunWith reports whether somebody is a guest in the final charter.
func (o *opening) begunWith(id identity.ID) bool {
	v := o.sitting.View()
	for i, s := range v.Seats {
		if i != v.Me && v.Phase == lobby.Begun && s.ID == id {
			return true
		}
	}
	return false
}

// attend closes the table when the node ends, and waits for its connections.
func (o *opening) attend(ctx context.Context) {
	select {
	case <-ctx.Done():
		o.leave()
	case <-o.sitting.over:
	}
	o.work.Wait()
}

func (o *opening) view() lobby.View {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.core.View()
}

func (o *opening) ready(yes bool)        { o.do(func() []lobby.Send { return o.core.SetReady(yes) }) }
func (o *opening) remove(id identity.ID) { o.do(func() []lobby.Send { return o.core.Remove(id) }) }
func (o *opening) leave()                { o.do(func() []lobby.Send { return o.core.Close() }) }

// do runs one step of the table, sends what comes of it and shows the result.
func (o *opening) do(step func() []lobby.Send) {
	o.mu.Lock()
	if o.over {
		o.mu.Unlock()
		return
	}
	for _, s := range step() {
		c := o.conns[s.To]
		if c == nil {
			continue
		}
		if s.Close {
			delete(o.conns, s.To)
		}
		c.put(s.Message, s.Close)
	}
	v := o.core.View()
	charter, me, _ := o.core.Charter()
	o.over = v.Phase >= lobby.Begun
	over := o.over
	if v.Phase == lobby.Begun {
		o.node.remember(v, netip.Addr{})
	}
	o.sitting.show(v, charter, me) // in the order in which it happened
	o.mu.Unlock()
	if over {
		o.node.forget(o)
	} else {
		o.node.announce()
	}
}

// handleLobby owns an inbound lobby connection.
func (n *Node) handleLobby(_ context.Context, c *link.Conn) {
	n.mu.Lock()
	o, begun := n.open, n.begun
	n.mu.Unlock()
	if o == nil || !o.enter() {
		var answer wire.Message = &wire.Bye{Reason: wire.ByeNoTable}
		if begun != nil && begun.begunWith(c.Remote()) {
			answer = begun.lastWord(c.Remote())
		}
		if wire.NewLobbyStream(c).Send(answer, lobbySend) == nil {
			c.Finish(lobbyFinish)
		}
		return
	}
	defer o.work.Done()
	o.serve(c)
}

// lastWord is what a guest who lost its connection at the end missed.
func (o *opening) lastWord(id identity.ID) wire.Message {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.core.Connected(id, time.Now())[0].Message
}

// enter counts a connection in, unless the table is over.
func (o *opening) enter() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.over {
		return false
	}
	o.work.Add(1)
	return true
}

func (o *opening) serve(conn *link.Conn) {
	id := conn.Remote()
	c := newLobbyConn(conn)
	c.work.Go(c.write)
	defer c.finish()
	o.do(func() (out []lobby.Send) {
		if old := o.conns[id]; old != nil {
			_ = old.conn.Close()
			out = o.core.Disconnected(id)
		}
		o.conns[id] = c
		return append(out, o.core.Connected(id, time.Now())...)
	})
	since := time.Now()
	for {
		m, err := c.stream.Receive(lobbySilence)
		if err != nil || time.Since(since) > seatWithin && !o.seats(id) {
			break
		}
		if sit, ok := m.(*wire.Sit); ok {
			sit.Addrs = where(conn, sit.Addrs)
		}
		o.do(func() []lobby.Send {
			if o.conns[id] != c {
				return nil
			}
			return o.core.Receive(id, m, time.Now())
		})
	}
	o.do(func() []lobby.Send {
		if o.conns[id] != c {
			return nil
		}
		delete(o.conns, id)
		return o.core.Disconnected(id)
	})
}

// seats reports whether somebody has a seat.
func (o *opening) seats(id identity.ID) bool {
	for _, s := range o.view().Seats {
		if s.Taken() && s.ID == id {
			return true
		}
	}
	return false
}
