package selftest

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

func fault(v Verdict, requests int) Outcome {
	return Outcome{
		ID: "f", Kind: "fault", Clause: "AUTH-1", Verdict: v, Requests: requests, Severity: spec.Critical, Sentence: "Any key passes.",
	}
}

func variant(v Verdict) Outcome { return Outcome{ID: "v", Kind: "variant", Verdict: v, Requests: 500} }

func TestResults(t *testing.T) {
	many := func(n int, o Outcome) []Outcome { return slices.Repeat([]Outcome{o}, n) }
	unshown := variant(Passed)
	unshown.Unshown = []string{"AUTH-1 is reported as held"}
	for name, tc := range map[string]struct {
		outcomes []Outcome
		depth    string
		want     bool
	}{
		"all caught":   {[]Outcome{fault(Caught, 5), variant(Passed)}, "", true},
		"one missed":   {[]Outcome{fault(Caught, 5), fault(Missed, 500)}, "", false},
		"wrong reason": {[]Outcome{fault(WrongReason, 500)}, "", false},
		"flagged":      {[]Outcome{fault(Caught, 5), variant(Flagged)}, "", false},
		"unshown":      {[]Outcome{unshown}, "", false},
		"55 % of what is critical at depth quick": {append(many(11, fault(Caught, 5)), many(9, fault(Missed, 5))...), "quick", true},
		"54 % of what is critical at depth quick": {append(many(54, fault(Caught, 5)), many(46, fault(Missed, 5))...), "quick", false},
		"flagged at depth quick":                  {append(many(11, fault(Caught, 5)), variant(Flagged)), "quick", false},
	} {
		r := newResult(tc.outcomes)
		r.Depth = tc.depth
		if got := r.Good(); got != tc.want {
			t.Errorf("%s: good %t, want %t", name, got, tc.want)
		}
	}
	flagged := variant(Flagged)
	flagged.Findings = []string{"HTTP-1 updateCampaign/success/ordinary: expected x; got y"}
	r := newResult([]Outcome{fault(Caught, 4), fault(Caught, 10), fault(Missed, 500), variant(Passed), flagged})
	want := report.Figure{Faults: 3, Caught: 2, Variants: 2, Flagged: 1, Severity: []report.Group{{ID: "critical", Of: 3, Good: 2}}}
	if d := cmp.Diff(want, r.Figure); d != "" {
		t.Error(d)
	}
	var b bytes.Buffer
	noError(t, r.WriteText(&b))
	if d := cmp.Diff(`f: missed: Any key passes.
  clause AUTH-1, 500 requests
v: flagged: 
  found: HTTP-1 updateCampaign/success/ordinary: expected x; got y
critical: 2 of 3 faults caught
2 of 3 faults caught, 1 of 2 variants flagged, in 0 s
`, b.String()); d != "" {
		t.Error(d)
	}
}
