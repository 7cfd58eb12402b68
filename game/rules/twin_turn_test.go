package rules_test

import (
	"reflect"
	"slices"

	"alibi/game/rules"
)

func (r *referee) turn(player int) (over bool) {
	r.now.Active = player
	r.now.Turns++
	if r.edition.Board {
		return r.boardTurn(player)
	}
	heard, gone := r.insist(player, "turn", func() []int { return []int{player} })
	if gone {
		return false
	}
	ask, asks := heard.said[0].Act.(rules.Ask)
	if !asks {
		return r.accuse(player)
	}
	r.now.Asked = ask.Cards
	r.answers(player)
	return false
}

// answers hears everybody who is there until one shows or the asker leaves.
func (r *referee) answers(player int) {
	for s := r.left(player); s != player; {
		if r.gone(s) {
			s = r.left(s)
			continue
		}
		heard, left := r.ask("answering", s)
		if r.gone(player) {
			break
		}
		if left {
			continue
		}
		if _, shown := heard.said[0].Act.(rules.Show); shown {
			break
		}
		s = r.left(s)
	}
}

func (r *referee) accuse(player int) (over bool) {
	var opened []rules.Said
	for _, phase := range []string{"sealing", "unsealing"} {
		for len(r.others(player)) > 0 {
			heard, left := r.ask(phase, r.others(player)...)
			if r.gone(player) {
				return false
			}
			if !left {
				opened = heard.said
				break
			}
		}
	}
	r.now.Accusers = []int{player}
	for _, s := range r.others(player) {
		for _, o := range opened {
			if o.Seat == s && o.Act == (rules.Unseal{Join: true}) {
				r.now.Accusers = append(r.now.Accusers, s)
			}
		}
	}
	return r.together()
}

// alone is an accusation of one, who may be the last of several.
func (r *referee) alone(accuser int) (over bool) {
	if _, gone := r.insist(accuser, "guessing", func() []int { return []int{accuser} }); gone {
		return false
	}
	return r.verdict(accuser)
}

// verdict is an accusation of one whose guess is fixed or announced.
func (r *referee) verdict(accuser int) (over bool) {
	if _, gone := r.insist(accuser, "confirming", r.present); gone {
		return false
	}
	if _, gone := r.insist(accuser, "peeking", r.present); gone {
		return false
	}
	heard, gone := r.insist(accuser, "judging", func() []int { return []int{accuser} })
	if gone {
		return false
	}
	if heard.said[0].Act.(rules.Verdict).Right {
		r.now.Winner, r.now.Reason = accuser, rules.RightAlone
		return true
	}
	r.now.Out = append(r.now.Out, accuser)
	r.retire(accuser)
	return r.decided()
}

// stay strikes accusers who left. The first of the others goes on if it was
// the one whose turn it is that left.
func (r *referee) stay() {
	r.now.Accusers = slices.DeleteFunc(slices.Clone(r.now.Accusers), r.gone)
	if r.gone(r.now.Active) && len(r.now.Accusers) > 0 {
		r.now.Active = r.now.Accusers[0]
	}
}

func (r *referee) together() (over bool) {
	phase := map[string]string{"random": "casting", "agreed": "ordering"}[r.options.Order]
	for phase != "" && len(r.now.Accusers) > 1 {
		who := r.present()
		if phase == "ordering" {
			who = slices.Clone(r.now.Accusers)
		}
		heard, left := r.ask(phase, who...)
		if !left {
			r.order(heard)
			break
		}
		r.stay()
	}
	for len(r.now.Accusers) > 1 {
		if _, left := r.ask("guessing", slices.Clone(r.now.Accusers)...); !left {
			return r.disclose()
		}
		r.stay()
	}
	if len(r.now.Accusers) == 0 {
		return false
	}
	return r.alone(r.now.Accusers[0])
}

func (r *referee) order(heard round) {
	if lot := heard.facts.Lot; lot != nil {
		r.now.Accusers = slices.Clone(r.now.Accusers)
		slices.SortFunc(r.now.Accusers, func(a, b int) int { return slices.Index(lot, a) - slices.Index(lot, b) })
		return
	}
	agreed := true
	for _, p := range heard.said {
		agreed = agreed && reflect.DeepEqual(p.Act, heard.said[0].Act)
	}
	if agreed {
		r.now.Accusers = heard.said[0].Act.(rules.Order).Seats
	}
}

func (r *referee) disclose() (over bool) {
	for len(r.now.Accusers) > 0 {
		heard, left := r.ask("disclosing", slices.Clone(r.now.Accusers)...)
		if !left {
			r.opened = heard.said
			return true
		}
		r.stay()
	}
	return false
}

// revealing turns the Crime cards over. If nobody has won yet, the first of the
// accusers who is still there and was right does.
func (r *referee) revealing() {
	for {
		heard := r.hear("revealing", r.present()...)
		if heard.left == nil {
			r.now.Crime = heard.facts.Crime
			break
		}
		r.now.Gone = append(r.now.Gone, heard.left...)
		if r.now.Reason == 0 {
			r.now.Accusers = slices.DeleteFunc(slices.Clone(r.now.Accusers), r.gone)
		}
	}
	if r.now.Reason != 0 {
		return
	}
	r.now.Winner, r.now.Reason = rules.Nobody, rules.AllWrong
	for i := len(r.now.Accusers) - 1; i >= 0; i-- {
		for _, o := range r.opened {
			if o.Seat == r.now.Accusers[i] && reflect.DeepEqual(o.Act.(rules.Disclose).Cards, r.now.Crime) {
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
		return s.Phase == "voting" && slices.Contains(r.present(), a.For)
	case rules.Ask:
		return s.Phase == "turn" && !r.edition.Board && len(a.Cards) == 2 && a.Cards[0] != a.Cards[1] && r.card(a.Cards[0]) && r.card(a.Cards[1])
	case rules.Accuse:
		return s.Phase == "turn" && !r.edition.Board
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
		return s.Phase == "casting" || s.Phase == "rolling" || s.Phase == "confirming" || s.Phase == "peeking" || s.Phase == "laying" || s.Phase == "revealing"
	case rules.Verdict:
		return s.Phase == "judging" && (a.Right && !r.edition.Board && r.triple(a.Cards) || (!a.Right || r.edition.Board) && len(a.Cards) == 0)
	case rules.Disclose:
		return s.Phase == "disclosing" && r.triple(a.Cards)
	case rules.Leave:
		return s.Phase == "farewell"
	}
	return r.allowsOnBoard(s, a)
}

func (r *referee) card(c rules.Card) bool { return c >= 0 && c < rules.Card(len(r.edition.Cards)) }

// triple counts on the deck's order: six suspects, then three, four or six weapons.
func (r *referee) triple(cs []rules.Card) bool {
	weapons := rules.Card(3)
	switch r.edition.Name {
	case "card-advanced":
		weapons = 4
	case "classic":
		weapons = 6
	}
	return len(cs) == 3 && cs[0] >= 0 && cs[0] < 6 && cs[1] >= 6 && cs[1] < 6+weapons &&
		cs[2] >= 6+weapons && r.card(cs[2])
}
