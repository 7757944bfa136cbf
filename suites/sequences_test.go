package suites_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
)

// onlySequences selects the random sequences.
func onlySequences(c *suites.Config) *suites.Config {
	c.Depth, c.Select = judge.Deep, func(cs *judge.Case) bool { return cs.Class == judge.ClassRandom }
	return c
}

// failsWhen answers 500 to some requests.
func failsWhen(server http.Handler, when func(r *http.Request, field func(name string) string) bool) http.Handler {
	return instead(server, func(r *http.Request) bool {
		var body map[string]any
		_ = json.Unmarshal([]byte(bodyOf(r)), &body)
		return when(r, func(name string) string { text, _ := body[name].(string); return text })
	}, answering(http.StatusInternalServerError, errorBody(http.StatusInternalServerError)))
}

// Random sequences find failures of requests that no case sends, and shrink them to the request that triggers
// the failure, with the simplest such value. Then they go on. A replay of the report finds the same failures.
func TestSequencesFindWhatNobodyListed(t *testing.T) {
	var updates, drift atomic.Int64
	for _, row := range reftest.Few(1, []struct {
		name  string
		serve func(http.Handler) http.Handler
		shows []string // texts of findings, each of another finding
	}{
		{"texts", func(h http.Handler) http.Handler {
			return failsWhen(h, func(r *http.Request, field func(string) string) bool {
				name := field("name")
				return strings.HasSuffix(name, "😀") && utf8.RuneCountInString(name) > 20
			})
		}, []string{"31 characters"}},
		{"a count that drifts", func(h http.Handler) http.Handler {
			return altered(h, func(r *http.Request, answer *httptest.ResponseRecorder) {
				if r.Method == http.MethodPatch && answer.Code == http.StatusOK {
					updates.Add(1)
				}
				if r.Method == http.MethodGet && updates.Load() > 100 {
					body := strings.Replace(answer.Body.String(), `"totalCount":`, `"totalCount":1`, 1)
					answer.Body.Reset()
					io.WriteString(answer.Body, body)
				}
			})
		}, []string{"totalCount"}},
		{"a refused request that is made, two operations away", func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodDelete {
					drift.Store(1)
				}
				if text := bodyOf(r); drift.Load() == 1 && strings.Contains(r.URL.Path, "/campaigns/") && strings.Contains(text, `"}`) {
					drift.Store(0)
					r.Body = io.NopCloser(strings.NewReader(strings.Replace(text, `"}`, `?"}`, 1)))
					r.ContentLength = -1
				}
				h.ServeHTTP(w, r)
			})
		}, []string{"?"}},
	}) {
		t.Run(row.name, func(t *testing.T) {
			c := onlySequences(suites.NewConfig(serve(t, row.serve(bundled(t)))))
			r := execute(t, c)
			told := slices.Collect(func(yield func(string) bool) {
				for _, f := range r.Findings {
					yield(f.Title + ": expected " + f.Expected + ", got " + f.Got)
				}
			})
			for _, words := range row.shows {
				if !slices.ContainsFunc(told, func(text string) bool { return strings.Contains(text, words) }) {
					t.Errorf("no finding says %q, but\n%s", words, strings.Join(told, "\n"))
				}
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
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range again.Cases {
				if want := map[bool]suites.ReplayStatus{true: suites.NotReplayed, false: suites.Failing}[a.Case == old]; a.Status != want {
					t.Errorf("a replay of %s: %s %s", a.Case, a.Status, a.Reason)
				}
			}
		})
	}
}
