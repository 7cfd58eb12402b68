package board

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// facts is the board that others agreed on, 25 rows of 24 cells, and the text after it.
func facts(t *testing.T) (rows []string, text string) {
	t.Helper()
	b, err := os.ReadFile("testdata/board.txt")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^ ?\d+  (.{24})`)
	for _, m := range line.FindAllStringSubmatch(string(b), -1) {
		rows = append(rows, m[1])
	}
	if len(rows) != Height {
		t.Fatalf("%d rows", len(rows))
	}
	_, text, _ = strings.Cut(string(b), "\nDoors")
	return rows, text
}

// letterOf is the fact's letter for a cell of this board.
func letterOf(s Square) byte {
	for i := range Suspects {
		if Start(i) == s {
			return byte('1' + i)
		}
	}
	switch r := RoomAt(s); {
	case r != Nowhere && slices.ContainsFunc(Doors(r), func(d Door) bool { return d.Inside == s }):
		return letters[r] + 'a' - 'A'
	case r != Nowhere:
		return letters[r]
	case Stairs(s):
		return 'x'
	case !Corridor(s):
		return '#'
	case len(outside[s]) > 0:
		return '+'
	}
	return '.'
}

// The board is what others agreed on, cell by cell.
func TestBoardIsAsAgreed(t *testing.T) {
	rows, _ := facts(t)
	for y, row := range rows {
		for x := range Width {
			if got := letterOf(Square{x, y}); got != row[x] {
				t.Errorf("(%d,%d) is %q, want %q", x, y, got, row[x])
			}
		}
	}
	if n := len(Squares()); n != 188 {
		t.Errorf("%d squares", n)
	}
	for _, off := range []Square{{-1, 0}, {0, -1}, {Width, 0}, {0, Height}} {
		if Corridor(off) || RoomAt(off) != Nowhere || Stairs(off) {
			t.Errorf("%v is on the board", off)
		}
	}
}

// pair finds the two numbers of "(4,6)".
func pair(t *testing.T, s string) Square {
	t.Helper()
	m := regexp.MustCompile(`\((\d+),(\d+)\)`).FindStringSubmatch(s)
	if m == nil {
		t.Fatalf("no square in %q", s)
	}
	x, _ := strconv.Atoi(m[1])
	y, _ := strconv.Atoi(m[2])
	return Square{x, y}
}

func TestDoorsAreAsAgreed(t *testing.T) {
	_, text := facts(t)
	text, _, _ = strings.Cut(text, ". A room may be")
	_, text, _ = strings.Cut(text, "): ") // the heading of the list
	want := []Door{}
	for _, of := range strings.Split(text, ";") {
		of = strings.TrimSpace(of)
		room := Room(strings.IndexByte(letters, of[0]))
		for _, d := range strings.SplitAfter(of[1:], "),") {
			in, out, both := strings.Cut(d, "<-")
			if !both {
				t.Fatalf("no door in %q", d)
			}
			want = append(want, Door{room, pair(t, in), pair(t, out)})
		}
	}
	if len(want) != 17 || !slices.Equal(Doors(), want) {
		t.Errorf("doors\n%v, want\n%v", Doors(), want)
	}
	for _, d := range Doors() {
		dx, dy := d.Inside.X-d.Outside.X, d.Inside.Y-d.Outside.Y
		if dx*dx+dy*dy != 1 || RoomAt(d.Inside) != d.Room || !Corridor(d.Outside) {
			t.Errorf("%+v is no door", d)
		}
	}
	if got := Doors(Hall); len(got) != 3 || got[0].Outside != (Square{11, 17}) {
		t.Errorf("doors of the hall: %v", got)
	}
}

func TestStartsPassagesAndDeadEnds(t *testing.T) {
	for i, want := range []Square{{7, 24}, {0, 17}, {9, 0}, {14, 0}, {23, 6}, {23, 19}} {
		if Start(i) != want {
			t.Errorf("suspect %d starts at %v", i, Start(i))
		}
	}
	for r := range Room(Rooms) {
		to, ok := Passage(r)
		at, begins := PassageAt(r)
		if ok != begins || ok && (RoomAt(at) != r) {
			t.Errorf("the passage of %s begins at %v", r.Key(), at)
		}
		if back, _ := Passage(to); ok && back != r {
			t.Errorf("the passage of %s does not come back", r.Key())
		}
		if same, ok := ByKey(r.Key()); !ok || same != r {
			t.Errorf("%s is found as %v", r.Key(), same)
		}
	}
	if to, _ := Passage(Kitchen); to != Study {
		t.Error("from the kitchen one comes to the study")
	}
	if to, _ := Passage(Lounge); to != Conservatory {
		t.Error("from the lounge one comes to the conservatory")
	}
	if _, ok := ByKey("garage"); ok {
		t.Error("there is a garage")
	}
	var ends []Square
	for _, s := range Squares() {
		if len(Around(s)) == 1 {
			ends = append(ends, s)
		}
	}
	want := []Square{{9, 0}, {14, 0}, {23, 6}, {0, 7}, {22, 13}, {0, 17}, {23, 19}, {7, 24}, {16, 24}}
	if !slices.Equal(ends, want) {
		t.Errorf("dead ends %v", ends)
	}
}

// All squares hang together, and every room is as far from another as that from it.
func TestDistances(t *testing.T) {
	reached := map[Square]bool{Start(0): true}
	for todo := []Square{Start(0)}; len(todo) > 0; todo = todo[1:] {
		for _, n := range Around(todo[0]) {
			if !reached[n] {
				reached[n], todo = true, append(todo, n)
			}
		}
	}
	if len(reached) != len(Squares()) {
		t.Errorf("%d squares of %d hang together", len(reached), len(Squares()))
	}
	var table strings.Builder
	for a := range Room(Rooms) {
		table.WriteString("\n" + (a.Key() + "            ")[:14])
		for b := range Room(Rooms) {
			d := Distance(a, b)
			if d != Distance(b, a) || (d == 0) != (a == b) || d < 0 {
				t.Errorf("%s to %s: %d, back %d", a.Key(), b.Key(), d, Distance(b, a))
			}
			table.WriteString("\t" + strconv.Itoa(d))
			if a == b || d > 12 {
				continue
			}
			if near, less := (Roll{From: In(a), Pips: d}).Moves(), (Roll{From: In(a), Pips: d - 1}).Moves(); !near.To(In(b)) || less.To(In(b)) {
				t.Errorf("%s to %s takes %d: %v and %v", a.Key(), b.Key(), d, near.Rooms, less.Rooms)
			}
		}
	}
	t.Log(table.String())
}
