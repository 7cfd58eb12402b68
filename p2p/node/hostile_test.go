package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/p2p/link"
	"alibi/p2p/lobby"
	"alibi/p2p/wire"
)

// rogue is somebody who speaks the protocol by hand.
type rogue struct {
	t    *testing.T
	key  identity.Key
	host *link.Host
}

func newRogue(t *testing.T, key identity.Key) *rogue {
	t.Helper()
	h := link.New(link.Config{Key: key, LoopbackOnly: true, Handle: func(context.Context, *link.Conn) {}})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- h.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	<-h.Up()
	return &rogue{t: t, key: key, host: h}
}

func (r *rogue) dial(p *testPeer, proto string) (*link.Conn, error) {
	addr := netip.MustParseAddrPort(p.Addrs()[0])
	return r.host.Dial(within(r.t), p.ID(), []netip.AddrPort{addr}, proto)
}

// enter connects as a seat of a game and says hello.
func (r *rogue) enter(p *testPeer, table feed.Hash) (*link.Conn, *wire.Stream) {
	r.t.Helper()
	c, err := r.dial(p, link.Game)
	if err != nil {
		r.t.Fatal(err)
	}
	s := wire.NewGameStream(c)
	if err := s.Send(&wire.Hello{Version: wire.Version, Table: table}, long); err != nil {
		r.t.Fatal(err)
	}
	if m, err := s.Receive(long); err != nil {
		r.t.Fatal(err)
	} else if _, ok := m.(*wire.Hello); !ok {
		r.t.Fatalf("answered with %T", m)
	}
	return c, s
}

// cutOff waits until the far end has closed.
func cutOff(t *testing.T, s *wire.Stream) {
	t.Helper()
	ctx := within(t)
	for ctx.Err() == nil {
		if _, err := s.Receive(long); err != nil {
			return
		}
	}
	t.Error("not cut off")
}

func (k *testPeer) play(charter []byte, me int) *Game {
	k.t.Helper()
	g, err := k.Play(charter, me)
	if err != nil {
		k.t.Fatal(err)
	}
	return g
}

// Before the charter nobody but a table's guests, in a game nobody but its
// seats: everybody else is refused when the key is known, before any stream.
func TestOnlyMembersGetIn(t *testing.T) {
	peers, charter := startTable(t, 3)
	a := peers[0]
	stranger := newRogue(t, testKey(50))
	if _, err := stranger.dial(a, link.Lobby); err == nil {
		t.Error("a stranger got into a lobby that is not open")
	}
	if _, err := stranger.dial(a, link.Game); err == nil {
		t.Error("a stranger got into a game that is not played")
	}
	g := a.play(charter, 0)
	for _, proto := range []string{link.Lobby, link.Game} {
		if _, err := stranger.dial(a, proto); err == nil {
			t.Errorf("a stranger got in by %s while a game is played", proto)
		}
	}
	member := newRogue(t, testKey(2))
	member.enter(a, g.Table())

	// With a table open besides, a stranger gets as far as the lobby only.
	if _, err := a.Open(within(t), offerFor(3), guest(1)); err != nil {
		t.Fatal(err)
	}
	c, err := stranger.dial(a, link.Game)
	if err != nil {
		t.Fatal(err)
	}
	s := wire.NewGameStream(c)
	if err := s.Send(&wire.Hello{Version: wire.Version, Table: g.Table()}, long); err != nil {
		t.Fatal(err)
	}
	if m, err := s.Receive(long); err == nil {
		t.Errorf("a stranger was answered with %T", m)
	}
	p := awaitPresence(t, g, func(p []Presence) bool { return p[1].State == Connected })
	if p[2].State == Connected {
		t.Errorf("presence %v", p)
	}
}

