package sim

import (
	"errors"
	"runtime/debug"
	"time"

	"alibi/cmd/internal/session"
	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/game/bot"
	"alibi/game/seat"
	"alibi/game/table"
	"alibi/p2p/node"
	"alibi/p2p/replica"
	"alibi/p2p/store"
)

// peer is one player's computer, or a spectator's: what outlives the program,
// and the program while it runs.
type peer struct {
	w      *World
	name   string
	index  int // among the peers
	seat   int // or session.Spectator
	key    identity.Key
	secret *seat.Secret
	dice   *dice
	disk   *disk // nil of a spectator
	table  feed.Hash
	habits habits
	rogue  *rogue // nil of an honest peer
	skew   time.Duration
	leaves bool // for good, once it is down

	// Of the running program.
	life     int // grows with every crash: what an earlier program planned is void
	up       bool
	thaw     time.Duration // asleep until then
	core     *session.Core
	book     *replica.Book
	repeats  []*replica.Repeats // by index
	ends     []*end             // by index
	heard    []time.Duration    // by index; negative is never
	links    []uint16           // by seat
	presence []node.Presence    // by seat
	began    time.Duration
	early    []node.Arrival
	repeated int // calls that had something repeated
	ripened  [2]int
	nag      nagging
	look     time.Duration
	checking bool
	alarm    time.Duration
	deciding bool

	finished bool
	torn     bool         // the power went in a step: what it holds is more than was looked at
	seen     *table.State // when it was last looked at
	chain    []feed.Hash  // hash of everything before each round, the open one included
	gone     []bool       // who had left when the chain was last looked at
	moved    time.Duration
	quit     int // the life, counted from 1, in which it gave the game up
}

// honest reports whether the peer keeps to the protocol and has a seat.
func (p *peer) honest() bool { return p.rogue == nil && p.seat >= 0 }

// time is what the peer's own clock shows.
func (p *peer) time() time.Time { return epoch.Add(p.w.now + p.skew) }

func (p *peer) frozen() bool { return p.thaw > p.w.now }

// plan plans something for this program: it happens when the computer is awake,
// and never after a crash.
func (p *peer) plan(at time.Duration, do func()) {
	life := p.life
	var run func()
	run = func() {
		switch {
		case p.life != life || !p.up:
		case p.frozen():
			p.w.at(p.thaw, run)
		default:
			do()
		}
	}
	p.w.at(at, run)
}

// slowness is how long it takes until an entry is looked at.
func (p *peer) slowness() time.Duration { return p.dice.between(0, p.habits.slow) }

// boot starts the program.
func (p *peer) boot() {
	w := p.w
	if p.up || p.leaves && p.life > 0 {
		return
	}
	n := len(w.peers)
	p.up, p.began, p.thaw = true, w.now, 0
	p.book, p.core = replica.NewBook(), nil
	p.repeats, p.ends, p.heard = make([]*replica.Repeats, n), make([]*end, n), make([]time.Duration, n)
	for i := range n {
		p.repeats[i], p.heard[i] = new(replica.Repeats), -1
	}
	p.links, p.presence = make([]uint16, w.set.seats), make([]node.Presence, w.set.seats)
	p.early, p.ripened, p.repeated, p.nag, p.look, p.alarm = nil, [2]int{}, 0, nagging{due: -1}, 0, 0
	p.checking, p.deciding = false, false
	p.presence, _ = p.judge()
	for i := range p.presence {
		p.presence[i].Since = p.time()
	}
	w.trace("%s starts", p.name)
	p.step("start", func() error {
		if err := p.load(); err != nil {
			return err
		}
		return p.core.Start()
	})
	p.recheck()
}

