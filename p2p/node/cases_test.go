//go:build linux

package node

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"alibi/p2p/netlab"
)

// runsVariable asks for each case to be measured that many times.
const runsVariable = "ALIBI_LAN_RUNS"

// allowance is how long a case may take on a machine that is busy with other
// things; a quiet one needs a twentieth.
const allowance = 20 * time.Second

var fourHosts = netlab.Plan{Hosts: 4, IPv4: true, IPv6: true}

// networkCases are those of discovery, and two in which one transport is blocked.
func networkCases() []netlab.Case {
	all := netlab.EveryHost(fourHosts)
	return append(netlab.Cases(),
		netlab.Case{Name: "udp-blocked", Plan: fourHosts, Hosts: all,
			SetUp: netlab.OnAll(func(l *netlab.Lab, i int) { l.Block(i, "udp dport != 5353") })},
		netlab.Case{Name: "tcp-blocked", Plan: fourHosts, Hosts: all,
			SetUp: netlab.OnAll(func(l *netlab.Lab, i int) { l.Block(i, "meta l4proto tcp") })},
	)
}

// From starting all programs to everybody connected with everybody, found by
// nothing but discovery.
func TestEverybodyConnects(t *testing.T) {
	runs, _ := strconv.Atoi(os.Getenv(runsVariable))
	if testing.Short() && runs == 0 {
		t.Skip("a lab of namespaces is not for a short test")
	}
	runs = max(runs, 1)
	for _, c := range networkCases() {
		t.Run(c.Name, func(t *testing.T) {
			var times []time.Duration
			used := map[string]int{}
			for run := range runs {
				t.Run(strconv.Itoa(run), func(t *testing.T) {
					l := netlab.New(t, c.Plan)
					if c.SetUp != nil {
						c.SetUp(l)
					}
					table, began := seatTable(t, l, c.Hosts...)
					times = append(times, connected(t, table, began, allowance))
					for _, p := range table {
						for _, link := range p.Last.Links {
							used[link.Transport]++
						}
					}
				})
			}
			if len(times) == 0 {
				t.Skip("no run was possible")
			}
			slices.Sort(times)
			t.Logf("%-12s median %4d ms, worst %4d ms of %d; %v", c.Name,
				times[len(times)/2].Milliseconds(), times[len(times)-1].Milliseconds(), len(times), used)
		})
	}
}

// lab is four hosts with everybody connected.
func lab(t *testing.T) (*netlab.Lab, []*player) {
	t.Helper()
	if testing.Short() {
		t.Skip("a lab of namespaces is not for a short test")
	}
	l := netlab.New(t, fourHosts)
	table, began := seatTable(t, l, netlab.EveryHost(fourHosts)...)
	connected(t, table, began, allowance)
	return l, table
}

func (r report) seat(i int, state State) bool { return strings.HasPrefix(r.Seats[i], state.String()) }

// A frozen program is shaky after six seconds and away after twenty-five; it
// comes back in the same seat.
func TestFrozenPeer(t *testing.T) {
	_, table := lab(t)
	frozen := table[1]
	froze := time.Now()
	if err := frozen.Cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	shaky := table[0].Await(t, "shaky", 15*time.Second, func(r report) bool { return r.seat(1, Shaky) })
	if after := shaky.Since[1].Sub(froze); after < 3*time.Second || after > 10*time.Second {
		t.Errorf("shaky after %v", after)
	}
	away := table[0].Await(t, "away", 35*time.Second, func(r report) bool { return r.seat(1, Away) })
	if after := away.Since[1].Sub(froze); after < 20*time.Second || after > 30*time.Second {
		t.Errorf("away after %v", after)
	}
	if err := frozen.Cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	table[0].Await(t, "back", allowance, report.direct)
	t.Logf("shaky after %v, away after %v, back after %v", shaky.Since[1].Sub(froze), away.Since[1].Sub(froze), time.Since(began))
}

// A killed program that is started again is back in its seat at once, whatever
// the others still believe of its old connections.
func TestKilledPeer(t *testing.T) {
	l, table := lab(t)
	table[1].Kill(t)
	back := seatPlayer(t, l, 2, 1, 4)
	began := time.Now()
	back.Say(t, "go")
	table[1] = back
	back.Await(t, "back", allowance, report.direct)
	t.Logf("back after %v", time.Since(began))
	for _, p := range table {
		p.Say(t, "talk 5")
	}
	for _, p := range table {
		if r := p.Await(t, "talk", allowance, func(r report) bool { return r.Finished }); r.Failed != "" {
			t.Errorf("player %d: %s", p.seat, r.Failed)
		}
	}
}

// A cable that is out for eight seconds is shaky at most and never away; the
// game goes on after it.
func TestShortCut(t *testing.T) {
	l, table := lab(t)
	l.Cut(2)
	gone := time.NewTimer(8 * time.Second)
	for waiting := true; waiting; {
		select {
		case r := <-table[0].Reports:
			if r.seat(1, Away) {
				t.Errorf("away")
			}
		case <-gone.C:
			waiting = false
		}
	}
	l.Mend(2)
	began := time.Now()
	table[1].Await(t, "back", allowance, report.direct)
	table[0].Await(t, "back", allowance, report.direct)
	t.Logf("back %v after the return", time.Since(began))
}

// One that gets another address plays on in the same seat within seconds.
func TestAddressChange(t *testing.T) {
	l, table := lab(t)
	l.IP(2, "addr flush dev "+netlab.Device, "addr add 10.77.0.99/24 dev "+netlab.Device)
	began := time.Now()
	for _, p := range table {
		p.Say(t, "talk 5")
	}
	for _, p := range table {
		if r := p.Await(t, "talk", 40*time.Second, func(r report) bool { return r.Finished }); r.Failed != "" {
			t.Errorf("player %d: %s", p.seat, r.Failed)
		}
	}
	took := time.Since(began)
	table[1].Await(t, "new address shown", allowance, func(r report) bool { return slices.Contains(r.Addrs, "10.77.0.99:"+port(r)) })
	t.Logf("played on %v after the change", took)
	if took > 15*time.Second {
		t.Errorf("it took %v to play on", took)
	}
}

func port(r report) string {
	if len(r.Addrs) == 0 {
		return ""
	}
	return r.Addrs[0][strings.LastIndex(r.Addrs[0], ":")+1:]
}

// Two whose packets do not reach each other play through the others.
func TestTwoApart(t *testing.T) {
	if testing.Short() {
		t.Skip("a lab of namespaces is not for a short test")
	}
	l := netlab.New(t, netlab.Plan{Hosts: 4, IPv4: true})
	l.Block(1, "ip saddr "+netlab.IPv4(2).String())
	l.Block(2, "ip saddr "+netlab.IPv4(1).String())
	table, _ := seatTable(t, l, 1, 2, 3, 4)
	table[0].Await(t, "through a third", allowance, func(r report) bool {
		return strings.HasPrefix(r.Seats[1], "connected via") && r.seat(2, Connected) && r.seat(3, Connected)
	})
	for _, p := range table {
		p.Say(t, "talk 20")
	}
	for _, p := range table {
		if r := p.Await(t, "talk", allowance, func(r report) bool { return r.Finished }); r.Failed != "" {
			t.Errorf("player %d: %s", p.seat, r.Failed)
		}
	}
}
