package suites_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/passive"
	"github.com/adconform/adconform/suites/report"
)

// quickly configures a run of depth quick on the reference with seeded faults.
func quickly(t *testing.T, faults ...string) *suites.Config {
	t.Helper()
	c := suites.NewConfig(serve(t, faulty(t, faults...)))
	c.Depth, c.Exchanges = judge.Quick, true
	return c
}

// What a baseline accepts, and what is gone of it, decides the exit code, and the headline says so.
func TestTheHeadlineOfARunWithABaselineAgreesWithItsExitCode(t *testing.T) {
	const fault = "updateCampaign/success/data.name-dropped"
	first := execute(t, quickly(t, fault))
	for name, tc := range map[string]struct {
		faults   []string
		change   func(*suites.Entry)
		exit     int
		headline string
	}{
		"the same":        {[]string{fault}, nil, report.ExitConforming, "NONCONFORMING, ACCEPTED"},
		"another case":    {[]string{fault}, func(e *suites.Entry) { e.Cases = e.Cases[:1] }, report.ExitNonconforming, "NONCONFORMING"},
		"one beside it":   {[]string{fault, "auth/no-key/updateCampaign"}, nil, report.ExitNonconforming, "NONCONFORMING"},
		"gone":            {nil, nil, report.ExitNonconforming, "BASELINE OUT OF DATE"},
		"comes, and goes": {nil, func(e *suites.Entry) { e.Cases = nil }, report.ExitConforming, "CONFORMING"},
	} {
		b := &suites.Baseline{File: "known.yaml"}
		b.Update(first, "ticket 4711")
		for _, e := range b.Entries {
			if tc.change != nil {
				tc.change(e)
			}
		}
		c := quickly(t, tc.faults...)
		c.Baseline = b
		r := execute(t, c)
		if got := report.VerdictLine(r); r.ExitCode != tc.exit ||
			!strings.HasPrefix(got, tc.headline+":") && !strings.HasPrefix(got, tc.headline+" (") {
			t.Errorf("%s: exit code %d, %s", name, r.ExitCode, got)
		}
	}
}

// A replay says what became of each finding, and check finds in the traffic what the run found.
func TestCasesThatAreSentAgainAndTheirTraffic(t *testing.T) {
	c := quickly(t, "page/count-one-more", "delete/again-204")
	r := execute(t, c)
	r.Results = append(r.Results, report.Case{ID: "updateCampaign/401/no-such-case"})
	var ids []string
	status := map[string]judge.Status{}
	for _, cs := range r.Results {
		if status[cs.ID] = cs.Status; cs.Status == judge.Failed || cs.Status == "" || cs.ID == "updateCampaign/401/no-key" {
			ids = append(ids, cs.ID)
		}
	}
	of := map[judge.Status]map[bool]suites.ReplayStatus{ // on a server with the faults, and on one without
		judge.Failed: {true: suites.Failing, false: suites.Fixed},
		judge.Passed: {true: suites.Passing, false: suites.Passing},
		"":           {true: suites.NotReplayed, false: suites.NotReplayed},
	}
	for faulty, on := range map[bool]*suites.Config{true: quickly(t, "page/count-one-more", "delete/again-204"), false: quickly(t)} {
		all, err := suites.Replay(t.Context(), on, r, ids)
		if err != nil {
			t.Fatal(err)
		}
		for _, got := range all.Cases {
			if want := of[status[got.Case]][faulty]; got.Status != want {
				t.Errorf("with the faults %t: %s is %s after %d tries, not %s: %s", faulty, got.Case, got.Status, got.Tries, want, got.Reason)
			}
		}
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "traffic.har"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := r.WriteHAR(file); err != nil {
		t.Fatal(err)
	}
	contract, err := c.LoadContract()
	if err != nil {
		t.Fatal(err)
	}
	a, err := passive.Open(file.Name(), contract)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := suites.Check(suites.NewConfig(c.Target), a)
	if err != nil || len(alone.Findings) != 1 || alone.Findings[0].Clause != "MEDIA-3" || alone.Level != report.Observed ||
		alone.Recording.Judged < 100 {
		t.Errorf("%v, %+v", err, alone)
	}
	c.Select, c.Require = func(cs *judge.Case) bool { return cs.Class == judge.Class401 }, report.Partial
	if r := execute(t, c); r.ExitCode != report.ExitInconclusive || r.Level != report.Selected || r.Selection == nil ||
		!strings.Contains(r.Reason, "--require partial, and the level of the run is selection") {
		t.Errorf("a selection where more is required: exit code %d, %s", r.ExitCode, r.Reason)
	}
}
