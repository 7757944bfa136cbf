package suites_test

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
)

// oddly runs the cases of unusual requests against a server that answers some
// requests with a status of its own.
func oddly(t *testing.T, status int, odd func(*http.Request) bool) *report.Report {
	t.Helper()
	reference := bundled(t)
	c := suites.NewConfig(serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if odd(r) {
			w.WriteHeader(status)
			return
		}
		reference.ServeHTTP(w, r)
	})))
	c.Depth = judge.Deep
	c.Select = func(cs *judge.Case) bool { return strings.HasSuffix(cs.ID, "/open/unusual") }
	return execute(t, c)
}

func TestServersThatFailOnUnusualRequests(t *testing.T) {
	for name, odd := range map[string]func(*http.Request) bool{
		"TRACE":  func(r *http.Request) bool { return r.Method == http.MethodTrace },
		"POST":   func(r *http.Request) bool { return r.Method == http.MethodPost },
		"query":  func(r *http.Request) bool { return r.URL.RawQuery != "" },
		"accept": func(r *http.Request) bool { return strings.HasPrefix(r.Header.Get("Accept"), "text/html") },
	} {
		r := oddly(t, http.StatusInternalServerError, odd)
		broken := map[string]bool{}
		for _, f := range r.Findings {
			if f.Clause != "HTTP-1" {
				t.Errorf("%s: %s %s", name, f.Clause, f.Got)
			}
			broken[f.Operation] = true
		}
		if r.Verdict != report.Nonconforming || len(broken) != 5 {
			t.Errorf("%s: %s, broken in %v", name, r.Verdict, broken)
		}
	}
	// Refusals in the server's own words conform.
	for status, odd := range map[int]func(*http.Request) bool{
		http.StatusMethodNotAllowed: func(r *http.Request) bool { return r.Method == http.MethodTrace || r.Method == http.MethodPost },
		http.StatusNotAcceptable:    func(r *http.Request) bool { return r.Header.Get("Accept") != "application/json" },
		http.StatusBadRequest:       func(r *http.Request) bool { return r.URL.RawQuery != "" },
	} {
		if r := oddly(t, status, odd); r.Verdict != report.Conforming {
			t.Errorf("status %d: %s: %s %+v", status, r.Verdict, r.Reason, r.Findings)
		}
	}
}

// Whoever asks for HTML may get it (RFC 9110, 12.5.1): an update is carried out all the same.
func TestServersThatAnswerInHTMLWhereItIsAsked(t *testing.T) {
	reference := bundled(t)
	c := suites.NewConfig(serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept") == "text/html" {
			into := httptest.NewRecorder()
			reference.ServeHTTP(into, r)
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.WriteHeader(into.Code)
			fmt.Fprintf(w, "<!doctype html><title>Ads</title><pre>%s</pre>", html.EscapeString(into.Body.String()))
			return
		}
		reference.ServeHTTP(w, r)
	})))
	c.Depth = judge.Deep
	if testing.Short() {
		c.Select = func(cs *judge.Case) bool { return cs.Operation.ID == "updateCampaign" }
	}
	if r := execute(t, c); r.Verdict != report.Conforming {
		t.Errorf("%s: %s %+v", r.Verdict, r.Reason, r.Findings)
	}
}

// A text with C1 control characters is sent at depth deep: refused or shown as
// sent, but never a failure of the server.
func TestServersThatFailOnC1Controls(t *testing.T) {
	reference := bundled(t)
	fails := false
	c := suites.NewConfig(serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if fails && (bytes.Contains(body, []byte("\u0085")) || bytes.Contains(body, []byte(`\u0085`))) {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		reference.ServeHTTP(w, r)
	})))
	c.Depth = judge.Deep
	c.Select = func(cs *judge.Case) bool { return strings.HasSuffix(cs.ID, "-c1-control") }
	if r := execute(t, c); r.Verdict != report.Conforming || r.Cases.Passed != 3 {
		t.Errorf("%s: %s, %d passed", r.Verdict, r.Reason, r.Cases.Passed)
	}
	fails = true
	if r := execute(t, c); r.Verdict != report.Nonconforming || r.Findings[0].Clause != "HTTP-1" {
		t.Errorf("%s: %s %+v", r.Verdict, r.Reason, r.Findings)
	}
}
