package render_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// TestSamples writes reports, to look at and for the tests in a browser, into the folder that
// REPORT_SAMPLES names: of a run against a server that is wrong in many ways, a very large
// one, and one in which every text is hostile.
func TestSamples(t *testing.T) {
	dir := os.Getenv("REPORT_SAMPLES")
	if dir == "" {
		t.Skip("REPORT_SAMPLES is not set")
	}
	for name, r := range map[string]*report.Report{"broken": real(t), "large": large(5_000, 10_000), "hostile": hostile()} {
		noError(t, render.WriteDir(filepath.Join(dir, name), render.NewView(r)))
	}
}

// real returns the report of a run against a server that is wrong in many ways. Tests must not change it.
func real(t *testing.T) *report.Report {
	t.Helper()
	broken.Do(func() {
		world := fixtures.DefaultWorld()
		target := world.Target(reftest.Serve(t, reftest.With(t, world, wrong...)))
		target.Objects["otherCampaign"], target.Foreign = nil, fixtures.Foreign{} // some cases are not tested
		target.Name = "a server that is wrong in many ways"
		c := engine.NewConfig(target)
		c.Exchanges, c.Depth = true, reftest.Of(judge.Standard, judge.Quick)
		var err error
		if brokenReport, err = engine.Execute(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	})
	return brokenReport
}

var (
	broken       sync.Once
	brokenReport *report.Report
)

// wrong are the faults of that server.
var wrong = []string{
	"auth/part-of/deleteCreative", "crash/long-key/updateCampaign", "crash/name-very-long/updateConnectionProfile",
	"crash/stranger/updateConnectionProfile", "crash/unknown-field/updateConnectionProfile", "delete/without-effect",
	"path/32-bit/updateCampaign/campaignId", "permission/stranger-on-own/updateConnectionProfileRuleHost",
	"refused/delete-404-trailing-letters", "updateCampaign/401/error.issues.type-dropped", "updateCampaign/403/code-500",
	"updateCampaign/422/body-array", "updateCampaign/success/data.adspecId-as-string", "updateCampaign/success/data.type-as-array",
	"updateCampaign/success/text-duplicate-name", "coercion/name-number-ignored/updateCampaign",
	"updateConnectionProfile/success/data.name-as-number", "list/changing-name", "validation/name-any-type-taken/updateCampaign",
}

// base returns a report without cases, of a run that failed.
func base() *report.Report {
	return &report.Report{
		Schema: report.Schema, Verdict: report.Nonconforming, Reason: "1 finding", Level: report.Complete, ExitCode: report.ExitNonconforming,
		Suite: report.Suite{Name: "adconform", Version: "devel"}, Target: report.Target{Name: "Acme", BaseURL: "http://127.0.0.1:1/v2"},
		OpenPoints: []report.OpenPoint{}, Changes: []report.Change{},
		Seed: 1, Depth: "standard", Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), DurationSeconds: 1.5, Requests: 7,
	}
}

// exampleOf returns a violation of AUTH-1 by a status.
func exampleOf(operation string) report.Finding {
	f := report.Finding{
		Check: "expected-status", Case: operation + "/401/no-key", Operation: operation, Clause: "AUTH-1", Basis: spec.Stated,
		Severity: report.Violation, Expected: "status 401", Got: "status 200", Curl: "curl -i http://127.0.0.1/campaigns/25",
		Seen: 2, Of: 9, Fails: true, Impact: spec.Critical,
	}
	f.ID, f.Cases, f.Clauses, f.Operations = f.Site().ID(), []string{f.Case}, []string{f.Clause}, []string{operation}
	return f
}

// made returns a small report with one failed case, one passed case and two that were
// not tested.
func made() *report.Report {
	const lacking = "credentials.stranger is not in the target file"
	r, f := base(), exampleOf("updateCampaign")
	r.Cases = report.Counts{Planned: 4, Run: 2, Passed: 1, Failed: 1, NotTested: 2}
	r.Findings = []report.Finding{f}
	r.Clauses = []report.Clause{{
		ID: "AUTH-1", Operation: "updateCampaign", Basis: spec.Stated, Text: "A request whose user cannot be authenticated is answered 401.",
		Status: report.Broken, Cases: 1,
	}, {
		ID: "AUTH-2", Operation: "all", Basis: spec.Stated, Text: "A user who lacks permission gets 403.", Status: report.NotTested,
		Reason: lacking, Cause: report.ByOperator,
	}}
	r.Results = []report.Case{{
		ID: "updateCampaign/401/no-key", Operation: "updateCampaign", Class: "401", Title: "A request without a key is answered 401.",
		Status: report.Failed, Clauses: []string{"AUTH-1"}, Requests: 1, Seconds: 0.25, Findings: []report.Finding{f},
	}, {
		ID: "updateCampaign/success/ordinary", Operation: "updateCampaign", Class: "success", Title: "It works.",
		Status: report.Passed, Requests: 1, Clauses: []string{},
	}, {
		ID: "updateCampaign/403/stranger", Operation: "updateCampaign", Class: "403", Title: "The stranger gets 403.",
		Status: report.NotTested, Reason: lacking, Cause: report.ByOperator, Clauses: []string{"AUTH-2", "AUTH-1"},
	}, {
		ID: "deleteCreative/403/stranger", Operation: "deleteCreative", Class: "403", Title: "The stranger gets 403.",
		Status: report.NotTested, Reason: lacking, Cause: report.ByOperator, Clauses: []string{"AUTH-2"},
	}}
	return r
}

