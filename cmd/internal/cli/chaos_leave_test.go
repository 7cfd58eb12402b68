//go:build linux

package cli

import (
	"strings"
	"testing"
	"time"

	"alibi/cmd/internal/rehearsal"
	"alibi/p2p/netlab"
)

// A program is killed and does not come back until the others, who had agreed
// that one may leave, have gone on without it. Then it learns that, follows the
// game to its end, and holds the same log.
func TestKilledForGood(t *testing.T) {
	t.Parallel()
	p := newParty(t, dual, "--bot", "--pause", "1s", "--patience", "1s")
	p.sitDown("--leavers", "1")
	lost := p.seats[p.dice.below(4)]
	moment := 1 + p.dice.below(20) // while the cards are shuffled and dealt, or in the first turns
	p.until("the moment", func() bool { return lost.story() >= moment })
	lost.kill()
	killed := time.Now()
	var others []*seat
	for _, s := range p.seats {
		if s != lost {
			others = append(others, s)
		}
	}
	p.until("the others go on", func() bool {
		for _, s := range others {
			if !s.has(four[lost.host-1] + " has left for good; the others go on") {
				return false
			}
		}
		return true
	})
	gone := time.Since(killed)
	lost.start("resume")
	back := time.Now()
	p.until("who was left out learns it", func() bool { return lost.has("The others have gone on without you") })
	learned := time.Since(back)
	p.ended(p.seats...)
	p.same()
	t.Logf("killed after line %d, gone on without it after %.1f s; that learned %.1f s after it was back", moment, gone.Seconds(), learned.Seconds())
}

// At a table that nobody may leave a program is killed for good. The others are
// told for whom they wait; they agree to abandon the game, and the log says so.
func TestAbandoned(t *testing.T) {
	t.Parallel()
	p := newParty(t, dual)
	lost, present := p.seats[3], p.seats[:3]
	lost.flags = append(lost.flags, "--bot", "--pause", "200ms")
	for _, s := range present {
		s.types = &rehearsal.Typist{Agree: true}
	}
	p.sitDown("--leavers", "0")
	moment := 10 + p.dice.below(6)
	p.until("the cards are dealt", func() bool { return lost.story() >= moment })
	lost.kill()
	waits := func(s *seat) bool {
		return s.has(four[3]+" cannot be reached since ") && s.has(", and the table waits for them")
	}
	p.until("all are told for whom they wait", func() bool { return waits(present[0]) && waits(present[1]) && waits(present[2]) })
	present[0].say("abandon")
	p.ended(present...)
	p.sameOn(1, 2, 3)
	if t.Failed() {
		return
	}
	for _, s := range present {
		if !s.has("The game is abandoned; all who were there agreed: ") {
			t.Errorf("computer %d is not told that the game is abandoned", s.host)
		}
	}
	out, err := p.alibi(1, "verify", p.log(1)).CombinedOutput()
	if want := "it was abandoned in round"; err != nil || !strings.Contains(string(out), want) {
		t.Errorf("verify: %v, lacks %q: %s", err, want, out)
	}
}

// A fifth computer comes late and watches to the end, although programs are killed
// that it watches over; its log is that of the players.
func TestSpectator(t *testing.T) {
	t.Parallel()
	p := newParty(t, netlab.Plan{Hosts: 5, IPv4: true, IPv6: true}, "--bot", "--pause", "400ms")
	p.need("watch")
	guest := p.seats[4]
	guest.flags = []string{"--log", p.log(5)}
	p.sitDown("--spectators")
	p.until("the cards are dealt, and some turns played", func() bool { return p.seats[0].story() >= 13 })
	guest.start("watch")
	began := time.Now()
	p.until("the spectator sees what has been", func() bool { return guest.has("The cards are dealt") })
	t.Logf("sees the game after %.1f s", time.Since(began).Seconds())
	for _, s := range p.seats[:4] {
		s.kill()
		s.start("resume")
		t.Logf("sees the next move %.1f s after the killing of computer %d", p.next(guest).Seconds(), s.host)
	}
	p.ended(p.seats...)
	p.same()
}
