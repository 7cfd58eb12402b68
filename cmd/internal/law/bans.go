package law

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

var (
	noGoroutine = []string{"game"}
	noFloat     = []string{"game/rules", "game/table"}
	noPanic     = []string{"game", "p2p"}

	floats = []string{"float32", "float64", "complex64", "complex128"}

	unfinished = regexp.MustCompile(`\b(TODO|FIXME|XXX)\b`)
)

// Bans names constructs that must not stand where they do.
func Bans(sources []*Source) []string {
	var out []string
	for _, s := range sources {
		for _, group := range s.AST.Comments {
			for _, c := range group.List {
				if word := unfinished.FindString(c.Text); word != "" {
					out = append(out, s.breach(c, "%s: finish it or open an issue", word))
				}
			}
		}
		for _, d := range s.AST.Decls {
			out = append(out, s.declBreaches(d)...)
		}
	}
	return out
}

// declBreaches looks at one declaration; must functions are those that a caller
// uses on constants, and may panic.
func (s *Source) declBreaches(d ast.Decl) (out []string) {
	f, _ := d.(*ast.FuncDecl)
	must := f != nil && (strings.HasPrefix(f.Name.Name, "must") || strings.HasPrefix(f.Name.Name, "Must"))
	in := func(trees []string) bool { return !s.Test && underAny(s.Dir, trees) }
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			if in(noGoroutine) {
				out = append(out, s.breach(n, "%s starts no goroutine", s.Dir))
			}
		case *ast.BasicLit:
			if in(noFloat) && (n.Kind == token.FLOAT || n.Kind == token.IMAG) {
				out = append(out, s.breach(n, "%s has no floating point", s.Dir))
			}
		case *ast.Ident:
			if in(noFloat) && slices.Contains(floats, n.Name) {
				out = append(out, s.breach(n, "%s has no floating point", s.Dir))
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "panic" && in(noPanic) && !must {
				out = append(out, s.breach(n, "%s returns an error and does not panic", s.Dir))
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && n.Sel.Name == "Sleep" {
				out = append(out, s.breach(n, "wait for a condition instead of time.Sleep"))
			}
		}
		return true
	})
	return out
}
