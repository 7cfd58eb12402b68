package link

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/transport"

	"alibi/crypto/identity"
)

const patience = 20 * time.Second

func key(n byte) identity.Key { return identity.KeyFromSeed([32]byte{n}) }

// start runs a host on loopback until the test ends.
func start(t *testing.T, c Config) *Host {
	t.Helper()
	h, stop := startStop(t, c)
	t.Cleanup(stop)
	return h
}

func startStop(t *testing.T, c Config) (*Host, func()) {
	t.Helper()
	c.LoopbackOnly = true
	if c.Handle == nil {
		c.Handle = echo
	}
	h := New(c)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- h.Run(ctx) }()
	select {
	case <-h.Up():
	case err := <-done:
		t.Fatalf("Run: %v", err)
	}
	return h, sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}

func echo(_ context.Context, c *Conn) { _, _ = io.Copy(c, c) }

func everybody(identity.ID) bool { return true }

func (h *Host) at(ip string) []netip.AddrPort {
	return []netip.AddrPort{netip.AddrPortFrom(netip.MustParseAddr(ip), uint16(h.Port()))}
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// roundTrip sends bytes and wants them back.
func roundTrip(t *testing.T, c *Conn, b []byte) {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(patience))
	_ = c.SetWriteDeadline(time.Now().Add(patience))
	failed := make(chan error, 1)
	go func() { _, err := c.Write(b); failed <- err }()
	got := make([]byte, len(b))
	if _, err := io.ReadFull(c, got); err != nil || !bytes.Equal(got, b) {
		t.Fatalf("echo of %d bytes: %v", len(b), err)
	}
	if err := <-failed; err != nil {
		t.Fatal(err)
	}
}

func TestPeerIDText(t *testing.T) {
	id := key(1).ID()
	text := PeerID(id)
	if !strings.HasPrefix(text, "12D3KooW") {
		t.Errorf("peer ID %s", text)
	}
	if back, err := ParsePeerID(text); err != nil || back != id {
		t.Errorf("%s reads back as %v, %v", text, back, err)
	}
	low := identity.ID{1} // the identity element of the curve
	for _, bad := range []string{"", "x", text + "1", strings.Repeat("1", 5000), PeerID(low),
		"QmcgpsyWgH8Y8ajJz1Cu72KnS5uo2Aa2LpzU7kinSupNKC"} {
		if id, err := ParsePeerID(bad); err == nil || len(err.Error()) > 200 {
			t.Errorf("%.20q reads as %v, %v", bad, id, err)
		}
	}
}

func TestDialOverEveryTransport(t *testing.T) {
	b := start(t, Config{Key: key(2), Admit: everybody})
	a := start(t, Config{Key: key(1)})
	for _, ip := range []string{"127.0.0.1", "::1"} {
		for name, attempt := range map[string]transport.Transport{"tcp": a.tcp, "quic": a.quic} {
			t.Run(name+" "+ip, func(t *testing.T) {
				p, err := toPeer(key(2).ID())
				if err != nil {
					t.Fatal(err)
				}
				addr := map[string]func(netip.AddrPort) string{
					"tcp":  func(a netip.AddrPort) string { return tcpAddr(a).String() },
					"quic": func(a netip.AddrPort) string { return quicAddr(a).String() }}[name](b.at(ip)[0])
				under, err := attempt.Dial(within(t), multiaddrOf(t, addr), p)
				if err != nil {
					t.Fatal(err)
				}
				s, err := ask(within(t), under, Game)
				if err != nil {
					t.Fatal(err)
				}
				c := &Conn{host: a, under: under, stream: s, remote: key(2).ID(), protocol: Game}
				defer c.Close()
				roundTrip(t, c, bytes.Repeat([]byte("alibi"), 20_000))
				if c.Transport() != name || c.RemoteAddr() != b.at(ip)[0] {
					t.Errorf("connected over %s to %s", c.Transport(), c.RemoteAddr())
				}
			})
		}
	}
}

func TestIdentitiesAreProven(t *testing.T) {
	seen := make(chan *Conn, 1)
	b := start(t, Config{Key: key(2), Admit: everybody, Handle: func(ctx context.Context, c *Conn) {
		seen <- c
		echo(ctx, c)
	}})
	a := start(t, Config{Key: key(1)})
	c, err := a.Dial(within(t), key(2).ID(), b.at("127.0.0.1"), Lobby)
	if err != nil {
		t.Fatal(err)
	}
	roundTrip(t, c, []byte("x"))
	in := <-seen
	if in.Remote() != key(1).ID() || in.Protocol() != Lobby || in.Outbound() || !c.Outbound() || c.Remote() != key(2).ID() {
		t.Errorf("inbound from %v over %s", in.Remote(), in.Protocol())
	}
	// Somebody else at that address is not taken for the one who was meant.
	if _, err := a.Dial(within(t), key(3).ID(), b.at("127.0.0.1"), Lobby); err == nil {
		t.Error("connected to an impostor")
	}
	if _, err := a.Dial(within(t), key(1).ID(), b.at("127.0.0.1"), Lobby); !errors.Is(err, ErrSelf) {
		t.Errorf("dialling oneself: %v", err)
	}
}

