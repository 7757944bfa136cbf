package selftest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/specs"
)

// Ids of cases, faults and variants are promises: baselines, replays and pipelines refer to
// them. The golden files list them with their clauses and depths. They are edited by hand, in
// the commit that says why a line changes.

// Each case has the line of its spec.
func TestCasesAreGolden(t *testing.T) {
	target := fixtures.DefaultWorld().Target("http://127.0.0.1/v2")
	var lines []string
	sources := map[string][]string{}
	for _, c := range specs.Plan(spec.Load(), target, judge.Deep) {
		file, number, _ := strings.Cut(c.Location, ":")
		if sources[file] == nil {
			data, err := os.ReadFile("../../" + file)
			noError(t, err)
			sources[file] = strings.Split(string(data), "\n")
		}
		n, err := strconv.Atoi(number)
		if noError(t, err); !strings.Contains(sources[file][n-1], ".Case(") && !strings.Contains(sources[file][n-1], "Table(") {
			t.Errorf("%s has no spec at %s", c.ID, c.Location)
		}
		lines = append(lines, fmt.Sprintf("%s\t%s\t%s\t%s", c.ID, c.Depth, strings.Join(c.Clauses, " "), c.Title))
	}
	golden(t, "cases.txt", lines)
}

func TestFaultsAndVariantsAreGolden(t *testing.T) {
	var lines []string
	for _, f := range allFaults() {
		line := f.ID + "\t" + f.Clause
		if f.Deep {
			line += "\tunlisted input"
		}
		lines = append(lines, line)
	}
	for _, v := range faults.Variants() {
		lines = append(lines, v.ID+"\tvariant")
	}
	golden(t, "faults.txt", lines)
}

// golden compares lines, in any order, with the lines of a file in testdata.
func golden(t *testing.T, name string, lines []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	noError(t, err)
	want := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	slices.Sort(want)
	slices.Sort(lines)
	if d := cmp.Diff(want, lines); d != "" {
		t.Errorf("testdata/%s (-) differs from the current lines (+):\n%s", name, d)
	}
}

var update = flag.Bool("update", false, "write the figures of README.md and the pages again")

// The published figure has the numbers of the existing faults and variants. `adconform selftest` shows
// that they are caught and not flagged.
func TestPublishedFigureIsFresh(t *testing.T) {
	trials, err := (&Options{Faults: true, Variants: true}).trials()
	noError(t, err)
	var outcomes []Outcome
	for _, tr := range trials {
		o := outcome(&tr)
		o.Verdict = map[string]Verdict{"fault": Caught, "variant": Passed}[o.Kind]
		outcomes = append(outcomes, o)
	}
	if d := cmp.Diff(newResult(outcomes).Figure, report.SelfTest()); d != "" {
		t.Errorf("figure.json does not have the existing faults and variants: run make selftest-figure\n%s", d)
	}
}

// The pages have the current figure.
func TestFiguresOfPagesAreFresh(t *testing.T) {
	f := report.SelfTest()
	figures := fmt.Sprintf("<!-- figures, by make generate -->\n- It **catches %d of %d seeded faults** (%s)\n"+
		"  and **flags %d of %d conforming variants**.\n<!-- end of figures -->",
		f.Caught, f.Faults, f.Severities(), f.Flagged, f.Variants)
	place := regexp.MustCompile(`(?s)<!-- figures, by make generate -->\n.*?<!-- end of figures -->`)
	for _, page := range []string{"../../README.md", "../../docs/proof.md"} {
		data, err := os.ReadFile(page)
		noError(t, err)
		if *update {
			data = place.ReplaceAllLiteral(data, []byte(figures))
			noError(t, os.WriteFile(page, data, 0o644))
		}
		if !strings.Contains(string(data), figures) {
			t.Errorf("%s has another figure: run make generate", page)
		}
	}
}
