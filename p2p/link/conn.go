package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/protocol"
	"github.com/libp2p/go-libp2p/core/transport"
	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
	"github.com/multiformats/go-multistream"

	"alibi/crypto/identity"
)

// Conn is a connection with a peer whose key is proven, and the one stream on
// it. It is an io.ReadWriteCloser with deadlines.
type Conn struct {
	host     *Host
	under    transport.CapableConn
	stream   network.MuxedStream
	remote   identity.ID
	protocol string
	outbound bool
	once     sync.Once
}

// Remote is the identity at the far end.
func (c *Conn) Remote() identity.ID { return c.remote }

// Protocol is what both ends have agreed to speak.
func (c *Conn) Protocol() string { return c.protocol }

// Outbound reports whether this end has dialled.
func (c *Conn) Outbound() bool { return c.outbound }

// RemoteAddr is the address of the far end.
func (c *Conn) RemoteAddr() netip.AddrPort { return addrPort(c.under.RemoteMultiaddr()) }

// LocalAddr is the address of this end; a QUIC connection has none of its own,
// and says so with an unspecified one.
func (c *Conn) LocalAddr() netip.AddrPort { return addrPort(c.under.LocalMultiaddr()) }

// Transport is "tcp" or "quic".
func (c *Conn) Transport() string {
	if _, err := c.under.RemoteMultiaddr().ValueForProtocol(pQUIC); err == nil {
		return "quic"
	}
	return "tcp"
}

// Read reads from the stream, until SetReadDeadline.
func (c *Conn) Read(b []byte) (int, error) { return c.stream.Read(b) }

// Write writes to the stream, until SetWriteDeadline.
func (c *Conn) Write(b []byte) (int, error) { return c.stream.Write(b) }

// SetReadDeadline bounds every later Read.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.stream.SetReadDeadline(t) }

// SetWriteDeadline bounds every later Write.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.stream.SetWriteDeadline(t) }

// Close cuts the connection at once; what was written may not arrive. It may
// be called from any goroutine and more than once.
func (c *Conn) Close() error {
	c.once.Do(func() {
		// This takes the stream with it. A reset of its own would have to wait
		// its turn behind what a slow far end has not read.
		_ = c.under.Close()
		c.host.mu.Lock()
		delete(c.host.conns, c)
		c.host.mu.Unlock()
	})
	return nil
}

// CloseWrite ends the own half of the stream after what was written. The far
// end, having read it all, is expected to close.
func (c *Conn) CloseWrite() error { return c.stream.CloseWrite() }

// Finish ends the own half of the stream and waits, for a bounded time, until
// the far end has ended its own; then it closes. Nobody else may be reading.
func (c *Conn) Finish(within time.Duration) {
	defer c.Close()
	if c.CloseWrite() != nil || c.stream.SetReadDeadline(time.Now().Add(within)) != nil {
		return
	}
	// A far end that goes on talking is cut off like one that stays silent.
	_, _ = io.Copy(io.Discard, io.LimitReader(c.stream, finishBytes))
}

const finishBytes = 1 << 20

// accept takes connections from one listener.
func (h *Host) accept(ctx context.Context, l transport.Listener) {
	for {
		under, err := l.Accept()
		if err != nil {
			return // closed, or past use
		}
		if !h.track(ctx, under) {
			_ = under.Close()
			continue
		}
		h.work.Go(func() { h.serve(ctx, under) })
	}
}

// track notes a connection without a stream, so that the end of the host ends
// it too.
func (h *Host) track(ctx context.Context, under network.MuxedConn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if ctx.Err() != nil {
		return false
	}
	h.open[under] = true
	return true
}

func (h *Host) untrack(under network.MuxedConn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.open, under)
}

