package node

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"runtime"
	"sync"
	"testing"
	"time"

	"alibi/crypto/feed"
	"alibi/p2p/link"
	"alibi/p2p/lobby"
	"alibi/p2p/replica"
	"alibi/p2p/wire"
)

// A Watching is all that a session needs to follow a game.
var _ interface {
	Arrivals() <-chan Arrival
	Publish(entries ...*feed.Signed)
	Early(a Arrival)
	Resync(seat int)
	Repeat(seat int, entries ...*feed.Signed)
	RepeatAll(entries ...*feed.Signed)
	Forget(drop func(*feed.Signed) bool)
	Presence() []Presence
	PresenceChanged() <-chan struct{}
	Flush(ctx context.Context) error
	Close()
} = (*Watching)(nil)

// newFollower follows a game without a seat.
func newFollower(t *testing.T, w *Watching, rounds uint32) *talker {
	t.Helper()
	c, err := feed.ParseCharter(w.Charter())
	if err != nil {
		t.Fatal(err)
	}
	return &talker{game: w.Game, me: -1, log: feed.NewLog(w.Charter(), c.IDs(), int(c.Leavers)), last: rounds}
}

func (k *testPeer) watchAddr(addr string) *Watching {
	k.t.Helper()
	w, err := k.WatchAddr(within(k.t), addr)
	if err != nil {
		k.t.Fatal(err)
	}
	return w
}

// stranger is a rogue who has no seat anywhere.
func stranger(t *testing.T, n int) *rogue { return newRogue(t, testKey(50+n)) }

// watch asks to watch and returns the answer.
func (r *rogue) watch(p *testPeer, table feed.Hash) (*link.Conn, *wire.Stream, wire.Message) {
	r.t.Helper()
	c, err := r.dial(p, link.Game)
	if err != nil {
		r.t.Fatal(err)
	}
	s := wire.NewGameStream(c)
	if err := s.Send(&wire.Watch{Version: wire.Version, Table: table}, long); err != nil {
		r.t.Fatal(err)
	}
	m, err := s.Receive(long)
	if err != nil {
		r.t.Fatal(err)
	}
	return c, s, m
}

// letIn asks to watch, is let in and says where it stands.
func (r *rogue) letIn(p *testPeer) (*link.Conn, *wire.Stream) {
	r.t.Helper()
	c, s, m := r.watch(p, feed.Hash{})
	if _, ok := m.(*wire.Charter); !ok {
		r.t.Fatalf("answered with %+v", m)
	}
	if err := s.Send(&wire.Where{}, long); err != nil {
		r.t.Fatal(err)
	}
	return c, s
}

// Whoever comes late to watch gets all that was said, follows to the end, and
// the last words reach it although everybody leaves after them.
func TestLateSpectator(t *testing.T) {
	peers, charter := startTable(t, 3)
	acquaint(peers, nil)
	var talkers []*talker
	for i, p := range peers {
		talkers = append(talkers, newTalker(t, p, charter, i, 60))
	}
	talkers[0].game.Spectators(MaxSpectators)
	late := make(chan struct{})
	talkers[0].each = func(round uint32) {
		if round == 25 {
			close(late)
		}
	}
	watcher := startPeer(t, Config{NoDiscovery: true})
	var wg sync.WaitGroup
	ctx := within(t)
	wg.Go(func() {
		<-late
		w, err := watcher.WatchAddr(ctx, peers[0].Addrs()[0])
		if err != nil {
			t.Error(err)
			return
		}
		k := newFollower(t, w, 60)
		if string(w.Charter()) != string(charter) || w.Table() != talkers[0].game.Table() {
			t.Error("it follows another game")
		}
		h, err := k.run(ctx)
		if err != nil || h != talkers[0].log.Prev() {
			t.Errorf("it comes to another end: %v", err)
		}
		if err := w.Flush(ctx); err != nil {
			t.Error(err)
		}
		w.Close()
	})
	talk(t, talkers...)
	for _, k := range talkers {
		k.game.Close()
	}
	wg.Wait()
}

