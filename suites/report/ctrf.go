package report

import (
	"io"
	"slices"
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/engine"
)

// The part of the Common Test Report Format that is used here; times are
// milliseconds, points in time those since 1970.
type (
	ctrfReport struct {
		Format    string      `json:"reportFormat"`
		Version   string      `json:"specVersion"`
		Timestamp time.Time   `json:"timestamp"`
		By        string      `json:"generatedBy"`
		Results   ctrfResults `json:"results"`
	}
	ctrfResults struct {
		Tool    ctrfTool       `json:"tool"`
		Summary ctrfSummary    `json:"summary"`
		Tests   []ctrfTest     `json:"tests"`
		Extra   map[string]any `json:"extra"`
	}
	ctrfTool struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	ctrfSummary struct {
		Tests    int   `json:"tests"`
		Passed   int   `json:"passed"`
		Failed   int   `json:"failed"`
		Skipped  int   `json:"skipped"`
		Pending  int   `json:"pending"`
		Other    int   `json:"other"`
		Suites   int   `json:"suites"`
		Start    int64 `json:"start"`
		Stop     int64 `json:"stop"`
		Duration int64 `json:"duration"`
	}
	ctrfTest struct {
		Name      string              `json:"name"`
		Status    string              `json:"status"`
		Duration  int64               `json:"duration"`
		Suite     []string            `json:"suite"`
		Message   string              `json:"message,omitempty"`
		Trace     string              `json:"trace,omitempty"`
		RawStatus string              `json:"rawStatus"`
		Tags      []string            `json:"tags,omitempty"`
		Labels    map[string][]string `json:"labels,omitempty"`
		Type      string              `json:"type"`
	}
)

// WriteCTRF writes a report in the Common Test Report Format: a test for each
// case. A defect of the suite is "other". A run that fails without a failed case
// has one more test that says why, as in junit.xml.
func WriteCTRF(w io.Writer, r *Report) error {
	bases := basesOf(r)
	s := ctrfSummary{Start: r.Started.UnixMilli(), Stop: r.ended().UnixMilli(), Duration: r.ended().Sub(r.Started).Milliseconds()}
	tests := []ctrfTest{}
	suites := map[string]bool{}
	for i := range r.Results {
		c := &r.Results[i]
		suites[c.Operation] = true
		tests = append(tests, newCTRFTest(c, bases))
	}
	failed := func(t ctrfTest) bool { return t.Status == "failed" || t.Status == "other" }
	if r.ExitCode != ExitConforming && !slices.ContainsFunc(tests, failed) {
		tests = append(tests, ctrfTest{
			Name: "verdict", Status: "failed", Suite: []string{"verdict"}, Message: VerdictLine(r), RawStatus: string(r.Verdict), Type: ctrfType,
		})
		suites["verdict"] = true
	}
	for _, t := range tests {
		s.Tests++
		switch t.Status {
		case "passed":
			s.Passed++
		case "failed":
			s.Failed++
		case "skipped":
			s.Skipped++
		default:
			s.Other++
		}
	}
	s.Suites = len(suites)
	return writeJSON(w, ctrfReport{
		Format: "CTRF", Version: "0.0.0", Timestamp: r.ended(), By: r.Suite.Name,
		Results: ctrfResults{
			Tool: ctrfTool{r.Suite.Name, r.Suite.Version}, Summary: s, Tests: tests,
			Extra: map[string]any{
				"verdict": r.Verdict, "reason": Printable(r.Reason), "target": Printable(r.Target.Name), "baseURL": Printable(r.Target.BaseURL),
				"level": r.Level, "selection": r.Selection, "notShown": notShownTexts(r), "insecure": r.Insecure, "selfTest": r.Suite.SelfTest,
			},
		},
	}, "  ")
}

const ctrfType = "contract"

func newCTRFTest(c *Case, bases map[string]spec.Basis) ctrfTest {
	t := ctrfTest{
		Name: c.ID, Status: "passed", Duration: int64(c.Seconds * 1000), Suite: []string{c.Operation, c.Class},
		RawStatus: string(c.Status), Tags: c.Clauses, Type: ctrfType,
	}
	if len(c.Clauses) > 0 {
		t.Labels = map[string][]string{"clause": c.Clauses, "basis": judgedBases(c, bases)}
	}
	switch {
	case c.Status == engine.Failed && allKnown(c):
		t.Status, t.Message = "skipped", Printable("known: "+c.Findings[known(c)].Known)
	case c.Status == engine.Failed:
		f := failure(c)
		t.Status, t.Message, t.Trace = "failed", Printable(f.Message), f.Text
	case c.Status == engine.NotTested && c.Cause == engine.BySuite:
		t.Status, t.Message = "other", Printable(c.Reason)
	case c.Status == engine.NotTested:
		t.Status, t.Message = "skipped", Printable(c.Reason)
	}
	return t
}
