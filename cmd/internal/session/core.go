package session

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/game/bot"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
	"alibi/game/view"
	"alibi/p2p/node"
	"alibi/p2p/store"
)

// Port is how a core's entries reach the other seats: node.Game, or a simulated
// one.
type Port interface {
	Publish(entries ...*feed.Signed)
	Early(a node.Arrival)
	Resync(seat int)
	Repeat(seat int, entries ...*feed.Signed)
	Forget(which func(*feed.Signed) bool)
	Presence() []node.Presence
}

// Spectator is Config.Me of somebody without a seat.
const Spectator = view.Spectator

// Config of a session.
type Config struct {
	// Charter is the encoded charter, Me the own seat in it, or Spectator.
	Charter []byte
	Me      int
	// Key signs; it is the identity of seat Me.
	Key identity.Key
	// Secret is what the charter's commitment of seat Me is to.
	Secret *seat.Secret
	// Kept is the log of an earlier run of the same game, in order.
	Kept []*feed.Signed
	// Store keeps every entry before the own one that builds on it is sent; nil
	// keeps nothing, for a spectator.
	Store store.Store
	// Link carries entries.
	Link Link
	// Bot, when set, decides for the seat.
	Bot *bot.Bot
	// Yields has the seat give the game up once all others want to: it belongs to
	// nobody.
	Yields bool
	// Wait holds the first shuffle back until Ready is called, so that people
	// can compare the table's words first.
	Wait bool
	// Pause is how long a bot thinks, drawn anew each time and whatever it
	// holds; nil is no time at all.
	Pause func() time.Duration
	// Floor is the time from a decided answer to its sending, longer than any
	// answer takes to prove, so that the time tells nothing of the hand.
	Floor time.Duration
	// Patience is how long a seat may be away, or over its time, before this one
	// moves to go on without it unasked; 0 leaves that to the player.
	Patience time.Duration
	// Linger is how long the session of a game that is over serves seats which may
	// lack the end of it; 0 is 20 seconds.
	Linger time.Duration
	// Now and After are the clock; nil are time.Now and time.After.
	Now   func() time.Time
	After func(time.Duration) <-chan time.Time
	// Rand supplies randomness for proofs.
	Rand io.Reader
}

// Core is one game under way as a plain state machine: no goroutine, no socket,
// no clock of its own. Whatever happens is told to it by a call, and each call
// does all that follows from it before it returns. Session runs one; the
// simulation runs a whole table of them.
//
// Every method returns an error only if the game cannot go on here at all, such
// as when the disk is full: then nothing more is sent.
type Core struct {
	cfg  Config
	port Port // mute until Start
	live Port
	seat *seat.Seat // nil without a seat
	log  *feed.Log
	// state is that of the open round, states those of all rounds up to it.
	state  *table.State
	states []*table.State
	ready  bool
	unkept []*feed.Signed // accepted, not yet in the store

	faulty  bool // the open round is complete and cannot be closed as it is
	judged  bool // it is complete, and its faults are known
	final   bool // a fault was found that the table does not survive
	blamed  map[int]table.Fault
	past    []table.Fault               // of those that the table has gone on without
	odd     map[feed.Place]*feed.Signed // on top of another history
	trouble *Trouble
	// evidence holds entries that convict their author and have no place in the log.
	evidence []*feed.Signed
	// spare holds what was said after a round that was opened again.
	spare []*feed.Signed
	// said holds every word that this seat has kept, of branches that were left too:
	// a second one for a place would convict it.
	said map[feed.Place]*feed.Signed
	// spoke are the rounds for which it has signed anything, be it a ballot.
	spoke map[uint32]bool
	asks  []ask // motions for rounds that this seat closed otherwise
	moved map[ask]time.Time
	drop  uint16 // seats that the player wants to go on without
	quit  bool   // the player wants to abandon the game
	steps []Step

	queued  *feed.Signed // made, waiting for release
	release time.Time
	opened  time.Time // when the open round began
	looked  time.Time // when what was due was last done
	voted   time.Time // when this seat last voted for something
	later   time.Time // when there will be something to vote on, zero for never

	broken error // why nothing may be sent any more
	latest atomic.Pointer[Update]
	news   func() // called after latest has changed
}