// At the end of a game whoever watches is given what it lacks, as long as it
// takes it.
func TestFlushReachesSpectators(t *testing.T) {
	peers, charter := startTable(t, 2)
	g := peers[0].play(charter, 0)
	g.Spectators(1)
	w := startPeer(t, Config{NoDiscovery: true}).watchAddr(peers[0].Addrs()[0])
	awaitPresence(t, g, func([]Presence) bool { return g.Watchers() == 1 })
	const all = 2 * wire.Window
	ctx := within(t)
	next := uint32(0)
	await := func(until uint32) {
		for ; next < until; next++ {
			if a := awaitArrival(t, ctx, w.Game); a.Entry.Round != next {
				t.Fatalf("entry %d is of round %d", next, a.Entry.Round)
			}
		}
	}
	g.Publish(g.entry(t, 0, 0, ""))
	await(1) // it has been let in, and is being served by now
	for round := uint32(1); round < all; round++ {
		g.Publish(g.entry(t, 0, round, ""))
	}
	flushed := make(chan error, 1)
	go func() { flushed <- g.Flush(ctx); g.Close() }()
	await(all)
	if err := <-flushed; err != nil {
		t.Error(err)
	}
}

// A spectator sees who is connected: the seat that it watches over, and the
// others by that one's word. The seats see how many watch.
func TestSpectatorSeesPresence(t *testing.T) {
	peers, charter := startTable(t, 3)
	acquaint(peers[:2], nil)
	a := peers[0].play(charter, 0)
	peers[1].play(charter, 1)
	a.Spectators(2)
	w := startPeer(t, Config{NoDiscovery: true}).watchAddr(peers[0].Addrs()[0])
	p := awaitPresence(t, w.Game, func(p []Presence) bool { return p[0].State == Connected && p[1].State == Connected })
	if len(p) != 3 || p[0].Via != -1 || p[1].Via != 0 || p[2].State != Shaky {
		t.Errorf("it sees %+v", p)
	}
	awaitPresence(t, a, func([]Presence) bool { return a.Watchers() == 1 })
	if got := a.Presence(); len(got) != 3 {
		t.Errorf("a seat sees %+v", got)
	}
	w.Close()
	awaitPresence(t, a, func([]Presence) bool { return a.Watchers() == 0 })
	if _, open := <-w.Arrivals(); open {
		t.Error("arrivals after Close")
	}
}

// Nobody watches unless the game lets them, no more than it lets, and never
// somebody who has a seat.
func TestWhoMayWatch(t *testing.T) {
	peers, charter := startTable(t, 2)
	g := peers[0].play(charter, 0)
	addr := peers[0].Addrs()[0]
	watcher := startPeer(t, Config{NoDiscovery: true})
	try := func(p *testPeer, want error) {
		t.Helper()
		w, err := p.WatchAddr(within(t), addr)
		if !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
		if w != nil {
			w.Close()
		}
	}
	told := func(r *rogue, table feed.Hash, reason uint8) {
		t.Helper()
		if _, _, m := r.watch(peers[0], table); m.(*wire.Bye).Reason != reason {
			t.Errorf("told %+v, want %d", m, reason)
		}
	}
	try(watcher, ErrNotShown)
	if _, err := stranger(t, 0).dial(peers[0], link.Game); err == nil {
		t.Error("a stranger got in")
	}
	if _, err := peers[0].Open(within(t), offerFor(3), guest(1)); err != nil {
		t.Fatal(err)
	}
	try(watcher, ErrNotShown)
	told(stranger(t, 1), g.Table(), wire.ByeNoTable)

	g.Spectators(1)
	told(stranger(t, 2), feed.Hash{1}, wire.ByeNoTable)
	try(peers[1], ErrSeated)
	awaitPresence(t, g, func([]Presence) bool { return g.Watchers() == 0 })
	_, s := stranger(t, 3).letIn(peers[0])
	told(stranger(t, 4), g.Table(), wire.ByeFull)
	try(watcher, ErrCrowded)
	again, _ := stranger(t, 3).letIn(peers[0]) // in its own place
	cutOff(t, s)
	_ = again.Close()
	awaitPresence(t, g, func([]Presence) bool { return g.Watchers() == 0 })
	try(watcher, nil)

	g.Spectators(MaxSpectators + 1)
	for i := range MaxSpectators {
		_, s = stranger(t, 10+i).letIn(peers[0])
	}
	told(stranger(t, 20), g.Table(), wire.ByeFull)
	g.Spectators(0)
	cutOff(t, s)
	try(watcher, ErrNotShown)
}

