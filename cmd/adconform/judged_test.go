package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/adconform/adconform/suites/oracle"
)

// What explain says of where a check is does not rot: it is read from the code.
func TestJudgedIsFresh(t *testing.T) {
	g := NewWithT(t)
	checks := idsOf(allChecks(), func(c oracle.Check) string { return c.ID })
	places := judged(t, checks)
	for _, id := range checks {
		found := slices.ContainsFunc(places, func(place string) bool { return strings.HasPrefix(place, id+" ") })
		g.Expect(found).To(BeTrue(), "no function below suites hands on the id of the check %s", id)
	}
	text := strings.Join(places, "\n") + "\n"
	if *update {
		g.Expect(os.WriteFile("judged.txt", []byte(text), 0o644)).To(Succeed())
		return
	}
	if judgedText != text {
		t.Error("judged.txt is not as the code is: go test ./cmd/adconform -run TestJudgedIsFresh -update")
	}
}

// judged reads from the code of the suite in which functions checks are: those that hand
// the id to a call, return or assign it, and those that the oracle's list of checks names.
func judged(t *testing.T, ids []string) []string {
	t.Helper()
	var places []string
	for _, declared := range parsed(t) {
		add := func(e ast.Expr, function string) {
			l, ok := e.(*ast.BasicLit)
			if !ok || l.Kind != token.STRING || declared[function] == nil {
				return
			}
			id, err := strconv.Unquote(l.Value)
			place := fmt.Sprintf("%s %s %s", id, declared[function].file, function)
			if err == nil && slices.Contains(ids, id) && !slices.Contains(places, place) {
				places = append(places, place)
			}
		}
		for name, d := range declared {
			ast.Inspect(d.node, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Observe" {
						return true // what is observed has ids, too
					}
					each(n.Args, name, add)
				case *ast.ReturnStmt:
					each(n.Results, name, add)
				case *ast.AssignStmt:
					each(n.Rhs, name, add)
				case *ast.CompositeLit: // {Check: Check{ID: id}, run: function}
					members := membersOf(n)
					if check, ok := members["Check"].(*ast.CompositeLit); ok && members["run"] != nil {
						add(membersOf(check)["ID"], members["run"].(*ast.Ident).Name)
					}
				}
				return true
			})
		}
	}
	slices.Sort(places)
	return places
}

func each(all []ast.Expr, function string, add func(ast.Expr, string)) {
	for _, e := range all {
		add(e, function)
	}
}

func membersOf(c *ast.CompositeLit) map[string]ast.Expr {
	members := map[string]ast.Expr{}
	for _, e := range c.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); ok {
				members[key.Name] = pair.Value
			}
		}
	}
	return members
}

// declaration is a function, or a variable of a package.
type declaration struct {
	file string // from the root of the repository
	node ast.Node
}

// parsed are the declarations of each package of the suite, by name.
func parsed(t *testing.T) map[string]map[string]*declaration {
	t.Helper()
	packages := map[string]map[string]*declaration{}
	files, err := filepath.Glob("../../suites/*/*.go")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	deeper, err := filepath.Glob("../../suites/*/*/*.go")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	for _, path := range append(files, deeper...) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		dir := filepath.Dir(path)
		if packages[dir] == nil {
			packages[dir] = map[string]*declaration{}
		}
		place := strings.TrimPrefix(filepath.ToSlash(path), "../../")
		for _, d := range file.Decls {
			packages[dir][nameOf(d)] = &declaration{place, d}
		}
	}
	return packages
}

// nameOf is the name of a function, a method with its type, or the first variable of a
// declaration; empty for imports and types.
func nameOf(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
			return strings.TrimPrefix(types.ExprString(d.Recv.List[0].Type), "*") + "." + d.Name.Name
		}
		return d.Name.Name
	case *ast.GenDecl:
		if v, ok := d.Specs[0].(*ast.ValueSpec); ok {
			return v.Names[0].Name
		}
	}
	return ""
}