func TestIdentifyByAddressAlone(t *testing.T) {
	b := start(t, Config{Key: key(2), Admit: everybody})
	a := start(t, Config{Key: key(1)})
	began := time.Now()
	id, err := a.Identify(within(t), b.at("127.0.0.1")[0])
	if err != nil || id != key(2).ID() {
		t.Fatalf("%v, %v", id, err)
	}
	t.Logf("identified in %v", time.Since(began))
	if _, err := a.Dial(within(t), id, b.at("127.0.0.1"), Lobby); err != nil {
		t.Error(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := netip.MustParseAddrPort(free.Addr().String())
	_ = free.Close()
	ctx, cancel := context.WithTimeout(within(t), time.Second)
	defer cancel()
	if _, err := a.Identify(ctx, addr); err == nil {
		t.Error("identified nobody")
	}
}

// A stranger gets no stream: the connection is refused when its key is proven.
func TestStrangerIsRefused(t *testing.T) {
	handled := make(chan identity.ID, 4)
	b := start(t, Config{Key: key(2), Admit: func(id identity.ID) bool { return id == key(1).ID() },
		Handle: func(ctx context.Context, c *Conn) { handled <- c.Remote(); echo(ctx, c) }})
	friend := start(t, Config{Key: key(1)})
	stranger := start(t, Config{Key: key(9)})
	for _, ip := range []string{"127.0.0.1", "::1"} {
		if c, err := stranger.Dial(within(t), key(2).ID(), b.at(ip), Game); err == nil {
			t.Errorf("a stranger got a %s stream", c.Transport())
		}
	}
	if _, err := friend.Dial(within(t), key(2).ID(), b.at("127.0.0.1"), Game); err != nil {
		t.Fatal(err)
	}
	if id := <-handled; id != key(1).ID() {
		t.Errorf("handled %v", id)
	}
}

func TestUnknownProtocolIsRefused(t *testing.T) {
	b := start(t, Config{Key: key(2), Admit: everybody})
	a := start(t, Config{Key: key(1)})
	if _, err := a.Dial(within(t), key(2).ID(), b.at("127.0.0.1"), "/alibi/lobby/99"); !errors.Is(err, ErrProtocol) {
		t.Errorf("unknown protocol: %v", err)
	}
}

// The first address that works wins, however many do not.
func TestBadAddressesDoNotHinder(t *testing.T) {
	b := start(t, Config{Key: key(2), Admit: everybody})
	a := start(t, Config{Key: key(1)})
	// 192.0.2.0/24 is for documentation: nobody answers there.
	addrs := append([]netip.AddrPort{netip.MustParseAddrPort("192.0.2.1:9"), netip.MustParseAddrPort("127.0.0.1:1")}, b.at("127.0.0.1")...)
	began := time.Now()
	c, err := a.Dial(within(t), key(2).ID(), addrs, Game)
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
}

// A failed dial is not held against the next: what libp2p's swarm would do.
func TestNoBackOff(t *testing.T) {
	a := start(t, Config{Key: key(1)})
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	_ = free.Close()
	addrs := []netip.AddrPort{netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(port))}
	ctx, cancel := context.WithTimeout(within(t), 100*time.Millisecond)
	if _, err := a.Dial(ctx, key(2).ID(), addrs, Game); err == nil {
		t.Fatal("connected to nobody")
	}
	cancel()
	b := start(t, Config{Key: key(2), Port: port, Admit: everybody})
	if _, err := a.Dial(within(t), key(2).ID(), b.at("127.0.0.1"), Game); err != nil {
		t.Error(err)
	}
}

// Twelve peers on one computer, each with every other, dialled from both ends
// and again: the limits are made for that.
func TestManyConnectionsFromOneAddress(t *testing.T) {
	b := start(t, Config{Key: key(2), Admit: everybody})
	a := start(t, Config{Key: key(1)})
	for i := range 100 {
		c, err := a.Dial(within(t), key(2).ID(), b.at("127.0.0.1"), Game)
		if err != nil {
			t.Fatalf("dial %d: %v", i, err)
		}
		_ = c.Close()
	}
}

// A peer that opens streams without end is cut off, and costs no memory.
func TestThousandStreams(t *testing.T) {
	b := start(t, Config{Key: key(2), Admit: everybody})
	a := start(t, Config{Key: key(1)})
	p, err := toPeer(key(2).ID())
	if err != nil {
		t.Fatal(err)
	}
	for name, addr := range map[string]string{"tcp": tcpAddr(b.at("127.0.0.1")[0]).String(), "quic": quicAddr(b.at("127.0.0.1")[0]).String()} {
		tr := map[string]transport.Transport{"tcp": a.tcp, "quic": a.quic}[name]
		under, err := tr.Dial(within(t), multiaddrOf(t, addr), p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ask(within(t), under, Game); err != nil {
			t.Fatal(err)
		}
		var opened []network.MuxedStream
		ctx := within(t)
		for !under.IsClosed() && len(opened) < 1000 && ctx.Err() == nil {
			s, err := under.OpenStream(ctx)
			if err != nil {
				break
			}
			_, _ = s.Write([]byte("x"))
			opened = append(opened, s)
		}
		t.Logf("%s: cut off after %d streams", name, len(opened))
		for !under.IsClosed() && ctx.Err() == nil {
			if _, err := under.AcceptStream(); err != nil {
				break
			}
		}
		if ctx.Err() != nil {
			t.Errorf("%s: still connected after %d streams", name, len(opened))
		}
		_ = under.Close()
	}
}

func TestOnePortForAll(t *testing.T) {
	b := start(t, Config{Key: key(2), Admit: everybody})
	for _, network := range []string{"tcp4", "tcp6", "udp4", "udp6"} {
		host := map[bool]string{true: "127.0.0.1", false: "::1"}[strings.HasSuffix(network, "4")]
		if strings.HasPrefix(network, "tcp") {
			c, err := net.Dial(network, net.JoinHostPort(host, itoa(b.Port())))
			if err != nil {
				t.Errorf("%s: %v", network, err)
				continue
			}
			_ = c.Close()
			continue
		}
		l, err := net.ListenPacket(network, net.JoinHostPort(host, itoa(b.Port())))
		if err == nil {
			_ = l.Close()
			t.Errorf("%s: nobody listens on port %d", network, b.Port())
		}
	}
	if h := New(Config{Key: key(3), Port: b.Port(), LoopbackOnly: true, Handle: echo}); h.Run(t.Context()) == nil {
		t.Error("two hosts listen on one port")
	}
}

func TestLoopbackOnlyListensNowhereElse(t *testing.T) {
	b := start(t, Config{Key: key(2), Admit: everybody})
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs {
		ip, ok := a.(*net.IPNet)
		if !ok || ip.IP.IsLoopback() || ip.IP.IsLinkLocalUnicast() {
			continue
		}
		c, err := net.DialTimeout("tcp", net.JoinHostPort(ip.IP.String(), itoa(b.Port())), time.Second)
		if err == nil {
			_ = c.Close()
			t.Errorf("listens on %s", ip.IP)
		}
	}
}

func TestRunLeavesNothingBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 3 {
		b, stopB := startStop(t, Config{Key: key(2), Admit: everybody})
		a, stopA := startStop(t, Config{Key: key(1)})
		for range 3 {
			c, err := a.Dial(within(t), key(2).ID(), b.at("127.0.0.1"), Game)
			if err != nil {
				t.Fatal(err)
			}
			roundTrip(t, c, []byte("left open"))
		}
		stopB()
		stopA()
		if _, err := a.Dial(within(t), key(2).ID(), b.at("127.0.0.1"), Game); !errors.Is(err, ErrNotRunning) {
			t.Errorf("dial after the end: %v", err)
		}
	}
	awaitGoroutines(t, before)
}

// awaitGoroutines waits until no more goroutines run than before.
func awaitGoroutines(t *testing.T, before int) {
	t.Helper()
	ctx := within(t)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for runtime.NumGoroutine() > before {
		select {
		case <-tick.C:
		case <-ctx.Done():
			buf := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
	}
}

// Nothing of the libraries may reach the terminal.
func TestSilence(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	old := os.Stderr
	os.Stderr = w
	func() {
		defer func() { os.Stderr = old }()
		b, stop := startStop(t, Config{Key: key(2)})
		a, stopA := startStop(t, Config{Key: key(1)})
		_, _ = a.Dial(within(t), key(2).ID(), b.at("127.0.0.1"), Game)
		stop()
		stopA()
	}()
	_ = w.Close()
	if out, _ := io.ReadAll(r); len(out) > 0 {
		t.Errorf("written to standard error: %s", out)
	}
}
