//go:build linux

package lan

import (
	"fmt"
	"net/netip"
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
// things; a quiet one needs a tenth.
const allowance = 15 * time.Second

var fourHosts = netlab.Plan{Hosts: 4, IPv4: true, IPv6: true}

// checks says what the addresses found on each network must be like.
var checks = map[string]func(*testing.T, group){
	"base":         checkFirst(netlab.IPv4),
	"v4only":       checkFirst(netlab.IPv4),
	"v6ula":        checkFirst(netlab.IPv6),
	"v6ll":         checkZones,
	"noroute":      checkFirst(netlab.IPv4),
	"cable":        checkFirst(netlab.Cable),
	"docker":       checkDocker,
	"docker-same":  checkDocker,
	"vpn":          checkFirst(netlab.IPv4),
	"vpn-half":     checkFirst(netlab.IPv4),
	"loopback":     checkFirst(func(int) netip.Addr { return netip.MustParseAddr("127.0.0.1") }),
	"one-computer": checkFirst(netlab.IPv4),
	"twelve-v4":    checkFirst(netlab.IPv4),
	"twelve-v6":    checkFirst(netlab.IPv6),
}

func TestEverybodyFindsEverybody(t *testing.T) {
	runs, _ := strconv.Atoi(os.Getenv(runsVariable))
	runs = max(runs, 1)
	for _, c := range netlab.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			var times []time.Duration
			for run := range runs {
				t.Run(strconv.Itoa(run), func(t *testing.T) {
					l := netlab.New(t, c.Plan)
					if c.SetUp != nil {
						c.SetUp(l)
					}
					g, began := startGroup(t, l, c.Hosts...)
					times = append(times, g.found(t, began, allowance))
					if check := checks[c.Name]; check != nil {
						check(t, g)
					}
				})
			}
			if len(times) == 0 {
				t.Skip("no run was possible")
			}
			slices.Sort(times)
			t.Logf("%-12s median %4d ms, worst %4d ms of %d", c.Name,
				times[len(times)/2].Milliseconds(), times[len(times)-1].Milliseconds(), len(times))
		})
	}
}

// checkFirst checks that the first address of everybody is the wanted one. With
// several players on one host the ports tell them apart, not the addresses.
func checkFirst(want func(int) netip.Addr) func(*testing.T, group) {
	return func(t *testing.T, g group) {
		t.Helper()
		g.eachPeer(t, func(p *player, q Peer, host int) bool {
			return q.Addrs[0] == netip.AddrPortFrom(want(host), 4001)
		})
	}
}

// checkZones checks that link-local addresses carry the receiver's interface.
func checkZones(t *testing.T, g group) {
	t.Helper()
	g.eachPeer(t, func(p *player, q Peer, _ int) bool {
		return q.Addrs[0].Addr().Zone() == netlab.Device
	})
}

// checkDocker checks that the address of the bridge comes last, and that nobody
// is told that it is theirs.
func checkDocker(t *testing.T, g group) {
	t.Helper()
	checkFirst(netlab.IPv4)(t, g)
	bridge := netip.MustParseAddrPort("172.17.0.1:4001")
	g.eachPeer(t, func(p *player, q Peer, _ int) bool {
		if at := slices.Index(q.Addrs, bridge); at >= 0 && at != len(q.Addrs)-1 {
			return false
		}
		return !slices.Contains(p.Last.Own, bridge.Addr().String())
	})
}

// eachPeer waits until a condition holds for every peer of everybody: what is
// known first is not yet complete.
func (g group) eachPeer(t *testing.T, want func(p *player, q Peer, host int) bool) {
	t.Helper()
	hosts := make(map[string]int)
	for _, p := range g {
		hosts[p.id] = p.host
	}
	for _, p := range g {
		p.await(t, "addresses", allowance, func(r report) bool {
			return !slices.ContainsFunc(r.Peers, func(q Peer) bool {
				return len(q.Addrs) == 0 || !want(p, q, hosts[q.ID])
			})
		})
	}
}

