package sim

import (
	"bytes"
	"crypto/sha256"
	"slices"

	"alibi/crypto/feed"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
	"alibi/game/view"
)

// strategy is one way to cheat. A cheat runs an honest program and changes what
// leaves it, or says more than it does.
type strategy struct {
	name string
	says string // what it does, in a sentence
	// rules are what it must be convicted of once it has done it. With none it
	// cannot be convicted, and must not do any harm.
	rules []table.Rule
	// stalls says that the table may have to wait for the cheat, who cannot be
	// convicted and does not do what it owes.
	stalls bool
	// halves says that one half of the table hears nothing from it.
	halves bool
	fits   func(*setting) bool
	set    func(*setting, *dice)
	// puppet is a cheat whose keys are none that the program would take: it
	// follows without a seat, and says by hand what it says.
	puppet func(*rogue) feed.Hash
	// made is asked once about every entry that the cheat's own program makes,
	// before it leaves, with the state of the round that it is for.
	made func(r *rogue, st *table.State, e *feed.Signed)
	// then is asked after every step of the program.
	then func(r *rogue, st *table.State)
	// passes says whether an entry that is not its own is passed on.
	passes func(r *rogue, to *peer, e *feed.Signed) bool
}

// Conditions of strategies.
func mayLeave(s *setting) bool     { return s.leavers > 0 }
func hasHalves(s *setting) bool    { return s.seats > 2 }
func reckless(s *setting, _ *dice) { s.reckless = true }

// strategies are all there are, by theme.
var strategies = slices.Concat(encodings, keying, shuffling, sharing, answering, accusing, placing, splitting, voting, flooding)

// rogue is the program of a cheat.
type rogue struct {
	p    *peer
	w    *World
	dice *dice
	how  *strategy
	key  *seat.Seat // makes bodies, honest ones of states that are not

	half    []bool // by peer: which half of the table it is counted to
	seen    map[sum]bool
	instead map[sum]func(to *peer) []*feed.Signed
	swapped map[sum]*feed.Signed
	forged  map[sum]bool // what no honest program would have sent
	places  []feed.Place // of what it forged
	heard   map[sum]*hearing
	acts    int  // how often it has cheated
	late    bool // it began when the game was over for it
	memory  map[string]int
	stored  []*feed.Signed
}

// hire makes cheats of some peers.
func (w *World) hire(d *dice, charter *feed.Charter) {
	for _, i := range w.set.cheats {
		p := w.peers[i]
		r := &rogue{
			p: p, w: w, dice: d.fork(), how: w.set.strategy, key: seat.New(p.secret, i, d.fork()),
			seen: map[sum]bool{}, heard: map[sum]*hearing{}, instead: map[sum]func(*peer) []*feed.Signed{}, forged: map[sum]bool{}, swapped: map[sum]*feed.Signed{}, memory: map[string]int{},
		}
		order := slices.DeleteFunc(d.perm(w.set.seats), func(j int) bool { return j == i })
		r.half = make([]bool, len(w.peers))
		for n, j := range order {
			r.half[j] = n < (len(order)+1)/2
		}
		if r.how.puppet != nil {
			charter.Seats[i].Commitment = r.how.puppet(r)
		}
		p.rogue = r
		w.count("cheats: "+r.how.name, 1)
	}
}

// mute reports whether the table may have to wait for this cheat. A puppet casts no
// ballots, not even to say no. Who talks to one half only may never reach that one.
func (r *rogue) mute() bool {
	talks := slices.ContainsFunc(r.w.peers, func(p *peer) bool {
		return p.honest() && !r.half[p.index] && !(slices.Contains(r.w.apart, p.seat) && slices.Contains(r.w.apart, r.p.seat))
	})
	return r.how.stalls || r.how.puppet != nil || r.how.halves && !talks
}

// published looks at what the program hands to its network.
func (r *rogue) published(entries []*feed.Signed) {
	for _, e := range entries {
		s := sumOf(e)
		if int(e.Seat) != r.p.seat || r.seen[s] {
			continue
		}
		r.seen[s] = true
		st := r.p.core.State()
		if r.how.made != nil && e.Round == st.Round && e.Prev == st.Prev {
			r.how.made(r, st, e)
		}
	}
}

// outgoing is what leaves in the place of an entry.
func (r *rogue) outgoing(to *peer, e *feed.Signed) [][]byte {
	out := []*feed.Signed{e}
	if int(e.Seat) != r.p.seat && r.how.passes != nil && !r.how.passes(r, to, e) {
		r.did()
		return nil
	}
	if instead := r.instead[sumOf(e)]; instead != nil {
		out = instead(to)
	}
	var raws [][]byte
	for _, x := range out {
		raws = append(raws, x.Raw())
	}
	return raws
}

