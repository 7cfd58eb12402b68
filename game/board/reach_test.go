package board

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// dumb lists every way of a roll, square by square, and looks where each of them ends. It
// shares nothing with the search but the doors and the cells.
func dumb(r Roll) (squares map[Square]bool, rooms map[Room]bool) {
	squares, rooms = map[Square]bool{}, map[Room]bool{}
	ways := [][]Square{}
	if r.From.Room == Nowhere {
		ways = append(ways, []Square{r.From.Square})
	} else {
		for _, d := range Doors() {
			if d.Room == r.From.Room && !slices.Contains(r.Taken, d.Outside) {
				ways = append(ways, []Square{d.Outside})
			}
		}
	}
	steps := func(w []Square) int {
		if r.From.Room == Nowhere {
			return len(w) - 1
		}
		return len(w)
	}
	last := map[int]map[Square]bool{}
	for ; len(ways) > 0; ways = ways[1:] {
		w := ways[0]
		at := w[len(w)-1]
		if steps(w) > r.Pips {
			continue
		}
		if last[steps(w)] == nil {
			last[steps(w)] = map[Square]bool{}
		}
		last[steps(w)][at] = true
		for _, d := range Doors() {
			if d.Outside == at && d.Room != r.From.Room && (r.Free || steps(w) < r.Pips) {
				rooms[d.Room] = true
			}
		}
		for _, dir := range [][2]int{{0, 1}, {0, -1}, {1, 0}, {-1, 0}} {
			n := Square{at.X + dir[0], at.Y + dir[1]}
			if Corridor(n) && !slices.Contains(w, n) && !slices.Contains(r.Taken, n) {
				ways = append(ways, append(slices.Clone(w), n))
			}
		}
	}
	for n := r.Pips; n > 0; n-- {
		if len(last[n]) > 0 {
			return last[n], rooms
		}
	}
	return squares, rooms
}

// Where a move can end is where one of all ways ends, whoever stands in between.
func TestMovesAreThoseOfAllWays(t *testing.T) {
	all := Squares()
	var busy []Square // where tokens are in the way most
	for _, d := range Doors() {
		busy = append(busy, d.Outside)
	}
	rapid.Check(t, func(t *rapid.T) {
		r := Roll{Pips: rapid.IntRange(0, 8).Draw(t, "pips"), Free: rapid.Bool().Draw(t, "free")}
		if rapid.Bool().Draw(t, "in a room") {
			r.From = In(Room(rapid.IntRange(0, Rooms-1).Draw(t, "room")))
		} else {
			r.From = On(rapid.SampledFrom(all).Draw(t, "square"))
		}
		for range rapid.IntRange(0, 5).Draw(t, "others") {
			if s := rapid.SampledFrom(rapid.SampledFrom([][]Square{all, busy}).Draw(t, "where")).Draw(t, "other"); On(s) != r.From {
				r.Taken = append(r.Taken, s)
			}
		}
		got := r.Moves()
		squares, rooms := dumb(r)
		for _, s := range all {
			if got.To(On(s)) != squares[s] {
				t.Fatalf("to %v: %v, want %v", s, got.To(On(s)), squares[s])
			}
		}
		for room := range Room(Rooms) {
			if got.To(In(room)) != rooms[room] {
				t.Fatalf("into %s: %v, want %v", room.Key(), got.To(In(room)), rooms[room])
			}
		}
		if got.None() != (len(squares)+len(rooms) == 0) {
			t.Fatalf("none: %v", got.None())
		}
	})
}

// What single sentences of the rules say.
func TestMoves(t *testing.T) {
	for what, c := range map[string]struct {
		roll Roll
		to   Place
		want bool
	}{
		"a room needs no exact roll":              {Roll{From: On(Square{4, 7}), Pips: 6}, In(Kitchen), true},
		"the room one left":                       {Roll{From: In(Kitchen), Pips: 6}, In(Kitchen), false},
		"another room in reach":                   {Roll{From: In(Hall), Pips: 8}, In(Lounge), true},
		"one pip too few":                         {Roll{From: In(Hall), Pips: 7}, In(Lounge), false},
		"back to the square one came from":        {Roll{From: On(Square{4, 7}), Pips: 2}, On(Square{4, 7}), false},
		"short of the roll":                       {Roll{From: On(Square{4, 7}), Pips: 4}, On(Square{5, 7}), false},
		"round a corner":                          {Roll{From: On(Square{4, 7}), Pips: 2}, On(Square{6, 7}), true},
		"through a token":                         {Roll{From: On(Square{0, 17}), Pips: 3, Taken: []Square{{1, 17}}}, On(Square{3, 17}), false},
		"a door that somebody stands before":      {Roll{From: On(Square{4, 8}), Pips: 3, Taken: []Square{{4, 7}}}, In(Kitchen), false},
		"a door stands in one's own square":       {Roll{From: On(Square{4, 7}), Pips: 1}, In(Kitchen), true},
		"with no pips left":                       {Roll{From: On(Square{3, 7}), Pips: 1}, In(Kitchen), false},
		"with no pips left, where doors are free": {Roll{From: On(Square{3, 7}), Pips: 1, Free: true}, In(Kitchen), true},
		"a dead end that is long enough":          {Roll{From: On(Square{15, 23}), Pips: 2}, On(Square{16, 24}), true},
	} {
		if got := c.roll.Moves().To(c.to); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
	}
}

// A token that is shut in goes as far as it can, and stays where it is when that is
// nowhere.
func TestShutIn(t *testing.T) {
	if got := (Roll{From: In(Kitchen), Pips: 6, Taken: []Square{{4, 7}}}).Moves(); !got.None() {
		t.Errorf("out of a blocked room: %+v", got)
	}
	start := On(Start(1)) // (0,17), one neighbour
	if got := (Roll{From: start, Pips: 6, Taken: []Square{{1, 17}}}).Moves(); !got.None() {
		t.Errorf("off a blocked start: %+v", got)
	}
	got := Roll{From: start, Pips: 6, Taken: []Square{{3, 17}, {1, 16}, {2, 16}, {1, 18}, {2, 18}}}.Moves()
	if want := []Square{{2, 17}}; !slices.Equal(got.Squares, want) {
		t.Errorf("as far as it can: %v, want %v", got.Squares, want)
	}
	if got := (Roll{From: start}).Moves(); !got.None() {
		t.Errorf("without a pip: %+v", got)
	}
}

// BenchmarkMoves finds the moves with two sixes from where most ways begin.
func BenchmarkMoves(b *testing.B) {
	for _, pips := range []int{6, 12} {
		b.Run(fmt.Sprint(pips), func(b *testing.B) {
			for b.Loop() {
				_ = Roll{From: On(Square{9, 17}), Pips: pips}.Moves()
			}
		})
	}
}
