package node

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"alibi/crypto/identity"
	"alibi/p2p/lan"
	"alibi/p2p/link"
	"alibi/p2p/wire"
)

// Bounds of what is remembered.
const (
	maxKnown     = 512 // identities
	maxKnownAddr = 12  // addresses of one
)

// addressBook remembers where identities were reached, latest success first.
// The identities that were last asked for stay.
type addressBook struct {
	mu   sync.Mutex
	at   map[identity.ID]*whereabouts
	uses int
}

type whereabouts struct {
	addrs []netip.AddrPort
	used  int
}

func newAddressBook() *addressBook {
	return &addressBook{at: make(map[identity.ID]*whereabouts)}
}

// page finds an identity's page, or makes one in place of that which nobody
// has looked at for longest. The caller holds mu.
func (b *addressBook) page(id identity.ID) *whereabouts {
	w := b.at[id]
	if w == nil {
		if len(b.at) >= maxKnown {
			var oldest identity.ID
			first := b.uses + 1
			for other, o := range b.at {
				if o.used < first {
					oldest, first = other, o.used
				}
			}
			delete(b.at, oldest)
		}
		w = &whereabouts{}
		b.at[id] = w
	}
	b.uses++
	w.used = b.uses
	return w
}

// add puts addresses that are only said to work behind those known.
func (b *addressBook) add(id identity.ID, addrs ...netip.AddrPort) {
	b.mu.Lock()
	defer b.mu.Unlock()
	w := b.page(id)
	for _, a := range addrs {
		if dialable(a) && !slices.Contains(w.addrs, a) && len(w.addrs) < maxKnownAddr {
			w.addrs = append(w.addrs, a)
		}
	}
}

// prefer puts an address that has just worked first.
func (b *addressBook) prefer(id identity.ID, a netip.AddrPort) {
	if !dialable(a) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	w := b.page(id)
	w.addrs = slices.DeleteFunc(w.addrs, func(k netip.AddrPort) bool { return k == a })
	w.addrs = slices.Insert(w.addrs, 0, a)
	w.addrs = w.addrs[:min(len(w.addrs), maxKnownAddr)]
}

func (b *addressBook) of(id identity.ID) []netip.AddrPort {
	b.mu.Lock()
	defer b.mu.Unlock()
	w := b.at[id]
	if w == nil {
		return nil
	}
	b.uses++
	w.used = b.uses
	return slices.Clone(w.addrs)
}

// dialable refuses what nobody can be at, or everybody.
func dialable(a netip.AddrPort) bool {
	ip := a.Addr()
	return a.Port() != 0 && ip.IsValid() && !ip.IsUnspecified() && !ip.IsMulticast() &&
		ip.Unmap() != netip.AddrFrom4([4]byte{255, 255, 255, 255})
}

// Know adds addresses (IP and port) at which an identity may be reached, such
// as those kept from an earlier evening. What does not parse is left out.
func (n *Node) Know(id identity.ID, addrs ...string) {
	n.known.add(id, parseAddrs(addrs, true)...)
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, g := range n.games {
		g.ring(id)
	}
}

// parseAddrs reads plain addresses. Loopback ones of somebody who is on
// another computer would lead to a stranger on this one.
func parseAddrs(addrs []string, loopback bool) (out []netip.AddrPort) {
	for _, s := range addrs {
		a, err := netip.ParseAddrPort(s)
		if err == nil && dialable(a) && (loopback || !a.Addr().IsLoopback()) {
			out = append(out, a)
		}
	}
	return out
}

// credible keeps of the addresses that somebody claims those that lead nowhere
// but to this network, unless they came from outside of it: else one guest
// could have a whole table knock at a computer on the internet.
func credible(addrs []netip.AddrPort, from netip.Addr) []netip.AddrPort {
	nets := ownNetworks()
	if !near(from, nets) {
		return addrs
	}
	return slices.DeleteFunc(addrs, func(a netip.AddrPort) bool { return !near(a.Addr(), nets) })
}

// sharedSpace is RFC 6598: carriers and overlay networks.
var sharedSpace = netip.MustParsePrefix("100.64.0.0/10")

// near says whether an address can only be on a network nearby, or is on one
// that this computer is in.
func near(a netip.Addr, nets []netip.Prefix) bool {
	a = a.Unmap().WithZone("")
	return a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || sharedSpace.Contains(a) ||
		slices.ContainsFunc(nets, func(p netip.Prefix) bool { return p.Contains(a) })
}

func ownNetworks() (nets []netip.Prefix) {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	for _, a := range addrs {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			nets = append(nets, p.Masked())
		}
	}
	return nets
}

// addresses lists where an identity may be, best first: where it was reached
// last, as heard on the local network now, then as known. What anybody can
// announce does not come before what has worked, and leaves room for more of
// that among the few that a dial tries.
func (n *Node) addresses(id identity.ID) []netip.AddrPort {
	var heard []netip.AddrPort
	for _, p := range n.heard() {
		if p.ID == link.PeerID(id) {
			heard = append(heard, p.Addrs...)
		}
	}
	return mix(n.known.of(id), heard)
}

