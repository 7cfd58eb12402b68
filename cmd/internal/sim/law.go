package sim

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"alibi/crypto/feed"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/table"
)

// law is what must hold in every run, looked at after every step of a program.
type law struct {
	w *World
	// said is what was signed for each place and shown to somebody or kept.
	said map[feed.Place][]sum
	// forks are the seats that signed two entries for one place.
	forks [feed.MaxSeats]bool
	// retried tells that somebody voted at a later trial: whoever wants the same
	// takes back what it has closed.
	retried bool
	kept    map[*peer]map[sum]bool // own entries that are durable
	// phases is what was done in the round after a history.
	phases map[feed.Hash]rules.Phase
	mind   knowledge
	deals  map[dealt]sum // their names
	// verdicts are what each peer has first held against a seat.
	verdicts [feed.MaxSeats][]verdict
	// lately are the seats convicted when logs were compared after the end.
	lately [feed.MaxSeats]bool
}

// verdict is a fault as one peer found it.
type verdict struct {
	by    *peer
	fault table.Fault
}

type sum = [sha256.Size]byte

func newLaw(w *World) *law {
	return &law{w: w, said: map[feed.Place][]sum{}, kept: map[*peer]map[sum]bool{}, phases: map[feed.Hash]rules.Phase{}, mind: knowledge{}, deals: map[dealt]sum{}}
}

// sign notes that an entry exists, and reports whether it is the first for its place.
func (l *law) sign(e *feed.Signed) (first bool) {
	s := sha256.Sum256(e.Content())
	at := e.Place()
	if slices.Contains(l.said[at], s) {
		return true
	}
	l.said[at] = append(l.said[at], s)
	l.retried = l.retried || at.Motion.Trial > 0
	if len(l.said[at]) == 1 {
		return true
	}
	if int(e.Seat) < len(l.forks) && l.genuine(e) {
		l.forks[e.Seat] = true
	}
	return false
}

// genuine reports whether the seat that an entry names has signed it.
func (l *law) genuine(e *feed.Signed) bool {
	return int(e.Seat) < l.w.set.seats && e.Verify(l.w.peers[e.Seat].key.ID()) == nil
}

// durable hears of an entry that is on a peer's disk.
func (l *law) durable(p *peer, e *feed.Signed) {
	if int(e.Seat) != p.seat {
		return
	}
	if l.kept[p] == nil {
		l.kept[p] = map[sum]bool{}
	}
	before := l.kept[p][sumOf(e)]
	l.kept[p][sumOf(e)] = true
	if !p.honest() {
		return
	}
	if !l.sign(e) {
		l.w.fail("one entry for a place", "%s keeps a second entry for round %d", p.name, e.Round)
	}
	if !before && move.Kind(e.Kind) == move.KindShares {
		l.unlocks(p, e)
	}
}

// sent hears of an entry that leaves an honest peer's computer.
func (l *law) sent(p *peer, e *feed.Signed) {
	if int(e.Seat) != p.seat {
		return
	}
	if !l.kept[p][sumOf(e)] {
		l.w.fail("durable before sent", "%s sends an entry for round %d that is not on its disk", p.name, e.Round)
	}
	if !l.sign(e) {
		l.w.fail("one entry for a place", "%s sends a second entry for round %d", p.name, e.Round)
	}
}

// signed hears of whatever leaves any computer.
func (l *law) signed(raw []byte) {
	if e, err := feed.Decode(raw); err == nil {
		if p := int(e.Seat); p < l.w.set.seats && l.w.peers[p].rogue != nil {
			l.sign(e)
		}
	}
}

// unlocks hears of a share that an honest peer keeps, on its way to the others.
func (l *law) unlocks(p *peer, e *feed.Signed) {
	st := p.core.State()
	if e.Round != st.Round || e.Prev != st.Prev {
		l.w.fail("core", "%s keeps a share for round %d in round %d", p.name, e.Round, st.Round)
		return
	}
	l.note(st)
	if fault := l.early(p, st); fault != "" {
		l.w.fail("no share too early", "%s, round %d, %s %s: %s", p.name, st.Round, st.Stage, st.Phase(), fault)
	}
	l.mind.of(l.w, p.seat, st).learn(l.w, p.seat, st)
	l.hidden(l.dealOf(st))
}

// early says why a share should not leave yet, "" if nothing speaks against it.
func (l *law) early(p *peer, st *table.State) string {
	was := pastOf(p)
	switch {
	case st.Stage < table.Dealing:
		return "the cards are not dealt yet"
	case was.decks != st.Proofs[move.KindShuffle]:
		return fmt.Sprintf("%d shuffles, %d verified", was.decks, st.Proofs[move.KindShuffle])
	case was.shufflers < st.Threshold():
		return fmt.Sprintf("only %d seats shuffled", was.shufflers)
	case st.Stage == table.Dealing && was.checked <= max(was.shuffle, was.ballot):
		return "not everybody has said that the shuffles verified"
	case st.Phase() == rules.Laying && was.checked <= was.ballot:
		return "not everybody has spoken on top of the leave"
	case st.Phase() == rules.Peeking && was.checked <= was.guess:
		return "not everybody has spoken on top of the guess"
	case st.Phase() == rules.Revealing && was.checked != int(st.Round):
		return "not everybody has spoken on top of what ends the game"
	}
	for _, f := range p.core.Blamed() {
		if !st.Gone[f.Seat] {
			return fmt.Sprintf("seat %d stands convicted: %s", f.Seat, f.Rule)
		}
	}
	return ""
}

