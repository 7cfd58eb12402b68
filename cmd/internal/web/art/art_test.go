package art

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"alibi/game/board"
	"alibi/game/rules"
)

// maxBytes bounds the weight of the page.
const maxBytes = 90 << 10

const (
	cardBox = "0 0 120 160"
	iconBox = "0 0 24 24"
)

// classic is the deck of the board game, which is drawn before it can be played.
var classic = strings.Fields(`scarlett mustard white green peacock plum
	knife candlestick lead-pipe revolver rope wrench
	kitchen ballroom conservatory dining-room billiard-room library lounge hall study`)

var icons = strings.Fields(`seal-check eye hand question accuse crown away out deal
	sound sound-off menu log`)

// What may stand in the sprite. Everything that could fetch, run, restyle the
// page or spell a word is absent: script, style, text, image, use, style="",
// href, on... and url().
var (
	shapes     = strings.Fields("g path circle ellipse rect")
	attributes = strings.Fields(`d cx cy r rx ry x y width height transform
		fill fill-opacity fill-rule stroke stroke-width stroke-opacity
		stroke-linecap stroke-linejoin stroke-dasharray`)
	paint = regexp.MustCompile(`^(none|var\(--art-([a-z-]+),(#[0-9a-f]{6}|currentColor)\))$`)
)

// sheets are the files of pictures.
var sheets = map[string]string{"cards": Sprite(), "board": Board()}

// elements reads a file to its end and fails on anything malformed.
func elements(t *testing.T, sheet string) []xml.StartElement {
	t.Helper()
	var out []xml.StartElement
	d := xml.NewDecoder(strings.NewReader(sheet))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			out = append(out, token.Copy())
		case xml.CharData:
			if s := strings.TrimSpace(string(token)); s != "" {
				t.Errorf("text in a picture: %q", s)
			}
		case xml.ProcInst, xml.Directive:
			t.Errorf("the sprite holds %T", token)
		}
	}
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func TestEveryCardHasAPicture(t *testing.T) {
	boxes := symbols(t, Sprite())
	want := map[string]string{"back": cardBox}
	for _, edition := range rules.Editions() {
		for _, face := range edition.Cards {
			want[face.Key] = cardBox
		}
	}
	for _, key := range classic {
		want[key] = cardBox
	}
	for _, key := range icons {
		want[key] = iconBox
	}
	for key, box := range want {
		if !Has(key) || boxes[key] != box {
			t.Errorf("%s: there %v, viewBox %q, want %q", key, Has(key), boxes[key], box)
		}
	}
	for key := range boxes {
		if want[key] == "" {
			t.Errorf("%s is drawn for nothing", key)
		}
	}
}

// symbols are the boxes of the pictures in a file, by id.
func symbols(t *testing.T, sheet string) map[string]string {
	t.Helper()
	boxes := map[string]string{}
	for _, e := range elements(t, sheet) {
		if e.Name.Local == "symbol" {
			boxes[attr(e, "id")] = attr(e, "viewBox")
		}
	}
	return boxes
}

func TestEveryPieceHasAPicture(t *testing.T) {
	want := map[string]string{"board": "-4 -4 488 508"}
	for i, prefix := range []string{"token-", "weapon-"} {
		for _, c := range rules.Classic().Of(rules.Category(i)) {
			want[prefix+rules.Classic().Cards[c].Key] = iconBox
		}
	}
	if got := symbols(t, Board()); !maps.Equal(got, want) {
		t.Errorf("drawn are %v", got)
	}
}

