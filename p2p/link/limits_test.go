//go:build linux

package link

import (
	"context"
	"crypto/tls"
	"errors"

	"io"
	"net"
	"net/netip"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/transport"
	"github.com/quic-go/quic-go"

	"alibi/crypto/identity"
)

// Linux answers on all of 127.0.0.0/8, so one computer can be many strangers.

func local(n int) net.IP { return net.IPv4(127, 0, byte(n>>8), byte(n)) }

// flood keeps doing something from many goroutines until the test ends.
type flood struct {
	t    *testing.T
	ctx  context.Context
	stop context.CancelFunc
	work sync.WaitGroup
}

func newFlood(t *testing.T) *flood {
	f := &flood{t: t}
	f.ctx, f.stop = context.WithCancel(t.Context())
	t.Cleanup(f.end)
	return f
}

func (f *flood) end() { f.stop(); f.work.Wait() }

// again reports whether to go on, after a breath: what is tested are bounds,
// not the processor.
func (f *flood) again(breath time.Duration) bool {
	timer := time.NewTimer(breath)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-f.ctx.Done():
		return false
	}
}

// hold connects from many addresses and holds on, connecting anew when cut;
// use may send something.
func (f *flood) hold(h *Host, n int, use func(net.Conn)) {
	for i := range n {
		f.work.Go(func() {
			d := net.Dialer{LocalAddr: &net.TCPAddr{IP: local(2 + i%250)}}
			for f.again(200 * time.Millisecond) {
				c, err := d.DialContext(f.ctx, "tcp4", h.at("127.0.0.1")[0].String())
				if err != nil {
					continue
				}
				stop := context.AfterFunc(f.ctx, func() { _ = c.Close() })
				use(c)
				_, _ = io.Copy(io.Discard, c)
				stop()
				_ = c.Close()
			}
		})
	}
}

// deaf is a socket that hears nothing. It is a plain net.PacketConn: of a
// *net.UDPConn QUIC would read otherwise.
type deaf struct {
	net.PacketConn
	ctx context.Context
}

func (d deaf) ReadFrom(b []byte) (int, net.Addr, error) {
	<-d.ctx.Done()
	return 0, nil, net.ErrClosed
}

// halfQUIC begins handshakes over QUIC from many addresses and never answers.
func (f *flood) halfQUIC(h *Host, n int) {
	to := net.UDPAddrFromAddrPort(h.at("127.0.0.1")[0])
	for i := range n {
		f.work.Go(func() {
			for f.again(200 * time.Millisecond) {
				u, err := net.ListenUDP("udp4", &net.UDPAddr{IP: local(2 + i%250)})
				if err != nil {
					continue
				}
				ctx, cancel := context.WithTimeout(f.ctx, 100*time.Millisecond)
				_, _ = quic.Dial(ctx, deaf{u, ctx}, to, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"libp2p"}}, nil)
				cancel()
				_ = u.Close()
			}
		})
	}
}

// until waits for something that other goroutines bring about.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	ctx := within(t)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s did not come about", what)
		}
	}
}

// inBounds checks what a host holds for those who come in.
func inBounds(t *testing.T, h *Host) {
	t.Helper()
	for p, n := range h.door.counts() {
		if limit := rooms[p].all; limit > 0 && n > limit {
			t.Errorf("%d in place %d", n, p)
		}
	}
}

