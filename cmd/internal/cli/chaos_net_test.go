//go:build linux

package cli

import (
	"flag"
	"testing"
	"time"

	"alibi/p2p/netlab"
)

var chaosCuts = flag.Int("chaos.cuts", 2, "how often TestCablesCut cuts cables")

var dual = netlab.Plan{Hosts: 4, IPv4: true, IPv6: true}

// Cables come out for 3 to 20 seconds, of one computer or two, at the switch or
// at the computer: the table stands still where it has to, and goes on.
func TestCablesCut(t *testing.T) {
	t.Parallel()
	p := newParty(t, dual, "--bot", "--pause", "1s")
	p.sitDown()
	p.begun()
	var out, back figures
	for range *chaosCuts {
		p.pass(p.dice.between(0, 2*time.Second))
		first := p.dice.below(4)
		seats := []*seat{p.seats[first]}
		if p.dice.below(3) == 0 {
			seats = append(seats, p.seats[(first+1+p.dice.below(3))%4])
		}
		cut, mend := p.Cut, p.Mend
		if p.dice.below(2) == 0 {
			cut = func(i int) { p.IP(i, "link set "+netlab.Device+" down") }
			mend = func(i int) { p.IP(i, "link set "+netlab.Device+" up") }
		}
		d := p.dice.between(3*time.Second, 20*time.Second)
		out = append(out, d)
		for _, s := range seats {
			cut(s.host)
		}
		p.pass(d)
		for _, s := range seats {
			mend(s.host)
		}
		back = append(back, p.next(seats...))
	}
	p.ended(p.seats...)
	p.same()
	t.Logf("cut for %v; from mending to the next move seen there %v", out, back)
}

// One packet of ten is lost on the way to every computer.
func TestPacketsLost(t *testing.T) {
	t.Parallel()
	p := newParty(t, dual, "--bot", "--pause", "200ms")
	netlab.OnAll(func(l *netlab.Lab, i int) { l.Loss(i, 10) })(p.Lab)
	p.wholeGame()
}

// Every packet is 200 ms on its way.
func TestPacketsLate(t *testing.T) {
	t.Parallel()
	p := newParty(t, dual, "--bot", "--pause", "200ms")
	p.Delay(200 * time.Millisecond)
	p.wholeGame()
}

func (p *party) wholeGame() {
	p.t.Helper()
	began := time.Now()
	p.sitDown()
	p.begun()
	dealing := time.Since(began)
	p.ended(p.seats...)
	p.t.Logf("first shuffles seen by all after %.1f s, whole game %.1f s", dealing.Seconds(), time.Since(began).Seconds())
	p.same()
}

// Two computers get other addresses in the middle of the game, the opener's first.
func TestAddressesChange(t *testing.T) {
	t.Parallel()
	p := newParty(t, netlab.Plan{Hosts: 4, IPv4: true}, "--bot", "--pause", "1s")
	p.sitDown()
	p.begun()
	var back figures
	for _, i := range []int{1, 2 + p.dice.below(3)} {
		p.pass(p.dice.between(time.Second, 3*time.Second))
		p.Move(i, netlab.IPv4(i), netlab.IPv4(100+i))
		back = append(back, p.next(p.seats[i-1]))
		p.pass(p.dice.between(0, 2*time.Second))
	}
	p.ended(p.seats...)
	p.same()
	t.Logf("from a change to the next move seen there %v", back)
}
