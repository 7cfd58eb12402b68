package session

import (
	"context"
	"crypto/sha3"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/game/bot"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/p2p/node"
	"alibi/p2p/store"
)

// hub is a network in memory: what one session publishes, every other gets, in
// order. cut lets a test drop what is published from one seat to another.
type hub struct {
	mu    sync.Mutex
	ports []*port
	cut   func(from, to int, e *feed.Signed) bool
}

type port struct {
	hub      *hub
	seat     int
	arrivals chan node.Arrival
	sent     []*feed.Signed
}

func newHub(n int) *hub {
	h := new(hub)
	for i := range n {
		h.ports = append(h.ports, &port{hub: h, seat: i, arrivals: make(chan node.Arrival, 10_000)})
	}
	return h
}

func (p *port) deliver(to int, e *feed.Signed) {
	if to != p.seat && (p.hub.cut == nil || !p.hub.cut(p.seat, to, e)) {
		p.hub.ports[to].arrivals <- node.Arrival{From: p.seat, Entry: e}
	}
}

func (p *port) Publish(entries ...*feed.Signed) {
	p.hub.mu.Lock()
	defer p.hub.mu.Unlock()
	for _, e := range entries {
		p.sent = append(p.sent, e)
		for to := range p.hub.ports {
			p.deliver(to, e)
		}
	}
}

func (p *port) Repeat(seat int, entries ...*feed.Signed) {
	p.hub.mu.Lock()
	defer p.hub.mu.Unlock()
	for _, e := range entries {
		p.hub.ports[seat].arrivals <- node.Arrival{From: p.seat, Entry: e}
	}
}

func (p *port) Arrivals() <-chan node.Arrival    { return p.arrivals }
func (p *port) Early(a node.Arrival)             { p.arrivals <- a }
func (p *port) Resync(int)                       {}
func (p *port) Forget(func(*feed.Signed) bool)   {}
func (p *port) Presence() []node.Presence        { return make([]node.Presence, len(p.hub.ports)) }
func (p *port) PresenceChanged() <-chan struct{} { return nil }
func (p *port) Over(bool)                        {}
func (p *port) Lacking() []int                   { return nil }
func (p *port) Flush(context.Context) error      { return nil }
func (p *port) Close()                           {}

// party is n seats at one table, their stores and sessions.
type party struct {
	t        *testing.T
	charter  []byte
	keys     []identity.Key
	secrets  []*seat.Secret
	stores   []store.Store
	sessions []*Session
	hub      *hub
}

func seeded(seed string) io.Reader {
	s := sha3.NewSHAKE256()
	_, _ = s.Write([]byte(seed))
	return s
}

func newParty(t *testing.T, n int) *party {
	t.Helper()
	return newLeaving(t, n, 0)
}

// newLeaving is a party that leavers may leave for good.
func newLeaving(t *testing.T, n, leavers int) *party {
	t.Helper()
	e, _ := rules.Lookup("card")
	terms, err := move.EncodeTerms(e, rules.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	p := &party{t: t, hub: newHub(n)}
	c := feed.Charter{Name: t.Name(), Terms: terms, Leavers: uint8(leavers)}
	for i := range n {
		r := seeded(fmt.Sprint(t.Name(), i))
		key, err := identity.NewKey(r)
		if err != nil {
			t.Fatal(err)
		}
		secret, err := seat.Draw(r)
		if err != nil {
			t.Fatal(err)
		}
		p.keys, p.secrets = append(p.keys, key), append(p.secrets, secret)
		c.Seats = append(c.Seats, feed.Seat{Name: fmt.Sprint("p", i), ID: key.ID(), Commitment: secret.Commitment(key.ID(), n, leavers)})
	}
	if p.charter, err = c.Encode(); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		p.stores = append(p.stores, store.NewMemory())
		if _, err := p.stores[i].Begin(p.charter, i, p.secrets[i].Bytes()); err != nil {
			t.Fatal(err)
		}
		p.sessions = append(p.sessions, p.session(i, nil))
	}
	return p
}

// session makes the session of seat i from a kept log.
func (p *party) session(i int, kept []*feed.Signed) *Session {
	p.t.Helper()
	s, err := New(Config{
		Charter: p.charter, Me: i, Key: p.keys[i], Secret: p.secrets[i], Kept: kept,
		Store: p.stores[i], Link: p.hub.ports[i], Bot: &bot.Bot{Seed: [32]byte{byte(i)}},
		Rand: seeded(fmt.Sprint(p.t.Name(), "proofs", i, len(kept))),
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// run runs all sessions and returns what each Run returned.
func (p *party) run() []error {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	errs := make([]error, len(p.sessions))
	var wg sync.WaitGroup
	for i, s := range p.sessions {
		wg.Go(func() { errs[i] = s.Run(ctx) })
	}
	wg.Wait()
	if ctx.Err() != nil {
		p.t.Fatal("the game did not come to its end in a minute")
	}
	return errs
}

// runHonest runs all sessions until every honest one has returned.
func (p *party) runHonest(cheat int) []error {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	errs := make([]error, len(p.sessions))
	var honest, all sync.WaitGroup
	for i, s := range p.sessions {
		if i != cheat {
			honest.Add(1)
		}
		all.Go(func() {
			errs[i] = s.Run(ctx)
			if i != cheat {
				honest.Done()
			}
		})
	}
	honest.Wait()
	if ctx.Err() != nil {
		p.t.Error("honest seats did not stop in a minute")
	}
	cancel()
	all.Wait()
	return errs
}
