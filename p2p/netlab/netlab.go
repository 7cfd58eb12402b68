// Package netlab builds small local networks out of Linux network namespaces,
// for tests that need several computers. A program under test runs in one of the
// namespaces, and no packet leaves them.
//
//	lab := netlab.New(t, netlab.Plan{Hosts: 4, IPv4: true, IPv6: true})
//	cmd := lab.Command(ctx, 1, "/path/to/alibi", "host")
//
// It needs Linux, root and the ip command; a test is skipped, with the reason,
// where they are missing. Only tests should import it.
package netlab

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// Device is the name of the interface by which each host is on the network.
const Device = "lan0"

const (
	bridge = "switch"
	prefix = "alibi"
)

// Plan says what network to build. Host N has the addresses 10.77.0.N,
// fd77::N and 169.254.77.N as far as they are wanted, IPv6 link-local ones
// unless IPv6 is off, and its own loopback interface.
type Plan struct {
	// Hosts is how many computers there are, at most 200.
	Hosts int
	// IPv4 gives every host a private address and a default route.
	IPv4 bool
	// IPv6 gives every host a unique local address.
	IPv6 bool
	// Cable gives every host a self-assigned IPv4 address and no route, as on a
	// cable between two laptops.
	Cable bool
	// LinkLocal leaves every host its IPv6 link-local address; IPv6 implies it.
	LinkLocal bool
	// NoRoute leaves the default routes out.
	NoRoute bool
	// Unplugged leaves the interface of every host down until Plug.
	Unplugged bool
}

// Lab is a running network. Hosts are counted from 1. All methods fail the test
// if the system refuses.
type Lab struct {
	t    testing.TB
	plan Plan
	name string
}

var labs atomic.Int64

// New builds the network, and tears it down when the test ends.
func New(t testing.TB, plan Plan) *Lab {
	t.Helper()
	if reason := missing(); reason != "" {
		t.Skip(reason)
	}
	if plan.Hosts < 1 || plan.Hosts > 200 {
		t.Fatalf("netlab: %d hosts", plan.Hosts)
	}
	sweep()
	l := &Lab{t: t, plan: plan, name: fmt.Sprintf("%s-%d-%d", prefix, os.Getpid(), labs.Add(1))}
	if out, err := exec.Command("ip", "netns", "add", l.hub()).CombinedOutput(); err != nil {
		t.Skipf("network namespaces are not permitted here: %s", bytes.TrimSpace(out))
	}
	t.Cleanup(l.close)
	l.sysctl(l.hub(), "net/ipv6/conf/default/disable_ipv6", "1")
	l.batch(l.hub(),
		"link add "+bridge+" type bridge mcast_snooping 0 forward_delay 0",
		"link set "+bridge+" up")
	for i := 1; i <= plan.Hosts; i++ {
		l.addHost(i)
	}
	return l
}

// missing names what a lab needs and this computer has not, or "".
func missing() string {
	if runtime.GOOS != "linux" {
		return "network namespaces exist on Linux only"
	}
	if os.Geteuid() != 0 {
		return "network namespaces need root"
	}
	if _, err := exec.LookPath("ip"); err != nil {
		return "network namespaces need the ip command (iproute2)"
	}
	return ""
}

func (l *Lab) addHost(i int) {
	ns, port := l.Namespace(i), l.port(i)
	l.run("ip", "netns", "add", ns)
	l.sysctl(ns, "net/ipv6/conf/default/accept_dad", "0")
	if !l.plan.IPv6 && !l.plan.LinkLocal {
		l.sysctl(ns, "net/ipv6/conf/all/disable_ipv6", "1")
		l.sysctl(ns, "net/ipv6/conf/default/disable_ipv6", "1")
	}
	l.batch(l.hub(),
		"link add "+port+" type veth peer name "+Device+" netns "+ns,
		"link set "+port+" master "+bridge+" up")
	commands := []string{"link set lo up"}
	if !l.plan.Unplugged {
		commands = append(commands, l.plugCommands(i)...)
	}
	l.batch(ns, commands...)
}

// plugCommands brings the interface of a host up and gives it its addresses.
func (l *Lab) plugCommands(i int) []string {
	commands := []string{"link set " + Device + " up"}
	if l.plan.IPv4 {
		commands = append(commands, fmt.Sprintf("addr add %v/24 dev %s", IPv4(i), Device))
	}
	if l.plan.IPv6 {
		commands = append(commands, fmt.Sprintf("addr add %v/64 dev %s nodad", IPv6(i), Device))
	}
	if l.plan.Cable {
		commands = append(commands, fmt.Sprintf("addr add %v/16 dev %s", Cable(i), Device))
	}
	if l.plan.IPv4 && !l.plan.NoRoute {
		commands = append(commands, "route add default via 10.77.0.254 dev "+Device)
	}
	return commands
}

