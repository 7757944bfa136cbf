package report

import (
	"io"
	"time"

	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/internal/wording"
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
		Extra     map[string]any      `json:"extra,omitempty"`
	}
)

// ctrfStatus are the statuses of the format: a defect of the suite is "other".
var ctrfStatus = map[status]string{passed: "passed", failed: "failed", skipped: "skipped", errored: "other"}

// WriteCTRF writes a report in the Common Test Report Format: a test for each case. A run
// that fails without a failed case has one more test that says why, as in junit.xml.
func WriteCTRF(w io.Writer, r *Report) error {
	tests, suites := []ctrfTest{}, map[string]bool{}
	var outcomes []outcome
	for i := range r.Results {
		c := &r.Results[i]
		suites[c.Operation] = true
		o := outcomeOf(c)
		outcomes = append(outcomes, o)
		t := ctrfTest{
			Name: c.ID, Status: ctrfStatus[o.status], Duration: int64(c.Seconds * 1000), Suite: []string{c.Operation, c.Class},
			Message: o.message, Trace: o.text, RawStatus: string(c.Status), Tags: c.Clauses, Type: ctrfType,
		}
		if len(c.Clauses) > 0 {
			t.Labels = map[string][]string{"clause": c.Clauses, "basis": judgedBases(r, c)}
		}
		tests = append(tests, t)
	}
	if needsVerdict(r, outcomes) {
		suites["verdict"] = true
		outcomes = append(outcomes, outcome{status: failed})
		tests = append(tests, ctrfTest{
			Name: "verdict", Status: "failed", Suite: []string{"verdict"}, Message: VerdictLine(r), RawStatus: string(r.Verdict), Type: ctrfType,
		})
	}
	n := map[status]int{}
	for _, o := range outcomes {
		n[o.status]++
	}
	return files.WriteJSON(w, ctrfReport{
		Format: "CTRF", Version: "0.0.0", Timestamp: r.ended(), By: r.Suite.Name,
		Results: ctrfResults{
			Tool: ctrfTool{r.Suite.Name, r.Suite.Version}, Tests: tests,
			Summary: ctrfSummary{
				Tests: len(tests), Passed: n[passed], Failed: n[failed], Skipped: n[skipped], Other: n[errored], Suites: len(suites),
				Start: r.Started.UnixMilli(), Stop: r.ended().UnixMilli(), Duration: r.ended().Sub(r.Started).Milliseconds(),
			},
			Extra: map[string]any{
				"verdict": r.Verdict, "reason": wording.Printable(r.Reason),
				"target": wording.Printable(r.Target.Name), "baseURL": wording.Printable(r.Target.BaseURL),
				"level": r.Level, "edition": r.Edition,
				"selection": r.Selection, "notShown": notShownTexts(r), "insecure": r.Insecure, "selfTest": r.Suite.SelfTest,
			},
		},
	}, "  ")
}

const ctrfType = "contract"