// mix takes one that is known, four that were heard, two more that are known,
// and then the others.
func mix(known, heard []netip.AddrPort) (out []netip.AddrPort) {
	const firstHeard, firstKnown = 4, 2
	last := min(len(known), 1)
	k, h := min(len(known), last+firstKnown), min(len(heard), firstHeard)
	for _, list := range [][]netip.AddrPort{known[:last], heard[:h], known[last:k], heard[h:], known[k:]} {
		for _, a := range list {
			if dialable(a) && !slices.Contains(out, a) {
				out = append(out, a)
			}
		}
	}
	return out
}

// heard is the list of discovery, empty without it.
func (n *Node) heard() []lan.Peer {
	n.mu.Lock()
	service := n.lan
	n.mu.Unlock()
	if service == nil {
		return nil
	}
	return service.Peers()
}

// Addrs lists where others can reach this node, best first, as host:port text
// that a player can read out and type.
func (n *Node) Addrs() []string {
	port := n.host.Port()
	if port == 0 {
		return nil
	}
	var out []string
	for _, ip := range n.ownIPs() {
		out = append(out, netip.AddrPortFrom(ip, uint16(port)).String())
	}
	return out
}

// ownIPs lists this computer's addresses without link-local ones, which mean
// nothing to others without a zone.
func (n *Node) ownIPs() []netip.Addr {
	loopback := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	if n.cfg.LoopbackOnly {
		return []netip.Addr{loopback}
	}
	n.mu.Lock()
	service := n.lan
	n.mu.Unlock()
	var out []netip.Addr
	if service != nil {
		for _, ip := range service.Status().Addrs {
			if ip = ip.Unmap(); !ip.IsLoopback() && !ip.IsLinkLocalUnicast() || cable(ip) {
				out = append(out, ip)
			}
		}
	}
	if len(out) == 0 {
		out = interfaceIPs()
	}
	if len(out) == 0 {
		return []netip.Addr{loopback}
	}
	return out[:min(len(out), wire.MaxAddrs-1)]
}

func interfaceIPs() (out []netip.Addr) {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	for _, a := range addrs {
		ipnet, ok := a.(*net.IPNet)
		if !ok {
			continue
		}
		ip, ok := netip.AddrFromSlice(ipnet.IP)
		if ip = ip.Unmap(); ok && !ip.IsLoopback() && (!ip.IsLinkLocalUnicast() || cable(ip)) {
			out = append(out, ip)
		}
	}
	return out
}

// mindEvery is how often the own addresses are looked at.
const mindEvery = 2 * time.Second

// mind ends connections from addresses that this computer no longer has, and
// keeps where others are. The far ends of such connections cannot be reached over
// them, and would wait in vain; whoever moved dials again.
func (n *Node) mind(ctx context.Context) {
	tick := time.NewTicker(mindEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		n.notePlaces()
		addrs, err := net.InterfaceAddrs()
		if err != nil || len(addrs) == 0 {
			continue
		}
		have := map[netip.Addr]bool{}
		for _, a := range addrs {
			if p, err := netip.ParsePrefix(a.String()); err == nil {
				have[p.Addr().Unmap()] = true
			}
		}
		n.mu.Lock()
		for c := range n.links {
			ip := c.LocalAddr().Addr().Unmap().WithZone("")
			if ip.IsValid() && !ip.IsUnspecified() && !ip.IsLoopback() && !have[ip] {
				_ = c.Close()
			}
		}
		n.mu.Unlock()
	}
}

// cable reports whether an address is a self-assigned IPv4 one (RFC 3927),
// which is all that two laptops on one cable have.
func cable(ip netip.Addr) bool { return ip.Is4() && ip.IsLinkLocalUnicast() }

// fromText reads what a player types: "10.0.0.7:4001", "[fd00::7]:4001",
// "name.local:4001", or a multiaddr, with its peer ID or without.
func fromText(text string) (host string, port uint16, id *identity.ID, err error) {
	if len(text) > 0 && text[0] == '/' {
		return fromMultiaddr(text)
	}
	host, service, err := net.SplitHostPort(text)
	if err != nil || host == "" {
		return "", 0, nil, errAddress
	}
	n, err := parsePort(service)
	return host, n, nil, err
}

func fromMultiaddr(text string) (host string, port uint16, id *identity.ID, err error) {
	m, err := ma.NewMultiaddr(text)
	if err != nil {
		return "", 0, nil, errAddress
	}
	var zone string
	for _, c := range m {
		switch c.Protocol().Code {
		case ma.P_IP6ZONE:
			zone = "%" + c.Value()
		case ma.P_IP4, ma.P_IP6, ma.P_DNS, ma.P_DNS4, ma.P_DNS6:
			host = c.Value() + zone
		case ma.P_TCP, ma.P_UDP:
			if port, err = parsePort(c.Value()); err != nil {
				return "", 0, nil, err
			}
		case ma.P_P2P:
			p, err := peer.Decode(c.Value())
			if err != nil {
				return "", 0, nil, errAddress
			}
			who, err := link.ParsePeerID(p.String())
			if err != nil {
				return "", 0, nil, err
			}
			id = &who
		}
	}
	if host == "" || port == 0 {
		return "", 0, nil, errAddress
	}
	return host, port, id, nil
}
