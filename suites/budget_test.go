package suites_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/testcase"
)

// within runs the suite with a budget against a handler, and says how many requests that got.
func within(t *testing.T, requests int, h http.Handler, with ...func(*suites.Config)) (*report.Report, int) {
	t.Helper()
	var got atomic.Int64
	c := suites.NewConfig(serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got.Add(1)
		h.ServeHTTP(w, r)
	})))
	c.Budget.Requests = requests
	for _, change := range with {
		change(c)
	}
	r := execute(t, c)
	return r, int(got.Load())
}

// tested are the cases that were run and the clauses that were judged.
func tested(r *report.Report) map[string]bool {
	all := map[string]bool{}
	for _, c := range r.Results {
		if c.Status != testcase.NotTested {
			all["case "+c.ID] = true
		}
	}
	for _, c := range r.Clauses {
		if c.Status != report.NotTested {
			all["clause "+c.ID+" "+c.Operation] = true
		}
	}
	return all
}

func missing(of, in map[string]bool) []string {
	var left []string
	for id := range of {
		if !in[id] {
			left = append(left, id)
		}
	}
	slices.Sort(left)
	return left
}

// whole is a budget that is enough for every case.
const whole = 1000

// More budget never tests less, and none is exceeded.
func TestBudgetsGrowInCasesAndClauses(t *testing.T) {
	kinds := map[string]func(*suites.Config){
		"":          func(*suites.Config) {},
		"read-only": func(c *suites.Config) { c.ReadOnly = true },
		"one set":   func(c *suites.Config) { c.Target.ObjectSets = nil },
		"partial":   func(c *suites.Config) { c.Target.Objects.OtherCampaign, c.Target.Credentials.Stranger = nil, "" },
		"nameless":  func(c *suites.Config) { nameless(c.Target) },
		"at once":   func(c *suites.Config) { c.Target.Limits.Concurrency = 8 },
	}
	for kind, with := range kinds {
		if testing.Short() && kind != "" && kind != "at once" {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			before := map[string]bool{}
			for n := 1; n <= whole; {
				r, got := within(t, n, bundled(t), with)
				if got > n || r.Requests > n {
					t.Fatalf("a budget of %d requests: %d came, and the report says %d", n, got, r.Requests)
				}
				now := tested(r)
				if less := missing(before, now); len(less) > 0 {
					t.Fatalf("a budget of %d requests does not test what a smaller one did: %s", n, less)
				}
				for _, c := range r.Changes {
					if !c.Restored && c.Change != "deleted" {
						t.Fatalf("a budget of %d requests: %+v", n, c)
					}
				}
				n++
				if !slices.ContainsFunc(r.Results, func(c report.Case) bool { return strings.HasPrefix(c.Reason, "the budget of") }) {
					if kind == "" && (r.Verdict != report.Conforming || r.Cases.NotTested > 0) {
						t.Fatalf("a budget of %d requests, and %d came: %s, %s", n-1, got, r.Verdict, r.Reason)
					}
					break // all is tested
				}
				switch before = now; {
				case testing.Short():
					n += 1 + 2*n
				default:
					n += 1 + n/9
				}
			}
		})
	}
}

// What makes the suite ask again (findings, doubts, losses, a rate limit, what cannot be
// put back) is within the budget, too.
func TestNoServerMakesABudgetSpendMore(t *testing.T) {
	contract := reftest.Contract(t)
	servers := map[string]func(http.Handler) http.Handler{
		"fails all writes": refusing(func(r *http.Request) bool { return r.Method != http.MethodGet }, 500),
		"fails every third": func(h http.Handler) http.Handler {
			var n atomic.Int64
			return refusing(func(*http.Request) bool { return n.Add(1)%3 == 0 }, 503)(h)
		},
		"limits every second": func(h http.Handler) http.Handler {
			var n atomic.Int64
			return refusing(func(*http.Request) bool { return n.Add(1)%2 == 0 }, 429)(h)
		},
		"limits all writes": refusing(func(r *http.Request) bool { return r.Method != http.MethodGet }, 429),
		"knows no object":   refusing(func(*http.Request) bool { return true }, 404),
		"forbids all":       refusing(func(*http.Request) bool { return true }, 403),
		"knows no key":      refusing(func(*http.Request) bool { return true }, 401),
	}
	one := 11
	if testing.Short() {
		one = 110
	}
	for _, f := range faults.All(contract) {
		first, _, _ := strings.Cut(f.ID, "/")
		kinds := []string{"effect", "refused", "permission", "life", "intermittent", "transport", "delete"}
		if slices.Contains(kinds, first) && faults.Sampled(f.ID, one) {
			servers[f.ID] = nil
		}
	}
	for name, wrap := range servers {
		if testing.Short() && name == "limits all writes" { // waits for three quarters of a minute
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			budgets := []int{1, 2, 3, 4, 7, 13, 29, 60, 101, 300}
			if testing.Short() || name == "limits all writes" {
				budgets = []int{4, 29, 60}[:reftest.Of(3, 2)]
			}
			for _, n := range budgets {
				h := bundled(t)
				if wrap != nil {
					h = wrap(h)
				} else {
					h = faulty(t, name)
				}
				r, got := within(t, n, h)
				if got > n {
					t.Errorf("a budget of %d requests, and %d came", n, got)
				}
				for _, c := range r.Changes {
					if !c.Restored && c.Change != "deleted" && c.Reason == "" {
						t.Errorf("a budget of %d requests: %+v without a reason", n, c)
					}
				}
			}
		})
	}
}

// refusing answers some requests with a status.
func refusing(some func(*http.Request) bool, status int) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !some(r) {
				h.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"error": {"responseCode": %d, "issues": []}}`, status)
		})
	}
}
