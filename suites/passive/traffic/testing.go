package traffic

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// maxShownFindings is how many findings a test shows.
const maxShownFindings = 10

// Transport judges what a client sends to baseURL and what comes back, and fails
// the test for what breaks the contract:
//
//	client := &http.Client{Transport: traffic.Transport(t, server.URL+"/v2", nil)}
//
// next sends; nil is http.DefaultTransport. Where it is no *http.Transport, it may
// add keys, and a request without one says nothing. What goes elsewhere passes
// unjudged.
// At the end of the test a summary is logged; a test in which no exchange was
// judged fails, unless Config.AllowInconclusive.
func Transport(t testing.TB, baseURL string, next http.RoundTripper, options ...func(*suites.Config)) http.RoundTripper {
	t.Helper()
	if next == nil {
		next = http.DefaultTransport
	}
	base, err := url.Parse(baseURL)
	if err != nil || base.Host == "" {
		t.Fatalf("adconform: the base URL %q is not absolute: give one such as http://127.0.0.1:8080/v2", baseURL)
	}
	plain, known := next.(*http.Transport) // any other may add the key
	keys := known && !Certified(plain.TLSClientConfig)
	return &transport{observer: inTest(t, baseURL, keys, options), next: next, rest: true, target: func(r *http.Request) string {
		if !strings.EqualFold(r.URL.Host, base.Host) {
			return "" // of no operation
		}
		return r.URL.RequestURI()
	}}
}

// Handler judges what a server is asked and what it answers, and fails the test
// for what breaks the contract:
//
//	server := httptest.NewServer(traffic.Handler(t, "/v2", handler))
//
// basePath is what the paths of the operations come after; "" for nothing. The
// rest is as with Transport.
func Handler(t testing.TB, basePath string, next http.Handler, options ...func(*suites.Config)) http.Handler {
	t.Helper()
	if basePath != "" && !strings.HasPrefix(basePath, "/") {
		t.Fatalf("adconform: the base path %q has to begin with /, such as /v2", basePath)
	}
	return &handler{observer: inTest(t, "http://localhost"+basePath, true, options), next: next}
}

// inTest is an observer that tells a test what it finds.
func inTest(t testing.TB, baseURL string, keys bool, options []func(*suites.Config)) *Observer {
	t.Helper()
	c := suites.NewConfig(&fixtures.Target{Version: 1, Name: "the traffic of " + t.Name(), BaseURL: baseURL})
	for _, o := range options {
		o(c)
	}
	judge, err := suites.NewJudge(c, keys)
	if err != nil {
		t.Fatalf("adconform: %v", err)
	}
	shown := 0
	observer := New(judge, Options{Judged: func(findings []oracle.Finding) {
		for _, f := range findings {
			if !judge.Fails(f) {
				continue // the verdict tells what became of it
			}
			if shown++; shown <= maxShownFindings {
				t.Errorf("adconform: %s", describe(c, f))
			}
		}
	}})
	t.Cleanup(func() {
		observer.Close()
		r := judge.Report()
		observer.Complete(r, judge.Redact)
		conclude(t, r, shown, c.AllowInconclusive && r.Verdict == report.Inconclusive && len(r.Defects) == 0)
	})
	return observer
}

// describe is a finding with all that is needed to see it again.
func describe(c *suites.Config, f oracle.Finding) string {
	text := ""
	if contract, err := c.LoadContract(); err == nil {
		text = contract.Clause(f.Clause).Text
	}
	return fmt.Sprintf("%s (%s) %s\n  %s\n  %s", f.Clause, f.Basis, text, report.Sentence(&f), f.Curl)
}

// conclude tells the verdict at the end of a test, which may fail it unless that is
// accepted.
func conclude(t testing.TB, r *report.Report, shown int, accepted bool) {
	if shown > maxShownFindings {
		t.Errorf("adconform: … and %d more findings", shown-maxShownFindings)
	}
	summary := fmt.Sprintf("adconform: %s; %s", report.VerdictLine(r), r.Recording)
	if r.ExitCode != report.ExitConforming && !accepted && shown == 0 && !t.Failed() && !t.Skipped() {
		t.Error(summary)
	} else {
		t.Log(summary)
	}
}
