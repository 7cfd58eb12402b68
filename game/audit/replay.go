package audit

import (
	"slices"

	"alibi/crypto/elgamal"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/table"
)

// Replay is the game in the clear, as far as seats opened their keys.
type Replay struct {
	Hands   map[int][]rules.Card // by seat that opened
	Shown   map[int]rules.Card   // by index into State.Story
	Guesses map[int][]rules.Card // last guess of each seat that opened and accused
	Whole   bool                 // every hand is open
}

// What a replay can contradict. None of these can happen while the proofs are
// sound; that is the reason to look.
const (
	checkHand   = "a hand that holds something that is no card"
	checkDouble = "a card that stands in two places"
	checkDenied = "said no while holding a card asked about"
	checkShown  = "showed a card that was not asked about or not held"
	checkCrime  = "a hand that holds a Crime card"
	checkDealt  = "the cards of all hands, the table and the crime are not the deck"
	checkRight  = "was called wrong with the right guess"
	checkGuess  = "opened another guess than it had fixed"
	checkPeeked = "saw other Crime cards than were turned over"
)

// replay looks at every card that lies open. Keys are opened only after the Crime
// cards were; hands of players who left lie open before that.
func (r *Report) replay() {
	st := r.State
	if st.Pos == nil {
		return // no card lies open yet
	}
	p := &Replay{Hands: map[int][]rules.Card{}, Shown: map[int]rules.Card{}, Guesses: map[int][]rules.Card{}}
	for i, key := range st.Opened {
		if key == nil {
			continue
		}
		p.Hands[i] = seat.Decrypt(st, st.Hands[i], key)
		if st.Guess[i] != nil {
			p.Guesses[i] = seat.Decrypt(st, st.Guess[i].Cards(), key)
		}
		if said := announced(st, i); said != nil {
			p.Guesses[i] = said
		}
		if seen := st.Peeked[i]; seen != nil && !slices.Equal(seat.Decrypt(st, seen, key), st.Pos.Crime) {
			r.find(i, st.Round, checkPeeked)
		}
	}
	if len(p.Hands) > 0 {
		p.Whole = whole(st, p)
		r.Replay = p
	}
	r.checkHands(p)
	for i, e := range st.Story {
		r.checkEvent(p, i, e)
	}
}

// announced is the last guess that a seat announced, nil if it did none.
func announced(st *table.State, seat int) (guess []rules.Card) {
	for _, e := range st.Story {
		if e.Kind == table.Charged && e.Seat == seat {
			guess = e.Cards
		}
	}
	return guess
}

// whole reports whether every hand is open: by its key, or laid down because its
// player left. Who leaves at the very end takes the hand along unseen.
func whole(st *table.State, p *Replay) bool {
	for i := range st.Seats() {
		if _, opened := p.Hands[i]; !opened && st.Laid[i] == nil && len(st.Hands[i]) > 0 {
			return false
		}
	}
	return true
}

// checkHands looks at where the cards are: each in one place, and if every hand
// is open all of the deck.
func (r *Report) checkHands(p *Replay) {
	st := r.State
	seen := map[rules.Card]bool{}
	for _, open := range append(slices.Clone(st.Laid), st.FaceUp, st.Pos.Crime) {
		for _, c := range open {
			if seen[c] {
				r.find(-1, st.Round, checkDouble)
			}
			seen[c] = true
		}
	}
	for i := range st.Seats() {
		for _, c := range p.Hands[i] {
			switch {
			case c < 0:
				r.find(i, st.Round, checkHand)
				continue
			case slices.Contains(st.Pos.Crime, c):
				r.find(i, st.Round, checkCrime)
			case seen[c]:
				r.find(i, st.Round, checkDouble)
			}
			seen[c] = true
		}
	}
	if p.Whole && len(seen) != len(st.Edition.Cards) {
		r.find(-1, st.Round, checkDealt)
	}
}

func (r *Report) checkEvent(p *Replay, i int, e table.Event) {
	st := r.State
	hand, open := p.Hands[e.Seat]
	if laid := st.Laid[e.Seat]; laid != nil {
		hand, open = laid, true
	}
	holds := func(c rules.Card) bool { return slices.Contains(hand, c) }
	switch e.Kind {
	case table.Denied:
		if slices.ContainsFunc(e.Cards, holds) {
			r.find(e.Seat, e.Round, checkDenied)
		}
	case table.Showed:
		key := st.Opened[e.To]
		if key == nil {
			return
		}
		c := seat.Decrypt(st, []elgamal.Ciphertext{e.Shown}, key)[0]
		p.Shown[i] = c
		if !slices.Contains(e.Cards, c) || open && !holds(c) {
			r.find(e.Seat, e.Round, checkShown)
		}
	case table.Wrong:
		if guess := p.Guesses[e.Seat]; guess != nil && slices.Equal(guess, st.Pos.Crime) {
			r.find(e.Seat, e.Round, checkRight)
		}
	case table.Right, table.Disclosed:
		if guess := p.Guesses[e.Seat]; guess != nil && !slices.Equal(guess, e.Cards) {
			r.find(e.Seat, e.Round, checkGuess)
		}
	}
}
