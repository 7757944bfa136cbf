package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/spf13/cobra"

	"github.com/adconform/adconform/cmd/adconform/internal/bundled"
	"github.com/adconform/adconform/cmd/adconform/internal/flags"
	"github.com/adconform/adconform/cmd/adconform/internal/terminal"
	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/report"
)

// commandsWith are the commands that have a flag.
func commandsWith(flag string) (names []string) {
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Flags().Lookup(flag) != nil {
			names = append(names, strings.TrimPrefix(cmd.CommandPath(), "adconform "))
		}
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	visit((&app{Terminal: terminal.Terminal{Stdout: newBuffer(), Stderr: newBuffer(), Env: lookup(nil)}}).root())
	return names
}

func TestAnEmptyTargetIsAnError(t *testing.T) {
	commands := commandsWith("target")
	if !slices.Contains(commands, "run") || len(commands) < 7 {
		t.Fatalf("commands with a target: %q", commands)
	}
	for _, name := range commands {
		args := strings.Fields(name)
		switch name {
		case "replay", "pin":
			args = append(args, "report")
		case "serve", "init":
			continue
		}
		for what, c := range map[string]struct {
			env  map[string]string
			more []string
		}{
			"--target is empty":                       {nil, []string{"--target", ""}},
			"--target is empty: name":                 {map[string]string{"ADCONFORM_TARGET": "t.yaml"}, []string{"--target= "}},
			"the variable ADCONFORM_TARGET is empty:": {map[string]string{"ADCONFORM_TARGET": ""}, nil},
		} {
			refuses(t, c.env, append(slices.Clone(args), c.more...), what)
		}
	}
	target := serving(t, answering(500, "{}"))
	none := map[string]string{"ADCONFORM_TARGET": ""}
	if code, stdout, _ := run(t, none, "run", "--quiet", "--depth", "quick", "--target", target); code != report.ExitNonconforming ||
		!strings.Contains(stdout, "; tested: adconform reference at http://") {
		t.Errorf("the flag wins over its variable: exit code %d, %s", code, stdout)
	}
}

