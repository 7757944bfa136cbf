package report_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/session"
)

// hostilities are texts that a page could take for something else. A script
// that runs would set the title or open a dialog.
var hostilities = []string{
	`</script><script>alert(1);document.title='owned'</script>`,
	`<img src=x onerror="alert(2);document.title='owned'">`,
	`"><svg onload=alert(3)>`,
	`' onmouseover='alert(4)' x='`,
	`</textarea></title></style></template><iframe src=//evil.test></iframe>`,
	`<!--<script>`, `]]>`, `-->`, `{{.Report}}`, `${alert(5)}`, `javascript:alert(6)`,
	"\x1b[31m\x1b]0;owned\a", "\u202egnp.exe\u2066", "\x00\x01\x7f", "caf\xe9\xff", "\u2028\u2029",
	`<link rel=stylesheet href=//evil.test/x.css><base href=//evil.test>`,
	`<meta http-equiv=refresh content="0;url=//evil.test">`,
}

// hostile is a report in which everything that a target or an operator could
// have a say in is hostile.
func pageHostile() *report.Report {
	all := strings.Join(hostilities, " ")
	text := func(i int) string { return hostilities[i%len(hostilities)] }
	started := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	r := empty(started)
	r.Reason, r.Target = "several findings "+all, report.Target{Name: all, BaseURL: "javascript:alert(7)//" + all}
	r.Suite.Version = all
	r.Level, r.Selection = report.Selected, &report.Selection{Filters: hostilities, Cases: 1, Of: 2}
	for i, h := range hostilities {
		r.NotShown = append(r.NotShown, report.Gap{Need: h, Text: h, Cases: 1})
		id := fmt.Sprintf("HOSTILE-%d", i+1)
		operation, class := operations[i%5], classes[i%10]
		if i == 0 {
			operation, class = h, h
		}
		f := oracle.Finding{
			Check: "shows-sent", Case: operation + "/" + class + "/" + h, Operation: operation, Clause: id, Basis: spec.Stated,
			Severity: oracle.Violation,
			Pointer:  "/data/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(h), Expected: h, Got: text(i + 1),
			Curl: "curl '" + h + "'", Exchange: i + 1, Seen: 1, Of: 2,
		}
		f.ID, f.Cases = f.Cause().ID(), []string{f.Case}
		if i%3 == 0 {
			f.Pointer = "header:" + h
		}
		r.Clauses = append(r.Clauses, report.Clause{ID: id, Basis: spec.Stated, Source: h, Text: h, Status: report.Broken, Cases: 1, Reason: h})
		r.Findings = append(r.Findings, f)
		r.Results = append(r.Results, report.Case{
			ID: f.Case, Operation: operation, Class: class, Title: h, Status: judge.Failed, Reason: h, Clauses: []string{id},
			Requests: 1, Seconds: 0.1, Findings: []oracle.Finding{f},
		})
		e := exchange(i+1, f.Case, h, "javascript:alert(8)//"+h, 200, all, fmt.Sprintf("{\"data\":{%q:[%q,\n%q]}}%s", h, h, all, all))
		e.Credential, e.Error, e.Response.StatusText, e.Response.HTTPVersion = h, h, h, h
		e.Request.Comment, e.Response.Content.Comment = h, h
		e.Request.Headers, e.Response.Headers = []report.Header{{Name: h, Value: text(i + 2)}}, []report.Header{{Name: h, Value: h}}
		r.Exchanges = append(r.Exchanges, e)
		r.OpenPoints = append(r.OpenPoints, report.OpenPoint{ID: h, Question: h, Observed: []string{h, text(i + 1)}, Pinned: h})
		r.Changes = append(r.Changes, session.Change{Object: h, ID: 1, Change: h, Reason: h, Undo: "curl " + h})
	}
	count(r)
	return r
}
