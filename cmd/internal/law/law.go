// Package law reads the source of this module and names every breach of its
// architecture: who may import whom, what the pure trees must do without, and
// how large a file may grow. It is run by its own tests; nothing imports it.
//
// To change what is allowed, change a table in imports.go or bans.go and say
// why in the commit.
package law

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Source is one parsed Go file of the module.
type Source struct {
	Path  string // from the module's root, with slashes
	Dir   string // of Path: the package's import path below the module
	Test  bool
	Lines int
	AST   *ast.File
	fset  *token.FileSet
}

// Load parses every Go file below root. Folders that the go command skips,
// too, are skipped.
func Load(root string) ([]*Source, error) {
	var out []*Source
	fset := token.NewFileSet()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() && name != root && (base == "testdata" || base == "vendor" || base[0] == '.' || base[0] == '_') {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(base, ".go") || base[0] == '.' || base[0] == '_' {
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		s, err := parse(fset, filepath.ToSlash(rel), text)
		if err != nil {
			return err
		}
		out = append(out, s)
		return nil
	})
	return out, err
}

func parse(fset *token.FileSet, name string, text []byte) (*Source, error) {
	f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &Source{
		Path: name, Dir: path.Dir(name), Test: strings.HasSuffix(name, "_test.go"),
		Lines: fset.File(f.FileStart).LineCount(), AST: f, fset: fset,
	}, nil
}

// breach is one breach as text: place, then what is wrong there.
func (s *Source) breach(at ast.Node, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: %s", s.Path, s.fset.Position(at.Pos()).Line, fmt.Sprintf(format, args...))
}

// under reports whether the folder or import path p is tree or lies below it.
func under(p, tree string) bool { return p == tree || strings.HasPrefix(p, tree+"/") }

func underAny(p string, trees []string) bool {
	return slices.ContainsFunc(trees, func(t string) bool { return under(p, t) })
}

// Budgets in lines, for files that are no tests.
const (
	FileBudget = 420
	FuncBudget = 80
	FuncNotice = 60 // reported, not refused
)

// Sizes names files and functions past their budget, and apart from them the
// functions that come near it.
func Sizes(sources []*Source) (breaches, notices []string) {
	for _, s := range sources {
		if s.Test {
			continue
		}
		if s.Lines > FileBudget {
			breaches = append(breaches, s.breach(s.AST, "file of %d lines, budget %d", s.Lines, FileBudget))
		}
		for _, d := range s.AST.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := s.fset.Position(f.End()).Line - s.fset.Position(f.Pos()).Line + 1
			switch {
			case n > FuncBudget:
				breaches = append(breaches, s.breach(f, "%s has %d lines, budget %d", f.Name.Name, n, FuncBudget))
			case n > FuncNotice:
				notices = append(notices, s.breach(f, "%s has %d lines", f.Name.Name, n))
			}
		}
	}
	return breaches, notices
}

// PackageComments names packages that do not say what they are for. A package
// of tests only needs none.
func PackageComments(sources []*Source) []string {
	first := map[string]*Source{}
	said := map[string]bool{}
	for _, s := range sources {
		if s.Test {
			continue
		}
		if first[s.Dir] == nil {
			first[s.Dir] = s
		}
		name := s.AST.Name.Name
		if doc := s.AST.Doc.Text(); name == "main" && doc != "" || strings.HasPrefix(doc, "Package "+name+" ") {
			said[s.Dir] = true
		}
	}
	var out []string
	for _, s := range sources {
		if first[s.Dir] == s && !said[s.Dir] {
			out = append(out, s.breach(s.AST, "package %s has no comment that begins with its name", s.AST.Name.Name))
		}
	}
	return out
}