// referenceTarget is a target file of the reference, less what change takes out.
func referenceTarget(t *testing.T, change func(*fixtures.Target)) string {
	t.Helper()
	target, stop, err := bundled.Start(t.Context(), fixtures.DefaultWorld(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	target.Name = "Acme staging"
	change(target)
	path := filepath.Join(t.TempDir(), "target.yaml")
	if err := flags.WriteTarget(path, target); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAPartialRunSaysWhatItDidNotShow(t *testing.T) {
	target := referenceTarget(t, func(target *fixtures.Target) {
		target.Foreign.Campaign = 0
		target.Objects.PlainCreative = nil
	})
	dir := t.TempDir()
	code, stdout, _ := run(t, nil, "run", "--target", target, "--report", dir, "--quiet")
	headline := regexp.MustCompile(`^CONFORMING \(partial, (\d+) of (\d+) cases\): not shown: the list of a creative that is no ` +
		`VAST creative, objects of other users; \d+ seeded faults cannot be seen \([^)]*\); \d+ clauses held; ` +
		`tested: Acme staging at http://127\.0\.0\.1:\d+/v2\n$`)
	if code != report.ExitConforming || !headline.MatchString(stdout) {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	for file, want := range map[string]string{
		"report.json": `"level": "partial"`, "junit.xml": `<property name="level" value="partial">`,
		"findings.sarif": `"level": "partial"`, "report.html": `"level":"partial"`, "summary.md": "adconform: conforming (partial, ",
	} {
		if text := mustRead(t, filepath.Join(dir, file)); !strings.Contains(text, want) {
			t.Errorf("%s does not say %s", file, want)
		}
	}
	for _, file := range []string{"report.json", "junit.xml", "findings.sarif", "report.html", "summary.md"} {
		if !strings.Contains(mustRead(t, filepath.Join(dir, file)), "objects of other users") {
			t.Errorf("%s does not say what was not shown", file)
		}
	}
	filter := "!class:effects && !class:state"
	if testing.Short() {
		filter = "class:401"
	}
	for level, want := range map[string]int{
		"complete": report.ExitInconclusive, "partial": report.ExitConforming, "selection": report.ExitConforming,
	} {
		code, stdout, _ := run(t, nil, "run", "--target", target, "--quiet", "--depth", "quick",
			"--label-filter", filter, "--require", level, "--allow-inconclusive")
		if level == "partial" {
			want = report.ExitInconclusive // it is a selection here
		}
		if code != want {
			t.Errorf("--require %s: exit code %d: %s", level, code, stdout)
		}
	}
}

func TestRequireComplete(t *testing.T) {
	refuses(t, nil, []string{"run", "--require", "all"}, "want one of complete, partial, selection")
	target := referenceTarget(t, func(target *fixtures.Target) { target.Foreign = fixtures.Foreign{} })
	code, stdout, _ := run(t, nil, "run", "--target", target, "--require", "complete", "--allow-inconclusive", "--quiet")
	if code != report.ExitInconclusive || !strings.HasPrefix(stdout, "INCONCLUSIVE (partial, ") ||
		!strings.Contains(stdout, "--require complete, and the run is no more than partial: not shown: objects of other users; tested:") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	if testing.Short() {
		return // the next test has a complete run
	}
	if code, stdout, _ := run(t, nil, "run", "--require", "complete", "--quiet"); code != report.ExitConforming ||
		!strings.HasPrefix(stdout, "CONFORMING (complete): ") {
		t.Errorf("the reference: exit code %d: %s", code, stdout)
	}
}

func TestASelectionIsNoMoreThanASelection(t *testing.T) {
	const id = "updateCampaign/401/no-key"
	for i, c := range []struct {
		args  []string
		env   map[string]string
		words string
	}{
		{[]string{"--case", id}, nil, "--case " + id},
		{nil, map[string]string{"ADCONFORM_CASE": id}, "--case " + id},
		{[]string{"--focus", id + "$"}, nil, "--focus"},
		{nil, map[string]string{"ADCONFORM_FOCUS": id + "$"}, "--focus"},
		{[]string{"--label-filter", "operation:updateCampaign && class:401"}, nil, "--label-filter"},
		{[]string{"--skip", "effects"}, nil, "--skip"},
		{[]string{"--clause", "CAMPAIGN-3"}, nil, "--clause CAMPAIGN-3"},
		{[]string{"--operation", "updateCampaign"}, nil, "--operation updateCampaign"},
		{[]string{"--operation", "updateCampaign", "--skip", "effects"}, nil, "--operation updateCampaign and --skip"},
	} {
		if testing.Short() && i%2 > 0 {
			continue
		}
		dir := t.TempDir()
		code, stdout, _ := run(t, c.env, append([]string{"run", "--quiet", "--report", dir}, c.args...)...)
		if code != 0 ||
			!regexp.MustCompile(`^CONFORMING in the \d+ cases? selected, of \d+: \d+ clauses held \(`).MatchString(stdout) ||
			!strings.Contains(stdout, c.words) {
			t.Errorf("%s: exit code %d: %s", c.words, code, stdout)
		}
		r, err := report.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		if r.Level != report.Selected || r.Selection == nil ||
			!strings.Contains(strings.Join(r.Selection.Filters, " and "), c.words) || r.Selection.Cases != r.Cases.Planned ||
			r.Selection.Of <= r.Selection.Cases {
			t.Errorf("%s: level %s, selection %+v", c.words, r.Level, r.Selection)
		}
	}
}

func TestAFilterThatTakesNothingOutLeavesTheRunComplete(t *testing.T) {
	if code, stdout, _ := run(t, nil, "run", "--quiet", "--skip", "no such case", "--require", "complete"); code != 0 ||
		!strings.HasPrefix(stdout, "CONFORMING (complete): ") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
}

func TestAFilterThatMatchesNothingIsAnError(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		args []string
	}{
		{nil, []string{"--case", "updateCampaign/401/none"}},
		{nil, []string{"--operation", "none"}},
		{nil, []string{"--clause", "NONE-1"}},
		{nil, []string{"--focus", "nothing like this"}},
		{nil, []string{"--skip", "."}},
		{nil, []string{"--label-filter", "class:none"}},
		{nil, []string{"--case", "updateCampaign/401/no-key", "--operation", "deleteCreative"}},
		{nil, []string{"--case", "updateCampaign/401/no-key", "--focus", "delete"}},
		{map[string]string{"ADCONFORM_FOCUS": "nothing like this"}, nil},
		{map[string]string{"ADCONFORM_CASE": "none"}, nil},
		{map[string]string{"ADCONFORM_LABEL_FILTER": "class:none"}, nil},
	} {
		refuses(t, c.env, append([]string{"run", "--quiet"}, c.args...))
	}
}

// What could not be sent is not in the selection's favour.
func TestASelectionOfWhichNothingCouldBeSent(t *testing.T) {
	target := referenceTarget(t, func(target *fixtures.Target) { target.Foreign.Campaign = 0 })
	code, stdout, _ := run(t, nil, "run", "--target", target, "--case", "updateCampaign/403/owner-on-foreign",
		"--allow-inconclusive", "--format", "json")
	if code != report.ExitInconclusive || !strings.Contains(stdout, `"verdict": "inconclusive"`) {
		t.Errorf("exit code %d: %.300s", code, stdout)
	}
	code, stdout, _ = run(t, nil, "run", "--target", target, "--quiet",
		"--case", "updateCampaign/403/owner-on-foreign,updateCampaign/403/stranger", "--allow-inconclusive")
	if code != 0 || !strings.HasPrefix(stdout, "CONFORMING in 1 of the 2 cases selected, of ") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
}

func TestReplaySaysThatItIsAboutTheCasesSentAgain(t *testing.T) {
	dir := t.TempDir()
	if code, stdout, _ := run(t, nil, "run", "--quiet", "--depth", "quick", "--report", dir); code != 0 {
		t.Fatal(stdout)
	}
	code, stdout, _ := run(t, nil, "replay", dir, "updateCampaign/401/no-key")
	if code != 0 ||
		!regexp.MustCompile(`1 still passing, 0 not tested: 1 of \d+ cases, sent again to http://127\.0\.0\.1:\d+/v2; it says `+
			`nothing of the others\n$`).MatchString(stdout) {
		t.Errorf("exit code %d: %s", code, stdout)
	}
}

func TestARunWithinABudgetIsPartial(t *testing.T) {
	for i, args := range [][]string{{"--budget", "560"}, {"--budget", "60"}, {"--read-only"}} {
		if testing.Short() && i == 0 {
			continue
		}
		code, stdout, _ := run(t, nil, append([]string{"run", "--quiet", "--require", "complete", "--allow-inconclusive"}, args...)...)
		if code != report.ExitInconclusive || !strings.HasPrefix(stdout, "INCONCLUSIVE (partial, ") {
			t.Errorf("%q: exit code %d: %s", args, code, stdout)
		}
	}
}

// What a budget plans can be compared with what a run without one plans.
func TestABudgetTellsWhatItAddsToThePlan(t *testing.T) {
	_, all, _ := run(t, nil, "run", "--verbose")
	_, within, _ := run(t, nil, "run", "--verbose", "--budget", "60")
	plain := regexp.MustCompile(`(?m)^(\d+) cases: `).FindStringSubmatch(all)
	told := regexp.MustCompile(`(?m)^(\d+) cases \((\d+), and (\d+) that combine them for a budget\): `).FindStringSubmatch(within)
	if plain == nil || told == nil || told[2] != plain[1] || told[1] == told[2] {
		t.Errorf("%q beside %q", plain, told)
	}
}

// What the run does not ask for fails neither it nor any of its cases, and is told all the same.
func TestAnIgnoredBasisFailsNoCase(t *testing.T) {
	for _, c := range []struct {
		fault, bases string
		fails        bool
	}{
		{"crash/no-key/updateCampaign", "stated", false},
		{"crash/no-key/listCreativeMediaFiles", "stated,published", false},
		{"crash/no-key/updateCampaign", "stated,standard", true},
		{"auth/no-key/updateCampaign", "stated", true},
		{"auth/no-key/updateCampaign", "standard", false},
	} {
		t.Run(c.fault+" "+c.bases, func(t *testing.T) {
			g := NewWithT(t)
			dir := t.TempDir()
			code, stdout, stderr := run(t, nil, briefly("--operation "+path.Base(c.fault),
				"run", "--depth", "quick", "--fault", c.fault, "--basis", c.bases, "--report", dir)...)
			junit, err := os.ReadFile(filepath.Join(dir, "junit.xml"))
			g.Expect(err).NotTo(HaveOccurred())
			if c.fails {
				g.Expect(code).To(Equal(report.ExitNonconforming))
				g.Expect(stderr).To(ContainSubstring("FAIL "))
				g.Expect(string(junit)).To(ContainSubstring("<failure "))
				return
			}
			g.Expect(code).To(Equal(report.ExitConforming), stdout)
			g.Expect(stderr).NotTo(ContainSubstring("FAIL "))
			g.Expect(stdout).To(And(ContainSubstring(" 0 failed"), ContainSubstring("does not count"), ContainSubstring("is not asked for")))
			g.Expect(string(junit)).NotTo(ContainSubstring("<failure "))
			g.Expect(string(junit)).To(ContainSubstring("is not asked for"))
		})
	}
}
