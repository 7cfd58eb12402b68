package rules_test

import (
	"fmt"
	"slices"

	"alibi/game/board"
	"alibi/game/rules"
)

// desk is what the referee of a game on the board has before them.
type desk struct {
	tokens  [board.Suspects]board.Place
	weapons [6]board.Room
	plays   map[int]int  // by seat: suspect
	called  map[int]bool // by seat: may stay
	dice    []int
}

// deskOf is the desk of a position, and what a desk says.
func deskOf(b *rules.Board) desk {
	d := desk{tokens: b.Tokens, weapons: b.Weapons, plays: map[int]int{}, called: map[int]bool{}, dice: b.Dice}
	for s, c := range b.Suspects {
		if c != rules.Unpicked {
			d.plays[s] = int(c)
		}
		if b.Called[s] {
			d.called[s] = true
		}
	}
	return d
}

func (d desk) String() string {
	return fmt.Sprint(d.tokens, d.weapons, d.plays, d.called, d.dice)
}

// picking is everybody's pick, and who begins then.
func (r *referee) picking() int {
	for s := 0; s < r.seats; s++ {
		for !r.gone(s) {
			r.now.Active = s
			if heard, left := r.ask("picking", s); !left {
				r.desk.plays[s] = int(heard.said[0].Act.(rules.Pick).Suspect)
				break
			}
		}
	}
	for suspect := 0; ; suspect++ {
		for seat, plays := range r.desk.plays {
			if plays == suspect && !r.gone(seat) {
				return seat
			}
		}
	}
}

// insistOn asks player alone.
func (r *referee) insistOn(player int, phase string) (a rules.Act, gone bool) {
	heard, gone := r.insist(player, phase, func() []int { return []int{player} })
	if gone {
		return nil, true
	}
	return heard.said[0].Act, false
}

func (r *referee) boardTurn(player int) (over bool) {
	act, gone := r.insistOn(player, "turn")
	if gone {
		return false
	}
	delete(r.desk.called, player)
	token := &r.desk.tokens[r.desk.plays[player]]
	switch a := act.(type) {
	case rules.Charge:
		return r.charge(player)
	case rules.Suggest:
		return r.suggest(player, a)
	case rules.Passage:
		token.Room = opposite[token.Room]
		return r.entered(player)
	}
	rolled, gone := r.insist(player, "rolling", r.present)
	if gone {
		return false
	}
	r.desk.dice = rolled.facts.Dice
	if r.stuck(*token) {
		return r.closing(player)
	}
	act, gone = r.insistOn(player, "moving")
	if gone {
		return false
	}
	*token = act.(rules.Move).To
	if token.Room == board.Nowhere {
		return r.closing(player)
	}
	return r.entered(player)
}

var opposite = map[board.Room]board.Room{board.Kitchen: board.Study, board.Study: board.Kitchen,
	board.Lounge: board.Conservatory, board.Conservatory: board.Lounge}

func (r *referee) entered(player int) (over bool) {
	act, gone := r.insistOn(player, "suggesting")
	if gone {
		return false
	}
	switch a := act.(type) {
	case rules.Charge:
		return r.charge(player)
	case rules.Suggest:
		return r.suggest(player, a)
	}
	return false
}

func (r *referee) suggest(player int, a rules.Suggest) (over bool) {
	room := r.desk.tokens[r.desk.plays[player]].Room
	before := r.desk.tokens[a.Suspect].Room
	r.desk.tokens[a.Suspect] = board.Place{Room: room}
	r.desk.weapons[a.Weapon-6] = room
	for _, s := range r.others(player) {
		if plays, ok := r.desk.plays[s]; ok && plays == int(a.Suspect) && before != room {
			r.desk.called[s] = true
		}
	}
	r.now.Asked = []rules.Card{a.Suspect, a.Weapon, rules.Card(12 + int(room))}
	r.answers(player)
	if r.gone(player) {
		return false
	}
	r.now.Asked = nil
	return r.closing(player)
}

