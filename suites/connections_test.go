package suites_test

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// A lost answer counts for the operation that was asked, and is no breach of anything
// else: what the request did is not known.
func TestALostAnswerIsBookedWhereItWasLost(t *testing.T) {
	contract := reftest.Contract(t)
	one := 3 // the self-test has all
	if testing.Short() {
		one = 15
	}
	for i, f := range faults.All(contract) {
		if !strings.HasPrefix(f.ID, "connection/") || !faults.Sampled(f.ID, one) {
			continue
		}
		operation := f.ID[strings.LastIndexByte(f.ID, '/')+1:]
		c := suites.NewConfig(serve(t, faulty(t, f.ID)))
		c.Target.Limits.Concurrency = i % 2 // one worker, or as many as the suite likes
		r := execute(t, c)
		if r.Verdict != report.Nonconforming || r.Lost < 2 {
			t.Errorf("%s: %s, %d answers lost", f.ID, r.Verdict, r.Lost)
		}
		for _, b := range r.Findings {
			if b.Severity != oracle.Notice && (b.Operation != operation || b.Clause != "HTTP-2") {
				t.Errorf("%s: %s %s in %s: %s", f.ID, b.Clause, b.Operation, b.Case, b.Got)
			}
		}
	}
}

// A server that ends connections without a word gets no finding and no notice more,
// and the report counts what was sent again.
func TestConnectionsThatEndAreNoFinding(t *testing.T) {
	resent := 0
	for i, v := range faults.Variants() {
		if !strings.HasPrefix(v.ID, "connection/") || testing.Short() && i%8 > 0 {
			continue
		}
		c := suites.NewConfig(serve(t, faulty(t, v.ID)))
		c.Target.Limits.Concurrency = i % 2
		r := execute(t, c)
		if r.Verdict != report.Conforming || len(r.Findings) > 0 || r.Lost > 0 {
			t.Errorf("%s: %s, %d lost, %+v", v.ID, r.Verdict, r.Lost, r.Findings)
		}
		resent += r.Resent
	}
	if resent == 0 {
		t.Error("nothing was sent again")
	}
}

// Servers with a limit of a megabyte answer 413 and close at once, as RFC 9110, 15.5.14
// allows, and the reset often overtakes the answer. That is no finding, and no pass.
func TestAConnectionThatEndsDuringALargeBodyIsNoFinding(t *testing.T) {
	server := bundled(t)
	for name, limit := range map[string]struct {
		bytes   int64
		allowed bool
	}{
		"a megabyte":    {1 << 20, true},
		"few kilobytes": {3 << 10, false},
	} {
		c := suites.NewConfig(serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.ContentLength <= limit.bytes {
				server.ServeHTTP(w, r)
				return
			}
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			conn.(*net.TCPConn).SetLinger(0) // the close is a reset
			conn.Close()
		})))
		c.Select = func(cs *judge.Case) bool {
			return strings.HasSuffix(cs.ID, "/open/megabyte-body") || strings.HasSuffix(cs.ID, "/text/name-length-5000")
		}
		r := execute(t, c)
		if found := r.Lost > 0 || len(r.Findings) > 0; found == limit.allowed {
			t.Errorf("%s: %s, %d lost, %d findings", name, r.Verdict, r.Lost, len(r.Findings))
		}
		for i := range r.Results {
			if cs := &r.Results[i]; strings.HasSuffix(cs.ID, "megabyte-body") && cs.Status != judge.NotTested {
				t.Errorf("%s: %s %s", name, cs.ID, cs.Status)
			}
		}
	}
}

// net/http refuses bad percent-encoding before any handler, so a server that fails
// on it fails below: its connections answer 500 to such a request line.
func TestBadPercentEncodingThatCrashes(t *testing.T) {
	server := httptest.NewUnstartedServer(bundled(t))
	server.Listener = failingListener{server.Listener}
	server.Start()
	t.Cleanup(server.Close)
	c := suites.NewConfig(fixtures.DefaultWorld().Target(server.URL + basePath))
	c.Select = func(cs *judge.Case) bool { return strings.HasSuffix(cs.ID, "/undecodable-path") }
	var broken []string
	for _, f := range execute(t, c).Findings {
		if f.Clause != "HTTP-1" {
			t.Errorf("%s in %s: expected %s, got %s", f.Clause, f.Case, f.Expected, f.Got)
		}
		broken = append(broken, f.Operations...)
	}
	slices.Sort(broken)
	if broken = slices.Compact(broken); len(broken) != 5 {
		t.Errorf("the crash is found in %v, want all five operations", broken)
	}
}

