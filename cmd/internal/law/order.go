package law

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Ordered lists the packages in which the order of a map must never show: peers
// that fold the same log must come to the same bytes.
var Ordered = []string{"./game/rules", "./game/table"}

// anyOrder excuses the line it stands on or above. Say why after it.
const anyOrder = "//law:any-order "

// MapOrder names every loop over a map in the packages, and every iterator over
// one that is not sorted at once. root is the module's root. It needs types, so
// the packages must compile.
func MapOrder(root string, packages ...string) ([]string, error) {
	listed, err := list(root, packages)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, p := range listed {
		exports[p.ImportPath] = p.Export
	}
	var out []string
	for _, p := range listed {
		if p.DepOnly {
			continue
		}
		found, err := p.mapOrder(root, exports)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// pkg is what go list tells of a package.
type pkg struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool
}

func list(root string, packages []string) (out []pkg, err error) {
	args := append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly"}, packages...)
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("law: go list: %w: %s", err, complaint.Bytes())
	}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("law: go list: %w", err)
		}
		out = append(out, p)
	}
}

func (p pkg) mapOrder(root string, exports map[string]string) ([]string, error) {
	fset := token.NewFileSet()
	var sources []*Source
	var files []*ast.File
	for _, name := range p.GoFiles {
		full := filepath.Join(p.Dir, name)
		text, err := os.ReadFile(full)
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(root, full)
		if err != nil {
			return nil, err
		}
		s, err := parse(fset, filepath.ToSlash(rel), text)
		if err != nil {
			return nil, err
		}
		sources, files = append(sources, s), append(files, s.AST)
	}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	if _, err := conf.Check(p.ImportPath, fset, files, info); err != nil {
		return nil, fmt.Errorf("law: %w", err)
	}
	var out []string
	for _, s := range sources {
		out = append(out, s.mapOrder(info)...)
	}
	return out, nil
}

func (s *Source) mapOrder(info *types.Info) (out []string) {
	excused := s.excused()
	note := func(n ast.Node, what string) {
		if !excused[s.fset.Position(n.Pos()).Line] {
			out = append(out, s.breach(n, "%s has no order: sort it, or excuse the line with %s<why>", what, anyOrder))
		}
	}
	sorted := map[ast.Node]bool{} // arguments of slices.Sorted
	ast.Inspect(s.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.RangeStmt:
			if _, ok := info.TypeOf(n.X).Underlying().(*types.Map); ok {
				note(n, "a map")
			}
		case *ast.CallExpr:
			switch callee := calleeOf(n, info); callee {
			case "slices.Sorted", "slices.SortedFunc", "slices.SortedStableFunc":
				sorted[n.Args[0]] = true
			case "maps.All", "maps.Keys", "maps.Values":
				if !sorted[n] {
					note(n, callee)
				}
			}
		}
		return true
	})
	return out
}

func (s *Source) excused() map[int]bool {
	lines := map[int]bool{}
	for _, group := range s.AST.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, anyOrder) {
				line := s.fset.Position(c.Pos()).Line
				lines[line], lines[line+1] = true, true
			}
		}
	}
	return lines
}

// calleeOf is package and name of a called function of another package.
func calleeOf(call *ast.CallExpr, info *types.Info) string {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	f, ok := info.Uses[sel.Sel].(*types.Func)
	if !ok || f.Pkg() == nil {
		return ""
	}
	return f.Pkg().Path() + "." + f.Name()
}