// IPv4 is the private address of a host.
func IPv4(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 77, 0, byte(i)}) }

// Cable is the self-assigned address of a host.
func Cable(i int) netip.Addr { return netip.AddrFrom4([4]byte{169, 254, 77, byte(i)}) }

// IPv6 is the unique local address of a host.
func IPv6(i int) netip.Addr {
	addr := netip.MustParseAddr("fd77::").As16()
	addr[15] = byte(i)
	return netip.AddrFrom16(addr)
}

// Hosts is how many there are.
func (l *Lab) Hosts() int { return l.plan.Hosts }

// Namespace is the name of a host's namespace.
func (l *Lab) Namespace(i int) string { return l.name + "-ln" + strconv.Itoa(i) }

func (l *Lab) hub() string { return l.name + "-hub" }

// port is the switch's end of a host's cable.
func (l *Lab) port(i int) string { return "port" + strconv.Itoa(i) }

// Command prepares a program to run on a host. It is killed when ctx ends, and
// signals sent to its process reach the program itself.
func (l *Lab) Command(ctx context.Context, i int, program string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "ip", append([]string{"netns", "exec", l.Namespace(i), program}, args...)...)
}

// IP runs commands of ip(8) on a host, each given without the leading "ip".
func (l *Lab) IP(i int, commands ...string) {
	l.t.Helper()
	l.batch(l.Namespace(i), commands...)
}

// Plug brings the interface of an Unplugged host up.
func (l *Lab) Plug(i int) {
	l.t.Helper()
	l.IP(i, l.plugCommands(i)...)
}

// Cut pulls the cable of a host out of the switch: its interface loses the
// carrier and keeps its addresses.
func (l *Lab) Cut(i int) {
	l.t.Helper()
	l.batch(l.hub(), "link set "+l.port(i)+" down")
}

// Mend puts the cable back.
func (l *Lab) Mend(i int) {
	l.t.Helper()
	l.batch(l.hub(), "link set "+l.port(i)+" up")
}

// Move gives a host another IPv4 address and takes the one that it had, as when
// it comes to another access point.
func (l *Lab) Move(i int, from, to netip.Addr) {
	l.t.Helper()
	l.sysctl(l.Namespace(i), "net/ipv4/conf/all/promote_secondaries", "1")
	l.IP(i, fmt.Sprintf("addr add %v/24 dev %s", to, Device), fmt.Sprintf("addr del %v/24 dev %s", from, Device))
}

// DropMulticast makes the switch drop multicast to every host.
func (l *Lab) DropMulticast() {
	l.t.Helper()
	for i := 1; i <= l.plan.Hosts; i++ {
		l.batch(l.hub(), "link set "+l.port(i)+" type bridge_slave mcast_flood off")
	}
}

// Isolate makes the switch keep the hosts apart, as guest networks do.
func (l *Lab) Isolate() {
	l.t.Helper()
	for i := 1; i <= l.plan.Hosts; i++ {
		l.batch(l.hub(), "link set "+l.port(i)+" type bridge_slave isolated on")
	}
}

// AddCard gives a host a further interface on the same switch, as a laptop with
// a cable and Wi-Fi has.
func (l *Lab) AddCard(i int, name string, subnet netip.Prefix) {
	l.t.Helper()
	port := l.port(i) + "-" + name
	l.batch(l.hub(),
		"link add "+port+" type veth peer name "+name+" netns "+l.Namespace(i),
		"link set "+port+" master "+bridge+" up")
	l.IP(i, "link set "+name+" up", fmt.Sprintf("addr add %v dev %s", subnet, name))
}

// Docker gives a host the bridge docker0 with the address that every computer
// with Docker has, and something running in it.
func (l *Lab) Docker(i int) {
	l.t.Helper()
	l.IP(i,
		"link add docker0 type bridge forward_delay 0",
		"addr add 172.17.0.1/16 brd 172.17.255.255 dev docker0",
		"link set docker0 up",
		"link add veth0 type veth peer name inside",
		"link set veth0 master docker0 up",
		"link set inside up")
}

