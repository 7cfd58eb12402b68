//go:build linux

package cli

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"alibi/p2p/netlab"
)

var chaosKills = flag.Int("chaos.kills", 12, "how often TestKillNine kills a program")

// figures are durations that a test collects.
type figures []time.Duration

func (f figures) String() string {
	if len(f) == 0 {
		return "none"
	}
	f = slices.Sorted(slices.Values(f))
	return fmt.Sprintf("median %d ms, worst %d ms of %d", f[(len(f)-1)/2].Milliseconds(), f[len(f)-1].Milliseconds(), len(f))
}

// reaper kills and counts.
type reaper struct {
	kills int
	back  figures // from a start to the first line that the table has gone on
}

// Programs are killed with SIGKILL, again and again, one, two or all at a time,
// and started again: every game comes to its end, in the same log everywhere.
func TestKillNine(t *testing.T) {
	t.Parallel()
	r := new(reaper)
	began := time.Now()
	games := 0
	for r.kills < *chaosKills && !t.Failed() {
		games++
		ok := t.Run(fmt.Sprint("game", games), func(t *testing.T) { r.game(t, games) })
		if ok && r.kills == 0 {
			t.Skip("no game was played")
		}
	}
	t.Logf("%d kills in %d games, %.0f s; from restart to the next move %v", r.kills, games, time.Since(began).Seconds(), r.back)
}

func (r *reaper) game(t *testing.T, n int) {
	p := newParty(t, dual, "--bot", "--pause", "400ms")
	p.need("resume")
	p.sitDown("--leavers", fmt.Sprint(n%2), "--edition", []string{"card-advanced", "card"}[n%2])
	p.until("all have agreed and opened their keys", func() bool {
		return slices.ContainsFunc(p.seats, func(s *seat) bool { return s.has("The words of this table: ") })
	})
	before := r.kills
	for r.kills < *chaosKills && r.strike(p, r.kills-before > 5) {
	}
	p.ended(p.seats...)
	p.same()
	notes := 0
	for _, s := range p.seats {
		if s.errors.String() == undelivered {
			notes++
		}
	}
	t.Logf("%d kills; %d of the programs could not know at the end whether all have the log", r.kills-before, notes)
}

// A game on the worst of networks: every packet late, one of ten lost, computers
// that drop out, and programs that are killed, also while their computer is out.
func TestStorm(t *testing.T) {
	t.Parallel()
	p := newParty(t, dual, "--bot", "--pause", "500ms")
	p.Delay(100 * time.Millisecond)
	netlab.OnAll(func(l *netlab.Lab, i int) { l.Loss(i, 10) })(p.Lab)
	p.sitDown("--leavers", fmt.Sprint(p.dice.below(2)), "--edition", "card-advanced")
	p.until("the cards are shuffled", func() bool { return p.farthest() > 0 })
	r, cuts := new(reaper), 0
	for range 14 {
		if p.dice.below(3) > 0 {
			if !r.strike(p, false) {
				break
			}
			continue
		}
		s := p.seats[p.dice.below(4)]
		cuts++
		p.IP(s.host, "link set "+netlab.Device+" down")
		p.pass(p.dice.between(time.Second, 8*time.Second))
		if p.dice.below(2) == 0 && s.kill() {
			r.kills++
			r.restart(p, s)
		}
		p.IP(s.host, "link set "+netlab.Device+" up")
	}
	p.ended(p.seats...)
	p.same()
	t.Logf("%d kills, %d cuts; from restart to the next move %v", r.kills, cuts, r.back)
}

// strike kills somebody at a moment that the dice say, and starts the seat
// again. It reports whether nobody has come to the end yet.
func (r *reaper) strike(p *party, late bool) bool {
	victims := []*seat{p.seats[p.dice.below(4)]}
	switch p.dice.below(12) {
	case 0: // a power cut
		victims = p.seats
	case 1, 2:
		victims = append(victims, p.seats[(victims[0].host+p.dice.below(3))%4])
	}
	moment(p, victims[0], late)
	var down []*seat
	for _, s := range victims {
		if s.kill() {
			r.kills++
			down = append(down, s)
		}
	}
	p.pass(p.dice.between(0, 500*time.Millisecond))
	for _, s := range down {
		r.restart(p, s)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return !slices.ContainsFunc(p.seats, func(s *seat) bool { return s.finished })
}

// moment waits for the moment to strike: some lines later, or some time, or when
// the last words of the game are being said.
func moment(p *party, s *seat, late bool) {
	p.mu.Lock()
	at := s.printed + 1 + p.dice.below(4)
	p.mu.Unlock()
	switch kind := p.dice.below(8); {
	case kind == 0 && late:
		p.within(time.Minute, func() bool { return s.has(" win: ") || s.has(" wins: ") || s.finished })
		p.pass(p.dice.between(0, 700*time.Millisecond))
	case kind < 4:
		p.pass(p.dice.between(0, 1500*time.Millisecond))
	default:
		p.within(3*time.Second, func() bool { return s.printed >= at || s.finished })
	}
}

// restart takes a seat up again and measures how long the table needs to go on.
func (r *reaper) restart(p *party, s *seat) {
	p.mu.Lock()
	mark := p.farthest()
	p.mu.Unlock()
	began := time.Now()
	s.start("resume")
	on := func() bool { return s.story() > mark || s.finished }
	if p.dice.below(3) > 0 { // else the next blow may fall before it is back
		p.within(10*time.Second, on)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if on() && !s.finished {
		r.back = append(r.back, time.Since(began))
	}
}
