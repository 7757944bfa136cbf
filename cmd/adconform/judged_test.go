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
)

// What explain says of where a check is does not rot: it is read from the code.
func TestJudgedIsFresh(t *testing.T) {
	places := judged(t)
	for _, c := range allChecks() {
		if !slices.ContainsFunc(places, func(place string) bool { return strings.HasPrefix(place, c.ID+" ") }) {
			t.Errorf("no function below suites judges by the check %s", c.ID)
		}
	}
	text := strings.Join(places, "\n") + "\n"
	if *update {
		if err := os.WriteFile("judged.txt", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if judgedText != text {
		t.Error("judged.txt is not as the code is: go test ./cmd/adconform -run TestJudgedIsFresh -update")
	}
}

// A word that is the id of a check, too, names none where it means something else.
func TestExplainNamesOnlyWhatJudges(t *testing.T) {
	for id, want := range map[string]string{
		"identity": "suites/judge/update.go Test.JudgeIdentity", // and a coding of bodies
		"date":     "suites/oracle/dates.go judgeDate",          // and a form of dates
	} {
		var got []string
		for line := range strings.Lines(judgedText) {
			if place, ok := strings.CutPrefix(strings.TrimSpace(line), id+" "); ok {
				got = append(got, place)
			}
		}
		if len(got) != 1 || got[0] != want {
			t.Errorf("%s is judged in %q, want %s alone", id, got, want)
		}
	}
}

// judged reads from the code of the suite in which functions checks are: those that mention a
// row of the judge (CheckIdentity) but to compare it, that the oracle's list of checks names, and
// that find by an id.
func judged(t *testing.T) []string {
	t.Helper()
	ids := map[string]string{} // by the name of the variable, or by the id
	for _, c := range allChecks() {
		name := "Check"
		for word := range strings.SplitSeq(c.ID, "-") {
			name += strings.ToUpper(word[:1]) + word[1:]
		}
		ids[name], ids[strconv.Quote(c.ID)] = c.ID, c.ID
	}
	files, err := filepath.Glob("../../suites/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var places []string
	oracles := map[string]string{} // checks of the oracle by the function that the list names
	declarations := map[string]string{}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		place := strings.TrimPrefix(filepath.ToSlash(path), "../../")
		for _, d := range file.Decls {
			f, isFunction := d.(*ast.FuncDecl)
			name := ""
			if isFunction {
				name = nameOf(f)
				declarations[filepath.Dir(place)+" "+name] = place
			}
			add := func(id string) {
				if id != "" && isFunction {
					places = append(places, fmt.Sprintf("%s %s %s", id, place, name))
				}
			}
			literal := func(e ast.Expr) {
				if l, ok := e.(*ast.BasicLit); ok {
					add(ids[l.Value])
				}
			}
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BinaryExpr:
					return n.Op != token.EQL && n.Op != token.NEQ
				case *ast.SelectorExpr: // CheckIdentity.ID is compared
					x, ok := n.X.(*ast.Ident)
					return !ok || ids[x.Name] == ""
				case *ast.Ident:
					add(ids[n.Name])
				case *ast.CallExpr:
					if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "find" {
						literal(n.Args[0])
					}
				case *ast.ReturnStmt:
					if name == "Expect.Check" {
						literal(n.Results[0])
					}
				case *ast.CompositeLit: // {ID: id, run: function}, or place in its place
					id, hasID := member(n, "ID").(*ast.BasicLit)
					for _, column := range []string{"run", "place"} {
						if run, ok := member(n, column).(*ast.Ident); ok && hasID {
							oracles[run.Name] = ids[id.Value]
						}
					}
				}
				return true
			})
		}
	}
	for function, id := range oracles {
		places = append(places, fmt.Sprintf("%s %s %s", id, declarations["suites/oracle "+function], function))
	}
	slices.Sort(places)
	return slices.Compact(places)
}

func member(c *ast.CompositeLit, name string) ast.Expr {
	for _, e := range c.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); ok && key.Name == name {
				return pair.Value
			}
		}
	}
	return nil
}

// nameOf is the name of a function, that of a method with its type.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	return strings.TrimPrefix(types.ExprString(f.Recv.List[0].Type), "*") + "." + f.Name.Name
}
