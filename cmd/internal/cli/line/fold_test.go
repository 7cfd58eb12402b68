package line

import (
	"slices"
	"testing"

	"alibi/cmd/internal/say"
	"alibi/game/rules"
	"alibi/game/view"
)

func TestWordsOfEveryKeyboard(t *testing.T) {
	for typed, want := range map[string][]string{
		"Ask Knife, \"Plum\"":      {"ask", "knife", "plum"},
		"ask چاقو، پلام":           {"ask", "چاقو", "پلام"},
		"mark چاقو ۲ ؟":            {"mark", "چاقو", "2", "?"},
		"١٢ ๓ ۹":                   {"12", "3", "9"},
		"كتابخانه بيليارد":         {"کتابخانه", "بیلیارد"},
		"در\u200cباره":             {"درباره"},
		"\u2068Anh\u2069":          {"anh"},
		"ne\u0302\u0301n d\u00e2y": {"nến", "dây"},
		"«plum» “rope”":            {"plum", "rope"},
		"\xff":                     {"?"},
	} {
		if got := words(typed); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}

// In every language each card is found by its names there and by the English ones,
// and no filler is a word of any.
func TestCardsInTwoTongues(t *testing.T) {
	for _, l := range say.Languages() {
		b, _ := say.In(l.Tag)
		for _, e := range rules.Editions() {
			x := newIndex(b, e)
			for c := range e.Cards {
				card := rules.Card(c)
				for _, typed := range []string{b.Card(e, card), b.Short(e, card), say.English().Card(e, card), say.English().Short(e, card)} {
					if got := x.find(x.strip(words(typed)), x.all()); len(got) != 1 || got[0] != card {
						t.Errorf("%s: %q finds %v, not %d", l.Tag, typed, got, card)
					}
				}
				for _, tongue := range x.tongues {
					for _, w := range slices.Concat(tongue[c]...) {
						if slices.Contains(x.fillers, w) {
							t.Errorf("%s: %q is passed over", l.Tag, w)
						}
					}
				}
			}
		}
	}
}

func TestTwoCardsInEveryLanguage(t *testing.T) {
	e := rules.Editions()[0]
	for _, l := range say.Languages() {
		b, _ := say.In(l.Tag)
		x := newIndex(b, e)
		for c := range e.Cards {
			next := rules.Card((c + 1) % len(e.Cards))
			for _, typed := range []string{b.Short(e, rules.Card(c)) + " " + b.Short(e, next), say.English().Short(e, rules.Card(c)) + " " + b.Short(e, next)} {
				got, trouble := x.set(words(typed), 2, x.all())
				if trouble.key != "" || !slices.Equal(got, []rules.Card{rules.Card(c), next}) {
					t.Errorf("%s: %q: %v, %v", l.Tag, typed, got, trouble)
				}
			}
		}
	}
}

func TestPlayersOfEveryKeyboard(t *testing.T) {
	fa, _ := say.In("fa")
	d := NewDesk(fa, rules.Editions()[0])
	v := &view.View{Me: 0, Players: []view.Player{{Name: "Anh"}, {Name: "علي"}, {Name: "Chai"}}}
	for typed, want := range map[string]int{"شما": 0, "me": 0, "علی": 1, "علي": 1, "۲": 1, "#3": 2, "\u2068Chai\u2069": 2} {
		if got, ok := d.player(v, words(typed)[0]); !ok || got != want {
			t.Errorf("%q: %d %v, want %d", typed, got, ok, want)
		}
	}
}

func TestColumnsOfEveryScript(t *testing.T) {
	for text, want := range map[string]int{"abc": 3, "มีด": 2, "เชือก": 4, "nến": 3, "ne\u0302\u0301n": 3, "چاقو": 4, "می\u200cشود": 5, "\u2068Anh\u2069": 3, "刀": 2} {
		if got := cells(text); got != want {
			t.Errorf("%q takes %d, want %d", text, got, want)
		}
	}
	got := Columns([][]string{{"มีด", "x"}, {"abcd", "y"}})
	if got[0] != "มีด    x" || got[1] != "abcd  y" {
		t.Errorf("%q", got)
	}
}

func TestPadsToCells(t *testing.T) {
	for _, text := range []string{"abc", "มีด", "ne\u0302\u0301n", "می\u200cشود", "\u2068Anh\u2069", "刀"} {
		if got := Pad(text, 9); cells(got) != 9 || got[:len(text)] != text {
			t.Errorf("%q", got)
		}
	}
	if got := Pad("longer than that", 9); got != "longer than that" {
		t.Errorf("%q", got)
	}
}
