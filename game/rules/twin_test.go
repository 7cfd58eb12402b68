package rules_test

import (
	"reflect"
	"slices"

	"alibi/game/rules"
)

// referee is the dumb twin of Position: the rule sheet as a script that is read
// from top to bottom. It keeps only the rounds it has heard. To know what the
// table waits for, it plays the whole game again from the deal.
type referee struct {
	edition *rules.Edition
	options rules.Options
	seats   int
	lot     int
	heard   []round

	next int // of heard, in this reading
	now  sheet
}

type round struct {
	said  []rules.Said
	facts rules.Facts
}

// sheet is what a spectator would have on paper.
type sheet struct {
	Phase    string
	Speakers []int
	Active   int
	Turns    int
	Out      []int
	Asked    []rules.Card
	Accusers []int
	Winner   int
	Reason   rules.Reason
	Crime    []rules.Card
}

func sheetOf(p *rules.Position) sheet {
	s := sheet{Phase: p.Phase.String(), Speakers: p.Speakers(), Active: p.Active, Turns: p.Turns, Crime: p.Crime}
	for seat, out := range p.Out {
		if out {
			s.Out = append(s.Out, seat)
		}
	}
	if p.Question != nil {
		s.Asked = p.Question.Cards
	}
	if p.Accusation != nil {
		s.Accusers = p.Accusation.Order
	}
	if p.Result != nil {
		s.Winner, s.Reason = p.Result.Winner, p.Result.Reason
	}
	return s
}

// waiting ends a reading at the first round not heard yet.
type waiting struct{}

