package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/p2p/lobby"
)

const long = 30 * time.Second

// testKey is the same key for the same number every time; they sort by nothing
// in particular.
func testKey(n int) identity.Key { return identity.KeyFromSeed([32]byte{byte(n), 77}) }

// testPeer is a node under test.
type testPeer struct {
	*Node
	t    *testing.T
	stop func()
}

// startPeer runs a node on loopback until the test ends or stop is called.
func startPeer(t *testing.T, c Config) *testPeer {
	t.Helper()
	c.LoopbackOnly = true
	n, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- n.Run(ctx) }()
	select {
	case <-n.Up():
	case err := <-done:
		t.Fatalf("Run: %v", err)
	}
	var once sync.Once
	p := &testPeer{Node: n, t: t, stop: func() {
		once.Do(func() {
			cancel()
			if err := <-done; err != nil {
				t.Errorf("Run: %v", err)
			}
		})
	}}
	t.Cleanup(p.stop)
	return p
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), long)
	t.Cleanup(cancel)
	return ctx
}

func guest(n int) Me {
	return Me{Name: fmt.Sprintf("player %d", n), Commit: func(lobby.Offer) (feed.Hash, error) {
		return feed.Hash{byte(n), 1}, nil
	}}
}

func offerFor(seats int) lobby.Offer {
	return lobby.Offer{Table: "Evening", Terms: []byte("terms"), Seats: seats, Summary: map[string]string{"edition": "card"}}
}

// awaitTable waits until a node finds a table.
func (p *testPeer) awaitTable(want func(Table) bool) Table {
	p.t.Helper()
	ctx := within(p.t)
	for {
		for _, t := range p.Tables() {
			if want(t) {
				return t
			}
		}
		select {
		case <-p.TablesChanged():
		case <-ctx.Done():
			p.t.Fatalf("no table found; %+v; %s", p.Tables(), p.Status().Finding)
		}
	}
}

// awaitView waits until a sitting looks as wanted.
func awaitView(t *testing.T, s *Sitting, what string, want func(lobby.View) bool) lobby.View {
	t.Helper()
	ctx := within(t)
	for {
		if v := s.View(); want(v) {
			return v
		}
		select {
		case _, ok := <-s.Updates():
			if !ok && !want(s.View()) {
				t.Fatalf("%s: the sitting ended with %+v", what, s.View())
			}
		case <-ctx.Done():
			t.Fatalf("%s: still %+v", what, s.View())
		}
	}
}

func taken(v lobby.View) (n int) {
	for _, s := range v.Seats {
		if s.Taken() {
			n++
		}
	}
	return n
}

// sitDown brings n new nodes from nothing to a charter: the first opens, the
// others find the table and join.
func sitDown(t *testing.T, n int) (peers []*testPeer, charter []byte, seats []int) {
	t.Helper()
	realm := rand.Text()
	var sittings []*Sitting
	for i := range n {
		peers = append(peers, startPeer(t, Config{Key: testKey(i + 1), Realm: realm}))
	}
	s, err := peers[0].Open(within(t), offerFor(n), guest(1))
	if err != nil {
		t.Fatal(err)
	}
	sittings = append(sittings, s)
	for i, p := range peers[1:] {
		table := p.awaitTable(func(t Table) bool { return t.Name == "Evening" && t.Problem == "" })
		if table.Host != "player 1" || table.Seats != n || table.Summary["edition"] != "card" {
			t.Errorf("found %+v", table)
		}
		s, err := p.Join(within(t), table, guest(i+2))
		if err != nil {
			t.Fatal(err)
		}
		sittings = append(sittings, s)
	}
	for i, s := range sittings {
		v := awaitView(t, s, fmt.Sprintf("sitting %d", i), func(v lobby.View) bool { return taken(v) == n })
		if v.Me != i || v.Seats[i].Name != guest(i+1).Name || v.Opener != peers[0].ID() {
			t.Errorf("peer %d sees %+v", i, v)
		}
		s.Ready(true)
	}
	for i, s := range sittings {
		c, me, err := s.Wait(within(t))
		if err != nil {
			t.Fatalf("sitting %d: %v", i, err)
		}
		if charter != nil && string(charter) != string(c) {
			t.Fatal("two charters")
		}
		charter = c
		seats = append(seats, me)
	}
	return peers, charter, seats
}

func TestFromNothingToACharter(t *testing.T) {
	peers, charter, seats := sitDown(t, 4)
	c, err := feed.ParseCharter(charter)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range peers {
		if s := c.Seats[seats[i]]; s.ID != p.ID() || s.Commitment != (feed.Hash{byte(i + 1), 1}) || s.Name != guest(i+1).Name {
			t.Errorf("seat %d is %+v", i, s)
		}
	}
	if c.Name != "Evening" || string(c.Terms) != "terms" {
		t.Errorf("charter %+v", c)
	}
	// The table is not shown any more.
	ctx := within(t)
	for len(peers[1].Tables()) > 0 {
		select {
		case <-peers[1].TablesChanged():
		case <-ctx.Done():
			t.Fatal("the table is still shown")
		}
	}
}

