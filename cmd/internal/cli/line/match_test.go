package line

import (
	"strings"
	"testing"

	"alibi/cmd/internal/say"
	"alibi/game/rules"
)

func indexOf(t testing.TB, edition string) *index {
	t.Helper()
	e, ok := rules.Lookup(edition)
	if !ok {
		t.Fatal(edition)
	}
	return newIndex(say.English(), e)
}

func cardKeys(x *index, cards []rules.Card) string {
	var out []string
	for _, c := range cards {
		out = append(out, x.edition.Cards[c].Key)
	}
	return strings.Join(out, " ")
}

func TestTwoCards(t *testing.T) {
	for _, tc := range []struct{ typed, want, trouble, word string }{
		{"knife plum", "knife plum", "", ""},
		{"KNIFE Plum", "knife plum", "", ""},
		{"kni pl", "knife plum", "", ""},
		{"knife, plum", "knife plum", "", ""},
		{"the knife and Professor Plum", "knife plum", "", ""},
		{"dining room rope", "dining-room rope", "", ""},
		{"rope dining room", "rope dining-room", "", ""},
		{"billiard room dining room", "billiard-room dining-room", "", ""},
		{"billiard dining", "billiard-room dining-room", "", ""},
		{"mr green mrs white", "green white", "", ""},
		{"mr plum", "", "wrong.unclear", ""}, // one person under another's title, not two
		{"colonel scarlett", "", "wrong.unclear", ""},
		{"plum mr", "plum green", "", ""},
		{"miss col", "scarlett mustard", "", ""},
		{"professor plum plum", "", "wrong.twice", ""},
		{"plum plum", "", "wrong.twice", ""},
		{"mrs knife", "", "wrong.ambiguous", "mrs"},
		{"k knife", "", "wrong.ambiguous", "k"},
		{"p knife", "", "wrong.ambiguous", "p"},
		{"p p", "", "wrong.count", ""}, // Professor Plum alone
		{"p p knife", "plum knife", "", ""},
		{"room knife", "", "wrong.ambiguous", "room"},
		{"knife", "", "wrong.count", ""},
		{"", "", "wrong.count", ""},
		{"the and", "", "wrong.count", ""},
		{"knife plum rope", "", "wrong.count", ""},
		{"knife library", "", "wrong.card", "library"}, // not in this edition
		{"knife xyzzy", "", "wrong.card", "xyzzy"},
		{"knife \x00", "", "wrong.card", "\x00"},
		{strings.Repeat("knife ", 30), "", "wrong.long", ""},
	} {
		x := indexOf(t, "card")
		got, trouble := x.set(words(tc.typed), 2, x.all())
		if cardKeys(x, got) != tc.want || trouble.key != tc.trouble || trouble.word != tc.word {
			t.Errorf("%q: %q, trouble %q %q", tc.typed, cardKeys(x, got), trouble.key, trouble.word)
		}
	}
}

func TestOneOfSomeCards(t *testing.T) {
	x := indexOf(t, "card")
	held := []rules.Card{5, 6} // plum, knife
	for _, tc := range []struct{ typed, want, trouble string }{
		{"plum", "plum", ""},
		{"p", "plum", ""}, // of these two only one begins so
		{"k", "knife", ""},
		{"rope", "", "wrong.other"},
		{"plum knife", "", "wrong.count"},
		{"", "", "wrong.count"},
	} {
		got, trouble := x.set(words(tc.typed), 1, held)
		if cardKeys(x, got) != tc.want || trouble.key != tc.trouble {
			t.Errorf("%q: %q, trouble %q", tc.typed, cardKeys(x, got), trouble.key)
		}
	}
}

func TestSolution(t *testing.T) {
	for _, tc := range []struct{ edition, typed, want, trouble string }{
		{"card", "plum knife kitchen", "plum knife kitchen", ""},
		{"card", "kitchen plum knife", "plum knife kitchen", ""},
		{"card", "Professor Plum with the knife in the dining room", "plum knife dining-room", ""},
		{"card", "plum k dining", "plum knife dining-room", ""}, // the location is taken
		{"card", "plum rope k", "plum rope kitchen", ""},
		{"card", "mustard k k", "mustard knife kitchen", ""},
		{"card", "plum knife", "", "wrong.count"},
		{"card", "plum peacock knife", "", "wrong.guess"},
		{"card", "plum knife rope", "", "wrong.guess"},
		{"card", "p knife kitchen", "", "wrong.ambiguous"},
		{"card", "plum knife study", "", "wrong.card"},
		{"card-advanced", "plum wrench study", "plum wrench study", ""},
		{"card-advanced", "w w l", "white wrench library", ""},
	} {
		x := indexOf(t, tc.edition)
		got, trouble := x.solution(words(tc.typed))
		if cardKeys(x, got) != tc.want || trouble.key != tc.trouble {
			t.Errorf("%s %q: %q, trouble %q", tc.edition, tc.typed, cardKeys(x, got), trouble.key)
		}
	}
}

// Every card is found by its name, by its short form, and by nothing that also
// means another.
func TestEveryCardIsFoundByItsNames(t *testing.T) {
	for _, e := range rules.Editions() {
		x := newIndex(say.English(), e)
		for c := range e.Cards {
			card := rules.Card(c)
			for _, typed := range []string{say.English().Card(e, card), say.English().Short(e, card)} {
				got, trouble := x.set(words(typed), 1, x.all())
				if trouble.key != "" || got[0] != card {
					t.Errorf("%s: %q is %q, trouble %q", e.Name, typed, cardKeys(x, got), trouble.key)
				}
			}
		}
	}
}
