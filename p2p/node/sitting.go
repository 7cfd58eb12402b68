package node

import (
	"context"
	"sync"

	"alibi/crypto/identity"
	"alibi/p2p/lobby"
)

// table is what a sitting talks to: the own open table, or the connection to
// somebody else's.
type table interface {
	ready(yes bool)
	leave()
	remove(id identity.ID)
}

// Sitting is a seat at a table that fills. It ends with a charter, with Leave,
// or with View.Err.
type Sitting struct {
	at      table
	updates chan lobby.View
	over    chan struct{}

	mu      sync.Mutex // guards all below
	view    lobby.View
	closed  bool
	charter []byte
	me      int
}

func newSitting(at table, v lobby.View) *Sitting {
	s := &Sitting{at: at, updates: make(chan lobby.View, 1), over: make(chan struct{})}
	s.show(v, nil, 0)
	return s
}

// show publishes a view, and ends the sitting with the last one.
func (s *Sitting) show(v lobby.View, charter []byte, me int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.view = v
	select {
	case <-s.updates: // nobody has read the one before
	default:
	}
	s.updates <- v
	if v.Phase >= lobby.Begun {
		s.charter, s.me, s.closed = charter, me, true
		close(s.updates)
		close(s.over)
	}
}

// Offer is what the table plays.
func (s *Sitting) Offer() lobby.Offer { return s.View().Offer }

// View is the table as it stands.
func (s *Sitting) View() lobby.View {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.view
}

// Updates receives the latest view after each change; older ones are dropped
// while nobody reads. It is closed when the sitting ends.
func (s *Sitting) Updates() <-chan lobby.View { return s.updates }

// Ready says whether the own player agrees to begin; the table begins as soon
// as every seat is taken and ready.
func (s *Sitting) Ready(yes bool) { s.at.ready(yes) }

// Leave gives the seat back; the opener's Leave closes the table. After the
// charter is final it does nothing.
func (s *Sitting) Leave() { s.at.leave() }

// Remove takes a seat back from somebody, as long as the charter is not final.
// Only the opener can; for others it does nothing.
func (s *Sitting) Remove(id identity.ID) { s.at.remove(id) }

// Wait blocks until the charter is final and returns it, encoded, with the own
// seat; or until the sitting ends otherwise, with View.Err.
func (s *Sitting) Wait(ctx context.Context) (charter []byte, me int, err error) {
	select {
	case <-s.over:
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.charter, s.me, s.view.Err
}

// Charter returns what Wait does without waiting; ok is false before.
func (s *Sitting) Charter() (charter []byte, me int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.charter, s.me, s.charter != nil
}
