package law

import (
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../../.."

func TestThisModule(t *testing.T) {
	sources, err := Load(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(sources) < 20 {
		t.Fatalf("read only %d files below %s", len(sources), root)
	}
	sizes, notices := Sizes(sources)
	for name, breaches := range map[string][]string{
		"imports":  Imports(sources),
		"bans":     Bans(sources),
		"sizes":    sizes,
		"comments": PackageComments(sources),
	} {
		t.Run(name, func(t *testing.T) { report(t, breaches) })
	}
	for _, n := range notices {
		t.Log("long: " + n)
	}
}

func TestMapOrderOfThisModule(t *testing.T) {
	var there []string
	for _, p := range Ordered {
		if _, err := os.Stat(filepath.Join(root, p)); err != nil {
			t.Errorf("%s is gone: the law names a package that does not exist", p)
			continue
		}
		there = append(there, p)
	}
	dir, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	breaches, err := MapOrder(dir, there...)
	if err != nil {
		t.Fatal(err)
	}
	report(t, breaches)
}

func report(t *testing.T, breaches []string) {
	t.Helper()
	for _, b := range breaches {
		t.Error(b)
	}
}

// sample is a source file that a check is tried on.
type sample struct{ path, text string }

func load(t *testing.T, samples ...sample) (out []*Source) {
	t.Helper()
	for _, f := range samples {
		s, err := parse(token.NewFileSet(), f.path, []byte(f.text))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// expect wants one breach that contains want, or none where want is empty.
func expect(t *testing.T, got []string, want string) {
	t.Helper()
	if want == "" && len(got) > 0 {
		t.Errorf("allowed, but reported: %q", got)
	}
	if want != "" && (len(got) != 1 || !strings.Contains(got[0], want)) {
		t.Errorf("got %q, want one breach that says %q", got, want)
	}
}

func TestImports(t *testing.T) {
	for _, tc := range []struct{ file, imports, want string }{
		{"crypto/sigma/a.go", "alibi/crypto/group", ""},
		{"crypto/sigma/a.go", "alibi/game/rules", "crypto/sigma/a.go:2: crypto/sigma must not import game/rules"},
		{"crypto/feed/a.go", "alibi/p2p/wire", "must not import p2p/wire"},
		{"crypto/feed/a_test.go", "alibi/game/move", "must not import game/move"},
		{"crypto/group/a.go", "filippo.io/edwards25519/field", ""},
		{"crypto/sigma/a.go", "filippo.io/edwards25519", "must not stand on"},
		{"crypto/feed/a.go", "github.com/fxamacker/cbor/v2", ""},
		{"game/move/a.go", "github.com/fxamacker/cbor/v2", "must not stand on"},
		{"crypto/group/a_test.go", "github.com/gtank/ristretto255", ""},
		{"crypto/group/a.go", "crypto/sha3", ""},
		{"crypto/group/a.go", "crypto/rand", "pure"},
		{"crypto/group/a.go", "crypto/randx", ""},
		{"crypto/feed/a.go", "net/netip", "pure"},
		{"game/bot/a.go", "time", "pure"},
		{"game/bot/a.go", "log/slog", "pure"},
		{"game/bot/a.go", "os", "pure"},
		{"game/bot/a.go", "context", "pure"},
		{"game/bot/a_test.go", "os", ""},
		{"game/bot/a_test.go", "math/rand/v2", "math/rand/v2 is not used here"},
		{"p2p/lan/a.go", "math/rand", "math/rand is not used here"},
		{"game/table/a.go", "alibi/crypto/deck", ""},
		{"game/table/a.go", "alibi/p2p/node", "must not import p2p/node"},
		{"game/table/a_test.go", "alibi/cmd/internal/session", "must not import cmd"},
		{"game/rules/a.go", "alibi/crypto/group", "game/rules must not import crypto/group"},
		{"game/rules/a_test.go", "alibi/crypto/group", ""},
		{"game/deduce/a.go", "alibi/game/rules", ""},
		{"game/deduce/a.go", "alibi/game/table", "must not import game/table"},
		{"p2p/node/a.go", "alibi/crypto/identity", ""},
		{"p2p/node/a.go", "alibi/game/table", "must not import game/table"},
		{"p2p/node/a.go", "crypto/rand", ""},
		{"p2p/node/a_test.go", "alibi/cmd/internal/session", "must not import cmd"},
		{"cmd/internal/session/a.go", "alibi/p2p/node", ""},
		{"cmd/internal/tui/a.go", "alibi/game/view", ""},
		{"cmd/internal/tui/keys/a.go", "alibi/cmd/internal/tui", ""},
		{"cmd/internal/tui/a.go", "alibi/cmd/internal/session", ""},
		{"cmd/internal/tui/a.go", "alibi/cmd/internal/web", "two faces"},
		{"cmd/internal/web/assets/a.go", "alibi/cmd/internal/cli", "two faces"},
		{"cmd/internal/cli/a.go", "alibi/p2p/lobby", "must not import p2p/lobby"},
		{"cmd/internal/web/a.go", "alibi/crypto/identity", "must not import crypto/identity"},
		{"cmd/internal/web/a_test.go", "alibi/p2p/node", ""},
		{"cmd/alibi/main.go", "alibi/cmd/internal/cli", ""},
		{"tools/a.go", "fmt", "Go source lives in"},
		{"main.go", "fmt", "Go source lives in"},
		{"gamebooks/a.go", "fmt", "Go source lives in"},
	} {
		t.Run(tc.file+" "+tc.imports, func(t *testing.T) {
			s := sample{tc.file, "package p\nimport _ \"" + tc.imports + "\"\n"}
			expect(t, Imports(load(t, s)), tc.want)
		})
	}
}

func TestBans(t *testing.T) {
	for _, tc := range []struct{ file, code, want string }{
		{"game/bot/a.go", "func f() { go f() }", "game/bot/a.go:2: game/bot starts no goroutine"},
		{"game/bot/a_test.go", "func f() { go f() }", ""},
		{"p2p/node/a.go", "func f() { go f() }", ""},
		{"game/rules/a.go", "const half = 0.5", "no floating point"},
		{"game/rules/a.go", "var x float64", "no floating point"},
		{"game/table/a.go", "func f(x int) any { return float32(x) }", "no floating point"},
		{"game/table/a.go", "const i = 2i", "no floating point"},
		{"game/table/a.go", "const floatingRound = 2", ""},
		{"game/deduce/a.go", "var x float64", ""},
		{"game/rules/a_test.go", "var x float64", ""},
		{"game/rules/a.go", "func f() { panic(1) }", "does not panic"},
		{"p2p/wire/a.go", "var f = func() { panic(1) }", "does not panic"},
		{"p2p/wire/a.go", "func mustParse() { panic(1) }", ""},
		{"p2p/wire/a.go", "func muster() {}\nfunc f() { panic(1) }", "a.go:3"},
		{"p2p/wire/a_test.go", "func f() { panic(1) }", ""},
		{"crypto/group/a.go", "func f() { panic(1) }", ""},
		{"p2p/lan/a.go", "func f() { time.Sleep(1) }", "instead of time.Sleep"},
		{"p2p/lan/a_test.go", "func f() { time.Sleep(1) }", "instead of time.Sleep"},
		{"p2p/lan/a.go", "// TO" + "DO: more", "finish it"},
		{"p2p/lan/a.go", "func f() { // X" + "XX\n}", "finish it"},
		{"p2p/lan/a.go", "var c = context.TO" + "DO()", ""},
	} {
		t.Run(tc.file+" "+tc.code, func(t *testing.T) {
			expect(t, Bans(load(t, sample{tc.file, "package p\n" + tc.code + "\n"})), tc.want)
		})
	}
}

func TestSizes(t *testing.T) {
	file := func(lines int) string { return "package p" + strings.Repeat("\n", lines) }
	function := func(lines int) string { return "package p\nfunc f() {" + strings.Repeat("\n", lines-1) + "}" }
	for _, tc := range []struct{ path, text, want, notice string }{
		{"game/a/a.go", file(FileBudget), "", ""},
		{"game/a/a.go", file(FileBudget + 1), "file of 421 lines", ""},
		{"game/a/a_test.go", file(FileBudget + 1), "", ""},
		{"game/a/a.go", function(FuncNotice), "", ""},
		{"game/a/a.go", function(FuncNotice + 1), "", "f has 61 lines"},
		{"game/a/a.go", function(FuncBudget), "", "f has 80 lines"},
		{"game/a/a.go", function(FuncBudget + 1), "f has 81 lines", ""},
		{"game/a/a_test.go", function(FuncBudget + 1), "", ""},
	} {
		breaches, notices := Sizes(load(t, sample{tc.path, tc.text}))
		expect(t, breaches, tc.want)
		expect(t, notices, tc.notice)
	}
}

func TestPackageComments(t *testing.T) {
	for _, tc := range []struct {
		name  string
		files []sample
		want  string
	}{
		{"in one of two files", []sample{{"game/a/a.go", "package a"}, {"game/a/b.go", "// Package a is it.\npackage a"}}, ""},
		{"nowhere", []sample{{"game/a/a.go", "package a"}, {"game/a/b.go", "package a"}}, "game/a/a.go:1: package a has no comment"},
		{"of another name", []sample{{"game/a/a.go", "// Package b is it.\npackage a"}}, "no comment that begins"},
		{"parted by a line", []sample{{"game/a/a.go", "// Package a is it.\n\npackage a"}}, "no comment that begins"},
		{"in a test only", []sample{{"game/a/a.go", "package a"}, {"game/a/a_test.go", "// Package a is it.\npackage a"}}, "no comment"},
		{"tests only", []sample{{"game/a/a_test.go", "package a"}}, ""},
		{"main", []sample{{"cmd/alibi/main.go", "// Alibi plays.\npackage main"}}, ""},
		{"main without", []sample{{"cmd/alibi/main.go", "package main"}}, "no comment"},
	} {
		t.Run(tc.name, func(t *testing.T) { expect(t, PackageComments(load(t, tc.files...)), tc.want) })
	}
}

func TestMapOrder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "go.mod", "module alibi\n\ngo 1.26\n")
	write(t, dir, "below/below.go", "package below\n\ntype Named map[string]int\n")
	write(t, dir, "p/p.go", `package p

import (
	"maps"
	"slices"

	"alibi/below"
)

func f(m map[int]int, n below.Named, s []int) (sum int) {
	for k := range m {
		sum += k
	}
	for _, v := range n {
		sum += v
	}
	for k := range m { //law:any-order a sum has no order
		sum += k
	}
	//law:any-order a sum has no order
	for k := range m {
		sum += k
	}
	for range s {
	}
	for k := range maps.Keys(m) {
		sum += k
	}
	return sum + slices.Sorted(maps.Keys(m))[0] + slices.Collect(maps.Values(m))[0]
}
`)
	got, err := MapOrder(dir, "./p")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"p/p.go:11: a map", "p/p.go:14: a map", "p/p.go:26: maps.Keys", "p/p.go:29: maps.Values"}
	if len(got) != len(want) {
		t.Fatalf("got %d breaches: %q", len(got), got)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("got %q, want %q", got[i], want[i])
		}
	}
	write(t, dir, "p/p.go", "package p\n\nvar x int = nothing\n")
	if _, err := MapOrder(dir, "./p"); err == nil {
		t.Error("a package that does not compile passed")
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	full := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
