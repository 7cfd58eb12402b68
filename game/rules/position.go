package rules

import "slices"

// Phase says what the table waits for.
type Phase uint8

// A game runs Voting? (Turn ...)* Revealing Farewell Over.
const (
	Voting     Phase = iota // every seat, or the opener alone, names the player to begin
	Turn                    // the active player asks or accuses
	Answering               // one responder says no or shows
	Sealing                 // every other player still in seals join or pass
	Unsealing               // the same players open what they sealed
	Casting                 // every seat helps to draw the accusing order by lot
	Ordering                // the accusers each propose an order
	Guessing                // every accuser fixes a guess
	Confirming              // every seat says that it holds the same history, the fixed guess in it
	Peeking                 // every seat hands the Crime cards over to the lone accuser
	Judging                 // the lone accuser says right or wrong
	Disclosing              // all accusers open their guesses
	Revealing               // every seat helps to turn the Crime cards over
	Farewell                // every seat opens its key or keeps it
	Over
)

var phaseNames = [...]string{"voting", "turn", "answering", "sealing", "unsealing", "casting", "ordering",
	"guessing", "confirming", "peeking", "judging", "disclosing", "revealing", "farewell", "over"}

func (p Phase) String() string { return phaseNames[p] }

// Question is the question being answered.
type Question struct {
	Asker     int
	Cards     []Card
	Responder int // whose answer is awaited
}

// Accusation is the accusation being made.
type Accusation struct {
	Accuser int
	Order   []int          // all accusers in accusing order, once it is known who joins
	Guesses map[int][]Card // opened guesses by seat
}

// Alone reports whether nobody joined. It means something from Guessing on.
func (a *Accusation) Alone() bool { return len(a.Order) == 1 }

// Reason is why a game ended.
type Reason uint8

const (
	RightAlone  Reason = iota + 1 // the lone accuser was right
	RightFirst                    // the first of several accusers to be right
	AllWrong                      // several accused and all were wrong
	LastLeft                      // everybody else was out
	EveryoneOut                   // all accused alone and were wrong
)

// Nobody is the winner of a game that all lost.
const Nobody = -1

// Result is how a game ended.
type Result struct {
	Winner int // seat, or Nobody
	Reason Reason
}

// Position is what all may see of a game in play. Treat it as a value: Play
// returns a new one and leaves the old as it was.
type Position struct {
	Edition    *Edition
	Options    Options
	Phase      Phase
	Active     int // whose turn it is
	Out        []bool
	Question   *Question
	Accusation *Accusation
	Result     *Result
	Crime      []Card // once revealed
	Turns      int    // turns begun
}

// Start is the position after the deal. lot is a seat drawn by the beacon. With
// the options "vote", where it breaks ties, and "opener", where seat 0 alone
// has a vote, Voting comes first.
func Start(e *Edition, o Options, seats, lot int) *Position {
	p := &Position{Edition: e, Options: o, Out: make([]bool, seats)}
	switch o.First {
	case "vote", "opener":
		p.Phase, p.Active = Voting, lot
	default:
		p.Phase, p.Active, p.Turns = Turn, lot, 1
	}
	return p
}

func (p *Position) seats() int { return len(p.Out) }

func (p *Position) all() []int {
	out := make([]int, p.seats())
	for i := range out {
		out[i] = i
	}
	return out
}

// In lists the players who are not eliminated, from seat first to the left.
func (p *Position) In(first int) []int {
	var out []int
	for i := range p.seats() {
		if s := (first + i) % p.seats(); !p.Out[s] {
			out = append(out, s)
		}
	}
	return out
}

// Speakers lists the seats that owe an entry in this phase, in seat order.
func (p *Position) Speakers() []int {
	switch p.Phase {
	case Voting:
		if p.Options.First == "opener" {
			return []int{0}
		}
		return p.all()
	case Turn:
		return []int{p.Active}
	case Answering:
		return []int{p.Question.Responder}
	case Sealing, Unsealing:
		return p.bystanders()
	case Ordering, Guessing, Disclosing:
		out := slices.Clone(p.Accusation.Order)
		slices.Sort(out)
		return out
	case Judging:
		return []int{p.Accusation.Accuser}
	case Over:
		return nil
	default:
		return p.all()
	}
}

// bystanders are the players still in who did not start the accusation.
func (p *Position) bystanders() []int {
	var out []int
	for s := range p.seats() {
		if s != p.Active && !p.Out[s] {
			out = append(out, s)
		}
	}
	return out
}

func (p *Position) clone() *Position {
	q := *p
	q.Out = slices.Clone(p.Out)
	if p.Question != nil {
		c := *p.Question
		q.Question = &c
	}
	if p.Accusation != nil {
		c := *p.Accusation
		q.Accusation = &c
	}
	return &q
}
