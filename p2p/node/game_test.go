package node

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
)

// talker plays a game without rules: in every round every seat says one thing.
type talker struct {
	game *Game
	key  identity.Key
	me   int
	log  *feed.Log
	last uint32             // rounds to play
	each func(round uint32) // called when a round has closed, unless nil

	lenient bool // entries that do not fit are somebody else's game
}

// run talks until all rounds are closed, and returns the hash of it all.
func (k *talker) run(ctx context.Context) (feed.Hash, error) {
	all := make([]int, k.log.Seats())
	for i := range all {
		all[i] = i
	}
	k.game.Publish(k.log.Entries()...)
	for {
		for k.log.Complete() {
			if _, err := k.log.Close(feed.TableHash(k.log.Charter()), all); err != nil {
				return feed.Hash{}, err
			}
			if k.each != nil {
				k.each(k.log.Round())
			}
		}
		if k.log.Round() >= k.last {
			return k.log.Prev(), nil
		}
		if k.log.Owes(k.me) {
			e := k.log.Template(k.me)
			e.Body = fmt.Appendf(nil, "seat %d says %d", k.me, e.Round)
			s, err := feed.Seal(k.key, e)
			if err != nil {
				return feed.Hash{}, err
			}
			if _, err := k.log.Offer(s); err != nil {
				return feed.Hash{}, err
			}
			k.game.Publish(s)
			continue
		}
		select {
		case a, ok := <-k.game.Arrivals():
			if !ok {
				return feed.Hash{}, fmt.Errorf("closed in round %d", k.log.Round())
			}
			switch verdict, err := k.log.Offer(a.Entry); {
			case err != nil && !k.lenient:
				return feed.Hash{}, err
			case err != nil:
			case verdict == feed.Added:
				k.game.Publish(a.Entry)
			case verdict == feed.Early:
				k.game.Early(a)
			}
		case <-ctx.Done():
			return feed.Hash{}, fmt.Errorf("round %d, lacking %v: %w", k.log.Round(), k.lacking(), ctx.Err())
		}
	}
}

func (k *talker) lacking() (seats []int) {
	for i := range k.log.Seats() {
		if k.log.Owes(i) {
			seats = append(seats, i)
		}
	}
	return seats
}

// tableOf makes the charter of a table of n test peers.
func charterOf(t *testing.T, n int) []byte {
	t.Helper()
	c := feed.Charter{Name: t.Name(), Terms: []byte("terms")}
	for i := range n {
		c.Seats = append(c.Seats, feed.Seat{Name: fmt.Sprintf("player %d", i), ID: testKey(i + 1).ID(), Commitment: feed.Hash{byte(i)}})
	}
	charter, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return charter
}

func newTalker(t *testing.T, p *testPeer, charter []byte, me int, rounds uint32) *talker {
	t.Helper()
	g, err := p.Play(charter, me)
	if err != nil {
		t.Fatal(err)
	}
	c, err := feed.ParseCharter(charter)
	if err != nil {
		t.Fatal(err)
	}
	return &talker{game: g, key: testKey(me + 1), me: me, log: feed.NewLog(charter, c.IDs(), int(c.Leavers)), last: rounds}
}

// talk runs all talkers to the end and wants one history.
func talk(t *testing.T, talkers ...*talker) {
	t.Helper()
	ctx := within(t)
	var wg sync.WaitGroup
	hashes := make([]feed.Hash, len(talkers))
	for i, k := range talkers {
		wg.Go(func() {
			var err error
			if hashes[i], err = k.run(ctx); err != nil {
				t.Errorf("seat %d: %v; presence %v", k.me, err, k.game.Presence())
				return
			}
			if err := k.game.Flush(ctx); err != nil {
				t.Errorf("seat %d: %v", k.me, err)
			}
		})
	}
	wg.Wait()
	for _, h := range hashes {
		if h != hashes[0] {
			t.Fatal("different histories")
		}
	}
}

func TestLobbyThenGame(t *testing.T) {
	peers, charter, seats := sitDown(t, 4)
	began := time.Now()
	var talkers []*talker
	for i, p := range peers {
		k := newTalker(t, p, charter, seats[i], 50)
		k.key = p.cfg.Key
		talkers = append(talkers, k)
	}
	talk(t, talkers...)
	t.Logf("50 rounds of 4 in %v", time.Since(began))
}

