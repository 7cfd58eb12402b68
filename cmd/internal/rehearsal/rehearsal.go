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
	"time"

	"alibi/cmd/internal/session"
	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/game/bot"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/seat"
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
	// Patience is how long bots wait for a silent seat before they move to go on
	// without it, each a second longer than the one before, so that their words
	// come in order; 0 is for ever.
	Patience time.Duration
	// Sent, when set, sees every entry that a seat has sent, one call at a time.
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
	plan     Plan
	keys     []identity.Key
	stores   []store.Store
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
	t := &Table{hub: newHub(p), plan: p}
	charter := feed.Charter{Name: "rehearsal", Terms: terms, Leavers: uint8(p.Leavers)}
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
		t.keys, t.Secrets = append(t.keys, key), append(t.Secrets, secret)
		t.hub.ports[i].key = key
		charter.Seats = append(charter.Seats, feed.Seat{Name: name, ID: key.ID(), Commitment: secret.Commitment(key.ID(), len(p.Names), p.Leavers)})
	}
	if t.Charter, err = charter.Encode(); err != nil {
		return nil, err
	}
	for i := range p.Names {
		t.stores = append(t.stores, store.NewMemory())
		if _, err := t.stores[i].Begin(t.Charter, i, t.Secrets[i].Bytes()); err != nil {
			return nil, err
		}
		s, err := t.session(i, nil)
		if err != nil {
			return nil, err
		}
		t.Sessions = append(t.Sessions, s)
	}
	return t, nil
}

// session makes the session of a seat from what was kept of it.
func (t *Table) session(i int, kept []*feed.Signed) (*session.Session, error) {
	use := "proofs"
	if kept != nil {
		use = fmt.Sprint(use, len(kept))
	}
	c := session.Config{
		Charter: t.Charter, Me: i, Key: t.keys[i], Secret: t.Secrets[i], Store: t.stores[i], Kept: kept,
		Link: t.hub.ports[i], Rand: stream(t.plan.Seed, i, use),
	}
	if slices.Contains(t.plan.People, i) {
		shuffled := func(e *feed.Signed) bool { return int(e.Seat) == i && move.Kind(e.Kind) == move.KindShuffle }
		c.Wait = t.plan.Wait && !slices.ContainsFunc(kept, shuffled)
	} else {
		c.Bot = &bot.Bot{Seed: [32]byte{byte(i)}}
		if t.plan.Patience > 0 {
			c.Patience = t.plan.Patience + time.Duration(i)*time.Second
		}
	}
	return session.New(c)
}

// Restart sets a seat up anew from what its store holds, as a program does that
// was killed. The session before it must have ended.
func (t *Table) Restart(seat int) error {
	g, err := t.stores[seat].Load(feed.TableHash(t.Charter))
	if err != nil {
		return err
	}
	t.Sessions[seat], err = t.session(seat, g.Log)
	return err
}

// Silence cuts a seat off: it hears nobody, nobody hears it, and each is away to
// the other.
func (t *Table) Silence(seat int) { t.hub.silence(seat, true) }

// Return connects a seat again. What was missed on either side arrives now.
func (t *Table) Return(seat int) { t.hub.silence(seat, false) }

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
