package session

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"alibi/game/rules"
)

// BenchmarkDeal measures from everyone seated (the charter is final) to all
// hands in view: four peers in one process, each with its own libp2p host on
// the loopback interface and its own store on disk, 2n + 4 = 12 rounds, and two more
// to share the keys out where somebody may leave.
func BenchmarkDeal(b *testing.B) {
	for _, c := range []struct {
		edition string
		leavers int
	}{{"card", 0}, {"card", 1}, {"card-advanced", 0}, {"card-advanced", 1}} {
		b.Run(fmt.Sprintf("%s/leavers=%d", c.edition, c.leavers), func(b *testing.B) {
			e, _ := rules.Lookup(c.edition)
			peers := startPeers(b, 4)
			for b.Loop() {
				deal(b, peers, e, c.leavers)
			}
		})
	}
}

func startPeers(b *testing.B, n int) []*Peer {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	var peers []*Peer
	b.Cleanup(func() {
		cancel()
		wg.Wait()
		for _, p := range peers {
			if err := p.Close(); err != nil {
				b.Error(err)
			}
		}
	})
	for i := range n {
		p, err := NewPeer(PeerConfig{Home: b.TempDir(), Name: fmt.Sprint("player ", i), Loopback: true, NoDiscovery: true})
		if err != nil {
			b.Fatal(err)
		}
		peers = append(peers, p)
		wg.Go(func() {
			if err := p.Run(ctx); err != nil {
				b.Error(err)
			}
		})
		<-p.Up()
	}
	return peers
}

// deal seats everybody with the clock stopped, and deals with it running.
func deal(b *testing.B, peers []*Peer, e *rules.Edition, leavers int) {
	b.StopTimer()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	var wg sync.WaitGroup
	sessions := make([]*Session, len(peers))
	for i, seating := range sitDown(ctx, b, peers, e, leavers) {
		wg.Go(func() {
			var err error
			if sessions[i], err = seating.Begin(ctx, Manner{}); err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
	if b.Failed() {
		b.FailNow()
	}
	b.StartTimer()
	for _, s := range sessions {
		wg.Go(func() { _ = s.Run(ctx) })
	}
	for _, s := range sessions {
		for s.Latest().View.Hand == nil {
			select {
			case <-s.Changed():
			case <-ctx.Done():
				b.Fatal("not dealt in a minute")
			}
		}
	}
	b.StopTimer()
	cancel()
	wg.Wait()
	b.StartTimer()
}

func sitDown(ctx context.Context, b *testing.B, peers []*Peer, e *rules.Edition, leavers int) []*Seating {
	b.Helper()
	var out []*Seating
	for i, p := range peers {
		var s *Seating
		var err error
		if i == 0 {
			s, err = p.Open(ctx, Offer{Table: "bench", Edition: e, Options: rules.DefaultOptions(), Seats: len(peers), Leavers: leavers})
		} else {
			s, err = p.JoinAddr(ctx, peers[0].Addrs()[0])
		}
		if err != nil {
			b.Fatal(err)
		}
		out = append(out, s)
	}
	for _, s := range out {
		s.Ready(true)
	}
	return out
}