// Errors of a session.
var (
	// ErrStopped ends a game in which a fault was found.
	ErrStopped = errors.New("session: the game has stopped")
	// ErrAbandoned ends a game that those who were there gave up.
	ErrAbandoned = errors.New("session: the game was abandoned")
	// ErrOver refuses an action after the end.
	ErrOver = errors.New("session: the game is over")
	// ErrWaiting refuses an action while the last one is on its way.
	ErrWaiting = errors.New("session: your last answer is on its way")
	// ErrKept means that what was kept of a game contradicts itself.
	ErrKept = errors.New("session: the kept log does not fit together")
)

// NewCore sets a game up from its charter and what was kept of it. port may
// still do nothing: Start is the first to use it.
func NewCore(c Config, port Port) (*Core, error) {
	st, err := table.New(c.Charter)
	if err != nil {
		return nil, err
	}
	if err := shown(st.Edition); err != nil {
		return nil, err
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if port == nil {
		port = mute{}
	}
	core := &Core{
		cfg: c, port: mute{}, live: port, state: st, states: []*table.State{st},
		log:   feed.NewLog(c.Charter, st.Charter.IDs(), int(st.Charter.Leavers)),
		ready: !c.Wait, blamed: map[int]table.Fault{}, odd: map[feed.Place]*feed.Signed{},
		said: map[feed.Place]*feed.Signed{}, spoke: map[uint32]bool{}, moved: map[ask]time.Time{},
		opened: c.Now(),
	}
	if c.Me != Spectator {
		if err := core.sit(st); err != nil {
			return nil, err
		}
	}
	for i := range c.Kept {
		if err := core.restore(c.Kept, i); err != nil {
			return nil, err
		}
	}
	core.show()
	return core, nil
}

func (c *Core) sit(st *table.State) error {
	me, id := c.cfg.Me, c.cfg.Key.ID()
	if me < 0 || me >= st.Seats() || st.Charter.Seats[me].ID != id {
		return fmt.Errorf("session: the charter does not seat this identity at %d", me)
	}
	if st.Charter.Seats[me].Commitment != c.cfg.Secret.Commitment(id, st.Seats(), int(st.Charter.Leavers)) {
		return errors.New("session: the charter commits this seat to other keys")
	}
	c.seat = seat.New(c.cfg.Secret, me, c.cfg.Rand)
	return nil
}

// Start goes on with the game: what was kept is shown to the others, and what is
// due is made.
func (c *Core) Start() error {
	c.port = c.live
	c.port.Publish(c.log.Entries()...)
	// Evidence goes first: who is asked to vote must know by then what for.
	c.tell(c.evidence...)
	c.tell(c.log.Ballots()...)
	c.opened = c.cfg.Now()
	return c.advance()
}

// Arrive takes one entry from a peer. A game that is over goes on to hear of
// motions: whoever voted for one waits for a word, and it may be that the others
// closed the last rounds without this seat.
func (c *Core) Arrive(a node.Arrival) error {
	if c.final {
		return nil
	}
	verdict, err := c.log.Offer(a.Entry)
	switch {
	case err != nil && c.Finished():
		c.witness(err)
		return nil
	case err != nil:
		c.refuse(a.Entry, err)
	case verdict == feed.Early && !c.there() && c.log.Rebase(a.Entry):
		c.rejudge()
		c.port.Early(a)
	case verdict == feed.Early:
		c.port.Early(a)
		return nil
	case verdict == feed.Added:
		c.unkept = append(c.unkept, a.Entry)
		c.took(a.Entry)
		if _, ballot := a.Entry.Ballot(); ballot {
			// Somebody may wait for it whom its author can tell no more.
			if err := c.keep(); err != nil {
				return err
			}
			c.tell(a.Entry)
			c.remind(a)
		} else {
			c.port.Publish(a.Entry)
		}
	default:
		c.remind(a)
		return nil
	}
	return c.advance()
}

// remind says every no once more to somebody who still votes on a round that is
// closed here: it may wait for one that it has missed, be it on another motion and
// of a seat that has left since.
func (c *Core) remind(a node.Arrival) {
	e := a.Entry
	b, ballot := e.Ballot()
	if !ballot || !b.Yes || c.cfg.Me == Spectator || e.Round >= c.log.Round() || a.From != int(e.Seat) {
		return
	}
	for _, v := range c.log.Ballots() {
		if v.Round == e.Round && v.Game == e.Game && !yes(v) {
			c.port.Repeat(a.From, v)
		}
	}
}

// took follows up an entry that the log has taken.
func (c *Core) took(e *feed.Signed) {
	if odd := c.odd[e.Place()]; odd != nil {
		c.convict(table.RuleFork, e, odd)
	}
	b, ballot := e.Ballot()
	if !ballot {
		c.drop &^= 1 << e.Seat // it is back
		return
	}
	if b.Yes {
		c.note(e)
	}
	if e.Round < c.log.Round() && b.Yes {
		c.asks = append(c.asks, ask{e.Game, e.Round, b.Motion})
	}
	if round, over := c.log.Overruled(c.cfg.Me); over {
		c.reopen(round)
		c.spare = nil // of a branch that nobody who stays is on
	}
}

// Do carries a decision of the player out. A refusal changes nothing and says
// why.
func (c *Core) Do(a seat.Action) error {
	if c.Finished() {
		return ErrOver
	}
	if c.spoken() {
		return ErrWaiting
	}
	var release time.Time
	if c.state.Phase() == rules.Answering && c.cfg.Floor > 0 {
		release = c.cfg.Now().Add(c.cfg.Floor)
	}
	if err := c.queue(a, release); err != nil {
		return err
	}
	switch a.(type) {
	case seat.Ask, seat.Accuse:
		c.quit = false // it plays on
	}
	return c.advance()
}

// Ready says that the table's words were compared and the cards may be shuffled.
func (c *Core) Ready() error {
	c.ready = true
	return c.advance()
}

// Wake does what was due by now.
func (c *Core) Wake() error { return c.advance() }

// Deadline is when Wake is to be called at the latest; the zero time is never. It
// has passed already if something has come due since what was due was done.
func (c *Core) Deadline() time.Time {
	var next time.Time
	for _, at := range append(c.patience(), c.timeout(), c.release, c.later) {
		if at.After(c.looked) && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next
}

// Finished reports whether the game is over here. Of one that was not stopped by
// a fault, it may still turn out that the others ended it without this seat.
func (c *Core) Finished() bool {
	return c.final || c.state.Abandoned || c.state.Stage == table.Playing && c.state.Phase() == rules.Over
}

// advance does whatever follows: votes, closes rounds, makes what this seat
// owes, until it has to wait for somebody.
func (c *Core) advance() error {
	c.looked = c.cfg.Now()
	for !c.final {
		before, held := c.state, len(c.blamed)
		if err := c.vote(); err != nil {
			return err
		}
		if c.state != before {
			continue // a round was opened again, in which there is something to vote for
		}
		if c.Finished() {
			break
		}
		if err := c.fold(); err != nil {
			return err
		}
		if c.Finished() {
			break
		}
		if err := c.speak(); err != nil {
			return err
		}
		if c.state == before && len(c.blamed) == held && !c.closable() {
			break
		}
	}
	c.show()
	return nil
}

// keep makes all that was accepted durable.
func (c *Core) keep() error {
	if len(c.unkept) == 0 || c.cfg.Store == nil {
		c.unkept = nil
		return nil
	}
	if c.broken != nil {
		return c.broken
	}
	if err := c.cfg.Store.Append(c.state.Table, c.unkept...); err != nil {
		c.broken = fmt.Errorf("session: keeping the game: %w", err)
		return c.broken
	}
	c.unkept = nil
	return nil
}

// Broken is why the game cannot go on here, nil while it can.
func (c *Core) Broken() error { return c.broken }

// Log is the game so far: charter and entries in order.
func (c *Core) Log() (charter []byte, entries []*feed.Signed) {
	return c.log.Charter(), c.log.Entries()
}

// State is the public state of the open round.
func (c *Core) State() *table.State { return c.state }

// Evidence lists entries that convict their authors and have no place in the log.
func (c *Core) Evidence() []*feed.Signed {
	in := map[*feed.Signed]bool{}
	for _, e := range c.log.Entries() {
		in[e] = true
	}
	var out []*feed.Signed
	for _, e := range c.evidence {
		if !in[e] {
			out = append(out, e)
		}
	}
	return out
}

// Latest is the newest update; it is never nil.
func (c *Core) Latest() *Update { return c.latest.Load() }