var sender, _ = wire.New(wire.Options{BaseURL: "https://api.example.test/v2"})

// exchange returns an exchange of a run; status 0 means that no answer came.
func exchange(seq int, id, method, path string, status int, sent, answer string) report.Exchange {
	ex := &wire.Exchange{
		Start:    base().Started,
		Request:  wire.Request{Method: method, Body: []byte(sent), Credential: wire.Credential{Name: "owner", Send: true}},
		Response: &wire.Response{Proto: "HTTP/1.1", Status: status, Header: http.Header{"X": {answer}}, Body: []byte(answer)},
	}
	sender.Adopt(ex, id, path)
	ex.Seq = seq
	return ex.Entry()
}

var classes = []string{
	judge.ClassSuccess, judge.Class401, judge.Class403, judge.Class404, judge.Class422,
	judge.ClassText, judge.ClassOpen, judge.ClassEffects, judge.ClassState, judge.ClassRandom,
}

// large returns a report with so many different cases and findings.
func large(cases, findings int) *report.Report {
	contract := spec.Load()
	r := base()
	r.Reason, r.Depth, r.Suite.SelfTest = fmt.Sprintf("%d findings", findings), "deep", report.SelfTest()
	for _, c := range contract.Clauses {
		r.Clauses = append(r.Clauses,
			report.Clause{ID: c.ID, Basis: c.Basis, Source: c.Source, Text: c.Text, Status: report.Broken, Cases: cases / 10})
	}
	for i := range cases {
		operation, class := contract.Operations[i%5].ID, classes[i/5%10]
		r.Results = append(r.Results, report.Case{
			ID: fmt.Sprintf("%s/%s/case-%d", operation, class, i), Operation: operation, Class: class,
			Title:  fmt.Sprintf("What case %d asks for has to hold.", i),
			Status: report.Passed, Clauses: []string{contract.Clauses[i%len(contract.Clauses)].ID}, Requests: 2, Seconds: 0.002,
		})
	}
	for i := range findings {
		c, clause := &r.Results[i%cases], contract.Clauses[i%len(contract.Clauses)]
		f := exampleOf(c.Operation)
		f.Case, f.Clause, f.Basis, f.Impact, f.Exchange = c.ID, clause.ID, clause.Basis, clause.Impact, i+1
		f.Pointer = fmt.Sprintf("/data/member%d", i)
		f.Expected = fmt.Sprintf("the text \"value %d of a list that is rather long\", as the request sent it", i)
		f.Got = fmt.Sprintf("the text \"value %d of a list\", which another request sent", i+1)
		f.Curl = fmt.Sprintf(`curl -i -X PATCH https://api.example.test/v2/campaigns/%d --data-raw '{"name":"%d"}'`, i, i)
		f.CauseWords = fmt.Sprintf("another value is shown than number %d", i)
		f.Title = f.CauseWords + " (1 case)"
		f.ID, f.Cases, f.Clauses = f.Site().ID(), []string{f.Case}, []string{f.Clause}
		c.Status = report.Failed
		c.Findings = append(c.Findings, f)
		r.Findings = append(r.Findings, f)
	}
	for i := range max(cases*2, findings) {
		r.Exchanges = append(r.Exchanges, exchange(i+1, r.Results[i%cases].ID, http.MethodPatch,
			fmt.Sprintf("/campaigns/%d", i), []int{200, 200, 404, 422, 500, 0}[i%6],
			fmt.Sprintf(`{"name":"value %d"}`, i),
			fmt.Sprintf(`{"data":{"id":%d,"member%d":"value %d of a list","createdAt":"2024-03-01T09:00:00Z","updatedAt":null}}`, i, i, i+1)))
	}
	r.Cases.Planned, r.Cases.Failed = cases, min(cases, findings)
	return r
}

// evil is text that a hostile target may put anywhere.
const evil = "` `` ``` www.evil.example @octocat pwned \x1b[2J\u009b31m\u202egnp\u200b\x00\a\r\n::error::pwned\n" +
	"##[add-mask]a ]]> --> <script>alert(1)</script> <img src=x> " +
	"&lt; [click](https://evil.example) ![i](https://evil.example/i.png) https://evil.example www.evil.example me@evil.example " +
	"@octocat #1 | ` `` ``` ~~~ *b* _i_ \\ {0} {{ %0A \U000e0041 \xff"