// serve waits for the one stream of an inbound connection and hands it on.
func (h *Host) serve(ctx context.Context, under transport.CapableConn) {
	remote, err := fromPeer(under.RemotePeer())
	if err != nil {
		h.untrack(under)
		_ = under.Close()
		return
	}
	cut := time.AfterFunc(streamTime, func() { _ = under.Close() })
	stream, err := under.AcceptStream()
	cut.Stop()
	var proto string
	if err == nil {
		proto, err = negotiate(stream)
	}
	if err != nil {
		h.untrack(under)
		_ = under.Close()
		return
	}
	c := &Conn{host: h, under: under, stream: stream, remote: remote, protocol: proto}
	if !h.adopt(ctx, c) {
		return
	}
	h.cfg.Handle(ctx, c)
	_ = c.Close()
}

// adopt turns a tracked connection into a Conn, unless the host is ending.
func (h *Host) adopt(ctx context.Context, c *Conn) bool {
	h.mu.Lock()
	delete(h.open, c.under)
	ended := ctx.Err() != nil
	if !ended {
		h.conns[c] = true
		h.work.Go(func() { refuseStreams(c.under) })
	}
	h.mu.Unlock()
	if ended {
		_ = c.Close()
	}
	return !ended
}

// maxStreams is how many further streams a peer may try to open before its
// connection is cut.
const maxStreams = 16

// refuseStreams resets every stream beyond the one in use.
func refuseStreams(under transport.CapableConn) {
	for range maxStreams {
		s, err := under.AcceptStream()
		if err != nil {
			return
		}
		_ = s.Reset()
	}
	_ = under.Close()
}

// Protocols spoken over a stream. A change that an older peer would not
// understand gets a new number.
const (
	Lobby = "/alibi/lobby/1"
	Game  = "/alibi/game/1"
)

// negotiate answers multistream-select on a new inbound stream.
func negotiate(s network.MuxedStream) (string, error) {
	if err := s.SetDeadline(time.Now().Add(streamTime)); err != nil {
		return "", err
	}
	m := multistream.NewMultistreamMuxer[protocol.ID]()
	m.AddHandler(Lobby, nil)
	m.AddHandler(Game, nil)
	p, _, err := m.Negotiate(s)
	if err != nil {
		return "", err
	}
	return string(p), s.SetDeadline(time.Time{})
}

// ask opens the one stream of an outbound connection.
func ask(ctx context.Context, under network.MuxedConn, proto string) (network.MuxedStream, error) {
	ctx, cancel := context.WithTimeout(ctx, streamTime)
	defer cancel()
	s, err := under.OpenStream(ctx)
	if err != nil {
		return nil, err
	}
	// A cancelled dial must not wait for the deadline.
	stop := context.AfterFunc(ctx, func() { _ = s.Reset() })
	defer stop()
	deadline, _ := ctx.Deadline()
	if err := s.SetDeadline(deadline); err != nil {
		_ = s.Reset()
		return nil, err
	}
	if err := multistream.SelectProtoOrFail(protocol.ID(proto), s); err != nil {
		_ = s.Reset()
		var unknown multistream.ErrNotSupported[protocol.ID]
		if errors.As(err, &unknown) {
			return nil, fmt.Errorf("%w: %w", ErrProtocol, err)
		}
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return s, s.SetDeadline(time.Time{})
}

func (h *Host) closeAll() {
	h.mu.Lock()
	var conns []*Conn
	for c := range h.conns {
		conns = append(conns, c)
	}
	var open []network.MuxedConn
	for c := range h.open {
		open = append(open, c)
	}
	h.mu.Unlock()
	for _, c := range conns {
		_ = c.Close()
	}
	for _, c := range open {
		_ = c.Close()
	}
}

func addrPort(m ma.Multiaddr) netip.AddrPort {
	transport, _ := ma.SplitFunc(m, func(p ma.Component) bool { return p.Protocol().Code == pQUIC })
	a, err := manet.ToNetAddr(transport)
	if err != nil {
		return netip.AddrPort{}
	}
	ap, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return netip.AddrPort{}
	}
	return ap
}
