package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/testcase"
)

// ctrfReport is what a test reads of ctrf.json.
type ctrfReport struct {
	Results struct {
		Summary struct{ Tests, Passed, Failed, Skipped, Pending, Other, Suites int }
		Tests   []struct {
			Name, Status, Message, Trace string
			Suite, Tags                  []string
			Duration                     int
			Labels                       map[string][]string
		}
	}
}

// ctrf writes ctrf.json and holds it to the schema of its authors.
func ctrf(t *testing.T, r *report.Report) ctrfReport {
	t.Helper()
	text := written(t, r, func(b *strings.Builder) error { return report.WriteCTRF(b, r) })
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	addSchema(t, c, "http://ctrf.test/schema.json", "testdata/ctrf/ctrf.schema.json")
	s, err := c.Compile("http://ctrf.test/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	valid(t, s, text)
	var read ctrfReport
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		t.Fatal(err)
	}
	return read
}

func TestCTRFHasATestForEachCase(t *testing.T) {
	got := ctrf(t, made()).Results
	if s := got.Summary; s.Tests != 4 || s.Passed != 1 || s.Failed != 1 || s.Skipped != 2 || s.Other != 0 || s.Suites != 2 {
		t.Errorf("summary %+v", s)
	}
	f := got.Tests[0]
	if f.Name != "updateCampaign/401/no-key" || f.Status != "failed" || f.Duration != 250 ||
		f.Message != "updateCampaign answered 200 where 401 was expected" ||
		!strings.Contains(f.Trace, "curl -i http") || f.Suite[1] != "401" || f.Labels["basis"][0] != "stated" || f.Tags[0] != "AUTH-1" {
		t.Errorf("%+v", f)
	}
	if got := got.Tests[2]; got.Status != "skipped" || got.Message != "credentials.stranger is not in the target file" {
		t.Errorf("%+v", got)
	}
	ctrf(t, realReport(t))
	ctrf(t, hostile())
}

func TestCTRFIsRedWhenTheRunFails(t *testing.T) {
	r := made()
	r.Results = r.Results[1:]
	r.Results[1].Cause = testcase.BySuite
	if s := ctrf(t, r).Results.Summary; s.Other != 1 || s.Failed != 0 {
		t.Errorf("a defect of the suite: %+v", s)
	}
	r.Results[1].Cause = testcase.ByOperator
	r.Verdict, r.Reason, r.ExitCode = report.Inconclusive, "1 stated clause not tested", report.ExitInconclusive
	got := ctrf(t, r).Results
	if last := got.Tests[len(got.Tests)-1]; got.Summary.Failed != 1 || last.Name != "verdict" ||
		last.Message != "INCONCLUSIVE: 1 stated clause not tested; tested: Acme at http://127.0.0.1:1/v2" {
		t.Errorf("%+v", got)
	}
	r.ExitCode = report.ExitConforming
	if s := ctrf(t, r).Results.Summary; s.Failed != 0 || s.Tests != 3 {
		t.Errorf("%+v", s)
	}
}