func TestMisbehavingSeat(t *testing.T) {
	peers, charter := startTable(t, 3)
	g := peers[0].play(charter, 0)
	seal := func(body int) *feed.Signed {
		e, err := feed.Seal(testKey(2), feed.Entry{Game: g.Table(), Seat: 1, Body: make([]byte, body)})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	noSeat, err := feed.Seal(testKey(2), feed.Entry{Game: g.Table(), Seat: 7})
	if err != nil {
		t.Fatal(err)
	}
	repeat := func(m wire.Message, n int) func(*wire.Stream) {
		return func(s *wire.Stream) {
			for range n {
				if s.Send(m, long) != nil {
					return
				}
			}
		}
	}
	raw := func(b []byte) func(*link.Conn) {
		return func(c *link.Conn) { _, _ = c.Write(b) }
	}
	for name, act := range map[string]any{
		"floods with entries":            repeat(&wire.Entry{Signed: seal(60_000)}, 500),
		"sends for a seat there is not":  repeat(&wire.Entry{Signed: noSeat}, 1),
		"says hello twice":               repeat(&wire.Hello{Version: wire.Version, Table: g.Table()}, 1),
		"took what was never sent":       repeat(&wire.Taken{Count: 5}, 1),
		"asks for everything again":      repeat(&wire.Where{Again: true}, 10_000),
		"speaks the lobby's language":    raw(wire.AppendFrame(nil, []byte{20, 0x81, 0xf5})),
		"sends a giant frame":            raw([]byte{0xff, 0xff, 0xff, 0xff, 0x07}),
		"sends what is no CBOR":          raw(wire.AppendFrame(nil, []byte{2, 0xff})),
		"sends an entry that is nothing": raw(wire.AppendFrame(nil, make([]byte, 100))),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRogue(t, testKey(2))
			c, s := r.enter(peers[0], g.Table())
			done := make(chan struct{})
			go func() {
				defer close(done)
				switch act := act.(type) {
				case func(*wire.Stream):
					act(s)
				case func(*link.Conn):
					act(c)
				}
			}()
			cutOff(t, s)
			_ = c.Close()
			<-done
		})
	}
	for name, hello := range map[string]wire.Message{
		"another version": &wire.Hello{Version: 2, Table: g.Table()},
		"another table":   &wire.Hello{Version: wire.Version, Table: feed.Hash{1}},
		"no hello":        &wire.Ping{},
	} {
		r := newRogue(t, testKey(2))
		c, err := r.dial(peers[0], link.Game)
		if err != nil {
			t.Fatal(err)
		}
		s := wire.NewGameStream(c)
		if err := s.Send(hello, long); err != nil {
			t.Fatal(err)
		}
		if name == "another version" {
			_, _ = s.Receive(long) // both say hello first
		}
		if m, err := s.Receive(long); err == nil {
			t.Errorf("%s: answered with %T", name, m)
		}
	}
	// All that has cost the others nothing: the honest seats play on.
	acquaint(peers, nil)
	var talkers []*talker
	for i, p := range peers {
		talkers = append(talkers, newTalker(t, p, charter, i, 10))
	}
	for _, k := range talkers {
		k.lenient = true
	}
	talk(t, talkers...)
}

// A peer that reads nothing, and one that floods, hold a bounded amount of
// this one's memory, and stop nobody.
func TestSlowAndFloodingPeersCostLittle(t *testing.T) {
	peers, charter := startTable(t, 4)
	acquaint(peers[:2], nil)
	g := peers[0].play(charter, 0)
	slow := newRogue(t, testKey(3))
	c, _ := slow.enter(peers[0], g.Table()) // and never reads again
	defer c.Close()
	flood := newRogue(t, testKey(4))
	go func() {
		for range 20 {
			c, err := flood.dial(peers[0], link.Game)
			if err != nil {
				return
			}
			_, _ = io.Copy(c, endless{})
			_ = c.Close()
		}
	}()

	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	other := peers[1].play(charter, 1)
	const rounds, size = 200, 50_000
	var got int
	done := make(chan struct{})
	ctx := within(t)
	go func() {
		defer close(done)
		for got < rounds {
			select {
			case a := <-other.Arrivals():
				other.Publish(a.Entry)
				got++
			case <-ctx.Done():
				return
			}
		}
	}()
	for round := range uint32(rounds) {
		e, err := feed.Seal(testKey(1), feed.Entry{Game: g.Table(), Round: round, Body: make([]byte, size)})
		if err != nil {
			t.Fatal(err)
		}
		g.Publish(e)
	}
	<-done
	if got != rounds {
		t.Fatalf("the honest peer got %d of %d; %v", got, rounds, g.Presence())
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	// Both books hold the entries once each, as bytes and decoded; the slow
	// peer's window and the socket buffers come on top.
	limit := uint64(4*rounds*size + 16<<20)
	if grown := after.HeapAlloc - min(before.HeapAlloc, after.HeapAlloc); grown > limit {
		t.Errorf("%d MB more in use, limit %d MB", grown>>20, limit>>20)
	}
}

// endless is bytes without end that begin like a frame.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 3
	}
	return len(b), nil
}

