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
	Over(over bool)
	Lacking() []int
	Flush(ctx context.Context) error
	Close()
}

// linger is how long a session whose game is over serves seats that lack the end
// of it; serveEvery is how often it looks whether one still does.
const (
	linger     = 20 * time.Second
	serveEvery = 200 * time.Millisecond
)

// Session is one game under way. Do, Ready, Drop, Abandon, Latest and Changed may
// be called from any goroutine; everything else belongs to the goroutine of Run.
type Session struct {
	core    *Core
	id      feed.Hash
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
	if c.Linger == 0 {
		c.Linger = linger
	}
	core, err := NewCore(c, c.Link)
	if err != nil {
		return nil, err
	}
	s := &Session{core: core, id: core.state.Table, todo: make(chan request), changed: make(chan struct{}, 1), over: make(chan struct{})}
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
	if err := s.core.Start(); err != nil {
		return err
	}
	for {
		if err := s.play(ctx); err != nil || !s.core.Finished() {
			return err
		}
		if err := s.serve(ctx); err != nil {
			return err
		}
		if s.core.Finished() {
			return s.finish(ctx)
		}
		link.Over(false)
	}
}

// play goes on until the game is over here.
func (s *Session) play(ctx context.Context) error {
	link, err := s.core.cfg.Link, error(nil)
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
	return err
}

// alarm rings when the core has something to do unasked.
func (s *Session) alarm() <-chan time.Time {
	at := s.core.Deadline()
	if at.IsZero() {
		return nil
	}
	return s.core.cfg.After(at.Sub(s.core.cfg.Now()))
}

// finish sees the last words off. What was found is final either way. A game of
// which somebody may lack the end stays in the store as it is, so that it can be
// taken up again to hand that on.
func (s *Session) finish(ctx context.Context) error {
	c := s.core
	flushed := c.cfg.Link.Flush(ctx)
	if late := s.late(); c.cfg.Store != nil && len(late) == 0 {
		if err := c.cfg.Store.Finish(c.state.Table); err != nil {
			return fmt.Errorf("session: closing the kept game: %w", err)
		}
	} else if len(late) > 0 && flushed == nil {
		flushed = ErrUndelivered
	}
	switch {
	case c.final:
		return ErrStopped
	case c.state.Abandoned:
		return ErrAbandoned
	case c.cfg.Me == Spectator:
		return nil
	case flushed != nil:
		return fmt.Errorf("session: handing the last entries on: %w", flushed)
	}
	return nil
}

// serve goes on to hear and to hand on, until everybody who stayed has the end of
// the game, or for a while; or until it turns out that the others have closed a
// round without this seat, and go on.
func (s *Session) serve(ctx context.Context) error {
	c, link := s.core, s.core.cfg.Link
	if err := c.keep(); err != nil {
		return err
	}
	link.Over(true)
	until := c.cfg.Now().Add(c.cfg.Linger)
	for c.Finished() && len(s.late()) > 0 && c.cfg.Now().Before(until) {
		select {
		case <-ctx.Done():
			return nil
		case a, ok := <-link.Arrivals():
			if !ok {
				return nil
			}
			if err := c.Arrive(a); err != nil {
				return err
			}
			if err := c.keep(); err != nil {
				return err
			}
		case r := <-s.todo:
			r.done <- ErrOver
		case <-link.PresenceChanged():
			c.show()
		case <-c.cfg.After(serveEvery):
		}
	}
	return nil
}

// late lists the seats at the table that may lack the end of the game. A seat
// that stands convicted is not waited for.
func (s *Session) late() []int {
	c := s.core
	if c.cfg.Me == Spectator {
		return nil
	}
	var out []int
	for _, i := range c.cfg.Link.Lacking() {
		if _, blamed := c.blamed[i]; !blamed && c.log.Present(i) {
			out = append(out, i)
		}
	}
	return out
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

// ID names the game: the hash of its charter.
func (s *Session) ID() feed.Hash { return s.id }

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
