package lan

import (
	"net/netip"
	"slices"
	"time"
)

// Ranks of an address, the lowest is tried first.
const (
	rankSource      = iota // the packet came from here
	rankOnLink             // in a network we are in as well
	rankSourceLocal        // the packet came from this IPv6 link-local address
	rankLinkLocal          // link-local, on the link the packet came over
	rankElsewhere          // private, in a network we are not in
	rankDoubtful           // a bridge or tunnel, theirs or ours
	rankOwn                // we have this address ourselves
	rankRefused            // not to be dialled
	ranksUntilStale        // added once a source has fallen silent
)

const (
	maxAddrs          = 8 // addresses in a Peer
	silentAfterOthers = 3 * time.Second
)

// own is what we know about ourselves when judging an address.
type own struct {
	addrs map[netip.Addr]bool // without zone
	nets  []ownNet
}

type ownNet struct {
	subnet   netip.Prefix
	doubtful bool
}

// ownOf describes the interfaces in use.
func ownOf(use []nic) own {
	o := own{addrs: make(map[netip.Addr]bool)}
	for _, n := range use {
		for _, subnet := range n.subnets {
			o.addrs[subnet.Addr()] = true
			o.nets = append(o.nets, ownNet{subnet.Masked(), n.doubtful()})
		}
	}
	return o
}

// sharedSpace is RFC 6598: carriers and overlay networks.
var sharedSpace = netip.MustParsePrefix("100.64.0.0/10")

// rank judges an address a peer claims, heard from source.
func (o own) rank(c claim, source netip.Addr) int {
	addr := c.addr
	switch {
	case !addr.IsValid(), addr.IsUnspecified(), addr.IsMulticast(),
		addr == netip.AddrFrom4([4]byte{255, 255, 255, 255}):
		return rankRefused
	case addr.IsLoopback():
		if source.IsLoopback() {
			return rankOnLink
		}
		return rankRefused
	case source.IsLoopback():
		return rankRefused // it is on this computer, and loopback is enough
	case o.addrs[addr]:
		return rankOwn
	case addr.IsLinkLocalUnicast():
		return rankLinkLocal
	}
	known, doubtful := o.network(addr)
	switch {
	case c.doubtful || doubtful:
		if known || lanAddress(addr) {
			return rankDoubtful
		}
		return rankRefused
	case known:
		return rankOnLink
	case lanAddress(addr):
		return rankElsewhere
	}
	return rankRefused // nobody may point us at a computer on the internet
}

// lanAddress says whether an address can only be somewhere near.
func lanAddress(addr netip.Addr) bool {
	return addr.IsPrivate() || sharedSpace.Contains(addr)
}

// near says whether a packet from this address may be listened to: RFC 6762
// section 11 asks for the sender to be on the link.
func (o own) near(source netip.Addr, loopback bool) bool {
	bare := source.WithZone("")
	if loopback || bare.IsLoopback() {
		return loopback && bare.IsLoopback()
	}
	known, _ := o.network(bare)
	return known || bare.IsLinkLocalUnicast() || lanAddress(bare)
}

// network says whether an address is in one of our networks, and whether only
// in doubtful ones.
func (o own) network(addr netip.Addr) (known, doubtful bool) {
	for _, n := range o.nets {
		if !n.subnet.Contains(addr) {
			continue
		}
		if !n.doubtful {
			return true, false
		}
		known, doubtful = true, true
	}
	return known, doubtful
}

// rankOfSource judges the address a packet came from.
func rankOfSource(addr netip.Addr) int {
	if addr.Is6() && addr.IsLinkLocalUnicast() {
		return rankSourceLocal
	}
	return rankSource
}

type candidate struct {
	addr netip.AddrPort
	rank int
	age  int // position of the entry, newest first
}

// order lists where to dial a peer, best first, each address once. Of the
// claims made on one link only the latest count.
func (o own) order(entries []*entry) []netip.AddrPort {
	var all []candidate
	for age, e := range entries {
		for _, s := range e.sightings {
			latest := e.latest(s.link)
			rank := rankOfSource(s.source)
			if e.silent(s, latest) {
				rank += ranksUntilStale
			}
			all = append(all, candidate{netip.AddrPortFrom(s.source, s.port), rank, age})
			if s.source != latest.source {
				continue
			}
			for _, c := range s.claims {
				rank := o.rank(c, s.source)
				if rank == rankRefused {
					continue
				}
				addr := c.addr.WithZone(zoneFor(c.addr, s.link))
				all = append(all, candidate{netip.AddrPortFrom(addr, s.port), rank, age})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		if a.rank != b.rank {
			return a.rank - b.rank
		}
		return a.age - b.age
	})
	var addrs []netip.AddrPort
	for _, c := range all {
		if len(addrs) < maxAddrs && !slices.Contains(addrs, c.addr) {
			addrs = append(addrs, c.addr)
		}
	}
	return addrs
}

// latest is the sighting on a link that was heard last.
func (e *entry) latest(link string) sighting {
	var latest sighting
	for _, s := range e.sightings {
		if s.link == link && (latest.link == "" || s.seen.After(latest.seen)) {
			latest = s
		}
	}
	return latest
}

// silent says whether a source is no longer in use: it has not been heard while
// others of the peer have, or the peer no longer claims it.
func (e *entry) silent(s, latest sighting) bool {
	if e.last.Sub(s.seen) > silentAfterOthers {
		return true
	}
	bare := s.source.WithZone("")
	return latest.seen.After(s.seen) &&
		!slices.ContainsFunc(latest.claims, func(c claim) bool { return c.addr == bare })
}
