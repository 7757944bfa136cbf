package k6_test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/k6"
	"github.com/adconform/adconform/suites/specs"
	"github.com/adconform/adconform/suites/testcase"
	"github.com/adconform/adconform/suites/wire"
)

const basePath = "/v2"

// serve serves a world and returns its base URL.
func serve(t *testing.T, world fixtures.World) string {
	t.Helper()
	return reftest.Serve(t, reftest.New(t, world, nil))
}

// plan is the script of a target, of those cases that match.
func plan(t *testing.T, target *fixtures.Target, depth testcase.Depth, match func(*testcase.Case) bool) *k6.Script {
	t.Helper()
	world, simulated := target.Simulated()
	simulated.BaseURL = serve(t, world)
	c := suites.NewConfig(simulated)
	c.Contract = reftest.Contract(t)
	var wanted []*testcase.Case
	for _, cs := range specs.Plan(c.Contract, target, depth) {
		if match == nil || match(cs) {
			wanted = append(wanted, cs)
		}
	}
	s, err := k6.New(t.Context(), k6.Options{Config: c, Cases: wanted, Target: target})
	must(t, err)
	return s
}

// fewer are, with -short, the cases of these operations.
func fewer(operations string) func(*testcase.Case) bool {
	return func(c *testcase.Case) bool {
		return !testing.Short() || slices.Contains(strings.Fields(operations), c.Operation.ID)
	}
}

// text is a script as it is written.
func text(t *testing.T, s *k6.Script) string {
	t.Helper()
	var b bytes.Buffer
	must(t, s.Write(&b))
	return b.String()
}

// once is the environment for every case one time, on a default world.
func once(baseURL string) map[string]string {
	keys := fixtures.DefaultWorld().Target(baseURL).Credentials
	return map[string]string{"BASE_URL": baseURL, "ADCONFORM_OWNER_KEY": keys.Owner, "ADCONFORM_STRANGER_KEY": keys.Stranger, "PASSES": "1"}
}

// small is a world without object sets, and its target file.
func small() (fixtures.World, *fixtures.Target) {
	world := fixtures.WorldWithObjectSets(0)
	return world, world.Target("http://127.0.0.1:8080" + basePath)
}

// faulty serves the small world with a seeded fault, or as a conforming variant.
func faulty(t *testing.T, id string) string {
	t.Helper()
	world, _ := small()
	return reftest.Serve(t, reftest.With(t, world, id))
}

// log is what reached a server.
type log struct {
	mu       sync.Mutex
	requests []request
}

type request struct {
	caseID, method, path, key, body string
	header                          string // what else a case may change
}

// wrap notes each request on its way.
func (l *log) wrap(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		l.mu.Lock()
		l.requests = append(l.requests, request{
			r.Header.Get(wire.CaseHeader), r.Method, r.URL.RequestURI(), strings.Join(r.Header.Values(fixtures.DefaultKeyHeader), "|"), string(body),
			r.Header.Get("Accept") + " " + r.Header.Get("Content-Type"),
		})
		l.mu.Unlock()
		h.ServeHTTP(w, r)
	})
}

// byCase are the requests by case, as they came.
func (l *log) byCase() map[string][]request {
	all := map[string][]request{}
	for _, r := range l.requests {
		all[r.caseID] = append(all[r.caseID], r)
	}
	return all
}