func TestJoinByTypedAddress(t *testing.T) {
	a := startPeer(t, Config{NoDiscovery: true})
	b := startPeer(t, Config{NoDiscovery: true})
	if _, err := b.JoinAddr(within(t), a.Addrs()[0], guest(2)); !errors.Is(err, lobby.ErrNoTable) {
		t.Errorf("no table there: %v", err)
	}
	s, err := a.Open(within(t), offerFor(2), guest(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{a.Addrs()[0], "[::1]:" + fmt.Sprint(a.Status().Port), "localhost:" + fmt.Sprint(a.Status().Port),
		"/ip4/127.0.0.1/tcp/" + fmt.Sprint(a.Status().Port), "/ip4/127.0.0.1/udp/" + fmt.Sprint(a.Status().Port) + "/quic-v1/p2p/" + a.Status().Peer} {
		joined, err := b.JoinAddr(within(t), text, guest(2))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		joined.Leave()
		awaitView(t, s, "after leaving", func(v lobby.View) bool { return taken(v) == 1 })
	}
	for _, text := range []string{"", "x", "10.0.0.1", "10.0.0.1:0", "10.0.0.1:99999", "/ip4/10.0.0.1", "/dns4/x/tcp/x", "224.0.0.1:4001", "0.0.0.0:1"} {
		if _, err := b.JoinAddr(within(t), text, guest(2)); !errors.Is(err, errAddress) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestNothingAnswersAtATypedAddress(t *testing.T) {
	b := startPeer(t, Config{NoDiscovery: true})
	began := time.Now()
	// A port nobody listens on, and a network for documentation only.
	for _, addr := range []string{"127.0.0.1:9", "192.0.2.1:4001"} {
		if _, err := b.JoinAddr(within(t), addr, guest(2)); !errors.Is(err, ErrUnreachable) {
			t.Errorf("%s: %v", addr, err)
		}
	}
	if took := time.Since(began); took > 11*time.Second {
		t.Errorf("it took %v to say so", took)
	}
}

func TestLeavingFreesTheSeat(t *testing.T) {
	realm := rand.Text()
	a := startPeer(t, Config{Realm: realm})
	b := startPeer(t, Config{Realm: realm})
	c := startPeer(t, Config{Realm: realm})
	s, err := a.Open(within(t), offerFor(2), guest(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Open(within(t), offerFor(2), guest(1)); !errors.Is(err, ErrBusy) {
		t.Errorf("two tables: %v", err)
	}
	free := func(t Table) bool { return t.Problem == "" && t.Name != "" }
	joined, err := b.Join(within(t), b.awaitTable(free), guest(2))
	if err != nil {
		t.Fatal(err)
	}
	full := c.awaitTable(func(t Table) bool { return t.Taken == 2 })
	if full.Problem != "every seat is taken" {
		t.Errorf("full table: %+v", full)
	}
	if _, err := c.Join(within(t), full, guest(3)); !errors.Is(err, lobby.ErrFull) {
		t.Errorf("joining a full table: %v", err)
	}
	joined.Leave()
	if _, _, err := joined.Wait(within(t)); !errors.Is(err, lobby.ErrLeft) {
		t.Errorf("left: %v", err)
	}
	again, err := c.Join(within(t), c.awaitTable(free), guest(3))
	if err != nil {
		t.Fatal(err)
	}
	awaitView(t, s, "new guest", func(v lobby.View) bool { return v.Seats[1].Name == "player 3" })
	s.Remove(c.ID())
	if _, _, err := again.Wait(within(t)); !errors.Is(err, lobby.ErrRemoved) {
		t.Errorf("removed: %v", err)
	}
	third, err := b.Join(within(t), b.awaitTable(free), guest(2))
	if err != nil {
		t.Fatal(err)
	}
	s.Leave()
	if _, _, err := third.Wait(within(t)); !errors.Is(err, lobby.ErrClosed) {
		t.Errorf("table closed: %v", err)
	}
	if _, err := a.Open(within(t), offerFor(2), guest(1)); err != nil {
		t.Errorf("a second table after the first: %v", err)
	}
}

func TestRunLeavesNothingBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	peers, charter, seats := sitDown(t, 3)
	for i, p := range peers {
		if _, err := p.Play(charter, seats[i]); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := peers[0].Open(within(t), offerFor(3), guest(1)); err != nil {
		t.Fatal(err)
	}
	for _, p := range peers {
		p.stop()
		if _, err := p.Play(charter, 0); !errors.Is(err, ErrNotRunning) && !errors.Is(err, ErrNotSeated) {
			t.Errorf("after the end: %v", err)
		}
	}
	ctx := within(t)
	tick := time.NewTicker(10 * time.Millisecond)
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
