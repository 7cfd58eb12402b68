package store

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"sync"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
)

// Memory is a Store that forgets when the process ends.
type Memory struct {
	mu      sync.Mutex
	key     *identity.Key
	pending []pendingSecret // oldest first
	games   []*memoryGame   // oldest first
	closed  bool
}

type pendingSecret struct {
	commitment feed.Hash
	secret     []byte
}

type memoryGame struct {
	Game
	seats  int
	places map[place]*feed.Signed
}

// place is where an entry stands: one per round and seat.
type place struct {
	round uint32
	seat  uint8
}

var _ Store = (*Memory)(nil)

// NewMemory makes an empty store.
func NewMemory() *Memory { return &Memory{} }

// Identity implements Store.
func (m *Memory) Identity(rand io.Reader) (identity.Key, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return identity.Key{}, ErrClosed
	}
	if m.key == nil {
		key, err := identity.NewKey(rand)
		if err != nil {
			return identity.Key{}, fmt.Errorf("store: %w", err)
		}
		m.key = &key
	}
	return *m.key, nil
}

// SavePending implements Store.
func (m *Memory) SavePending(commitment feed.Hash, secret []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	if len(secret) > MaxSecret {
		return ErrBounds
	}
	m.dropPending(commitment)
	if len(m.pending) == MaxPending {
		m.pending = slices.Delete(m.pending, 0, 1)
	}
	m.pending = append(m.pending, pendingSecret{commitment, clone(secret)})
	return nil
}

// Pending implements Store.
func (m *Memory) Pending(commitment feed.Hash) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, ErrClosed
	}
	for _, p := range m.pending {
		if p.commitment == commitment {
			return clone(p.secret), nil
		}
	}
	return nil, ErrUnknown
}

// DropPending implements Store.
func (m *Memory) DropPending(commitment feed.Hash) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	m.dropPending(commitment)
	return nil
}

func (m *Memory) dropPending(commitment feed.Hash) {
	m.pending = slices.DeleteFunc(m.pending, func(p pendingSecret) bool { return p.commitment == commitment })
}

// Begin implements Store.
func (m *Memory) Begin(charter []byte, seat int, secret []byte) (feed.Hash, error) {
	c, err := checkBegin(charter, seat, secret)
	if err != nil {
		return feed.Hash{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return feed.Hash{}, ErrClosed
	}
	table := feed.TableHash(charter)
	if m.find(table) != nil {
		return feed.Hash{}, ErrExists
	}
	m.dropPending(c.Seats[seat].Commitment)
	m.games = append(m.games, &memoryGame{
		Game:   Game{Info: Info{Table: table, Charter: clone(charter), Seat: seat}, Secret: clone(secret)},
		seats:  len(c.Seats),
		places: make(map[place]*feed.Signed),
	})
	return table, nil
}

func (m *Memory) find(table feed.Hash) *memoryGame {
	for _, g := range m.games {
		if g.Table == table {
			return g
		}
	}
	return nil
}

// Append implements Store.
func (m *Memory) Append(table feed.Hash, entries ...*feed.Signed) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	g, err := m.open(table)
	if err != nil {
		return err
	}
	if g.Finished {
		return ErrFinished
	}
	if err := checkEntries(entries, g.seats); err != nil {
		return err
	}
	added := make(map[place]*feed.Signed)
	var fresh []*feed.Signed
	for _, e := range entries {
		at := place{e.Round, e.Seat}
		held := g.places[at]
		if held == nil {
			held = added[at]
		}
		switch {
		case held == nil:
			added[at] = e
			fresh = append(fresh, e)
		case !bytes.Equal(held.Content(), e.Content()):
			return ErrContradiction
		}
	}
	if len(g.Log)+len(fresh) > feed.MaxEntries {
		return ErrBounds
	}
	for at, e := range added {
		g.places[at] = e
	}
	g.Log = append(g.Log, fresh...)
	g.Entries = len(g.Log)
	return nil
}

func (m *Memory) open(table feed.Hash) (*memoryGame, error) {
	if m.closed {
		return nil, ErrClosed
	}
	g := m.find(table)
	if g == nil {
		return nil, ErrUnknown
	}
	return g, nil
}

// Load implements Store.
func (m *Memory) Load(table feed.Hash) (*Game, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	g, err := m.open(table)
	if err != nil {
		return nil, err
	}
	out := g.Game
	out.Charter = clone(g.Charter)
	out.Log = slices.Clone(g.Log)
	if !g.Finished {
		out.Secret = clone(g.Secret)
	}
	return &out, nil
}

// Games implements Store.
func (m *Memory) Games() ([]Info, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, ErrClosed
	}
	var out []Info
	for _, g := range slices.Backward(m.games) {
		info := g.Info
		info.Charter = clone(info.Charter)
		out = append(out, info)
	}
	return out, nil
}

// Finish implements Store.
func (m *Memory) Finish(table feed.Hash) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	g, err := m.open(table)
	if err != nil {
		return err
	}
	g.Finished = true
	clear(g.Secret)
	g.Secret = nil
	return nil
}

// Close implements Store.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

// clone copies b and is never nil, so that an empty secret is one in both stores.
func clone(b []byte) []byte { return append([]byte{}, b...) }
