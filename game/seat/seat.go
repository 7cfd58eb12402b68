package seat

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/shuffle"
	"alibi/game/board"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/table"
)

// Action is what only the player can decide. The set is closed.
type Action interface{ action() }

type (
	// Ask asks about cards.
	Ask struct{ Cards []rules.Card }
	// Accuse announces an accusation; the guess follows later.
	Accuse struct{}
	// Deny says no.
	Deny struct{}
	// Show shows Card to the asker.
	Show struct{ Card rules.Card }
	// Join joins an accusation.
	Join struct{}
	// Pass does not.
	Pass struct{}
	// Guess fixes one card of each category.
	Guess struct{ Cards []rules.Card }
	// Vote names a seat to begin.
	Vote struct{ For int }
	// Propose proposes an accusing order.
	Propose struct{ Seats []int }
	// Pick picks the suspect to play.
	Pick struct{ Suspect rules.Card }
	// Roll asks for the dice.
	Roll struct{}
	// Passage takes the secret passage.
	Passage struct{}
	// Go moves one's token.
	Go struct{ To board.Place }
	// Suggest asks about the room one is in, a suspect and a weapon. At the
	// beginning of a turn it is to stay.
	Suggest struct{ Suspect, Weapon rules.Card }
	// Charge announces an accusation and its cards.
	Charge struct{ Cards []rules.Card }
	// End ends one's turn.
	End struct{}
	// Leave ends the game, opening the seat key for all or keeping it.
	Leave struct{ Open bool }
)

func (Ask) action()     {}
func (Accuse) action()  {}
func (Deny) action()    {}
func (Show) action()    {}
func (Join) action()    {}
func (Pass) action()    {}
func (Guess) action()   {}
func (Vote) action()    {}
func (Propose) action() {}
func (Pick) action()    {}
func (Roll) action()    {}
func (Passage) action() {}
func (Go) action()      {}
func (Suggest) action() {}
func (Charge) action()  {}
func (End) action()     {}
func (Leave) action()   {}

// Refusals of Answer.
var (
	ErrNothing  = errors.New("seat: this seat owes nothing now")
	ErrDecide   = errors.New("seat: the player has to decide")
	ErrNotNow   = errors.New("seat: this cannot be done now")
	ErrHolding  = errors.New("seat: you hold one of the cards asked about")
	ErrNotHeld  = errors.New("seat: you do not hold this card")
	ErrNotAsked = errors.New("seat: this card was not asked about")
)

// Seat is one player at the table.
type Seat struct {
	secret *Secret
	index  int
	rand   io.Reader
}

// New seats the owner of secret. rand supplies all randomness from now on.
func New(secret *Secret, index int, rand io.Reader) *Seat {
	return &Seat{secret: secret, index: index, rand: rand}
}

// Index is the seat's number.
func (p *Seat) Index() int { return p.index }

// Hand lists the cards this seat holds, in the order dealt.
func (p *Seat) Hand(st *table.State) []rules.Card {
	if st.Hands == nil {
		return nil
	}
	return p.decrypt(st, st.Hands[p.index])
}

// Peeked lists the Crime cards, if this seat alone has seen them.
func (p *Seat) Peeked(st *table.State) []rules.Card { return p.decrypt(st, st.Peeked[p.index]) }

// Guessed lists the guess this seat has fixed, if any.
func (p *Seat) Guessed(st *table.State) []rules.Card {
	if st.Guess[p.index] == nil {
		return nil
	}
	return p.decrypt(st, st.Guess[p.index].Cards())
}

// Shown is the card that a Showed event showed to this seat.
func (p *Seat) Shown(st *table.State, e table.Event) (rules.Card, bool) {
	if e.Kind != table.Showed || e.To != p.index {
		return 0, false
	}
	c := p.decrypt(st, []elgamal.Ciphertext{e.Shown})
	return c[0], true
}

func (p *Seat) decrypt(st *table.State, cs []elgamal.Ciphertext) []rules.Card {
	return Decrypt(st, cs, p.secret.keep().seat)
}

// Decrypt opens ciphertexts with a seat key. What is no card of the deck, which
// the proofs rule out, comes out as -1.
func Decrypt(st *table.State, cs []elgamal.Ciphertext, key *group.Scalar) []rules.Card {
	out := make([]rules.Card, len(cs))
	for i, c := range cs {
		out[i] = -1
		if at, ok := st.Deck.Index(c.Decrypt(key)); ok {
			out[i] = rules.Card(at)
		}
	}
	return out
}

// Due reports whether this seat owes an entry, and whether the player has to
// decide something for it.
func (p *Seat) Due(st *table.State) (due, decide bool) {
	if !slices.Contains(st.Speakers(), p.index) {
		return false, false
	}
	if st.Stage != table.Playing {
		return true, false
	}
	switch st.Phase() {
	case rules.Unsealing, rules.Casting, rules.Rolling, rules.Confirming, rules.Peeking, rules.Judging, rules.Disclosing, rules.Laying, rules.Revealing:
		return true, false
	}
	return true, true
}

// Answer makes the body of the entry this seat owes. want is nil where the
// player has nothing to decide. An error leaves everything as it was.
func (p *Seat) Answer(st *table.State, want Action) (move.Move, error) {
	due, decide := p.Due(st)
	switch {
	case !due:
		return nil, ErrNothing
	case decide && want == nil:
		return nil, ErrDecide
	case !decide && want != nil:
		return nil, fmt.Errorf("%w: there is nothing to decide", ErrNotNow)
	case decide:
		return p.decided(st, want)
	case st.Stage != table.Playing:
		return p.setUp(st)
	}
	return p.dutiful(st)
}

func (p *Seat) setUp(st *table.State) (move.Move, error) {
	switch st.Stage {
	case table.Accepting:
		return new(move.Accept), nil
	case table.Keying:
		return p.keys(st)
	case table.Sharing:
		return p.keyShares(st)
	case table.Vetting:
		return p.vet(st)
	case table.Sorting:
		return p.shuffle(st, st.Decks)
	case table.Pooling:
		return p.shuffle(st, [][]elgamal.Ciphertext{st.Pool})
	case table.Checking:
		return new(move.Checked), nil
	}
	return p.shares(st)
}

func (p *Seat) shuffle(st *table.State, decks [][]elgamal.Ciphertext) (move.Move, error) {
	m := new(move.Shuffle)
	for i, in := range decks {
		out, witness, err := shuffle.Shuffle(st.Quorum.Joint(), in, p.rand)
		if err != nil {
			return nil, fmt.Errorf("seat: shuffling: %w", err)
		}
		proof, err := shuffle.Prove(p.context(st, move.KindShuffle, i), st.Quorum.Joint(), in, out, witness, p.rand)
		if err != nil {
			return nil, fmt.Errorf("seat: proving a shuffle: %w", err)
		}
		m.Decks = append(m.Decks, move.Shuffled{Cards: elgamal.EncodeAll(out), Proof: proof.Bytes()})
	}
	return m, nil
}

func (p *Seat) context(st *table.State, kind move.Kind, part int) []byte {
	return table.Context(st.Place(p.index), kind, part)
}
