// Package session is where the two wings meet: one goroutine that owns the
// State of one game, folds what arrives, makes what the own seat owes, keeps it
// before it is sent, and publishes a View after every change. Peer is what
// leads up to it: a node, a store and a seat at a table.
//
// Faces (command line, terminal, browser) read Updates and call Do; they see no
// key, no socket and no log entry.
package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/game/bot"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
	"alibi/game/view"
	"alibi/p2p/node"
	"alibi/p2p/store"
)

// Link is how entries reach the other seats: node.Game, or a simulated one.
type Link interface {
	Arrivals() <-chan node.Arrival
	Publish(entries ...*feed.Signed)
	Early(a node.Arrival)
	Resync(seat int)
	Repeat(seat int, entries ...*feed.Signed)
	Presence() []node.Presence
	PresenceChanged() <-chan struct{}
	Flush(ctx context.Context) error
	Close()
}

// Config of a session.
type Config struct {
	// Charter is the encoded charter, Me the own seat in it.
	Charter []byte
	Me      int
	// Key signs; it is the identity of seat Me.
	Key identity.Key
	// Secret is what the charter's commitment of seat Me is to.
	Secret *seat.Secret
	// Kept is the log of an earlier run of the same game, in order.
	Kept []*feed.Signed
	// Store keeps every entry before the own one that builds on it is sent.
	Store store.Store
	// Link carries entries.
	Link Link
	// Bot, when set, decides for the seat.
	Bot *bot.Bot
	// Wait holds the first shuffle back until Ready is called, so that people
	// can compare the table's words first.
	Wait bool
	// Pause is how long a bot thinks, drawn anew each time and whatever it
	// holds; nil is no time at all.
	Pause func() time.Duration
	// Floor is the time from a decided answer to its sending, longer than any
	// answer takes to prove, so that the time tells nothing of the hand.
	Floor time.Duration
	// After is the clock; nil is time.After.
	After func(time.Duration) <-chan time.Time
	// Rand supplies randomness for proofs.
	Rand io.Reader
}

// Session is one game under way. Do, Ready, Latest and Changed may be called
// from any goroutine; everything else belongs to the goroutine of Run.
type Session struct {
	cfg     Config
	state   *table.State
	log     *feed.Log
	seat    *seat.Seat
	ready   bool
	unkept  []*feed.Signed         // accepted, not yet in the store
	odd     map[place]*feed.Signed // on top of another history
	trouble *Trouble
	// evidence holds entries that convict their author and have no place in the log.
	evidence []*feed.Signed
	steps    []Step

	queued  *feed.Signed // made, waiting for release
	release <-chan time.Time

	todo    chan request
	latest  atomic.Pointer[Update]
	changed chan struct{}
	over    chan struct{}
}

type request struct {
	action seat.Action // nil means ready
	done   chan error
}

// Errors of a session.
var (
	// ErrStopped ends a game in which a fault was found.
	ErrStopped = errors.New("session: the game has stopped")
	// ErrOver refuses an action after the end.
	ErrOver = errors.New("session: the game is over")
	// ErrWaiting refuses an action while the last one is on its way.
	ErrWaiting = errors.New("session: your last answer is on its way")
)

// New sets a game up from its charter and what was kept of it.
func New(c Config) (*Session, error) {
	st, err := table.New(c.Charter)
	if err != nil {
		return nil, err
	}
	if c.Me < 0 || c.Me >= st.Seats() || st.Charter.Seats[c.Me].ID != c.Key.ID() {
		return nil, fmt.Errorf("session: the charter does not seat this identity at %d", c.Me)
	}
	if st.Charter.Seats[c.Me].Commitment != c.Secret.Commitment(c.Key.ID()) {
		return nil, errors.New("session: the charter commits this seat to other keys")
	}
	if c.After == nil {
		c.After = time.After
	}
	s := &Session{
		cfg: c, state: st, log: feed.NewLog(c.Charter, st.Charter.IDs(), int(st.Charter.Leavers)),
		seat: seat.New(c.Secret, c.Me, c.Rand), ready: !c.Wait,
		odd:  map[place]*feed.Signed{},
		todo: make(chan request), changed: make(chan struct{}, 1), over: make(chan struct{}),
	}
	for _, e := range c.Kept {
		if err := s.restore(e); err != nil {
			return nil, err
		}
	}
	s.show()
	return s, nil
}

// restore folds one kept entry.
func (s *Session) restore(e *feed.Signed) error {
	verdict, err := s.log.Offer(e)
	if err != nil {
		return fmt.Errorf("session: kept log, round %d: %w", e.Round, err)
	}
	if verdict == feed.Early {
		return fmt.Errorf("session: kept log: round %d is missing before round %d", s.log.Round(), e.Round)
	}
	return s.fold()
}

