package node

import (
	"time"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/p2p/lobby"
)

// Table is an open table that was found, or a game that can be watched. It is a
// value to keep.
type Table struct {
	Opener  identity.ID
	Name    string // of the table
	Host    string // the opener's player name
	Seats   int
	Taken   int
	Leavers int
	Summary map[string]string
	// Game tells a game under way, which Watch follows, from others; it is empty
	// for an open table.
	Game string
	// Version is the opener's protocol version.
	Version int
	// Problem says why this table cannot be joined, "" when it can.
	Problem string
	// Addrs are the addresses to dial, best first, each an IP and a port.
	Addrs []string
	Seen  time.Time
}

// Me is what a player brings to a table.
type Me struct {
	// Name is shown to everybody: 1 to 64 bytes of printable text.
	Name string
	// Commit is called once, as soon as the offer is known and before a seat
	// is asked for. It returns the commitment to the keys that the seat will
	// open in round 1, whose secret it has stored by then. An error declines.
	Commit func(lobby.Offer) (feed.Hash, error)
}

// Status is what `doctor` and a status line show.
type Status struct {
	ID      identity.ID
	Peer    string // the same as libp2p writes it
	Up      bool
	Port    int
	Addrs   []string // where others can reach this node, best first
	Tables  int      // found and not expired
	Links   []LinkStatus
	Finding string // what the search for tables is doing, in words
}

// LinkStatus is one connection.
type LinkStatus struct {
	ID        identity.ID
	Addr      string
	Transport string // "tcp" or "quic"
	Game      bool   // else lobby
}

// State of a seat as seen from here.
type State uint8

const (
	Connected State = iota // heard from within 6 s, here or by a seat that is connected
	Shaky                  // not heard from for 6 s, or never yet
	Away                   // not heard from for 25 s
)

// String is the state in a word.
func (s State) String() string {
	switch s {
	case Connected:
		return "connected"
	case Shaky:
		return "shaky"
	}
	return "away"
}

// Presence is what is known of one seat's peer.
type Presence struct {
	State State
	// Since is when the state began.
	Since time.Time
	// Via is the seat whose word it is that this one is connected, -1 when it
	// is connected here or is not connected at all.
	Via int
}

// Arrival is an entry that came from a peer.
type Arrival struct {
	// From is the seat whose connection it came over, not its author.
	From  int
	Entry *feed.Signed
}
