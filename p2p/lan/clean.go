package lan

import (
	"strings"
	"unicode"
)

// maxMarks is how many combining marks in a row survive Clean: enough for every
// living script, too few to climb over the neighbouring lines.
const maxMarks = 3

// brailleBlank is a symbol by its category and a blank on the screen.
const brailleBlank = '\u2800'

// Clean makes text from strangers safe to print on a terminal or a page in one
// line: control characters, escape sequences' introducers, bidirectional and
// other invisible formatting characters are dropped, invalid UTF-8 becomes '?',
// and spaces at the ends are trimmed. The result is never longer than s, and
// Clean(Clean(s)) == Clean(s).
func Clean(s string) string {
	var out strings.Builder
	marks := 0
	for _, r := range strings.ToValidUTF8(s, "?") {
		if !visible(r) {
			continue
		}
		if unicode.Is(unicode.M, r) {
			marks++
		} else {
			marks = 0
		}
		if marks <= maxMarks {
			out.WriteRune(r)
		}
	}
	return strings.TrimSpace(out.String())
}

// visible says whether a rune shows as itself. unicode.IsPrint already leaves
// out all control, format, surrogate and private characters and every space but
// the ASCII one.
func visible(r rune) bool {
	return unicode.IsPrint(r) && r != brailleBlank &&
		!unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) &&
		!unicode.Is(unicode.Variation_Selector, r)
}
