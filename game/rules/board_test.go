package rules_test

import (
	"errors"
	"slices"
	"testing"

	"alibi/game/board"
	"alibi/game/rules"
)

// TestWeaponsAreWhereTheLotSays starts with the first rooms of a drawn order, and
// takes nothing that is no order of the rooms.
func TestWeaponsAreWhereTheLotSays(t *testing.T) {
	p, err := rules.StartBoard(rules.Classic(), rules.DefaultOptions(), 3, nil, []int{8, 0, 7, 1, 6, 2, 5, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	if want := [...]board.Room{board.Study, board.Kitchen, board.Hall, board.Ballroom, board.Lounge, board.Conservatory}; p.Board.Weapons != want {
		t.Errorf("the weapons are in %v, want %v", p.Board.Weapons, want)
	}
	for _, lot := range [][]int{nil, {0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5, 6, 7, 7}, {1, 2, 3, 4, 5, 6, 7, 8, 9}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 8}} {
		if p, err := rules.StartBoard(rules.Classic(), rules.DefaultOptions(), 3, nil, lot); !errors.Is(err, rules.ErrFacts) || p != nil {
			t.Errorf("%v: %v", lot, err)
		}
	}
}

// TestNobodyAtTheBoard is abandoned before it begins.
func TestNobodyAtTheBoard(t *testing.T) {
	p, err := rules.StartBoard(rules.Classic(), rules.DefaultOptions(), 2, []bool{true, true}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8})
	if err != nil || p.Phase != rules.Over || p.Result == nil || p.Result.Reason != rules.Abandoned {
		t.Fatalf("%+v, %v", p, err)
	}
}

// TestOneDoorPerSquare is what retiring a token relies on: it is clear which room
// a token before a door is put into.
func TestOneDoorPerSquare(t *testing.T) {
	var before []board.Square
	for _, d := range board.Doors() {
		if slices.Contains(before, d.Outside) {
			t.Errorf("%v is before two doors", d.Outside)
		}
		before = append(before, d.Outside)
	}
}

// TestRoomsOfDeckAndBoard guards that a room's number is its card's place among
// the locations.
func TestRoomsOfDeckAndBoard(t *testing.T) {
	e := rules.Classic()
	for i, c := range e.Of(rules.Location) {
		if key := e.Cards[c].Key; key != board.Room(i).Key() {
			t.Errorf("location %d is %s in the deck and %s on the board", i, key, board.Room(i).Key())
		}
	}
	if n := len(e.Of(rules.Suspect)); n != board.Suspects {
		t.Errorf("%d suspects have %d starts", n, board.Suspects)
	}
}
