package engine_test

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/suites/report"
)

// screenOf returns the screen of doctor or of a run, each paragraph in one line.
func screenOf(t *testing.T, write func(*bytes.Buffer) error) string {
	t.Helper()
	var screen bytes.Buffer
	noError(t, write(&screen))
	return screen.String()
}

var (
	skippedCases   = regexp.MustCompile(`^(?:READY[^:]*: |INCOMPLETE: a run would not test )(\d+) cases?`)
	notTestedCases = regexp.MustCompile(`(?m)^\d+ cases?: \d+ passed, \d+ failed, (\d+) not tested$`)
)

// numberIn returns the number that a screen has at a place, 0 without one.
func numberIn(screen string, place *regexp.Regexp) int {
	found := place.FindStringSubmatch(screen)
	if found == nil {
		return 0
	}
	n, _ := strconv.Atoi(found[1])
	return n
}

// What doctor's screen promises, the screen of a run with --require complete keeps: for the same target file they name the
// same number of cases that are left out, and what has everything is complete.
func TestDoctorsScreenAgreesWithTheRuns(t *testing.T) {
	without := func(keys ...string) slip {
		return func(t *fixtures.Target) {
			for _, key := range keys {
				delete(t.Objects, key)
				delete(t.Foreign, strings.TrimPrefix(key, "foreign."))
			}
		}
	}
	unvalued := func(key, field string) slip {
		return func(t *fixtures.Target) { delete(t.Objects[key][0].Values, field) }
	}
	for name, row := range reftest.FewOf(4, map[string]struct {
		slip    slip
		variant string
		word    string // with which doctor's screen begins
		level   report.Level
	}{
		"whole":                   {func(*fixtures.Target) {}, "", "READY", report.Complete},
		"whole, read by GET":      {func(*fixtures.Target) {}, "path/read-all", "READY", report.Complete},
		"whole, bare":             {func(*fixtures.Target) {}, "body/all-fields-required", "READY", report.Complete},
		"no stranger":             {func(t *fixtures.Target) { t.Credentials.Stranger = "" }, "", "INCOMPLETE", report.Partial},
		"no campaign":             {without("campaign"), "", "INCOMPLETE", report.Partial},
		"no second campaign":      {without("otherCampaign"), "", "READY", report.Partial},
		"no second profile":       {without("otherConnectionProfile"), "", "READY", report.Partial},
		"no foreign campaign":     {without("foreign.campaign"), "", "READY", report.Partial},
		"no disposables":          {without("disposableCreatives", "disposableVastCreatives"), "", "INCOMPLETE", report.Partial},
		"no list of two pages":    {without("pagedVastCreatives"), "", "READY", report.Partial},
		"no name of the campaign": {unvalued("campaign", "name"), "body/all-fields-required", "READY", report.Partial},
		"a wrong list":            {files("vastCreative", 2), "", "INCOMPLETE", report.Partial},
		"a wrong name":            {value("campaign", "name", "No such campaign"), "path/read-all", "INCOMPLETE", report.Partial},
		"the owner's as foreign":  {foreign("campaign", "25", "campaign"), "path/read-all", "INCOMPLETE", report.Partial},
	}) {
		var variants []string
		if row.variant != "" {
			variants = []string{row.variant}
		}
		target := serve(t, reftest.With(t, fixtures.DefaultWorld(), variants...))
		row.slip(target)
		before := preflight(t, target)
		wide := render.Style{Width: 1000}
		doctor := screenOf(t, func(w *bytes.Buffer) error { return render.PreflightSummary(w, before, wide) })
		c := engine.NewConfig(target)
		c.Require = report.Complete
		r := execute(t, c)
		run := screenOf(t, func(w *bytes.Buffer) error { return render.NewView(r).Summary(w, wide) })
		headline, _, _ := strings.Cut(doctor, "\n")
		if !strings.HasPrefix(headline, row.word) {
			t.Errorf("%s: doctor says %q", name, headline)
		}
		if r.Level != row.level {
			t.Errorf("%s: the level of the run is %s: %s", name, r.Level, r.Reason)
		}
		isComplete := strings.HasPrefix(run, "CONFORMING (complete)") && r.ExitCode == report.ExitConforming
		hasAll := strings.Contains(headline, "has everything that a run needs")
		stops := strings.Contains(headline, "a run would stop before it writes")
		if wrote := len(r.Changes) > 0; stops == wrote {
			t.Errorf("%s: doctor says %q, and the run changed %d objects", name, headline, len(r.Changes))
		}
		if hasAll != isComplete || (before.ExitCode == report.ExitInconclusive) && isComplete {
			t.Errorf("%s: doctor says %q, and the run %.200q", name, headline, run)
		}
		if told, left := numberIn(doctor, skippedCases), numberIn(run, notTestedCases); told != left && told > 0 {
			t.Errorf("%s: doctor says that %d cases are left out, and the run %d", name, told, left)
		}
	}
}
