// Package reftest serves the bundled reference to tests: as it is, with other choices, with
// seeded faults, or as a conforming variant. What it starts ends with the test.
package reftest

import (
	"cmp"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/faults"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// New makes the reference for a world, with the choices that choose sets; nil for the default ones.
func New(tb testing.TB, world fixtures.World, choose func(*reference.Choices)) *reference.Server {
	tb.Helper()
	choices := reference.DefaultChoices()
	if choose != nil {
		choose(&choices)
	}
	server, err := reference.New(reference.Options{World: world, Choices: choices})
	NoError(tb, err)
	tb.Cleanup(func() { server.Close() })
	return server
}

// With makes the reference with faults and variants, by their ids; the last one is outermost.
func With(tb testing.TB, world fixtures.World, ids ...string) http.Handler {
	tb.Helper()
	contract := spec.Load()
	known := append(faults.All(contract), faults.Variants()...)
	servers := make([]faults.Server, len(ids))
	for i, id := range ids {
		var err error
		servers[i], err = faults.ByID(known, id)
		NoError(tb, err)
	}
	server := New(tb, world, func(c *reference.Choices) { *c = faults.Choices(servers...) })
	return faults.Env{Contract: contract, World: world}.Around(server, servers...)
}

// Serve serves a handler and returns the base URL of the reference. When the test ends it cuts the connections; a
// httptest.Server would wait for those that net/http closes late.
func Serve(tb testing.TB, h http.Handler) (baseURL string) {
	tb.Helper()
	listener, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	NoError(tb, err)
	server := &http.Server{Handler: h}
	go server.Serve(listener) //nolint:errcheck // until it is closed
	tb.Cleanup(func() { server.Close() })
	return "http://" + listener.Addr().String() + "/v2"
}

// Altered lets change read and rewrite a server's answer before it is sent.
func Altered(server http.Handler, change func(*http.Request, *httptest.ResponseRecorder)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		server.ServeHTTP(answer, r)
		change(r, answer)
		maps.Copy(w.Header(), answer.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes()) // the client may be gone
	}
}

// NoError fails the test at once on an error that is unrelated to its subject.
func NoError(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// Few returns the rows that a test tries: all of them, or n of them with -short, spread over the table.
func Few[R any](n int, rows []R) []R {
	some := make([]R, min(Of(len(rows), n), len(rows)))
	for i := range some {
		some[i] = rows[i*len(rows)/len(some)]
	}
	return some
}

// FewOf is Few for rows with names.
func FewOf[K cmp.Ordered, R any](n int, rows map[K]R) map[K]R {
	some := map[K]R{}
	for _, name := range Few(n, slices.Sorted(maps.Keys(rows))) {
		some[name] = rows[name]
	}
	return some
}

// Of returns how much to try: all, or less with -short.
func Of[V any](all, short V) V {
	if testing.Short() {
		return short
	}
	return all
}