// While strangers hold and reopen hundreds of half-open connections, by TCP
// and QUIC, silent or a byte at a time, a member gets in every time, also for
// the first time from an address that nobody has seen; and what it all costs
// is bounded.
func TestMemberGetsInThroughAFlood(t *testing.T) {
	before := runtime.NumGoroutine()
	var mem, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&mem)
	t.Run("flood", func(t *testing.T) {
		isMember := func(id identity.ID) bool { return id == key(1).ID() }
		b := start(t, Config{Key: key(2), Admit: isMember, Member: isMember})
		f := newFlood(t)
		f.hold(b, 90, func(net.Conn) {})
		f.hold(b, 30, func(c net.Conn) { // a byte at a time
			tick := time.NewTicker(20 * time.Millisecond)
			defer tick.Stop()
			for _, x := range []byte("\x13/multistream/1.0.0\n") {
				if _, err := c.Write([]byte{x}); err != nil {
					return
				}
				<-tick.C
			}
		})
		f.hold(b, 10, func(c net.Conn) { _, _ = c.Write(make([]byte, 1<<16)) })
		f.halfQUIC(b, 40)
		until(t, "a full door", func() bool {
			n := b.door.counts()
			// Without an answer nobody gets past half of the room for QUIC.
			return n[strangeTCP] == rooms[strangeTCP].all && n[strangeQUIC] >= rooms[strangeQUIC].all/2
		})
		slowest, tries := time.Duration(0), 0
		for i := range 10 {
			a, stop := startStop(t, Config{Key: key(1)})
			t.Cleanup(stop)
			began := time.Now()
			c, err := a.Dial(within(t), key(2).ID(), b.at("127.0.0.1"), Game)
			// The first time it is one of the crowd. A busy processor, which the
			// flood shares here, may take longer than a handshake is given.
			for ; err != nil && tries < 10 && (i == 0 || late(err)); tries++ {
				c, err = a.Dial(within(t), key(2).ID(), b.at("127.0.0.1"), Game)
			}
			if err != nil {
				t.Fatalf("dial %d: %v", i, err)
			}
			roundTrip(t, c, []byte("through the crowd"))
			slowest = max(slowest, time.Since(began))
			inBounds(t, b)
			_ = c.Close()
		}
		runtime.ReadMemStats(&now)
		grown := int64(now.HeapInuse+now.StackInuse) - int64(mem.HeapInuse+mem.StackInuse)
		t.Logf("slowest way in %v, %d tries more; holding %v; %d goroutines and %d KiB more, the flood's own among them",
			slowest, tries, b.door.counts(), runtime.NumGoroutine()-before, grown>>10)
		if grown > 96<<20 {
			t.Errorf("%d MiB more in use", grown>>20)
		}
		f.end()
	})
	awaitGoroutines(t, before)
}

// late reports whether a dial took too long, and was not turned away.
func late(err error) bool {
	var n net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &n) && n.Timeout()
}

// crowd is strangers with keys of their own who dial without listening, as
// many times at once as each may, and once more.
func (f *flood) crowd(h *Host, n int, greet func(transport.CapableConn)) {
	for i := range n {
		f.work.Go(func() {
			s := New(Config{Key: identity.KeyFromSeed([32]byte{byte(i), byte(i >> 8), 99})})
			limits, err := newLimits()
			if err != nil {
				f.t.Error(err)
				return
			}
			defer limits.Close()
			stack, err := s.assemble(limits)
			if err != nil {
				f.t.Error(err)
				return
			}
			defer stack.close()
			p, err := toPeer(h.cfg.Key.ID())
			if err != nil {
				f.t.Error(err)
				return
			}
			var mine sync.WaitGroup
			for k := range rooms[guests].identity + 1 {
				mine.Go(func() {
					via, addr := stack.tcp, tcpAddr(h.at("127.0.0.1")[0])
					if k%2 == 0 {
						via, addr = stack.quic, quicAddr(h.at("127.0.0.1")[0])
					}
					for f.again(200 * time.Millisecond) {
						if c, err := via.Dial(f.ctx, addr, p); err == nil {
							greet(c)
							_ = c.Close()
						}
					}
				})
			}
			mine.Wait()
		})
	}
}

