package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"alibi/cmd/internal/session"
)

// patience is how long a demo waits for multicast on the loopback interface
// before it takes the address instead.
const patience = 3 * time.Second

// start makes a peer for every player, each with a folder of its own, and runs
// them. The function it returns ends them all and removes the folders.
func (d *demo) start(ctx context.Context) (stop func() error, err error) {
	folder, err := os.MkdirTemp("", "alibi-demo-")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	errs := make([]error, len(d.names))
	stop = func() error {
		cancel()
		running.Wait()
		for _, p := range d.peers {
			errs = append(errs, p.Close())
		}
		return errors.Join(append(errs, os.RemoveAll(folder))...)
	}
	for _, name := range d.names {
		peer, err := session.NewPeer(session.PeerConfig{Home: filepath.Join(folder, name), Name: name, Loopback: true})
		if err != nil {
			return nil, errors.Join(err, stop())
		}
		d.peers = append(d.peers, peer)
	}
	for i, peer := range d.peers {
		running.Go(func() {
			if errs[i] = peer.Run(ctx); errs[i] != nil {
				cancel()
			}
		})
	}
	for _, peer := range d.peers {
		select {
		case <-peer.Up():
		case <-ctx.Done():
			return nil, errors.Join(whichever(ctx, nil), stop())
		}
	}
	return stop, nil
}

// gather opens a table at the first peer, lets the others find it and sit down,
// and sets all sessions up.
func (d *demo) gather(ctx context.Context) error {
	name := "demo " + rand.Text()[:6] // another demo may run on this computer
	d.paper.Line(d.paper.Bold(d.book.Say("demo.finding")))
	opened := time.Now()
	seating, err := d.peers[0].Open(ctx, session.Offer{Table: name, Edition: d.edition, Options: d.options, Seats: len(d.names), Leavers: d.leavers})
	if err != nil {
		return err
	}
	d.paper.Line("  " + d.book.Say("demo.opened", "who", d.names[0], "table", name))
	seatings := []*session.Seating{seating}
	for i, finding := range d.search(ctx, name, opened) {
		f := <-finding
		who := d.names[i+1]
		var s *session.Seating
		if f.found {
			d.paper.Line("  " + d.book.Say("demo.found", "who", who, "ms", f.after.Milliseconds()))
			s, err = d.peers[i+1].Join(ctx, f.table)
		} else {
			address := d.peers[0].Addrs()[0]
			d.paper.Line("  " + d.book.Say("demo.address", "who", who, "seconds", patience.Seconds(), "address", address))
			s, err = d.peers[i+1].JoinAddr(ctx, address)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", who, err)
		}
		seatings = append(seatings, s)
	}
	return d.begin(ctx, seatings)
}

// begin lets everybody agree, and waits until all have the charter.
func (d *demo) begin(ctx context.Context, seatings []*session.Seating) error {
	d.sessions = make([]*session.Session, len(seatings))
	errs := make([]error, len(seatings))
	var all sync.WaitGroup
	for i, s := range seatings {
		s.Ready(true)
		all.Go(func() {
			d.sessions[i], errs[i] = s.Begin(ctx, session.Manner{Bot: true, Pause: thinking(10*time.Millisecond, 60*time.Millisecond)})
		})
	}
	all.Wait()
	d.paper.Line("  " + d.book.Say("demo.agreed"))
	d.paper.Line("")
	return errors.Join(errs...)
}

// sighting is a table found by mDNS, or not.
type sighting struct {
	found bool
	table session.Found
	after time.Duration
}

// search lets every other peer look for the table at once.
func (d *demo) search(ctx context.Context, name string, opened time.Time) []chan sighting {
	var out []chan sighting
	for _, peer := range d.peers[1:] {
		c := make(chan sighting, 1)
		out = append(out, c)
		go func() {
			limit := time.NewTimer(patience)
			defer limit.Stop()
			for {
				for _, t := range peer.Tables() {
					if t.Name == name {
						c <- sighting{true, t, time.Since(opened)}
						return
					}
				}
				select {
				case <-peer.TablesChanged():
				case <-limit.C:
					c <- sighting{}
					return
				case <-ctx.Done():
					c <- sighting{}
					return
				}
			}
		}()
	}
	return out
}