func (r *referee) closing(player int) (over bool) {
	act, gone := r.insistOn(player, "closing")
	if _, charges := act.(rules.Charge); gone || !charges {
		return false
	}
	return r.charge(player)
}

func (r *referee) charge(player int) (over bool) {
	r.now.Accusers = []int{player}
	return r.verdict(player)
}

// retire puts what a player leaves before a door into the room.
func (r *referee) retire(player int) {
	delete(r.desk.called, player)
	plays, ok := r.desk.plays[player]
	if !ok {
		return
	}
	for _, d := range board.Doors() {
		if at := &r.desk.tokens[plays]; at.Room == board.Nowhere && at.Square == d.Outside {
			*at = board.Place{Room: d.Room}
		}
	}
}

// steps are the free squares next to a place, and the rooms.
func (r *referee) steps(from board.Place) (squares []board.Square, rooms []board.Room) {
	if from.Room == board.Nowhere {
		squares = board.Around(from.Square)
	}
	for _, d := range board.Doors() {
		switch {
		case from == board.In(d.Room):
			squares = append(squares, d.Outside)
		case from == board.On(d.Outside):
			rooms = append(rooms, d.Room)
		}
	}
	return slices.DeleteFunc(squares, func(s board.Square) bool { return slices.Contains(r.desk.tokens[:], board.On(s)) }), rooms
}

func (r *referee) stuck(from board.Place) bool {
	squares, rooms := r.steps(from)
	return len(squares)+len(rooms) == 0
}

// reaches tries every way there is, one pip after the other.
func (r *referee) reaches(player int, to board.Place) bool {
	from, pips := r.desk.tokens[r.desk.plays[player]], 0
	for _, n := range r.desk.dice {
		pips += n
	}
	longest, entered, ends := 0, map[board.Place]bool{}, map[int]map[board.Place]bool{}
	way := []board.Place{from}
	var walk func()
	walk = func() {
		at, gone := way[len(way)-1], len(way)-1
		if gone > longest {
			longest = gone
		}
		if ends[gone] == nil {
			ends[gone] = map[board.Place]bool{}
		}
		ends[gone][at] = true
		squares, rooms := r.steps(at)
		for _, room := range rooms {
			if room != from.Room && (gone < pips || r.options.FreeDoors) {
				entered[board.In(room)] = true
			}
		}
		for _, s := range squares {
			if gone < pips && !slices.Contains(way, board.On(s)) {
				way = append(way, board.On(s))
				walk()
				way = way[:len(way)-1]
			}
		}
	}
	walk()
	return entered[to] || longest > 0 && ends[longest][to]
}

// allowsOnBoard is the referee's own idea of what may be said there.
func (r *referee) allowsOnBoard(s sheet, a rules.Act) bool {
	turn := s.Phase == "turn" && r.edition.Board
	switch a := a.(type) {
	case rules.Pick:
		for _, taken := range r.desk.plays {
			if taken == int(a.Suspect) {
				return false
			}
		}
		return s.Phase == "picking" && a.Suspect >= 0 && a.Suspect < 6
	case rules.Roll:
		return turn
	case rules.Passage:
		at := r.desk.tokens[r.desk.plays[s.Active]].Room
		return turn && (at == board.Kitchen || at == board.Study || at == board.Lounge || at == board.Conservatory)
	case rules.Move:
		return s.Phase == "moving" && r.reaches(s.Active, a.To)
	case rules.Suggest:
		return (s.Phase == "suggesting" || turn && r.desk.called[s.Active]) && a.Suspect >= 0 && a.Suspect < 6 && a.Weapon >= 6 && a.Weapon < 12
	case rules.Charge:
		return (turn || s.Phase == "suggesting" || s.Phase == "closing") && r.triple(a.Cards)
	case rules.End:
		return s.Phase == "suggesting" || s.Phase == "closing"
	}
	return false
}
