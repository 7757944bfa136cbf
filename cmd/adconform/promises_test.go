package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// promisesFile lists what others rely on, a line each. It may grow, and never shrinks.
const promisesFile = "testdata/promises.txt"

// schemas are the forms of files that others write or read.
var schemas = []string{
	"fixtures/target.schema.json", "fixtures/world.schema.json", "suites/compare/compare.schema.json",
	"suites/load/load.schema.json", "suites/report/report.schema.json",
}

// promised is what there is of that.
func promised(t *testing.T) []string {
	t.Helper()
	all := map[string]bool{}
	add := func(format string, args ...any) { all[fmt.Sprintf(format, args...)] = true }
	addCommands((&app{}).root(), add)
	for code, meaning := range map[int]string{
		report.ExitConforming: "conforming", report.ExitNonconforming: "nonconforming", report.ExitUsage: "usage",
		report.ExitInconclusive: "inconclusive", report.ExitInterrupted: "interrupted",
	} {
		add("exit %d %s", code, meaning)
	}
	for _, f := range report.Files() {
		add("file %s", f.Name)
	}
	add("header %s", wire.CaseHeader)
	add("schema-name %s", report.Schema)
	for _, path := range schemas {
		var root map[string]any
		if err := json.Unmarshal([]byte(mustRead(t, "../../"+path)), &root); err != nil {
			t.Fatal(err)
		}
		addKeys(root, filepath.Base(path), add)
	}
	for _, m := range regexp.MustCompile("`json:\"(_[a-zA-Z]+)").FindAllStringSubmatch(mustRead(t, "../../suites/report/har.go"), -1) {
		add("traffic.har %s", m[1])
	}
	contract := must(spec.Load())
	for _, p := range contract.Open {
		add("open-point %s", p.ID)
	}
	_, listed, _ := run(t, nil, "selftest", "--list-faults", "--json")
	var lines []struct{ ID, Kind string }
	if err := json.Unmarshal([]byte(listed), &lines); err != nil || len(lines) < 1000 {
		t.Fatalf("%d faults and variants (%v)", len(lines), err)
	}
	for _, l := range lines {
		if l.Kind == "fault" {
			l.ID = strings.Join(strings.Split(l.ID, "/")[:2], "/")
		}
		add("%s %s", l.Kind, l.ID)
	}
	return slices.Sorted(maps.Keys(all))
}

// addCommands adds commands and flags, those that are hidden excepted.
func addCommands(c *cobra.Command, add func(string, ...any)) {
	if c.Hidden {
		return
	}
	add("command %s", c.CommandPath())
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			add("flag %s --%s", c.CommandPath(), f.Name)
		}
		if f.Shorthand != "" {
			add("flag %s -%s", c.CommandPath(), f.Shorthand)
		}
	})
	for _, below := range c.Commands() {
		addCommands(below, add)
	}
}

// addKeys adds the keys of a schema, wherever they stand, and the words that a key may have.
func addKeys(node any, path string, add func(string, ...any)) {
	switch node := node.(type) {
	case map[string]any:
		properties, _ := node["properties"].(map[string]any)
		for key, value := range properties {
			add("key %s %s", path, key)
			words, _ := value.(map[string]any)["enum"].([]any)
			for _, word := range words {
				add("word %s %s %v", path, key, word)
			}
		}
		for _, value := range node {
			addKeys(value, path, add)
		}
	case []any:
		for _, value := range node {
			addKeys(value, path, add)
		}
	}
}

// What is promised stays: commands, flags (and so variables), exit codes, files, keys and
// words of report.json and others, target files, HAR's private members, the header, open
// points and variants.
func TestPromisesAreFresh(t *testing.T) {
	now := promised(t)
	before := strings.FieldsFunc(mustRead(t, promisesFile), func(r rune) bool { return r == '\n' })
	if *update {
		before = slices.Compact(slices.Sorted(slices.Values(slices.Concat(before, now))))
		if err := os.WriteFile(promisesFile, []byte(strings.Join(before, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range before {
		if !slices.Contains(now, p) {
			t.Errorf("promised, and gone: %s; put it back, beside what is new", p)
		}
	}
	for _, p := range now {
		if !slices.Contains(before, p) {
			t.Errorf("new, and not in %s: %s; make generate adds it", promisesFile, p)
		}
	}
}

// Each test that the page of promises names is there.
func TestPromisesAreKeptByTests(t *testing.T) {
	page := mustRead(t, "../../docs/promises.md")
	named := regexp.MustCompile("`([a-zA-Z0-9_/]+_test\\.go)` ([A-Za-z0-9, ]+)").FindAllStringSubmatch(page, -1)
	if len(named) < 10 {
		t.Fatalf("it names tests in %d places", len(named))
	}
	for _, m := range named {
		text := mustRead(t, "../../"+m[1])
		for name := range strings.SplitSeq(m[2], ", ") {
			if name = strings.TrimSpace(name); name != "" && !strings.Contains(text, "func "+name+"(t *testing.T)") {
				t.Errorf("docs/promises.md: %s has no %s", m[1], name)
			}
		}
	}
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "| ") && strings.Count(line, "|") == 4 && !strings.Contains(line, "_test.go`") &&
			!strings.HasPrefix(line, "| what ") {
			t.Errorf("docs/promises.md: no test keeps %s", line)
		}
	}
}

// Each request carries the case that it is of.
func TestRequestsCarryTheirCase(t *testing.T) {
	seen := make(chan string, 1000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header.Get("X-Adconform-Case")
		answering(http.StatusUnauthorized, `{"error":{"responseCode":401,"issues":[]}}`)(w, r)
	}))
	t.Cleanup(server.Close)
	run(t, nil, "run", "--target", targetOf(t, server.URL))
	close(seen)
	of := map[string]int{}
	for id := range seen {
		of[id]++
		if strings.Count(id, "/") < 2 {
			t.Errorf("a request of case %q", id)
		}
	}
	if of["listCreativeMediaFiles/401/no-key"] == 0 {
		t.Errorf("requests by case: %v", of)
	}
}

// The versions that pages and templates name are one.
func TestVersionsArePinnedAlike(t *testing.T) {
	var first string
	for _, file := range []string{"docs/ci/github.yml", "docs/ci/gitlab.yml", "docs/ci/gitlab-example.yml", "docs/ci.md"} {
		found := regexp.MustCompile(`\bv[0-9]+\.[0-9]+\.[0-9]+\b`).FindAllString(
			regexp.MustCompile(`actions/[^\n]*|codeql[^\n]*`).ReplaceAllString(mustRead(t, "../../"+file), ""), -1)
		if len(found) == 0 {
			t.Errorf("%s names no version", file)
		}
		for _, version := range found {
			if first == "" {
				first = version
			}
			if version != first {
				t.Errorf("%s names %s, others %s", file, version, first)
			}
		}
		if strings.Contains(mustRead(t, "../../"+file), "adconform@main") {
			t.Errorf("%s takes whatever is newest", file)
		}
	}
}
