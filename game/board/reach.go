package board

import "slices"

// Roll is what decides where a token may go with the dice.
type Roll struct {
	From Place
	Pips int
	// Taken are the squares that other tokens stand on: nobody goes through them.
	Taken []Square
	// Free says that a step into a room costs nothing. A step out of one costs 1.
	Free bool
}

// Moves is where a move can end.
type Moves struct {
	Squares []Square // row by row
	Rooms   []Room   // in order
}

// None reports whether there is nowhere to go.
func (m Moves) None() bool { return len(m.Squares) == 0 && len(m.Rooms) == 0 }

// To reports whether a move can end in a place.
func (m Moves) To(p Place) bool {
	if p.Room != Nowhere {
		return slices.Contains(m.Rooms, p.Room)
	}
	return slices.Contains(m.Squares, p.Square)
}

// Moves finds where a move can end. It goes from square to neighbouring square, on none
// of them twice, and may end earlier than the pips say only by entering a room: through a
// door, and not the room that it began in. If there is no way as long as the pips say,
// the squares at the end of the longest ways are the ones; a token that cannot move at
// all stays, and then there is none.
func (r Roll) Moves() Moves {
	s := search{roll: r}
	for _, t := range r.Taken {
		s.used[t.Y] |= 1 << t.X
	}
	if r.From.Room == Nowhere {
		at := r.From.Square
		s.used[at.Y] |= 1 << at.X
		s.walk(at, 0)
	} else {
		for _, d := range Doors(r.From.Room) {
			if r.Pips > 0 && s.free(d.Outside) {
				s.step(d.Outside, 1)
			}
		}
	}
	var out Moves
	for y, row := range s.ends {
		for x := range Width {
			if row&(1<<x) != 0 {
				out.Squares = append(out.Squares, Square{x, y})
			}
		}
	}
	for room := range Room(Rooms) {
		if s.rooms&(1<<room) != 0 {
			out.Rooms = append(out.Rooms, room)
		}
	}
	return out
}

// cells is a set of squares, by row and bit.
type cells [Height]uint32

// search walks every way there is. A corridor is two squares wide, so that there are few:
// some ten thousand with twelve pips.
type search struct {
	roll    Roll
	used    cells
	longest int
	ends    cells // of the longest ways
	rooms   uint16
}

func (s *search) free(q Square) bool { return s.used[q.Y]&(1<<q.X) == 0 }

// step goes to a square and on from there.
func (s *search) step(to Square, gone int) {
	s.used[to.Y] |= 1 << to.X
	s.walk(to, gone)
	s.used[to.Y] &^= 1 << to.X
}

// walk goes on from a square that took so many steps.
func (s *search) walk(at Square, gone int) {
	cost := 1
	if s.roll.Free {
		cost = 0
	}
	for _, d := range outside[at] {
		if d.Room != s.roll.From.Room && gone+cost <= s.roll.Pips {
			s.rooms |= 1 << d.Room
		}
	}
	switch {
	case gone > s.longest:
		s.longest, s.ends = gone, cells{}
		fallthrough
	case gone == s.longest && gone > 0:
		s.ends[at.Y] |= 1 << at.X
	}
	if gone == s.roll.Pips {
		return
	}
	for _, next := range neighbours[at] {
		if s.free(next) {
			s.step(next, gone+1)
		}
	}
}

// What does not change while people play.
var (
	neighbours = map[Square][]Square{}
	outside    = map[Square][]Door{} // by the square before it
)

func init() {
	for _, q := range Squares() {
		neighbours[q] = Around(q)
	}
	for _, d := range doors {
		outside[d.Outside] = append(outside[d.Outside], d)
	}
}

// Distance is the number of pips that it takes at least to come from one room to another
// over an empty board, a step out of the first and one into the second included.
func Distance(from, to Room) int { return Steps(In(from), to) }

// Steps is the number of pips that it takes at least to come from a place into a room over
// an empty board, a step out of a room and one into it included; none if that is where it
// starts.
func Steps(from Place, to Room) int {
	if from.Room == to {
		return 0
	}
	at, out := []Square{from.Square}, 0
	if from.Room != Nowhere {
		at, out = nil, 1
		for _, d := range Doors(from.Room) {
			at = append(at, d.Outside)
		}
	}
	seen := map[Square]bool{}
	for _, q := range at {
		seen[q] = true
	}
	for steps := out; len(at) > 0; steps++ {
		var next []Square
		for _, q := range at {
			if slices.ContainsFunc(outside[q], func(d Door) bool { return d.Room == to }) {
				return steps + 1
			}
			for _, n := range neighbours[q] {
				if !seen[n] {
					next, seen[n] = append(next, n), true
				}
			}
		}
		at = next
	}
	return -1 // no token stands there
}
