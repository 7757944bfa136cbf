package suites_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
)

func TestFiltersSelectWhatGinkgoSelects(t *testing.T) {
	const filter = "operation:updateCampaign && class:401"
	for name, tc := range map[string]struct {
		label, focus, skip string
		selects            string // begins the ids of what is selected; "" for an error
	}{
		"focus on a case":       {focus: "updateCampaign/422/name-is-array", selects: "updateCampaign/422/name-is-array"},
		"label filter":          {label: filter, selects: "updateCampaign/401/"},
		"skip":                  {label: filter, skip: "changes-nothing", selects: "updateCampaign/401/"},
		"focus on nothing":      {focus: "nothing like this"},
		"label of nothing":      {label: "operation:none"},
		"filter cannot be read": {label: "class:401 &&"},
	} {
		c := suites.NewConfig(serve(t, bundled(t)))
		plan, err := c.Plan()
		if err != nil {
			t.Fatal(err)
		}
		all, sent := len(plan), 0
		planned := len(slices.DeleteFunc(plan, func(cs *judge.Case) bool {
			return tc.selects == "" || !strings.HasPrefix(cs.ID, tc.selects) || tc.skip != "" && strings.Contains(cs.ID, tc.skip)
		}))
		c.Progress = func(int, int, *judge.Result) { sent++ }
		r, err := suites.RunFiltered(t.Context(), c, func(s *types.SuiteConfig) {
			s.LabelFilter = tc.label
			s.FocusStrings, s.SkipStrings = strings.Fields(strings.ReplaceAll(tc.focus, " ", ".")), strings.Fields(tc.skip)
		})
		if tc.selects == "" {
			if err == nil || strings.Contains(err.Error(), "\n") || sent > 0 {
				t.Errorf("%s: want an error of one line before anything is sent, got %v after %d cases", name, err, sent)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if planned == 0 || r.Cases.Planned != planned || r.Cases.Passed != planned || r.Verdict != report.Conforming ||
			r.Level != report.Selected || r.Selection == nil || r.Selection.Cases != planned || r.Selection.Of != all ||
			len(r.Selection.Filters) != 1 || len(c.Filters) > 0 {
			t.Errorf("%s: want %d cases of %d, planned and passed; got %+v, %s %s, %+v of %q",
				name, planned, all, r.Cases, r.Verdict, r.Level, r.Selection, c.Filters)
		}
	}
}

// targetFileOf writes the target file of a server with the default world.
func targetFileOf(t *testing.T, h http.Handler) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "t.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := fixtures.WriteTarget(file, serve(t, h)); err != nil {
		t.Fatal(err)
	}
	return file.Name()
}

// fromRoot runs a program in the root of the module.
func fromRoot(t *testing.T, env []string, program string, args ...string) (out string, failed bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Env = "..", append(cmd.Environ(), env...)
	text, err := cmd.CombinedOutput()
	return string(text), err != nil
}

// The test binary runs here as go test and the ginkgo program run it; without -short, the program does so
// itself. The package's own tests do not run when a target is given.
func TestATestBinaryTestsTheTargetAndNothingElse(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	right := targetFileOf(t, bundled(t))
	wrong := targetFileOf(t, answering(http.StatusInternalServerError, ""))
	log := filepath.Join(t.TempDir(), "log")
	const one, conforming = "updateCampaign 401 updateCampaign/401/no-key", "CONFORMING (complete): "
	for name, c := range map[string]struct {
		args, env []string
		fails     bool
		says      string
	}{
		"a server that conforms":   {[]string{"-target", right, "-test.bench", ".", "-test.testlogfile=" + log}, nil, false, conforming},
		"by the variable":          {nil, []string{"ADCONFORM_TARGET=" + wrong}, true, "NONCONFORMING"},
		"a file that is not there": {[]string{"-target", "no-such.yaml"}, nil, true, "no-such.yaml: no such file"},
		"an empty variable":        {nil, []string{"ADCONFORM_TARGET="}, true, "ADCONFORM_TARGET is empty"},
		"an empty flag":            {[]string{"-target", ""}, nil, true, "-target or ADCONFORM_TARGET is empty"},
		"a focus":                  {[]string{"-target", right, "-ginkgo.focus", one}, nil, false, "CONFORMING (selection, 1 of 4"},
		"a dry run":                {[]string{"-target", wrong, "-ginkgo.dry-run", "-ginkgo.seed", "7"}, nil, false, "[7] adconform - 4"},
		"several processes": {
			[]string{"-target", right, "-ginkgo.parallel.total", "2", "-ginkgo.parallel.host", "127.0.0.1:1"},
			nil, true,
			"run without -p or --procs",
		},
		"a run that would select nothing": {[]string{"-target", wrong, "-test.skip", "TestConformance"}, nil, true, "NONCONFORMING"},
		"the ginkgo program":              {nil, nil, false, conforming},
	} {
		if testing.Short() && name == "the ginkgo program" {
			continue
		}
		program, args := binary, append([]string{"-ginkgo.succinct", "-ginkgo.no-color"}, c.args...)
		if name == "the ginkgo program" {
			program, args = "go", []string{"tool", "ginkgo", "--no-color", "--succinct", "./suites", "--", "-target", targetFileOf(t, bundled(t))}
		}
		out, failed := fromRoot(t, c.env, program, args...)
		if failed != c.fails || strings.Count(out, c.says) != 1 || strings.Contains(out, "Benchmark") ||
			strings.Contains(strings.ReplaceAll(out, "TestConformance", ""), "--- FAIL: Test") {
			t.Errorf("%s: failed: %v, want %q once, and no other test, in\n%s", name, failed, c.says, out)
		}
	}
	if _, err := os.Stat(log); err == nil {
		t.Error("go test can cache the result")
	}
}
