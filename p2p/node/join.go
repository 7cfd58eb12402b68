package node

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"

	"alibi/crypto/identity"
	"alibi/p2p/link"
	"alibi/p2p/lobby"
	"alibi/p2p/wire"
)

// Join asks for a seat at a table that was found. It returns once seated.
func (n *Node) Join(ctx context.Context, t Table, me Me) (*Sitting, error) {
	addrs := append(parseAddrs(t.Addrs, true), n.addresses(t.Opener)...)
	return n.join(ctx, t.Opener, unique(addrs), me)
}

// JoinAddr asks for a seat at the table at a typed address: "host:port",
// "[v6]:port" or a multiaddr, with or without a peer ID. Without one, whoever
// answers is taken for the opener until the table's words are compared.
func (n *Node) JoinAddr(ctx context.Context, addr string, me Me) (*Sitting, error) {
	if _, err := n.running(); err != nil {
		return nil, err
	}
	id, addrs, err := n.locate(ctx, addr)
	if err != nil {
		return nil, err
	}
	s, err := n.join(ctx, id, addrs, me)
	if errors.Is(err, ErrUnreachable) && len(addrs) == 1 && n.answers(ctx, id, addrs[0]) {
		err = lobby.ErrNoTable // somebody is there, and hangs up
	}
	return s, err
}

// answers reports whether an identity is at an address, whether or not it lets
// anybody in.
func (n *Node) answers(ctx context.Context, id identity.ID, addr netip.AddrPort) bool {
	ctx, cancel := context.WithTimeout(ctx, typedTime)
	defer cancel()
	who, err := n.host.Identify(ctx, addr)
	return err == nil && who == id
}

func unique(addrs []netip.AddrPort) (out []netip.AddrPort) {
	seen := map[netip.AddrPort]bool{}
	for _, a := range addrs {
		if !seen[a] {
			seen[a] = true
			out = append(out, a)
		}
	}
	return out
}

// joining is a connection to somebody else's table.
type joining struct {
	node    *Node
	conn    *lobbyConn
	sitting *Sitting

	mu   sync.Mutex // guards core
	core *lobby.Joiner
}

func (n *Node) join(ctx context.Context, opener identity.ID, addrs []netip.AddrPort, me Me) (*Sitting, error) {
	if _, err := n.running(); err != nil {
		return nil, err
	}
	conn, err := n.host.Dial(ctx, opener, addrs, link.Lobby)
	if err != nil {
		return nil, dialError(ctx, err)
	}
	n.known.prefer(opener, conn.RemoteAddr())
	j := &joining{node: n, conn: newLobbyConn(conn)}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	if err := j.takeSeat(opener, me); err != nil {
		stop()
		_ = conn.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	j.sitting = newSitting(j, j.core.View())
	if !stop() {
		_ = conn.Close()
		return nil, ctx.Err()
	}
	if err := n.start(j.attend); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return j.sitting, nil
}

// dialError keeps the caller's own reason, and says in words what a list of
// refusals comes to.
func dialError(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, link.ErrNotRunning):
		return ErrNotRunning
	case errors.Is(err, link.ErrProtocol), errors.Is(err, link.ErrSelf):
		return err
	case errors.Is(err, link.ErrRefused):
		return lobby.ErrNoTable // a peer that has no table open lets nobody in
	}
	return &unreachable{cause: err}
}

// unreachable says ErrUnreachable and keeps what every address answered for
// those who ask.
type unreachable struct{ cause error }

func (e *unreachable) Error() string   { return ErrUnreachable.Error() }
func (e *unreachable) Unwrap() []error { return []error{ErrUnreachable, e.cause} }

// takeSeat speaks with the opener until the own seat is shown.
func (j *joining) takeSeat(opener identity.ID, me Me) error {
	stream := j.conn.stream
	m, err := stream.Receive(lobbyFirst)
	if err != nil {
		return errors.Join(lobby.ErrLost, err)
	}
	offer, err := lobby.ParseOffer(m)
	if err != nil {
		return err
	}
	commitment, err := me.Commit(offer)
	if err != nil {
		return err
	}
	j.core, err = lobby.NewJoiner(offer, opener, j.node.id, me.Name, commitment, j.node.Addrs())
	if err != nil {
		return err
	}
	if err := stream.Send(j.core.Ask(), lobbySend); err != nil {
		return errors.Join(lobby.ErrLost, err)
	}
	for j.core.View().Me < 0 {
		m, err := stream.Receive(lobbySilence)
		if err != nil {
			return errors.Join(lobby.ErrLost, err)
		}
		for _, answer := range j.core.Receive(m) {
			if err := stream.Send(answer, lobbySend); err != nil {
				return errors.Join(lobby.ErrLost, err)
			}
		}
		if err := j.core.View().Err; err != nil {
			return err
		}
	}
	return nil
}

// attend follows the table until the sitting ends or the node does.
func (j *joining) attend(ctx context.Context) {
	c := j.conn
	stop := context.AfterFunc(ctx, j.leave)
	defer stop()
	defer j.node.count(c.conn)()
	c.work.Go(c.write)
	defer c.finish()
	for {
		m, err := c.stream.Receive(lobbySilence)
		if err != nil {
			j.lost(ctx)
			return
		}
		if j.do(func() []wire.Message { return j.core.Receive(m) }) {
			return
		}
	}
}

// lost ends the sitting, unless the connection was lost between agreeing to the
// charter and hearing that all did. Then the opener is asked once more: the
// others may be playing already.
func (j *joining) lost(ctx context.Context) {
	j.mu.Lock()
	v := j.core.View()
	j.mu.Unlock()
	for try := 0; v.Phase == lobby.Closing && try < lastTries && ctx.Err() == nil; try++ {
		if begin := j.askAgain(ctx, v.Opener); begin != nil {
			j.do(func() []wire.Message { return j.core.Receive(begin) })
			return
		}
		timer := time.NewTimer(jitter(time.Second))
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
	j.do(func() []wire.Message { j.core.Disconnected(); return nil })
}

// lastTries is how often a lost opener is asked.
const lastTries = 5

// askAgain returns the opener's last word, or nil.
func (j *joining) askAgain(ctx context.Context, opener identity.ID) wire.Message {
	ctx, cancel := context.WithTimeout(ctx, lobbyFirst)
	defer cancel()
	conn, err := j.node.host.Dial(ctx, opener, j.node.addresses(opener), link.Lobby)
	if err != nil {
		return nil
	}
	defer conn.Close()
	m, err := wire.NewLobbyStream(conn).Receive(lobbySend)
	if err != nil {
		return nil
	}
	switch m.(type) {
	case *wire.Begin, *wire.Bye:
		return m
	}
	return nil // the table is open again, without this seat
}

func (j *joining) ready(yes bool) {
	j.do(func() []wire.Message { return j.core.SetReady(yes) })
}

func (j *joining) leave() { j.do(j.core.Leave) }

func (j *joining) remove(identity.ID) {}

// do runs one step, sends what comes of it and shows the result. It reports
// whether the sitting has ended.
func (j *joining) do(step func() []wire.Message) (over bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	before := j.core.View().Phase
	out := step()
	v := j.core.View()
	charter, me, _ := j.core.Charter()
	over = v.Phase >= lobby.Begun
	for i, m := range out {
		j.conn.put(m, over && i == len(out)-1)
	}
	if before < lobby.Begun {
		if v.Phase == lobby.Begun {
			j.node.remember(v, j.conn.conn.RemoteAddr().Addr().Unmap())
		}
		j.sitting.show(v, charter, me) // in the order in which it happened
	}
	return over
}
