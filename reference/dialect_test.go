package reference_test

import (
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
	for _, body := range []string{
		`{"name":"a`, `["a"]`, `{"name":"\ud800"}`, "{\"name\":\"\xff\"}", `{"name":"a","name":"b"}`, strings.Repeat("a", 1<<20+1),
	} {
		next := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			got, err := io.ReadAll(r.Body)
			if tooLarge := len(body) > 1<<20; tooLarge != (err != nil) || !tooLarge && (string(got) != body || r.ContentLength != int64(len(body))) {
				t.Errorf("%.40q: %d bytes of %d that were announced, %v: %.40q", body, len(got), r.ContentLength, err, got)
			}
		})
		r := httptest.NewRequest(http.MethodPatch, "/v2/campaigns/25", strings.NewReader(body))
		reference.Dialect(next, contract, contract).ServeHTTP(httptest.NewRecorder(), r)
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
