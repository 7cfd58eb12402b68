package sim

import (
	"crypto/sha256"
	"fmt"
	"math/bits"
	"slices"

	"alibi/crypto/elgamal"
	"alibi/crypto/feed"
	"alibi/game/rules"
	"alibi/game/table"
)

// knowledge is what honest seats have let go of hidden cards, by deal, in whatever
// branch of the history. Who is left out of a game without having heard of it may
// begin another with others; then the cards are shuffled anew, and what is known
// of one deal tells nothing about the other.
type knowledge map[sum]*deal

// deal is one order of the cards: whose share of which card went to whom.
type deal struct {
	cards  map[string]bool // pool and Crime cards
	owners []int
	shares map[card]map[int]uint16 // by receiver, or everybody: the helpers, by bit
	peeked map[int]sum             // who was let to see the Crime cards, and the guess fixed before that
}

// dealt is what makes a deal: the pool, the Crime cards and the owners.
type dealt struct {
	pool, crime *elgamal.Ciphertext
	owners      *int
}

// card is a position of the pool, or of the Crime cards.
type card struct {
	crime bool
	at    int
}

// everybody is the receiver of what is turned over.
const everybody = -1

// of is the deal of a state. No two may have a card in common: not the same cards
// with other owners, and not the same Crime with another pool.
func (k knowledge) of(w *World, seat int, st *table.State) *deal {
	name := w.law.dealOf(st)
	if d := k[name]; d != nil {
		return d
	}
	d := &deal{cards: map[string]bool{}, owners: st.Owners, shares: map[card]map[int]uint16{}, peeked: map[int]sum{}}
	for _, c := range slices.Concat(st.Pool, st.Crime) {
		d.cards[string(c.Bytes())] = true
	}
	for _, other := range k {
		for c := range d.cards {
			if other.cards[c] {
				w.fail("one deal", "seat %d unlocks, in round %d, cards that were dealt otherwise before", seat, st.Round)
				return d
			}
		}
	}
	k[name] = d
	return d
}

// learn takes in the shares that seat gives away in state st. What it owes there
// is worked out anew, and not asked of the table.
func (d *deal) learn(w *World, seat int, st *table.State) {
	give := func(c card, to int) {
		if d.shares[c] == nil {
			d.shares[c] = map[int]uint16{}
		}
		d.shares[c][to] |= 1 << seat
	}
	switch {
	case st.Stage == table.Dealing:
		for i, owner := range st.Owners {
			if owner == rules.FaceUp || st.Gone[owner] {
				owner = everybody
			}
			give(card{at: i}, owner)
		}
	case st.Phase() == rules.Laying:
		for i, owner := range st.Owners {
			for _, left := range st.Pos.Laid {
				if owner == left {
					give(card{at: i}, everybody)
				}
			}
		}
	case st.Phase() == rules.Peeking, st.Phase() == rules.Revealing:
		to := everybody
		if st.Phase() == rules.Peeking {
			to = st.Pos.Accusation.Accuser
			guess := guessOf(st, to)
			if before, ok := d.peeked[to]; ok && before != guess {
				w.fail("guess before the Crime", "seat %d is let to see the Crime cards with a second guess", to)
			}
			d.peeked[to] = guess
		}
		for i := range st.Crime {
			give(card{true, i}, to)
		}
	}
}

func guessOf(st *table.State, seat int) (out sum) {
	if g := st.Guess[seat]; g != nil {
		out = sha256.Sum256(elgamal.EncodeAll(g.Cards()))
	}
	return out
}

// dealOf names the deal of a state; the zero sum is none.
func (l *law) dealOf(st *table.State) (out sum) {
	if len(st.Owners) == 0 {
		return out
	}
	same := dealt{&st.Pool[0], &st.Crime[0], &st.Owners[0]} // a state is never changed
	if name, ok := l.deals[same]; ok {
		return name
	}
	h := sha256.New()
	h.Write(elgamal.EncodeAll(st.Pool))
	h.Write(elgamal.EncodeAll(st.Crime))
	fmt.Fprint(h, st.Owners)
	h.Sum(out[:0])
	l.deals[same] = out
	return out
}

// knows reports whether the seats of a coalition together can open a card.
func (d *deal) knows(c card, coalition uint16, threshold int) bool {
	have := coalition
	for to, helpers := range d.shares[c] {
		if to == everybody || coalition&(1<<to) != 0 {
			have |= helpers
		}
	}
	return bits.OnesCount16(have) >= threshold
}

// due reports whether a card is a coalition's to know at the end of a game as an
// honest peer has it: its own hand, open on the table, or of those who left; and
// the Crime cards once they were turned over, or when one of the coalition was
// let to see them, having fixed a guess.
func (d *deal) due(c card, coalition uint16, st *table.State, turned bool) bool {
	if !c.crime {
		owner := d.owners[c.at]
		return owner == rules.FaceUp || coalition&(1<<owner) != 0 || st.Gone[owner]
	}
	for a := range st.Seats() {
		if _, seen := d.peeked[a]; seen && coalition&(1<<a) != 0 {
			return true
		}
	}
	return turned
}

// turned reports whether somebody honest stands where the Crime cards are turned
// over, or were. After a fork the others may have stopped before: they need not have heard
// that the accuser was right.
func (l *law) turned() bool {
	return slices.ContainsFunc(l.w.peers, func(p *peer) bool {
		if !p.honest() || p.core == nil {
			return false
		}
		return slices.ContainsFunc(append(slices.Clone(p.chain), p.core.State().Prev), func(h feed.Hash) bool {
			phase, ok := l.phases[h]
			return ok && (phase == rules.Revealing || phase == rules.Farewell)
		})
	})
}

// hidden looks whether any coalition below the quorum could know more of a deal
// than it is due, as some honest seat has the game now: another may not have heard
// yet of what was opened.
func (l *law) hidden(name sum) {
	d := l.mind[name]
	if d == nil {
		return // nothing was unlocked
	}
	var as []*table.State
	for _, p := range l.w.peers {
		st := p.seen // who is down has given its shares for what it took the game to be
		if p.core != nil {
			st = p.core.State()
		}
		if p.honest() && st != nil && l.dealOf(st) == name {
			as = append(as, st)
		}
	}
	if len(as) == 0 {
		return // all have left this branch
	}
	t, turned := as[0].Threshold(), l.turned()
	for coalition := range uint16(1) << l.w.set.seats {
		if bits.OnesCount16(coalition) >= t {
			continue
		}
		for i := range len(d.owners) + len(as[0].Crime) {
			c := card{at: i}
			if i >= len(d.owners) {
				c = card{true, i - len(d.owners)}
			}
			due := func(st *table.State) bool { return d.due(c, coalition, st, turned) }
			if d.knows(c, coalition, t) && !slices.ContainsFunc(as, due) {
				l.w.fail("hidden cards", "seats %06b can open %+v: shares went to %v", coalition, c, d.shares[c])
				return
			}
		}
	}
}

// guesses looks whether somebody guessed anew after having seen the Crime cards.
func (l *law) guesses(p *peer) {
	st := p.core.State()
	d := l.mind[l.dealOf(st)]
	if d == nil {
		return // it ended before anything was unlocked
	}
	for a, guess := range d.peeked {
		if now := guessOf(st, a); now != (sum{}) && now != guess {
			l.w.fail("guess before the Crime", "seat %d has guessed anew after it was let to see the Crime cards", a)
		}
	}
}
