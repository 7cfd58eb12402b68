package session

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"alibi/game/rules"
)

var growthGames = flag.Int("growth.games", 20, "games that one process plays in TestNothingGrows")

// What a process may hold more of after many games than after a few. Runtime and
// libraries keep a few goroutines and descriptors that come and go by the clock,
// and the heap depends on when caches were filled last.
const (
	moreGoroutines  = 10
	moreDescriptors = 6
	moreHeap        = 512 << 10
)

// usage is what a process holds.
type usage struct {
	goroutines, descriptors int
	heap                    uint64
}

func measure(t *testing.T) usage {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("open files are counted in /proc/self/fd: %v", err)
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // finalizers of the first run free more
	runtime.ReadMemStats(&m)
	return usage{runtime.NumGoroutine(), len(fds), m.HeapAlloc}
}

func (u usage) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, %d KiB of heap", u.goroutines, u.descriptors, u.heap>>10)
}

// within reports whether u is not much more than before.
func (u usage) within(before usage) bool {
	return u.goroutines <= before.goroutines+moreGoroutines &&
		u.descriptors <= before.descriptors+moreDescriptors && u.heap <= before.heap+moreHeap
}

// One process plays game after game over real sockets and disks: two peers stay
// for the whole evening, the third is another program run each time. Nothing is
// left of a game that is over.
func TestNothingGrows(t *testing.T) {
	if testing.Short() {
		t.Skip("many whole games are not for a short test")
	}
	evening := newEvening(t)
	early := min(10, max(*growthGames/4, 1))
	var before usage
	began := time.Now()
	for game := 1; game <= *growthGames; game++ {
		evening.game()
		if game == early {
			before = measure(t)
			t.Logf("after game %3d: %v", game, before)
		}
	}
	t.Logf("%d games in %.1f s", *growthGames, time.Since(began).Seconds())
	after := measure(t)
	for deadline := time.Now().Add(20 * time.Second); !after.within(before) && time.Now().Before(deadline); after = measure(t) {
		<-time.After(100 * time.Millisecond) // connections that were cut take a moment to be gone
	}
	t.Logf("after game %3d: %v", *growthGames, after)
	if !after.within(before) {
		stacks := make([]byte, 1<<20)
		t.Errorf("after %d games %v, after %d games %v:\n%s", early, before, *growthGames, after, stacks[:runtime.Stack(stacks, true)])
	}
}

// evening is three players in one process.
type evening struct {
	t     *testing.T
	dir   string
	stay  []*Peer
	games int
}

func newEvening(t *testing.T) *evening {
	t.Helper()
	e := &evening{t: t, dir: t.TempDir()}
	for i := range 2 {
		peer, stop := e.peer(i)
		t.Cleanup(stop)
		e.stay = append(e.stay, peer)
	}
	return e
}

// peer runs a player until stop is called.
func (e *evening) peer(i int) (peer *Peer, stop func()) {
	e.t.Helper()
	name := []string{"Anh", "Bahar", "Chai"}[i]
	peer, err := NewPeer(PeerConfig{Home: filepath.Join(e.dir, name), Name: name, Loopback: true})
	if err != nil {
		e.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- peer.Run(ctx) }()
	<-peer.Up()
	return peer, func() {
		cancel()
		if err := <-ran; err != nil {
			e.t.Errorf("%s: %v", name, err)
		}
		if err := peer.Close(); err != nil {
			e.t.Errorf("%s: %v", name, err)
		}
	}
}

// game plays one game from opening the table to three logs that are the same.
func (e *evening) game() {
	e.t.Helper()
	ctx, cancel := context.WithTimeout(e.t.Context(), time.Minute)
	defer cancel()
	guest, stop := e.peer(2)
	defer stop()
	e.games++
	edition, _ := rules.Lookup("card")
	offer := Offer{Table: fmt.Sprint("game ", e.games), Edition: edition, Options: rules.DefaultOptions(), Seats: 3, Leavers: e.games % 2}
	open, err := e.stay[0].Open(ctx, offer)
	seatings := []*Seating{open}
	for _, p := range []*Peer{e.stay[1], guest} {
		var s *Seating
		if err == nil {
			s, err = p.JoinAddr(ctx, e.stay[0].Addrs()[0])
			seatings = append(seatings, s)
		}
	}
	if err != nil {
		e.t.Fatalf("game %d: %v", e.games, err)
	}
	logs := make([]bytes.Buffer, len(seatings))
	var all sync.WaitGroup
	for i, s := range seatings {
		s.Ready(true)
		all.Go(func() {
			if err := play(ctx, s, &logs[i]); err != nil {
				e.t.Errorf("game %d, seat %d: %v", e.games, i, err)
			}
		})
	}
	all.Wait()
	if e.t.Failed() {
		e.t.FailNow()
	}
	for i := range logs {
		if !bytes.Equal(logs[0].Bytes(), logs[i].Bytes()) {
			e.t.Fatalf("game %d: seats 0 and %d hold different logs", e.games, i)
		}
	}
}

func play(ctx context.Context, seating *Seating, log *bytes.Buffer) error {
	s, err := seating.Begin(ctx, Manner{Bot: true})
	if err != nil {
		return err
	}
	if err := s.Run(ctx); err != nil {
		return err
	}
	return s.WriteLog(log)
}