func TestWatchAnotherVersion(t *testing.T) {
	peers, charter := startTable(t, 2)
	peers[0].play(charter, 0).Spectators(1)
	r := stranger(t, 0)
	c, err := r.dial(peers[0], link.Game)
	if err != nil {
		t.Fatal(err)
	}
	s := wire.NewGameStream(c)
	if err := s.Send(&wire.Watch{Version: wire.Version + 1}, long); err != nil {
		t.Fatal(err)
	}
	if m, err := s.Receive(long); err != nil || m.(*wire.Bye).Reason != wire.ByeVersion {
		t.Errorf("told %+v, %v", m, err)
	}
}

// Strangers are let in up to a number while a game is shown, whatever they do.
func TestStrangersAreBounded(t *testing.T) {
	peers, charter := startTable(t, 2)
	g := peers[0].play(charter, 0)
	g.Spectators(1)
	var in []*link.Conn
	ctx := within(t)
	for i := range 3 * maxStrangers {
		c, err := stranger(t, i).dial(peers[0], link.Game) // and says nothing
		if err == nil {
			in = append(in, c)
		}
	}
	peers[0].mu.Lock()
	n := peers[0].strangers()
	peers[0].mu.Unlock()
	if len(in) == 0 || n > maxStrangers+1 {
		t.Errorf("%d got in, %d are counted", len(in), n)
	}
	// Members get in all the same, and strangers again when there is room.
	newRogue(t, testKey(2)).enter(peers[0], g.Table())
	for _, c := range in {
		_ = c.Close()
	}
	for ctx.Err() == nil {
		if c, err := stranger(t, 100).dial(peers[0], link.Game); err == nil {
			_ = c.Close()
			return
		}
	}
	t.Error("nobody gets in any more")
}

