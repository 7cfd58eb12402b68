package rules

import (
	"fmt"
	"slices"

	"alibi/game/board"
)

// Unpicked is the suspect of a seat that has picked none.
const Unpicked Card = -1

// weapons are as many as lie on the board.
const weapons = 6

// Board is what lies on the board.
type Board struct {
	Tokens   [board.Suspects]board.Place // by suspect; those that nobody plays, too
	Weapons  [weapons]board.Room         // by weapon
	Suspects []Card                      // by seat: its suspect, or Unpicked
	Called   []bool                      // by seat: another's suggestion moved it since its last turn, so it may stay
	Dice     []int                       // rolled in this turn, nil before
}

// Clone is a copy that shares nothing.
func (b *Board) Clone() *Board {
	if b == nil {
		return nil
	}
	c := *b
	c.Suspects, c.Called, c.Dice = slices.Clone(b.Suspects), slices.Clone(b.Called), slices.Clone(b.Dice)
	return &c
}

// StartBoard is the position after the deal of a game on the board. gone are the
// seats that left before it, nil if none did. lot is a random order of all rooms,
// drawn by the beacon: the first ones get the weapons, in deck order. Who begins
// follows from who plays whom.
func StartBoard(e *Edition, o Options, seats int, gone []bool, lot []int) (*Position, error) {
	if !sameSeats(lot, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}) {
		return nil, fmt.Errorf("%w: %v is no order of the rooms", ErrFacts, lot)
	}
	p := seated(e, o, seats, gone)
	p.Board = &Board{Called: make([]bool, seats)}
	for i := range p.Board.Tokens {
		p.Board.Tokens[i] = board.On(board.Start(i))
	}
	for i := range p.Board.Weapons {
		p.Board.Weapons[i] = board.Room(lot[i])
	}
	for range seats {
		p.Board.Suspects = append(p.Board.Suspects, Unpicked)
	}
	if p.Phase != Over && !p.settle() {
		p.nextPick()
	}
	return p, nil
}

// legalOnBoard is what remains to be said of acts that are heard on the board.
func (p *Position) legalOnBoard(a Act) error {
	switch a := a.(type) {
	case Pick:
		if !p.is(a.Suspect, Suspect) || slices.Contains(p.Board.Suspects, a.Suspect) {
			return ErrPick
		}
	case Passage:
		if _, ok := board.Passage(p.stand().Room); !ok {
			return ErrPassage
		}
	case Move:
		// One place, one name: in a room there are no squares.
		if in := a.To.Room != board.Nowhere; in && a.To != board.In(a.To.Room) || !p.Moves().To(a.To) {
			return ErrMove
		}
	case Suggest:
		if !p.is(a.Suspect, Suspect) || !p.is(a.Weapon, Weapon) {
			return ErrSuggestion
		}
		if p.Phase == Turn && !p.Board.Called[p.Active] {
			return ErrStay
		}
	}
	return nil
}

func (p *Position) is(c Card, k Category) bool {
	return p.Edition.Valid(c) && p.Edition.Cards[c].Category == k
}

// Moves is where the active player may move with this roll: nowhere but in Moving.
func (p *Position) Moves() board.Moves {
	if p.Phase != Moving {
		return board.Moves{}
	}
	r := board.Roll{From: p.stand(), Free: p.Options.FreeDoors}
	for _, n := range p.Board.Dice {
		r.Pips += n
	}
	for s, at := range p.Board.Tokens {
		if at.Room == board.Nowhere && Card(s) != p.Board.Suspects[p.Active] {
			r.Taken = append(r.Taken, at.Square)
		}
	}
	return r.Moves()
}

// stand is where the active player stands.
func (p *Position) stand() board.Place { return p.Board.Tokens[p.Board.Suspects[p.Active]] }

// nextPick is for the next seat to pick. Once all have, the first suspect whose
// player is there begins: clockwise from Scarlett is the order of the deck.
func (p *Position) nextPick() {
	p.Phase = Picking
	first := -1
	for _, s := range p.In(0) {
		switch of := p.Board.Suspects; {
		case of[s] == Unpicked:
			p.Active = s
			return
		case first < 0 || of[s] < of[first]:
			first = s
		}
	}
	p.Active = first
	p.begin()
}

func (p *Position) pick(suspect Card) {
	p.Board.Suspects[p.Active] = suspect
	p.nextPick()
}

// roll goes on with the dice. Who cannot move at all may still accuse.
func (p *Position) roll(dice []int) {
	p.Board.Dice, p.Phase = slices.Clone(dice), Moving
	if p.Moves().None() {
		p.Phase = Closing
	}
}

// move moves the active player's token. In a room they may suggest.
func (p *Position) move(to board.Place) {
	p.Board.Tokens[p.Board.Suspects[p.Active]] = to
	p.Phase = Closing
	if to.Room != board.Nowhere {
		p.Phase = Suggesting
	}
}

// suggest brings suspect and weapon into the room and asks about them. A token
// that is there already is not moved, nor does one's own suggestion move oneself.
func (p *Position) suggest(a Suggest) {
	at := p.stand()
	if from := &p.Board.Tokens[a.Suspect]; *from != at {
		*from = at
		if s := slices.Index(p.Board.Suspects, a.Suspect); s >= 0 && !p.Out[s] && !p.gone(s) {
			p.Board.Called[s] = true
		}
	}
	p.Board.Weapons[a.Weapon-p.Edition.Of(Weapon)[0]] = at.Room
	p.Phase = Answering
	p.Question = &Question{Asker: p.Active, Cards: p.Asked(a)}
	p.refer(p.Active + 1)
}

// Asked are the cards that a legal suggestion is about.
func (p *Position) Asked(a Suggest) []Card {
	return []Card{a.Suspect, a.Weapon, p.Edition.Of(Location)[p.stand().Room]}
}

// charge announces an accusation. All confirm what they heard before the Crime
// cards go to the accuser, or one who tells each peer another guess could choose
// among them afterwards.
func (p *Position) charge(guess []Card) {
	p.Accusation = &Accusation{Accuser: p.Active, Turn: p.Active, Order: []int{p.Active},
		Guesses: map[int][]Card{p.Active: slices.Clone(guess)}}
	p.Phase = Confirming
}

// retire sees to the tokens of seats that have no more turns. One before a door
// goes into the room, for who never moves again must not keep it shut. No square
// is before two doors.
func (p *Position) retire(seats []int) {
	if p.Board == nil {
		return
	}
	for _, s := range seats {
		p.Board.Called[s] = false
		of := p.Board.Suspects[s]
		if of == Unpicked {
			continue
		}
		for _, d := range board.Doors() {
			if p.Board.Tokens[of] == board.On(d.Outside) {
				p.Board.Tokens[of] = board.In(d.Room)
			}
		}
	}
}
