package node

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/p2p/link"
	"alibi/p2p/lobby"
	"alibi/p2p/wire"
)

// The book of addresses is bounded, and keeps those who are asked for.
func TestAddressBookKeepsTheLatest(t *testing.T) {
	b := newAddressBook()
	at := netip.MustParseAddrPort("10.0.0.1:4001")
	who := func(n int) identity.ID { return identity.ID{byte(n), byte(n >> 8), 1} }
	for n := range 3 * maxKnown {
		b.add(who(n), at)
		if len(b.of(who(0))) != 1 {
			t.Fatalf("the one who is dialled all the time is forgotten after %d others", n)
		}
	}
	if len(b.at) != maxKnown || b.of(who(1)) != nil || b.of(who(3*maxKnown-1)) == nil {
		t.Errorf("%d identities", len(b.at))
	}
	for port := range uint16(100) {
		b.add(who(0), netip.AddrPortFrom(at.Addr(), 1+port))
		b.prefer(who(2), netip.AddrPortFrom(at.Addr(), 1+port))
	}
	if first, second := b.of(who(0)), b.of(who(2)); len(first) != maxKnownAddr || len(second) != maxKnownAddr || second[0].Port() != 100 {
		t.Errorf("%v, %v", first, second)
	}
}

// Lies about where somebody is do not push out what has worked.
func TestMixOfAddresses(t *testing.T) {
	list := func(net byte, n int) (out []netip.AddrPort) {
		for i := range n {
			out = append(out, netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, net, byte(i)}), 4001))
		}
		return out
	}
	known, heard := list(1, 5), list(2, 8)
	want := slices.Concat(known[:1], heard[:4], known[1:3], heard[4:], known[3:])
	if got := mix(known, heard); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if got := mix(known, append([]netip.AddrPort{known[1]}, heard...)); len(got) != 13 || got[1] != known[1] {
		t.Errorf("%v", got)
	}
	for n := range 5 {
		if got := mix(known[:n], heard[:n]); len(got) != 2*n {
			t.Errorf("%d of each: %v", n, got)
		}
	}
}

// Nobody on this network can have others dial computers elsewhere.
func TestCredible(t *testing.T) {
	claimed := parseAddrs([]string{"10.1.2.3:1", "8.8.8.8:53", "[2001:db8::1]:443", "[fd00::1]:1", "169.254.1.1:1", "100.64.1.1:1"}, false)
	for from, want := range map[string]int{"192.168.1.2": 4, "127.0.0.1": 4, "fe80::1": 4, "203.0.113.5": 6} {
		if got := credible(slices.Clone(claimed), netip.MustParseAddr(from)); len(got) != want {
			t.Errorf("from %s: %v", from, got)
		}
	}
	if !near(netip.MustParseAddr("2001:db8::7"), []netip.Prefix{netip.MustParsePrefix("2001:db8::/64")}) {
		t.Error("an address in a network of our own is far")
	}
}

// An opener or a guest who gives others' addresses has nobody dial them.
func TestAddressesOfStrangersAreNotDialled(t *testing.T) {
	far := []string{"8.8.8.8:53", "203.0.113.7:80", "10.255.255.1:4001"}
	a := startPeer(t, Config{NoDiscovery: true})
	s, err := a.Open(within(t), offerFor(2), guest(1))
	if err != nil {
		t.Fatal(err)
	}
	r := newRogue(t, testKey(60))
	c, err := r.dial(a, link.Lobby)
	if err != nil {
		t.Fatal(err)
	}
	if err := wire.NewLobbyStream(c).Send(&wire.Sit{Name: "x", Commitment: feed.Hash{9}, Addrs: far}, long); err != nil {
		t.Fatal(err)
	}
	v := awaitView(t, s, "one guest", func(v lobby.View) bool { return taken(v) == 2 })
	if got := v.Seats[1].Addrs; len(got) != 2 || got[0] != "127.0.0.1:53" || got[1] != far[2] {
		t.Errorf("a guest is shown at %v", got)
	}

	b := startPeer(t, Config{NoDiscovery: true})
	v.Seats[1].Addrs = far
	b.remember(v, netip.MustParseAddr("10.0.0.1"))
	if got := b.addresses(v.Seats[1].ID); len(got) != 1 || got[0].String() != far[2] {
		t.Errorf("an opener's word is taken for %v", got)
	}
}

// However many messages change the table, a guest that reads late has the
// latest state in its queue and is not cut off.
func TestSeatsInTheQueueAreTheLatest(t *testing.T) {
	a := startPeer(t, Config{NoDiscovery: true, Key: testKey(1)})
	hold := make(chan *link.Conn, 1)
	h := link.New(link.Config{Key: testKey(2), LoopbackOnly: true, Admit: func(identity.ID) bool { return true },
		Handle: func(ctx context.Context, c *link.Conn) { hold <- c; <-ctx.Done() }})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- h.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	<-h.Up()
	at := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(h.Port()))
	conn, err := a.host.Dial(within(t), testKey(2).ID(), []netip.AddrPort{at}, link.Lobby)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	c := newLobbyConn(conn) // nobody sends yet
	seats := func(n int) *wire.Seats { return &wire.Seats{You: uint8(n % 2), List: make([]wire.Seat, 2)} }
	c.put(&wire.Ready{Yes: true}, false)
	for n := range 1001 {
		c.put(seats(n), false)
	}
	c.put(&wire.Final{}, false)
	c.put(seats(1), false)
	if len(c.out) != 4 || c.out[1].message.(*wire.Seats).You != 0 {
		t.Errorf("%d in the queue, the second %+v", len(c.out), c.out[1].message)
	}
	c.work.Go(c.write)
	in := wire.NewLobbyStream(<-hold)
	for i, want := range []wire.Message{&wire.Ready{}, &wire.Seats{}, &wire.Final{}, &wire.Seats{}} {
		m, err := in.Receive(long)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprintf("%T", m) != fmt.Sprintf("%T", want) {
			t.Errorf("message %d is %T", i, m)
		}
	}
	for range 2 * lobbyQueue {
		c.put(&wire.Ready{}, false) // these are not merged
	}
	c.finish()
}
