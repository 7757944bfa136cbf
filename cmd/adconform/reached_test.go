package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/cover"
)

const (
	module          = "github.com/adconform/adconform"
	referenceFolder = "../../reference"
	unreachedTable  = "testdata/unreached.txt"
)

// TestTheSuiteReachesEveryAnswer: each place in the reference that answers a
// status is reached by the standard run, or stands in the table with the reason
// why not. A new branch without a case fails here, and so does a reason that is
// no longer true.
func TestTheSuiteReachesEveryAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program with coverage")
	}
	profiles := coverageOfStandardRun(t)
	answers := answersOf(t, profiles)
	reached := 0
	var unreached []string
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		if answers[name] {
			reached++
		} else {
			unreached = append(unreached, name)
		}
	}
	if reached < 20 { // far below what there is: else nothing was measured
		t.Fatalf("only %d of %d answers are reached: is the coverage of another folder?", reached, len(answers))
	}
	for _, problem := range differences(unreached, readReasons(t)) {
		t.Error(problem)
	}
	t.Logf("%d of %d places that answer a status are reached by the standard run", reached, len(answers))
}

// differences compares what is not reached with the reasons in the table.
func differences(unreached []string, reasons map[string]string) []string {
	var problems []string
	for _, name := range unreached {
		if reasons[name] == "" {
			problems = append(problems,
				fmt.Sprintf("no case of the standard run reaches %q; plan one, or give the reason in %s", name, unreachedTable))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(reasons)) {
		if !slices.Contains(unreached, name) {
			problems = append(problems, fmt.Sprintf("%s: %q is reached, or there is no such place any more; remove the line", unreachedTable, name))
		}
	}
	return problems
}

func TestDifferences(t *testing.T) {
	got := differences([]string{"new", "known"}, map[string]string{"known": "because", "gone": "because"})
	if len(got) != 2 || !strings.Contains(got[0], `"new"`) || !strings.Contains(got[1], `"gone"`) {
		t.Errorf("got %q", got)
	}
}

// readReasons reads the table: a place, a tab, the reason.
func readReasons(t *testing.T) map[string]string {
	t.Helper()
	reasons := map[string]string{}
	for line := range strings.Lines(mustRead(t, unreachedTable)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		name, reason, found := strings.Cut(line, "\t")
		if !found || reasons[name] != "" {
			t.Fatalf("%s: %q: want a place, a tab and the reason, each place once", unreachedTable, line)
		}
		reasons[name] = reason
	}
	return reasons
}

// coverageOfStandardRun runs the suite against the bundled reference and tells
// by file of the reference which of its blocks were run.
func coverageOfStandardRun(t *testing.T) map[string]*cover.Profile {
	t.Helper()
	dir := t.TempDir()
	program, counters, text := filepath.Join(dir, "adconform"), filepath.Join(dir, "counters"), filepath.Join(dir, "coverage.out")
	if err := os.Mkdir(counters, 0o700); err != nil {
		t.Fatal(err)
	}
	command := func(env string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Env = append(os.Environ(), env)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	// The main package has to be among them: it writes the counters when it ends.
	const packages = module + "/reference," + module + "/cmd/adconform"
	command("CGO_ENABLED=0", "go", "build", "-cover", "-coverpkg="+packages, "-o", program, ".")
	command("GOCOVERDIR="+counters, program, "run")
	command("CGO_ENABLED=0", "go", "tool", "covdata", "textfmt", "-i="+counters, "-o="+text)
	profiles, err := cover.ParseProfiles(text)
	if err != nil {
		t.Fatal(err)
	}
	byFile := map[string]*cover.Profile{}
	for _, p := range profiles {
		if folder, file := path.Split(p.FileName); folder == module+"/reference/" {
			byFile[file] = p
		}
	}
	return byFile
}

// answersOf names each place of the reference that answers a status, and says
// whether it was run: literals of refusals and answers, and calls of what
// returns one.
func answersOf(t *testing.T, profiles map[string]*cover.Profile) map[string]bool {
	t.Helper()
	files := token.NewFileSet()
	parsed := map[string]*ast.File{}
	makers := map[string]bool{"wrong": true} // the closure that adds an issue to a 422
	for name := range profiles {
		file, err := parser.ParseFile(files, filepath.Join(referenceFolder, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed[name] = file
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Type.Results != nil && len(f.Type.Results.List) == 1 && isAnswer(f.Type.Results.List[0].Type) {
				makers[f.Name.Name] = true
			}
		}
	}
	answers := map[string]bool{}
	for name, file := range parsed {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil && makers[f.Name.Name] {
				continue // the words of an answer; it is given where they are called
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if !answersStatus(n, makers) {
					return true
				}
				place := fmt.Sprintf("%s %s: %s", name, f.Name.Name, oneLine(files, n))
				for i := 2; ; i++ {
					if _, taken := answers[place]; !taken {
						break
					}
					place = fmt.Sprintf("%s %s: %s (%d)", name, f.Name.Name, oneLine(files, n), i)
				}
				answers[place] = wasRun(profiles[name], files.Position(n.Pos()))
				return false
			})
		}
	}
	return answers
}

// isAnswer says whether a type is *refusal or *answer.
func isAnswer(e ast.Expr) bool {
	star, ok := e.(*ast.StarExpr)
	return ok && isNamed(star.X)
}

func isNamed(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && (name.Name == "refusal" || name.Name == "answer")
}

func answersStatus(n ast.Node, makers map[string]bool) bool {
	switch n := n.(type) {
	case *ast.CompositeLit:
		return isNamed(n.Type)
	case *ast.CallExpr:
		name, ok := n.Fun.(*ast.Ident)
		return ok && makers[name.Name]
	}
	return false
}

func oneLine(files *token.FileSet, n ast.Node) string {
	var text bytes.Buffer
	if err := printer.Fprint(&text, files, n); err != nil {
		return err.Error()
	}
	line := []rune(strings.Join(strings.Fields(text.String()), " "))
	return strings.TrimSpace(string(line[:min(len(line), 70)]))
}

func wasRun(p *cover.Profile, at token.Position) bool {
	for _, b := range p.Blocks {
		begins := b.StartLine < at.Line || b.StartLine == at.Line && b.StartCol <= at.Column
		ends := b.EndLine > at.Line || b.EndLine == at.Line && b.EndCol >= at.Column
		if begins && ends && b.Count > 0 {
			return true
		}
	}
	return false
}
