//go:build linux

package lan

import (
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"alibi/p2p/netlab"

	"github.com/miekg/dns"
)

// hostileID makes the helper process a bad neighbour.
const hostileID = "hostile"

const (
	floodNames = 10_000
	floodTime  = 5 * time.Second
)

// hostileMain invents names, sends garbage, and says goodbye for others, evenly
// over floodTime.
func hostileMain(string) error {
	iface, err := net.InterfaceByName(netlab.Device)
	if err != nil {
		return err
	}
	var t testing.T // for packing only, which does not fail
	conn, err := net.DialUDP("udp4", nil, &net.UDPAddr{IP: group4.AsSlice(), Port: mdnsPort, Zone: iface.Name})
	if err != nil {
		return err
	}
	defer conn.Close()
	service := newParser("").service
	packets := hostilePackets(&t)
	names := slices.DeleteFunc(slices.Collect(keysOf(packets)), func(name string) bool { return understood[name] })
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	perTick := floodNames / int(floodTime/time.Millisecond)
	for i := 0; i < floodNames; {
		<-tick.C
		for range perTick {
			invented := response(&t, service, fmt.Sprintf("i%d", i), 4001, "alibi=1", fmt.Sprintf("id=bad%d", i), "r=1",
				"a=127.0.0.1,224.0.0.1,8.8.8.8", "x-name=4oCuG1syShs")
			for _, packet := range [][]byte{invented, packets[names[i%len(names)]]} {
				_, _ = conn.Write(packet) // the empty one is refused
			}
			i++
		}
	}
	return nil
}

func keysOf(m map[string][]byte) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range m {
			if !yield(name) {
				return
			}
		}
	}
}

// cpuTime is what a process has used so far.
func cpuTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(after)
	var ticks int
	for _, field := range fields[11:13] { // utime and stime, in hundredths of a second
		n, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

func TestFloodLeavesTheListCleanAndTheProcessorIdle(t *testing.T) {
	l := netlab.New(t, netlab.Plan{Hosts: 3, IPv4: true, IPv6: true})
	g, began := startGroup(t, l, 1, 2)
	g.found(t, began, allowance)
	before := cpuTime(t, g[0].Cmd.Process.Pid)
	bad := startPlayer(t, l, 3, hostileID)
	for range bad.Reports { // closed when it has ended
	}
	flooded := time.Now()
	used := cpuTime(t, g[0].Cmd.Process.Pid) - before
	t.Logf("used %v of processor time during %v of flood", used, floodTime)
	if used > floodTime/2 {
		t.Errorf("used %v", used)
	}
	for r := (report{}); r.At.Before(flooded); {
		r = <-g[0].Reports
		if len(r.Peers) > 1+maxPerSource {
			t.Fatalf("list of %d", len(r.Peers))
		}
		if !slices.ContainsFunc(r.Peers, func(p Peer) bool { return p.ID == g[1].id }) {
			t.Fatal("the other player is crowded out")
		}
		for _, p := range r.Peers {
			for i, a := range p.Addrs {
				if ip := a.Addr(); ip.IsLoopback() || ip.IsMulticast() || i > 0 && !lanAddress(ip) && !ip.IsLinkLocalUnicast() {
					t.Fatalf("would dial %v", a)
				}
			}
			if p.Info["name"] != Clean(p.Info["name"]) {
				t.Fatalf("would show %q", p.Info["name"])
			}
		}
	}
}

// TestForeignServiceIsNotListed shares the network with a printer.
func TestForeignServiceIsNotListed(t *testing.T) {
	p := newParser("")
	var z zone
	if err := z.set("", "abc", 1, []net.IP{{10, 0, 0, 1}}, record{version: Version, id: "x"}); err != nil {
		t.Fatal(err)
	}
	packet := response(t, "_ipp._tcp.local.", "abc._alibi._udp", 631, "alibi=1", "id=Qm1", "r=1")
	if h, err := p.parse(packet); err != nil || len(h.peers) > 0 {
		t.Errorf("heard %+v, %v", h, err)
	}
	enumeration := z.Records(dns.Question{Name: "_services._dns-sd._udp.local.", Qtype: dns.TypePTR, Qclass: dns.ClassINET})
	if len(enumeration) != 1 {
		t.Errorf("service browsers see %v", enumeration)
	}
}
