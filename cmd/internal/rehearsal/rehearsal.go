// Package rehearsal seats a whole table in one process over a network in memory,
// from one seed: for tests of whatever shows or drives a session. The program
// itself never uses it; for real peers see session.Peer.
//
// Equal plans give equal games, byte for byte, as long as people decide alike.
package rehearsal

import (
	"context"
	"crypto/sha3"
	"fmt"
	"io"
	"slices"
	"sync"

	"alibi/cmd/internal/session"
	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/game/bot"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/p2p/node"
	"alibi/p2p/store"
)

// Plan of a table. Names says how many sit down; seats in People are decided
// for by somebody, the others by bots.
type Plan struct {
	Seed    string
	Edition string        // "" is "card"
	Options rules.Options // zero is the default
	Names   []string
	Leavers int // how many may leave for good
	People  []int
	// Wait holds the shuffles of People back until Session.Ready.
	Wait bool
	// Sent, when set, sees every entry that a seat sends, one call at a time.
	Sent func(seat int, e *feed.Signed)
	// Tamper, when set, may change what the others get to see of an entry; its
	// seat signs the change and keeps the entry as it was.
	Tamper func(e feed.Entry) feed.Entry
}

// Table is a game ready to run.
type Table struct {
	Charter  []byte
	Sessions []*session.Session
	Secrets  []*seat.Secret
	hub      *hub
}

// New seats everybody.
func New(p Plan) (*Table, error) {
	if p.Edition == "" {
		p.Edition = "card"
	}
	if p.Options == (rules.Options{}) {
		p.Options = rules.DefaultOptions()
	}
	edition, ok := rules.Lookup(p.Edition)
	if !ok {
		return nil, fmt.Errorf("rehearsal: no edition %q", p.Edition)
	}
	terms, err := move.EncodeTerms(edition, p.Options)
	if err != nil {
		return nil, err
	}
	t := &Table{hub: newHub(p)}
	charter := feed.Charter{Name: "rehearsal", Terms: terms, Leavers: uint8(p.Leavers)}
	var keys []identity.Key
	for i, name := range p.Names {
		r := stream(p.Seed, i, "keys")
		key, err := identity.NewKey(r)
		if err != nil {
			return nil, err
		}
		secret, err := seat.Draw(r)
		if err != nil {
			return nil, err
		}
		keys, t.Secrets = append(keys, key), append(t.Secrets, secret)
		t.hub.ports[i].key = key
		charter.Seats = append(charter.Seats, feed.Seat{Name: name, ID: key.ID(), Commitment: secret.Commitment(key.ID(), len(p.Names), p.Leavers)})
	}
	if t.Charter, err = charter.Encode(); err != nil {
		return nil, err
	}
	for i := range p.Names {
		c := session.Config{
			Charter: t.Charter, Me: i, Key: keys[i], Secret: t.Secrets[i], Store: store.NewMemory(),
			Link: t.hub.ports[i], Rand: stream(p.Seed, i, "proofs"),
		}
		if _, err := c.Store.Begin(t.Charter, i, t.Secrets[i].Bytes()); err != nil {
			return nil, err
		}
		if slices.Contains(p.People, i) {
			c.Wait = p.Wait
		} else {
			c.Bot = &bot.Bot{Seed: [32]byte{byte(i)}}
		}
		s, err := session.New(c)
		if err != nil {
			return nil, err
		}
		t.Sessions = append(t.Sessions, s)
	}
	return t, nil
}

// Run plays until every session has returned, and gives what each returned.
func (t *Table) Run(ctx context.Context) []error {
	errs := make([]error, len(t.Sessions))
	var wg sync.WaitGroup
	for i, s := range t.Sessions {
		wg.Go(func() { errs[i] = s.Run(ctx) })
	}
	wg.Wait()
	return errs
}

// stream is an endless deterministic reader.
func stream(seed string, seat int, use string) io.Reader {
	s := sha3.NewSHAKE256()
	_, _ = fmt.Fprint(s, seed, "/", seat, "/", use) // a hash never fails
	return s
}

// hub gives what one seat publishes to every other, in order.
type hub struct {
	mu    sync.Mutex
	ports []*port
	plan  Plan
}

type port struct {
	hub      *hub
	seat     int
	key      identity.Key
	arrivals chan node.Arrival
}

// backlog is more entries than any game has, so that nothing ever blocks.
const backlog = 20_000

func newHub(p Plan) *hub {
	h := &hub{plan: p}
	for i := range p.Names {
		h.ports = append(h.ports, &port{hub: h, seat: i, arrivals: make(chan node.Arrival, backlog)})
	}
	return h
}

// Publish implements session.Link. Only own entries travel: everybody is
// connected to everybody.
func (p *port) Publish(entries ...*feed.Signed) {
	for _, e := range entries {
		if int(e.Seat) != p.seat {
			continue
		}
		seen := p.tampered(e)
		for to := range p.hub.ports {
			if to != p.seat {
				p.Repeat(to, seen)
			}
		}
		if p.hub.plan.Sent != nil {
			p.hub.mu.Lock()
			p.hub.plan.Sent(p.seat, e)
			p.hub.mu.Unlock()
		}
	}
}

// tampered is what others get to see of an entry.
func (p *port) tampered(e *feed.Signed) *feed.Signed {
	if p.hub.plan.Tamper == nil {
		return e
	}
	s, err := feed.Seal(p.key, p.hub.plan.Tamper(e.Entry))
	if err != nil {
		return e // too large to be sealed: then it is not sent, either
	}
	return s
}

// Repeat implements session.Link.
func (p *port) Repeat(seat int, entries ...*feed.Signed) {
	for _, e := range entries {
		p.hub.ports[seat].arrivals <- node.Arrival{From: p.seat, Entry: e}
	}
}

// The rest of session.Link: everybody is always there.
func (p *port) Arrivals() <-chan node.Arrival    { return p.arrivals }
func (p *port) Early(a node.Arrival)             { p.arrivals <- a }
func (p *port) Resync(int)                       {}
func (p *port) Presence() []node.Presence        { return make([]node.Presence, len(p.hub.ports)) }
func (p *port) PresenceChanged() <-chan struct{} { return nil }
func (p *port) Flush(context.Context) error      { return nil }
func (p *port) Close()                           {}
