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
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"
	"time"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/p2p/lan"
	"alibi/p2p/link"
	"alibi/p2p/lobby"
)

// Config of a node. The zero value is a throw-away peer that listens on every
// interface, on a port the system picks, and looks for tables.
type Config struct {
	// Key is who this peer is to others. The zero key is replaced by one drawn from Rand.
	Key identity.Key
	// Port is listened on for TCP and QUIC, IPv4 and IPv6 alike; 0 takes that of
	// the last run, if it is kept and free, or lets the system pick one.
	Port int
	// Places is a file that keeps, from one run to the next, the port and where
	// those one plays with were, so that all find each other again after a crash
	// without multicast. Its folder is this node's alone. "" keeps nothing.
	Places string
	// LoopbackOnly keeps the node to this computer: it listens on 127.0.0.1 and ::1 only.
	LoopbackOnly bool
	// NoDiscovery switches mDNS off; tables are then reached by a typed address only.
	NoDiscovery bool
	// Realm separates groups that must not find one another, such as tests on
	// one computer; players meet in the empty one.
	Realm string
	// Rand is the source of a missing Key; nil means crypto/rand.
	Rand io.Reader
}

// Errors of a node.
var (
	ErrNotRunning = errors.New("node: not running")
	ErrBusy       = errors.New("node: a table is open here already")
	ErrNotSeated  = errors.New("node: the charter does not seat this identity there")
)

// Node is one peer. Its methods may be called from any goroutine.
type Node struct {
	cfg     Config
	id      identity.ID
	host    *link.Host
	known   *addressBook
	places  *places
	up      chan struct{}
	changed chan struct{} // tables
	work    sync.WaitGroup

	announcing sync.Mutex // so that what is announced last is the latest

	mu      sync.Mutex // guards all below
	began   bool
	ended   bool
	run     context.Context
	lan     *lan.Service
	since   time.Time // when Run began to look around
	open    *opening
	begun   *opening // the last one that became a game
	games   map[feed.Hash]*Game
	watched map[feed.Hash]*Watching
	links   map[*link.Conn]bool // for Status; true for a stranger's
}

// New makes a node; it starts nothing and opens nothing.
func New(c Config) (*Node, error) {
	if c.Rand == nil {
		c.Rand = rand.Reader
	}
	if c.Port < 0 || c.Port > 65535 {
		return nil, fmt.Errorf("node: port %d", c.Port)
	}
	if reflect.ValueOf(c.Key).IsZero() {
		key, err := identity.NewKey(c.Rand)
		if err != nil {
			return nil, fmt.Errorf("node: %w", err)
		}
		c.Key = key
	}
	n := &Node{
		cfg: c, id: c.Key.ID(),
		known: newAddressBook(), places: openPlaces(c.Places), up: make(chan struct{}), changed: make(chan struct{}, 1),
		games: map[feed.Hash]*Game{}, watched: map[feed.Hash]*Watching{}, links: map[*link.Conn]bool{},
	}
	n.places.tell(n.known)
	n.host = link.New(link.Config{
		Key: c.Key, Port: c.Port, Last: n.places.kept.Port, LoopbackOnly: c.LoopbackOnly, Admit: n.admit, Member: n.member, Handle: n.handle,
	})
	return n, nil
}

// Run listens, looks for tables and keeps connections until ctx ends, then
// says goodbye and waits for every goroutine of the node. Sittings and games
// end with it. It returns nil when ctx ended it, and may be called once.
func (n *Node) Run(ctx context.Context) error {
	n.mu.Lock()
	if n.began {
		n.mu.Unlock()
		return errors.New("node: Run was called before")
	}
	n.began = true
	n.mu.Unlock()

	// The network outlives what is built on it by the time it takes to say
	// goodbye.
	network, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	run, stop := context.WithCancel(ctx)
	defer stop()
	failed := make(chan error, 2)
	var below sync.WaitGroup
	below.Go(func() { failed <- n.host.Run(network) })
	select {
	case <-n.host.Up():
	case err := <-failed:
		return err
	}
	if !n.cfg.NoDiscovery {
		service := n.newLAN()
		below.Go(func() {
			if err := service.Run(network); err != nil {
				failed <- err
			}
		})
		below.Go(func() { n.watch(network, service) })
	}
	below.Go(func() { n.mind(network) })
	n.mu.Lock()
	n.run, n.since = run, time.Now()
	n.mu.Unlock()
	close(n.up)

	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	n.mu.Lock()
	n.ended = true
	n.mu.Unlock()
	stop()
	n.work.Wait()
	cut()
	below.Wait()
	return err
}

// start runs fn in a goroutine that Run waits for; fn returns when its ctx ends.
func (n *Node) start(fn func(ctx context.Context)) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.run == nil || n.ended {
		return ErrNotRunning
	}
	n.work.Go(func() { fn(n.run) })
	return nil
}

// running is the context that ends with Run, or ErrNotRunning.
func (n *Node) running() (context.Context, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.run == nil || n.ended {
		return nil, ErrNotRunning
	}
	return n.run, nil
}

// Up is closed once Run listens.
func (n *Node) Up() <-chan struct{} { return n.up }

// ID is the node's identity.
func (n *Node) ID() identity.ID { return n.id }

// Open opens a table and sits down at it. It fails at once if the offer or
// the name is refused, or ErrBusy.
func (n *Node) Open(ctx context.Context, offer lobby.Offer, me Me) (*Sitting, error) {
	return n.openTable(ctx, offer, me)
}

// jitter returns a time between half of d and d. It does not touch
// Config.Rand, whose owner may draw from it at the same time.
func jitter(d time.Duration) time.Duration {
	var b [2]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return d/2 + d/2*time.Duration(uint16(b[0])<<8|uint16(b[1]))/65536
}

// ring puts a value into a channel of one that merges.
func ring(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
