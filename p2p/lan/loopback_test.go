package lan

import (
	"context"
	"crypto/rand"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

const patience = 20 * time.Second

// runner is a Service under test together with what a caller would see of it.
type runner struct {
	*Service
	stop func()
}

// start runs a service until the test ends or stop is called, and waits for it.
func start(t *testing.T, config Config) *runner {
	t.Helper()
	config.LoopbackOnly = true
	s := New(config)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	var once sync.Once
	stop := func() {
		once.Do(func() {
			cancel()
			if err := <-done; err != nil {
				t.Errorf("Run: %v", err)
			}
		})
	}
	t.Cleanup(stop)
	return &runner{s, stop}
}

// await waits until the peers of a service are as wanted.
func (r *runner) await(t *testing.T, what string, want func([]Peer) bool) []Peer {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		if peers := r.Peers(); want(peers) {
			return peers
		}
		select {
		case <-r.Changed():
		case <-deadline.C:
			t.Fatalf("%s: not within %v; peers %+v; status %+v", what, patience, r.Peers(), r.Status())
		}
	}
}

func atLeast(n int) func([]Peer) bool { return func(p []Peer) bool { return len(p) >= n } }

func TestServicesFindOneAnotherOnLoopback(t *testing.T) {
	realm := rand.Text()
	const n = 6
	var all []*runner
	began := time.Now()
	for i := range n {
		all = append(all, start(t, Config{
			PeerID: fmt.Sprintf("peer%d", i), Port: 4000 + i, Realm: realm,
			Info: map[string]string{"name": fmt.Sprintf("Zoë %d", i)},
		}))
	}
	for i, r := range all {
		for _, p := range r.await(t, fmt.Sprintf("service %d", i), atLeast(n-1)) {
			want := fmt.Sprintf("127.0.0.1:%d", 4000+int(p.ID[4]-'0'))
			if len(p.Addrs) == 0 || p.Addrs[0].String() != want {
				t.Errorf("%s is at %v, want %s first", p.ID, p.Addrs, want)
			}
			if p.Info["name"] != "Zoë "+p.ID[4:] {
				t.Errorf("%s says %q", p.ID, p.Info)
			}
		}
	}
	t.Logf("%d services found one another in %v", n, time.Since(began))

	if err := all[0].SetInfo(map[string]string{"name": "changed"}); err != nil {
		t.Fatal(err)
	}
	all[n-1].await(t, "new info", func(p []Peer) bool { return len(p) > 0 && p[0].Info["name"] == "changed" })

	began = time.Now()
	all[0].stop()
	for i, r := range all[1:] {
		r.await(t, fmt.Sprintf("goodbye at %d", i+1), func(p []Peer) bool { return len(p) == n-2 })
	}
	t.Logf("goodbye seen by all in %v", time.Since(began))
}

func TestRealmsDoNotMix(t *testing.T) {
	one, two := rand.Text(), rand.Text()
	a := start(t, Config{PeerID: "a", Port: 1, Realm: one})
	b := start(t, Config{PeerID: "b", Port: 1, Realm: two})
	c := start(t, Config{PeerID: "c", Port: 1, Realm: one})
	a.await(t, "same realm", atLeast(1))
	c.await(t, "same realm", atLeast(1))
	if peers := b.Peers(); len(peers) != 0 {
		t.Errorf("b sees %+v", peers)
	}
}

func TestBrowseOnlyIsNotSeen(t *testing.T) {
	realm := rand.Text()
	watcher := start(t, Config{Realm: realm})
	a := start(t, Config{PeerID: "a", Port: 1, Realm: realm})
	b := start(t, Config{PeerID: "b", Port: 1, Realm: realm})
	watcher.await(t, "watcher", atLeast(2))
	for _, r := range []*runner{a, b} {
		if peers := r.await(t, "player", atLeast(1)); len(peers) != 1 {
			t.Errorf("player sees %+v", peers)
		}
	}
}

func TestOwnIDElsewhereIsReported(t *testing.T) {
	realm := rand.Text()
	a := start(t, Config{PeerID: "same", Port: 1, Realm: realm})
	start(t, Config{PeerID: "same", Port: 2, Realm: realm})
	deadline := time.After(patience)
	for len(a.Status().Doubles) == 0 {
		select {
		case <-a.Changed():
		case <-deadline:
			t.Fatal("not reported")
		}
	}
	if peers := a.Peers(); len(peers) != 0 {
		t.Errorf("listed itself: %+v", peers)
	}
}

func TestRunStopsEverythingItStarted(t *testing.T) {
	before := runtime.NumGoroutine()
	realm := rand.Text()
	a := start(t, Config{PeerID: "a", Port: 1, Realm: realm})
	b := start(t, Config{PeerID: "b", Port: 1, Realm: realm})
	a.await(t, "a", atLeast(1))
	a.stop()
	b.stop()
	deadline := time.After(patience)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for runtime.NumGoroutine() > before { // those that have returned may still be ending
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
		}
	}
}

func TestRunMayBeCalledAgain(t *testing.T) {
	realm := rand.Text()
	a := start(t, Config{PeerID: "a", Port: 1, Realm: realm})
	s := New(Config{PeerID: "b", Port: 1, Realm: realm, LoopbackOnly: true})
	for range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx) }()
		a.await(t, "arrival", atLeast(1))
		if err := s.Run(ctx); err == nil {
			t.Error("Run twice at once")
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		a.await(t, "goodbye", func(p []Peer) bool { return len(p) == 0 })
	}
}

func TestRunRefusesMistakes(t *testing.T) {
	for name, config := range map[string]Config{
		"peer ID":  {PeerID: "a b", Port: 1},
		"port":     {PeerID: "a", Port: 65536},
		"info key": {PeerID: "a", Port: 1, Info: map[string]string{"A": ""}},
		"too much": {PeerID: "a", Port: 1, Info: map[string]string{"a": strings.Repeat("x", MaxInfoValue+1)}},
	} {
		config.LoopbackOnly = true
		if err := New(config).Run(t.Context()); err == nil {
			t.Errorf("%s accepted", name)
		}
	}
}

func TestLoopbackOnlyUsesNothingElse(t *testing.T) {
	a := start(t, Config{PeerID: "a", Port: 1, Realm: rand.Text()})
	b := start(t, Config{PeerID: "b", Port: 1, Realm: a.config.Realm})
	b.await(t, "b", atLeast(1))
	for _, l := range a.Status().Links {
		if !l.Loopback {
			t.Errorf("uses %s", l.Name)
		}
		if len(l.Failures) > 0 {
			t.Errorf("failures: %+v", l.Failures)
		}
	}
}
