package report_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// realReport is the report of a quick run against a server that is wrong in many ways.
func realReport(t *testing.T) *report.Report {
	t.Helper()
	r, err := brokenReport(t.Context(), judge.Quick)
	if err != nil {
		t.Fatal(err)
	}
	r.Exchanges = nil
	return r
}

// finding is a violation of AUTH-1 by a status.
func finding(operation string) oracle.Finding {
	f := oracle.Finding{
		Check: "expected-status", Case: operation + "/401/no-key", Operation: operation, Clause: "AUTH-1", Basis: spec.Stated,
		Severity: oracle.Violation,
		Expected: "status 401", Got: "status 200", Curl: "curl -i http://127.0.0.1/campaigns/25",
		Seen: 2, Of: 9, Fails: true, Impact: spec.Critical,
	}
	f.ID, f.Cases, f.Clauses, f.Operations = f.Cause().ID(), []string{f.Case}, []string{f.Clause}, []string{operation}
	return f
}

// made is a small report with one failed case, one that passed and two that were
// not tested.
func made() *report.Report {
	f := finding("updateCampaign")
	return &report.Report{
		Schema: report.Schema, Verdict: report.Nonconforming, Reason: "1 finding", Level: report.Complete, ExitCode: report.ExitNonconforming,
		Suite: report.Suite{Name: "adconform", Version: "devel"}, Target: report.Target{Name: "Acme", BaseURL: "http://127.0.0.1:1/v2"},
		Seed: 1, Depth: "standard", Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), DurationSeconds: 1.5, Requests: 7,
		Cases: report.Counts{Planned: 4, Run: 2, Passed: 1, Failed: 1, NotTested: 2},
		Clauses: []report.Clause{
			{
				ID: "AUTH-1", Operation: "updateCampaign", Basis: spec.Stated, Text: "A request whose user cannot be authenticated is answered 401.",
				Status: report.Broken, Cases: 1,
			},
			{
				ID: "AUTH-2", Operation: "all", Basis: spec.Stated, Text: "A user who lacks permission gets 403.", Status: report.NotTested,
				Reason: "credentials.stranger is not in the target file", Cause: judge.ByOperator,
			},
		},
		Findings: []oracle.Finding{f},
		Results: []report.Case{
			{
				ID: "updateCampaign/401/no-key", Operation: "updateCampaign", Class: "401",
				Title: "A request without a key is answered 401.", Status: judge.Failed, Clauses: []string{"AUTH-1"}, Requests: 1,
				Seconds: 0.25, Findings: []oracle.Finding{f},
			},
			{
				ID: "updateCampaign/success/ordinary", Operation: "updateCampaign", Class: "success", Title: "It works.",
				Status: judge.Passed, Requests: 1,
			},
			{
				ID: "updateCampaign/403/stranger", Operation: "updateCampaign", Class: "403", Title: "The stranger gets 403.",
				Status: judge.NotTested, Reason: "credentials.stranger is not in the target file", Cause: judge.ByOperator,
				Clauses: []string{"AUTH-2", "AUTH-1"},
			},
			{
				ID: "deleteCreative/403/stranger", Operation: "deleteCreative", Class: "403", Title: "The stranger gets 403.",
				Status: judge.NotTested, Reason: "credentials.stranger is not in the target file", Cause: judge.ByOperator,
				Clauses: []string{"AUTH-2"},
			},
		},
	}
}

// many adds findings, each of a clause of its own.
func many(r *report.Report, n int) *report.Report {
	for i := range n {
		f := finding("updateCampaign")
		f.Clause, f.Pointer, f.Got = fmt.Sprintf("CAMPAIGN-%d", i+1), "/data/name", fmt.Sprintf(`"a name that differs %d"`, i)
		f.ID = f.Cause().ID()
		r.Findings = append(r.Findings, f)
	}
	return r
}

// exchange is one in the form of an archive; status 0: no answer came.
func exchange(seq int, id, method, url string, status int, sent, answer string) report.Exchange {
	message := func() report.Message {
		return report.Message{HTTPVersion: "HTTP/1.1", Cookies: []report.Header{}, Headers: []report.Header{{Name: "X", Value: answer}}}
	}
	e := report.Exchange{Seq: seq, Case: id, Credential: "owner", Attempts: 1, Time: 1, Started: time.Date(2026, 1, 2, 3, 4, 5, seq, time.UTC)}
	e.Timings = map[string]any{"send": 0, "wait": 1, "receive": 0}
	e.Request = report.Request{Message: message(), Method: method, URL: url, QueryString: []report.Header{}}
	if sent != "" {
		e.Request.PostData = &report.Body{MimeType: "application/json", Text: sent}
	}
	e.Response = report.Response{Message: message(), Status: status, Content: report.Content{Body: report.Body{Text: answer}, Size: len(answer)}}
	return e
}
