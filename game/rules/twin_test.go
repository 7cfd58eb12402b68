package rules_test

import (
	"slices"

	"alibi/game/board"
	"alibi/game/rules"
)

// referee is the dumb twin of Position: the rule sheet as a script that is read
// from top to bottom. It keeps only what it has heard. To know what the table
// waits for, it plays the whole game again from the deal.
type referee struct {
	edition *rules.Edition
	options rules.Options
	seats   int
	early   []int // seats gone before the deal
	lot     int
	heard   []round

	tokens  [board.Suspects]board.Place // on the board, at the beginning
	weapons [6]board.Room

	next   int // of heard, in this reading
	now    sheet
	opened []rules.Said
	desk   desk
}

// round is what was said and came to light, or who has left instead.
type round struct {
	said  []rules.Said
	facts rules.Facts
	left  []int
}

// sheet is what a spectator would have on paper.
type sheet struct {
	Phase    string
	Speakers []int
	Active   int
	Turns    int
	Out      []int
	Gone     []int
	Laid     []int
	Asked    []rules.Card
	Accusers []int
	Winner   int
	Reason   rules.Reason
	Crime    []rules.Card
	Board    string // until there is a result
}

// sheetOf is the sheet of a position. While hands are laid the position is
// ahead in what comes next, and the referee has not thought about that yet.
func sheetOf(p *rules.Position) sheet {
	s := sheet{Phase: p.Phase.String(), Speakers: p.Speakers(), Out: which(p.Out), Gone: which(p.Gone), Laid: p.Laid}
	if p.Phase == rules.Laying {
		return s
	}
	s.Active, s.Turns, s.Crime = p.Active, p.Turns, p.Crime
	if p.Question != nil {
		s.Asked = p.Question.Cards
	}
	if p.Accusation != nil {
		s.Accusers = p.Accusation.Order
	}
	if p.Result != nil {
		s.Winner, s.Reason = p.Result.Winner, p.Result.Reason
	} else if p.Board != nil {
		s.Board = deskOf(p.Board).String()
	}
	return s
}

func which(seats []bool) (out []int) {
	for seat, is := range seats {
		if is {
			out = append(out, seat)
		}
	}
	return out
}

// waiting ends a reading at the first round not heard yet, ended ends the
// playing when somebody's leaving decided the game.
type (
	waiting struct{}
	ended   struct{}
)

func (r *referee) look() (s sheet) {
	defer func() {
		if e := recover(); e != nil && e != any(waiting{}) {
			panic(e)
		}
		slices.Sort(r.now.Out)
		slices.Sort(r.now.Gone)
		slices.Sort(r.now.Laid)
		s = r.now
		if r.edition.Board && s.Reason == 0 {
			s.Board = r.desk.String()
		}
		if s.Phase == "laying" {
			s = sheet{Phase: s.Phase, Speakers: s.Speakers, Out: s.Out, Gone: s.Gone, Laid: s.Laid}
		}
	}()
	r.next, r.now, r.opened = 0, sheet{Gone: slices.Clone(r.early)}, nil
	r.desk = desk{tokens: r.tokens, weapons: r.weapons, plays: map[int]int{}, called: map[int]bool{}}
	r.script()
	r.now.Phase, r.now.Speakers = "over", nil
	return
}

func (r *referee) hear(phase string, who ...int) round {
	slices.Sort(who)
	r.now.Phase, r.now.Speakers = phase, who
	if r.next == len(r.heard) {
		panic(waiting{})
	}
	r.next++
	return r.heard[r.next-1]
}

// ask waits for a round of play. If somebody leaves instead it sees to their
// hands and reports that; then it is for the caller to think again.
func (r *referee) ask(phase string, who ...int) (heard round, left bool) {
	heard = r.hear(phase, who...)
	for heard.left != nil {
		left = true
		r.now.Gone = append(r.now.Gone, heard.left...)
		r.now.Laid = append(r.now.Laid, heard.left...)
		if r.decided() {
			panic(ended{})
		}
		heard = r.hear("laying", r.present()...)
	}
	for _, s := range r.now.Laid {
		r.retire(s)
	}
	r.now.Laid = nil
	return heard, left
}