// A spectator has nothing to say: whatever it says of the game ends its
// connection, and so does too much of what it may say.
func TestSpectatorHasNothingToSay(t *testing.T) {
	peers, charter := startTable(t, 2)
	acquaint(peers, nil)
	g := peers[0].play(charter, 0)
	g.Spectators(2)
	forged, err := feed.Seal(testKey(50), feed.Entry{Game: g.Table(), Seat: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]struct {
		wire.Message
		times int
	}{
		"an entry of a seat":      {&wire.Entry{Signed: g.entry(t, 1, 0, "")}, 1},
		"a forged entry":          {&wire.Entry{Signed: forged}, 1},
		"hello":                   {&wire.Hello{Version: wire.Version, Table: g.Table()}, 1},
		"watch, twice":            {&wire.Watch{Version: wire.Version}, 1},
		"a charter":               {&wire.Charter{Charter: charter}, 1},
		"pong":                    {&wire.Pong{}, 1},
		"goodbye":                 {&wire.Bye{}, 1},
		"taken, without entries":  {&wire.Taken{Count: 5}, 1},
		"where without end":       {&wire.Where{}, 10_000},
		"ping without end":        {&wire.Ping{}, 10_000},
		"taken nothing, each day": {&wire.Taken{}, 10_000},
		"everything again, often": {&wire.Where{Again: true}, 10_000},
	} {
		t.Run(name, func(t *testing.T) {
			c, s := stranger(t, 0).letIn(peers[0])
			began := time.Now()
			done := make(chan struct{})
			go func() {
				defer close(done)
				for range m.times {
					if s.Send(m.Message, long) != nil {
						return
					}
				}
			}()
			cutOff(t, s)
			_ = c.Close()
			<-done
			if took := time.Since(began); took > awayAfter/2 {
				t.Errorf("cut off after %v, for its silence", took)
			}
		})
	}
	c, s, _ := stranger(t, 1).watch(peers[0], g.Table())
	if err := s.Send(&wire.Ping{}, long); err != nil { // instead of where it stands
		t.Fatal(err)
	}
	cutOff(t, s)
	_ = c.Close()
	select {
	case a := <-g.Arrivals():
		t.Errorf("seat 0 was handed %+v", a.Entry.Entry)
	default:
	}
	var talkers []*talker
	for i, p := range peers {
		talkers = append(talkers, newTalker(t, p, charter, i, 10))
	}
	talk(t, talkers...)
}

// A spectator that stops reading costs those who play nothing, and not much of
// the time after the end.
func TestSpectatorThatStopsReading(t *testing.T) {
	peers, charter := startTable(t, 2)
	acquaint(peers, nil)
	var talkers []*talker
	for i, p := range peers {
		talkers = append(talkers, newTalker(t, p, charter, i, 200))
	}
	g := talkers[0].game
	g.Spectators(3)
	c, _ := stranger(t, 0).letIn(peers[0]) // and never reads again
	defer c.Close()
	silent, s := stranger(t, 1).letIn(peers[0]) // reads, and takes nothing in
	defer silent.Close()
	reading := make(chan int, 1)
	go func() {
		entries := 0
		for {
			m, err := s.Receive(long)
			if err != nil {
				reading <- entries
				return
			}
			if _, ok := m.(*wire.Entry); ok {
				entries++
			}
		}
	}()
	w := startPeer(t, Config{NoDiscovery: true}).watchAddr(peers[0].Addrs()[0])
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := newFollower(t, w, 200).run(within(t)); err != nil {
			t.Errorf("the one who reads: %v", err)
		}
	})
	talk(t, talkers...)
	wg.Wait()
	g.Close()
	if n := <-reading; n != wire.Window {
		t.Errorf("%d entries were sent to one who took in none", n)
	}
}

// The clock of a spectator that leaves untouched what it was sent.
func TestSlowSpectatorIsDropped(t *testing.T) {
	c, err := feed.ParseCharter(charterOf(t, 2))
	if err != nil {
		t.Fatal(err)
	}
	n, err := New(Config{NoDiscovery: true})
	if err != nil {
		t.Fatal(err)
	}
	g := newGame(n, charterOf(t, 2), c, 0)
	far := &seat{repeats: new(replica.Repeats)}
	x := g.newExchange(nil, nil, -1, far, 0)
	far.conns = append(far.conns, x)
	now := time.Unix(1_000_000, 0)
	x.plan = replica.NewPlan(g.book, far.repeats, 0, replica.Position{}, 0, now)
	x.moved, x.thrift = now, newThrift(now)
	idle := func(at time.Duration) time.Duration {
		m, wait := x.next(now.Add(at))
		if m != nil {
			t.Fatalf("at %v it is sent %T", at, m)
		}
		return wait
	}
	if idle(time.Hour) <= 0 {
		t.Error("dropped with nothing to take in")
	}
	g.book.Add(g.entry(t, 0, 0, ""))
	g.book.Add(g.entry(t, 0, 1, ""))
	for range 2 {
		if m, _ := x.next(now.Add(time.Hour)); m == nil {
			t.Fatal("it is sent nothing")
		}
	}
	if wait := idle(time.Hour + slowAfter - 1); wait <= 0 || wait > slowAfter {
		t.Errorf("early, it waits %v", wait)
	}
	if idle(time.Hour+slowAfter) >= 0 {
		t.Error("it is not dropped")
	}
	if err := x.take(&wire.Taken{Count: 0}, now.Add(time.Hour+slowAfter)); err != nil || idle(time.Hour+slowAfter) >= 0 {
		t.Errorf("saying nothing new helps: %v", err)
	}
	if err := x.take(&wire.Taken{Count: 1}, now.Add(time.Hour+slowAfter)); err != nil || idle(time.Hour+slowAfter) <= 0 {
		t.Errorf("taking something in does not help: %v", err)
	}
	if err := x.take(&wire.Taken{Count: 2}, now.Add(time.Hour+slowAfter)); err != nil || idle(24*time.Hour) <= 0 {
		t.Errorf("taking everything in does not help: %v", err)
	}
}

