package suites_test

import (
	"net"
	"net/http"
	"strings"
	"testing"

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
