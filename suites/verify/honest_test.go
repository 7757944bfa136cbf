package verify_test

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/baseline"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/testcase"
	"github.com/adconform/adconform/suites/verify"
)

// everyNth lets a handler do something else with each nth request.
func everyNth(n int64, instead http.HandlerFunc) func(http.Handler) http.Handler {
	var seen atomic.Int64
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if seen.Add(1)%n == 0 {
				instead(w, r)
				return
			}
			h.ServeHTTP(w, r)
		})
	}
}

func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func halfAnAnswer(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "100")
	w.Write([]byte(`{"data":`))
	panic(http.ErrAbortHandler)
}

func tooMany(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", "0")
	w.WriteHeader(http.StatusTooManyRequests)
}

func unavailable(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", "0")
	w.WriteHeader(http.StatusServiceUnavailable)
}

// honest are runs as users make them, and servers as they are.
var honest = []struct {
	name   string
	wrap   func(http.Handler) http.Handler
	change func(*suites.Config)
}{
	{"quick", nil, func(c *suites.Config) { c.Depth = testcase.Quick }},
	{"deep", nil, func(c *suites.Config) { c.Depth, c.Seed = testcase.Deep, 7 }},
	{"one at a time", nil, func(c *suites.Config) { c.Target.Limits.Concurrency = 1 }},
	{"sixteen workers", nil, func(c *suites.Config) { c.Target.Limits.Concurrency = 16 }},
	{"read-only", nil, func(c *suites.Config) { c.ReadOnly = true }},
	{"selection", nil, func(c *suites.Config) {
		c.Select = refusals
	}},
	{"stated only", nil, func(c *suites.Config) { c.Bases, c.Strict = []spec.Basis{spec.Stated}, true }},
	{"no stranger", nil, func(c *suites.Config) { c.Target.Credentials.Stranger = "" }},
	{"no objects", nil, func(c *suites.Config) {
		c.Target.Objects, c.Target.Foreign = fixtures.Objects{}, fixtures.Foreign{}
	}},
	{"wrong key", nil, func(c *suites.Config) { c.Target.Credentials.Owner = "0123456789012345" }},
	{"wrong key of one sign", nil, func(c *suites.Config) { c.Target.Credentials.Owner = "-" }},
	{"another header", nil, func(c *suites.Config) { c.Target.Credentials.Header = "X-Token" }},
	{"check switched off", nil, func(c *suites.Config) { c.Disabled = []string{"status"} }},
	{"pinned", nil, func(c *suites.Config) { c.Target.Open = fixtures.Pins{"malformedID": int64(400)} }},
	{"nobody there", nil, func(c *suites.Config) { c.Target.BaseURL = "http://127.0.0.1:1/v2" }},
	{"another path", nil, func(c *suites.Config) { c.Target.BaseURL += "/beside" }},
	{"rate limit", everyNth(9, tooMany), nil},
	{"unavailable", everyNth(30, unavailable), nil},
	{"one answer lost", everyNth(600, hangUp), nil},
	{"answers lost", everyNth(40, hangUp), nil},
	{"answers cut off", everyNth(35, halfAnAnswer), nil},
	{"all lost", everyNth(1, hangUp), nil},
}

func TestHonestReports(t *testing.T) {
	for _, h := range reftest.Few(4, honest) {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			change := h.change
			if change == nil {
				change = func(*suites.Config) {}
			}
			must(t, written(t, serve(t, h.wrap), change))
		})
	}
}

// must says why a report is not verified.
func must(t *testing.T, dir string) *verify.Result {
	t.Helper()
	r := verified(t, dir)
	if r.Status != verify.Verified {
		t.Errorf("%s (%s): %q", r.Status, r.Claims.Verdict, r.Reasons[:min(len(r.Reasons), 6)])
	}
	return r
}

// refusals are the cases of wrong keys.
func refusals(cs *testcase.Case) bool { return cs.Class == testcase.Class401 }

func TestKnownFindings(t *testing.T) {
	const fault = "refused/401-any-key/updateCampaign"
	c := suites.NewConfig(faulty(t, fault))
	if testing.Short() {
		c.Select = refusals
	}
	r, err := suites.Execute(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	tomorrow := baseline.Date{Time: time.Now().AddDate(0, 0, 1).UTC().Truncate(24 * time.Hour)}
	known := &baseline.Baseline{File: "known.yaml"}
	for _, f := range append(slices.Clone(r.Findings), oracle.Finding{Check: "status", Operation: "updateCampaign", Clause: "AUTH-1"}) {
		known.Entries = append(known.Entries, &baseline.Entry{
			Cause: f.Cause(), Cases: f.Cases, Reason: "known", Expires: tomorrow,
		})
	}
	must(t, written(t, faulty(t, fault), func(again *suites.Config) { again.Baseline, again.Select = known, c.Select }))
}

func TestOverlay(t *testing.T) {
	text, err := os.ReadFile("../../docs/dialect.yaml")
	if err != nil {
		t.Fatal(err)
	}
	contract, err := spec.LoadOverlaid(text, "dialect.yaml")
	if err != nil {
		t.Fatal(err)
	}
	r := must(t, written(t, serve(t, nil), func(c *suites.Config) {
		c.Contract, c.Depth = contract, testcase.Depth(reftest.Of(int(testcase.Standard), int(testcase.Quick)))
	}))
	if r.Claims.Verdict == "" || !strings.HasSuffix(r.File, "report.json") {
		t.Errorf("%+v", r)
	}
}