func TestGoodbyeIsSeenAtOnce(t *testing.T) {
	l := netlab.New(t, fourHosts)
	g, began := startGroup(t, l, 1, 2, 3, 4)
	g.found(t, began, allowance)
	left := time.Now()
	g[0].Say(t, "quit")
	var last time.Time
	for _, p := range g[1:] {
		r := p.await(t, "goodbye", allowance, func(r report) bool { return p.sees(r, g[1:]) })
		last = later(last, r.At)
	}
	t.Logf("seen by all after %v", last.Sub(left))
	if last.Sub(left) > 2*time.Second {
		t.Errorf("goodbye took %v", last.Sub(left))
	}
}

func TestNewInfoIsSeenAtOnce(t *testing.T) {
	l := netlab.New(t, fourHosts)
	g, began := startGroup(t, l, 1, 2, 3, 4)
	g.found(t, began, allowance)
	for _, p := range g {
		p.Say(t, "calm")
	}
	said := time.Now()
	g[0].Say(t, "info open table")
	for _, p := range g[1:] {
		p.await(t, "new info", allowance, func(r report) bool {
			return slices.ContainsFunc(r.Peers, func(q Peer) bool { return q.Info["name"] == "open table" })
		})
	}
	if took := time.Since(said); took > 2*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestLateComerBehindFirewallHearsEverybody(t *testing.T) {
	l := netlab.New(t, fourHosts)
	for i := 1; i <= 4; i++ {
		l.Firewall(i)
	}
	g, began := startGroup(t, l, 1, 2, 3)
	g.found(t, began, allowance)
	late := startPlayer(t, l, 4, "late")
	late.Say(t, "go")
	all := append(g, late)
	began = time.Now()
	took := all.found(t, began, allowance)
	t.Logf("found after %v", took)
	if took > 3*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestInterfaceThatComesUpLater(t *testing.T) {
	l := netlab.New(t, netlab.Plan{Hosts: 2, IPv4: true, IPv6: true, Unplugged: true})
	l.Plug(1)
	g, _ := startGroup(t, l, 1, 2)
	g[1].await(t, "loopback while there is nothing else", allowance, func(r report) bool {
		return len(r.Own) > 0 && r.Own[0] == "127.0.0.1"
	})
	l.Plug(2)
	plugged := time.Now()
	took := g.found(t, plugged, allowance)
	t.Logf("found %v after the interface came up", took)
	if took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestShortCutIsNotSeen(t *testing.T) {
	l := netlab.New(t, netlab.Plan{Hosts: 2, IPv4: true, IPv6: true})
	g, began := startGroup(t, l, 1, 2)
	g.found(t, began, allowance)
	l.Cut(2)
	cut := time.Now()
	for r := (report{}); r.At.Sub(cut) < 8*time.Second; { // reports come at least once a second
		if r = <-g[0].Reports; len(r.Peers) != 1 {
			t.Fatalf("peer dropped during a short cut: %+v", r.Peers)
		}
	}
	l.Mend(2)
	mended := time.Now()
	g[0].await(t, "heard again", allowance, func(r report) bool {
		return len(r.Peers) == 1 && r.Peers[0].LastSeen.After(mended)
	})
	t.Logf("heard again after %v", time.Since(mended))
}

func TestKilledPlayerIsDropped(t *testing.T) {
	if testing.Short() {
		t.Skip("takes as long as an entry lives")
	}
	l := netlab.New(t, netlab.Plan{Hosts: 2, IPv4: true, IPv6: true})
	g, began := startGroup(t, l, 1, 2)
	g.found(t, began, allowance)
	g[1].Kill(t)
	killed := time.Now()
	g[0].await(t, "drop", eagerLife+allowance, func(r report) bool { return len(r.Peers) == 0 })
	t.Logf("dropped after %v", time.Since(killed))
}

func TestFrozenProgramKeepsItsList(t *testing.T) {
	if testing.Short() {
		t.Skip("takes longer than an entry lives")
	}
	l := netlab.New(t, netlab.Plan{Hosts: 2, IPv4: true})
	g, began := startGroup(t, l, 1, 2)
	g.found(t, began, allowance)
	frozen := g[1].Cmd.Process
	if err := frozen.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	g[0].await(t, "drop of the frozen one", eagerLife+allowance, func(r report) bool { return len(r.Peers) == 0 })
	if err := frozen.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	thawed := time.Now()
	for r := (report{}); r.At.Before(thawed.Add(2 * time.Second)); {
		if r = <-g[1].Reports; len(r.Peers) != 1 {
			t.Errorf("list of %d %v after the thaw", len(r.Peers), r.At.Sub(thawed))
		}
	}
	g[0].await(t, "return", allowance, func(r report) bool { return len(r.Peers) == 1 })
	t.Logf("back in the list after %v", g[0].Last.At.Sub(thawed))
}

// TestLoopbackOnlyIsSilentOutside has somebody ask on the network meanwhile.
func TestLoopbackOnlyIsSilentOutside(t *testing.T) {
	l := netlab.New(t, netlab.Plan{Hosts: 2, IPv4: true})
	sent := func() string {
		out, err := l.Command(t.Context(), 1, "cat", "/sys/class/net/"+netlab.Device+"/statistics/tx_packets").Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	before := sent()
	outside := startPlayer(t, l, 2, "outside")
	outside.Say(t, "go")
	g := group{startPlayer(t, l, 1, localPrefix+"0"), startPlayer(t, l, 1, localPrefix+"1")}
	for _, p := range g {
		p.Say(t, "go")
	}
	g.found(t, time.Now(), allowance)
	for range 3 { // about three seconds of questions
		if r := <-outside.Reports; len(r.Peers) > 0 {
			t.Errorf("seen outside: %+v", r.Peers)
		}
	}
	g[0].Say(t, "quit")
	g[1].await(t, "goodbye", allowance, func(r report) bool { return len(r.Peers) == 0 })
	if after := sent(); after != before {
		t.Errorf("%s packets before, %s after", before, after)
	}
}

func TestTwoCardsOnOneNetwork(t *testing.T) {
	l := netlab.New(t, netlab.Plan{Hosts: 2, IPv4: true, IPv6: true})
	second := netip.MustParsePrefix("10.77.0.101/24")
	l.AddCard(1, "wlan0", second)
	g, began := startGroup(t, l, 1, 2)
	g.found(t, began, allowance)
	g[1].await(t, "both addresses", allowance, func(r report) bool {
		return len(r.Peers) == 1 && slices.ContainsFunc(r.Peers[0].Addrs, func(a netip.AddrPort) bool { return a.Addr() == second.Addr() })
	})
	g[0].await(t, "both interfaces", allowance, func(r report) bool { return r.Links == 2 })
}

func TestNewAddressComesFirst(t *testing.T) {
	l := netlab.New(t, netlab.Plan{Hosts: 2, IPv4: true})
	g, began := startGroup(t, l, 1, 2)
	g.found(t, began, allowance)
	l.IP(2, "addr del 10.77.0.2/24 dev "+netlab.Device, "addr add 10.77.0.99/24 dev "+netlab.Device)
	moved := time.Now()
	g[0].await(t, "new address", allowance, func(r report) bool {
		return len(r.Peers) == 1 && r.Peers[0].Addrs[0].Addr() == netip.MustParseAddr("10.77.0.99")
	})
	t.Logf("known after %v", time.Since(moved))
}

func TestMulticastDroppedIsVisibleInStatus(t *testing.T) {
	l := netlab.New(t, netlab.Plan{Hosts: 2, IPv4: true})
	l.DropMulticast()
	g, _ := startGroup(t, l, 1, 2)
	for range 4 {
		r := <-g[0].Reports
		if r.Heard || len(r.Peers) > 0 {
			t.Fatalf("heard something: %s", r.Status)
		}
	}
}

func TestSkippedInterfacesAreNamed(t *testing.T) {
	l := netlab.New(t, netlab.Plan{Hosts: 1, IPv4: true})
	l.VPN(1, false)
	g, _ := startGroup(t, l, 1)
	r := g[0].await(t, "status", allowance, func(r report) bool { return r.Links > 0 })
	for _, want := range []Skipped{{"tun0", reasonUnplugged}, {"lo", reasonLoopback}} {
		if text := fmt.Sprintf("%+v", want); !strings.Contains(r.Status, text) {
			t.Errorf("status does not say %s: %s", text, r.Status)
		}
	}
}
