//go:build linux

package node

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/sec"
	"github.com/libp2p/go-libp2p/core/transport"
	"github.com/libp2p/go-libp2p/p2p/muxer/yamux"
	"github.com/libp2p/go-libp2p/p2p/net/upgrader"
	"github.com/libp2p/go-libp2p/p2p/security/noise"
	"github.com/libp2p/go-libp2p/p2p/transport/tcp"
	"github.com/miekg/dns"
	ma "github.com/multiformats/go-multiaddr"
	"github.com/quic-go/quic-go"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/p2p/link"
	"alibi/p2p/netlab"
	"alibi/p2p/wire"
)

// hostileVariable makes the test binary a bad neighbour. It reads addresses of
// its victims from the first line on stdin, and floods them until the next one,
// or for a minute.
const hostileVariable = "ALIBI_NODE_HOSTILE"

const niceVariable = "ALIBI_NODE_NICE"

// deeds is how much of everything was done.
type deeds struct {
	Connects, Cut, Initials, Handshakes, Streams, Messages, Packets int64
	Over                                                            bool
}

func (d deeds) String() string {
	return fmt.Sprintf("%d TCP connections, %d of them cut by the far end; %d QUIC handshakes begun; %d handshakes with invented keys; "+
		"%d streams; %d lobby messages; %d mDNS packets", d.Connects, d.Cut, d.Initials, d.Handshakes, d.Streams, d.Messages, d.Packets)
}

// hostile is such a process.
type hostile struct{ *netlab.Program[deeds] }

// villain does all that. It lives in namespaces of the test's own.
type villain struct {
	ctx     context.Context
	work    sync.WaitGroup
	targets []netip.AddrPort
	seats   []identity.ID

	connects, cut, initials, handshakes, streams, messages, packets atomic.Int64
}

func hostileMain(string) error {
	// A hostile computer has processors of its own; this one shares them with
	// its victims, and so steps back behind them.
	if os.Getenv(niceVariable) == "" {
		if nice, err := exec.LookPath("nice"); err == nil {
			return syscall.Exec(nice, []string{nice, "-n", "15", os.Args[0]}, append(os.Environ(), niceVariable+"=1"))
		}
	}
	in := bufio.NewScanner(os.Stdin)
	if !in.Scan() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	v := &villain{ctx: ctx}
	for i, text := range strings.Fields(in.Text()) {
		a, err := netip.ParseAddrPort(text)
		if err != nil {
			return err
		}
		v.targets = append(v.targets, a)
		v.seats = append(v.seats, testKey(i+1).ID())
	}
	go func() {
		in.Scan()
		cancel()
	}()
	v.run()
	out := json.NewEncoder(os.Stdout)
	for ctx.Err() == nil {
		if err := out.Encode(v.deeds()); err != nil {
			return err
		}
		v.breathe(250 * time.Millisecond)
	}
	v.work.Wait()
	d := v.deeds()
	d.Over = true
	return out.Encode(d)
}

func (v *villain) deeds() deeds {
	return deeds{Connects: v.connects.Load(), Cut: v.cut.Load(), Initials: v.initials.Load(), Handshakes: v.handshakes.Load(),
		Streams: v.streams.Load(), Messages: v.messages.Load(), Packets: v.packets.Load()}
}

// breathe waits, and reports whether to go on.
func (v *villain) breathe(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-v.ctx.Done():
		return false
	}
}

// each runs something again and again, so many times at once, each against a
// victim and from an address of its own.
func (v *villain) each(n int, breath time.Duration, do func(i int, at netip.AddrPort, from net.IP)) {
	for i := range n {
		v.work.Go(func() {
			for v.breathe(breath) {
				do(i, v.targets[i%len(v.targets)], net.IPv4(10, 77, 0, byte(50+i%200)))
			}
		})
	}
}

