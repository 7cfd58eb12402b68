package table

import (
	"alibi/game/move"
	"alibi/game/rules"
)

// narrate adds what a round of play meant to the story.
func (f *fold) narrate(round []said, pos *rules.Position) {
	for _, s := range round {
		f.narrateMove(s)
	}
	before := f.Pos
	switch before.Phase {
	case rules.Voting:
		f.tell(Event{Kind: Began, Seat: pos.Active})
	case rules.Turn, rules.Suggesting:
		asked := asked(before, round[0].move)
		if asked != nil && pos.Phase != rules.Answering { // nobody else is there
			f.tell(Event{Kind: Unanswered, Seat: before.Active, Cards: asked})
		}
	case rules.Picking:
		if pos.Phase == rules.Turn {
			f.tell(Event{Kind: Began, Seat: pos.Active})
		}
	case rules.Rolling:
		f.tell(Event{Kind: Rolled, Seat: before.Active, Dice: pos.Board.Dice})
	case rules.Answering:
		if _, denied := round[0].move.(*move.Deny); denied && pos.Phase != rules.Answering {
			f.tell(Event{Kind: Unanswered, Seat: before.Question.Asker, Cards: before.Question.Cards})
		}
	case rules.Casting, rules.Ordering:
		f.tell(Event{Kind: Ordered, Seat: before.Accusation.Accuser, Seats: pos.Accusation.Order})
	case rules.Peeking:
		f.tell(Event{Kind: Peeked, Seat: before.Accusation.Accuser})
	case rules.Laying:
		for _, seat := range before.Laid {
			f.tell(Event{Kind: LaidOpen, Seat: seat, Cards: f.next.Laid[seat]})
		}
		if opening(before.Before) && pos.Phase == rules.Turn {
			f.tell(Event{Kind: Began, Seat: pos.Active}) // whose word it was has left
		}
	case rules.Revealing:
		f.tell(Event{Kind: Revealed, Cards: pos.Crime})
		f.tell(Event{Kind: Ended, Result: pos.Result})
	}
}

// opening reports whether in p it is not known yet who begins.
func opening(p *rules.Position) bool {
	return p != nil && (p.Phase == rules.Voting || p.Phase == rules.Picking)
}

// asked are the cards that a move asks about, nil if it asks nothing.
func asked(p *rules.Position, m move.Move) []rules.Card {
	switch m := m.(type) {
	case *move.Ask:
		return cards(m.Cards)
	case *move.Suggest:
		return p.Asked(rules.Suggest{Suspect: rules.Card(m.Suspect), Weapon: rules.Card(m.Weapon)})
	}
	return nil
}

func (f *fold) narrateMove(s said) {
	e := Event{Seat: s.seat}
	switch m := s.move.(type) {
	case *move.Vote:
		e.Kind, e.To = Voted, int(m.For)
	case *move.Ask, *move.Suggest:
		e.Kind, e.Cards = Asked, asked(f.Pos, m)
	case *move.Pick:
		e.Kind, e.Cards = Picked, cards([]uint8{m.Suspect})
	case *move.Passage:
		e.Kind, e.At = TookPassage, f.next.Pos.Board.Tokens[f.next.Pos.Board.Suspects[s.seat]]
	case *move.Go:
		e.Kind = Moved
		e.At, _ = move.Place(m.To)
	case *move.Charge:
		e.Kind, e.Cards = Charged, cards(m.Cards)
	case *move.Accuse:
		e.Kind = Accused
	case *move.Deny:
		e.Kind, e.Cards = Denied, f.Pos.Question.Cards
	case *move.Show:
		e.Kind, e.To, e.Cards, e.Shown = Showed, f.Pos.Question.Asker, f.Pos.Question.Cards, f.shown
	case *move.Unseal:
		e.Kind = Passed
		if m.Join {
			e.Kind = Joined
		}
	case *move.Guess:
		e.Kind = Guessed
	case *move.Verdict:
		e.Kind = Wrong
		if m.Right {
			e.Kind, e.Cards = Right, f.next.Pos.Accusation.Guesses[s.seat]
		}
	case *move.Disclose:
		e.Kind, e.Cards = Disclosed, cards(m.Cards)
	case *move.Leave:
		e.Kind = Kept
		if len(m.Key) > 0 {
			e.Kind = Opened
		}
	default:
		return
	}
	f.tell(e)
}
