package law

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// Module is the import path of the module that the law is about.
const Module = "alibi"

// The trees. Two wings, game and p2p, stand on crypto and never meet; cmd joins
// them. Of several entries that fit a package the longest holds; tests are bound
// by the entries of one word only, so that they may build the world around what
// they test without turning the directions round.
var mayImport = map[string][]string{
	"crypto": {"crypto"},
	"game":   {"crypto", "game"},
	"p2p":    {"crypto", "p2p"},
	"cmd":    {"crypto", "game", "p2p", "cmd"},

	// Plain values: no cryptography below them.
	"game/rules":  {"game/board"},
	"game/board":  {},
	"game/deduce": {"game/rules", "game/board"},

	// The faces see session and view, whose types come from game, and not one
	// another.
	"cmd/internal/cli": {"game", "cmd/internal"},
	"cmd/internal/tui": {"game", "cmd/internal"},
	"cmd/internal/web": {"game", "cmd/internal"},
}

var faces = []string{"cmd/internal/cli", "cmd/internal/tui", "cmd/internal/web"}

// outside lists the modules that the pure trees stand on, by package.
var outside = map[string][]string{
	"crypto/group":    {"filippo.io/edwards25519"},
	"crypto/identity": {"filippo.io/edwards25519"},
	"crypto/feed":     {"github.com/fxamacker/cbor/v2"},
}

var (
	pure = []string{"crypto", "game"}

	// impure is what a pure tree must be handed instead: a clock, a source of
	// randomness, a place to write to.
	impure = []string{"net", "os", "time", "log", "context", "math/rand", "crypto/rand", "syscall", "unsafe", "C"}

	// nowhere is banned from tests, too: what decides anything here is drawn
	// from an io.Reader or by rapid.
	nowhere = []string{"math/rand"}
)

// Imports names every import that the tables above do not allow.
func Imports(sources []*Source) []string {
	var out []string
	for _, s := range sources {
		if !knownTree(s.Dir) {
			out = append(out, s.breach(s.AST, "Go source lives in cmd, crypto, game or p2p"))
			continue
		}
		for _, spec := range s.AST.Imports {
			if p, err := strconv.Unquote(spec.Path.Value); err == nil {
				out = append(out, s.importBreach(spec, p)...)
			}
		}
	}
	return out
}

func knownTree(dir string) bool {
	tree, _, _ := strings.Cut(dir, "/")
	_, ok := mayImport[tree]
	return ok
}

func (s *Source) importBreach(at ast.Node, p string) []string {
	if underAny(p, nowhere) {
		return []string{s.breach(at, "%s is not used here", p)}
	}
	if under(p, Module) {
		below := strings.TrimPrefix(strings.TrimPrefix(p, Module), "/")
		return s.innerBreach(at, below)
	}
	if s.Test || !underAny(s.Dir, pure) {
		return nil
	}
	if underAny(p, impure) {
		return []string{s.breach(at, "%s is pure and must not import %s", s.Dir, p)}
	}
	if first, _, _ := strings.Cut(p, "/"); strings.Contains(first, ".") && !underAny(p, outside[s.Dir]) {
		return []string{s.breach(at, "%s must not stand on %s", s.Dir, p)}
	}
	return nil
}

func (s *Source) innerBreach(at ast.Node, below string) []string {
	tree, allowed := "", []string(nil)
	for t, may := range mayImport {
		if s.Test && strings.Contains(t, "/") {
			continue
		}
		if under(s.Dir, t) && len(t) > len(tree) {
			tree, allowed = t, may
		}
	}
	starts := s.Dir == "cmd/internal/cli" && below == "cmd/internal/web" // a command starts it
	if !s.Test && !starts && slices.Contains(faces, tree) && underAny(below, faces) && !under(below, tree) {
		return []string{s.breach(at, "%s and %s are two faces and do not know each other", s.Dir, below)}
	}
	if below != s.Dir && !under(below, s.Dir) && !underAny(below, allowed) {
		return []string{s.breach(at, "%s must not import %s", s.Dir, below)}
	}
	return nil
}