func (r *referee) look() (s sheet) {
	defer func() {
		if e := recover(); e != nil && e != any(waiting{}) {
			panic(e)
		}
		slices.Sort(r.now.Out)
		s = r.now
	}()
	r.next, r.now = 0, sheet{}
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

func (r *referee) everyone() (seats []int) {
	for s := 0; s < r.seats; s++ {
		seats = append(seats, s)
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
		if !slices.Contains(r.now.Out, s) {
			seats = append(seats, s)
		}
	}
	return seats
}

func (r *referee) script() {
	player := r.lot
	r.now.Active = player
	switch r.options.First {
	case "opener":
		player = r.hear("voting", 0).said[0].Act.(rules.Vote).For
	case "vote":
		player = r.vote()
	}
	for !r.turn(player) {
		r.now.Asked, r.now.Accusers = nil, nil
		player = r.left(player)
		for slices.Contains(r.now.Out, player) {
			player = r.left(player)
		}
	}
	r.hear("farewell", r.everyone()...)
}

func (r *referee) vote() int {
	count := map[int]int{}
	for _, v := range r.hear("voting", r.everyone()...).said {
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

func (r *referee) turn(player int) (over bool) {
	r.now.Active = player
	r.now.Turns++
	ask, asks := r.hear("turn", player).said[0].Act.(rules.Ask)
	if !asks {
		return r.accuse(player)
	}
	r.now.Asked = ask.Cards
	for s := r.left(player); s != player; s = r.left(s) {
		if _, shown := r.hear("answering", s).said[0].Act.(rules.Show); shown {
			break
		}
	}
	return false
}

func (r *referee) accuse(player int) (over bool) {
	accusers := []int{player}
	if others := r.others(player); len(others) > 0 {
		r.hear("sealing", slices.Clone(others)...)
		opened := r.hear("unsealing", slices.Clone(others)...).said
		for _, s := range others {
			for _, o := range opened {
				if o.Seat == s && o.Act == (rules.Unseal{Join: true}) {
					accusers = append(accusers, s)
				}
			}
		}
	}
	r.now.Accusers = accusers
	if len(accusers) == 1 {
		return r.alone(player)
	}
	r.together()
	return true
}

func (r *referee) alone(player int) (over bool) {
	r.hear("guessing", player)
	r.hear("confirming", r.everyone()...)
	r.hear("peeking", r.everyone()...)
	if r.hear("judging", player).said[0].Act.(rules.Verdict).Right {
		r.end(player, rules.RightAlone)
		return true
	}
	r.now.Out = append(r.now.Out, player)
	left := r.others(player)
	if len(left) == 0 {
		r.end(rules.Nobody, rules.EveryoneOut)
		return true
	}
	if len(left) == 1 && r.options.Last == "wins" {
		r.end(left[0], rules.LastLeft)
		return true
	}
	return false
}

func (r *referee) end(winner int, why rules.Reason) {
	r.now.Winner, r.now.Reason = winner, why
	r.now.Crime = r.hear("revealing", r.everyone()...).facts.Crime
}

func (r *referee) together() {
	switch r.options.Order {
	case "random":
		lot := r.hear("casting", r.everyone()...).facts.Lot
		r.now.Accusers = slices.Clone(r.now.Accusers)
		slices.SortFunc(r.now.Accusers, func(a, b int) int { return slices.Index(lot, a) - slices.Index(lot, b) })
	case "agreed":
		agreed := true
		proposals := r.hear("ordering", slices.Clone(r.now.Accusers)...).said
		for _, p := range proposals {
			agreed = agreed && reflect.DeepEqual(p.Act, proposals[0].Act)
		}
		if agreed {
			r.now.Accusers = proposals[0].Act.(rules.Order).Seats
		}
	}
	r.hear("guessing", slices.Clone(r.now.Accusers)...)
	opened := r.hear("disclosing", slices.Clone(r.now.Accusers)...).said
	crime := r.hear("revealing", r.everyone()...).facts.Crime
	r.now.Crime = crime
	r.now.Winner, r.now.Reason = rules.Nobody, rules.AllWrong
	for i := len(r.now.Accusers) - 1; i >= 0; i-- {
		for _, o := range opened {
			if o.Seat == r.now.Accusers[i] && reflect.DeepEqual(o.Act.(rules.Disclose).Cards, crime) {
				r.now.Winner, r.now.Reason = o.Seat, rules.RightFirst
			}
		}
	}
}

// allows is the referee's own idea of what may be said.
func (r *referee) allows(seat int, a rules.Act) bool {
	s := r.look()
	if !slices.Contains(s.Speakers, seat) {
		return false
	}
	switch a := a.(type) {
	case rules.Vote:
		return s.Phase == "voting" && slices.Contains(r.everyone(), a.For)
	case rules.Ask:
		return s.Phase == "turn" && len(a.Cards) == 2 && a.Cards[0] != a.Cards[1] && r.card(a.Cards[0]) && r.card(a.Cards[1])
	case rules.Accuse:
		return s.Phase == "turn"
	case rules.Deny, rules.Show:
		return s.Phase == "answering"
	case rules.Seal:
		return s.Phase == "sealing"
	case rules.Unseal:
		return s.Phase == "unsealing"
	case rules.Order:
		once := map[int]bool{}
		for _, x := range a.Seats {
			once[x] = slices.Contains(s.Accusers, x)
		}
		for _, accuser := range once {
			if !accuser {
				return false
			}
		}
		return s.Phase == "ordering" && len(once) == len(s.Accusers) && len(a.Seats) == len(once)
	case rules.Guess:
		return s.Phase == "guessing"
	case rules.Help:
		return s.Phase == "casting" || s.Phase == "confirming" || s.Phase == "peeking" || s.Phase == "revealing"
	case rules.Verdict:
		return s.Phase == "judging" && (a.Right && r.triple(a.Cards) || !a.Right && len(a.Cards) == 0)
	case rules.Disclose:
		return s.Phase == "disclosing" && r.triple(a.Cards)
	case rules.Leave:
		return s.Phase == "farewell"
	}
	return false
}

func (r *referee) card(c rules.Card) bool { return c >= 0 && c < rules.Card(len(r.edition.Cards)) }

// triple counts on the deck's order: six suspects, then three or four weapons.
func (r *referee) triple(cs []rules.Card) bool {
	weapons := rules.Card(3)
	if r.edition.Name == "card-advanced" {
		weapons = 4
	}
	return len(cs) == 3 && cs[0] >= 0 && cs[0] < 6 && cs[1] >= 6 && cs[1] < 6+weapons &&
		cs[2] >= 6+weapons && r.card(cs[2])
}
