package lan

import (
	"net"
	"net/netip"
	"slices"
	"strings"
)

// nic is a network interface as the operating system described it.
type nic struct {
	index   int
	name    string
	flags   net.Flags
	subnets []netip.Prefix // unmasked: the address and the size of its network
}

// survey asks the operating system for all interfaces. An interface that
// disappears meanwhile is left out.
func survey() ([]nic, error) {
	ifaces, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	var nics []nic
	for _, iface := range ifaces {
		addrs, err := iface.Addrs()
		if err != nil {
			continue
		}
		n := nic{index: iface.Index, name: iface.Name, flags: iface.Flags}
		for _, addr := range addrs {
			if subnet, err := netip.ParsePrefix(addr.String()); err == nil {
				n.subnets = append(n.subnets, subnet)
			}
		}
		nics = append(nics, n)
	}
	return nics, nil
}

// Reasons why an interface is not used.
const (
	reasonDown        = "down"
	reasonUnplugged   = "no carrier"
	reasonNoAddress   = "no address"
	reasonNoMulticast = "no multicast"
	reasonLoopback    = "loopback"
	reasonTooMany     = "too many interfaces"
	reasonOnlyLocal   = "only loopback was asked for"
)

const maxLinks = 16 // interfaces used at the same time

// unusable says why an interface other than loopback cannot be used, or "".
func (n nic) unusable() string {
	switch {
	case n.flags&net.FlagUp == 0:
		return reasonDown
	case n.flags&net.FlagRunning == 0:
		return reasonUnplugged
	case n.flags&net.FlagMulticast == 0:
		return reasonNoMulticast
	case len(n.subnets) == 0:
		return reasonNoAddress
	}
	return ""
}

func (n nic) loopback() bool { return n.flags&net.FlagLoopback != 0 }

// choose picks the interfaces to work on: all usable ones, or loopback when
// there are none or nothing else is wanted. It also says why not the others.
func choose(nics []nic, loopbackOnly bool) (use []nic, skipped []Skipped) {
	var local []nic
	for _, n := range nics {
		reason := n.unusable()
		switch {
		case n.loopback():
			if n.flags&net.FlagUp != 0 && len(n.subnets) > 0 {
				local = append(local, n)
				continue
			}
			reason = reasonDown
		case loopbackOnly:
			reason = reasonOnlyLocal
		case reason == "" && len(use) == maxLinks:
			reason = reasonTooMany
		}
		if reason == "" {
			use = append(use, n)
			continue
		}
		skipped = append(skipped, Skipped{n.name, reason})
	}
	if len(use) == 0 {
		return local, skipped
	}
	for _, n := range local {
		skipped = append(skipped, Skipped{n.name, reasonLoopback})
	}
	return use, skipped
}

// virtualNames are beginnings of the names of bridges, tunnels and virtual
// machine adapters on Linux, macOS and Windows.
var virtualNames = []string{
	"docker", "veth", "virbr", "vmnet", "vboxnet", "virtualbox", "vmware", "vethernet",
	"lxc", "lxdbr", "incusbr", "podman", "cni", "cali", "flannel", "bridge100",
	"tun", "tap", "utun", "wg", "zt", "tailscale", "ipsec", "ppp", "nordlynx", "proton",
}

// doubtful says whether addresses of the interface are worth trying only after
// all others.
func (n nic) doubtful() bool {
	name := strings.ToLower(n.name)
	if n.flags&net.FlagPointToPoint != 0 || dockerNetwork(name) {
		return true
	}
	return slices.ContainsFunc(virtualNames, func(start string) bool {
		return strings.HasPrefix(name, start)
	})
}

// dockerNetwork recognises "br-" and twelve hexadecimal digits.
func dockerNetwork(name string) bool {
	digits, ok := strings.CutPrefix(name, "br-")
	return ok && len(digits) == 12 && strings.Trim(digits, "0123456789abcdef") == ""
}

const maxIPv4PerLink = 3

// voices lists the addresses to ask from: one IPv4 address for each network on
// the interface, and one IPv6 address, the link-local one where there is one
// because every answer finds its way back to it. On loopback IPv4 is enough.
func (n nic) voices() []netip.Addr {
	var four, six []netip.Addr
	var nets []netip.Prefix
	for _, subnet := range n.subnets {
		addr := subnet.Addr()
		switch {
		case addr.Is4() && !slices.Contains(nets, subnet.Masked()) && len(four) < maxIPv4PerLink:
			nets = append(nets, subnet.Masked())
			four = append(four, addr)
		case addr.Is6() && addr.IsLinkLocalUnicast():
			six = slices.Insert(six, 0, addr)
		case addr.Is6():
			six = append(six, addr)
		}
	}
	if len(six) > 0 && !(n.loopback() && len(four) > 0) {
		four = append(four, six[0].WithZone(zoneFor(six[0], n.name)))
	}
	return four
}

// zoneFor is the zone an address needs on the interface.
func zoneFor(addr netip.Addr, name string) string {
	if addr.Is6() && addr.IsLinkLocalUnicast() {
		return name
	}
	return ""
}

// claimsFor lists what to announce on one of the interfaces in use: its own
// addresses first, then those of the others, doubtful ones after all, link-local
// ones only on their own link.
func claimsFor(on nic, use []nic) []claim {
	var sure, doubtful []claim
	add := func(n nic, local bool) {
		for _, subnet := range n.subnets {
			c := claim{subnet.Addr(), n.doubtful()}
			if c.addr.IsLinkLocalUnicast() && !local {
				continue
			}
			if c.doubtful {
				doubtful = append(doubtful, c)
			} else {
				sure = append(sure, c)
			}
		}
	}
	add(on, true)
	for _, n := range use {
		if n.index != on.index {
			add(n, false)
		}
	}
	all := append(sure, doubtful...)
	return all[:min(len(all), maxClaims)]
}

// shownAddrs lists the addresses a person may be told to type: IPv4 first
// because it is shorter, self-assigned ones late, those of bridges and tunnels
// only when there are no others, IPv6 link-local ones never.
func shownAddrs(use []nic) []netip.Addr {
	const classes = 3
	var sure, doubtful [classes][]netip.Addr
	for _, n := range use {
		for _, subnet := range n.subnets {
			addr, class := subnet.Addr(), 0
			switch {
			case addr.Is6() && addr.IsLinkLocalUnicast():
				continue
			case addr.Is6():
				class = 1
			case addr.IsLinkLocalUnicast():
				class = 2
			}
			if n.doubtful() {
				doubtful[class] = append(doubtful[class], addr)
			} else {
				sure[class] = append(sure[class], addr)
			}
		}
	}
	if addrs := slices.Concat(sure[:]...); len(addrs) > 0 {
		return addrs
	}
	return slices.Concat(doubtful[:]...)
}