type failingListener struct{ net.Listener }

func (l failingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return failingConn{conn}, err
}

type failingConn struct{ net.Conn }

var badEscape = regexp.MustCompile(`%([^0-9a-f]|.[^0-9a-f])`)

// Read gives what a request begins with: the client sends it in one piece.
func (c failingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if line, _, _ := bytes.Cut(p[:n], []byte(" HTTP/1.1\r\n")); len(line) == n ||
		!badEscape.Match(append(line[:len(line):len(line)], "  "...)) {
		return n, err
	}
	io.WriteString(c.Conn, "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	c.Conn.(*net.TCPConn).CloseWrite()
	io.Copy(io.Discard, c.Conn) // else the close resets the connection
	return 0, io.EOF
}

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
			for _, operation := range f.Operations {
				broken[operation] = true
			}
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

// A target that hangs, or fails and takes its time for it, is asked only so often,
// and what was found stays found. make hostile measures the time.
func TestAFailingTargetIsAskedOnlySoOften(t *testing.T) {
	const workers, timeout = 8, 500 * time.Millisecond
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	slow500 := func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(timeout / 2): // that is the failure, nothing waits for it
		case <-r.Context().Done():
		}
		w.WriteHeader(http.StatusInternalServerError)
	}
	for name, test := range reftest.FewOf(3, map[string]struct {
		fails   func(n int64, r *http.Request) bool
		how     func(http.ResponseWriter, *http.Request)
		verdict report.Verdict
		says    string // the reason, or what is found
	}{
		"hangs for good": {
			func(n int64, _ *http.Request) bool { return n > 50 }, hang, report.Nonconforming,
			"and none to any request since then",
		},
		"every third hangs": {func(n int64, _ *http.Request) bool { return n%3 == 0 }, hang, report.Nonconforming, "timeout: "},
		"updates hang": {
			func(_ int64, r *http.Request) bool { return r.Method == http.MethodPatch }, hang, report.Nonconforming, "timeout: ",
		},
		"one body hangs": {func(_ int64, r *http.Request) bool {
			return r.Header.Get(wire.CaseHeader) == "updateCampaign/422/body-array"
		}, hang, report.Nonconforming, "timeout: "},
		"always 500":       {func(int64, *http.Request) bool { return true }, slow500, report.Nonconforming, "status 500"},
		"500 from some on": {func(n int64, _ *http.Request) bool { return n > 50 }, slow500, report.Nonconforming, "status 500"},
		"one is 500": {func(_ int64, r *http.Request) bool {
			return r.Method == http.MethodPatch && strings.Contains(r.URL.Path, "/campaigns/")
		}, slow500, report.Nonconforming, "status 500"},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var seen, failed atomic.Int64
			h := bundled(t)
			c := suites.NewConfig(serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if test.fails(seen.Add(1), r) {
					io.Copy(io.Discard, r.Body) // else the end of the connection is not seen
					failed.Add(1)
					test.how(w, r)
					return
				}
				h.ServeHTTP(w, r)
			})))
			c.Target.Limits.Timeout, c.Target.Limits.Concurrency = timeout, workers
			r := execute(t, c)
			if r.Verdict != test.verdict {
				t.Errorf("%s: %s", r.Verdict, r.Reason)
			}
			found := strings.HasPrefix(r.Reason, test.says)
			for _, f := range r.Findings {
				found = found || f.Severity != oracle.Notice && strings.Contains(f.Got, test.says)
			}
			if !found {
				t.Errorf("nothing says %q: %s, %+v", test.says, r.Reason, r.Findings)
			}
			// Three time-outs, of each worker, and as much for what is put back.
			if most := int64(2 * 2 * 3 * workers); failed.Load() > most {
				t.Errorf("%d requests failed, want at most %d", failed.Load(), most)
			}
			for _, f := range r.Findings {
				if f.Severity == oracle.Violation && f.Clause != "HTTP-1" && f.Check != "transport" {
					t.Errorf("%s in %s: %s", f.Clause, f.Case, f.Got)
				}
			}
		})
	}
}
