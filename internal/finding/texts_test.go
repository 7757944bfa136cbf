package finding

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// texts are the members that hold texts for people.
var texts = []string{"Got", "Expected", "CauseWords", "Title", "Subject", "What", "Then", "Hint"}

// Nothing is decided by a text of ours: no code but prose.go takes one apart, or compares it with a literal.
func TestTextsDecideNothing(t *testing.T) {
	for _, folder := range []string{"../../internal", "../../suites", "../../cmd", "../../spec"} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			isCode := strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && filepath.Base(path) != "prose.go"
			if err != nil || !isCode {
				return err
			}
			for _, at := range decidedByText(t, path, nil) {
				t.Errorf("%s: a text for people decides: use a constant, or a member with a type", at)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// The rule notices the ways in which texts used to decide.
func TestTextsDecideNothingNotices(t *testing.T) {
	for text, want := range map[string]int{
		`strings.HasPrefix(f.Got, "invalid UTF-8")`:       1,
		`f.Got == "status 404"`:                           1,
		`"x" != s.Sent.What`:                              1,
		`strings.Contains(strings.ToLower(w.Subject), x)`: 1, // counted once
		`pattern.MatchString(f.Expected)`:                 1,
		`f.Cause.Kind == Stale`:                           0,
		`f.Sent.What == ""`:                               0,
		`strings.TrimSpace(f.Pointer)`:                    0,
	} {
		source := "package p\n\nvar _ = " + text + "\n"
		if got := decidedByText(t, "x.go", source); len(got) != want {
			t.Errorf("%s: %d places, not %d", text, len(got), want)
		}
	}
}

// decidedByText returns the places of a file at which a text for people decides.
func decidedByText(t *testing.T, path string, source any) (places []string) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if isDecision(n) {
			places = append(places, set.Position(n.Pos()).String())
			return false
		}
		return true
	})
	return places
}

// isDecision reports whether a node takes a text for people apart, or compares it with a literal.
func isDecision(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		return takesApart(n.Fun) && slices.ContainsFunc(n.Args, holdsText)
	case *ast.BinaryExpr:
		isComparison := n.Op == token.EQL || n.Op == token.NEQ
		return isComparison && (isText(n.X) && isLiteral(n.Y) || isLiteral(n.X) && isText(n.Y))
	}
	return false
}

// takesApart reports whether a function is one of strings, or of a regular expression.
func takesApart(function ast.Expr) bool {
	f, is := function.(*ast.SelectorExpr)
	if !is {
		return false
	}
	from, _ := f.X.(*ast.Ident)
	ofStrings := from != nil && from.Name == "strings"
	return ofStrings || strings.HasPrefix(f.Sel.Name, "Match") || strings.HasPrefix(f.Sel.Name, "FindString")
}

// holdsText reports whether an expression has a text for people in it.
func holdsText(e ast.Expr) bool {
	holds := false
	ast.Inspect(e, func(n ast.Node) bool {
		part, is := n.(ast.Expr)
		holds = holds || is && isText(part)
		return !holds
	})
	return holds
}

func isText(e ast.Expr) bool {
	s, is := e.(*ast.SelectorExpr)
	return is && slices.Contains(texts, s.Sel.Name)
}

func isLiteral(e ast.Expr) bool {
	l, is := e.(*ast.BasicLit)
	return is && l.Kind == token.STRING && l.Value != `""`
}
