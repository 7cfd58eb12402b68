// Package link connects peers: TCP (Noise, yamux) and QUIC on one port number,
// each connection bound to the identities at both ends.
//
// It is put together from go-libp2p's transports, security, muxer and resource
// manager, without its swarm and host. The swarm refuses IPv6 link-local
// addresses, remembers a failed dial for five seconds and more, and brings
// relays, address exchange and metrics along; on a local network all of that is
// in the way. What is left here of a host: listen, dial every address of a peer
// in a staggered race, let in only who is admitted, and hand each connection to
// its owner with exactly one stream on it.
//
// Most callers want New, Host.Run and Host.Dial.
package link

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/sec"
	"github.com/libp2p/go-libp2p/core/transport"
	"github.com/libp2p/go-libp2p/gologshim"
	"github.com/libp2p/go-libp2p/p2p/net/upgrader"
	"github.com/libp2p/go-libp2p/p2p/security/noise"
	libp2pquic "github.com/libp2p/go-libp2p/p2p/transport/quic"
	"github.com/libp2p/go-libp2p/p2p/transport/quicreuse"
	"github.com/libp2p/go-libp2p/p2p/transport/tcp"
	ma "github.com/multiformats/go-multiaddr"
	"github.com/quic-go/quic-go"

	"alibi/crypto/identity"
)

// Config of a host.
type Config struct {
	// Key is the own identity; it is the libp2p key.
	Key identity.Key
	// Port to listen on, for TCP and QUIC, IPv4 and IPv6; 0 lets the system pick one.
	Port int
	// Last is a port to try first where Port is 0.
	Last int
	// LoopbackOnly listens on 127.0.0.1 and ::1 only.
	LoopbackOnly bool
	// Admit says whether a peer may connect to this one for any protocol at
	// all. It is called from many goroutines, once the peer's key is proven.
	Admit func(identity.ID) bool
	// Member says whose connections have room of their own, whoever else comes:
	// those one plays with. Members are admitted. nil means nobody.
	Member func(identity.ID) bool
	// Handle owns each inbound connection, in a goroutine of its own; the
	// connection is closed when it returns. ctx ends with the host.
	Handle func(ctx context.Context, c *Conn)
}

// Errors of a host.
var (
	ErrNotRunning = errors.New("link: not running")
	ErrNoAddress  = errors.New("link: no address to dial")
	ErrProtocol   = errors.New("link: the other side does not speak this protocol")
	ErrRefused    = errors.New("link: the other side hung up")
	ErrSelf       = errors.New("link: that is this peer itself")
)

func init() {
	// Both libraries would write to standard error, into the middle of a
	// terminal user interface: libp2p through this shim, quic-go when the
	// system keeps its socket buffers small.
	gologshim.SetDefaultHandler(slog.DiscardHandler)
	const quiet = "QUIC_GO_DISABLE_RECEIVE_BUFFER_WARNING"
	if os.Getenv(quiet) == "" {
		_ = os.Setenv(quiet, "true")
	}
}

// Host is one peer's end of all its connections.
type Host struct {
	cfg    Config
	up     chan struct{}
	door   *door
	misses *misses
	work   sync.WaitGroup // accept loops, handlers, dials; grows only while run lasts

	mu    sync.Mutex // guards all below
	run   context.Context
	ended bool
	port  int
	tcp   transport.Transport
	quic  transport.Transport
	conns map[*Conn]bool
	open  map[network.MuxedConn]bool // inbound, no stream on them yet
}

// New prepares a host; it opens nothing.
func New(c Config) *Host {
	if c.Admit == nil {
		c.Admit = func(identity.ID) bool { return false }
	}
	if c.Member == nil {
		c.Member = func(identity.ID) bool { return false }
	}
	return &Host{cfg: c, up: make(chan struct{}), door: newDoor(c.Admit, c.Member), misses: newMisses(), conns: map[*Conn]bool{}, open: map[network.MuxedConn]bool{}}
}

// Up is closed once the host listens.
func (h *Host) Up() <-chan struct{} { return h.up }

// Port is the port listened on, 0 before Up.
func (h *Host) Port() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.port
}

// Run listens until ctx ends, then closes every connection and waits for all
// that it started. It may be called once.
func (h *Host) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	limits, err := newLimits()
	if err != nil {
		return err
	}
	defer limits.Close()
	stack, err := h.assemble(limits)
	if err != nil {
		return err
	}
	defer stack.close()
	listeners, port, err := h.listen(stack)
	if err != nil {
		return err
	}
	h.mu.Lock()
	h.run, h.port, h.tcp, h.quic = ctx, port, stack.tcp, stack.quic
	h.mu.Unlock()
	for _, l := range listeners {
		h.work.Go(func() { h.accept(ctx, l) })
	}
	close(h.up)

	<-ctx.Done()
	h.mu.Lock()
	h.ended = true
	h.mu.Unlock()
	for _, l := range listeners {
		_ = l.Close()
	}
	h.closeAll()
	h.work.Wait()
	return nil
}

// stack is the libp2p parts of a host.
type stack struct {
	tcp, quic transport.Transport
	reuse     *quicreuse.ConnManager
}

func (s *stack) close() {
	if c, ok := s.quic.(io.Closer); ok {
		_ = c.Close()
	}
	_ = s.reuse.Close()
}

