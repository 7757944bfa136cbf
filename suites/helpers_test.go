package suites_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

var noError = reftest.NoError

// bundled returns the reference over the default world.
func bundled(t testing.TB) http.Handler {
	t.Helper()
	return reftest.New(t, fixtures.DefaultWorld(), nil)
}

// serve serves a handler on loopback and returns its target file.
func serve(t testing.TB, h http.Handler) *fixtures.Target {
	t.Helper()
	return fixtures.DefaultWorld().Target(reftest.Serve(t, h))
}

// holding returns the reference, which does not answer the requests of a case.
func holding(t testing.TB, caseID string, held func()) http.HandlerFunc {
	server := bundled(t)
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(wire.CaseHeader) != caseID {
			server.ServeHTTP(w, r)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body) // or net/http would not notice the end of the connection
		held()
		<-r.Context().Done()
	}
}

// withShort sets depth quick if the test runs with -short.
func withShort(c *suites.Config) {
	if testing.Short() {
		c.Depth = report.Quick
	}
}

// selecting selects the cases that have a text in their id.
func selecting(text string) func(*suites.Config) {
	return func(c *suites.Config) {
		c.Select = func(cs report.Case) bool { return strings.Contains(cs.ID, text) }
	}
}