func TestFlush(t *testing.T) {
	peers, charter := startTable(t, 2)
	acquaint(peers, nil)
	a, b := peers[0].play(charter, 0), peers[1].play(charter, 1)
	if err := a.Flush(within(t)); err != nil {
		t.Errorf("nobody connected: %v", err)
	}
	awaitPresence(t, a, func(p []Presence) bool { return p[1].State == Connected })
	for round := range uint32(100) {
		e, err := feed.Seal(testKey(1), feed.Entry{Game: a.Table(), Round: round})
		if err != nil {
			t.Fatal(err)
		}
		a.Publish(e)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := a.Flush(ctx); !errors.Is(err, ErrUndelivered) {
		t.Errorf("nobody reads: %v", err)
	}
	got := make(chan int)
	go func() {
		n := 0
		for range b.Arrivals() {
			if n++; n == 100 {
				break
			}
		}
		got <- n
	}()
	if err := a.Flush(within(t)); err != nil {
		t.Error(err)
	}
	if n := <-got; n != 100 {
		t.Errorf("%d of 100 arrived", n)
	}
	a.Close()
	if _, open := <-a.Arrivals(); open {
		t.Error("arrivals after Close")
	}
	if again, err := peers[0].Play(charter, 0); err != nil || again == a {
		t.Errorf("taking the game up again: %v", err)
	}
}

func TestLobbyGuestsFromHell(t *testing.T) {
	a := startPeer(t, Config{NoDiscovery: true})
	s, err := a.Open(within(t), offerFor(3), guest(1))
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"giant frame":    {0xff, 0xff, 0xff, 0xff, 0x07},
		"over the limit": {0x81, 0x80, 0x02},
		"no CBOR":        wire.AppendFrame(nil, []byte{18, 0xff}),
		"game message":   wire.AppendFrame(nil, []byte{3, 1, 2, 3}),
		"empty frame":    {0},
	} {
		r := newRogue(t, testKey(60))
		c, err := r.dial(a, link.Lobby)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, _ = c.Write(b)
		cutOff(t, wire.NewLobbyStream(c))
	}
	// One identity, many connections: the newest counts, nothing piles up.
	r := newRogue(t, testKey(61))
	for i := range 10 {
		c, err := r.dial(a, link.Lobby)
		if err != nil {
			t.Fatal(err)
		}
		stream := wire.NewLobbyStream(c)
		if m, err := stream.Receive(long); err != nil {
			t.Fatal(err)
		} else if _, ok := m.(*wire.Offer); !ok {
			t.Fatalf("connection %d is told %+v", i, m)
		}
		if err := stream.Send(&wire.Sit{Name: fmt.Sprint("x", i), Commitment: feed.Hash{byte(i), 9}}, long); err != nil {
			t.Fatal(err)
		}
		if m, err := stream.Receive(long); err != nil {
			t.Fatal(err)
		} else if _, ok := m.(*wire.Seats); !ok {
			t.Fatalf("connection %d is told %+v", i, m)
		}
	}
	v := awaitView(t, s, "one guest", func(v lobby.View) bool { return taken(v) == 2 })
	if v.Seats[1].Name != "x9" || v.Seats[2].Taken() {
		t.Errorf("%+v", v.Seats)
	}
}

