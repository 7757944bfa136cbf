package reference_test

import (
	"net/http/httptest"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/suites/report"
)

// TestReferenceConforms runs the suite on the reference. make mutants runs it, and no other
// test, on each mutant of the reference's source, and expects it to fail.
func TestReferenceConforms(t *testing.T) {
	if testing.Short() {
		t.Skip("the test of suites with this name shows the same")
	}
	world := fixtures.DefaultWorld()
	server, err := reference.New(reference.Options{World: world})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	site := httptest.NewServer(server)
	defer site.Close()
	r, err := engine.Execute(t.Context(), engine.NewConfig(world.Target(site.URL+"/v2")))
	if err != nil || r.Verdict != report.Conforming || r.Level != report.Complete {
		t.Fatalf("%v: %s", err, render.VerdictLine(r))
	}
}
