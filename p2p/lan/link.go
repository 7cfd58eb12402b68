package lan

import (
	"context"
	"maps"
	"net"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"
)

// link is one interface in use: a socket per family to listen on and to answer
// from, and one per address to ask from.
type link struct {
	nic     nic
	iface   *net.Interface
	zone    zone
	cadence cadence // owned by Run
	taken   reason  // owned by Run: the prompt that has moved the next announcement

	sockets  map[string]*socket // guarded by Service.mu; written by Run only
	failures map[string]error   // guarded by Service.mu

	prompted    atomic.Int32 // the strongest reason to announce since the last time
	heardSelf   atomic.Int64
	heardOthers atomic.Int64
}

func newLink(n nic, now time.Time) *link {
	return &link{
		nic:      n,
		iface:    &net.Interface{Index: n.index, Name: n.name, Flags: n.flags, MTU: 1500},
		cadence:  startCadence(now),
		sockets:  make(map[string]*socket),
		failures: make(map[string]error),
	}
}

// same says whether the link's sockets still fit the interface.
func (l *link) same(n nic) bool {
	return l.nic.index == n.index && l.nic.name == n.name && slices.Equal(l.nic.voices(), n.voices())
}

// parts lists the sockets the link wants, and how to open each.
func (l *link) parts(ctx context.Context) map[string]func() (*socket, error) {
	parts := make(map[string]func() (*socket, error))
	fours := 0
	for _, from := range l.nic.voices() {
		role := asking
		if from.Is4() {
			if fours++; fours > 1 {
				role = askingExtra
			}
		}
		parts["ask "+from.String()] = func() (*socket, error) { return ask(ctx, l.iface, from, role) }
		name := "listen IPv4"
		if from.Is6() {
			name = "listen IPv6"
		}
		parts[name] = func() (*socket, error) { return listen(ctx, l.iface, from.Is6()) }
	}
	return parts
}

// speakers lists the sockets to announce from. It is the one on the mDNS port,
// unless there is none for the family; then, on further IPv4 networks of the
// interface, and on loopback, where the kernel may pick another interface's
// address, it is the one bound to an address.
func (l *link) speakers() []*socket {
	onPort := make(map[bool]bool)
	for _, s := range l.sockets {
		onPort[s.six()] = onPort[s.six()] || s.role == listening
	}
	var speakers []*socket
	for _, name := range slices.Sorted(maps.Keys(l.sockets)) {
		s := l.sockets[name]
		bound := l.nic.loopback() || !onPort[s.six()]
		if bound && s.role != listening || !bound && s.role != asking {
			speakers = append(speakers, s)
		}
	}
	return speakers
}

// askers lists the sockets to ask from.
func (l *link) askers() []*socket {
	var askers []*socket
	for _, s := range l.sockets {
		if s.role != listening {
			askers = append(askers, s)
		}
	}
	return askers
}

// silence stops answering.
func (l *link) silence() { l.zone.clear() }

// closeSockets ends the readers.
func (l *link) closeSockets() {
	for _, s := range l.sockets {
		s.conn.Close()
	}
}

// asksFrom says whether an address is one of the link's own sockets.
func (l *link) asksFrom(addr netip.AddrPort) bool {
	for _, s := range l.sockets {
		if s.role != listening && s.local == addr {
			return true
		}
	}
	return false
}

// status describes the link.
func (l *link) status() LinkStatus {
	st := LinkStatus{
		Name:        l.nic.name,
		Addrs:       slices.Clone(l.nic.subnets),
		Loopback:    l.nic.loopback(),
		Doubtful:    l.nic.doubtful(),
		HeardSelf:   moment(l.heardSelf.Load()),
		HeardOthers: moment(l.heardOthers.Load()),
	}
	for _, part := range slices.Sorted(maps.Keys(l.failures)) {
		st.Failures = append(st.Failures, Failure{part, l.failures[part]})
	}
	return st
}

func moment(nano int64) time.Time {
	if nano == 0 {
		return time.Time{}
	}
	return time.Unix(0, nano)
}
