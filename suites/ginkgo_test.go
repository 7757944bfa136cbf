package suites_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
)

func TestFiltersSelectWhatGinkgoSelects(t *testing.T) {
	ofCampaign := func(cs *judge.Case) bool {
		return cs.Operation.ID == "updateCampaign" && cs.Class == judge.Class401
	}
	for name, tc := range map[string]struct {
		options func(*types.SuiteConfig)
		selects func(*judge.Case) bool
	}{
		"focus on a case": {
			func(s *types.SuiteConfig) { s.FocusStrings = []string{"updateCampaign/422/name-is-array"} },
			func(cs *judge.Case) bool { return cs.ID == "updateCampaign/422/name-is-array" },
		},
		"label filter": {func(s *types.SuiteConfig) { s.LabelFilter = "operation:updateCampaign && class:401" }, ofCampaign},
		"skip": {func(s *types.SuiteConfig) {
			s.LabelFilter, s.SkipStrings = "operation:updateCampaign && class:401", []string{"changes-nothing"}
		}, func(cs *judge.Case) bool {
			return ofCampaign(cs) && !strings.Contains(cs.ID, "changes-nothing")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			c := suites.NewConfig(serve(t, bundled(t)))
			plan, err := c.Plan()
			if err != nil {
				t.Fatal(err)
			}
			all := len(plan)
			planned := len(slices.DeleteFunc(plan, func(cs *judge.Case) bool { return !tc.selects(cs) }))
			r, err := suites.RunFiltered(t.Context(), c, tc.options)
			if err != nil {
				t.Fatal(err)
			}
			if planned == 0 || r.Cases.Planned != planned || r.Cases.Passed != planned {
				t.Errorf("expected %d cases, planned and passed; got %+v", planned, r.Cases)
			}
			if r.Verdict != report.Conforming {
				t.Errorf("a selection that holds: expected conforming, got %s: %s", r.Verdict, r.Reason)
			}
			if r.Level != report.Selected || r.Selection == nil || r.Selection.Cases != planned || r.Selection.Of != all ||
				len(r.Selection.Filters) != 1 {
				t.Errorf("level %s, selection %+v", r.Level, r.Selection)
			}
			if len(c.Filters) > 0 {
				t.Errorf("the configuration was changed: %q", c.Filters)
			}
		})
	}
}

func TestEmptySelectionIsAnError(t *testing.T) {
	for name, o := range map[string]func(*types.SuiteConfig){
		"focus":      func(s *types.SuiteConfig) { s.FocusStrings = []string{"nothing like this"} },
		"label":      func(s *types.SuiteConfig) { s.LabelFilter = "operation:none" },
		"bad filter": func(s *types.SuiteConfig) { s.LabelFilter = "class:401 &&" },
	} {
		t.Run(name, func(t *testing.T) {
			sent := 0
			c := suites.NewConfig(serve(t, bundled(t)))
			c.Progress = func(int, int, *judge.Result) { sent++ }
			_, err := suites.RunFiltered(t.Context(), c, o)
			if err == nil || strings.Contains(err.Error(), "\n") || sent > 0 {
				t.Errorf("expected an error of one line before anything is sent, got %v after %d cases", err, sent)
			}
		})
	}
}
