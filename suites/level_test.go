package suites_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
)

func TestWhatATargetFileLacksIsSaidInWords(t *testing.T) {
	server := bundled(t)
	for what, change := range reftest.FewOf(2, map[string]func(*fixtures.Target){
		"objects of other users":            func(t *fixtures.Target) { t.Foreign.VastCreative = 0 },
		"an empty list":                     func(t *fixtures.Target) { t.Objects.EmptyVastCreative = nil },
		"whether type of campaign is right": func(t *fixtures.Target) { delete(t.Objects.Campaign.Values, "type") },
		"whether a list holds the media files that are": func(t *fixtures.Target) {
			t.Objects.VastCreative.MediaFileIDs, t.Objects.VastCreative.MediaFileCount = nil, -1
		},
		"whether an update leaves a host of the same": func(t *fixtures.Target) { t.Objects.ConnectionProfileRuleOtherHost = nil },
	}) {
		c := suites.NewConfig(serve(t, server))
		c.Target.Objects.DisposableCreatives, c.Target.Objects.DisposableVastCreatives = nil, nil // which every run uses up
		change(c.Target)
		if r := execute(t, c); r.Level != report.Partial || !strings.Contains(report.NotShownLine(r.NotShown), what) {
			t.Errorf("%s: level %s, %+v", what, r.Level, r.NotShown)
		}
	}
}

// A case that a defect of ours ended was not run, a choice of the target takes nothing
// from a level.
func TestWhatTakesFromALevel(t *testing.T) {
	c := suites.NewConfig(serve(t, bundled(t)))
	c.Target.Open = fixtures.Pins{"pageParameter": nil}
	r := execute(t, c)
	if r.Level != report.Complete || r.Cases.NotTested == 0 || r.Verdict != report.Conforming {
		t.Errorf("no paging: %s, level %s, %+v: %s", r.Verdict, r.Level, r.Cases, r.Reason)
	}
	if hidden := report.HiddenLine(r); !strings.Contains(hidden, "there is no paging") {
		t.Errorf("what is hidden: %q", hidden)
	}
}

func TestASelectionInCodeIsASelection(t *testing.T) {
	c := suites.NewConfig(serve(t, bundled(t)))
	c.Select = func(cs *judge.Case) bool { return cs.Class == judge.Class401 }
	r := execute(t, c)
	if r.Level != report.Selected || r.Selection == nil || len(r.Selection.Filters) == 0 {
		t.Errorf("level %s, %+v", r.Level, r.Selection)
	}
	c.Require = report.Partial
	if r := execute(t, c); r.ExitCode != report.ExitInconclusive {
		t.Errorf("a selection where more is required: exit code %d, %s", r.ExitCode, r.Reason)
	}
}

// Violations of a basis that does not count are no reason to say nothing of them.
func TestAHeadlineNamesWhatDoesNotCount(t *testing.T) {
	server := bundled(t)
	c := suites.NewConfig(serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-API-Key") == "" && strings.HasPrefix(r.URL.Path, "/v2/campaigns/") {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		server.ServeHTTP(w, r)
	})))
	c.Bases = []spec.Basis{spec.Published}
	if r := execute(t, c); !strings.Contains(r.Reason, " of a basis that does not count") {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
}