// step lets the cheat do more than its program does.
func (r *rogue) step() {
	if r.how.then != nil && r.p.core != nil {
		r.how.then(r, r.p.core.State())
	}
}

// did notes that the cheat has cheated.
func (r *rogue) did() {
	if r.acts++; r.acts == 1 {
		r.late = r.p.core != nil && r.p.core.Finished()
		r.w.count("cheated: "+r.how.name, 1)
	}
}

// once reports whether to cheat now, in so many of a hundred cases, if it has not yet.
func (r *rogue) once(percent int) bool { return r.acts == 0 && r.dice.chance(percent) }

// forge notes entries that no honest program would have sent.
func (r *rogue) forge(entries ...*feed.Signed) {
	r.did()
	for _, e := range entries {
		r.forged[sumOf(e)] = true
		r.places = append(r.places, e.Place())
		r.w.trace("%s forges %s of round %d: %s", r.p.name, nameOf(e), e.Round, r.how.name)
	}
}

func nameOf(e *feed.Signed) string {
	if b, is := e.Ballot(); is {
		if b.Yes {
			return "yes"
		}
		return "no"
	}
	return move.Kind(e.Kind).String()
}

// swap sends everybody x for e; nil is a body that could not be made. The program
// of the cheat goes on as if it had said x, too.
func (r *rogue) swap(e, x *feed.Signed) {
	if x == nil {
		return
	}
	r.forge(x)
	r.instead[sumOf(e)] = func(*peer) []*feed.Signed { return []*feed.Signed{x} }
	r.instead[sumOf(x)] = r.instead[sumOf(e)]
	r.swapped[sumOf(e)] = x
	r.p.plan(r.w.now, func() {
		r.p.forget()
		r.p.step("reload", func() error {
			if err := r.p.load(); err != nil {
				return err
			}
			return r.p.core.Start()
		})
	})
}

// kept is what the cheat's program takes its own log to be. What it built on the
// word that it has changed since is gone from it.
func (r *rogue) kept(log []*feed.Signed) (out []*feed.Signed) {
	last := ^uint32(0)
	for _, e := range log {
		if x := r.swapped[sumOf(e)]; x != nil && e.Round <= last {
			e, last = x, e.Round
		}
		if e.Round <= last {
			out = append(out, e)
		}
	}
	return out
}

// split sends one half e and the other x.
func (r *rogue) split(e, x *feed.Signed) {
	if x == nil {
		return
	}
	r.forge(x)
	r.instead[sumOf(e)] = func(to *peer) []*feed.Signed {
		if r.half[to.index] {
			return []*feed.Signed{x}
		}
		return []*feed.Signed{e}
	}
}

// add sends x besides e.
func (r *rogue) add(e *feed.Signed, x ...*feed.Signed) {
	if slices.Contains(x, nil) {
		return // it cannot be signed like that
	}
	r.forge(x...)
	r.instead[sumOf(e)] = func(*peer) []*feed.Signed { return append([]*feed.Signed{e}, x...) }
}

// withhold sends e to one half only, or to nobody.
func (r *rogue) withhold(e *feed.Signed, all bool) {
	r.did()
	r.w.trace("%s withholds %s of round %d", r.p.name, nameOf(e), e.Round)
	r.instead[sumOf(e)] = func(to *peer) []*feed.Signed {
		if all || r.half[to.index] {
			return nil
		}
		return []*feed.Signed{e}
	}
}

// inject sends entries to everybody it is connected with, or to a half.
func (r *rogue) inject(half bool, entries ...*feed.Signed) {
	r.forge(entries...)
	for _, to := range r.w.peers {
		e := r.p.ends[to.index]
		if e == nil || e.plan == nil || half && !r.half[to.index] {
			continue
		}
		for _, x := range entries {
			r.w.law.signed(x.Raw())
			e.sent++
			e.post(message{kind: entry, raw: x.Raw()})
		}
	}
}

// hearing is who knows of something that a cheat has signed.
type hearing struct {
	what    *feed.Signed
	shown   map[*peer]int // the honest ones that it has reached, and in which life
	durable bool          // one of them has it on its disk
}

// known reports whether somebody honest still knows: it may have been lost with the
// memory of a computer, before it was kept or passed on.
func (h *hearing) known() bool {
	for p, life := range h.shown {
		if h.durable || p.up && p.life == life {
			return true
		}
	}
	return false
}

