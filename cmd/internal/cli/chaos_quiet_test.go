//go:build linux

package cli

import (
	"strings"
	"testing"

	"alibi/p2p/netlab"
)

// typedIn opens a table at the first seat and has the others type its address.
func (p *party) typedIn(open ...string) {
	p.t.Helper()
	opener := p.seats[0]
	opener.start(append([]string{"open", "--seats", "4", "--name", four[0]}, open...)...)
	var address string
	p.until("the opener shows its address", func() bool {
		for _, l := range opener.lines {
			if _, found, ok := strings.Cut(l, "alibi join --addr "); ok {
				address = found
			}
		}
		return address != ""
	})
	for i, s := range p.seats[1:4] {
		s.start("join", "--addr", address, "--name", four[i+1])
	}
}

// On a network that carries no multicast nobody is found again by being heard:
// programs that are killed, one after the other and at last all, come back all
// the same.
func TestKilledUnheard(t *testing.T) {
	t.Parallel()
	p := newParty(t, netlab.Plan{Hosts: 4, IPv4: true}, "--bot", "--pause", "500ms")
	p.DropMulticast()
	p.typedIn("--leavers", "0")
	p.begun()
	var back figures
	again := func(seats ...*seat) {
		for _, s := range seats {
			s.kill()
		}
		for _, s := range seats {
			s.start("resume")
		}
		back = append(back, p.next(seats...))
	}
	again(p.seats[1+p.dice.below(3)])
	again(p.seats[0])
	again(p.seats...)
	p.ended(p.seats...)
	p.same()
	t.Logf("from restart to the next move %v", back)
}