// hostilities are texts that a page could interpret as something else. If a script
// ran, it would set the title or open a dialog.
var hostilities = []string{
	`</script><script>alert(1);document.title='owned'</script>`,
	`<img src=x onerror="alert(2);document.title='owned'">`,
	`"><svg onload=alert(3)>`,
	`' onmouseover='alert(4)' x='`,
	`</textarea></title></style></template><iframe src=//evil.test></iframe>`,
	`<!--<script>`, `]]>`, `-->`, `{{.Report}}`, `${alert(5)}`, `javascript:alert(6)`,
	"\x1b[31m\x1b]0;owned\a", "\u202egnp.exe\u2066", "\x00\x01\x7f\ufffe\uffff", "caf\xe9\xff", "\u2028\u2029",
	`<link rel=stylesheet href=//evil.test/x.css><base href=//evil.test>`,
	`<meta http-equiv=refresh content="0;url=//evil.test">`,
	evil,
}

// hostile returns a report in which everything that a target or an operator can
// influence is hostile.
func hostile() *report.Report {
	all := strings.Join(hostilities, " ")
	text := func(i int) string { return hostilities[i%len(hostilities)] }
	r := base()
	r.Depth, r.Reason, r.Target = "deep", "several findings "+all, report.Target{Name: all, BaseURL: "javascript:alert(7)//" + all}
	r.Suite.Version = all
	r.Level, r.Selection = report.Selected, &report.Selection{Filters: hostilities, Cases: 1, Of: 2}
	r.Cases.Planned = 1
	for i, h := range hostilities {
		id, operation, class := fmt.Sprintf("HOSTILE-%d", i+1), "updateCampaign", classes[i%10]
		if i == 0 {
			operation, class = h, h
		}
		f := exampleOf(operation)
		f.Case, f.Clause, f.Expected, f.Got, f.Curl, f.Exchange = operation+"/"+class+"/"+h, id, h, text(i+1), "curl '"+h+"'", i+1
		f.Pointer = []string{"header:", "/data/"}[min(i%3, 1)] + strings.NewReplacer("~", "~0", "/", "~1").Replace(h)
		f.Severity = []report.Severity{report.Violation, report.Notice, report.Transport}[i%3]
		f.ID, f.Cases, f.Clauses = f.Site().ID(), []string{f.Case}, []string{id}
		r.NotShown = append(r.NotShown, report.Gap{Need: h, Text: h, Cases: 1})
		r.Clauses = append(r.Clauses, report.Clause{ID: id, Basis: spec.Stated, Source: h, Text: h, Status: report.Broken, Cases: 1, Reason: h})
		r.Findings = append(r.Findings, f)
		r.Results = append(r.Results, report.Case{
			ID: f.Case, Operation: operation, Class: class, Title: h, Status: report.Failed, Reason: h, Clauses: []string{id},
			Requests: 1, Seconds: 0.1, Findings: []report.Finding{f},
		}, report.Case{
			ID: f.Case + "-not", Operation: operation, Class: class, Title: h, Status: report.NotTested, Cause: report.ByTarget, Reason: h,
			Clauses: []string{},
		})
		body := fmt.Sprintf("{\"data\":{%q:[%q,\n%q]}}%s", h, h, all, all)
		e := exchange(i+1, f.Case, h, "/"+url.PathEscape(h), 200, strings.ToValidUTF8(all, ""), strings.ToValidUTF8(body, ""))
		request, response := e["request"].(map[string]any), e["response"].(map[string]any)
		e["_credential"], e["_error"], request["comment"], response["statusText"] = h, h, h, h
		r.Exchanges = append(r.Exchanges, e)
		r.OpenPoints = append(r.OpenPoints, report.OpenPoint{
			ID: h, Question: h, Observed: []string{h, text(i + 1)}, Pinned: h,
			Answers: []report.PointAnswer{{Answer: h, Observed: []string{h}, At: []string{h}}},
		})
		r.Changes = append(r.Changes, report.Change{Object: h, ID: "1", Change: h, Reason: h, Undo: "curl " + h})
	}
	return r
}

// written returns what a format writes, which must be clean.
func written(t *testing.T, r *report.Report, write func(*render.View, io.Writer) error) string {
	t.Helper()
	var b strings.Builder
	noError(t, write(render.NewView(r), &b))
	for i, c := range b.String() {
		if c != '\n' && !unicode.IsPrint(c) {
			t.Fatalf("%U at byte %d, after %q", c, i, b.String()[max(0, i-40):i])
		}
	}
	return b.String()
}

var noError = reftest.NoError
