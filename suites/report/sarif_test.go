package report_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// sarifRun writes findings.sarif and reads it with a library that holds it to
// the schema of OASIS.
func sarifRun(t *testing.T, r *report.Report) *sarif.Run {
	t.Helper()
	log, err := sarif.FromBytes([]byte(written(t, r, (*report.View).WriteSARIF)))
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Validate(); err != nil {
		t.Fatal(err)
	}
	return log.Runs[0]
}

func TestSARIFHasAResultForEachFinding(t *testing.T) {
	r := made()
	for _, s := range []oracle.Severity{oracle.Notice, oracle.Transport} {
		f := finding("deleteCreative")
		f.Severity, f.Clause, f.Known = s, "ERR-1", "ticket 7"
		r.Findings = append(r.Findings, f)
	}
	run := sarifRun(t, r)
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	rules := run.Tool.Driver.Rules
	if *run.Tool.Driver.Version != "0.0.0-devel" || len(rules) != len(contract.Clauses) ||
		*run.Artifacts[0].Contents.Text != string(spec.OpenAPI()) {
		t.Errorf("version %q, %d rules, or the document is not in it", *run.Tool.Driver.Version, len(rules))
	}
	var levels []string
	for i, res := range run.Results {
		f := r.Findings[i]
		levels = append(levels, res.Level)
		at := res.Locations[0].PhysicalLocation
		if *res.RuleID != f.Clause || *rules[res.RuleIndex].ID != f.Clause || len(res.Suppressions) != min(i, 1) ||
			*at.ArtifactLocation.URI != "spec/openapi.yaml" || *at.Region.StartLine != contract.LineOf(f.Operation, f.Clause) {
			t.Errorf("result %d: rule %s at %s:%d", i, *res.RuleID, *at.ArtifactLocation.URI, *at.Region.StartLine)
		}
	}
	const message = "updateCampaign answered 200 where 401 was expected"
	if got := *run.Results[0].Message.Text; fmt.Sprint(levels) != "[error note warning]" || got != message {
		t.Errorf("levels %v, message %q", levels, got)
	}
	help := *rules[run.Results[0].RuleIndex].Help.Text
	if !strings.Contains(help, "Basis: stated, the interface document says it.\nSource: interface document, ") {
		t.Errorf("help %q", help)
	}
	r.Findings, r.Verdict, r.Reason, r.ExitCode = nil, report.Inconclusive, "1 stated clause not tested", 3
	run = sarifRun(t, r)
	if i := run.Invocations[0]; *i.ExitCode != 3 || len(run.Results) != 0 ||
		*i.ExitCodeDescription != "INCONCLUSIVE: 1 stated clause not tested; tested: Acme at http://127.0.0.1:1/v2" {
		t.Errorf("%+v", i)
	}
}

func TestSARIFOfAHostileTarget(t *testing.T) {
	braces, links := regexp.MustCompile(`(^|[^{]){(\d+)}`), regexp.MustCompile(`[^\\]\[[^\]]*\]\(`)
	for _, res := range sarifRun(t, hostile()).Results {
		if text := *res.Message.Text; braces.MatchString(text) || links.MatchString(text) {
			t.Errorf("a placeholder or a link in %q", text)
		}
	}
}

// A finding is the same in the next run, whatever value was seen, and no other is.
func TestFingerprints(t *testing.T) {
	seen := map[string]bool{}
	for _, res := range sarifRun(t, real(t)).Results {
		print := res.PartialFingerprints["finding/v3"]
		if print == "" || seen[print] {
			t.Errorf("fingerprint %q of %s is not unique", print, *res.Message.Text)
		}
		seen[print] = true
	}
	a := oracle.Finding{Check: "schema", Operation: "listCreativeMediaFiles", Clause: "MEDIA-2", Pointer: "/data/0/id", Got: `"1"`}
	same, other, elsewhere := a, a, a
	same.Pointer, same.Got, same.Case = "/data/17/id", `"x"`, "other"
	other.Check, elsewhere.Pointer = "identity", "/data/0/name"
	if id := a.Cause().ID(); id != same.Cause().ID() || id == other.Cause().ID() || id == elsewhere.Cause().ID() {
		t.Error("another fingerprint for one cause, or one for two")
	}
}