// VPN gives a host a tunnel that has taken the default route. With half, it is
// an adapter that carries multicast, with two routes to one half of the internet
// each. It skips the test without /dev/net/tun.
func (l *Lab) VPN(i int, half bool) {
	l.t.Helper()
	if !half {
		l.needTun()
		l.IP(i, "tuntap add dev tun0 mode tun", "addr add 10.8.0.2/24 dev tun0", "link set tun0 up",
			"route replace default dev tun0")
		return
	}
	l.batch(l.hub(), fmt.Sprintf("link add vpn%d type veth peer name tap0 netns %s", i, l.Namespace(i)),
		fmt.Sprintf("link set vpn%d up", i))
	l.IP(i, "link set tap0 up", "addr add 10.8.0.2/24 dev tap0",
		"route add 0.0.0.0/1 dev tap0", "route add 128.0.0.0/1 dev tap0")
}

// needTun skips the test where interfaces that end in a program cannot be made,
// as in containers that lack the device.
func (l *Lab) needTun() {
	l.t.Helper()
	device, err := os.OpenFile("/dev/net/tun", os.O_RDWR, 0)
	if err != nil {
		l.t.Skipf("tunnels and slow switches: %v", err)
	}
	_ = device.Close()
}

// Firewall lets a host accept only answers to what it sent, ICMP and mDNS to the
// group, as desktop distributions do. It skips the test without the nft command.
func (l *Lab) Firewall(i int) {
	l.t.Helper()
	l.nft(i, `table inet desk { chain in { type filter hook input priority 0; policy drop;
		iif lo accept; ct state established,related accept;
		ip protocol icmp accept; meta l4proto ipv6-icmp accept;
		ip daddr 224.0.0.251 udp dport 5353 accept; ip6 daddr ff02::fb udp dport 5353 accept;
		}
	}`)
}

// Loss drops a share of the packets that arrive at a host. It skips the test
// without the nft command.
func (l *Lab) Loss(i, percent int) {
	l.t.Helper()
	l.nft(i, fmt.Sprintf(`table inet weather { chain in { type filter hook input priority -10;
		iifname %q numgen random mod 100 < %d drop;
		}
	}`, Device, percent))
}

// Block drops packets that arrive at a host and match an nft expression such as
// "meta l4proto udp udp dport != 5353". It skips the test without the nft command.
func (l *Lab) Block(i int, expression string) {
	l.t.Helper()
	l.nft(i, fmt.Sprintf(`table inet block { chain in { type filter hook input priority -5;
		iifname %q %s drop;
		}
	}`, Device, expression))
}

func (l *Lab) nft(i int, rules string) {
	l.t.Helper()
	if _, err := exec.LookPath("nft"); err != nil {
		l.t.Skip("packet filters need the nft command (nftables)")
	}
	cmd := exec.Command("ip", "netns", "exec", l.Namespace(i), "nft", "-f", "-")
	cmd.Stdin = strings.NewReader(rules)
	if out, err := cmd.CombinedOutput(); err != nil {
		l.t.Fatalf("nft on host %d: %v: %s", i, err, bytes.TrimSpace(out))
	}
}

// batch runs commands of ip(8) in a namespace, all in one process.
func (l *Lab) batch(ns string, commands ...string) {
	l.t.Helper()
	cmd := exec.Command("ip", "-n", ns, "-batch", "-")
	cmd.Stdin = strings.NewReader(strings.Join(commands, "\n") + "\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		l.t.Fatalf("ip in %s: %v: %s (commands: %s)", ns, err, bytes.TrimSpace(out), strings.Join(commands, "; "))
	}
}

// sysctl writes a kernel setting of a namespace; one that this kernel does not
// have is left alone.
func (l *Lab) sysctl(ns, key, value string) {
	l.t.Helper()
	l.run("ip", "netns", "exec", ns, "sh", "-c",
		fmt.Sprintf("if [ -e /proc/sys/%s ]; then echo %s > /proc/sys/%s; fi", key, value, key))
}

func (l *Lab) run(name string, args ...string) {
	l.t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		l.t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
}

// close removes the namespaces, and with them the interfaces and the switch.
func (l *Lab) close() {
	for i := 1; i <= l.plan.Hosts; i++ {
		remove(l.Namespace(i))
	}
	remove(l.hub())
}

func remove(ns string) { _ = exec.Command("ip", "netns", "delete", ns).Run() }

// sweep removes what test runs that were killed have left behind: namespaces
// named after a process that is no more.
func sweep() {
	out, err := exec.Command("ip", "netns", "list").Output()
	if err != nil {
		return
	}
	for line := range strings.Lines(string(out)) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		parts := strings.Split(name, "-")
		if len(parts) != 4 || parts[0] != prefix {
			continue
		}
		pid, err := strconv.Atoi(parts[1])
		if err != nil {
			continue
		}
		if _, err := os.Stat("/proc/" + strconv.Itoa(pid)); os.IsNotExist(err) {
			remove(name)
		}
	}
}
