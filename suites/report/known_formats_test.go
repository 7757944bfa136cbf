package report_test

import (
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/report"
)

// What the baseline lets pass is told as such in every format, and fails none.
func TestKnownFindingsInEveryFormat(t *testing.T) {
	r := made()
	r.Verdict, r.Reason, r.ExitCode = report.Conforming, "1 clause held", report.ExitConforming
	r.Findings[0].Known, r.Results[0].Findings[0].Known = "ticket 7", "ticket 7"
	if s := ctrf(t, r).Results; s.Summary.Failed != 0 || s.Tests[0].Status != "skipped" || s.Tests[0].Message != "known: ticket 7" {
		t.Errorf("ctrf: %+v", s)
	}
	if s := sarifRun(t, r).Results[0].Suppressions; len(s) != 1 || *s[0].Justification != "ticket 7" {
		t.Errorf("sarif: %+v", s)
	}
	if got := annotations(t, r); len(got) != 0 {
		t.Errorf("annotations: %q", got)
	}
	if source, _ := markdown(t, r); strings.Contains(source, "## Findings") || !strings.Contains(source, "## Known findings") ||
		!strings.Contains(source, "ticket 7") {
		t.Errorf("markdown:\n%s", source)
	}
	if _, p := attestation(t, r); p.Result != "WARNED" || len(p.WarnedTests) != 1 {
		t.Errorf("attestation: %s, warned %v", p.Result, p.WarnedTests)
	}
}

func TestAnInsecureRunSaysSo(t *testing.T) {
	r := made()
	r.Verdict, r.Reason, r.ExitCode, r.Findings, r.Insecure = report.Conforming, "1 clause held", report.ExitConforming, nil, true
	r.Clauses = r.Clauses[1:]
	if source, _ := markdown(t, r); !strings.Contains(source, "**INSECURE: ") {
		t.Error(source)
	}
	if _, p := attestation(t, r); p.Result != "WARNED" {
		t.Errorf("attested as %s", p.Result)
	}
}
