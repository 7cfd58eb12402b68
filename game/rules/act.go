package rules

import (
	"errors"
	"fmt"
	"slices"

	"alibi/game/board"
)

// Act is what a seat says in a round, as far as all may hear it. The set is closed.
type Act interface{ act() }

type (
	// Vote names the player who looks most suspicious.
	Vote struct{ For int }
	// Ask asks about QuestionSize different cards.
	Ask struct{ Cards []Card }
	// Accuse announces an accusation.
	Accuse struct{}
	// Deny is a "no": the responder holds none of the asked cards.
	Deny struct{}
	// Show shows one of the asked cards to the asker.
	Show struct{}
	// Seal seals join or pass.
	Seal struct{}
	// Unseal opens it.
	Unseal struct{ Join bool }
	// Order proposes an accusing order.
	Order struct{ Seats []int }
	// Guess fixes a guess unseen.
	Guess struct{}
	// Help is a part in what all do together: casting, rolling, confirming,
	// peeking, laying, revealing.
	Help struct{}
	// Verdict is the lone accuser's word on their own guess; Cards are the
	// opened guess when it was right, unless it was announced.
	Verdict struct {
		Right bool
		Cards []Card
	}
	// Disclose opens a guess.
	Disclose struct{ Cards []Card }
	// Pick picks the suspect to play, on a board.
	Pick struct{ Suspect Card }
	// Roll asks for the dice.
	Roll struct{}
	// Passage takes the secret passage instead.
	Passage struct{}
	// Move moves one's token.
	Move struct{ To board.Place }
	// Suggest is a question about the room one stands in, a suspect and a
	// weapon. At the beginning of a turn it is to stay.
	Suggest struct{ Suspect, Weapon Card }
	// Charge is an accusation announced openly, in category order.
	Charge struct{ Cards []Card }
	// End ends one's turn.
	End struct{}
	// Leave ends the game for a seat once it is over; Opened tells whether it
	// opened its key. Who leaves before says nothing: see Depart.
	Leave struct{ Opened bool }
)

func (Vote) act()     {}
func (Ask) act()      {}
func (Accuse) act()   {}
func (Deny) act()     {}
func (Show) act()     {}
func (Seal) act()     {}
func (Unseal) act()   {}
func (Order) act()    {}
func (Guess) act()    {}
func (Help) act()     {}
func (Verdict) act()  {}
func (Disclose) act() {}
func (Pick) act()     {}
func (Roll) act()     {}
func (Passage) act()  {}
func (Move) act()     {}
func (Suggest) act()  {}
func (Charge) act()   {}
func (End) act()      {}
func (Leave) act()    {}

// Said is one seat's act in a round.
type Said struct {
	Seat int
	Act  Act
}

// Refusals of Legal.
var (
	ErrSpeaker  = errors.New("rules: it is not this seat's turn to speak")
	ErrKind     = errors.New("rules: this cannot be said now")
	ErrQuestion = errors.New("rules: a question is about different cards of the deck")
	ErrSolution = errors.New("rules: a guess is one suspect, one weapon and one location")
	ErrVote     = errors.New("rules: a vote is for a seat at the table")
	ErrOrder    = errors.New("rules: an order names every accuser once")
	ErrVerdict  = errors.New("rules: a wrong verdict opens no cards")

	ErrAnnounced  = errors.New("rules: a guess that was announced is not opened")
	ErrPick       = errors.New("rules: a pick is of a suspect that nobody else plays")
	ErrPassage    = errors.New("rules: no secret passage begins here")
	ErrMove       = errors.New("rules: no move of this roll ends there")
	ErrStay       = errors.New("rules: who stays to suggest was moved there by another since their last turn")
	ErrSuggestion = errors.New("rules: a suggestion is one suspect and one weapon")
)

// Legal says whether seat may say a now.
func (p *Position) Legal(seat int, a Act) error {
	if !slices.Contains(p.Speakers(), seat) {
		return ErrSpeaker
	}
	if !p.hears(a) {
		return fmt.Errorf("%w: %s", ErrKind, p.Phase)
	}
	switch a := a.(type) {
	case Vote:
		if a.For < 0 || a.For >= p.seats() || p.gone(a.For) {
			return ErrVote
		}
	case Ask:
		if !p.question(a.Cards) {
			return fmt.Errorf("%w: %d of them", ErrQuestion, p.Edition.QuestionSize)
		}
	case Order:
		if !sameSeats(a.Seats, p.Accusation.Order) {
			return ErrOrder
		}
	case Verdict:
		return p.verdict(a)
	case Disclose:
		if !p.Edition.Solution(a.Cards) {
			return ErrSolution
		}
	case Charge:
		if !p.Edition.Solution(a.Cards) {
			return ErrSolution
		}
	default:
		return p.legalOnBoard(a)
	}
	return nil
}

func (p *Position) verdict(v Verdict) error {
	switch {
	case !v.Right && len(v.Cards) > 0:
		return ErrVerdict
	case p.Edition.Board && len(v.Cards) > 0:
		return ErrAnnounced
	case v.Right && !p.Edition.Board && !p.Edition.Solution(v.Cards):
		return ErrSolution
	}
	return nil
}

// hears reports whether acts of a's kind are said now. A turn on a board is
// another than one at a card table.
func (p *Position) hears(a Act) bool {
	if p.Phase == Turn && p.Edition.Board {
		switch a.(type) {
		case Roll, Passage, Suggest, Charge:
			return true
		}
		return false
	}
	return p.Phase.hears(a)
}

func (p Phase) hears(a Act) bool {
	switch a.(type) {
	case Vote:
		return p == Voting
	case Ask, Accuse:
		return p == Turn
	case Deny, Show:
		return p == Answering
	case Seal:
		return p == Sealing
	case Unseal:
		return p == Unsealing
	case Order:
		return p == Ordering
	case Guess:
		return p == Guessing
	case Help:
		return p == Casting || p == Rolling || p == Confirming || p == Peeking || p == Laying || p == Revealing
	case Verdict:
		return p == Judging
	case Disclose:
		return p == Disclosing
	case Pick:
		return p == Picking
	case Move:
		return p == Moving
	case Suggest:
		return p == Suggesting
	case Charge, End:
		return p == Suggesting || p == Closing
	case Leave:
		return p == Farewell
	default:
		return false
	}
}

func (p *Position) question(cards []Card) bool {
	if len(cards) != p.Edition.QuestionSize {
		return false
	}
	for i, c := range cards {
		if !p.Edition.Valid(c) || slices.Contains(cards[:i], c) {
			return false
		}
	}
	return true
}

func sameSeats(a, b []int) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}
