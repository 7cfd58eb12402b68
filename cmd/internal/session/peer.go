package session

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/game/bot"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/p2p/link"
	"alibi/p2p/lobby"
	"alibi/p2p/node"
	"alibi/p2p/store"
)

// PeerConfig of a peer. The zero value keeps nothing and shows no name.
type PeerConfig struct {
	// Home is the folder of identity and games; "" keeps everything in memory.
	Home string
	// Name is what others see.
	Name string
	// Port to listen on; 0 lets the system choose.
	Port int
	// Loopback keeps every packet on this computer.
	Loopback bool
	// NoDiscovery switches mDNS off.
	NoDiscovery bool
	// Rand is where keys and proofs come from; nil is crypto/rand.
	Rand io.Reader
}

// Peer is one player's program: an identity, a store and a node.
type Peer struct {
	cfg   PeerConfig
	store store.Store
	key   identity.Key
	node  *node.Node

	mu   sync.Mutex
	name string
}

// NewPeer opens the store and prepares the node. It starts nothing; Close
// releases the store.
func NewPeer(c PeerConfig) (*Peer, error) {
	if c.Rand == nil {
		c.Rand = rand.Reader
	}
	p := &Peer{cfg: c, store: store.NewMemory(), name: c.Name}
	places := ""
	if c.Home != "" {
		disk, err := store.Open(c.Home)
		if err != nil {
			return nil, err
		}
		p.store, places = disk, filepath.Join(c.Home, "places.json")
	}
	var err error
	if p.key, err = p.store.Identity(c.Rand); err != nil {
		return nil, errors.Join(err, p.store.Close())
	}
	p.node, err = node.New(node.Config{
		Key: p.key, Port: c.Port, Places: places, LoopbackOnly: c.Loopback, NoDiscovery: c.NoDiscovery, Rand: c.Rand,
	})
	if err != nil {
		return nil, errors.Join(err, p.store.Close())
	}
	return p, nil
}

// Run owns the network until ctx ends.
func (p *Peer) Run(ctx context.Context) error { return p.node.Run(ctx) }

// Up is closed once the peer listens.
func (p *Peer) Up() <-chan struct{} { return p.node.Up() }

// Close releases the store. Call it after Run has returned.
func (p *Peer) Close() error { return p.store.Close() }

// Rename changes what others see, from the next table on.
func (p *Peer) Rename(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.name = name
}

// ID is the peer ID as libp2p writes it.
func (p *Peer) ID() string { return link.PeerID(p.key.ID()) }

// Addrs lists where others can reach this peer, best first.
func (p *Peer) Addrs() []string { return p.node.Addrs() }

// Finding says in words what the search for tables is doing.
func (p *Peer) Finding() string { return p.node.Status().Finding }

// Offer is a table to open.
type Offer struct {
	Table   string
	Edition *rules.Edition
	Options rules.Options
	Seats   int
	// Leavers is how many may leave for good; the others play on without them. As
	// many players fewer can then open every card together.
	Leavers int
}

// Leavers is how many leavers a table of so many seats tolerates unless its
// opener says otherwise: one from four seats on.
func Leavers(seats int) int {
	if seats >= 4 {
		return 1
	}
	return 0
}

// MaxLeavers is how many it can: two must stay.
func MaxLeavers(seats int) int { return max(seats-2, 0) }

// Found is an open table on the network.
type Found struct {
	Name    string
	Host    string // who opened it
	Edition string
	Seats   int
	Taken   int
	Leavers int
	Playing bool   // under way: it can be watched, not joined
	Problem string // why it cannot be joined, "" when it can
	Addrs   []string
	at      node.Table
}

const summaryEdition = "edition"

// Tables lists the open tables found by now.
func (p *Peer) Tables() []Found {
	var out []Found
	for _, t := range p.node.Tables() {
		f := Found{Name: t.Name, Host: t.Host, Edition: t.Summary[summaryEdition], Seats: t.Seats, Taken: t.Taken,
			Leavers: t.Leavers, Playing: t.Game != "", Problem: t.Problem, Addrs: t.Addrs, at: t}
		if _, ok := rules.Lookup(f.Edition); !ok && f.Problem == "" {
			f.Problem = fmt.Sprintf("plays %q, which this alibi does not know", f.Edition)
		}
		out = append(out, f)
	}
	return out
}

// TablesChanged receives a value after Tables may have changed.
func (p *Peer) TablesChanged() <-chan struct{} { return p.node.TablesChanged() }

// Open opens a table and sits down at it.
func (p *Peer) Open(ctx context.Context, o Offer) (*Seating, error) {
	terms, err := move.EncodeTerms(o.Edition, o.Options)
	if err != nil {
		return nil, err
	}
	return p.sit(p.node.Open(ctx, lobby.Offer{
		Table: o.Table, Terms: terms, Seats: o.Seats, Leavers: o.Leavers,
		Summary: map[string]string{summaryEdition: o.Edition.Name},
	}, p.me()))
}

// Join takes a seat at a table that was found.
func (p *Peer) Join(ctx context.Context, f Found) (*Seating, error) {
	return p.sit(p.node.Join(ctx, f.at, p.me()))
}

// Dialable reports whether an address looks like one; whether it leads anywhere is for
// the network to say.
func Dialable(addr string) bool {
	if strings.HasPrefix(addr, "/") {
		return true // a multiaddr
	}
	host, port, err := net.SplitHostPort(addr)
	n, bad := strconv.ParseUint(port, 10, 16)
	return err == nil && bad == nil && n > 0 && host != ""
}

