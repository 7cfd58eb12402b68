//go:build linux

package node

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/p2p/link"
	"alibi/p2p/netlab"
	"alibi/p2p/wire"
)

// rogueVariable makes the test binary a seat that misbehaves; see rogueMain.
const rogueVariable = "ALIBI_NODE_ROGUE"

const speechSize = 50_000

// speak publishes a great deal.
func speak(g *Game, me int) error {
	for round := range uint32(speeches) {
		e, err := feed.Seal(testKey(me+1), feed.Entry{Game: g.Table(), Round: round, Seat: uint8(me), Body: make([]byte, speechSize)})
		if err != nil {
			return err
		}
		g.Publish(e)
	}
	return nil
}

// listen takes in whatever others say.
func (m *meter) listen(g *Game) {
	for a := range g.Arrivals() {
		g.Publish(a.Entry)
		m.mu.Lock()
		m.count++
		m.mu.Unlock()
	}
}

// rogueMain is a seat that misbehaves towards the others, whose addresses it
// reads from the first line on stdin, until the next one.
func rogueMain(how string) error {
	in := bufio.NewScanner(os.Stdin)
	if !in.Scan() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	v := &villain{ctx: ctx}
	charter, err := charterFor(4)
	if err != nil {
		return err
	}
	h := link.New(link.Config{Key: testKey(4), Admit: func(identity.ID) bool { return true }, Handle: func(context.Context, *link.Conn) {}})
	v.work.Go(func() { _ = h.Run(ctx) })
	<-h.Up()
	for i, text := range strings.Fields(in.Text()) {
		at, err := netip.ParseAddrPort(text)
		if err != nil {
			return err
		}
		for range 4 {
			v.work.Go(func() {
				for v.breathe(20 * time.Millisecond) {
					v.misbehave(h, testKey(i+1).ID(), at, feed.TableHash(charter), how)
				}
			})
		}
	}
	go func() {
		in.Scan()
		cancel()
	}()
	out := json.NewEncoder(os.Stdout)
	for v.breathe(250 * time.Millisecond) {
		if err := out.Encode(v.deeds()); err != nil {
			return err
		}
	}
	v.work.Wait()
	d := v.deeds()
	d.Over = true
	return out.Encode(d)
}

// misbehave makes one connection and keeps it until it is cut.
func (v *villain) misbehave(h *link.Host, id identity.ID, at netip.AddrPort, table feed.Hash, how string) {
	ctx, cancel := context.WithTimeout(v.ctx, 5*time.Second)
	defer cancel()
	c, err := h.Dial(ctx, id, []netip.AddrPort{at}, link.Game)
	if err != nil {
		return
	}
	defer c.Close()
	v.connects.Add(1)
	s := wire.NewGameStream(c)
	if s.Send(&wire.Hello{Version: wire.Version, Table: table}, time.Second) != nil {
		return
	}
	switch how {
	case "slow": // reads nothing, and says that it is there
		for n := uint32(0); v.breathe(time.Second); n++ {
			if s.Send(&wire.Ping{N: n}, time.Second) != nil {
				return
			}
			v.messages.Add(1)
		}
	case "giant": // announces two gigabytes, and begins to send them
		_, _ = c.Write([]byte{0x80, 0x80, 0x80, 0x80, 0x08})
		_, _ = c.Write(make([]byte, 1<<20))
		v.messages.Add(1)
	case "greedy": // has everything sent again, and again
		for s.Send(&wire.Where{Again: true}, time.Second) == nil {
			v.messages.Add(1)
		}
	}
}

// A seat that does not read, one that announces a giant frame and one that asks
// for everything again and again, over several connections each: the others
// hear each other as if it were not there, and hold a bounded amount for it.
func TestRogueSeat(t *testing.T) {
	if testing.Short() {
		t.Skip("a lab of namespaces is not for a short test")
	}
	for _, how := range []string{"slow", "giant", "greedy"} {
		t.Run(how, func(t *testing.T) {
			l := netlab.New(t, netlab.Plan{Hosts: 4, IPv4: true})
			var table []*talking
			var targets []string
			for seat := range 3 {
				variable := fmt.Sprintf("%s=%d/4 listen", talkerVariable, seat)
				p := &talking{netlab.Start[beat](t, l, seat+1, fmt.Sprint("seat ", seat), variable), seat + 1, seat}
				targets = append(targets, p.Await(t, "start", long, func(b beat) bool { return len(b.Addrs) > 0 }).Addrs[0])
				table = append(table, p)
			}
			rogue := &hostile{netlab.Start[deeds](t, l, 4, "rogue", rogueVariable+"="+how)}
			rogue.Say(t, strings.Join(targets, " "))
			rogue.Await(t, "the rogue", allowance, func(d deeds) bool { return d.Connects > 5 })
			for _, p := range table {
				p.Await(t, "the honest ones", allowance, func(b beat) bool {
					return len(b.Seats) == 4 && b.Seats[0] == "connected" && b.Seats[1] == "connected" && b.Seats[2] == "connected"
				})
			}
			before := table[0].Last
			began := time.Now()
			table[0].Say(t, "speak")
			for _, p := range table[1:] {
				p.Await(t, "hear it all", allowance, func(b beat) bool { return b.Rounds >= speeches })
			}
			took := time.Since(began)
			now := table[0].Await(t, "the speaker", allowance, func(b beat) bool { return b.At.After(began.Add(took)) })
			t.Logf("%d entries of %d KB in %v; %d MB, before %d MB; %d goroutines, before %d; the rogue connected %d times and said %d things",
				speeches, speechSize/1000, took, now.RSS>>10, before.RSS>>10, now.Routines, before.Routines, rogue.Last.Connects, rogue.Last.Messages)
			// The speaker's book holds what it said, as bytes and decoded.
			limit := 4*speeches*speechSize>>10 + 48<<10
			if raceEnabled {
				limit *= raceFactor
			}
			if grown := now.RSS - before.RSS; grown > limit {
				t.Errorf("%d MB more", grown>>10)
			}
			if now.Routines > before.Routines+100 {
				t.Errorf("%d goroutines, %d before", now.Routines, before.Routines)
			}
			rogue.stop(t)
		})
	}
}
