package link

import (
	"context"
	"net"
	"net/netip"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/transport"
	"github.com/libp2p/go-libp2p/p2p/transport/quicreuse"
	manet "github.com/multiformats/go-multiaddr/net"
	"github.com/quic-go/quic-go"
)

// scope is a connection's account with the resource manager. It tells the door
// whose the connection is, and when it is over.
type scope struct {
	network.ConnManagementScope
	visit *visit
}

// SetPeer implements network.ConnManagementScope.
func (s *scope) SetPeer(p peer.ID) error {
	id, err := fromPeer(p)
	if err != nil {
		return err
	}
	if err := s.visit.prove(id); err != nil {
		return err
	}
	return s.ConnManagementScope.SetPeer(p)
}

// Done implements network.ConnManagementScope.
func (s *scope) Done() {
	s.visit.leave()
	s.ConnManagementScope.Done()
}

// entranceUpgrader puts the door before the listeners that an upgrader serves.
type entranceUpgrader struct {
	transport.Upgrader
	door   *door
	limits network.ResourceManager
}

// GateMaListener implements transport.Upgrader.
func (u entranceUpgrader) GateMaListener(l manet.Listener) transport.GatedMaListener {
	return &entrance{l, u.door, u.limits}
}

// entrance is a TCP listener behind the door.
type entrance struct {
	manet.Listener
	door   *door
	limits network.ResourceManager
}

// Accept implements transport.GatedMaListener. Who does not come in is taken
// off the system's queue and cut, so that the next in the queue has its turn.
func (e *entrance) Accept() (manet.Conn, network.ConnManagementScope, error) {
	for {
		conn, err := e.Listener.Accept()
		if err != nil {
			return nil, nil, err
		}
		v, err := e.door.enter(addressOf(conn.RemoteAddr()), false, func() { cut(conn) }, time.Now())
		if err != nil {
			cut(conn)
			continue
		}
		under, err := e.limits.OpenConnection(network.DirInbound, true, conn.RemoteMultiaddr())
		if err != nil {
			v.leave()
			cut(conn)
			continue
		}
		return conn, &scope{under, v}, nil
	}
}

// cut closes without a farewell, which would leave the system to remember the
// connection for a minute.
func cut(conn net.Conn) {
	if c, ok := conn.(interface{ SetLinger(int) error }); ok {
		_ = c.SetLinger(0)
	}
	_ = conn.Close()
}

// quicContext is asked by QUIC before it does anything for a new connection.
func (d *door) quicContext(limits network.ResourceManager) func(context.Context, *quic.ClientInfo) (context.Context, error) {
	return func(ctx context.Context, info *quic.ClientInfo) (context.Context, error) {
		endpoint, err := quicreuse.ToQuicMultiaddr(info.RemoteAddr, quic.Version1)
		if err != nil {
			return nil, err
		}
		v, err := d.enter(addressOf(info.RemoteAddr), true, nil, time.Now())
		if err != nil {
			return nil, err
		}
		under, err := limits.OpenConnection(network.DirInbound, false, endpoint)
		if err != nil {
			v.leave()
			return nil, err
		}
		s := &scope{under, v}
		context.AfterFunc(ctx, s.Done)
		return network.WithConnManagementScope(ctx, s), nil
	}
}

// quicBusy is asked by QUIC whether a source has to prove its address first.
func (d *door) quicBusy(from net.Addr) bool { return d.busy(addressOf(from)) }

func addressOf(a net.Addr) netip.Addr {
	ap, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return netip.Addr{}
	}
	return ap.Addr()
}
