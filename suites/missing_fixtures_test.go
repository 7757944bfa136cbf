package suites_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
)

// without are target files that lack one thing, by the need that a case names.
var without = map[string]func(*fixtures.Target){
	"credentials.stranger":               func(t *fixtures.Target) { t.Credentials.Stranger = "" },
	"objects.connectionProfile":          func(t *fixtures.Target) { t.Objects.ConnectionProfile = nil },
	"objects.connectionProfileRuleHost":  func(t *fixtures.Target) { t.Objects.ConnectionProfileRuleHost = nil },
	"objects.otherConnectionProfile":     func(t *fixtures.Target) { t.Objects.OtherConnectionProfile = nil },
	"objects.campaign":                   func(t *fixtures.Target) { t.Objects.Campaign = nil },
	"objects.otherCampaign":              func(t *fixtures.Target) { t.Objects.OtherCampaign = nil },
	"objects.disposableCreatives[0]":     func(t *fixtures.Target) { t.Objects.DisposableCreatives = nil },
	"objects.disposableVastCreatives[0]": func(t *fixtures.Target) { t.Objects.DisposableVastCreatives = nil },
	"objects.vastCreative":               func(t *fixtures.Target) { t.Objects.VastCreative = nil },
	"objects.emptyVastCreative":          func(t *fixtures.Target) { t.Objects.EmptyVastCreative = nil },
	"objects.pagedVastCreatives[0]":      func(t *fixtures.Target) { t.Objects.PagedVastCreatives = nil },
	"objects.plainCreative":              func(t *fixtures.Target) { t.Objects.PlainCreative = nil },
	"foreign.campaign":                   func(t *fixtures.Target) { t.Foreign.Campaign = 0 },
	"objects.disposableVastCreatives[0].mediaFiles": func(t *fixtures.Target) {
		for i := range t.Objects.DisposableVastCreatives {
			t.Objects.DisposableVastCreatives[i].MediaFileIDs = nil
		}
	},
}

// What the preflight says that a lack costs is what a run then leaves untested.
func TestWhatALackCostsIsWhatARunLeavesUntested(t *testing.T) {
	for i, need := range slices.Sorted(maps.Keys(without)) {
		if testing.Short() && i%7 != 0 {
			continue
		}
		remove := without[need]
		t.Run(need, func(t *testing.T) {
			target := serve(t, bundled(t))
			remove(target)
			c := suites.NewConfig(target)
			lacks, total, err := c.Lacks(nil)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(lacks, func(l suites.Lack) bool { return l.Need == need })
			if i < 0 || lacks[i].Cases == 0 {
				t.Fatalf("not told: %+v", lacks)
			}
			r := execute(t, c)
			var untested []string
			stated := 0
			for _, cl := range r.Clauses {
				if cl.Status == report.NotTested && cl.Cause == judge.ByOperator && !slices.Contains(untested, cl.ID) {
					untested = append(untested, cl.ID)
					if cl.Basis == "stated" {
						stated++
					}
				}
			}
			// A clause that no case left aims at may be seen all the same.
			untold := slices.DeleteFunc(slices.Clone(untested), func(id string) bool { return slices.Contains(total.Clauses, id) })
			if r.Cases.NotTested != total.Cases || len(untold) > 0 || (len(untested) == 0) != (len(total.Clauses) == 0) ||
				(stated == 0) != (total.Stated == 0) {
				t.Errorf("told %d cases, %v (%d stated)\nrun  %d cases, %v (%d stated)", total.Cases, total.Clauses, total.Stated,
					r.Cases.NotTested, untested, stated)
			}
			if (total.Stated > 0) != (r.Verdict == report.Inconclusive) {
				t.Errorf("%d stated clauses, and the run is %s: %s", total.Stated, r.Verdict, r.Reason)
			}
		})
	}
}

func TestACompleteTargetFileLacksNothing(t *testing.T) {
	c := suites.NewConfig(fixtures.DefaultWorld().Target("http://127.0.0.1:1"))
	lacks, total, err := c.Lacks(nil)
	if err != nil || len(lacks) > 0 || total.Cases > 0 || len(total.Clauses) > 0 {
		t.Errorf("%+v, %+v (%v)", lacks, total, err)
	}
}