func TestThrift(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	h := newThrift(now)
	spend := func(at time.Duration) (n int) {
		for h.spend(now.Add(at)) {
			n++
		}
		return n
	}
	if n := spend(0); n != thriftBurst {
		t.Errorf("%d at once", n)
	}
	if n := spend(time.Second - 1); n != 0 {
		t.Errorf("%d more in the same second", n)
	}
	if n := spend(3 * time.Second); n != 3*thriftSecond {
		t.Errorf("%d after three seconds", n)
	}
	h.earn()
	if n := spend(3 * time.Second); n != thriftEntry {
		t.Errorf("%d for an entry", n)
	}
	if n := spend(time.Hour); n != thriftMost {
		t.Errorf("%d after an hour", n)
	}
	for range 1000 {
		h.earn()
	}
	if n := spend(time.Hour); n != thriftMost {
		t.Errorf("%d for many entries", n)
	}
}

// When a seat lets nobody watch any more, or is gone, another one does.
func TestSpectatorMovesOn(t *testing.T) {
	peers, charter := startTable(t, 3)
	acquaint(peers, nil)
	var talkers []*talker
	for i, p := range peers {
		talkers = append(talkers, newTalker(t, p, charter, i, 60))
		talkers[i].game.Spectators(1)
	}
	watcher := startPeer(t, Config{NoDiscovery: true})
	for _, p := range peers {
		watcher.Know(p.ID(), p.Addrs()...)
	}
	w := watcher.watchAddr(peers[1].Addrs()[0])
	talkers[1].each = func(round uint32) {
		if round == 20 {
			talkers[1].game.Spectators(0)
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := newFollower(t, w, 60).run(within(t)); err != nil {
			t.Error(err)
		}
	})
	talk(t, talkers...)
	wg.Wait()
	if n := talkers[0].game.Watchers() + talkers[2].game.Watchers(); n != 1 || talkers[1].game.Watchers() != 0 {
		t.Errorf("%d watch over the others, %d over seat 1", n, talkers[1].game.Watchers())
	}
	again, err := watcher.WatchAddr(within(t), peers[0].Addrs()[0])
	if err != nil || again != w {
		t.Errorf("watching once more: %v", err)
	}
}

// What is repeated to all, or to some seat, is shown to whoever watches: that is
// how it learns what convicts somebody.
func TestSpectatorIsShownRepeats(t *testing.T) {
	peers, charter := startTable(t, 2)
	g := peers[0].play(charter, 0)
	g.Spectators(1)
	first := g.vote(t, 1, 0, 0)
	g.RepeatAll(first)
	w := startPeer(t, Config{NoDiscovery: true}).watchAddr(peers[0].Addrs()[0])
	ctx := within(t)
	if got := awaitArrival(t, ctx, w.Game); got.From != 0 || string(got.Entry.Raw()) != string(first.Raw()) {
		t.Errorf("it was shown %+v", got)
	}
	g.Repeat(1, g.entry(t, 0, 5, "for seat 1"), first)
	g.RepeatAll(g.entry(t, 0, 6, "for all"))
	for _, round := range []uint32{5, 6} {
		if got := awaitArrival(t, ctx, w.Game); got.Entry.Round != round {
			t.Errorf("it was shown %+v", got.Entry.Entry)
		}
	}
	w.Repeat(0, first)
	w.RepeatAll(first)
	w.Publish(first)
	w.Resync(0)
	w.Early(Arrival{From: 0, Entry: g.entry(t, 0, 6, "for all")})
	w.Forget(func(*feed.Signed) bool { return true })
	if g.Watchers() != 1 {
		t.Error("it was cut off for that")
	}
}

