package say

import (
	"path"
	"strings"
	"testing"
	"time"

	"alibi/game/rules"
	"alibi/game/view"
)

func TestEveryFileIsALanguage(t *testing.T) {
	entries, err := files.ReadDir("texts")
	if err != nil || len(entries) == 0 {
		t.Fatal(err, len(entries))
	}
	for _, e := range entries {
		tag := strings.TrimSuffix(e.Name(), path.Ext(e.Name()))
		b, ok := In(tag)
		if !ok || b.Language().Tag != tag {
			t.Errorf("%s belongs to no language of the program", e.Name())
		}
	}
	if got := Languages(); len(got) != len(entries) || got[0].Tag != "en" {
		t.Errorf("%d files, languages %v", len(entries), got)
	}
	if _, ok := In("tlh"); ok {
		t.Error("the program speaks Klingon")
	}
}

func TestTheBookThatSuitsBest(t *testing.T) {
	for _, tc := range []struct {
		wishes []string
		want   string
	}{
		{nil, "en"},
		{[]string{""}, "en"},
		{[]string{"vi"}, "vi"},
		{[]string{"vi-VN"}, "vi"},
		{[]string{"vi_VN.UTF-8"}, "vi"},
		{[]string{"eo.UTF-8"}, "eo"},
		{[]string{"eo@latin"}, "eo"},
		{[]string{"de_DE.UTF-8", "vi_VN"}, "vi"},
		{[]string{"de_DE:vi:eo"}, "vi"},
		{[]string{"C", "vi_VN.UTF-8"}, "en"},
		{[]string{"C.UTF-8", "vi_VN.UTF-8"}, "en"},
		{[]string{"POSIX"}, "en"},
		{[]string{"en_GB.UTF-8", "vi"}, "en"},
		{[]string{"", "eo"}, "eo"},
		{[]string{"not a tag", "eo"}, "eo"},
		{[]string{"ja"}, "en"},
		{[]string{"eo, vi;q=0.9"}, "eo"},
		{[]string{"vi;q=0.2, eo;q=0.9, en;q=0.1"}, "eo"},
		{[]string{"ja,ko;q=0.9,vi-VN;q=0.5"}, "vi"},
		{[]string{"*;q=0.5"}, "en"},
		{[]string{"vi;q=what", "eo"}, "eo"},
		{[]string{"vi;q=0"}, "en"},
		{[]string{"fa-IR,fa;q=0.9,en;q=0.5"}, "fa"},
		{[]string{"fa_AF.UTF-8"}, "fa"},
		{[]string{"th_TH.TIS-620"}, "th"},
		{[]string{strings.Repeat("a-", 4000) + ",vi"}, "en"},
	} {
		if got := For(tc.wishes...).Language().Tag; got != tc.want {
			t.Errorf("%.60q: %s, want %s", tc.wishes, got, tc.want)
		}
	}
}

func TestDigits(t *testing.T) {
	for tag, want := range map[string]string{"en": "10.5", "vi": "10,5", "fa": "۱۰٫۵", "th": "10.5", "eo": "10,5"} {
		if b, _ := In(tag); b.Digits("10.5") != want {
			t.Errorf("%s: %s, want %s", tag, b.Digits("10.5"), want)
		}
	}
}