// JoinAddr takes a seat at the table at a typed address.
func (p *Peer) JoinAddr(ctx context.Context, addr string) (*Seating, error) {
	return p.sit(p.node.JoinAddr(ctx, addr, p.me()))
}

func (p *Peer) sit(s *node.Sitting, err error) (*Seating, error) {
	if err != nil {
		return nil, err
	}
	return &Seating{peer: p, sitting: s}, nil
}

// me draws the keys of a seat, and keeps them, before anybody sees what they
// are committed to.
func (p *Peer) me() node.Me {
	p.mu.Lock()
	defer p.mu.Unlock()
	return node.Me{Name: p.name, Commit: func(o lobby.Offer) (feed.Hash, error) {
		edition, _, err := move.DecodeTerms(o.Terms)
		if err == nil {
			err = shown(edition)
		}
		if err != nil {
			return feed.Hash{}, err
		}
		if o.Seats < edition.MinSeats || o.Seats > edition.MaxSeats || o.Leavers < 0 || o.Leavers > MaxLeavers(o.Seats) {
			return feed.Hash{}, fmt.Errorf("session: %s is not played with %d seats and %d leavers here", edition.Name, o.Seats, o.Leavers)
		}
		secret, err := seat.Draw(p.cfg.Rand)
		if err != nil {
			return feed.Hash{}, err
		}
		c := secret.Commitment(p.key.ID(), o.Seats, o.Leavers)
		return c, p.store.SavePending(c, secret.Bytes())
	}}
}

// Seating is a seat at a table that is filling.
type Seating struct {
	peer    *Peer
	sitting *node.Sitting
}

// Room is a table that is filling, as everybody there sees it.
type Room struct {
	Table   string
	Edition *rules.Edition
	Options rules.Options
	Seats   int
	Leavers int
	Players []Guest
	Err     error // why it ended without a game
}

// Guest is somebody who sits at a filling table.
type Guest struct {
	Name  string
	Me    bool
	Ready bool
}

// Room describes the table now.
func (s *Seating) Room() Room { return room(s.sitting.View()) }

// Updates receives the table after each change and is closed when the seating ends.
func (s *Seating) Updates(ctx context.Context) <-chan Room {
	out := make(chan Room)
	go func() {
		defer close(out)
		for {
			select {
			case v, more := <-s.sitting.Updates():
				if !more {
					return
				}
				select {
				case out <- room(v):
				case <-ctx.Done():
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

func room(v lobby.View) Room {
	r := Room{Table: v.Offer.Table, Seats: v.Offer.Seats, Leavers: v.Offer.Leavers, Err: v.Err}
	// The terms were decoded when the seat was taken.
	r.Edition, r.Options, _ = move.DecodeTerms(v.Offer.Terms)
	for i, g := range v.Seats {
		if g.Taken() {
			r.Players = append(r.Players, Guest{Name: g.Name, Me: i == v.Me, Ready: g.Ready})
		}
	}
	return r
}

// Ready agrees to the table as it stands, or takes that back.
func (s *Seating) Ready(yes bool) { s.sitting.Ready(yes) }

// Leave gives the seat back.
func (s *Seating) Leave() { s.sitting.Leave() }

// Manner is how a seat is played.
type Manner struct {
	// Bot plays the seat by itself.
	Bot bool
	// Pause is how long a bot thinks; see Config.
	Pause func() time.Duration
	// Floor is the least time between a decided answer and its sending.
	Floor time.Duration
	// Wait holds the shuffle back until Session.Ready.
	Wait bool
	// Patience is when to go on without somebody unasked; see Config.
	Patience time.Duration
}

// Begin waits until the table is full and everybody has agreed, keeps the
// charter and sets the session up. The caller runs it.
func (s *Seating) Begin(ctx context.Context, m Manner) (*Session, error) {
	charter, me, err := s.sitting.Wait(ctx)
	if err != nil {
		return nil, err
	}
	c, err := feed.ParseCharter(charter)
	if err != nil {
		return nil, err
	}
	kept, err := s.peer.store.Pending(c.Seats[me].Commitment)
	if err != nil {
		return nil, fmt.Errorf("session: the keys behind this seat: %w", err)
	}
	secret, err := seat.ParseSecret(kept)
	if err != nil {
		return nil, err
	}
	if _, err := s.peer.store.Begin(charter, me, kept); err != nil {
		return nil, err
	}
	return s.peer.play(Config{Charter: charter, Me: me, Secret: secret}, m)
}

// play sets a session up that plays a seat of this peer.
func (p *Peer) play(c Config, m Manner) (*Session, error) {
	link, err := p.node.Play(c.Charter, c.Me)
	if err != nil {
		return nil, err
	}
	c.Key, c.Store, c.Link, c.Rand = p.key, p.store, link, p.cfg.Rand
	c.Wait, c.Pause, c.Floor, c.Patience = m.Wait, m.Pause, m.Floor, m.Patience
	if m.Bot {
		c.Bot, c.Yields = new(bot.Bot), true
		if _, err := io.ReadFull(p.cfg.Rand, c.Bot.Seed[:]); err != nil {
			return nil, fmt.Errorf("session: drawing a bot's seed: %w", err)
		}
	}
	s, err := New(c)
	if err == nil {
		err = letIn(link, c)
	}
	if err != nil {
		link.Close()
		return nil, err
	}
	return s, nil
}

// Home is the folder that a peer keeps its state in: ALIBI_HOME, or alibi in
// the XDG state folder.
func Home() string { return home(os.Getenv) }