func (h *Host) assemble(limits network.ResourceManager) (*stack, error) {
	key, err := privateKey(h.cfg.Key)
	if err != nil {
		return nil, err
	}
	secure, err := noise.New(noise.ID, key, muxers)
	if err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	gate := gate{h}
	up, err := upgrader.New([]sec.SecureTransport{secure}, muxers, nil, limits, gate, upgrader.WithAcceptTimeout(handshakeTime))
	if err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	s := &stack{}
	// Dialling TCP from the listening port would let two peers that dial each
	// other at the same instant meet in one connection that both think they
	// have opened (RFC 9293, section 3.5), and both handshakes would fail.
	s.tcp, err = tcp.NewTCPTransport(entranceUpgrader{up, h.door, limits}, limits, nil, tcp.DisableReuseport(), tcp.WithConnectionTimeout(handshakeTime))
	if err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	reset, token, err := quicKeys(h.cfg.Key)
	if err != nil {
		return nil, err
	}
	s.reuse, err = quicreuse.NewConnManager(reset, token,
		quicreuse.ConnContext(h.door.quicContext(limits)), quicreuse.VerifySourceAddress(h.door.quicBusy))
	if err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	s.quic, err = libp2pquic.NewTransport(key, s.reuse, nil, gate, limits)
	if err != nil {
		_ = s.reuse.Close()
		return nil, fmt.Errorf("link: %w", err)
	}
	return s, nil
}

// quicKeys derives QUIC's reset and token keys from the identity (RFC 5869),
// as libp2p does: a peer that was killed and came back on the same port can
// then tell the others that its old connections are gone (RFC 9000, 10.3).
func quicKeys(key identity.Key) (reset quic.StatelessResetKey, token quic.TokenGeneratorKey, err error) {
	seed := key.Seed()
	for info, out := range map[string][]byte{"reset": reset[:], "token": token[:]} {
		b, err := hkdf.Key(sha256.New, seed[:], nil, "alibi/v1/quic "+info, len(out))
		if err != nil {
			return reset, token, fmt.Errorf("link: %w", err)
		}
		copy(out, b)
	}
	return reset, token, nil
}

// portTries is how often a port picked by the system for one listener may turn
// out to be taken for another.
const portTries = 16

// listen opens TCP and QUIC on one port number, IPv4 and IPv6. One family may
// be missing; within a family both transports must be there.
func (h *Host) listen(s *stack) ([]transport.Listener, int, error) {
	ports := []int{h.cfg.Port}
	if h.cfg.Port == 0 {
		ports = append([]int{h.cfg.Last}, make([]int, portTries)...)
	}
	var last error
	for _, port := range ports {
		list, port, err := h.listenOnce(s, port)
		if err == nil {
			return list, port, nil
		}
		last = err
	}
	return nil, 0, fmt.Errorf("link: listening: %w", last)
}

func (h *Host) listenOnce(s *stack, wanted int) (list []transport.Listener, port int, err error) {
	v4, v6 := netip.IPv4Unspecified(), netip.IPv6Unspecified()
	if h.cfg.LoopbackOnly {
		v4, v6 = netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()
	}
	port = wanted
	defer func() {
		if err != nil {
			for _, l := range list {
				_ = l.Close()
			}
		}
	}()
	var missing error
	for _, ip := range []netip.Addr{v4, v6} {
		if err := available(ip); err != nil {
			missing = err
			continue
		}
		t, err := s.tcp.Listen(tcpAddr(netip.AddrPortFrom(ip, uint16(port))))
		if err != nil {
			return list, 0, err
		}
		list = append(list, t)
		if a, ok := t.Addr().(*net.TCPAddr); ok {
			port = a.Port
		}
		q, err := s.quic.Listen(quicAddr(netip.AddrPortFrom(ip, uint16(port))))
		if err != nil {
			return list, 0, err
		}
		list = append(list, q)
	}
	if len(list) == 0 {
		return nil, 0, missing
	}
	return list, port, nil
}

// available reports whether this computer has an address family at all.
func available(ip netip.Addr) error {
	c, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(ip, 0)))
	if err != nil {
		return err
	}
	return c.Close()
}

func tcpAddr(a netip.AddrPort) ma.Multiaddr  { return multiaddr(a, "tcp", "") }
func quicAddr(a netip.AddrPort) ma.Multiaddr { return multiaddr(a, "udp", "/quic-v1") }

// multiaddr writes an address as libp2p reads it. A netip.AddrPort always has
// one; the zone of a link-local address comes first.
func multiaddr(a netip.AddrPort, network, suffix string) ma.Multiaddr {
	ip, family, zone := a.Addr().Unmap(), "/ip4/", ""
	if ip.Is6() {
		family = "/ip6/"
	}
	if z := ip.Zone(); z != "" {
		zone = "/ip6zone/" + z
	}
	m, err := ma.NewMultiaddr(fmt.Sprintf("%s%s%s/%s/%d%s", zone, family, ip.WithZone(""), network, a.Port(), suffix))
	if err != nil {
		return nil
	}
	return m
}

// Times of one connection's making.
const (
	handshakeTime = 5 * time.Second
	streamTime    = 5 * time.Second
)

func privateKey(k identity.Key) (crypto.PrivKey, error) {
	seed, id := k.Seed(), k.ID()
	key, err := crypto.UnmarshalEd25519PrivateKey(append(seed[:], id[:]...))
	if err != nil {
		return nil, errors.New("link: the identity is no Ed25519 key")
	}
	return key, nil
}
