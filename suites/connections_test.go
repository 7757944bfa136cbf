package suites_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
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
