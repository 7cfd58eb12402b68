package lan

import (
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const usual = net.FlagUp | net.FlagRunning | net.FlagMulticast | net.FlagBroadcast

func card(index int, name string, flags net.Flags, subnets ...string) nic {
	n := nic{index: index, name: name, flags: flags}
	for _, s := range subnets {
		n.subnets = append(n.subnets, netip.MustParsePrefix(s))
	}
	return n
}

func loopbackCard() nic {
	return card(1, "lo", net.FlagUp|net.FlagRunning|net.FlagLoopback, "127.0.0.1/8", "::1/128")
}

func claims(addrs ...string) []claim {
	var cs []claim
	for _, a := range addrs {
		cs = append(cs, claim{addr(a), false})
	}
	return cs
}

func texts(addrs []netip.AddrPort) []string {
	var out []string
	for _, a := range addrs {
		out = append(out, a.Addr().String())
	}
	return out
}

func TestOrder(t *testing.T) {
	laptop := []nic{
		card(2, "wlan0", usual, "192.168.1.5/24", "fe80::5/64", "2001:db8::5/64"),
		card(3, "docker0", usual, "172.17.0.1/16"),
	}
	type from struct {
		source string
		ago    time.Duration
		claims []claim
	}
	for _, c := range []struct {
		name  string
		heard []from
		want  []string
	}{
		{"plain", []from{{"192.168.1.9", 0, claims("192.168.1.9")}}, []string{"192.168.1.9"}},
		{"source before claims", []from{{"192.168.1.9", 0, claims("192.168.1.8", "10.9.9.9", "192.168.1.9")}},
			[]string{"192.168.1.9", "192.168.1.8", "10.9.9.9"}},
		{"link-local gets our zone", []from{{"fe80::9%wlan0", 0, claims("fe80::9", "fe80::99", "192.168.1.9")}},
			[]string{"192.168.1.9", "fe80::9%wlan0", "fe80::99%wlan0"}},
		{"the same docker0 address last", []from{{"192.168.1.9", 0, []claim{{addr("172.17.0.1"), true}, {addr("10.9.9.9"), false}}}},
			[]string{"192.168.1.9", "10.9.9.9", "172.17.0.1"}},
		{"in our docker0 network", []from{{"192.168.1.9", 0, claims("172.17.0.2", "10.9.9.9")}},
			[]string{"192.168.1.9", "10.9.9.9", "172.17.0.2"}},
		{"global address on our link", []from{{"192.168.1.9", 0, claims("2001:db8::9")}}, []string{"192.168.1.9", "2001:db8::9"}},
		{"nothing on the internet", []from{{"192.168.1.9", 0, claims("8.8.8.8", "2001:4860::1")}}, []string{"192.168.1.9"}},
		{"nothing impossible", []from{{"192.168.1.9", 0, claims("127.0.0.1", "224.0.0.1", "0.0.0.0", "255.255.255.255", "::1", "::", "ff02::1")}},
			[]string{"192.168.1.9"}},
		{"same computer", []from{{"192.168.1.5", 0, claims("192.168.1.5", "172.17.0.1")}}, []string{"192.168.1.5", "172.17.0.1"}},
		{"loopback", []from{{"127.0.0.1", 0, claims("127.0.0.1", "::1", "192.168.1.5")}}, []string{"127.0.0.1", "::1"}},
		{"moved", []from{{"192.168.1.9", time.Second, claims("192.168.1.9")}, {"192.168.1.10", 0, claims("192.168.1.10")}},
			[]string{"192.168.1.10", "192.168.1.9"}},
		{"two current", []from{{"192.168.1.9", time.Second, claims("192.168.1.9", "192.168.1.10")},
			{"192.168.1.10", 0, claims("192.168.1.9", "192.168.1.10")}}, []string{"192.168.1.9", "192.168.1.10"}},
		{"fallen silent", []from{{"192.168.1.9", 5 * time.Second, claims("192.168.1.9", "192.168.1.10")},
			{"192.168.1.10", 0, claims("192.168.1.9", "192.168.1.10")}}, []string{"192.168.1.10", "192.168.1.9"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ca := newCache()
			for _, f := range c.heard {
				ca.hear(epoch.Add(-f.ago), addr(f.source), "wlan0", said("ann", "i", 1, f.claims...))
			}
			peers := ca.peers("me", ownOf(laptop))
			if len(peers) != 1 || !slices.Equal(texts(peers[0].Addrs), c.want) {
				t.Errorf("got %+v, want %v", peers, c.want)
			}
		})
	}
}

func TestOrderIsBoundedAndSane(t *testing.T) {
	use := []nic{card(2, "eth0", usual, "10.0.0.1/8", "fe80::1/64", "fd00::1/64")}
	rapid.Check(t, func(t *rapid.T) {
		c := newCache()
		for range rapid.IntRange(1, 10).Draw(t, "heard") {
			source := genAddr().Draw(t, "source")
			if !ownOf(use).near(source, false) {
				continue
			}
			source = source.WithZone(zoneFor(source, "eth0"))
			c.hear(epoch, source, "eth0", said("ann", "i", 1, genClaims().Draw(t, "claims")...))
		}
		for _, p := range c.peers("me", ownOf(use)) {
			if len(p.Addrs) == 0 || len(p.Addrs) > maxAddrs {
				t.Errorf("%d addresses", len(p.Addrs))
			}
			for i, a := range p.Addrs {
				ip := a.Addr()
				if ip.IsLoopback() || ip.IsMulticast() || ip.IsUnspecified() || slices.Contains(p.Addrs[:i], a) ||
					(ip.Is6() && ip.IsLinkLocalUnicast()) != (ip.Zone() == "eth0") {
					t.Errorf("address %v in %v", a, p.Addrs)
				}
			}
		}
	})
}

func TestNear(t *testing.T) {
	o := ownOf([]nic{card(2, "eth0", usual, "203.0.113.5/24", "2001:db8::5/64")})
	for _, c := range []struct {
		source   string
		loopback bool
		want     bool
	}{
		{"203.0.113.9", false, true}, {"198.51.100.1", false, false}, {"10.1.2.3", false, true},
		{"169.254.1.1", false, true}, {"fe80::1", false, true}, {"2001:db8::9", false, true},
		{"2001:db9::9", false, false}, {"127.0.0.1", false, false}, {"127.0.0.1", true, true},
		{"::1", true, true}, {"203.0.113.9", true, false}, {"224.0.0.1", false, false}, {"0.0.0.0", false, false},
	} {
		if got := o.near(addr(c.source), c.loopback); got != c.want {
			t.Errorf("near(%s, loopback %v) = %v", c.source, c.loopback, got)
		}
	}
}

func TestChoose(t *testing.T) {
	lo := loopbackCard()
	eth := card(2, "eth0", usual, "10.0.0.1/24")
	cable := card(3, "eth1", usual&^net.FlagRunning, "10.1.0.1/24")
	off := card(4, "wlan0", net.FlagMulticast, "10.2.0.1/24")
	bare := card(5, "eth2", usual)
	tunnel := card(6, "tun0", net.FlagUp|net.FlagRunning|net.FlagPointToPoint, "10.8.0.2/24")
	names := func(nics []nic) (out []string) {
		for _, n := range nics {
			out = append(out, n.name)
		}
		return out
	}
	all := []nic{lo, eth, cable, off, bare, tunnel}
	use, skipped := choose(all, false)
	if !slices.Equal(names(use), []string{"eth0"}) {
		t.Errorf("uses %v", names(use))
	}
	want := []Skipped{{"eth1", reasonUnplugged}, {"wlan0", reasonDown}, {"eth2", reasonNoAddress},
		{"tun0", reasonNoMulticast}, {"lo", reasonLoopback}}
	if !slices.Equal(skipped, want) {
		t.Errorf("skips %v", skipped)
	}
	if use, _ := choose([]nic{lo, cable, off, bare, tunnel}, false); !slices.Equal(names(use), []string{"lo"}) {
		t.Errorf("with nothing else uses %v", names(use))
	}
	use, skipped = choose(all, true)
	if !slices.Equal(names(use), []string{"lo"}) || len(skipped) != 5 {
		t.Errorf("for a demo uses %v, skips %v", names(use), skipped)
	}
	if use, _ := choose(nil, true); len(use) != 0 {
		t.Errorf("with no interface uses %v", names(use))
	}
	var many []nic
	for i := range maxLinks + 3 {
		many = append(many, card(i, "eth", usual, "10.0.0.1/24"))
	}
	if use, skipped := choose(many, false); len(use) != maxLinks || len(skipped) != 3 {
		t.Errorf("uses %d, skips %d of many", len(use), len(skipped))
	}
}

func TestDoubtful(t *testing.T) {
	for name, want := range map[string]bool{
		"eth0": false, "en0": false, "wlp3s0": false, "Wi-Fi": false, "Ethernet 2": false, "br0": false, "br-lan": false,
		"docker0": true, "br-0123456789ab": true, "virbr0": true, "vEthernet (WSL)": true, "tun0": true, "utun3": true,
		"wg0": true, "VirtualBox Host-Only Network": true, "tailscale0": true,
	} {
		if got := card(1, name, usual).doubtful(); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if !card(1, "eth9", usual|net.FlagPointToPoint).doubtful() {
		t.Error("a point-to-point interface is trusted")
	}
}

func TestVoicesAndClaims(t *testing.T) {
	wlan := card(2, "wlan0", usual, "192.168.1.5/24", "192.168.1.6/24", "10.0.0.5/8", "fd00::5/64", "fe80::5/64")
	docker := card(3, "docker0", usual, "172.17.0.1/16", "fe80::17/64")
	eth := card(4, "eth0", usual, "169.254.3.4/16", "192.168.7.5/24")
	voices := func(n nic) (out []string) {
		for _, a := range n.voices() {
			out = append(out, a.String())
		}
		return out
	}
	if got := voices(wlan); !slices.Equal(got, []string{"192.168.1.5", "10.0.0.5", "fe80::5%wlan0"}) {
		t.Errorf("wlan0 asks from %v", got)
	}
	if got := voices(card(5, "e", usual, "fd00::5/64")); !slices.Equal(got, []string{"fd00::5"}) {
		t.Errorf("IPv6 only asks from %v", got)
	}
	if got := voices(loopbackCard()); !slices.Equal(got, []string{"127.0.0.1"}) {
		t.Errorf("lo asks from %v", got)
	}
	announced := func(on nic) (out []string) {
		for _, c := range claimsFor(on, []nic{docker, wlan, eth}) {
			text := c.addr.String()
			if c.doubtful {
				text = "?" + text
			}
			out = append(out, text)
		}
		return out
	}
	if got := announced(eth); !slices.Equal(got, []string{"169.254.3.4", "192.168.7.5", "192.168.1.5", "192.168.1.6", "10.0.0.5", "fd00::5", "?172.17.0.1"}) {
		t.Errorf("eth0 announces %v", got)
	}
	if got := announced(docker); !slices.Equal(got, []string{"192.168.1.5", "192.168.1.6", "10.0.0.5", "fd00::5", "192.168.7.5", "?172.17.0.1", "?fe80::17"}) {
		t.Errorf("docker0 announces %v", got)
	}
}

func TestShownAddrs(t *testing.T) {
	docker := card(3, "docker0", usual, "172.17.0.1/16")
	for _, c := range []struct {
		use  []nic
		want []string
	}{
		{nil, nil},
		{[]nic{docker, card(2, "eth0", usual, "169.254.3.4/16", "fe80::5/64", "fd00::5/64", "192.168.7.5/24")},
			[]string{"192.168.7.5", "fd00::5", "169.254.3.4"}},
		{[]nic{docker}, []string{"172.17.0.1"}},
		{[]nic{docker, card(2, "eth0", usual, "169.254.3.4/16")}, []string{"169.254.3.4"}},
	} {
		var got []string
		for _, a := range shownAddrs(c.use) {
			got = append(got, a.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("got %v, want %v", got, c.want)
		}
	}
}
