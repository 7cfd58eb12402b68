package lan

import (
	"net/netip"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestCadenceFromStart(t *testing.T) {
	c := startCadence(epoch)
	var polls, hellos []time.Duration
	for now := epoch; now.Sub(epoch) < 5*time.Second; now = c.next() {
		if !now.Before(c.nextPoll) {
			polls = append(polls, now.Sub(epoch))
			c.polled(now, true, 3)
		}
		if !now.Before(c.nextHello) {
			hellos = append(hellos, now.Sub(epoch))
			c.announced(now, 0)
		}
	}
	const ms = time.Millisecond
	wantPolls := []time.Duration{0, 100 * ms, 300 * ms, 700 * ms, 1700 * ms, 2700 * ms, 3700 * ms, 4700 * ms}
	wantHellos := []time.Duration{0, 100 * ms, 400 * ms}
	if !equal(polls, wantPolls) || !equal(hellos, wantHellos) {
		t.Errorf("polls at %v, announcements at %v", polls, hellos)
	}
}

func equal(a, b []time.Duration) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestPollGap(t *testing.T) {
	for _, c := range []struct {
		eager bool
		peers int
		want  time.Duration
	}{{true, 0, time.Second}, {true, 5, time.Second}, {true, 6, 2 * time.Second}, {true, 11, 2 * time.Second},
		{true, 1000, maxEagerPoll}, {false, 0, calmPoll}, {false, 1000, calmPoll}} {
		if got := pollGap(10, c.eager, c.peers); got != c.want {
			t.Errorf("eager %v with %d peers: %v", c.eager, c.peers, got)
		}
	}
}

// TestCadenceLaws checks that whatever happens, announcements that others
// prompt keep their distance, and none is ever more than 30 s away.
func TestCadenceLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := epoch
		c := startCadence(now)
		for range rapid.IntRange(1, 50).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 40_000).Draw(t, "ms")) * time.Millisecond)
			roll := rapid.Float64Range(0, 0.999).Draw(t, "roll")
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				before := c.nextHello
				why := rapid.SampledFrom([]reason{asked, arrived}).Draw(t, "why")
				c.prompt(now, why, roll)
				if c.nextHello.After(before) {
					t.Error("a prompt delays")
				}
				if c.nextHello.Before(before) && c.nextHello.Sub(c.lastHello) < why.gap() {
					t.Error("a prompt hurries too much")
				}
				if c.nextHello.Before(before) && c.nextHello.Sub(now) < promptMin {
					t.Error("not scattered")
				}
			case 1:
				c.announced(now, roll)
			case 2:
				c.renew(now)
				if c.nextHello.Sub(c.lastHello) < minRenewGap || c.nextHello.Sub(now) > minRenewGap {
					t.Errorf("renewed for %v", c.nextHello.Sub(now))
				}
			case 3:
				c.polled(now, rapid.Bool().Draw(t, "eager"), rapid.IntRange(0, 100).Draw(t, "peers"))
			}
			if c.nextHello.Sub(now) > helloMin+helloSpan || c.nextPoll.Sub(now) > calmPoll {
				t.Errorf("next announcement in %v, next query in %v", c.nextHello.Sub(now), c.nextPoll.Sub(now))
			}
		}
	})
}

func TestHurryAsksTheGroupAgain(t *testing.T) {
	c := startCadence(epoch)
	eager, calm := 0, 0
	for range 20 {
		if c.multicastQuery(true) {
			eager++
		}
		if c.multicastQuery(false) {
			calm++
		}
		c.polled(epoch, true, 0)
	}
	if eager != 3+3 || calm != 3 { // the first three, then the 5th, 10th and 15th
		t.Errorf("%d of 20 eager and %d of 20 calm queries to the group", eager, calm)
	}
	if c.hurry(epoch); !c.multicastQuery(false) || c.nextPoll != epoch {
		t.Error("hurry does not ask at once")
	}
}

func TestLimiter(t *testing.T) {
	l := newLimiter(unknownPackets)
	loud := netip.MustParseAddr("10.0.0.66")
	passed := 0
	for i := range 10_000 { // in one second
		if l.allow(epoch.Add(time.Duration(i)*100*time.Microsecond), loud) {
			passed++
		}
	}
	if passed < 200 || passed > 300 {
		t.Errorf("%d of 10000 packets looked at", passed)
	}
	heard := 0
	for i := range 20 { // one may share the bucket of the loud one
		if l.allow(epoch.Add(time.Second), netip.AddrFrom4([4]byte{10, 0, 0, byte(i)})) {
			heard++
		}
	}
	if heard < 15 {
		t.Errorf("only %d of 20 others are heard", heard)
	}
	if !l.allow(epoch.Add(3*time.Second), loud) {
		t.Error("never forgiven")
	}
}