// persian is a book of a few texts, so that what is held here does not hang on
// the wording of texts/fa.txt.
func persian(t *testing.T) *Book {
	t.Helper()
	b, err := newBook(Language{Tag: "fa", RTL: true, zero: '۰', point: '٫'}, strings.Join([]string{
		"prompt.order: بنویسید: order {names}",
		"prompt.vote: بنویسید: vote {who}، یا نه",
		`join: از "alibi join "{table}"" استفاده کنید`,
		`quoted: با "alibi resume {number}" برگردید.`,
		"open: نشانی: {address}",
		"open.table: میز {name}",
		"rounds: دور {round}",
		"error: خطا: {text}",
		"asked: {who} پرسید: {cards}",
		"player.you: شما",
		"player.nobody: کسی نیست",
		"list.between: ، ",
		"span.minutes: {n} دقیقه",
	}, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// shown makes isolates visible.
func shown(text string) string {
	return strings.NewReplacer(isolated, "<", released, ">").Replace(text)
}

func TestGapsInABookFromRightToLeft(t *testing.T) {
	b := persian(t)
	for _, tc := range []struct{ got, want string }{
		{b.Say("open", "address", "192.168.1.20:40001"), "نشانی: <192.168.1.20:40001>"},
		{b.Say("open", "address", "/ip4/10.0.0.1/tcp/1"), "نشانی: </ip4/10.0.0.1/tcp/1>"},
		{b.Say("asked", "who", "Anh", "cards", "چاقو"), "<Anh> پرسید: چاقو"},
		{b.Say("asked", "who", "بهار", "cards", "چاقو"), "بهار پرسید: چاقو"},
		{b.Say("asked", "who", b.name("Anh بهار"), "cards", "چاقو"), "<Anh بهار> پرسید: چاقو"},
		{b.Say("open.table", "name", "Anh"), "میز Anh"}, // a name itself
		// A sentence of the book stays as it is, also with a name in it.
		{b.Say("error", "text", b.Say("asked", "who", "Anh", "cards", "")), "خطا: <Anh> پرسید: "},
		{b.Say("error", "text", "با alibi tables ببینید"), "خطا: با alibi tables ببینید"},
		{b.Say("error", "text", "no such file"), "خطا: <no such file>"},
		// Numbers are numbers; what only looks like one is somebody's name.
		{b.Say("rounds", "round", uint32(1203)), "دور ۱۲۰۳"},
		{b.Say("rounds", "round", 7), "دور ۷"},
		{b.Say("rounds", "round", 2.5), "دور ۲٫۵"},
		{b.Say("open", "address", "7"), "نشانی: <7>"},
		{b.Span(5 * time.Minute), "۵ دقیقه"},
		{b.Clock(time.Date(2026, 1, 2, 15, 4, 0, 0, time.UTC)), "۱۵:۰۴"},
		// In a command everything is as it is to be typed.
		{b.Say("join", "table", "Anh's table"), `از "<alibi join "Anh's table">" استفاده کنید`},
		{b.Say("quoted", "number", 1), `با "<alibi resume 1>" برگردید.`},
		{b.Say("prompt.vote", "who", "بهار"), "بنویسید: <vote بهار>، یا نه"},
	} {
		if got := shown(tc.got); got != tc.want {
			t.Errorf("%s, want %s", got, tc.want)
		}
	}
}

func TestPlayersInABookFromRightToLeft(t *testing.T) {
	b := persian(t)
	v := &view.View{Me: 2, Players: []view.Player{{Name: "Anh"}, {Name: "بهار"}, {Name: "Chai"}}}
	if got := shown(b.Names(v, []int{0, 1, 2})); got != "<Anh>، بهار، شما" {
		t.Error(got)
	}
	v.Choices.Propose = []int{2, 0}
	if got := shown(b.Prompt(v)); got != "بنویسید: <order شما, Anh>" {
		t.Error(got)
	}
}

func TestNothingIsIsolatedFromLeftToRight(t *testing.T) {
	for _, l := range Languages() {
		if l.RTL {
			continue
		}
		b, _ := In(l.Tag)
		got := b.Say("open.address", "address", "بهار") + b.Say("open.find") + b.name("بهار")
		if shown(got) != got {
			t.Errorf("%s: %s", l.Tag, shown(got))
		}
	}
}

// notation is how cards are typed, as line mode reads it: the typed words each
// begin a word of the name, in its order, and whole words win over beginnings.
func notation(b *Book, e *rules.Edition, typed string) (found []string) {
	for _, fits := range []func(word, typed string) bool{func(w, t string) bool { return w == t }, strings.HasPrefix} {
		for c, card := range e.Cards {
			rest := strings.Fields(strings.ToLower(typed))
			for _, w := range strings.Fields(strings.ToLower(b.Card(e, rules.Card(c)))) {
				if len(rest) > 0 && fits(w, rest[0]) {
					rest = rest[1:]
				}
			}
			if len(rest) == 0 {
				found = append(found, card.Key)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

func TestShortNamesCanBeTyped(t *testing.T) {
	for _, l := range Languages() {
		b, _ := In(l.Tag)
		fillers := strings.Fields(b.Say("line.fillers"))
		for _, e := range rules.Editions() {
			for c, card := range e.Cards {
				for _, typed := range []string{b.Short(e, rules.Card(c)), b.Card(e, rules.Card(c))} {
					if got := notation(b, e, typed); len(got) != 1 || got[0] != card.Key {
						t.Errorf("%s, %s: %q names %v, not %s", l.Tag, e.Name, typed, got, card.Key)
					}
				}
				for _, w := range strings.Fields(b.Short(e, rules.Card(c))) {
					for _, f := range fillers {
						if w == f {
							t.Errorf("%s: %q of %s is passed over", l.Tag, w, card.Key)
						}
					}
				}
				if s := b.Short(e, rules.Card(c)); strings.ContainsAny(s, `,"`) || s != strings.ToLower(s) {
					t.Errorf("%s: nobody can type %q", l.Tag, s)
				}
			}
		}
		if you := b.Say("player.you"); len(strings.Fields(you)) != 1 {
			t.Errorf("%s: %q is more than a word", l.Tag, you)
		}
	}
}

// Quoted names keep the letters of every script, and lose what can disturb a line.
func TestQuotes(t *testing.T) {
	for _, tc := range []struct{ tag, text, want string }{
		{"en", "Anh", `"Anh"`},
		{"en", "มีดทำครัว", `"มีดทำครัว"`},
		{"en", "می\u200cشود", "\"می\u200cشود\""},
		{"en", "nến", `"nến"`},
		{"en", "a\nb\x1b[1m\u202ec\u200b", `"a\nb\x1b[1m\u202ec\u200b"`},
		{"fa", "بهار", "«بهار»"},
		{"fa", "Anh", "«<Anh>»"},
		{"fa", "Anh بهار", "«<Anh بهار>»"},
		{"th", "Anh", "“Anh”"},
		{"vi", "Anh", `"Anh"`},
	} {
		b, _ := In(tc.tag)
		if got := shown(b.Quote(tc.text)); got != tc.want {
			t.Errorf("%s: %q: %q, want %q", tc.tag, tc.text, got, tc.want)
		}
		// A gap takes it as it is.
		if got := shown(b.Say("error", "text", b.Quote(tc.text))); !strings.HasSuffix(got, tc.want) {
			t.Errorf("%s: %q", tc.tag, got)
		}
	}
}
