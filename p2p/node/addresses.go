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
type addressBook struct {
	mu sync.Mutex
	at map[identity.ID][]netip.AddrPort
}

func newAddressBook() *addressBook {
	return &addressBook{at: make(map[identity.ID][]netip.AddrPort)}
}

// add puts addresses that are only said to work behind those known.
func (b *addressBook) add(id identity.ID, addrs ...netip.AddrPort) {
	b.mu.Lock()
	defer b.mu.Unlock()
	known, ok := b.at[id]
	if !ok && len(b.at) >= maxKnown {
		return
	}
	for _, a := range addrs {
		if dialable(a) && !slices.Contains(known, a) && len(known) < maxKnownAddr {
			known = append(known, a)
		}
	}
	b.at[id] = known
}

// prefer puts an address that has just worked first.
func (b *addressBook) prefer(id identity.ID, a netip.AddrPort) {
	b.mu.Lock()
	defer b.mu.Unlock()
	known, ok := b.at[id]
	if !dialable(a) || !ok && len(b.at) >= maxKnown {
		return
	}
	known = slices.DeleteFunc(known, func(k netip.AddrPort) bool { return k == a })
	known = slices.Insert(known, 0, a)
	b.at[id] = known[:min(len(known), maxKnownAddr)]
}

func (b *addressBook) of(id identity.ID) []netip.AddrPort {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.at[id])
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

// addresses lists where an identity may be, best first: where it was reached
// last, as heard on the local network now, then as known. What anybody can
// announce does not come before what has worked.
func (n *Node) addresses(id identity.ID) []netip.AddrPort {
	known := n.known.of(id)
	out := slices.Clone(known[:min(len(known), 1)])
	for _, p := range n.heard() {
		if p.ID == link.PeerID(id) {
			for _, a := range p.Addrs {
				if !slices.Contains(out, a) {
					out = append(out, a)
				}
			}
		}
	}
	for _, a := range known {
		if !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return slices.DeleteFunc(out, func(a netip.AddrPort) bool { return !dialable(a) })
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

// mind ends connections from addresses that this computer no longer has. Their
// far ends cannot be reached over them, and would wait in vain; whoever moved
// dials again.
func (n *Node) mind(ctx context.Context) {
	tick := time.NewTicker(mindEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
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
