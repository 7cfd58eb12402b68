package say

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/table"
)

// call is one place where the program says something.
type call struct {
	where string
	gaps  []string
	open  bool // more gaps than can be read off the source
}

// said reads the source of everything that speaks: keys by literal, with the
// gaps they are given.
func said(t *testing.T) (calls map[string][]call, literals map[string]bool) {
	t.Helper()
	calls, literals = map[string][]call{}, map[string]bool{}
	fset := token.NewFileSet()
	err := filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".html") {
			return template(calls, name)
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if s, err := strconv.Unquote(l.Value); err == nil {
					literals[s] = true
				}
			}
			if c, ok := n.(*ast.CallExpr); ok {
				record(calls, fset, c)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return calls, literals
}

// action is how a template speaks: {{say "key" "gap" .Value}}.
var (
	action = regexp.MustCompile(`\{\{say ".*?\}\}`)
	quoted = regexp.MustCompile(`"([a-z0-9.-]+)"`)
)

// template reads what pages speak.
func template(calls map[string][]call, name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	for _, a := range action.FindAllString(string(data), -1) {
		words := quoted.FindAllStringSubmatch(a, -1)
		at := call{where: name}
		for _, w := range words[1:] {
			at.gaps = append(at.gaps, w[1])
		}
		calls[words[0][1]] = append(calls[words[0][1]], at)
	}
	return nil
}

// speakers are the functions that take keys, and how many before the gaps.
var speakers = map[string]int{"Say": 1, "say": 1, "tell": 1, "wrong": 2, "confirm": 1, "usage": 2, "failed": 2}

func record(calls map[string][]call, fset *token.FileSet, c *ast.CallExpr) {
	name := ""
	switch f := c.Fun.(type) {
	case *ast.SelectorExpr:
		name = f.Sel.Name
	case *ast.Ident:
		name = f.Name
	}
	keys, ok := speakers[name]
	if !ok {
		return
	}
	args := c.Args
	if name == "confirm" && len(args) > 0 {
		args = args[1:]
	}
	if len(args) < keys {
		return
	}
	at := call{where: fset.Position(c.Pos()).String(), open: c.Ellipsis.IsValid()}
	for i := keys; i < len(args); i += 2 {
		if g, ok := literal(args[i]); ok {
			at.gaps = append(at.gaps, g)
		} else {
			at.open = true
		}
	}
	for _, a := range args[:keys] {
		if key, ok := literal(a); ok && key != "" {
			calls[key] = append(calls[key], at)
		}
	}
}

func literal(e ast.Expr) (string, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(l.Value)
	return s, err == nil
}

var gap = regexp.MustCompile(`\{([a-z]+)\}`)

func gaps(text string) []string {
	var out []string
	for _, m := range gap.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

func TestEverySentenceIsThereWithItsGaps(t *testing.T) {
	calls, _ := said(t)
	if len(calls) < 100 {
		t.Fatalf("found only %d keys in the source", len(calls))
	}
	for key, at := range calls {
		text, ok := english.texts[key]
		if !ok {
			t.Errorf("%s: the catalogue lacks %q", at[0].where, key)
			continue
		}
		for _, c := range at {
			for _, g := range gaps(text) {
				if !c.open && !slices.Contains(c.gaps, g) {
					t.Errorf("%s: nothing fills {%s} of %q", c.where, g, key)
				}
			}
		}
	}
}

// Keys that are put together: from a card, a phase, an option.
func derived() []string {
	var keys []string
	for _, e := range rules.Editions() {
		keys = append(keys, "edition."+e.Name)
		for _, f := range e.Cards {
			keys = append(keys, "card."+f.Key, "short."+f.Key)
		}
	}
	for s := table.Accepting; s < table.Playing; s++ {
		keys = append(keys, "wait."+s.String(), "step."+s.String())
	}
	for p := rules.Voting; p <= rules.Over; p++ {
		keys = append(keys, "wait."+p.String())
	}
	for option, choices := range map[string][]string{"first": rules.FirstChoices, "order": rules.OrderChoices,
		"last": rules.LastChoices, "notebook": rules.NotebookChoices} {
		for _, c := range choices {
			keys = append(keys, option+"."+c, "web."+option+"."+c)
		}
	}
	for _, k := range []move.Kind{move.KindKeys, move.KindKeyShares, move.KindComplain, move.KindShuffle, move.KindShares, move.KindDeny, move.KindShow,
		move.KindGuess, move.KindVerdict, move.KindDisclose} {
		keys = append(keys, "proof."+k.String())
	}
	for _, k := range kindKeys {
		keys = append(keys, k)
	}
	for _, c := range []string{"play", "demo", "open", "tables", "join", "resume", "watch", "verify", "keys", "version", "completion", "help", "alibi"} {
		keys = append(keys, "cmd."+c, "cmd."+c+".long", "cmd."+c+".example")
	}
	for name, lines := range map[string]int{"cards": 3, "turn": 3, "answer": 3, "accuse": 5, "end": 3, "leave": 4, "fair": 4} {
		keys = append(keys, "web.rules."+name)
		for i := range lines {
			keys = append(keys, fmt.Sprintf("web.rules.%s.%d", name, i+1))
		}
	}
	return append(keys, "flag.edition", "flag.first", "flag.order", "flag.last-player", "flag.notebook")
}

func TestDerivedSentencesAreThere(t *testing.T) {
	for _, key := range derived() {
		if !english.Has(key) {
			t.Errorf("the catalogue lacks %q", key)
		}
	}
}

func TestCatalogueHoldsNothingUnused(t *testing.T) {
	calls, literals := said(t)
	known := derived()
	for key := range english.texts {
		base := strings.TrimSuffix(strings.TrimSuffix(key, ".you"), ".me")
		if len(calls[key]) == 0 && !literals[key] && !literals[base] && !slices.Contains(known, key) && !slices.Contains(known, base) {
			t.Errorf("nobody says %q", key)
		}
	}
}

func TestParseRefusesWhatItWouldMisread(t *testing.T) {
	for _, text := range []string{"no colon here", "a: b\na: c"} {
		if _, err := parse(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
	b, err := newBook(english.lang, "# a comment\na: {x} and {y}\n  more\n  .\n  end\n\nb: c: d")
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Say("a", "x", 1, "y", "{x}"); got != "1 and {x}\nmore\n\nend" {
		t.Errorf("said %q", got)
	}
	if got := b.Say("b"); got != "c: d" {
		t.Errorf("said %q", got)
	}
	if got := b.Say("absent", "x", 1); got != "absent" {
		t.Errorf("said %q", got)
	}
}
