package cli

import (
	"strings"
	"testing"

	"alibi/cmd/internal/say"
)

func TestLocaleChoosesTheLanguage(t *testing.T) {
	for _, tc := range []struct {
		env  string
		want string
	}{
		{"", "en"},
		{"LANG=C", "en"},
		{"LANG=POSIX", "en"},
		{"LANG=C.UTF-8", "en"},
		{"LANG=vi", "vi"},
		{"LANG=vi_VN.UTF-8", "vi"},
		{"LANG=fa_IR.UTF-8", "fa"},
		{"LANG=th_TH", "th"},
		{"LANG=eo", "eo"},
		{"LANG=de_DE.UTF-8", "en"},
		{"LANG=no-such-thing-at-all", "en"},
		{"LANG=\xff\x00", "en"},
		{"LANG=vi_VN LC_MESSAGES=fa_IR", "fa"},
		{"LANG=vi_VN LC_MESSAGES=fa_IR LC_ALL=th_TH", "th"},
		{"LANG=vi_VN LC_ALL=C", "en"},
		{"LC_CTYPE=fa_IR", "en"}, // the script of a terminal is not its language
		{"LANG=en_US.UTF-8 LANGUAGE=eo", "eo"},
		{"LANG=en_US.UTF-8 LANGUAGE=de:fa:vi", "fa"},
		{"LANG=vi_VN LANGUAGE=de:fr", "vi"},
		{"LANG=vi_VN LANGUAGE=en:fa", "en"},
		{"LANG=C LANGUAGE=fa", "en"}, // as gettext has it
		{"LANGUAGE=fa", "en"},
		{"LANG=vi_VN LC_ALL=C.UTF-8 LANGUAGE=fa", "en"},
	} {
		env := map[string]string{}
		for _, set := range strings.Fields(tc.env) {
			name, value, _ := strings.Cut(set, "=")
			env[name] = value
		}
		got := spoken(func(name string) string { return env[name] })
		if tag := got.Language().Tag; tag != tc.want {
			t.Errorf("%q: %s, want %s", tc.env, tag, tc.want)
		}
	}
}

func TestLanguageThatIsAskedFor(t *testing.T) {
	vi, _ := say.In("vi")
	for _, tc := range []struct {
		args string
		code int
		want string // what is wrong, and in what language
	}{
		{"--lang vi verify", 2, "bad.verify"},
		{"verify --lang vi", 2, "bad.verify"},
		{"--lang=vi verify", 2, "bad.verify"},
		{"verify --lang=VI", 2, "bad.verify"},
		{"verify --lang=eo --json --lang=vi", 2, "bad.verify"}, // as with any flag, the last
		{"completion --lang vi csh", 2, "bad.shell"},
	} {
		p, out, complaints := inMemory("")
		code := p.run(t.Context(), strings.Fields(tc.args))
		if code != tc.code || out.Len() > 0 || !strings.HasPrefix(complaints.String(), vi.Say("error", "text", vi.Say(tc.want))+"\n") {
			t.Errorf("%s: %d %s%s", tc.args, code, out, complaints)
		}
	}
}

func TestLanguageThatNobodySpeaks(t *testing.T) {
	for _, args := range []string{"--lang tlh", "--lang=tlh version", "version --lang tlh", "open --lang tlh --frob",
		"--lang=tlh --help", "help --lang=tlh", "--lang eo --lang tlh"} {
		p, out, complaints := inMemory("")
		code := p.run(t.Context(), strings.Fields(args))
		if code != 2 || out.Len() > 0 {
			t.Errorf("%s: %d %s", args, code, out)
		}
		if !strings.Contains(complaints.String(), `"tlh"`) || !strings.Contains(complaints.String(), "en, vi, fa, th, eo") ||
			strings.Count(complaints.String(), "\n") != 2 {
			t.Errorf("%s: %s", args, complaints)
		}
	}
}

// After -- there are no flags, and a flag without its value is no language.
func TestWhatIsNoLanguageFlag(t *testing.T) {
	for args, want := range map[string]string{
		"verify -- --lang=tlh": "--lang=tlh",
		"verify --lang":        "--lang",
		"version --lang=":      `""`,
	} {
		p, _, complaints := inMemory("")
		if code := p.run(t.Context(), strings.Fields(args)); code != 2 || !strings.Contains(complaints.String(), want) {
			t.Errorf("%s: %d %s", args, code, complaints)
		}
		if p.asked {
			t.Errorf("%s: asked for a language", args)
		}
	}
}

// What programs read is the same in every language.
func TestJSONIsTheSameInEveryLanguage(t *testing.T) {
	log := whole(t)
	var first string
	for _, tag := range tags() {
		p, out, complaints := inMemory(log)
		if code := p.run(t.Context(), []string{"verify", "--json", "-", "--lang", tag}); code != 0 {
			t.Fatalf("%s: %d %s", tag, code, complaints)
		}
		if first == "" {
			first = out.String()
		}
		if out.String() != first {
			t.Errorf("%s: %s", tag, out)
		}
	}
}

func whole(t *testing.T) string {
	var b strings.Builder
	for _, piece := range recorded(t) {
		b.Write(piece)
	}
	return b.String()
}
