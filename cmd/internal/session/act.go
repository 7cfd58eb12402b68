package session

import (
	"alibi/crypto/feed"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
	"context"
	"time"
)

// Do carries a decision of the player out. A refusal changes nothing and says
// why.
func (s *Session) Do(ctx context.Context, a seat.Action) error { return s.ask(ctx, a) }

// Ready says that the table's words were compared and the cards may be shuffled.
func (s *Session) Ready(ctx context.Context) error { return s.ask(ctx, nil) }

func (s *Session) ask(ctx context.Context, a seat.Action) error {
	r := request{action: a, done: make(chan error, 1)}
	select {
	case s.todo <- r:
		return <-r.done
	case <-s.over:
		return ErrOver
	case <-ctx.Done():
		return ctx.Err()
	}
}

// spoken reports whether this seat was due and has said its word in the open
// round, so that a second one would convict it.
func (s *Session) spoken() bool {
	if s.queued != nil {
		return true
	}
	due, _ := s.seat.Due(s.state)
	return due && !s.log.Owes(s.cfg.Me)
}

func (s *Session) perform(r request) error {
	if r.action == nil {
		s.ready = true
		return nil
	}
	if s.spoken() {
		return ErrWaiting
	}
	var release <-chan time.Time
	if s.state.Phase() == rules.Answering && s.cfg.Floor > 0 {
		release = s.cfg.After(s.cfg.Floor)
	}
	return s.queue(r.action, release)
}

// Latest is the newest update; it is never nil.
func (s *Session) Latest() *Update { return s.latest.Load() }

// Changed receives a value after Latest changed; values are merged while nobody reads.
func (s *Session) Changed() <-chan struct{} { return s.changed }

// Over is closed when Run has returned.
func (s *Session) Over() <-chan struct{} { return s.over }

// Log is the game so far, for a log file. It may be called once Run has returned.
func (s *Session) Log() (charter []byte, entries []*feed.Signed) {
	return s.log.Charter(), s.log.Entries()
}

// State is the public state. It may be called once Run has returned.
func (s *Session) State() *table.State { return s.state }
