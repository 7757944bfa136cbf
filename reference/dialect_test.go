package reference_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// What is no JSON object that can be translated reaches the server as it was sent,
// so that it is refused as without a dialect.
func TestDialectLeavesWhatIsNoObject(t *testing.T) {
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	large := `{"name":"` + strings.Repeat("a", 1<<20) + `"}`
	for name, c := range map[string]struct {
		body  string
		sized bool
	}{
		"cut off":                 {`{"name":"a`, true},
		"an array":                {`["a"]`, true},
		"a lone surrogate":        {`{"name":"\ud800"}`, true},
		"no UTF-8":                {"{\"name\":\"\xff\"}", true},
		"a name twice":            {`{"name":"a","name":"b"}`, true},
		"too large":               {large, true},
		"too large, without size": {large, false},
	} {
		t.Run(name, func(t *testing.T) {
			var got string
			var length int64
			var failed error
			next := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				got, length, failed = string(body), r.ContentLength, err
			})
			r := httptest.NewRequest(http.MethodPatch, "/v2/campaigns/25", bytes.NewBufferString(c.body))
			if !c.sized {
				r.ContentLength = -1
			}
			sent := r.ContentLength
			reference.Dialect(next, contract, contract).ServeHTTP(httptest.NewRecorder(), r)
			whole := len(c.body) < len(large)
			if whole && (got != c.body || failed != nil || length != sent) || !whole && (failed == nil || length != sent && c.sized) {
				t.Errorf("%d bytes of %d that were announced, %v: %.40q", len(got), length, failed, got)
			}
		})
	}
}

// TestReferenceConforms runs the suite on the reference. make mutants runs it, and no other
// test, on each mutant of the reference's source: it has to fail.
func TestReferenceConforms(t *testing.T) {
	world := fixtures.DefaultWorld()
	server, err := reference.New(reference.Options{World: world})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	site := httptest.NewServer(server)
	defer site.Close()
	r, err := suites.Execute(t.Context(), suites.NewConfig(world.Target(site.URL+"/v2")))
	if err != nil || r.Verdict != report.Conforming || r.Level != report.Complete {
		t.Fatalf("%v: %s", err, report.VerdictLine(r))
	}
}
