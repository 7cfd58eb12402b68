// Package session is where the two wings meet: it folds what arrives, makes what
// the own seat owes, keeps it before it is sent, and publishes a View after every
// change. Core is that as a plain state machine, Session the goroutine that runs
// one against real peers and a real clock. Peer is what leads up to it: a node, a
// store and a seat at a table.
//
// Faces (command line, terminal, browser) read Updates and call Do; they see no
// key, no socket and no log entry.
package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"alibi/crypto/feed"
	"alibi/game/seat"
	"alibi/game/table"
	"alibi/p2p/node"
)

// Link is a Port that a session waits at.
type Link interface {
	Port
	Arrivals() <-chan node.Arrival
	PresenceChanged() <-chan struct{}
	Flush(ctx context.Context) error
	Close()
}

// Session is one game under way. Do, Ready, Drop, Abandon, Latest and Changed may
// be called from any goroutine; everything else belongs to the goroutine of Run.
type Session struct {
	core    *Core
	todo    chan request
	changed chan struct{}
	over    chan struct{}
}

type request struct {
	do   func() error
	done chan error
}

// New sets a game up from its charter and what was kept of it.
func New(c Config) (*Session, error) {
	if c.After == nil {
		c.After = time.After
	}
	core, err := NewCore(c, c.Link)
	if err != nil {
		return nil, err
	}
	s := &Session{core: core, todo: make(chan request), changed: make(chan struct{}, 1), over: make(chan struct{})}
	core.news = func() {
		select {
		case s.changed <- struct{}{}:
		default:
		}
	}
	core.news()
	return s, nil
}

// Run plays until the game is over, a fault stops it, or ctx ends. It returns
// nil when the game came to its end, ErrStopped or ErrAbandoned when it did not.
func (s *Session) Run(ctx context.Context) error {
	defer close(s.over)
	link := s.core.cfg.Link
	defer link.Close()
	err := s.core.Start()
	for err == nil && !s.core.Finished() {
		select {
		case <-ctx.Done():
			return s.core.keep()
		case a, ok := <-link.Arrivals():
			if !ok {
				return errors.Join(s.core.keep(), errors.New("session: the connection to the table was closed"))
			}
			err = s.core.Arrive(a)
		case r := <-s.todo:
			r.done <- r.do()
			err = s.core.Broken()
		case <-s.alarm():
			err = s.core.Wake()
		case <-link.PresenceChanged():
			err = s.core.Wake()
		}
	}
	if err != nil {
		return err
	}
	return s.finish(ctx)
}

// alarm rings when the core has something to do unasked.
func (s *Session) alarm() <-chan time.Time {
	at := s.core.Deadline()
	if at.IsZero() {
		return nil
	}
	return s.core.cfg.After(at.Sub(s.core.cfg.Now()))
}

// finish sees the last words off. What was found is final either way.
func (s *Session) finish(ctx context.Context) error {
	c := s.core
	if err := c.keep(); err != nil {
		return err
	}
	flushed := c.cfg.Link.Flush(ctx)
	if c.cfg.Store != nil {
		if err := c.cfg.Store.Finish(c.state.Table); err != nil {
			return fmt.Errorf("session: closing the kept game: %w", err)
		}
	}
	switch {
	case c.final:
		return ErrStopped
	case c.state.Abandoned:
		return ErrAbandoned
	case flushed != nil && ctx.Err() == nil:
		return fmt.Errorf("session: handing the last entries on: %w", flushed)
	}
	return nil
}

// Do carries a decision of the player out. A refusal changes nothing and says
// why.
func (s *Session) Do(ctx context.Context, a seat.Action) error {
	return s.ask(ctx, func() error { return s.core.Do(a) })
}

// Ready says that the table's words were compared and the cards may be shuffled.
func (s *Session) Ready(ctx context.Context) error { return s.ask(ctx, s.core.Ready) }

// Drop has this seat vote to go on without another, see Core.Drop.
func (s *Session) Drop(ctx context.Context, seat int) error {
	return s.ask(ctx, func() error { return s.core.Drop(seat) })
}

// Abandon has this seat vote to give the game up, see Core.Abandon.
func (s *Session) Abandon(ctx context.Context) error { return s.ask(ctx, s.core.Abandon) }

func (s *Session) ask(ctx context.Context, do func() error) error {
	r := request{do: do, done: make(chan error, 1)}
	select {
	case s.todo <- r:
		return <-r.done
	case <-s.over:
		return ErrOver
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Latest is the newest update; it is never nil.
func (s *Session) Latest() *Update { return s.core.Latest() }

// Changed receives a value after Latest changed; values are merged while nobody reads.
func (s *Session) Changed() <-chan struct{} { return s.changed }

// Over is closed when Run has returned.
func (s *Session) Over() <-chan struct{} { return s.over }

// Log is the game so far, for a log file. It may be called once Run has returned.
func (s *Session) Log() (charter []byte, entries []*feed.Signed) { return s.core.Log() }

// State is the public state. It may be called once Run has returned.
func (s *Session) State() *table.State { return s.core.State() }
