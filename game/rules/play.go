package rules

import (
	"errors"
	"fmt"
	"slices"
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
	// Help is a share of a joint operation: casting, peeking, revealing.
	Help struct{}
	// Verdict is the lone accuser's word on their own guess; Cards are the
	// opened guess when it was right.
	Verdict struct {
		Right bool
		Cards []Card
	}
	// Disclose opens a guess.
	Disclose struct{ Cards []Card }
	// Leave ends the game for a seat; Opened tells whether it opened its key.
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
func (Leave) act()    {}

// Said is one seat's act in a round.
type Said struct {
	Seat int
	Act  Act
}

// Facts are what a closed round brought to light beyond its acts.
type Facts struct {
	Crime []Card // Revealing: the Crime cards, in category order
	Lot   []int  // Casting: a random order of all seats
}

// Refusals of Legal.
var (
	ErrSpeaker  = errors.New("rules: it is not this seat's turn to speak")
	ErrKind     = errors.New("rules: this cannot be said now")
	ErrQuestion = errors.New("rules: a question is about different cards of the deck")
	ErrSolution = errors.New("rules: a guess is one suspect, one weapon and one location")
	ErrVote     = errors.New("rules: a vote is for a seat at the table")
	ErrOrder    = errors.New("rules: an order names every accuser once")
)

// Legal says whether seat may say a now.
func (p *Position) Legal(seat int, a Act) error {
	if !slices.Contains(p.Speakers(), seat) {
		return ErrSpeaker
	}
	ok := false
	switch a := a.(type) {
	case Vote:
		if p.Phase == Voting && (a.For < 0 || a.For >= p.seats()) {
			return ErrVote
		}
		ok = p.Phase == Voting
	case Ask:
		if p.Phase == Turn && !p.question(a.Cards) {
			return fmt.Errorf("%w: %d of them", ErrQuestion, p.Edition.QuestionSize)
		}
		ok = p.Phase == Turn
	case Accuse:
		ok = p.Phase == Turn
	case Deny, Show:
		ok = p.Phase == Answering
	case Seal:
		ok = p.Phase == Sealing
	case Unseal:
		ok = p.Phase == Unsealing
	case Order:
		if p.Phase == Ordering && !sameSeats(a.Seats, p.Accusation.Order) {
			return ErrOrder
		}
		ok = p.Phase == Ordering
	case Guess:
		ok = p.Phase == Guessing
	case Help:
		ok = p.Phase == Casting || p.Phase == Peeking || p.Phase == Revealing
	case Verdict:
		if p.Phase == Judging && a.Right && !p.Edition.Solution(a.Cards) {
			return ErrSolution
		}
		ok = p.Phase == Judging
	case Disclose:
		if p.Phase == Disclosing && !p.Edition.Solution(a.Cards) {
			return ErrSolution
		}
		ok = p.Phase == Disclosing
	case Leave:
		ok = p.Phase == Farewell
	}
	if !ok {
		return fmt.Errorf("%w: %s", ErrKind, p.Phase)
	}
	return nil
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

// Play folds a closed round: the acts of all Speakers, each Legal, in seat
// order. It returns the position after it.
func (p *Position) Play(said []Said, f Facts) (*Position, error) {
	speakers := p.Speakers()
	if len(said) != len(speakers) || len(said) == 0 {
		return nil, fmt.Errorf("%w: %d of %d have", ErrSpeaker, len(said), len(speakers))
	}
	for i, s := range said {
		if s.Seat != speakers[i] {
			return nil, ErrSpeaker
		}
		if err := p.Legal(s.Seat, s.Act); err != nil {
			return nil, err
		}
	}
	q := p.clone()
	switch p.Phase {
	case Voting:
		q.elect(said)
	case Turn:
		q.turn(said[0].Act)
	case Answering:
		q.answer(said[0].Act)
	case Sealing:
		q.Phase = Unsealing
	case Unsealing:
		q.unseal(said)
	case Casting:
		q.cast(f.Lot)
	case Ordering:
		q.agree(said)
	case Guessing:
		q.Phase = Disclosing
		if q.Accusation.Alone() {
			q.Phase = Peeking
		}
	case Peeking:
		q.Phase = Judging
	case Judging:
		q.judge(said[0].Act.(Verdict))
	case Disclosing:
		q.disclose(said)
	case Revealing:
		q.reveal(f.Crime)
	case Farewell:
		q.Phase = Over
	}
	return q, nil
}

func (p *Position) elect(said []Said) {
	votes := make([]int, p.seats())
	for _, s := range said {
		votes[s.Act.(Vote).For]++
	}
	most := slices.Max(votes)
	// The beacon drew p.Active; of those with most votes the first from there
	// on begins, so that a tie favours nobody.
	for i := range p.seats() {
		if s := (p.Active + i) % p.seats(); votes[s] == most {
			p.Active = s
			break
		}
	}
	p.Phase, p.Turns = Turn, 1
}

func (p *Position) turn(a Act) {
	switch a := a.(type) {
	case Ask:
		p.Question = &Question{Asker: p.Active, Cards: slices.Clone(a.Cards), Responder: (p.Active + 1) % p.seats()}
		p.Phase = Answering
	case Accuse:
		p.Accusation = &Accusation{Accuser: p.Active, Guesses: map[int][]Card{}}
		p.Phase = Sealing
		if len(p.bystanders()) == 0 {
			p.Accusation.Order = []int{p.Active}
			p.Phase = Guessing
		}
	}
}

func (p *Position) answer(a Act) {
	next := (p.Question.Responder + 1) % p.seats()
	if _, shown := a.(Show); shown || next == p.Question.Asker {
		p.pass()
		return
	}
	p.Question.Responder = next
}

// pass hands the turn to the next player to the left who is still in.
func (p *Position) pass() {
	p.Question, p.Accusation = nil, nil
	p.Active = p.In((p.Active + 1) % p.seats())[0]
	p.Phase = Turn
	p.Turns++
}

func (p *Position) unseal(said []Said) {
	accusers := []int{p.Active}
	for _, s := range p.In(p.Active) {
		for _, x := range said {
			if x.Seat == s && x.Act.(Unseal).Join {
				accusers = append(accusers, s)
			}
		}
	}
	p.Accusation.Order = accusers
	p.Phase = Guessing
	if len(accusers) > 1 {
		switch p.Options.Order {
		case "random":
			p.Phase = Casting
		case "agreed":
			p.Phase = Ordering
		}
	}
}

func (p *Position) cast(lot []int) {
	var order []int
	for _, s := range lot {
		if slices.Contains(p.Accusation.Order, s) {
			order = append(order, s)
		}
	}
	p.Accusation.Order = order
	p.Phase = Guessing
}

// agree takes the order that all accusers proposed. If they do not agree the
// default stays: the active player, then to the left.
func (p *Position) agree(said []Said) {
	first := said[0].Act.(Order).Seats
	same := true
	for _, s := range said[1:] {
		same = same && slices.Equal(s.Act.(Order).Seats, first)
	}
	if same {
		p.Accusation.Order = slices.Clone(first)
	}
	p.Phase = Guessing
}

func (p *Position) judge(v Verdict) {
	a := p.Accusation.Accuser
	if v.Right {
		p.Accusation.Guesses = map[int][]Card{a: slices.Clone(v.Cards)}
		p.finish(a, RightAlone)
		return
	}
	p.Out[a] = true
	left := p.In(a)
	switch {
	case len(left) == 0:
		p.finish(Nobody, EveryoneOut)
	case len(left) == 1 && p.Options.Last == "wins":
		p.finish(left[0], LastLeft)
	default:
		p.pass()
	}
}

func (p *Position) finish(winner int, why Reason) {
	p.Result = &Result{Winner: winner, Reason: why}
	p.Phase = Revealing
}

func (p *Position) disclose(said []Said) {
	p.Accusation.Guesses = make(map[int][]Card, len(said))
	for _, s := range said {
		p.Accusation.Guesses[s.Seat] = slices.Clone(s.Act.(Disclose).Cards)
	}
	p.Phase = Revealing
}

func (p *Position) reveal(crime []Card) {
	p.Crime = slices.Clone(crime)
	p.Phase = Farewell
	if p.Result != nil {
		return
	}
	p.Result = &Result{Winner: Nobody, Reason: AllWrong}
	for _, s := range p.Accusation.Order {
		if slices.Equal(p.Accusation.Guesses[s], crime) {
			p.Result = &Result{Winner: s, Reason: RightFirst}
			break
		}
	}
}