// A game that lets spectators in is found like a table: once, however many of
// its seats announce it, and over whichever of them answers.
func TestGameIsFoundAndWatched(t *testing.T) {
	realm := rand.Text()
	var peers []*testPeer
	charter := charterOf(t, 2)
	for i := range 2 {
		peers = append(peers, startPeer(t, Config{Key: testKey(i + 1), Realm: realm}))
	}
	watcher := startPeer(t, Config{Realm: realm})
	var games []*Game
	for i, p := range peers {
		g := p.play(charter, i)
		games = append(games, g)
		if err := g.Describe(map[string]string{"edition": "card"}); err != nil {
			t.Error(err)
		}
		if err := g.Describe(map[string]string{"Edition!": "card"}); err == nil {
			t.Error("a summary that cannot be announced is taken")
		}
		g.Spectators(1)
	}
	table := watcher.awaitTable(func(t Table) bool { return t.Game != "" })
	if table.Name != t.Name() || table.Host != "player 0" || table.Problem == "" || table.Seats != 2 || table.Taken != 2 ||
		!maps.Equal(table.Summary, map[string]string{"edition": "card"}) {
		t.Errorf("found %+v", table)
	}
	if _, err := watcher.Join(within(t), table, guest(9)); !errors.Is(err, lobby.ErrNoTable) {
		t.Errorf("joining it: %v", err)
	}
	both := func() bool {
		n := 0
		for _, p := range watcher.heard() {
			if p.Info[infoGame] == table.Game {
				n++
			}
		}
		return n == 2
	}
	ctx := within(t)
	for !both() {
		select {
		case <-watcher.TablesChanged():
		case <-ctx.Done():
			t.Fatal("the seats do not both announce it")
		}
	}
	if all := watcher.Tables(); len(all) != 1 {
		t.Errorf("it is listed as %+v", all)
	}
	// The one that is listed lets nobody in by the time: the other one does.
	seat := 0
	if table.Opener == peers[1].ID() {
		seat = 1
	}
	stranger(t, 0).letIn(peers[seat])
	w, err := watcher.Watch(ctx, table)
	if err != nil {
		t.Fatal(err)
	}
	if w.Table() != games[0].Table() {
		t.Error("it watches another game")
	}
	awaitPresence(t, games[1-seat], func([]Presence) bool { return games[1-seat].Watchers() == 1 })
	if _, err := watcher.Watch(ctx, Table{Opener: peers[seat].ID(), Game: "0123456789abcdef"}); err == nil {
		t.Error("it watches what it did not mean")
	}
	for _, g := range games {
		g.Spectators(0)
	}
	for len(watcher.Tables()) > 0 {
		select {
		case <-watcher.TablesChanged():
		case <-ctx.Done():
			t.Fatal("the game is still shown")
		}
	}
}

func TestWatchingLeavesNothingBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	peers, charter := startTable(t, 2)
	peers[0].play(charter, 0).Spectators(2)
	watcher := startPeer(t, Config{NoDiscovery: true})
	w := watcher.watchAddr(peers[0].Addrs()[0])
	w.Close()
	watcher.watchAddr(peers[0].Addrs()[0])
	watcher.stop()
	if _, err := watcher.WatchAddr(within(t), peers[0].Addrs()[0]); !errors.Is(err, ErrNotRunning) {
		t.Errorf("after the end: %v", err)
	}
	if _, err := watcher.Watch(within(t), Table{Opener: peers[0].ID(), Addrs: peers[0].Addrs()}); !errors.Is(err, ErrNotRunning) {
		t.Errorf("after the end: %v", err)
	}
	for _, p := range peers {
		p.stop()
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
