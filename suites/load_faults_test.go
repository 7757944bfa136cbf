package suites_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/load"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/testcase"
)

// mixing shows one of the campaigns in the place of another while at least so
// many are updated at once.
func mixing(atOnce int64) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		var underWay atomic.Int64
		var last atomic.Pointer[[]byte]
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPatch || !strings.Contains(r.URL.Path, "/campaigns/") {
				h.ServeHTTP(w, r)
				return
			}
			n := underWay.Add(1)
			defer underWay.Add(-1)
			answer := httptest.NewRecorder()
			h.ServeHTTP(answer, r)
			body := answer.Body.Bytes()
			if answer.Code == http.StatusOK {
				if before := last.Swap(&body); before != nil && max(n, underWay.Load()) >= atOnce {
					body = *before
				}
			}
			for name, values := range answer.Header() {
				if name != "Content-Length" {
					w.Header()[name] = values
				}
			}
			w.WriteHeader(answer.Code)
			w.Write(body)
		})
	}
}

// A case sends two at once at most, so three at once are only there under load.
func TestAFaultThatNeedsLoadIsFoundAndCalledSo(t *testing.T) {
	const workers = 6
	requests := 8000
	if testing.Short() {
		requests = 2000
	}
	for name, c := range map[string]struct {
		atOnce int64
		found  bool
	}{"mixes answers": {3, true}, "does not": {1 << 40, false}} {
		if testing.Short() && !c.found { // TestTheReferencePassesUnderLoad is another that does not
			continue
		}
		t.Run(name, func(t *testing.T) {
			config := suites.NewConfig(loaded(t, workers, mixing(c.atOnce)))
			config.Select = func(cs *testcase.Case) bool { return cs.Operation.ID == "updateCampaign" }
			quiet := *config
			quiet.StopEarly = true // one case after another
			if r := execute(t, &quiet); len(r.Findings) > 0 {
				t.Fatalf("it shows without load: %s %s", r.Verdict, r.Reason)
			}
			result, r := runLoad(t, config, suites.Load{VirtualUsers: workers, Requests: requests})
			if found := result.Verdict == load.Failed; found != c.found || found != (result.ExitCode == report.ExitNonconforming) ||
				found != (r.Verdict == report.Nonconforming) {
				t.Fatalf("%s: %s, exit code %d", result.Verdict, result.Reason, result.ExitCode)
			}
			if !c.found {
				return
			}
			if f := result.Findings[0]; !f.OnlyUnderLoad || f.Quiet != 0 || f.Seen == 0 || f.Operation != "updateCampaign" || f.Curl == "" {
				t.Errorf("%+v", f)
			}
			if !strings.Contains(result.Reason, "only under load") || result.OnlyUnderLoad() == 0 {
				t.Errorf("reason %q", result.Reason)
			}
		})
	}
}

// changing changes the answers to updates of the campaigns with these ids.
func changing(ids string, change func(http.ResponseWriter, []byte)) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, id, ok := strings.Cut(r.URL.Path, "/campaigns/")
			if !ok || r.Method != http.MethodPatch || !strings.Contains(ids, id) {
				h.ServeHTTP(w, r)
				return
			}
			answer := httptest.NewRecorder()
			h.ServeHTTP(answer, r)
			if answer.Code != http.StatusOK {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(answer.Code)
				w.Write(answer.Body.Bytes())
				return
			}
			w.Header().Set("Content-Type", "application/json")
			change(w, answer.Body.Bytes())
		})
	}
}

func withoutType(w http.ResponseWriter, body []byte) {
	w.Write(bytes.Replace(body, []byte(`"type"`), []byte(`"kind"`), 1))
}

// What is wrong anyway is told so, also where only another virtual user's object shows it.
func TestAFaultThatNeedsNoLoadIsCalledSo(t *testing.T) {
	for objectSet, object := range []func(*fixtures.Target) *fixtures.Object{
		func(t *fixtures.Target) *fixtures.Object { return t.Objects.Campaign },
		func(t *fixtures.Target) *fixtures.Object { return t.Objects.Campaign },
	} {
		world := fixtures.DefaultWorld()
		id := string(must(json.Marshal(object(world.Target("http://a")).ID)))
		config := suites.NewConfig(loaded(t, 2, changing(id, withoutType)))
		config.Select = func(cs *testcase.Case) bool { return cs.Operation.ID == "updateCampaign" }
		result, _ := runLoad(t, config, suites.Load{VirtualUsers: 2, Requests: reftest.Of(600, 300)})
		if result.Verdict != load.Failed || len(result.Findings) == 0 {
			t.Fatalf("lane %d: %s: %s", objectSet, result.Verdict, result.Reason)
		}
		for _, f := range result.Findings {
			if f.OnlyUnderLoad || f.Quiet == 0 {
				t.Errorf("lane %d: %s is called one that needs load: %+v", objectSet, f.Cause(), f)
			}
		}
	}
}
