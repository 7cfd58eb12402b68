package move

import "alibi/game/board"

// PlaceNumber is the number of a place in an entry: that of a room, or of a
// square those above, row by row over the whole board. Each place has one.
func PlaceNumber(p board.Place) uint16 {
	if p.Room != board.Nowhere {
		return uint16(p.Room)
	}
	return uint16(board.Rooms + p.Square.Y*board.Width + p.Square.X)
}

// Place is the place with a number. Squares on which no token can stand have
// one too; a number beyond the board is none.
func Place(number uint16) (p board.Place, ok bool) {
	if number < board.Rooms {
		return board.In(board.Room(number)), true
	}
	cell := int(number) - board.Rooms
	if cell >= board.Width*board.Height {
		return board.Place{}, false
	}
	return board.On(board.Square{X: cell % board.Width, Y: cell / board.Width}), true
}