// arrived hears of what an honest program is given, and kept of what is on its
// disk.
func (w *World) arrived(to *peer, e *feed.Signed, kept bool) {
	if to.rogue != nil || int(e.Seat) >= w.set.seats || w.peers[e.Seat].rogue == nil {
		return
	}
	r, s := w.peers[e.Seat].rogue, sumOf(e)
	if to.finished && !slices.Contains(r.how.rules, table.RuleFork) {
		return // nothing but a fork is looked at when the game is over
	}
	if r.forged[s] && !r.struck() {
		w.trace("%s is shown what %s forged", to.name, r.p.name)
	}
	if r.heard[s] == nil {
		r.heard[s] = &hearing{what: e, shown: map[*peer]int{}}
	}
	r.heard[s].shown[to], r.heard[s].durable = to.life, r.heard[s].durable || kept
}

// struck reports whether anything forged has reached anybody honest.
func (r *rogue) struck() bool {
	for s := range r.heard {
		if r.forged[s] {
			return true
		}
	}
	return false
}

// landed reports whether what convicts the cheat is known to honest ones: something
// that it forged or, if only that can convict it, two entries for one place.
func (r *rogue) landed() bool {
	said := map[feed.Place]*feed.Signed{}
	for s, h := range r.heard {
		if !h.known() {
			continue
		}
		first := said[h.what.Place()]
		switch {
		case first == nil:
			said[h.what.Place()] = h.what
		case !bytes.Equal(first.Content(), h.what.Content()):
			return true
		}
		if r.forged[s] && !slices.Equal(r.how.rules, []table.Rule{table.RuleFork}) {
			return true
		}
	}
	return false
}

// seal signs an entry of the cheat's; nil if it cannot be encoded.
func (r *rogue) seal(e feed.Entry) *feed.Signed {
	s, err := feed.Seal(r.p.key, e)
	if err != nil {
		return nil
	}
	return s
}

// say signs a move in the round of a state.
func (r *rogue) say(st *table.State, m move.Move) *feed.Signed {
	kind, body, err := move.Encode(m)
	if err != nil {
		return nil
	}
	e := st.Place(r.p.seat)
	e.Kind, e.Body = uint8(kind), body
	return r.seal(e)
}

// bend signs e with another body.
func (r *rogue) bend(e *feed.Signed, body []byte) *feed.Signed {
	x := e.Entry
	x.Body = body
	return r.seal(x)
}

// recast signs e with its move changed.
func (r *rogue) recast(e *feed.Signed, change func(m move.Move)) *feed.Signed {
	m, err := move.Decode(move.Kind(e.Kind), e.Body)
	if err != nil {
		return nil
	}
	change(m)
	_, body, err := move.Encode(m)
	if err != nil {
		return nil
	}
	return r.bend(e, body)
}

// pretend makes an honest entry of a state that is not the true one, and signs
// it for the true one.
func (r *rogue) pretend(st *table.State, change func(*table.State), want seat.Action) *feed.Signed {
	lie := *st
	change(&lie)
	m, err := r.key.Answer(&lie, want)
	if err != nil {
		return nil
	}
	return r.say(st, m)
}

// second makes another entry for the place of e, as good as it is; nil where
// there is only one.
func (r *rogue) second(st *table.State, e *feed.Signed) *feed.Signed {
	var want seat.Action
	if _, decide := r.key.Due(st); decide {
		want = r.p.random(view.For(st, r.key))
	}
	m, err := r.key.Answer(st, want)
	if err != nil {
		return nil
	}
	x := r.say(st, m)
	if x == nil || string(x.Content()) == string(e.Content()) {
		return nil
	}
	return x
}

// playing reports whether a state is in a phase of play.
func playing(st *table.State, phases ...rules.Phase) bool {
	return st.Stage == table.Playing && slices.Contains(phases, st.Phase())
}

// said lists what was said in a round, as far as the cheat has heard.
func (r *rogue) said(round uint32, k move.Kind) (out []*feed.Signed) {
	_, entries := r.p.core.Log()
	for _, e := range entries {
		if e.Round == round && is(e, k) {
			out = append(out, e)
		}
	}
	return out
}

func sumOf(e *feed.Signed) sum { return sha256.Sum256(e.Raw()) }

// is reports whether an entry is of a kind.
func is(e *feed.Signed, k move.Kind) bool { return e.Kind == uint8(k) }