func (v *villain) run() {
	v.each(400, 10*time.Millisecond, v.hold(nil))
	v.each(60, 10*time.Millisecond, v.hold(func(c net.Conn) { // a byte at a time
		for _, b := range []byte("\x13/multistream/1.0.0\n\x07/noise\n") {
			if _, err := c.Write([]byte{b}); err != nil || !v.breathe(100*time.Millisecond) {
				return
			}
		}
	}))
	v.each(20, 10*time.Millisecond, v.hold(func(c net.Conn) { _, _ = c.Write(make([]byte, 1<<20)) }))
	v.each(40, 5*time.Millisecond, v.hold(func(c net.Conn) { _ = c.Close() }))
	v.each(60, 50*time.Millisecond, v.initial)
	v.each(8, 20*time.Millisecond, v.stranger)
	for i := range 6 {
		v.work.Go(func() { v.guest(i) })
	}
	v.work.Go(v.multicast)
}

// hold connects and does something, then holds on until cut.
func (v *villain) hold(use func(net.Conn)) func(int, netip.AddrPort, net.IP) {
	return func(_ int, at netip.AddrPort, from net.IP) {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: from}, Timeout: 5 * time.Second}
		c, err := d.DialContext(v.ctx, "tcp4", at.String())
		if err != nil {
			return
		}
		v.connects.Add(1)
		stop := context.AfterFunc(v.ctx, func() { _ = c.Close() })
		defer stop()
		defer c.Close()
		if use != nil {
			use(c)
		}
		_, _ = io.Copy(io.Discard, c)
		v.cut.Add(1)
	}
}

// deaf is a socket that hears nothing; a plain net.PacketConn, since QUIC would
// read otherwise of a *net.UDPConn.
type deaf struct {
	net.PacketConn
	ctx context.Context
}

func (d deaf) ReadFrom([]byte) (int, net.Addr, error) {
	<-d.ctx.Done()
	return 0, nil, net.ErrClosed
}

// initial begins a handshake over QUIC; one of two never answers.
func (v *villain) initial(i int, at netip.AddrPort, from net.IP) {
	u, err := net.ListenUDP("udp4", &net.UDPAddr{IP: from})
	if err != nil {
		return
	}
	defer u.Close()
	ctx, cancel := context.WithTimeout(v.ctx, 300*time.Millisecond)
	defer cancel()
	var conn net.PacketConn = u
	if i%2 == 0 {
		conn = deaf{u, ctx}
	}
	v.initials.Add(1)
	c, err := quic.Dial(ctx, conn, net.UDPAddrFromAddrPort(at),
		&tls.Config{InsecureSkipVerify: true, NextProtos: []string{"libp2p"}}, nil)
	if err == nil {
		<-ctx.Done()
		_ = c.CloseWithError(0, "")
	}
}

// stranger finishes a handshake with an invented key, and opens streams if it
// is let in.
func (v *villain) stranger(i int, at netip.AddrPort, _ net.IP) {
	key, _, err := crypto.GenerateEd25519Key(nil)
	if err != nil {
		return
	}
	muxers := []upgrader.StreamMuxer{{ID: yamux.ID, Muxer: yamux.DefaultTransport}}
	secure, err := noise.New(noise.ID, key, muxers)
	if err != nil {
		return
	}
	up, err := upgrader.New([]sec.SecureTransport{secure}, muxers, nil, nil, nil)
	if err != nil {
		return
	}
	via, err := tcp.NewTCPTransport(up, nil, nil, tcp.DisableReuseport())
	if err != nil {
		return
	}
	who, err := peer.Decode(link.PeerID(v.seats[i%len(v.seats)]))
	if err != nil {
		return
	}
	addr, err := ma.NewMultiaddr(fmt.Sprintf("/ip4/%v/tcp/%d", at.Addr(), at.Port()))
	if err != nil {
		return
	}
	c, err := via.Dial(v.ctx, addr, who)
	if err != nil {
		return
	}
	defer c.Close()
	v.handshakes.Add(1)
	v.thousand(c)
}

func (v *villain) thousand(c transport.CapableConn) {
	for range 2000 {
		ctx, cancel := context.WithTimeout(v.ctx, time.Second)
		s, err := c.OpenStream(ctx)
		cancel()
		if err != nil {
			return
		}
		v.streams.Add(1)
		_, _ = s.Write([]byte("\x13/multistream/1.0.0\n"))
		defer func(s network.MuxedStream) { _ = s.Reset() }(s)
	}
}

