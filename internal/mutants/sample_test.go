package mutants

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sample is a module of a package and a program that prints what it says.
var sample = map[string]string{
	"go.mod": "module sample\n\ngo 1.26\n",
	"main.go": `package main

import (
	"fmt"

	"sample/words"
)

func main() { fmt.Print(words.All()) }
`,
	"words/left_out.go": "package words\n\nfunc leftOut() bool { return 1 < 2 }\n",
	"words/words.go": `package words

import (
	"errors"
	"fmt"
	"net/http"
)

type order string

const (
	up   order = "up"
	down order = "down"
)

const limit = 3

var first = []string{"a", "b"}

func All() string {
	return fmt.Sprintln(first, compare(1, 2), both(true, false), sum(5, 2), status(), named(7, 1), way(), point{x: 1, y: 2},
		fails(2) != nil, fails(9) != nil, count(4), query(), leftOut(), recovered(), kind(2), last())
}

func compare(a, b int) bool { return a < b }

func both(a, b bool) bool { return a && !b }

func sum(a, b int) int { return a + b*limit }

func status() int { return http.StatusNotFound }

func named(a, b int) string { return fmt.Sprint(a, b) }

func way() order { return up }

type point struct{ x, y int }

func fails(n int) error {
	if n > limit {
		return errors.New("too many")
	}
	return nil
}

func count(n int) (total int) {
	for i := 0; i < n; i++ {
		if i == 1 {
			continue
		}
		total += i
	}
	return total
}

func query() string {
	return "SELECT id, name FROM t WHERE id = $1 AND name = $2"
}

func recovered() (text string) {
	defer func() {
		if recover() != nil {
			text = "saved"
		}
	}()
	panic("lost")
}

func kind(n int) string {
	switch n {
	case 1:
		return "one"
	case 2, 3:
		return "some"
	}
	return "many"
}

func last() string {
	err := fails(9)
	if err != nil {
		return "failed"
	}
	return ""
}
`,
}

