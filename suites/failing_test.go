package suites_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

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
			func(n int64, _ *http.Request) bool { return n > 50 }, hang, report.Inconclusive,
			"the target stopped answering: the last request",
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
				if f.Severity == oracle.Violation && f.Clause != "HTTP-1" {
					t.Errorf("%s in %s: %s", f.Clause, f.Case, f.Got)
				}
			}
		})
	}
}
