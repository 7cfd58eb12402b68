package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"alibi/cmd/internal/session"
	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/p2p/replica"
	"alibi/p2p/store"
)

// limit is how long a game may take: two hours after the last fault.
const limit = 2 * time.Hour

// grace is how long all must have finished for nothing more to come.
const grace = time.Minute

// busy is how many events may happen at one instant.
const busy = 2000

// storm is how many events are more than any game needs, two hours of waiting included.
const storm = 1_000_000

// World is one run: a table, its network and its disks.
type World struct {
	clock
	seed    uint64
	set     setting
	dice    *dice // of network and faults
	charter []byte
	peers   []*peer // seats first
	apart   []int   // two seats that can never reach each other, if any
	blocked [][]int
	law     *law
	counts  map[string]int
	failure *Failure
	tracing bool
	lines   []string
}

// Failure is a broken invariant.
type Failure struct {
	Invariant string
	Text      string
	At        time.Duration
}

func (f *Failure) Error() string {
	return fmt.Sprintf("%s, after %v: %s", f.Invariant, f.At.Round(time.Millisecond), f.Text)
}

// fail notes the first broken invariant; the run ends there.
func (w *World) fail(invariant, format string, args ...any) {
	if w.failure == nil {
		w.failure = &Failure{invariant, fmt.Sprintf(format, args...), w.now}
		w.trace("BROKEN: %s: %s", invariant, w.failure.Text)
	}
}

func (w *World) count(what string, n int) { w.counts[what] += n }

func (w *World) trace(format string, args ...any) {
	if w.tracing {
		w.lines = append(w.lines, fmt.Sprintf("%12s ", w.now.Round(time.Microsecond))+fmt.Sprintf(format, args...))
	}
}

// faulty reports whether faults may still happen.
func (w *World) faulty() bool { return w.now < w.set.calm }

// latency draws how long a packet takes.
func (w *World) latency(from, to *peer) time.Duration {
	d := w.dice.between(w.set.latency/4, w.set.latency)
	if w.faulty() && w.dice.chance(2) {
		d += w.dice.between(0, 3*time.Second) // lost, and sent again
	}
	return d
}

// newWorld sets a run up.
func newWorld(seed uint64, kind string, tracing bool) (*World, error) {
	all := newDice(seed)
	w := &World{seed: seed, set: draw(all.fork(), kind), dice: all.fork(), counts: map[string]int{}, tracing: tracing}
	w.law = newLaw(w)
	s := &w.set
	if what, _, _ := strings.Cut(kind, ":"); !slices.Contains(kinds, what) || what == kindCheat && s.strategy == nil {
		return nil, fmt.Errorf("sim: there are no games of kind %q", kind)
	}
	e, _ := rules.Lookup(s.edition)
	terms, err := move.EncodeTerms(e, s.options)
	if err != nil {
		return nil, err
	}
	charter := feed.Charter{Name: "simulated", Terms: terms, Leavers: uint8(s.leavers)}
	for i := range s.seats + s.spectators {
		p := &peer{w: w, index: i, seat: i, name: fmt.Sprint("seat ", i), dice: all.fork()}
		p.skew = p.dice.between(-time.Hour, time.Hour)
		p.habits = s.habit(p.dice)
		w.peers = append(w.peers, p)
		if i >= s.seats {
			p.seat, p.name = session.Spectator, fmt.Sprint("spectator ", i)
			continue
		}
		if p.key, err = identity.NewKey(p.dice); err != nil {
			return nil, err
		}
		if p.secret, err = seat.Draw(p.dice); err != nil {
			return nil, err
		}
		charter.Seats = append(charter.Seats, feed.Seat{
			Name: p.name, ID: p.key.ID(), Commitment: p.secret.Commitment(p.key.ID(), s.seats, s.leavers),
		})
		p.disk = &disk{Store: store.NewMemory(), peer: p}
	}
	w.habits(all.fork())
	w.hire(all.fork(), &charter)
	if w.charter, err = charter.Encode(); err != nil {
		return nil, err
	}
	n := len(w.peers)
	for _, p := range w.peers {
		p.table = feed.TableHash(w.charter)
		p.ends, p.heard, p.book = make([]*end, n), make([]time.Duration, n), replica.NewBook()
		w.blocked = append(w.blocked, make([]int, n))
	}
	return w, nil
}

// habits draws what has to be the same at all seats for a table to come to an
// end: whether people give a game up in which nothing happens.
func (w *World) habits(d *dice) {
	quits := time.Duration(0)
	if d.chance(60) {
		quits = d.between(3*time.Minute, 10*time.Minute)
	}
	for _, p := range w.peers {
		if p.habits.quits = quits; quits > 0 {
			p.habits.quits += p.dice.between(0, time.Minute)
		}
	}
}

// start lets everybody come to the table.
func (w *World) start() {
	for _, p := range w.peers {
		w.after(w.dice.between(0, 3*time.Second), p.boot)
		w.after(w.dice.between(0, 20*time.Second), p.mind)
	}
	for i, a := range w.peers {
		for _, b := range w.peers[:i] {
			if a.seat >= 0 || b.seat >= 0 {
				w.keep(b, a, firstRetry)
			}
		}
	}
	w.beginFaults()
}

// play runs until everybody has finished, or time is over, or something is wrong.
func (w *World) play() {
	w.start()
	since, last, still := time.Duration(-1), time.Duration(-1), 0
	for w.failure == nil && w.now < w.set.calm+limit && w.tick() {
		if w.now > last {
			last, still = w.now, 0
		}
		still++
		switch {
		case still > busy:
			w.fail("no busy loop", "time stands still: %s", w.law.standing())
		case w.seq > storm:
			w.fail("no storm", "%d things have happened: %s", w.seq, w.law.standing())
		case !w.law.settled():
			since = -1
		case since < 0:
			since = w.now
		case w.now-since > grace:
			since = -2
		}
		if since == -2 {
			break
		}
	}
	if w.failure == nil {
		w.law.end()
	}
}
