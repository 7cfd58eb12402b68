// Package board is the board of the classic game as data: corridor squares, rooms, doors,
// secret passages and starts, and where a move can end. It knows no player, no card and
// no die.
package board

import (
	"slices"
	"strings"
)

// Size of the board in cells.
const (
	Width  = 24
	Height = 25
)

// Square is a cell, X from the left and Y from the top, from 0. Most are squares of the
// corridor; others belong to a room or to nothing.
type Square struct{ X, Y int }

// Room is one of the nine rooms, in the order of the board from the top left.
type Room int

// The rooms.
const (
	Kitchen Room = iota
	Ballroom
	Conservatory
	Dining
	Billiard
	Library
	Lounge
	Hall
	Study
)

// Rooms is how many there are, Nowhere is none of them.
const (
	Rooms   = 9
	Nowhere = Room(-1)
)

// keys name the rooms as the cards of the classic deck do.
var keys = [Rooms]string{"kitchen", "ballroom", "conservatory", "dining-room", "billiard-room", "library", "lounge", "hall", "study"}

// Key is the key of the room's card.
func (r Room) Key() string { return keys[r] }

// ByKey finds a room by the key of its card.
func ByKey(key string) (Room, bool) {
	i := slices.Index(keys[:], key)
	return Room(i), i >= 0
}

// Door leads from a square of the corridor to a cell of a room. There is no other way in
// or out, but for the passages.
type Door struct {
	Room    Room
	Inside  Square
	Outside Square
}

// Place is where a token stands: in a room or, with Nowhere, on a square.
type Place struct {
	Room   Room
	Square Square // of a place in a room, the zero one
}

// In is the place in a room.
func In(r Room) Place { return Place{Room: r} }

// On is the place on a square.
func On(s Square) Place { return Place{Nowhere, s} }

// plan is the board: a letter for each cell of a room, x for the stairs in the middle, a
// number for each start, a dot for the corridor and a blank for nothing. Row 0 is the top.
const plan = `
         3    4         
KKKKKK ...BBBB... CCCCCC
KKKKKK..BBBBBBBB..CCCCCC
KKKKKK..BBBBBBBB..CCCCCC
KKKKKK..BBBBBBBB..CCCCCC
KKKKKK..BBBBBBBB...CCCC 
 KKKKK..BBBBBBBB.......5
........BBBBBBBB....... 
 .................AAAAAA
DDDDD.............AAAAAA
DDDDDDDD..xxxxx...AAAAAA
DDDDDDDD..xxxxx...AAAAAA
DDDDDDDD..xxxxx...AAAAAA
DDDDDDDD..xxxxx........ 
DDDDDDDD..xxxxx...LLLLL 
DDDDDDDD..xxxxx..LLLLLLL
 .........xxxxx..LLLLLLL
2................LLLLLLL
 ........HHHHHH...LLLLL 
OOOOOOO..HHHHHH........6
OOOOOOO..HHHHHH........ 
OOOOOOO..HHHHHH..SSSSSSS
OOOOOOO..HHHHHH..SSSSSSS
OOOOOOO..HHHHHH..SSSSSSS
OOOOOO 1 HHHHHH . SSSSSS
`

// letters are those of the rooms in the plan.
const letters = "KBCDALOHS"

var doors = []Door{
	{Kitchen, Square{4, 6}, Square{4, 7}},
	{Ballroom, Square{8, 5}, Square{7, 5}},
	{Ballroom, Square{15, 5}, Square{16, 5}},
	{Ballroom, Square{9, 7}, Square{9, 8}},
	{Ballroom, Square{14, 7}, Square{14, 8}},
	{Conservatory, Square{18, 4}, Square{18, 5}},
	{Dining, Square{7, 12}, Square{8, 12}},
	{Dining, Square{6, 15}, Square{6, 16}},
	{Billiard, Square{18, 9}, Square{17, 9}},
	{Billiard, Square{22, 12}, Square{22, 13}},
	{Library, Square{20, 14}, Square{20, 13}},
	{Library, Square{17, 16}, Square{16, 16}},
	{Lounge, Square{6, 19}, Square{6, 18}},
	{Hall, Square{11, 18}, Square{11, 17}},
	{Hall, Square{12, 18}, Square{12, 17}},
	{Hall, Square{14, 20}, Square{15, 20}},
	{Study, Square{17, 21}, Square{17, 20}},
}

// passages are where the secret passages begin, by room.
var passages = map[Room]Square{Kitchen: {5, 1}, Conservatory: {22, 5}, Lounge: {0, 19}, Study: {23, 21}}

var rows = strings.Split(strings.Trim(plan, "\n"), "\n")

// cell is the letter of a square, a blank outside the board.
func cell(s Square) byte {
	if s.X < 0 || s.X >= Width || s.Y < 0 || s.Y >= Height {
		return ' '
	}
	return rows[s.Y][s.X]
}

// Corridor reports whether tokens can stand on a square: one of the corridor or a start.
func Corridor(s Square) bool {
	c := cell(s)
	return c == '.' || c >= '1' && c <= '6'
}

// RoomAt is the room that a cell belongs to, or Nowhere.
func RoomAt(s Square) Room {
	i := strings.IndexByte(letters, cell(s))
	if i < 0 {
		return Nowhere
	}
	return Room(i)
}

// Stairs reports whether a cell is one of those in the middle that nobody enters.
func Stairs(s Square) bool { return cell(s) == 'x' }

// Squares lists the squares on which tokens can stand, row by row.
func Squares() (out []Square) {
	for y := range Height {
		for x := range Width {
			if s := (Square{x, y}); Corridor(s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// Start is where the token of a suspect begins; suspects are numbered as in the deck,
// from 0: Scarlett, Mustard, White, Green, Peacock, Plum.
func Start(suspect int) Square { return starts[suspect] }

var starts = func() (out [Suspects]Square) {
	for _, s := range Squares() {
		if c := cell(s); c >= '1' {
			out[c-'1'] = s
		}
	}
	return out
}()

// Suspects is how many starts there are.
const Suspects = 6

// Doors lists the doors of all rooms, or those of one.
func Doors(of ...Room) []Door {
	return slices.DeleteFunc(slices.Clone(doors), func(d Door) bool { return len(of) > 0 && !slices.Contains(of, d.Room) })
}

// Passage is the room that a secret passage leads to from a corner room.
func Passage(from Room) (to Room, ok bool) {
	switch from {
	case Kitchen:
		return Study, true
	case Study:
		return Kitchen, true
	case Lounge:
		return Conservatory, true
	case Conservatory:
		return Lounge, true
	}
	return Nowhere, false
}

// PassageAt is the cell of a corner room where its passage begins.
func PassageAt(r Room) (Square, bool) {
	s, ok := passages[r]
	return s, ok
}

// Around lists the corridor squares next to one.
func Around(s Square) (out []Square) {
	for _, n := range [...]Square{{s.X, s.Y - 1}, {s.X + 1, s.Y}, {s.X, s.Y + 1}, {s.X - 1, s.Y}} {
		if Corridor(n) {
			out = append(out, n)
		}
	}
	return out
}