// past is what a log holds that has to lie before a share. The rounds are the last
// ones of their kind, counted from 1.
type past struct {
	decks, shufflers       int // of the latter, those of the pool
	shuffle, guess, ballot int
	checked                int // all who were present said so
}

func pastOf(p *peer) (out past) {
	st := p.core.State()
	_, entries := p.core.Log()
	pool, checks := map[uint8]bool{}, map[uint32]int{}
	for _, e := range entries {
		at := int(e.Round) + 1
		if _, is := e.Ballot(); is {
			out.ballot = at
			continue
		}
		switch move.Kind(e.Kind) {
		case move.KindShuffle:
			out.shuffle = at
			m, err := move.Decode(move.KindShuffle, e.Body)
			if err != nil {
				continue // then it has not verified either
			}
			decks := len(m.(*move.Shuffle).Decks)
			out.decks += decks
			if decks == 1 {
				pool[e.Seat] = true
			}
		case move.KindGuess:
			out.guess = at
		case move.KindChecked:
			if checks[e.Round]++; e.Round < st.Round && checks[e.Round] >= len(st.Present()) {
				out.checked = at
			}
		}
	}
	out.shufflers = len(pool)
	return out
}

// after looks at a peer after every step of its program.
func (l *law) after(p *peer) {
	if p.rogue != nil || p.core == nil {
		return
	}
	st := p.core.State()
	for _, f := range slices.Concat(st.Faults, p.core.Blamed()) {
		if l.w.peers[f.Seat].rogue == nil {
			l.w.fail("nobody honest is blamed", "%s blames %s, round %d: %s", p.name, l.w.peers[f.Seat].name, f.Round, f.Rule)
		}
		if !slices.ContainsFunc(l.verdicts[f.Seat], func(v verdict) bool { return v.by == p }) {
			l.verdicts[f.Seat] = append(l.verdicts[f.Seat], verdict{p, f})
			l.w.trace("%s convicts seat %d: round %d, %s", p.name, f.Seat, f.Round, f.Rule)
		}
	}
	p.torn, p.seen = false, st
	if at := len(p.chain) - 1; at >= 0 && at == int(st.Round) && p.chain[at] == st.Prev {
		return
	}
	l.note(st)
	l.w.trace("%s: round %d, %s %s, %d present", p.name, st.Round, st.Stage, st.Phase(), len(st.Present()))
	was, outside := p.chain, p.seat >= 0 && len(p.gone) > 0 && p.gone[p.seat]
	p.chain, p.moved, p.gone = chainOf(p), l.w.now, st.Gone
	if !outside { // who was voted out takes over whatever is carried above that
		l.rolled(p, was)
	}
	for _, q := range l.w.peers {
		l.compare(p, q)
	}
}

// note remembers what the open round of a state is about.
func (l *law) note(st *table.State) {
	l.phases[st.Prev] = st.Phase()
}

// chainOf lists the hashes of everything before each round.
func chainOf(p *peer) []feed.Hash {
	st := p.core.State()
	out := make([]feed.Hash, st.Round+1)
	_, entries := p.core.Log()
	for _, e := range entries {
		if int(e.Round) < len(out) {
			out[e.Round] = e.Prev
		}
	}
	out[st.Round] = st.Prev
	return out
}

// rolled looks at a history that was left behind: only who was voted out, and
// who follows them, may do that, unless somebody signed two entries or moved
// something again that cannot be carried otherwise.
func (l *law) rolled(p *peer, was []feed.Hash) {
	if len(was) == 0 || p.seat < 0 || p.core.State().Gone[p.seat] || l.forked() || l.retried {
		return
	}
	if at := len(was) - 1; len(p.chain) <= at || p.chain[at] != was[at] {
		if len(p.chain) > at || !p.finished && p.life == 0 {
			l.w.fail("closed rounds stand", "%s gives up what it had closed before round %d", p.name, at)
		}
	}
}

func (l *law) forked() bool { return slices.Contains(l.forks[:], true) }

// compare looks for rounds that two honest peers have closed differently.
func (l *law) compare(p, q *peer) {
	if !p.honest() || !q.honest() || p == q || len(q.chain) == 0 || q.torn || p.core == nil || l.forked() || l.out(p) || l.out(q) {
		return
	}
	at := min(len(p.chain), len(q.chain)) - 1
	if p.chain[at] != q.chain[at] {
		l.w.fail("one history", "%s and %s have different histories before round %d", p.name, q.name, at)
	}
}

// out reports whether some honest peer has gone on without p, when last seen.
func (l *law) out(p *peer) bool {
	for _, q := range l.w.peers {
		if q.rogue == nil && len(q.gone) > 0 && q.gone[p.seat] {
			return true
		}
	}
	return false
}
