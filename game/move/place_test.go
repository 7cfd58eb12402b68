package move_test

import (
	"testing"

	"alibi/game/board"
	"alibi/game/move"
)

// Every place has one number, and no other number is one.
func TestPlaceNumbers(t *testing.T) {
	seen := map[board.Place]bool{}
	for n := range 1 << 16 {
		p, ok := move.Place(uint16(n))
		if want := n < board.Rooms+board.Width*board.Height; ok != want {
			t.Fatalf("%d is a place: %v", n, ok)
		}
		if !ok {
			continue
		}
		if seen[p] || move.PlaceNumber(p) != uint16(n) {
			t.Fatalf("%d is %v, which is %d", n, p, move.PlaceNumber(p))
		}
		seen[p] = true
	}
	for r := range board.Room(board.Rooms) {
		if !seen[board.In(r)] {
			t.Errorf("the %s has no number", r.Key())
		}
	}
	for _, s := range board.Squares() {
		if !seen[board.On(s)] {
			t.Errorf("%v has no number", s)
		}
	}
}
