package rules

import "slices"

// Phase says what the table waits for.
type Phase uint8

// A game runs Voting? (Turn ...)* Revealing Farewell Over. Laying comes in
// between whenever somebody leaves for good.
const (
	Voting     Phase = iota // every seat, or the opener alone, names the player to begin
	Turn                    // the active player asks or accuses; on a board: rolls, takes a passage, stays to suggest or accuses
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
	Laying                  // every seat helps to turn over the hands of those who left
	Revealing               // every seat helps to turn the Crime cards over
	Farewell                // every seat opens its key or keeps it
	Over

	// On a board Picking comes first, and a turn may run
	// Turn Rolling? Moving? Suggesting? Answering? Closing?
	// They stand after Over so that the numbers above stay as they are.
	Picking    // the active player picks a suspect; all do, in seat order
	Rolling    // every seat helps to roll the dice
	Moving     // the active player moves
	Suggesting // the active player, who has come into a room, suggests, accuses or ends the turn
	Closing    // the active player accuses or ends the turn
)

var phaseNames = [...]string{"voting", "turn", "answering", "sealing", "unsealing", "casting", "ordering",
	"guessing", "confirming", "peeking", "judging", "disclosing", "laying", "revealing", "farewell", "over",
	"picking", "rolling", "moving", "suggesting", "closing"}

func (p Phase) String() string { return phaseNames[p] }

// Question is the question being answered.
type Question struct {
	Asker     int
	Cards     []Card
	Responder int // whose answer is awaited
}

// Accusation is the accusation being made.
type Accusation struct {
	Accuser int            // who makes it: the first, or who is first after the first left
	Turn    int            // in whose turn it was announced; from there the turn passes on
	Order   []int          // all accusers in accusing order, once it is known who joins
	Open    bool           // the guesses are opened for all: from Disclosing on
	Guesses map[int][]Card // opened guesses by seat; on a board the announced one, though Open is false
}

// Alone reports whether one accuses with nobody else, and alone will see the
// Crime cards. It means something from Guessing on. An accuser whom the others
// left while guesses were being opened is not alone.
func (a *Accusation) Alone() bool { return len(a.Order) == 1 && !a.Open }

// Reason is why a game ended.
type Reason uint8

const (
	RightAlone  Reason = iota + 1 // the lone accuser was right
	RightFirst                    // the first of several accusers to be right
	AllWrong                      // several accused and none of them who stayed was right
	LastLeft                      // everybody else was out or had left
	EveryoneOut                   // nobody was still in: all were wrong alone or had left
	Abandoned                     // those who were there agreed to stop, or nobody was there
)

// Nobody is the winner of a game that nobody won.
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
	Active     int    // whose turn it is, or who took over the accusation made in it
	Out        []bool // by seat: accused wrongly; has no more turns, but answers and helps
	Gone       []bool // by seat: has left for good; nil is nobody
	Question   *Question
	Accusation *Accusation
	Result     *Result
	Crime      []Card // once revealed
	Turns      int    // turns begun
	Board      *Board // nil without one

	Laid   []int     // Laying: the seats whose hands are being turned over, in seat order
	After  Phase     // Laying: the phase that comes next; all but these and Phase is already as it will be then
	Before *Position // Laying: the position whose phase is done again
}

// Start is the position after the deal. gone are the seats that left before it,
// nil if none did. lot is a seat drawn by the beacon among all; the next one to
// its left stands in for a seat that is gone. With the options "vote", where the
// lot breaks ties, and "opener", where seat 0 alone has a vote, Voting comes first.
// A game on a board begins with StartBoard instead.
func Start(e *Edition, o Options, seats int, gone []bool, lot int) *Position {
	p := seated(e, o, seats, gone)
	if p.Phase == Over {
		return p
	}
	p.Active = p.In(lot)[0]
	switch {
	case p.settle():
	case o.First == "vote", o.First == "opener":
		p.revote()
	default:
		p.begin()
	}
	return p
}

// seated is a position before anything was said. It is over if nobody is there.
func seated(e *Edition, o Options, seats int, gone []bool) *Position {
	p := &Position{Edition: e, Options: o, Out: make([]bool, seats), Gone: make([]bool, seats)}
	copy(p.Gone, gone)
	if len(p.Present()) == 0 {
		p.abandon()
	}
	return p
}

// begin starts the first turn.
func (p *Position) begin() { p.Phase, p.Turns = Turn, 1 }

func (p *Position) seats() int { return len(p.Out) }

func (p *Position) all() []int {
	out := make([]int, p.seats())
	for i := range out {
		out[i] = i
	}
	return out
}

func (p *Position) gone(seat int) bool { return seat < len(p.Gone) && p.Gone[seat] }

// Present lists the seats that have not left, in seat order. All of them answer
// and help, eliminated or not.
func (p *Position) Present() []int {
	return slices.DeleteFunc(p.all(), p.gone)
}

// In lists the players still in, neither eliminated nor gone, from seat first
// to the left.
func (p *Position) In(first int) []int {
	var out []int
	for i := range p.seats() {
		if s := (first + i) % p.seats(); !p.Out[s] && !p.gone(s) {
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
		return p.Present()
	case Turn, Picking, Moving, Suggesting, Closing:
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
		return p.Present()
	}
}

// bystanders are the players still in who did not start the accusation.
func (p *Position) bystanders() []int {
	return slices.DeleteFunc(p.In(0), func(s int) bool { return s == p.Active })
}

func (p *Position) clone() *Position {
	q := *p
	q.Out = slices.Clone(p.Out)
	q.Gone = slices.Clone(p.Gone)
	if p.Question != nil {
		c := *p.Question
		q.Question = &c
	}
	if p.Accusation != nil {
		c := *p.Accusation
		q.Accusation = &c
	}
	q.Board = p.Board.Clone()
	return &q
}
