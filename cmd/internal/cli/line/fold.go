package line

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// words splits what was typed: at spaces, commas and quotes, in lower case, and
// without what different keyboards make of the same letter.
func words(text string) []string {
	return strings.FieldsFunc(fold(text), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(",،\"«»“”", r)
	})
}

// zeros begin the digits of Arabic, Persian and Thai keyboards.
var zeros = []rune{'٠', '۰', '๐'}

// fold makes alike what means the same: composed and decomposed letters, the Arabic
// yeh and kaf that many keyboards have for the Persian ones, digits, question marks;
// and it drops what nobody sees, as the non-joiner within Persian words and the
// isolates around a name that was copied from the screen.
func fold(text string) string {
	return strings.Map(func(r rune) rune {
		for _, zero := range zeros {
			if zero <= r && r <= zero+9 {
				return '0' + r - zero
			}
		}
		switch {
		case r == 'ي':
			return 'ی'
		case r == 'ك':
			return 'ک'
		case r == '؟':
			return '?'
		case unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, norm.NFC.String(strings.ToLower(strings.ToValidUTF8(text, "?"))))
}

// cells is how many columns of a terminal a text takes: none for marks that stand
// on another letter and for what is not seen, two for wide letters.
func cells(text string) int {
	n := 0
	for _, r := range text {
		switch kind := width.LookupRune(r).Kind(); {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case kind == width.EastAsianWide || kind == width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}
