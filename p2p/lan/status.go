package lan

import (
	"net/netip"
	"time"
)

// Status says what works and what does not, for a person who wonders why nobody
// is there.
type Status struct {
	// Links are the interfaces in use.
	Links []LinkStatus
	// Skipped are the interfaces that are not used, and why.
	Skipped []Skipped
	// Addrs are the addresses of this computer a person may be told to type,
	// best first, without those of bridges and tunnels if there are others.
	Addrs []netip.Addr
	// Doubles are the senders that announce this peer's own ID: a second process
	// with the same identity, or a copy of it on another computer.
	Doubles []netip.Addr
	// Err is why the interfaces could not be listed, if they could not.
	Err error
}

// Skipped is an interface that is not used.
type Skipped struct {
	Name   string
	Reason string // "down", "no carrier", "no address", "no multicast", "loopback", ...
}

// LinkStatus is the state of one interface.
type LinkStatus struct {
	Name     string
	Addrs    []netip.Prefix // the addresses and the sizes of their networks
	Loopback bool
	Doubtful bool // a bridge or tunnel: its addresses are tried last
	// Failures are the parts that did not work when last tried, each with its
	// reason: the other parts carry on, and these are tried again.
	Failures []Failure
	// HeardSelf is when our own multicast last came back to us. Zero means that
	// this computer itself does not let mDNS pass.
	HeardSelf time.Time
	// HeardOthers is when any mDNS packet of another computer last arrived, of
	// whatever program. Zero after some seconds means that nobody else is there
	// or that the network does not carry multicast.
	HeardOthers time.Time
}

// Failure is one part of a link that does not work.
type Failure struct {
	Part string // "ask 10.0.0.5", "listen IPv4", "answer", ...
	Err  error
}