// Of the edges of a room each is a wall or has a door in it.
func TestWalls(t *testing.T) {
	drawn := map[string]bool{}
	for _, m := range regexp.MustCompile(`M(\d+) (\d+)([hv])20`).FindAllString(walls(), -1) {
		if drawn[m] {
			t.Errorf("%s is drawn twice", m)
		}
		drawn[m] = true
	}
	edges := 0
	for y := range board.Height {
		for x := range board.Width {
			q := board.Square{X: x, Y: y}
			if board.RoomAt(q) == board.Nowhere {
				continue
			}
			for _, n := range []struct {
				to   board.Square
				wall string
			}{
				{board.Square{X: x, Y: y - 1}, fmt.Sprintf("M%d %dh20", 20*x, 20*y)}, {board.Square{X: x, Y: y + 1}, fmt.Sprintf("M%d %dh20", 20*x, 20*y+20)},
				{board.Square{X: x - 1, Y: y}, fmt.Sprintf("M%d %dv20", 20*x, 20*y)}, {board.Square{X: x + 1, Y: y}, fmt.Sprintf("M%d %dv20", 20*x+20, 20*y)},
			} {
				door := slices.ContainsFunc(board.Doors(), func(d board.Door) bool { return d.Inside == q && d.Outside == n.to })
				edge := board.RoomAt(n.to) != board.RoomAt(q) && !door
				if edge {
					edges++
				}
				if drawn[n.wall] != edge {
					t.Errorf("between %v and %v: drawn %v", q, n.to, drawn[n.wall])
				}
			}
		}
	}
	if around := 2 * (5 + 7); edges+around != len(drawn) {
		t.Errorf("%d walls, of them %d of rooms", len(drawn), edges)
	}
}

func TestKeysAreTheSymbols(t *testing.T) {
	var want []string
	for _, e := range elements(t, Sprite()) {
		if e.Name.Local == "symbol" {
			want = append(want, attr(e, "id"))
		}
	}
	got := Keys()
	if !slices.Equal(got, want) {
		t.Errorf("keys %q, symbols %q", got, want)
	}
	slices.Sort(got)
	if len(slices.Compact(got)) != len(want) {
		t.Errorf("an id stands twice in %q", want)
	}
	if Has("") || Has("nobody") {
		t.Error("a picture of nothing")
	}
}

func TestOnlyShapes(t *testing.T) {
	for name, sheet := range sheets {
		t.Run(name, func(t *testing.T) { onlyShapes(t, elements(t, sheet)) })
	}
}

func onlyShapes(t *testing.T, all []xml.StartElement) {
	for i, e := range all {
		allowed := attributes
		switch name := e.Name.Local; {
		case i == 0 && name == "svg":
			allowed = []string{"xmlns"}
		case name == "symbol":
			allowed = []string{"id", "viewBox"}
		case !slices.Contains(shapes, name):
			t.Errorf("<%s> in the sprite", name)
		}
		for _, a := range e.Attr {
			if a.Name.Space != "" || !slices.Contains(allowed, a.Name.Local) {
				t.Errorf("<%s> has %s=%q", e.Name.Local, a.Name.Local, a.Value)
			}
		}
	}
}

func TestColoursCanBeSet(t *testing.T) {
	fallback := map[string]string{}
	for _, e := range append(elements(t, Sprite()), elements(t, Board())...) {
		for _, a := range e.Attr {
			if a.Name.Local != "fill" && a.Name.Local != "stroke" {
				continue
			}
			m := paint.FindStringSubmatch(a.Value)
			if m == nil {
				t.Errorf("%s=%q is no custom property with a fallback", a.Name.Local, a.Value)
				continue
			}
			if name := m[2]; name != "" {
				if old := fallback[name]; old != "" && old != m[3] {
					t.Errorf("--art-%s falls back to %s and to %s", name, old, m[3])
				}
				fallback[name] = m[3]
			}
		}
	}
	if fallback["ink"] == "" || fallback["paper"] == "" {
		t.Errorf("no ink or no paper among %v", fallback)
	}
}

func TestWeight(t *testing.T) {
	if n := len(Sprite()) + len(Board()); n > maxBytes {
		t.Errorf("%d bytes, at most %d", n, maxBytes)
	}
}