// insist asks until the round is heard. It gives up when player leaves.
func (r *referee) insist(player int, phase string, who func() []int) (heard round, gone bool) {
	for {
		heard, left := r.ask(phase, who()...)
		switch {
		case r.gone(player):
			return round{}, true
		case !left:
			return heard, false
		}
	}
}

func (r *referee) gone(seat int) bool { return slices.Contains(r.now.Gone, seat) }

func (r *referee) everyone() (seats []int) {
	for s := 0; s < r.seats; s++ {
		seats = append(seats, s)
	}
	return seats
}

func (r *referee) present() (seats []int) {
	for s := 0; s < r.seats; s++ {
		if !r.gone(s) {
			seats = append(seats, s)
		}
	}
	return seats
}

func (r *referee) left(of int) int {
	if of == r.seats-1 {
		return 0
	}
	return of + 1
}

// others are the players still in besides one, from their left on.
func (r *referee) others(player int) (seats []int) {
	for s := r.left(player); s != player; s = r.left(s) {
		if !slices.Contains(r.now.Out, s) && !r.gone(s) {
			seats = append(seats, s)
		}
	}
	return seats
}

// decided reports whether it is over because of who is still in.
func (r *referee) decided() bool {
	in := 0
	for _, s := range r.present() {
		if !slices.Contains(r.now.Out, s) {
			in++
			r.now.Winner = s
		}
	}
	switch {
	case in == 0:
		r.now.Winner, r.now.Reason = rules.Nobody, rules.EveryoneOut
	case in == 1 && r.options.Last == "wins":
		r.now.Reason = rules.LastLeft
	default:
		r.now.Winner = 0
		return false
	}
	return true
}

func (r *referee) script() {
	if !r.edition.Board {
		r.now.Active = r.drawn()
	}
	if !r.decided() {
		r.playing()
	}
	r.revealing()
	for r.hear("farewell", r.present()...).left != nil {
		r.now.Gone = append(r.now.Gone, r.heard[r.next-1].left...)
	}
}

// drawn is the seat of the lot, or who stands in for it.
func (r *referee) drawn() int {
	s := r.lot
	for r.gone(s) {
		s = r.left(s)
	}
	return s
}

func (r *referee) playing() {
	defer func() {
		switch e := recover(); e {
		case nil:
		case any(ended{}):
			r.now.Laid, r.now.Asked, r.now.Accusers = nil, nil, nil
		default:
			panic(e)
		}
	}()
	player := r.lot
	switch first := r.options.First; {
	case r.edition.Board:
		player = r.picking()
	case first == "opener":
		player = r.opener()
	case first == "vote":
		player = r.vote()
	}
	for r.gone(player) {
		player = r.left(player)
	}
	for !r.turn(player) {
		r.now.Asked, r.now.Accusers = nil, nil
		r.desk.dice = nil
		player = r.left(player)
		for slices.Contains(r.now.Out, player) || r.gone(player) {
			player = r.left(player)
		}
	}
}

func (r *referee) opener() int {
	for !r.gone(0) {
		r.now.Active = r.drawn()
		if heard, left := r.ask("voting", 0); !left {
			return heard.said[0].Act.(rules.Vote).For
		}
	}
	return r.lot
}

func (r *referee) vote() int {
	heard, left := r.ask("voting", r.present()...)
	for left {
		r.now.Active = r.drawn()
		heard, left = r.ask("voting", r.present()...)
	}
	count := map[int]int{}
	for _, v := range heard.said {
		count[v.Act.(rules.Vote).For]++
	}
	best := r.lot
	for s := r.left(r.lot); s != r.lot; s = r.left(s) {
		if count[s] > count[best] {
			best = s
		}
	}
	return best
}