// sampled writes the sample and makes its mutants.
func sampled(t *testing.T) (root string, s *source, all []*Mutant) {
	t.Helper()
	root = t.TempDir()
	for name, text := range sample {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := read(root, "words", []string{"left_out.go"})
	if err != nil {
		t.Fatal(err)
	}
	if all, err = compilable(s); err != nil {
		t.Fatal(err)
	}
	return root, s, all
}

// Each operator makes the mutants that it has to make, and no others: those of some
// functions are all here.
func TestOperators(t *testing.T) {
	_, _, all := sampled(t)
	for function, want := range map[string][]string{
		"compare": {
			"comparison func compare(a, b int) bool { return a <= b }",
			"comparison func compare(a, b int) bool { return a >= b }",
		},
		"both": {
			"boolean func both(a, b bool) bool { return a || !b }",
			"boolean func both(a, b bool) bool { return a }",
			"boolean func both(a, b bool) bool { return !b }",
			"boolean func both(a, b bool) bool { return a && b }",
		},
		"sum": {
			"arithmetic func sum(a, b int) int { return a - b*limit }",
			"arithmetic func sum(a, b int) int { return a + b/limit }",
		},
		"limit": {"constant const limit = 4", "constant const limit = 2"},
		"status": {
			"status func status() int { return http.StatusUnprocessableEntity }",
			"status func status() int { return http.StatusInternalServerError }",
		},
		"named": {"argument func named(a, b int) string { return fmt.Sprint(b, a) }"},
		"way":   {"constant func way() order { return down }"},
		"up":    {`text up order = ""`, `text up order = "upx"`},
		"first": {
			`element var first = []string{"b"}`, `element var first = []string{"a", }`,
			`text var first = []string{"", "b"}`, `text var first = []string{"ax", "b"}`,
			`text var first = []string{"a", ""}`, `text var first = []string{"a", "bx"}`,
		},
		"fails": {
			"condition if true || (n > limit) {", "condition if false && (n > limit) {",
			"comparison if n >= limit {", "comparison if n <= limit {",
			"error return nil", `text return errors.New("")`, `text return errors.New("too manyx")`,
		},
		"count": {
			"condition for i := 0; true || (i < n); i++ {", "condition for i := 0; false && (i < n); i++ {",
			"comparison for i := 0; i <= n; i++ {", "comparison for i := 0; i >= n; i++ {",
			"constant for i := 1; i < n; i++ {", "constant for i := -1; i < n; i++ {", "arithmetic for i := 0; i < n; i-- {",
			"condition if true || (i == 1) {", "condition if false && (i == 1) {", "comparison if i != 1 {",
			"constant if i == 2 {", "constant if i == 0 {", "statement (dropped)", "statement (dropped)", "arithmetic total -= i",
		},
		"query": {
			`sql return "SELECT name, id FROM t WHERE id = $1 AND name = $2"`,
			`sql return "SELECT id, name FROM t WHERE 1 = 1 OR id = $1 AND name = $2"`,
			`sql return "SELECT id, name FROM t WHERE id <> $1 AND name = $2"`,
			`sql return "SELECT id, name FROM t WHERE id = $2 AND name = $2"`,
			`sql return "SELECT id, name FROM t WHERE id = $1 OR name = $2"`,
			`sql return "SELECT id, name FROM t WHERE id = $1 AND name <> $2"`,
			`sql return "SELECT id, name FROM t WHERE id = $1 AND name = $1"`,
		},
		"kind": {
			"condition (dropped)", "condition case 3:", "condition case 2:",
			"constant case 0:", "constant case 2, 4:",
			`text return ""`, `text return "onex"`, `text return ""`, `text return "somex"`, `text return ""`, `text return "manyx"`,
		},
		"last": {
			"condition if true || (err != nil) {", "error if false && (err != nil) {", "comparison if err == nil {",
			"constant err := fails(10)", "constant err := fails(8)", `text return ""`, `text return "failedx"`, `text return "x"`,
		},
		"leftOut": nil,
	} {
		var got []string
		for _, m := range all {
			if m.Function == function {
				got = append(got, string(m.Kind)+" "+m.After)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", function, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// A program with all mutants says what the source says, and with one of them what that
// one changes. What recovers still recovers.
func TestOneProgramHasAllMutants(t *testing.T) {
	root, s, all := sampled(t)
	path := filepath.Join(t.TempDir(), "sample")
	if err := build(t.Context(), rewrite(s, all), root, ".", path); err != nil {
		t.Fatal(err)
	}
	const plain = "[a b] true true 11 404 7 1 up {1 2} false true 5 " +
		"SELECT id, name FROM t WHERE id = $1 AND name = $2 true saved some failed\n"
	if got := says(t, path, 0); got != plain {
		t.Errorf("without a mutant it says\n%swant\n%s", got, plain)
	}
	for change, want := range map[string]string{
		"compare func compare(a, b int) bool { return a >= b }": strings.Replace(plain, "true", "false", 1),
		"limit const limit = 4":                                 strings.Replace(plain, "11", "13", 1),
		`first var first = []string{"b"}`:                       strings.Replace(plain, "[a b]", "[b]", 1),
		"recovered text = \"savedx\"":                           strings.Replace(plain, "saved", "savedx", 1),
		"count if i == 2 {":                                     strings.Replace(plain, " 5 ", " 4 ", 1),
		"kind case 3:":                                          strings.Replace(plain, "some", "many", 1),
		"way func way() order { return down }":                  strings.Replace(plain, "up", "down", 1),
		"up up order = \"upx\"":                                 strings.Replace(plain, "up", "upx", 1),
	} {
		i := slices.IndexFunc(all, func(m *Mutant) bool { return m.Function+" "+m.After == change })
		if i < 0 {
			t.Errorf("no mutant %q", change)
			continue
		}
		if got := says(t, path, all[i].number); got != want {
			t.Errorf("%s says\n%swant\n%s", change, got, want)
		}
	}
}

func says(t *testing.T, path string, number int) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), path)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", mutantVariable, number))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// The program tells which statements were run.
func TestReachedStatements(t *testing.T) {
	root, s, all := sampled(t)
	path := filepath.Join(t.TempDir(), "sample")
	if err := build(t.Context(), rewrite(s, all), root, ".", path); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "reached")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path)
	cmd.Env = append(os.Environ(), reachedVariable+"="+file)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r := reached{places: map[int]bool{}}
	if err := r.read(file); err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		notRun := slices.Contains([]string{`return "one"`, `return "many"`, `return ""`}, m.Before)
		if r.has(m) == notRun {
			t.Errorf("%s (%s): reached: %v", m.ID, m.Before, r.has(m))
		}
	}
}

func TestIDsAreUnique(t *testing.T) {
	_, _, all := sampled(t)
	ids := map[string]bool{}
	for _, m := range all {
		if ids[m.ID] || m.number == 0 {
			t.Errorf("%s: twice, or without a number", m.ID)
		}
		ids[m.ID] = true
	}
}

// What does not compile without mutants is named as such.
func TestSourceThatDoesNotCompile(t *testing.T) {
	root, _, _ := sampled(t)
	if err := os.WriteFile(filepath.Join(root, "words", "broken.go"), []byte("package words\n\nvar x int = \"\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := read(root, "words", nil); err == nil || !strings.Contains(err.Error(), "broken.go") {
		t.Errorf("got %v", err)
	}
}
