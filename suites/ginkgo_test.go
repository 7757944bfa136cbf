package suites_test

import (
	"strings"
	"testing"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/report"
)

func TestFiltersSelectWhatGinkgoSelects(t *testing.T) {
	for name, tc := range map[string]struct {
		options suites.GinkgoOptions
		planned int
	}{
		"focus on a case": {suites.GinkgoOptions{Focus: []string{"updateCampaign/422/name-is-number"}}, 1},
		"label filter":    {suites.GinkgoOptions{LabelFilter: "operation:updateCampaign && class:401"}, 10},
		"skip":            {suites.GinkgoOptions{LabelFilter: "operation:updateCampaign && class:401", Skip: []string{"changes-nothing"}}, 9},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := suites.RunGinkgo(t.Context(), suites.NewConfig(serve(t, bundled(t))), tc.options)
			if err != nil {
				t.Fatal(err)
			}
			if r.Cases.Planned != tc.planned || r.Cases.Passed != tc.planned {
				t.Errorf("expected %d cases, planned and passed; got %+v", tc.planned, r.Cases)
			}
			if r.Verdict != report.Conforming {
				t.Errorf("a selection that holds: expected conforming, got %s: %s", r.Verdict, r.Reason)
			}
		})
	}
}

func TestEmptySelectionIsAnError(t *testing.T) {
	for name, o := range map[string]suites.GinkgoOptions{
		"focus":      {Focus: []string{"nothing like this"}},
		"label":      {LabelFilter: "operation:none"},
		"bad filter": {LabelFilter: "class:401 &&"},
	} {
		t.Run(name, func(t *testing.T) {
			sent := 0
			c := suites.NewConfig(serve(t, bundled(t)))
			c.Progress = func(int, int, *engine.Result) { sent++ }
			_, err := suites.RunGinkgo(t.Context(), c, o)
			if err == nil || strings.Contains(err.Error(), "\n") || sent > 0 {
				t.Errorf("expected an error of one line before anything is sent, got %v after %d cases", err, sent)
			}
		})
	}
}
