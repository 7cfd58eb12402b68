// Package say holds every sentence that the program says, and nothing that it
// does: a catalogue of keys and texts with named gaps, and the few functions
// that choose a key for what a View shows. No sentence is put together from
// pieces, and a card is always named by the catalogue, so that another language
// is another file in texts.
//
// Most callers take English and call Say with a literal key; a test reads the
// program's source and holds keys, gaps and catalogue together.
package say

import (
	"embed"
	"fmt"
	"strings"
	"time"

	"alibi/game/rules"
	"alibi/game/view"
)

//go:embed texts/*.txt
var files embed.FS

// Book speaks one language.
type Book struct {
	lang  Language
	texts map[string]string
}

// Say is the text of a key with its gaps filled: pairs of a gap's name and what
// goes there. Numbers come in the language's own digits if they come as numbers.
// An unknown key says itself, so that nothing is ever silent.
func (b *Book) Say(key string, pairs ...any) string {
	text, ok := b.texts[key]
	if !ok {
		return key
	}
	if len(pairs) == 0 {
		return text
	}
	fill := make([]string, 0, len(pairs))
	for i := 0; i+1 < len(pairs); i += 2 {
		fill = append(fill, fmt.Sprintf("{%v}", pairs[i]), b.fit(pairs[i+1]))
		if b.lang.RTL {
			fill = append(fill, fmt.Sprintf("{%v!}", pairs[i]), fmt.Sprint(pairs[i+1]))
		}
	}
	return strings.NewReplacer(fill...).Replace(text)
}

// Has reports whether the book has a text for a key.
func (b *Book) Has(key string) bool {
	_, ok := b.texts[key]
	return ok
}

// choose is the first key that the book has.
func (b *Book) choose(keys ...string) string {
	for _, k := range keys {
		if b.Has(k) {
			return k
		}
	}
	return keys[len(keys)-1]
}

// Card is the name of a card.
func (b *Book) Card(e *rules.Edition, c rules.Card) string {
	if !e.Valid(c) {
		return b.Say("card.hidden")
	}
	return b.Say("card." + e.Cards[c].Key)
}

// Short is a card's name as one would type it.
func (b *Book) Short(e *rules.Edition, c rules.Card) string {
	return b.Say("short." + e.Cards[c].Key)
}

// Cards lists the names of cards.
func (b *Book) Cards(e *rules.Edition, cs []rules.Card) string {
	names := make([]string, len(cs))
	for i, c := range cs {
		names[i] = b.Card(e, c)
	}
	return b.list(names)
}

func (b *Book) list(items []string) string {
	if len(items) == 0 {
		return b.Say("list.none")
	}
	return strings.Join(items, b.Say("list.between"))
}

// Category is the name of a category, in the plural.
func (b *Book) Category(c rules.Category) string {
	return b.Say([]string{"category.suspects", "category.weapons", "category.locations"}[c])
}

// Edition is the name of an edition for people.
func (b *Book) Edition(name string) string {
	if b.Has("edition." + name) {
		return b.Say("edition." + name)
	}
	return name
}

// Player is the name of a seat's player, or "you".
func (b *Book) Player(v *view.View, seat int) string {
	switch {
	case seat == v.Me:
		return b.Say("player.you")
	case seat < 0 || seat >= len(v.Players):
		return b.Say("player.nobody")
	}
	return b.name(v.Players[seat].Name)
}

// Span is a length of time, as exact as it matters to people.
func (b *Book) Span(d time.Duration) string {
	s := int((d + time.Second/2) / time.Second)
	switch {
	case s < 120:
		return b.Say("span.seconds", "n", s)
	case s < 7200:
		return b.Say("span.minutes", "n", s/60)
	}
	return b.Say("span.hours", "h", s/3600, "n", s/60%60)
}

// Clock is a time of day.
func (b *Book) Clock(t time.Time) string { return b.Digits(t.Format("15:04")) }

// Names lists players.
func (b *Book) Names(v *view.View, seats []int) string {
	names := make([]string, len(seats))
	for i, s := range seats {
		names[i] = b.Player(v, s)
	}
	return b.list(names)
}

func mustLoad(l Language) *Book {
	data, err := files.ReadFile("texts/" + l.Tag + ".txt")
	if err != nil {
		panic(err) // embedded
	}
	b, err := newBook(l, string(data))
	if err != nil {
		panic(fmt.Sprintf("texts/%s.txt: %v", l.Tag, err))
	}
	return b
}

func newBook(l Language, data string) (*Book, error) {
	texts, err := parse(data)
	if err != nil {
		return nil, err
	}
	if l.RTL {
		for key, text := range texts {
			texts[key] = settle(key, text)
		}
	}
	return &Book{lang: l, texts: texts}, nil
}

// parse reads a catalogue: "key: text", and lines that begin with two spaces go
// on with the text before. A line of "  ." is an empty one.
func parse(data string) (map[string]string, error) {
	texts := map[string]string{}
	last := ""
	for at, line := range strings.Split(data, "\n") {
		if more, ok := strings.CutPrefix(line, "  "); ok && last != "" {
			if more == "." {
				more = ""
			}
			texts[last] += "\n" + more
			continue
		}
		if line == "" || line[0] == '#' {
			continue
		}
		key, text, ok := strings.Cut(line, ": ")
		if !ok {
			return nil, fmt.Errorf("line %d is neither key nor text", at+1)
		}
		if _, twice := texts[key]; twice {
			return nil, fmt.Errorf("line %d repeats %q", at+1, key)
		}
		texts[key], last = text, key
	}
	return texts, nil
}
