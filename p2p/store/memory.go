package store

import (
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
	*ledger
	secret []byte
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
	table := feed.TableHash(charter)
	switch _, err := m.open(table); err {
	case ErrUnknown:
	case nil:
		return feed.Hash{}, ErrExists
	default:
		return feed.Hash{}, err
	}
	m.dropPending(c.Seats[seat].Commitment)
	m.games = append(m.games, &memoryGame{newLedger(table, charter, seat, len(c.Seats)), clone(secret)})
	return table, nil
}

func (m *Memory) open(table feed.Hash) (*memoryGame, error) {
	if m.closed {
		return nil, ErrClosed
	}
	for _, g := range m.games {
		if g.Table == table {
			return g, nil
		}
	}
	return nil, ErrUnknown
}

// Append implements Store.
func (m *Memory) Append(table feed.Hash, entries ...*feed.Signed) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	g, err := m.open(table)
	if err != nil {
		return err
	}
	fresh, err := g.fresh(entries)
	if err != nil {
		return err
	}
	g.add(fresh)
	return nil
}

// Load implements Store.
func (m *Memory) Load(table feed.Hash) (*Game, error) { return m.load(table, true) }

// LoadLog implements Store.
func (m *Memory) LoadLog(table feed.Hash) (*Game, error) { return m.load(table, false) }

func (m *Memory) load(table feed.Hash, secret bool) (*Game, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	g, err := m.open(table)
	if err != nil {
		return nil, err
	}
	out := &Game{Info: g.Info, Log: slices.Clone(g.log)}
	out.Charter = clone(g.Charter)
	if secret && !g.Finished {
		out.Secret = clone(g.secret)
	}
	return out, nil
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
	clear(g.secret)
	g.secret = nil
	return nil
}

// Close implements Store.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}