// Run plays until the game is over, a fault stops it, or ctx ends. It returns
// nil when the game came to its end, ErrStopped when it did not.
func (s *Session) Run(ctx context.Context) error {
	defer close(s.over)
	defer s.cfg.Link.Close()
	s.cfg.Link.Publish(s.log.Entries()...)
	for {
		if err := s.advance(); err != nil {
			return err
		}
		s.show()
		if s.finished() {
			return s.finish(ctx)
		}
		select {
		case <-ctx.Done():
			return s.keep()
		case a, ok := <-s.cfg.Link.Arrivals():
			if !ok {
				return errors.Join(s.keep(), errors.New("session: the connection to the table was closed"))
			}
			s.arrive(a)
		case r := <-s.todo:
			err := s.perform(r)
			s.show() // so that whoever asked finds it done
			r.done <- err
		case <-s.release:
			s.release = nil
		case <-s.cfg.Link.PresenceChanged():
		}
	}
}

func (s *Session) finished() bool {
	return s.state.Stopped() || s.state.Stage == table.Playing && s.state.Phase() == rules.Over
}

// finish sees the last words off. What was found is final either way.
func (s *Session) finish(ctx context.Context) error {
	if err := s.keep(); err != nil {
		return err
	}
	flushed := s.cfg.Link.Flush(ctx)
	if s.state.Stopped() {
		return ErrStopped
	}
	if err := s.cfg.Store.Finish(s.state.Table); err != nil {
		return fmt.Errorf("session: closing the kept game: %w", err)
	}
	if flushed != nil && ctx.Err() == nil {
		return fmt.Errorf("session: handing the last entries on: %w", flushed)
	}
	return nil
}

// arrive takes one entry from a peer.
func (s *Session) arrive(a node.Arrival) {
	if s.state.Stopped() {
		return
	}
	verdict, err := s.log.Offer(a.Entry)
	switch {
	case err != nil:
		s.refuse(a, err)
	case verdict == feed.Early:
		s.cfg.Link.Early(a)
	case verdict == feed.Added:
		s.unkept = append(s.unkept, a.Entry)
		s.cfg.Link.Publish(a.Entry)
		s.compare(a.Entry)
	}
}

// advance folds complete rounds and makes what this seat owes, until it has to
// wait for somebody.
func (s *Session) advance() error {
	for !s.state.Stopped() {
		before := s.state.Round
		if err := s.fold(); err != nil {
			return err
		}
		if err := s.speak(); err != nil {
			return err
		}
		if s.state.Round == before && !s.log.Complete() {
			break
		}
	}
	return nil
}

func (s *Session) fold() error {
	for s.log.Complete() && !s.state.Stopped() {
		s.apply()
		if s.state.Stopped() {
			s.expose()
			return nil
		}
		if _, err := s.log.Close(s.state.Game, s.state.Speakers()); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) apply() {
	before, began := s.state, time.Now()
	s.state = table.Apply(before, s.log.Open())
	s.steps = append(s.steps, Step{
		Round: before.Round, Stage: before.Stage, Seats: before.Speakers(),
		Proofs: s.state.Proofs.Total() - before.Proofs.Total(), Took: time.Since(began),
	})
}

// speak makes and sends the entry that is due, if it can be made now.
func (s *Session) speak() error {
	if s.queued != nil {
		return s.send()
	}
	due, decide := s.seat.Due(s.state)
	switch {
	case !due || !s.log.Owes(s.cfg.Me) || s.trouble != nil:
		return nil
	case s.state.Stage >= table.Sorting && !s.ready:
		return nil
	case decide && s.cfg.Bot == nil:
		return nil
	}
	var want seat.Action
	var release <-chan time.Time
	if decide {
		if s.cfg.Pause != nil {
			release = s.cfg.After(s.cfg.Pause())
		}
		want = s.cfg.Bot.Decide(view.For(s.state, s.seat))
	}
	if err := s.queue(want, release); err != nil {
		return err
	}
	return s.send()
}

// queue makes the entry that this seat owes and holds it until release, nil for
// at once. The clock runs already, so that how long the proof takes is hidden.
func (s *Session) queue(want seat.Action, release <-chan time.Time) error {
	m, err := s.seat.Answer(s.state, want)
	if err != nil {
		return err
	}
	kind, body, err := move.Encode(m)
	if err != nil {
		return err
	}
	e := s.log.Template(s.cfg.Me)
	e.Kind, e.Body = uint8(kind), body
	sealed, err := feed.Seal(s.cfg.Key, e)
	if err != nil {
		return err
	}
	if faults := table.Judge(s.state, sealed); len(faults) > 0 {
		return fmt.Errorf("session: own entry would be %s", faults[0].Rule)
	}
	s.queued, s.release = sealed, release
	return nil
}

// send keeps the queued entry and everything it builds on, then lets it go.
func (s *Session) send() error {
	if s.release != nil || s.trouble != nil {
		return nil
	}
	e := s.queued
	s.queued = nil
	if _, err := s.log.Offer(e); err != nil {
		return fmt.Errorf("session: own entry: %w", err)
	}
	s.unkept = append(s.unkept, e)
	if err := s.keep(); err != nil {
		return err
	}
	s.cfg.Link.Publish(e)
	return nil
}

// keep makes all that was accepted durable.
func (s *Session) keep() error {
	if len(s.unkept) == 0 {
		return nil
	}
	if err := s.cfg.Store.Append(s.state.Table, s.unkept...); err != nil {
		return fmt.Errorf("session: keeping the game: %w", err)
	}
	s.unkept = nil
	return nil
}
