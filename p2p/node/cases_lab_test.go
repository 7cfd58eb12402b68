//go:build linux

package node

import (
	"os"
	"syscall"
	"testing"
	"time"

	"alibi/p2p/netlab"
)

// Cases of a connection that take a while. They run beside each other, each in
// a lab of its own.

// backWithin is how soon somebody is back who can be.
func backWithin() time.Duration {
	if raceEnabled {
		return 15 * time.Second
	}
	return 5 * time.Second
}

// skipIfRace skips a test that takes a minute where it would find nothing more.
func skipIfRace(t *testing.T) {
	t.Helper()
	if raceEnabled {
		t.Skip("waits for a minute, and runs without the race detector")
	}
}

// backAgain waits until a seat is connected again, as it sees itself and as
// the first seat sees it, and returns how long that took.
func backAgain(t *testing.T, table []*player, seat int, since time.Time) time.Duration {
	t.Helper()
	last := since
	for _, p := range []*player{table[seat], table[0]} {
		r := p.Await(t, "back", allowance, func(r report) bool { return r.At.After(since) && r.direct() })
		if r.At.After(last) {
			last = r.At
		}
	}
	took := last.Sub(since)
	if took > backWithin() {
		t.Errorf("back after %v", took)
	}
	return took
}

// talkAll has everybody play some rounds.
func talkAll(t *testing.T, table []*player, rounds string) time.Duration {
	t.Helper()
	began := time.Now()
	for _, p := range table {
		p.Say(t, "talk "+rounds)
	}
	for _, p := range table {
		if r := p.Await(t, "talk", 2*allowance, func(r report) bool { return r.Finished }); r.Failed != "" {
			t.Errorf("player %d: %s", p.seat, r.Failed)
		}
	}
	return time.Since(began)
}

// waitUntil waits; reports pile up meanwhile, and are read by whoever comes next.
func waitUntil(t *testing.T, at time.Time) {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
	}
}

// A cable that is out for a minute: shaky, then away on both sides, and back
// within seconds of the return, in the same seat.
func TestLongCut(t *testing.T) {
	skipIfRace(t)
	t.Parallel()
	l, table := lab(t)
	l.Cut(2)
	cut := time.Now()
	away := table[0].Await(t, "away", 35*time.Second, func(r report) bool { return r.seat(1, Away) })
	if after := away.Since[1].Sub(cut); after < 15*time.Second || after > 31*time.Second {
		t.Errorf("away after %v", after)
	}
	alone := table[1].Await(t, "all away", 35*time.Second, func(r report) bool {
		return r.seat(0, Away) && r.seat(2, Away) && r.seat(3, Away)
	})
	waitUntil(t, cut.Add(time.Minute))
	l.Mend(2)
	took := backAgain(t, table, 1, time.Now())
	t.Logf("away after %v, the one who is cut knows after %v; back %v after the return; 5 rounds in %v",
		away.Since[1].Sub(cut), alone.At.Sub(cut), took, talkAll(t, table, "5"))
}

// sleepVariable makes the sleeper sleep for another time, such as "10m".
const sleepVariable = "ALIBI_NODE_SLEEP"

// A computer that goes to sleep, with its network, and wakes up with another
// address, is back within seconds in the same seat. Fifty seconds are past the
// end of every connection; what lives longer is only what is known of others
// by mDNS, for up to 90 s.
func TestSleep(t *testing.T) {
	skipIfRace(t)
	t.Parallel()
	l, table := lab(t)
	length := 50 * time.Second
	if text := os.Getenv(sleepVariable); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	asleep := time.Now()
	if err := table[1].Cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	l.Cut(2)
	table[0].Await(t, "away", 35*time.Second, func(r report) bool { return r.seat(1, Away) })
	l.IP(2, "addr flush dev "+netlab.Device, "addr add 10.77.0.99/24 dev "+netlab.Device)
	waitUntil(t, asleep.Add(length))
	l.Mend(2)
	if err := table[1].Cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	took := backAgain(t, table, 1, time.Now())
	t.Logf("back %v after %v of sleep; 5 rounds in %v", took, length, talkAll(t, table, "5"))
}

// Somebody whose network comes up late appears without a restart.
func TestLateInterface(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a lab of namespaces is not for a short test")
	}
	l := netlab.New(t, netlab.Plan{Hosts: 4, IPv4: true, IPv6: true, Unplugged: true})
	for i := 1; i <= 3; i++ {
		l.Plug(i)
	}
	table, began := seatTable(t, l, 1, 2, 3, 4)
	table[0].Await(t, "the others", allowance, func(r report) bool { return r.seat(1, Connected) && r.seat(2, Connected) })
	waitUntil(t, began.Add(5*time.Second))
	l.Plug(4)
	t.Logf("connected %v after the interface came up; 5 rounds in %v", backAgain(t, table, 3, time.Now()), talkAll(t, table, "5"))
}

// One packet in ten is lost, in every direction: everybody connects and plays.
func TestTenPercentLoss(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a lab of namespaces is not for a short test")
	}
	l := netlab.New(t, fourHosts)
	for i := 1; i <= 4; i++ {
		l.Loss(i, 10)
	}
	table, began := seatTable(t, l, netlab.EveryHost(fourHosts)...)
	took := connected(t, table, began, allowance)
	t.Logf("all connected after %v; 50 rounds in %v", took, talkAll(t, table, "50"))
	for _, p := range table {
		for i := range p.Last.Seats {
			if p.Last.seat(i, Away) {
				t.Errorf("player %d sees seat %d away", p.seat, i)
			}
		}
	}
}