// load makes the core from what is kept.
func (p *peer) load() error {
	me := p.seat
	if p.rogue != nil && p.rogue.how.puppet != nil {
		me = session.Spectator
	}
	c := session.Config{
		Charter: p.w.charter, Me: me, Key: p.key, Secret: p.secret, Now: p.time, Rand: p.dice.fork(),
		Floor: p.habits.floor, Patience: p.habits.patience,
	}
	if p.habits.bot {
		c.Bot = new(bot.Bot)
		_, _ = p.dice.Read(c.Bot.Seed[:])
		c.Pause = func() time.Duration { return p.dice.between(0, p.habits.pause) }
	}
	if p.disk != nil {
		kept, err := p.disk.Load(p.table)
		if errors.Is(err, store.ErrUnknown) {
			_, err = p.disk.Begin(p.w.charter, p.seat, p.secret.Bytes())
			kept = &store.Game{}
		}
		if err != nil {
			return err
		}
		if c.Kept, c.Store = kept.Log, p.disk; p.rogue != nil {
			c.Kept = p.rogue.kept(c.Kept)
		}
		if kept.Finished {
			c.Store = nil
		}
	}
	core, err := session.NewCore(c, p)
	if err == nil {
		p.core = core
		p.w.law.after(p)
	}
	return err
}

// step lets something happen in the program and draws the consequences.
func (p *peer) step(what string, do func() error) {
	if !p.up {
		return
	}
	err, power := p.guarded(do)
	switch {
	case power:
		p.w.count("crashes in a step", 1)
		p.torn = true
		p.die("loses its power", false)
	case err != nil:
		if p.rogue == nil && !errors.Is(err, errDisk) {
			p.w.fail("core", "%s cannot go on (%s): %v", p.name, what, err)
		}
		p.torn = true // what it did before that was not looked at
		p.die("stops: "+err.Error(), true)
	default:
		p.follow()
	}
}

// guarded runs do until it returns or the power goes. A panic of the program
// under test is a finding.
func (p *peer) guarded(do func() error) (err error, power bool) {
	defer func() {
		switch r := recover(); r.(type) {
		case nil:
		case crashed:
			power = true
		default:
			p.w.fail("panic", "%s: %v\n%s", p.name, r, debug.Stack())
		}
	}()
	return do(), false
}

// follow looks at what has become of the core.
func (p *peer) follow() {
	p.w.law.after(p)
	if p.rogue != nil {
		p.rogue.step()
	}
	if p.core.Finished() {
		p.finish()
		return
	}
	p.finished = false // it may turn out that the others ended the game without it
	if at := p.core.Deadline(); !at.IsZero() {
		p.alarmAt(at.Sub(epoch) - p.skew)
	}
	p.decide()
}

func (p *peer) alarmAt(at time.Duration) {
	if p.alarm > p.w.now && p.alarm <= at {
		return
	}
	p.alarm = at
	p.plan(at, func() {
		if p.alarm == at {
			p.alarm = 0
			p.step("wake", func() error { return p.core.Wake() })
		}
	})
}

// finish keeps what a game that is over consists of. The program stays open at
// its last page, and goes on to serve the others.
func (p *peer) finish() {
	if !p.finished {
		p.w.trace("%s has finished", p.name)
	}
	p.finished = true
	if err, power := p.guarded(p.core.Keep); power || err != nil {
		p.finished = false
		p.die("fails to finish", err != nil)
	}
}

// die ends the program; polite lets the system close its connections.
func (p *peer) die(how string, polite bool) {
	if !p.up {
		return
	}
	w := p.w
	w.trace("%s %s", p.name, how)
	for _, far := range w.peers {
		if e := p.ends[far.index]; e != nil {
			e.dead, p.ends[far.index] = true, nil
			if o := e.other; polite && !o.dead {
				w.after(w.latency(p, far), func() {
					if !o.dead {
						far.hangUp(p, false)
					}
				})
			}
		}
	}
	p.up, p.core, p.finished = false, nil, false
	p.life++
	if p.leaves {
		w.count("left for good", 1)
		return
	}
	w.after(w.dice.between(w.set.downLeast, w.set.downMost), p.boot)
}

// forget hangs up on everybody and forgets what was said over the connections: what
// is not on the disk has to come again.
func (p *peer) forget() {
	for _, far := range p.w.peers {
		p.hangUp(far, true)
	}
	p.book, p.early = replica.NewBook(), nil
	for i := range p.repeats {
		p.repeats[i] = new(replica.Repeats)
	}
}

// hand gives an entry to the program.
func (p *peer) hand(from *peer, e *feed.Signed) {
	p.w.arrived(p, e, false)
	p.step("arrival", func() error { return p.core.Arrive(node.Arrival{From: from.seat, Entry: e}) })
}
