// Package node runs everything of a peer that touches the network: the
// listening sockets, the search for tables on the local network, the lobby and
// the exchange of signed entries between the seats of a game. It owns every
// network goroutine; New starts none, Run blocks until all of them are gone.
//
// It knows no rule of any game. Entries that arrive have been decoded and
// bounded; whether they are signed by their seat and stand in their place is
// for the feed.Log of the one who reads Game.Arrivals.
//
// Most callers go New, Run (in its own goroutine), Open or Join, Sitting.Wait,
// Play, and then read Arrivals and call Publish.
package node

import (
	"context"
	"errors"
	"io"
	"time"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/p2p/lobby"
)

// Config of a node. The zero value is a throw-away peer that listens on every
// interface, on a port the system picks, and looks for tables.
type Config struct {
	// Key is who this peer is to others. The zero key is replaced by one drawn from Rand.
	Key identity.Key
	// Port is listened on for TCP and QUIC, IPv4 and IPv6 alike; 0 lets the system pick one.
	Port int
	// LoopbackOnly keeps the node to this computer: it listens on 127.0.0.1 and ::1 only.
	LoopbackOnly bool
	// NoDiscovery switches mDNS off; tables are then reached by a typed address only.
	NoDiscovery bool
	// Rand is the source of nonces and of jitter; nil means crypto/rand.
	Rand io.Reader
}

// Errors of a node.
var (
	ErrNotRunning = errors.New("node: not running")
	ErrBusy       = errors.New("node: a table is open here already")
	ErrNotSeated  = errors.New("node: the charter does not seat this identity there")
)

// Table is an open table that was found. It is a value to keep.
type Table struct {
	Opener  identity.ID
	Name    string // of the table
	Host    string // the opener's player name
	Seats   int
	Taken   int
	Leavers int
	Summary map[string]string
	// Version is the opener's protocol version.
	Version int
	// Problem says why this table cannot be joined, "" when it can.
	Problem string
	// Addrs are the addresses to dial, best first, in multiaddr text.
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
	Up      bool
	Port    int
	Addrs   []string // where others can reach this node, best first
	Tables  int      // found and not expired
	Links   []LinkStatus
	Finding string // what the search for tables is doing, in words
}

// LinkStatus is one connection.
type LinkStatus struct {
	ID   identity.ID
	Addr string
	Game bool // else lobby
}

// State of a seat as seen from here.
type State uint8

const (
	Connected State = iota // heard from within 6 s
	Shaky                  // not heard from for 6 s, or never yet
	Away                   // not heard from for 25 s
)

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

// Node is one peer. Its methods may be called from any goroutine.
type Node struct{}

var errUnfinished = errors.New("node: under construction")

// New makes a node; it starts nothing and opens nothing.
func New(c Config) (*Node, error) { return nil, errUnfinished }

// Run listens, looks for tables and keeps connections until ctx ends, then
// waits for every goroutine of the node. Sittings and games end with it. It
// returns nil when ctx ended it, and may be called once.
func (n *Node) Run(ctx context.Context) error { return errUnfinished }

// Up is closed once Run listens.
func (n *Node) Up() <-chan struct{} { return nil }

// ID is the node's identity.
func (n *Node) ID() identity.ID { return identity.ID{} }

// Addrs lists where others can reach this node, best first, as host:port text
// that a player can read out and type.
func (n *Node) Addrs() []string { return nil }

// Status describes the node at this moment.
func (n *Node) Status() Status { return Status{} }

// Tables lists the open tables found by now, in a stable order.
func (n *Node) Tables() []Table { return nil }

// TablesChanged receives a value after Tables may have changed. Values are
// merged while nobody reads.
func (n *Node) TablesChanged() <-chan struct{} { return nil }

// Know adds addresses (multiaddr or host:port text) at which an identity may
// be reached, such as those kept from an earlier evening.
func (n *Node) Know(id identity.ID, addrs ...string) {}

// Open opens a table and sits down at it. It fails at once if the offer or
// the name is refused, or ErrBusy.
func (n *Node) Open(ctx context.Context, offer lobby.Offer, me Me) (*Sitting, error) {
	return nil, errUnfinished
}

// Join asks for a seat at a table that was found. It returns once seated.
func (n *Node) Join(ctx context.Context, t Table, me Me) (*Sitting, error) {
	return nil, errUnfinished
}

// JoinAddr asks for a seat at the table at a typed address: "host:port",
// "[v6]:port" or a multiaddr, with or without a peer ID.
func (n *Node) JoinAddr(ctx context.Context, addr string, me Me) (*Sitting, error) {
	return nil, errUnfinished
}

// Play takes up a game: it connects to all other seats and keeps connecting
// until the game is closed. charter is the encoded charter, me the own seat.
// To take up a game that was under way, Publish its kept log first thing.
// Calling Play again for a table under way returns the same Game.
func (n *Node) Play(charter []byte, me int) (*Game, error) { return nil, errUnfinished }
