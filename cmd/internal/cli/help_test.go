package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"alibi/cmd/internal/say"
)

// cobras are words that cobra and pflag, and Go itself, have for every command.
var cobras = []string{"Usage", "Available", "Flags", "Examples", "Commands", "[flags]", "[command]", "help for", "Help", "more information",
	"(default ", "unknown", "invalid", "argument", "duration", "strconv", "parsing", "time:", "needs", "bad flag", "COMMAND", "TEXT", "NUMBER", "TIME "}

func noEnglish(t *testing.T, what, text string) {
	t.Helper()
	for _, w := range cobras {
		if strings.Contains(text, w) {
			t.Errorf("%s says %q: %s", what, w, text)
		}
	}
}

func eachBook(f func(tag string, b *say.Book)) {
	for _, tag := range tags() {
		b, _ := say.In(tag)
		f(tag, b)
	}
}

// Each command says in each language what it is for, and names all its flags.
func TestHelpInEveryLanguage(t *testing.T) {
	t.Setenv("ALIBI_HOME", t.TempDir())
	eachBook(func(tag string, b *say.Book) {
		p, _, _ := inMemory("")
		p.book = b
		commands := append(p.root().Commands(), &cobra.Command{Use: "alibi"})
		if len(commands) < 12 {
			t.Fatalf("only %d commands", len(commands))
		}
		for _, c := range commands {
			args := []string{c.Name(), "--help", "--lang", tag}
			if c.Name() == "alibi" {
				args = args[1:]
			}
			p, out, complaints := inMemory("")
			if code := p.run(t.Context(), args); code != 0 || complaints.Len() > 0 {
				t.Errorf("%v: %d %s", args, code, complaints)
			}
			got := out.String()
			for _, want := range []string{b.Say("cmd." + c.Name() + ".long"), b.Say("cmd." + c.Name() + ".example"), b.Say("help.usage"),
				b.Say("help.flags"), b.Say("flag.help"), b.Say("help.takes"), "  -h, --help ", "--lang " + b.Say("value.string")} {
				if !strings.Contains(got, want) {
					t.Errorf("%v lacks %q: %s", args, want, got)
				}
			}
			if tag != "en" {
				noEnglish(t, strings.Join(args, " "), got)
			}
			p, out, _ = inMemory("")
			if c.Name() != "alibi" {
				p.run(t.Context(), []string{"help", c.Name(), "--lang", tag})
				if out.String() != got {
					t.Errorf("%s: help %s differs from --help: %s", tag, c.Name(), out)
				}
			}
		}
	})
}

// A wrong flag is refused in the words of the book: not in those of the libraries.
func TestWrongFlagsInEveryLanguage(t *testing.T) {
	for _, tc := range []struct{ args, key, hint, gap, value string }{
		{"open --frob", "bad.flag", "hint.flags", "flag", "--frob"},
		{"open -xz", "bad.flag", "hint.flags", "flag", "-xz"},
		{"open --=1", "bad.flag", "hint.flags", "flag", "--=1"},
		{"open --name", "bad.flag.empty", "hint.flags", "flag", "--name"},
		{"open --seats many", "bad.option", "hint.int", "value", "many"},
		{"open --leavers 300", "bad.option", "hint.int", "value", "300"},
		{"open --timer soon", "bad.option", "hint.duration", "value", "soon"},
		{"tables --wait 3", "bad.option", "hint.duration", "value", "3"},
		{"open --bot=perhaps", "bad.option", "hint.bool", "value", "perhaps"},
	} {
		eachBook(func(tag string, b *say.Book) {
			p, out, complaints := inMemory("")
			code := p.run(t.Context(), append([]string{"--lang", tag}, strings.Fields(tc.args)...))
			option, _, _ := strings.Cut(strings.Fields(tc.args)[1], "=")
			text := b.Say("error", "text", b.Say(tc.key, "option", option, tc.gap, tc.value))
			want := text + "\n" + b.Say("hint", "text", b.Say(tc.hint)) + "\n"
			if code != 2 || out.Len() > 0 || complaints.String() != want {
				t.Errorf("%s: %s: %d %q, want %q", tag, tc.args, code, complaints, want)
			}
			if tag != "en" {
				noEnglish(t, tc.args, complaints.String())
			}
		})
	}
}

// What somebody typed can turn no letters around and move no cursor.
func TestErrorsAreOneVisibleLine(t *testing.T) {
	eachBook(func(tag string, _ *say.Book) {
		p, _, complaints := inMemory("")
		p.run(t.Context(), []string{"verify", "--lang", tag, "a\x1b[2J\nb\u202eب"})
		got := complaints.String()
		if strings.Count(got, "\n") != 2 || strings.ContainsAny(got, "\x1b\u202e") || !strings.Contains(got, `a\x1b[2J\nb\u202eب`) {
			t.Errorf("%s: %q", tag, got)
		}
	})
}
