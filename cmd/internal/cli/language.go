package cli

import (
	"strings"

	"alibi/cmd/internal/say"
)

// spoken is the book for the user's locale by the rules of POSIX and gettext: the
// first of LC_ALL, LC_MESSAGES and LANG that is set names it. Where that is not the
// plain one, LANGUAGE lists what is preferred to it.
func spoken(getenv func(string) string) *say.Book {
	locale := ""
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if locale = getenv(name); locale != "" {
			break
		}
	}
	if plain, _, _ := strings.Cut(locale, "."); plain == "" || plain == "C" || plain == "POSIX" {
		return say.English()
	}
	return say.For(getenv("LANGUAGE"), locale)
}

// speak takes the language from --lang, before anything is said: the texts of the
// commands, and what is wrong with one, are in it already. So it is looked for here,
// wherever it stands, and read once more with all other flags.
func (p *program) speak(args []string) error {
	for i, a := range args {
		tag, is := strings.CutPrefix(a, "--lang=")
		switch {
		case a == "--":
			return nil
		case a == "--lang" && i+1 < len(args):
			tag, is = args[i+1], true
		}
		if !is {
			continue
		}
		b, ok := say.In(strings.ToLower(tag))
		if !ok {
			return p.usage("bad.lang", "hint.choices", "value", tag, "choices", strings.Join(tags(), ", "))
		}
		p.book, p.asked = b, true
	}
	return nil
}

// tags are what --lang takes.
func tags() (out []string) {
	for _, l := range say.Languages() {
		out = append(out, l.Tag)
	}
	return out
}
