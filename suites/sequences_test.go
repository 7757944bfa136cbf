package suites_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// Random sequences find failures of requests that no case sends, and shrink them to the request that triggers
// the failure, with the simplest such value. Then they go on. A replay of the report finds the same failures.
func TestSequencesFindWhatNobodyListed(t *testing.T) {
	var drift atomic.Bool
	for _, row := range reftest.Few(1, []struct {
		name  string
		serve func(http.Handler) http.Handler
		shows string // in a finding
	}{
		{"texts", func(h http.Handler) http.Handler {
			return instead(h, func(r *http.Request) bool {
				var body struct{ Name string }
				_ = json.Unmarshal([]byte(bodyOf(r)), &body)
				return strings.HasSuffix(body.Name, "😀") && utf8.RuneCountInString(body.Name) > 20
			}, answering(500, errorBody(500)))
		}, "31 characters"},
		{"a refused request that is made, two operations away", func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodDelete {
					drift.Store(true)
				}
				if text := bodyOf(r); drift.Load() && strings.Contains(r.URL.Path, "/campaigns/") && strings.Contains(text, `"}`) {
					drift.Store(false)
					r.Body = io.NopCloser(strings.NewReader(strings.Replace(text, `"}`, `?"}`, 1)))
					r.ContentLength = -1
				}
				h.ServeHTTP(w, r)
			})
		}, "?"},
	}) {
		t.Run(row.name, func(t *testing.T) {
			c := suites.NewConfig(serve(t, row.serve(bundled(t))))
			c.Depth, c.Select = judge.Deep, func(cs *judge.Case) bool {
				return cs.Class == judge.ClassRandom && (row.name != "texts" || cs.Operation.ID == "updateCampaign")
			}
			r := execute(t, c)
			if !slices.ContainsFunc(r.Findings, func(f oracle.Finding) bool { return strings.Contains(f.Title+f.Expected+f.Got, row.shows) }) {
				t.Errorf("no finding says %q, but %q", row.shows, violations(r))
			}
			const old = "updateCampaign/401/of-another-version"
			r.Results = append(r.Results, report.Case{ID: old})
			failed := []string{old}
			for _, cs := range r.Results {
				if cs.Status == judge.Failed {
					failed = append(failed, cs.ID)
				}
			}
			again, err := suites.Replay(t.Context(), c, r, failed)
			noError(t, err)
			for _, a := range again.Cases {
				if want := map[bool]suites.ReplayStatus{true: suites.NotReplayed, false: suites.Failing}[a.Case == old]; a.Status != want {
					t.Errorf("a replay of %s: %s %s", a.Case, a.Status, a.Reason)
				}
			}
		})
	}
}