// acquaint tells peers where the others are, except those in cut.
func acquaint(peers []*testPeer, cut func(a, b int) bool) {
	for i, p := range peers {
		for j, q := range peers {
			if i != j && (cut == nil || !cut(i, j) && !cut(j, i)) {
				p.Know(q.ID(), q.Addrs()...)
			}
		}
	}
}

func startTable(t *testing.T, n int) (peers []*testPeer, charter []byte) {
	for i := range n {
		peers = append(peers, startPeer(t, Config{Key: testKey(i + 1), NoDiscovery: true}))
	}
	return peers, charterOf(t, n)
}

// Two that cannot reach each other play through a third, and each sees the
// other as connected through it.
func TestPlayThroughAThird(t *testing.T) {
	peers, charter := startTable(t, 3)
	acquaint(peers, func(a, b int) bool { return a == 0 && b == 1 })
	began := time.Now()
	var talkers []*talker
	for i, p := range peers {
		talkers = append(talkers, newTalker(t, p, charter, i, 20))
	}
	talk(t, talkers...)
	t.Logf("20 rounds in %v", time.Since(began))
	p := awaitPresence(t, talkers[0].game, func(p []Presence) bool { return p[1].State == Connected && p[1].Via == 2 })
	if p[2].Via != -1 || p[2].State != Connected {
		t.Errorf("the third is %+v", p[2])
	}
}

func awaitPresence(t *testing.T, g *Game, want func([]Presence) bool) []Presence {
	t.Helper()
	ctx := within(t)
	for {
		if p := g.Presence(); want(p) {
			return p
		}
		select {
		case <-g.PresenceChanged():
		case <-ctx.Done():
			t.Fatalf("presence is %+v", g.Presence())
		}
	}
}

// Everything said while a connection was down comes after it, however often
// it goes down.
func TestReconnect(t *testing.T) {
	peers, charter := startTable(t, 3)
	acquaint(peers, nil)
	var talkers []*talker
	for i, p := range peers {
		k := newTalker(t, p, charter, i, 60)
		k.each = func(round uint32) {
			if round%3 == uint32(i) && round%2 == 0 {
				k.game.cutAll()
			}
		}
		talkers = append(talkers, k)
	}
	talk(t, talkers...)
}

func (g *Game) cutAll() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.seats {
		for _, x := range s.conns {
			_ = x.conn.Close()
		}
	}
}

// A peer that was killed comes back with its kept log, on another port, and
// the game goes on.
func TestComeBackAfterACrash(t *testing.T) {
	peers, charter := startTable(t, 3)
	acquaint(peers, nil)
	var talkers []*talker
	for i, p := range peers {
		talkers = append(talkers, newTalker(t, p, charter, i, 30))
	}
	talkers[1].last = 10
	ctx := within(t)
	var wg sync.WaitGroup
	for _, i := range []int{0, 2} {
		wg.Go(func() {
			if _, err := talkers[i].run(ctx); err != nil {
				t.Errorf("seat %d: %v", i, err)
			}
		})
	}
	if _, err := talkers[1].run(ctx); err != nil {
		t.Fatal(err)
	}
	kept := talkers[1].log
	peers[1].stop()

	again := startPeer(t, Config{Key: testKey(2), NoDiscovery: true})
	for _, i := range []int{0, 2} {
		again.Know(peers[i].ID(), peers[i].Addrs()...)
	}
	back := newTalker(t, again, charter, 1, 30)
	back.log = kept
	if _, err := back.run(ctx); err != nil {
		t.Error(err)
	}
	wg.Wait()
}

// A late seat gets all that was said before it took up the game.
func TestOthersAreFaster(t *testing.T) {
	peers, charter := startTable(t, 3)
	acquaint(peers, nil)
	first := newTalker(t, peers[0], charter, 0, 5)
	second := newTalker(t, peers[1], charter, 1, 5)
	ctx := within(t)
	var wg sync.WaitGroup
	for _, k := range []*talker{first, second} {
		wg.Go(func() {
			if _, err := k.run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	awaitPresence(t, first.game, func(p []Presence) bool { return p[1].State == Connected })
	third := newTalker(t, peers[2], charter, 2, 5)
	if _, err := third.run(ctx); err != nil {
		t.Error(err)
	}
	wg.Wait()
}
