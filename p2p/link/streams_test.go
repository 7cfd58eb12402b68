package link

import (
	"context"
	"net/netip"
	"testing"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/transport"
)

// Who is dialled may not open streams without end either.
func TestThousandStreamsBack(t *testing.T) {
	for _, name := range []string{"tcp", "quic"} {
		t.Run(name, func(t *testing.T) {
			a := start(t, Config{Key: key(1)})
			cutOff := make(chan int, 1)
			rogue := New(Config{Key: key(2), Admit: everybody})
			limits, err := newLimits()
			if err != nil {
				t.Fatal(err)
			}
			defer limits.Close()
			stack, err := rogue.assemble(limits)
			if err != nil {
				t.Fatal(err)
			}
			defer stack.close()
			var l transport.Listener
			at := netip.MustParseAddrPort("127.0.0.1:0")
			if name == "tcp" {
				l, err = stack.tcp.Listen(tcpAddr(at))
			} else {
				l, err = stack.quic.Listen(quicAddr(at))
			}
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() { cutOff <- openMany(t.Context(), l) }()
			c, err := a.Dial(within(t), key(2).ID(), []netip.AddrPort{addrPort(l.Multiaddr())}, Game)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			select {
			case n := <-cutOff:
				t.Logf("cut off after %d", n)
				if n >= 1000 {
					t.Error("never cut off")
				}
			case <-within(t).Done():
				t.Fatal("never cut off")
			}
		})
	}
}

// openMany answers one connection and opens streams on it until it is cut.
func openMany(ctx context.Context, l transport.Listener) int {
	under, err := l.Accept()
	if err != nil {
		return -1
	}
	defer under.Close()
	s, err := under.AcceptStream()
	if err != nil {
		return -1
	}
	if _, err := negotiate(s); err != nil {
		return -1
	}
	for n := range 1000 {
		s, err := under.OpenStream(ctx)
		if err != nil {
			return n
		}
		if _, err := s.Write([]byte("x")); err != nil && under.IsClosed() {
			return n
		}
		defer func(s network.MuxedStream) { _ = s.Reset() }(s)
	}
	for !under.IsClosed() {
		if _, err := under.AcceptStream(); err != nil {
			return 999
		}
	}
	return 999
}
