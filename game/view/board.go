package view

import (
	"alibi/game/board"
	"alibi/game/rules"
)

func (c Choices) onBoard() bool {
	return len(c.Pick) > 0 || c.Roll || c.Passage || !c.Go.None() || c.Suggest || c.Charge || c.End
}

// board lists what seat, whose turn it is, may do on the board.
func (c *Choices) board(p *rules.Position, seat int) {
	may := func(a rules.Act) bool { return p.Legal(seat, a) == nil }
	for _, s := range p.Edition.Of(rules.Suspect) {
		if may(rules.Pick{Suspect: s}) {
			c.Pick = append(c.Pick, s)
		}
	}
	c.Roll, c.Passage, c.End = may(rules.Roll{}), may(rules.Passage{}), may(rules.End{})
	c.Go = p.Moves()
	// Any suspect and weapon will do where some do, and any guess too.
	any := func(k rules.Category) rules.Card { return p.Edition.Of(k)[0] }
	c.Suggest = may(rules.Suggest{Suspect: any(rules.Suspect), Weapon: any(rules.Weapon)})
	c.Charge = may(rules.Charge{Cards: []rules.Card{any(rules.Suspect), any(rules.Weapon), any(rules.Location)}})
}

// Stand is where seat stands on the board; false before it plays a suspect.
func (v *View) Stand(seat int) (board.Place, bool) {
	if v.Board == nil || seat < 0 || v.Board.Suspects[seat] == rules.Unpicked {
		return board.Place{}, false
	}
	return v.Board.Tokens[v.Board.Suspects[seat]], true
}
