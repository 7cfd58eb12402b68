package say

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// written is a catalogue as its file has it.
func written(t *testing.T, l Language) map[string]string {
	t.Helper()
	data, err := files.ReadFile("texts/" + l.Tag + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	texts, err := parse(string(data))
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// others runs a test on each language but English, with both catalogues.
func others(t *testing.T, f func(t *testing.T, l Language, en, texts map[string]string)) {
	all := Languages()
	if len(all) < 5 {
		t.Fatalf("only %d languages", len(all))
	}
	en := written(t, all[0])
	for _, l := range all[1:] {
		t.Run(l.Tag, func(t *testing.T) { f(t, l, en, written(t, l)) })
	}
}

func TestEveryLanguageSaysEverything(t *testing.T) {
	others(t, func(t *testing.T, _ Language, en, texts map[string]string) {
		for key := range en {
			if strings.TrimSpace(texts[key]) == "" {
				t.Errorf("%s is missing", key)
			}
		}
		for key := range texts {
			if _, ok := en[key]; !ok {
				t.Errorf("%s is not in English", key)
			}
		}
	})
}

// leftOut are gaps that a language does without, and why.
var leftOut = map[string]string{}

func TestEveryLanguageFillsTheSameGaps(t *testing.T) {
	set := func(text string) []string { return slices.Compact(slices.Sorted(slices.Values(gaps(text)))) }
	used := map[string]bool{}
	others(t, func(t *testing.T, l Language, en, texts map[string]string) {
		for key, text := range texts {
			want, got := set(en[key]), set(text)
			for _, g := range got {
				if !slices.Contains(want, g) {
					t.Errorf("%s: nothing fills {%s}", key, g)
				}
			}
			for _, g := range want {
				name := l.Tag + " " + key + " " + g
				_, may := leftOut[name]
				if used[name] = may; !may && !slices.Contains(got, g) {
					t.Errorf("%s: {%s} is lost", key, g)
				}
			}
			if n := strings.Count(text, "{") - len(gaps(text)); n != 0 {
				t.Errorf("%s: a brace that is no gap: %s", key, text)
			}
		}
	})
	for name := range leftOut {
		if !used[name] {
			t.Errorf("%s is not left out", name)
		}
	}
}

// alike are texts that may be the same as in English, and why.
var alike = map[string]string{
	"short.scarlett": "a name", "short.mustard": "a name", "short.white": "a name",
	"short.green": "a name", "short.peacock": "a name", "short.plum": "a name",
	"list.between": "punctuation", "mark.own": "punctuation", "mark.none": "punctuation",
	"mark.unsure": "punctuation", "hint.prompt": "a gap", "failed.because": "gaps",
	"span.seconds": "units", "span.minutes": "units", "span.hours": "units", "demo.ms": "a unit",
	"cmd.demo.example": "commands", "cmd.open.example": "commands", "cmd.tables.example": "commands",
	"cmd.join.example": "commands", "cmd.resume.example": "commands", "cmd.watch.example": "commands",
	"cmd.verify.example": "commands", "cmd.keys.example": "commands", "cmd.version.example": "commands",
	"cmd.completion.example": "commands", "cmd.help.example": "commands", "quoted": "punctuation",
	"web.brand": "a name", "web.number": "a gap", "web.term": "punctuation", "web.rules.plus": "gaps",
	"web.ms": "a unit", "web.mark.cell": "gaps",
}

func TestEverythingIsTranslated(t *testing.T) {
	used := map[string]bool{}
	others(t, func(t *testing.T, _ Language, en, texts map[string]string) {
		for key, text := range texts {
			if text != en[key] {
				continue
			}
			if used[key] = true; alike[key] == "" {
				t.Errorf("%s is still English: %s", key, text)
			}
		}
	})
	for key := range alike {
		if !used[key] {
			t.Errorf("%s differs in every language", key)
		}
	}
}

// latin are the words that stay in Latin letters in every script: what is typed,
// and what has no other name.
var latin = strings.Fields(`
	ask no show accuse join pass guess vote order open keep ready hand notes log who words
	mark yes maybe drop abandon quit help
	alibi Alibi Ctrl C ALIBI_HOME FILE FOLDER HOST PORT TABLE
	CARD PLAYER SUSPECT WEAPON LOCATION
	JSON XDG ID peer mDNS multicast multiaddr loopback host port bash zsh fish powershell
	ms s h m`)

var (
	// code is what is never translated: commands of alibi, and their flags.
	code = regexp.MustCompile(`alibi (?:play|demo|open|tables|join|resume|watch|verify|keys|version|completion|help)|--[a-z][a-z-]*`)
	word = regexp.MustCompile(`[A-Za-z_]+`)
	hole = regexp.MustCompile(`\{[a-z]+\}`)
)

func TestNoEnglishIsLeftInOtherScripts(t *testing.T) {
	used := map[string]bool{}
	others(t, func(t *testing.T, l Language, _, texts map[string]string) {
		if l.Tag != "fa" && l.Tag != "th" {
			return
		}
		for key, text := range texts {
			if strings.HasSuffix(key, ".example") {
				continue
			}
			for _, w := range word.FindAllString(code.ReplaceAllString(hole.ReplaceAllString(text, " "), " "), -1) {
				if used[w] = true; !slices.Contains(latin, w) {
					t.Errorf("%s: %s", key, w)
				}
			}
		}
	})
	for _, w := range latin {
		if !used[w] {
			t.Errorf("%q is said in no other script", w)
		}
	}
}

// order finds words of line mode where English tells somebody to type them.
var order = regexp.MustCompile(`(?:[Tt]ype|or|example): ([a-z]+)`)

func TestWhatIsTypedIsTheSameInEveryLanguage(t *testing.T) {
	seen := 0
	others(t, func(t *testing.T, _ Language, en, texts map[string]string) {
		for key, text := range en {
			typed := code.FindAllString(text, -1)
			for _, m := range order.FindAllStringSubmatch(text, -1) {
				typed = append(typed, m[1])
			}
			for _, w := range typed {
				if seen++; !regexp.MustCompile(`(?:^|[^a-z])` + w + `(?:$|[^a-z])`).MatchString(texts[key]) {
					t.Errorf("%s does not say %q: %s", key, w, texts[key])
				}
			}
		}
	})
	if seen < 400 {
		t.Errorf("found only %d", seen)
	}
}

// verbs are the words of line mode at the head of each line of its help.
func verbs(help string) (out []string) {
	for line := range strings.SplitSeq(help, "\n") {
		head, _, _ := strings.Cut(line, "  ")
		if found := regexp.MustCompile(`^[a-z]+(, [a-z]+)*`).FindString(head); found != "" {
			out = append(out, found)
		}
	}
	return out
}

func TestHelpListsTheSameVerbs(t *testing.T) {
	others(t, func(t *testing.T, _ Language, en, texts map[string]string) {
		want, got := verbs(en["line.help"]), verbs(texts["line.help"])
		if len(want) < 15 || !slices.Equal(want, got) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

func TestExamplesNameCardsOfTheirLanguage(t *testing.T) {
	others(t, func(t *testing.T, _ Language, _, texts map[string]string) {
		for key, want := range map[string]string{
			"hint.guess": "guess " + texts["short.plum"] + " " + texts["short.knife"] + " " + texts["short.kitchen"],
			"hint.mark":  "mark " + texts["short.knife"] + " 2 maybe",
		} {
			if !strings.HasSuffix(texts[key], want) {
				t.Errorf("%s: %s, want %s", key, texts[key], want)
			}
		}
	})
}

func TestTextsAreClean(t *testing.T) {
	for _, l := range Languages() {
		data, err := files.ReadFile("texts/" + l.Tag + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		switch text := string(data); {
		case !utf8.ValidString(text):
			t.Errorf("%s is no UTF-8", l.Tag)
		case !norm.NFC.IsNormalString(text):
			t.Errorf("%s is not in NFC", l.Tag)
		case strings.ContainsAny(text, "\t\r\ufeff"):
			t.Errorf("%s has a tab, a carriage return or a byte order mark", l.Tag)
		}
		for at, line := range strings.Split(string(data), "\n") {
			// Lists are joined by a comma and a space.
			if strings.TrimRight(line, " ") != line && !strings.HasPrefix(line, "list.between: ") {
				t.Errorf("%s:%d: blank at the end", l.Tag, at+1)
			}
		}
	}
}

// In Vietnamese and Esperanto what proves mathematically, and what is kept of
// somebody who cheated, must not be one word.
func TestProofIsNotEvidence(t *testing.T) {
	for tag, words := range map[string]struct{ proof, evidence string }{
		"vi": {"chứng minh", "chứng cứ"}, "eo": {"pruvo", "indico"},
	} {
		b, _ := In(tag)
		for _, key := range slices.Sorted(maps.Keys(b.texts)) {
			text, en := strings.ToLower(b.texts[key]), strings.ToLower(english.texts[key])
			if proof := strings.Contains(text, words.proof); proof != strings.Contains(en, "proof") {
				t.Errorf("%s: %s: %s", tag, key, text)
			}
			if evidence := strings.Contains(text, words.evidence); evidence != strings.Contains(en, "evidence") {
				t.Errorf("%s: %s: %s", tag, key, text)
			}
		}
	}
}