// A guest that agrees to the charter and loses its connection before it hears
// that everybody did asks again, and is told.
func TestLastWordOfALobby(t *testing.T) {
	a := startPeer(t, Config{Key: testKey(1), NoDiscovery: true})
	s, err := a.Open(within(t), offerFor(2), guest(1))
	if err != nil {
		t.Fatal(err)
	}
	s.Ready(true)
	r := newRogue(t, testKey(2))
	c, err := r.dial(a, link.Lobby)
	if err != nil {
		t.Fatal(err)
	}
	stream := wire.NewLobbyStream(c)
	for _, m := range []wire.Message{&wire.Sit{Name: "x", Commitment: feed.Hash{5}}, &wire.Ready{Yes: true}} {
		if err := stream.Send(m, long); err != nil {
			t.Fatal(err)
		}
	}
	for {
		m, err := stream.Receive(long)
		if err != nil {
			t.Fatal(err)
		}
		if f, ok := m.(*wire.Final); ok {
			if err := stream.Send(&wire.Agreed{Table: feed.TableHash(f.Charter)}, long); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	charter, _, err := s.Wait(within(t))
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	c, err = r.dial(a, link.Lobby)
	if err != nil {
		t.Fatal(err)
	}
	m, err := wire.NewLobbyStream(c).Receive(long)
	if b, ok := m.(*wire.Begin); !ok || b.Table != feed.TableHash(charter) {
		t.Errorf("told %+v, %v", m, err)
	}
	if _, err := newRogue(t, testKey(3)).dial(a, link.Lobby); err == nil {
		t.Error("a stranger got in")
	}
}

// The same from the guest's side, with an opener that hangs up at the worst moment.
func TestOpenerHangsUpAtTheWorstMoment(t *testing.T) {
	b := startPeer(t, Config{Key: testKey(2), NoDiscovery: true})
	c := feed.Charter{Name: "Evening", Terms: []byte("terms"), Seats: []feed.Seat{
		{Name: "host", ID: testKey(1).ID(), Commitment: feed.Hash{1}}, {Name: guest(2).Name, ID: b.ID(), Commitment: feed.Hash{2, 1}}}}
	charter, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	calls := make(chan int, 8)
	calls <- 0
	say := func(s *wire.Stream, list ...wire.Message) {
		for _, m := range list {
			_ = s.Send(m, long)
		}
	}
	until := func(s *wire.Stream, want func(wire.Message) bool) {
		for {
			if m, err := s.Receive(long); err != nil || want(m) {
				return
			}
		}
	}
	opener := link.New(link.Config{Key: testKey(1), LoopbackOnly: true, Admit: func(identity.ID) bool { return true },
		Handle: func(_ context.Context, conn *link.Conn) {
			s := wire.NewLobbyStream(conn)
			call := <-calls
			calls <- call + 1
			if call > 0 {
				say(s, &wire.Begin{Table: feed.TableHash(charter)})
				conn.Finish(time.Second)
				return
			}
			say(s, &wire.Offer{Version: wire.Version, Table: "Evening", Terms: []byte("terms"), Seats: 2})
			until(s, func(m wire.Message) bool { _, ok := m.(*wire.Sit); return ok })
			say(s, &wire.Seats{You: 1, List: []wire.Seat{{Name: "host", ID: c.Seats[0].ID, Commitment: c.Seats[0].Commitment},
				{Name: c.Seats[1].Name, ID: c.Seats[1].ID, Commitment: c.Seats[1].Commitment}}})
			until(s, func(m wire.Message) bool { _, ok := m.(*wire.Ready); return ok })
			say(s, &wire.Final{Charter: charter})
			until(s, func(m wire.Message) bool { _, ok := m.(*wire.Agreed); return ok })
		}})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- opener.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	<-opener.Up()
	s, err := b.JoinAddr(within(t), fmt.Sprint("127.0.0.1:", opener.Port()), guest(2))
	if err != nil {
		t.Fatal(err)
	}
	s.Ready(true)
	got, me, err := s.Wait(within(t))
	if err != nil || me != 1 || string(got) != string(charter) {
		t.Errorf("seat %d, %v", me, err)
	}
}
