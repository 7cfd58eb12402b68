package art

import (
	_ "embed"
	"fmt"
	"strings"

	"alibi/game/board"
)

// Cell is how wide and high a square of the board is drawn.
const Cell = 20

// Margin is what is drawn around the squares: half of the outer walls is there.
const Margin = 4

// The furniture of the rooms as seen from above, the tokens and the weapons, drawn by
// hand. Floors, walls, doors and squares are drawn from game/board.
//
//go:embed furniture.svg.part
var furniture string

//go:embed pieces.svg.part
var pieces string

var plan = drawPlan()

// Board is an SVG file with the symbols "board", Cell units for each square and Margin
// around them, and "token-KEY" and "weapon-KEY" for the pieces on it, 24 by 24. What is
// said of cards above holds for them too.
func Board() string { return plan }

// floors is the colour of each room's floor.
var floors = map[board.Room]string{
	board.Kitchen: "var(--art-steel,#b9c3cc)", board.Ballroom: "var(--art-glow,#ffdf85)", board.Conservatory: "var(--art-green,#2f8554)",
	board.Dining: "var(--art-rope,#d8b47c)", board.Billiard: "var(--art-peacock,#1c6c94)", board.Library: "var(--art-wood,#93602f)",
	board.Lounge: "var(--art-plum,#7c3f8c)", board.Hall: "var(--art-mustard,#dda320)", board.Study: "var(--art-scarlett,#c4283c)",
}

// coats are the colours of the suspects, in deck order.
var coats = [board.Suspects]string{
	"var(--art-scarlett,#c4283c)", "var(--art-mustard,#dda320)", "var(--art-white,#fffdf7)",
	"var(--art-green,#2f8554)", "var(--art-peacock,#1c6c94)", "var(--art-plum,#7c3f8c)",
}

const (
	ink   = "var(--art-ink,#22252b)"
	paper = "var(--art-paper,#f6efe0)"
	white = "var(--art-white,#fffdf7)"
	glow  = "var(--art-glow,#ffdf85)"
)

// sketch collects shapes.
type sketch struct{ strings.Builder }

func (s *sketch) add(format string, args ...any) { fmt.Fprintf(s, format+"\n", args...) }

func drawPlan() string {
	s := new(sketch)
	s.add(`<svg xmlns="http://www.w3.org/2000/svg">`)
	box := fmt.Sprintf(`%[1]d %[1]d %d %d`, -Margin, board.Width*Cell+2*Margin, board.Height*Cell+2*Margin)
	s.add(`<symbol id="board" viewBox="%s">`, box)
	s.add(`<rect x="%[1]d" y="%[1]d" width="%d" height="%d" rx="8" fill="%s"/>`, -Margin, board.Width*Cell+2*Margin, board.Height*Cell+2*Margin, paper)
	s.corridor()
	s.add(`<path fill="%s" fill-opacity=".78" d="%s"/>`, ink, cells(board.Stairs))
	for r := range board.Room(board.Rooms) {
		in := cells(func(q board.Square) bool { return board.RoomAt(q) == r })
		s.add(`<path fill="%s" d="%s"/><path fill="%s" fill-opacity=".42" d="%s"/>`, white, in, floors[r], in)
	}
	s.WriteString(furniture)
	s.add(`<path fill="none" stroke="%s" stroke-width="3" stroke-linecap="round" d="%s"/>`, ink, walls())
	s.doors()
	s.add(`</symbol>`)
	s.WriteString(pieces)
	s.add(`</svg>`)
	return s.String()
}

// corridor draws the squares, and under each start the colour of its suspect.
func (s *sketch) corridor() {
	var light, dark strings.Builder
	for _, q := range board.Squares() {
		d := &light
		if (q.X+q.Y)%2 > 0 {
			d = &dark
		}
		fmt.Fprintf(d, "M%d %dh19v19h-19z", q.X*Cell, q.Y*Cell)
	}
	rope := "var(--art-rope,#d8b47c)"
	s.add(`<g transform="translate(.5 .5)"><path fill="%s" fill-opacity=".38" d="%s"/><path fill="%s" fill-opacity=".62" d="%s"/></g>`, rope, light.String(), rope, dark.String())
	for i, coat := range coats {
		q := board.Start(i)
		s.add(`<circle cx="%d" cy="%d" r="7" fill="%s" stroke="%s" stroke-width="1.5"/>`, q.X*Cell+Cell/2, q.Y*Cell+Cell/2, coat, ink)
	}
}

// cells is the path round all cells of a kind, a run of each row at a time.
func cells(is func(board.Square) bool) string {
	var d strings.Builder
	for y := range board.Height {
		for x := 0; x < board.Width; x++ {
			from := x
			for x < board.Width && is(board.Square{X: x, Y: y}) {
				x++
			}
			if x > from {
				fmt.Fprintf(&d, "M%d %dH%dv%dH%dz", from*Cell, y*Cell, x*Cell, Cell, from*Cell)
			}
		}
	}
	return d.String()
}

// walls is the path of all walls: between a room or the stairs and whatever else there
// is, but for the doors.
func walls() string {
	kind := func(q board.Square) int {
		if board.Stairs(q) {
			return board.Rooms
		}
		return int(board.RoomAt(q))
	}
	open := map[[2]board.Square]bool{}
	for _, d := range board.Doors() {
		open[[2]board.Square{d.Inside, d.Outside}], open[[2]board.Square{d.Outside, d.Inside}] = true, true
	}
	var d strings.Builder
	for y := range board.Height + 1 {
		for x := range board.Width + 1 {
			q := board.Square{X: x, Y: y}
			if up := (board.Square{X: x, Y: y - 1}); kind(q) != kind(up) && !open[[2]board.Square{q, up}] {
				fmt.Fprintf(&d, "M%d %dh%d", x*Cell, y*Cell, Cell)
			}
			if left := (board.Square{X: x - 1, Y: y}); kind(q) != kind(left) && !open[[2]board.Square{q, left}] {
				fmt.Fprintf(&d, "M%d %dv%d", x*Cell, y*Cell, Cell)
			}
		}
	}
	return d.String()
}

// doors draws a threshold and an arrow into each room, and a trapdoor where a passage
// begins.
func (s *sketch) doors() {
	for _, d := range board.Doors() {
		x, y := (d.Inside.X+d.Outside.X)*Cell/2+Cell/2, (d.Inside.Y+d.Outside.Y)*Cell/2+Cell/2
		turn := 0 // the arrow points up
		switch {
		case d.Inside.X > d.Outside.X:
			turn = 90
		case d.Inside.Y > d.Outside.Y:
			turn = 180
		case d.Inside.X < d.Outside.X:
			turn = 270
		}
		s.add(`<g transform="translate(%d %d) rotate(%d)"><path fill="%s" d="M-10-3h20v6h-20z"/><path fill="none" stroke="%s" stroke-width="3" d="M-10-4v8M10-4v8"/><path fill="%s" d="M0-9l5 7h-10z"/></g>`,
			x, y, turn, glow, ink, ink)
	}
	for r := range board.Room(board.Rooms) {
		if q, ok := board.PassageAt(r); ok {
			s.add(`<g transform="translate(%d %d)"><path fill="%s" d="M2 2h16v16H2z"/><path fill="none" stroke="%s" stroke-width="1.6" d="M5 15h3v-3.5h3V8h3V4.5"/></g>`,
				q.X*Cell, q.Y*Cell, ink, glow)
		}
	}
}
