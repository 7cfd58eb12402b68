package say

import (
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// Language is one that the program speaks.
type Language struct {
	Tag  string // BCP 47
	Name string // what its speakers call it
	RTL  bool   // written from right to left

	zero  rune // the first of its ten digits
	point rune // before a decimal fraction
}

// spoken lists the languages as they are offered. The first stands in for all
// that are not spoken here.
var spoken = []Language{
	{Tag: "en", Name: "English", zero: '0', point: '.'},
	{Tag: "vi", Name: "Tiếng Việt", zero: '0', point: ','},
	{Tag: "fa", Name: "فارسی", RTL: true, zero: '۰', point: '٫'},
	{Tag: "th", Name: "ไทย", zero: '0', point: '.'},
	{Tag: "eo", Name: "Esperanto", zero: '0', point: ','},
}

var (
	books   = load()
	english = books[0]
	matcher = language.NewMatcher(tags())
)

func load() []*Book {
	var out []*Book
	for _, l := range spoken {
		out = append(out, mustLoad(l))
	}
	return out
}

func tags() []language.Tag {
	var out []language.Tag
	for _, l := range spoken {
		out = append(out, language.Make(l.Tag))
	}
	return out
}

// Languages lists what the program speaks, in the order in which to offer it.
func Languages() []Language { return slices.Clone(spoken) }

// English is the book whose texts are written first.
func English() *Book { return english }

// In is the book of a language by its exact tag.
func In(tag string) (*Book, bool) {
	for _, b := range books {
		if b.lang.Tag == tag {
			return b, true
		}
	}
	return nil, false
}

// For is the book that suits best, English if none does. Wishes come first to
// last; each may be a BCP 47 tag, an Accept-Language header, or a value of
// LANG, LC_ALL or LANGUAGE. What cannot be read is passed over.
func For(wishes ...string) *Book {
	var want []language.Tag
	for _, w := range wishes {
		want = append(want, wish(w)...)
	}
	_, at, _ := matcher.Match(want...) // the first if none fits
	return books[at]
}

// wish reads the languages in one wish, the dearest first.
func wish(text string) []language.Tag {
	if strings.ContainsAny(text, ",;") {
		want, _, err := language.ParseAcceptLanguage(text)
		if err != nil {
			return nil
		}
		return want
	}
	var out []language.Tag
	for name := range strings.SplitSeq(text, ":") {
		// Only POSIX names have these: an encoding, then a variant.
		name, _, _ = strings.Cut(name, ".")
		name, _, _ = strings.Cut(strings.TrimSpace(name), "@")
		if slices.Contains([]string{"C", "POSIX"}, name) {
			name = "en" // plain English is what they ask for
		}
		if t, err := language.Parse(name); err == nil {
			out = append(out, t)
		}
	}
	return out
}

// Language is what the book speaks.
func (b *Book) Language() Language { return b.lang }
