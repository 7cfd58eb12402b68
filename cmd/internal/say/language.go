package say

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// Language is one that the program speaks.
type Language struct {
	Tag  string // BCP 47
	Name string // what its speakers call it
	RTL  bool   // written from right to left
	zero rune   // the first of its ten digits
}

// spoken lists the languages as they are offered. The first stands in for all
// that are not spoken here.
var spoken = []Language{
	{Tag: "en", Name: "English", zero: '0'},
	{Tag: "vi", Name: "Tiếng Việt", zero: '0'},
	{Tag: "fa", Name: "فارسی", RTL: true, zero: '۰'},
	{Tag: "th", Name: "ไทย", zero: '0'},
	{Tag: "eo", Name: "Esperanto", zero: '0'},
}

var (
	books   = load()
	english = books[0]
	matcher = language.NewMatcher(tags())
)

// load reads the books of those languages whose texts are there.
func load() []*Book {
	var out []*Book
	for _, l := range spoken {
		data, err := files.ReadFile("texts/" + l.Tag + ".txt")
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		out = append(out, mustBook(l, string(data), err))
	}
	return out
}

func tags() []language.Tag {
	var out []language.Tag
	for _, b := range books {
		out = append(out, language.Make(b.lang.Tag))
	}
	return out
}

// Languages lists what the program speaks, in the order in which to offer it.
func Languages() []Language {
	var out []Language
	for _, b := range books {
		out = append(out, b.lang)
	}
	return out
}

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
	_, at, sure := matcher.Match(want...)
	if sure == language.No {
		return english
	}
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
