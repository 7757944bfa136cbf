package engine_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/suites/report"
)

const basePath = "/v2"

// choosing returns the reference over the default world, with other choices.
func choosing(t testing.TB, choose func(*reference.Choices)) http.Handler {
	t.Helper()
	return reftest.New(t, fixtures.DefaultWorld(), choose)
}

// bundled returns the reference over the default world.
func bundled(t testing.TB) http.Handler {
	t.Helper()
	return choosing(t, nil)
}

// readable returns the reference with GET for every object.
func readable(t *testing.T) http.Handler {
	t.Helper()
	return choosing(t, func(c *reference.Choices) { c.ReadAll = true })
}

// secretive returns a reference that shows no object before it is updated in full.
func secretive(t *testing.T) http.Handler {
	t.Helper()
	return choosing(t, func(c *reference.Choices) { c.Required = "." })
}

// faulty returns the reference with seeded faults.
func faulty(t *testing.T, ids ...string) http.Handler {
	t.Helper()
	return reftest.With(t, fixtures.DefaultWorld(), ids...)
}

// instead lets another handler answer the requests for which a condition holds.
func instead(server http.Handler, when func(*http.Request) bool, answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if when(r) {
			answer(w, r)
			return
		}
		server.ServeHTTP(w, r)
	}
}

// answering answers every request alike; a body is sent as JSON.
func answering(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if body != "" {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// errorBody returns an error object without issues.
func errorBody(status int) string {
	return fmt.Sprintf(`{"error":{"responseCode":%d,"issues":[]}}`, status)
}

func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// bodyOf returns the body of a request, which can be read again.
func bodyOf(r *http.Request) string {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return string(body)
}

// ofCase matches the requests of cases by the beginning of their id.
func ofCase(prefix string) func(*http.Request) bool {
	return func(r *http.Request) bool { return strings.HasPrefix(r.Header.Get(wire.CaseHeader), prefix) }
}

// serve serves a handler on loopback and returns its target file.
func serve(t testing.TB, h http.Handler) *fixtures.Target {
	t.Helper()
	return fixtures.DefaultWorld().Target(reftest.Serve(t, h))
}

func execute(t *testing.T, c *engine.Config) *report.Report {
	t.Helper()
	r, err := engine.Execute(t.Context(), c)
	noError(t, err)
	return r
}

// runOn makes a standard run on a server, with changes of its configuration.
func runOn(t *testing.T, handler http.Handler, options ...func(*engine.Config)) *report.Report {
	t.Helper()
	return runOf(t, serve(t, handler), options...)
}

// runOf makes a standard run on a target, with changes of its configuration.
func runOf(t *testing.T, target *fixtures.Target, options ...func(*engine.Config)) *report.Report {
	t.Helper()
	c := engine.NewConfig(target)
	for _, o := range options {
		o(c)
	}
	return execute(t, c)
}

func quick(c *engine.Config) { c.Depth = judge.Quick }

// withShort sets depth quick if the test runs with -short.
func withShort(c *engine.Config) {
	if testing.Short() {
		quick(c)
	}
}

// selecting selects the cases that have a text in their id.
func selecting(text string) func(*engine.Config) {
	return func(c *engine.Config) {
		c.Select = func(cs *judge.Case) bool { return strings.Contains(cs.ID, text) }
	}
}

func violations(r *report.Report) (texts []string) {
	for _, f := range r.Findings {
		if f.Severity == report.Violation {
			texts = append(texts, f.Case+" "+f.Clause+": "+f.Expected+", got "+f.Got)
		}
	}
	return texts
}

func noViolation(t *testing.T, name string, r *report.Report) {
	t.Helper()
	for _, v := range violations(r) {
		t.Errorf("%s: %s", name, v)
	}
}

func noFinding(t *testing.T, name string, r *report.Report) {
	t.Helper()
	for _, f := range r.Findings {
		t.Errorf("%s: %s %s %s: expected %s, got %s", name, f.Case, f.Clause, f.Pointer, f.Expected, f.Got)
	}
}

// putBack fails the test if a run left an object changed.
func putBack(t *testing.T, name string, r *report.Report) {
	t.Helper()
	for _, change := range r.Changes {
		if change.Change == "updated" && !change.Restored {
			t.Errorf("%s: %s was not put back: %s", name, change.Object, change.Reason)
		}
	}
}

var (
	noError = reftest.NoError
	altered = reftest.Altered
)
