package sim

import (
	"crypto/sha256"
	"fmt"
	"math/bits"

	"alibi/crypto/elgamal"
	"alibi/game/rules"
	"alibi/game/table"
)

// knowledge is what honest seats have let go of hidden cards, in whatever branch
// of the history: whose share of which card went to whom.
type knowledge struct {
	deal   sum // pool, Crime cards and owners
	dealt  bool
	owners []int
	shares map[card]map[int]uint16 // by receiver, or everybody: the helpers, by bit
	peeked map[int]sum             // who was let to see the Crime cards, and the guess fixed before that
}

// card is a position of the pool, or of the Crime cards.
type card struct {
	crime bool
	at    int
}

// everybody is the receiver of what is turned over.
const everybody = -1

// learn takes in the shares that seat gives away in state st. What it owes there
// is worked out anew, and not asked of the table.
func (k *knowledge) learn(w *World, seat int, st *table.State) {
	deal := dealOf(st)
	if !k.dealt {
		k.deal, k.dealt, k.owners, k.shares = deal, true, st.Owners, map[card]map[int]uint16{}
		k.peeked = map[int]sum{}
	} else if k.deal != deal {
		w.fail("one deal", "seat %d unlocks cards of another deal in round %d", seat, st.Round)
		return
	}
	give := func(c card, to int) {
		if k.shares[c] == nil {
			k.shares[c] = map[int]uint16{}
		}
		k.shares[c][to] |= 1 << seat
	}
	switch {
	case st.Stage == table.Dealing:
		for i, owner := range st.Owners {
			if owner == rules.FaceUp || st.Gone[owner] {
				owner = everybody
			}
			give(card{at: i}, owner)
		}
	case st.Phase() == rules.Laying && !st.Parting:
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
			if before, ok := k.peeked[to]; ok && before != guess {
				w.fail("guess before the Crime", "seat %d is let to see the Crime cards with a second guess", to)
			}
			k.peeked[to] = guess
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

func dealOf(st *table.State) (out sum) {
	h := sha256.New()
	h.Write(elgamal.EncodeAll(st.Pool))
	h.Write(elgamal.EncodeAll(st.Crime))
	fmt.Fprint(h, st.Owners)
	h.Sum(out[:0])
	return out
}

// knows reports whether the seats of a coalition together can open a card.
func (k *knowledge) knows(c card, coalition uint16, threshold int) bool {
	have := coalition
	for to, helpers := range k.shares[c] {
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
func (l *law) due(c card, coalition uint16, st *table.State, turned bool) bool {
	if !c.crime {
		owner := l.mind.owners[c.at]
		return owner == rules.FaceUp || coalition&(1<<owner) != 0 || st.Gone[owner]
	}
	for a := range st.Seats() {
		if _, seen := l.mind.peeked[a]; seen && coalition&(1<<a) != 0 {
			return true
		}
	}
	return turned
}

// turned reports whether somebody honest stands where the Crime cards were turned
// over. After a fork the others may have stopped before: they need not have heard
// that the accuser was right.
func (l *law) turned() bool {
	for _, p := range l.w.peers {
		if !p.honest() {
			continue
		}
		for _, h := range p.chain {
			if phase, ok := l.phases[h]; ok && (phase == rules.Revealing || phase == rules.Farewell) {
				return true
			}
		}
	}
	return false
}

// hidden looks whether any coalition below the quorum could know more than it is due.
func (l *law) hidden(p *peer) {
	if !l.mind.dealt {
		return
	}
	st, turned := p.core.State(), l.turned()
	for a, guess := range l.mind.peeked {
		if now := guessOf(st, a); now != (sum{}) && now != guess {
			l.w.fail("guess before the Crime", "seat %d has guessed anew after it was let to see the Crime cards", a)
		}
	}
	t := st.Threshold()
	for coalition := range uint16(1) << l.w.set.seats {
		if bits.OnesCount16(coalition) >= t {
			continue
		}
		for i := range len(l.mind.owners) + len(st.Crime) {
			c := card{at: i}
			if i >= len(l.mind.owners) {
				c = card{true, i - len(l.mind.owners)}
			}
			if l.mind.knows(c, coalition, t) && !l.due(c, coalition, st, turned) {
				l.w.fail("hidden cards", "seats %06b can open %+v: shares went to %v", coalition, c, l.mind.shares[c])
				return
			}
		}
	}
}
