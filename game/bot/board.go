package bot

import (
	"slices"

	"alibi/game/board"
	"alibi/game/rules"
	"alibi/game/seat"
	"alibi/game/view"
)

// onBoard is what the bot does in its own turn on a board.
func (b Bot) onBoard(v *view.View) seat.Action {
	k, c := Solve(v), v.Choices
	if s := k.Solution(); s != nil && c.Charge {
		return seat.Charge{Cards: s}
	}
	worth := b.worthwhile(v, k)
	at, _ := v.Stand(v.Me)
	switch here := slices.Contains(worth, at.Room); {
	case c.Suggest && (here || c.End): // what it is in a room for, or at least something
		return seat.Suggest{Suspect: b.unknown(v, k, rules.Suspect), Weapon: b.unknown(v, k, rules.Weapon)}
	case c.End:
		return seat.End{}
	case !c.Go.None():
		return seat.Go{To: b.move(v, worth)}
	}
	if to, ok := board.Passage(at.Room); ok && c.Passage && slices.Contains(worth, to) {
		return seat.Passage{}
	}
	return seat.Roll{}
}

// worthwhile lists the rooms in which a question tells the most: those whose cards
// are not placed. When all are, it is those that nobody else can show, since
// others answer with the room over and over.
func (b Bot) worthwhile(v *view.View, k *Knowledge) []board.Room {
	var open, safe []board.Room
	for r, c := range v.Edition.Of(rules.Location) {
		switch {
		case k.crime[c] == view.Unknown:
			open = append(open, board.Room(r))
		case k.harmless(c):
			safe = append(safe, board.Room(r))
		}
	}
	if len(open) > 0 {
		return open
	}
	return safe
}

// harmless reports whether no other player can hold c.
func (k *Knowledge) harmless(c rules.Card) bool {
	return k.crime[c] == view.Yes || k.faceUp(int(c)) || slices.Contains(k.v.Hand, c)
}

// unknown is a card of a category that is not placed, else one that nobody else
// can show.
func (b Bot) unknown(v *view.View, k *Knowledge, of rules.Category) rules.Card {
	all := b.shuffled(v, v.Edition.Of(of))
	for _, c := range all {
		if k.crime[c] == view.Unknown {
			return c
		}
	}
	for _, c := range all {
		if k.harmless(c) {
			return c
		}
	}
	return all[0] // what it saw contradicts itself
}

// move goes into a worthwhile room if it can, else as near to one as it can.
func (b Bot) move(v *view.View, worth []board.Room) board.Place {
	m := v.Choices.Go
	for _, r := range m.Rooms {
		if slices.Contains(worth, r) {
			return board.In(r)
		}
	}
	var places []board.Place
	for _, s := range m.Squares {
		places = append(places, board.On(s))
	}
	for _, r := range m.Rooms {
		places = append(places, board.In(r))
	}
	return slices.MinFunc(places, func(p, q board.Place) int { return nearest(p, worth) - nearest(q, worth) })
}

// nearest is how far it is from a place to one of some rooms over an empty board,
// or by the passage that begins there.
func nearest(at board.Place, rooms []board.Room) int {
	least := board.Width * board.Height
	for _, r := range rooms {
		least = min(least, board.Steps(at, r))
	}
	if to, ok := board.Passage(at.Room); ok && slices.Contains(rooms, to) {
		least = min(least, 1)
	}
	return least
}
