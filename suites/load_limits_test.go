package suites_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/load"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/testcase"
)

// busyNow answers every so many requests with 503, or hangs up.
func busyNow(every int64, fail func(http.ResponseWriter)) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		var n atomic.Int64
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n.Add(1)%every == 0 {
				io.Copy(io.Discard, r.Body)
				fail(w)
				return
			}
			h.ServeHTTP(w, r)
		})
	}
}

func hangUp(http.ResponseWriter) { panic(http.ErrAbortHandler) }

// A limit of errors says how many are borne; without one two lost answers fail a
// load as they fail a run.
func TestALimitSaysHowManyErrorsAreBorne(t *testing.T) {
	for _, c := range reftest.Few(3, []struct {
		limits string
		want   load.Verdict
	}{{"", load.Failed}, {"errors=5%", load.Passed}, {"errors=0.1%", load.Failed}, {"p99=1h", load.Failed}, {"max=1ns", load.Failed}}) {
		config := suites.NewConfig(loaded(t, 1, busyNow(150, hangUp)))
		config.Select = func(cs *testcase.Case) bool { return !cs.Writes }
		l := suites.Load{VirtualUsers: 2, Requests: 600}
		if c.limits != "" {
			l.Limits = []load.Limit{must(load.ReadLimit(c.limits))}
		}
		result, _ := runLoad(t, config, l)
		if result.Verdict != c.want || result.Lost == 0 || result.ErrorRate() <= 0.001 {
			t.Errorf("%q: %s: %s, %d lost", c.limits, result.Verdict, result.Reason, result.Lost)
		}
	}
}

// Answers that ask to wait are waited for and no errors, and have a limit of their
// own.
func TestAnswersThatAskToWaitAreCountedApart(t *testing.T) {
	later := func(w http.ResponseWriter) {
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusTooManyRequests)
	}
	config := suites.NewConfig(loaded(t, 1, busyNow(40, later)))
	config.Select = func(cs *testcase.Case) bool { return !cs.Writes }
	l := suites.Load{VirtualUsers: 2, Requests: 400, Limits: []load.Limit{must(load.ReadLimit("limited=0.1%"))}}
	result, _ := runLoad(t, config, l)
	if result.RateLimited < 5 || result.Lost+result.ServerErrors > 0 || result.Requests != result.Exchanges+result.RateLimited {
		t.Errorf("%+v", result.Counts)
	}
	if result.Verdict != load.Failed || !strings.HasPrefix(result.Reason, "limited ") {
		t.Errorf("%s: %s", result.Verdict, result.Reason)
	}
}

func TestTooLittleForALimitIsInconclusive(t *testing.T) {
	l := suites.Load{VirtualUsers: 1, Requests: 300, Limits: []load.Limit{must(load.ReadLimit("p99.9=1h"))}}
	if result, _ := runLoad(t, suites.NewConfig(loaded(t, 1, nil)), l); result.ExitCode != report.ExitInconclusive ||
		!strings.Contains(result.Reason, "too few requests") {
		t.Errorf("%s: %s, exit code %d", result.Verdict, result.Reason, result.ExitCode)
	}
}