// guest sits down wherever it can, says everything it can think of, and leaves.
func (v *villain) guest(i int) {
	key := identity.KeyFromSeed([32]byte{byte(i), 66, 6})
	h := link.New(link.Config{Key: key, Handle: func(context.Context, *link.Conn) {}})
	v.work.Go(func() { _ = h.Run(v.ctx) })
	select {
	case <-h.Up():
	case <-v.ctx.Done():
		return
	}
	for n := 0; v.breathe(10 * time.Millisecond); n++ {
		k := n % len(v.targets)
		ctx, cancel := context.WithTimeout(v.ctx, time.Second)
		c, err := h.Dial(ctx, v.seats[k], []netip.AddrPort{v.targets[k]}, link.Lobby)
		cancel()
		if err != nil {
			continue
		}
		s := wire.NewLobbyStream(c)
		list := []wire.Message{&wire.Sit{Name: fmt.Sprint("bad ", i, " ", n), Commitment: feed.Hash{byte(i), byte(n), byte(n >> 8)}}}
		for k := range 30 {
			list = append(list, &wire.Ready{Yes: k%2 == 0})
		}
		for _, m := range append(list, &wire.Seats{}) {
			if s.Send(m, time.Second) != nil {
				break
			}
			v.messages.Add(1)
		}
		_ = c.Close()
	}
}

// multicast sends mDNS: garbage as large as a packet can be, questions without
// end, invented players, and lies about where the seats are.
func (v *villain) multicast() {
	iface, err := net.InterfaceByName(netlab.Device)
	if err != nil {
		return
	}
	c, err := net.DialUDP("udp4", &net.UDPAddr{IP: net.IPv4(10, 77, 0, 50)}, &net.UDPAddr{IP: net.IPv4(224, 0, 0, 251), Port: 5353, Zone: iface.Name})
	if err != nil {
		return
	}
	defer c.Close()
	const service = "_alibi._udp.local."
	huge := hugeQuery(service)
	for n := 0; v.breathe(time.Millisecond); n++ {
		id := link.PeerID(testKey(1 + n%4).ID())
		for _, packet := range [][]byte{
			huge,
			invented(service, fmt.Sprint("x", n), fmt.Sprint("bad", n)),
			invented(service, fmt.Sprint("y", n), id),
			{0, 0, 0x78, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xc0, 0x0c},
			questions(service),
		} {
			if _, err := c.Write(packet); err == nil {
				v.packets.Add(1)
			}
		}
	}
}

func invented(service, instance, id string) []byte {
	name := instance + "." + service
	header := func(name string, kind uint16) dns.RR_Header {
		return dns.RR_Header{Name: name, Rrtype: kind, Class: dns.ClassINET, Ttl: 120}
	}
	packet, _ := (&dns.Msg{MsgHdr: dns.MsgHdr{Response: true}, Answer: []dns.RR{
		&dns.PTR{Hdr: header(service, dns.TypePTR), Ptr: name},
		&dns.SRV{Hdr: header(name, dns.TypeSRV), Port: 9, Target: "host.local."},
		&dns.TXT{Hdr: header(name, dns.TypeTXT), Txt: []string{"alibi=1", "id=" + id, "r=9", "a=10.77.0.51,10.77.0.52,192.168.1.1"}},
	}}).Pack() // it fits
	return packet
}

func questions(service string) []byte {
	var msg dns.Msg
	for range 60 {
		msg.Question = append(msg.Question, dns.Question{Name: service, Qtype: dns.TypeANY, Qclass: dns.ClassINET | 1<<15})
	}
	msg.Compress = true
	packet, _ := msg.Pack() // it fits
	return packet
}

// hugeQuery is a packet of 60 KB with thousands of questions.
func hugeQuery(service string) []byte {
	var msg dns.Msg
	msg.Opcode = dns.OpcodeStatus
	for range 9000 {
		msg.Question = append(msg.Question, dns.Question{Name: service, Qtype: dns.TypePTR, Qclass: dns.ClassINET})
	}
	msg.Compress = true
	packet, _ := msg.Pack() // it fits
	return packet
}