// With a table open everybody is let in: strangers with keys of their own take
// the room for guests and no more, and members still get in.
func TestMemberGetsInPastGuests(t *testing.T) {
	b := start(t, Config{Key: key(2), Admit: everybody, Member: func(id identity.ID) bool { return id == key(1).ID() }})
	f := newFlood(t)
	f.crowd(b, rooms[guests].all/rooms[guests].identity+4, func(c transport.CapableConn) {
		s, err := ask(f.ctx, c, Lobby)
		if err == nil {
			stop := context.AfterFunc(f.ctx, func() { _ = c.Close() })
			_, _ = io.Copy(io.Discard, s) // stays until cut off
			stop()
		}
	})
	until(t, "a full house", func() bool { return b.door.counts()[guests] == rooms[guests].all })
	a := start(t, Config{Key: key(1)})
	for i := range 10 {
		c, err := a.Dial(within(t), key(2).ID(), b.at("::1"), Game) // the crowd's address is another
		for ; err != nil && late(err); c, err = a.Dial(within(t), key(2).ID(), b.at("::1"), Game) {
		}
		if err != nil {
			t.Fatalf("dial %d: %v", i, err)
		}
		roundTrip(t, c, []byte("excuse me"))
		inBounds(t, b)
		_ = c.Close()
	}
	f.end()
	until(t, "an empty house", func() bool { return b.door.counts()[guests] == 0 })
}

// Strangers who are not admitted are out as soon as their key is known, and
// are counted nowhere after that.
func TestStrangersLeaveNoTrace(t *testing.T) {
	b := start(t, Config{Key: key(2)})
	f := newFlood(t)
	var came atomic.Int64
	f.crowd(b, 4, func(c transport.CapableConn) {
		_, _ = c.AcceptStream() // until cut off
		came.Add(1)
	})
	until(t, "a crowd", func() bool { return came.Load() > 30 })
	if n := b.door.counts(); n[guests]+n[members] > 0 {
		t.Errorf("%v", n)
	}
	f.end()
	until(t, "an empty house", func() bool { return b.door.counts()[strangeTCP] == 0 })
}

// Whoever claims to be at somebody else's address does not have us knock there
// without end.
func TestDialsOfAThirdPartyAreBounded(t *testing.T) {
	third, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer third.Close()
	knocks := make(chan int, 1)
	go func() {
		for n := 0; ; n++ {
			c, err := third.Accept()
			if err != nil {
				knocks <- n
				return
			}
			_ = c.Close()
		}
	}()
	a := start(t, Config{Key: key(1)})
	a.misses = &misses{paces: newPaces(0, missesBurst)} // and never more
	port := netip.MustParseAddrPort(third.Addr().String()).Port()
	at := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), port)
	for range 10 * missesBurst {
		c, err := a.try(within(t), attempt{ip(1), tcpAddr(at), a.tcp, 0}, "nobody", nil)
		if err == nil {
			_ = c.Close()
			t.Fatal("connected with nobody")
		}
	}
	_ = third.Close()
	if n := <-knocks; n == 0 || n > missesBurst {
		t.Errorf("knocked %d times", n)
	}
}

// One member cannot take the memory that the others of a table need.
func TestMemoryIsShared(t *testing.T) {
	if sum := 11 * memoryPeer; sum+16<<20 > memoryAll {
		t.Errorf("eleven peers may take %d MiB of %d", sum>>20, memoryAll>>20)
	}
	limits, err := newLimits()
	if err != nil {
		t.Fatal(err)
	}
	defer limits.Close()
	taken := 0
	p, err := toPeer(key(1).ID())
	if err != nil {
		t.Fatal(err)
	}
	for range maxConnsTable {
		s, err := limits.OpenConnection(network.DirInbound, true, tcpAddr(netip.MustParseAddrPort("10.0.0.1:1")))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Done()
		if err := s.SetPeer(p); err != nil {
			t.Fatal(err)
		}
		for s.ReserveMemory(64<<10, network.ReservationPriorityAlways) == nil {
			taken += 64 << 10
		}
	}
	if taken > memoryPeer || taken < memoryPeer/2 {
		t.Errorf("one peer took %d KiB", taken>>10)
	}
}
