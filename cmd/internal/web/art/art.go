// Package art is the pictures of the table: one drawing for each card of every
// edition, the back of a card, and the icons of the page. All are our own and
// stand as symbols in one SVG sprite, so that a page names a picture and does
// not carry it:
//
//	<svg class="card-art" aria-hidden="true"><use href="/static/cards.svg#plum"/></svg>
//
// Cards are 120 by 160 units and icons 24 by 24. There is no text in a picture.
// A Content-Security-Policy must allow the sprite in img-src.
//
// Each colour is a custom property --art-NAME with a fallback, which a style
// sheet may set on any element around the picture. A card brings its own light
// ground and its dark outline, and reads on any page; a dark page does well to
// dim --art-paper and --art-white and to leave --art-ink alone. Icons take the
// colour of the text beside them unless --art-icon is set.
package art

import (
	_ "embed"
	"regexp"
	"slices"
)

//go:embed cards.svg
var sprite string

var keys = findKeys(sprite)

// Sprite is the whole SVG file.
func Sprite() string { return sprite }

// Keys lists the id of every picture, in the order of the file.
func Keys() []string { return slices.Clone(keys) }

// Has reports whether there is a picture with this id. The id of a card is its
// key in game/rules.
func Has(key string) bool { return slices.Contains(keys, key) }

func findKeys(svg string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`<symbol id="([^"]+)"`).FindAllStringSubmatch(svg, -1) {
		out = append(out, m[1])
	}
	return out
}
