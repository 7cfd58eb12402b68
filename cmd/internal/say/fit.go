package say

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// The isolates of Unicode's bidirectional algorithm: what stands between them
// takes its direction from its own first letter, and turns nothing around it.
const (
	isolated = "\u2068"
	released = "\u2069"
)

// Digits writes a number that is text already, as 12.5 or 15:04, with the digits
// and the decimal point of the language.
func (b *Book) Digits(number string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case '0' <= r && r <= '9':
			return b.lang.zero + r - '0'
		case r == '.':
			return b.lang.point
		}
		return r
	}, number)
}

// fit is a value as it goes into a gap of running text.
func (b *Book) fit(value any) string {
	text := fmt.Sprint(value)
	switch value.(type) {
	case int, int64, uint32, uint64, float64:
		return b.Digits(text)
	}
	// With letters of our own it is a sentence that already fits.
	if foreign, own := b.letters(text); foreign && !own {
		return isolated + text + released
	}
	return text
}

// name is somebody's name, kept apart from the text around it.
func (b *Book) name(text string) string {
	if foreign, _ := b.letters(text); foreign {
		return isolated + text + released
	}
	return text
}

// Quote is what somebody typed or called something, in the quotation marks of the
// language.
func (b *Book) Quote(text string) string {
	return b.Say("quoted", "text", b.name(Visible(text)))
}

// unseen is what nobody sees, but texts need: the joint within Persian words, the
// marks beside what is to be typed, and the isolates that Say sets itself. None
// turns more than what stands next to it.
const unseen = "\u200c\u200e\u200f" + isolated + released

// Visible is a text in which nothing can move a cursor, end a line, or turn letters
// around: whatever does not print is written as an escape, but for what texts need.
// Letters of every script stay as they are.
func Visible(text string) string {
	var out strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) || strings.ContainsRune(unseen, r) {
			out.WriteRune(r)
			continue
		}
		out.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
	}
	return out.String()
}

// letters reports whether a text has letters or digits that run from left to
// right, and whether it has such as run from right to left, outside isolates.
// In a book that is written from left to right nothing is foreign.
func (b *Book) letters(text string) (foreign, own bool) {
	if !b.lang.RTL {
		return false, true
	}
	depth := 0
	for _, r := range text {
		switch {
		case string(r) == isolated:
			depth++
		case string(r) == released:
			depth--
		case depth > 0:
		case unicode.IsLetter(r) && unicode.In(r, unicode.Arabic, unicode.Hebrew):
			own = true
		case unicode.IsLetter(r) || '0' <= r && r <= '9':
			foreign = true
		}
	}
	return foreign, own
}

// command finds Latin text that a gap belongs to, such as: alibi join "{table}".
var command = regexp.MustCompile(`[A-Za-z][ -z|~]*(?:\{[a-z]+\}[ -z|~]*)+`)

// settle prepares a text of a book written from right to left: a command with
// gaps is isolated as a whole, and its gaps are marked to be filled as they are,
// since somebody is to type them. So are those of a name that is made here.
func settle(key, text string) string {
	if key == "open.table" {
		return strings.ReplaceAll(text, "}", "!}")
	}
	return command.ReplaceAllStringFunc(text, func(found string) string {
		typed := strings.TrimRight(found, " .,;:!?)")
		if strings.Count(typed, `"`)%2 == 1 {
			typed = strings.TrimSuffix(typed, `"`)
		}
		return isolated + strings.ReplaceAll(typed, "}", "!}") + released + found[len(typed):]
	})
}
