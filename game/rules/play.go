package rules

import (
	"errors"
	"fmt"
	"slices"

	"alibi/game/board"
)

// Facts are what a closed round brought to light beyond its acts. Other phases
// than the ones named need none.
type Facts struct {
	Crime []Card // Revealing: the Crime cards, in category order
	Lot   []int  // Casting: a random order of all seats
	Dice  []int  // Rolling: the pips of each die
}

// Refusals of Play, besides those of Legal.
var (
	ErrRound = errors.New("rules: a round is one act of each speaker, in seat order")
	ErrFacts = errors.New("rules: these facts do not fit the round")
)

// Play folds a closed round: the acts of all Speakers, each Legal, in seat
// order. It returns the position after it, or an error and no position.
func (p *Position) Play(said []Said, f Facts) (*Position, error) {
	speakers := p.Speakers()
	if len(speakers) == 0 || !slices.EqualFunc(said, speakers, func(s Said, seat int) bool { return s.Seat == seat }) {
		return nil, fmt.Errorf("%w: %s is for %v", ErrRound, p.Phase, speakers)
	}
	for _, s := range said {
		if err := p.Legal(s.Seat, s.Act); err != nil {
			return nil, err
		}
	}
	if !p.fits(f) {
		return nil, fmt.Errorf("%w: %s", ErrFacts, p.Phase)
	}
	q := p.clone()
	switch p.Phase {
	case Voting:
		q.elect(said)
	case Turn, Suggesting, Closing:
		q.turn(said[0].Act)
	case Picking:
		q.pick(said[0].Act.(Pick).Suspect)
	case Rolling:
		q.roll(f.Dice)
	case Moving:
		q.move(said[0].Act.(Move).To)
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
		q.fix()
	case Confirming:
		q.Phase = Peeking
	case Peeking:
		q.Phase = Judging
	case Judging:
		q.judge(said[0].Act.(Verdict))
	case Disclosing:
		q.disclose(said)
	case Laying:
		q.Phase, q.Laid, q.After, q.Before = q.After, nil, 0, nil
	case Revealing:
		q.reveal(f.Crime)
	case Farewell:
		q.Phase = Over
	}
	return q, nil
}

// fits reports whether f is what this phase brings to light. Cards that differ
// from a guess already declared right are no Crime cards.
func (p *Position) fits(f Facts) bool {
	switch p.Phase {
	case Casting:
		return sameSeats(f.Lot, p.all())
	case Rolling:
		return len(f.Dice) == p.Options.Dice() && !slices.ContainsFunc(f.Dice, func(n int) bool { return n < 1 || n > 6 })
	case Revealing:
		if p.Result != nil && p.Result.Reason == RightAlone {
			return slices.Equal(f.Crime, p.Accusation.Guesses[p.Result.Winner])
		}
		return p.Edition.Solution(f.Crime)
	default:
		return true
	}
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
	p.begin()
}

func (p *Position) turn(a Act) {
	if p.Board != nil {
		p.Board.Called[p.Active] = false // used now, or lost
	}
	switch a := a.(type) {
	case Ask:
		p.Question = &Question{Asker: p.Active, Cards: slices.Clone(a.Cards)}
		p.Phase = Answering
		p.refer(p.Active + 1)
	case Accuse:
		p.Accusation = &Accusation{Accuser: p.Active, Turn: p.Active, Guesses: map[int][]Card{}}
		p.Phase = Sealing
		if !p.Edition.JoinAccusation || len(p.bystanders()) == 0 {
			p.alone()
		}
	case Roll:
		p.Phase = Rolling
	case Passage:
		to, _ := board.Passage(p.stand().Room)
		p.move(board.In(to))
	case Suggest:
		p.suggest(a)
	case Charge:
		p.charge(a.Cards)
	case End:
		p.pass()
	}
}

func (p *Position) answer(a Act) {
	if _, shown := a.(Show); shown {
		p.answered()
		return
	}
	p.refer(p.Question.Responder + 1)
}

// refer puts the question to the first seat from s on to the left that has not
// left, eliminated or not. Before it comes back to the asker, it is answered.
func (p *Position) refer(s int) {
	s %= p.seats()
	for p.gone(s) { // the asker is not
		s = (s + 1) % p.seats()
	}
	if s == p.Question.Asker {
		p.answered()
		return
	}
	p.Question.Responder = s
}

// answered passes the turn on after a question; on a board the asker may still
// accuse in it.
func (p *Position) answered() {
	if p.Edition.Board {
		p.Question, p.Phase = nil, Closing
		return
	}
	p.pass()
}

// pass hands the turn to the next player to the left who is still in.
func (p *Position) pass() {
	from := p.Active
	if p.Accusation != nil {
		from = p.Accusation.Turn
	}
	p.Question, p.Accusation = nil, nil
	if p.Board != nil {
		p.Board.Dice = nil
	}
	p.Active = p.In((from + 1) % p.seats())[0]
	p.Phase = Turn
	p.Turns++
}

// alone goes on with an accusation that nobody joins.
func (p *Position) alone() {
	p.Accusation.Order = []int{p.Active}
	p.Phase = Guessing
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

// fix goes on from guesses that are fixed.
func (p *Position) fix() {
	p.Phase = Confirming
	if !p.Accusation.Alone() {
		p.Phase, p.Accusation.Open = Disclosing, true
	}
}

func (p *Position) judge(v Verdict) {
	a := p.Accusation.Accuser
	if v.Right {
		if p.Accusation.Guesses[a] == nil {
			p.Accusation.Guesses = map[int][]Card{a: slices.Clone(v.Cards)}
		}
		p.finish(a, RightAlone)
		return
	}
	p.Out[a] = true
	p.retire([]int{a})
	if !p.settle() {
		p.pass()
	}
}

// settle ends the game when that follows from who is still in.
func (p *Position) settle() bool {
	switch in := p.In(0); {
	case len(in) == 0:
		p.finish(Nobody, EveryoneOut)
	case len(in) == 1 && p.Options.Last == "wins":
		p.finish(in[0], LastLeft)
	default:
		return false
	}
	return true
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
