// Package embedding is an example: the conformance suite in a vendor's own tests. Copy it, and put your handler in
// place of the bundled reference.
package embedding

import (
	"net/http/httptest"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

func TestConformance(t *testing.T) {
	server := httptest.NewServer(vendorHandler(t)) // filled with objects of two users
	defer server.Close()

	// What the suite may use there. fixtures.Load("target.yaml", os.LookupEnv) reads the same from a
	// file. go test does not cache the result of this test, as the server may change.
	target := fixtures.DefaultWorld().Target(server.URL + "/v2")

	suites.Run(t, target, func(c *suites.Config) {
		c.Bases = []spec.Basis{spec.Stated, spec.Published, spec.Standard} // what may fail the test
		c.Require = report.Complete                                        // it has to test everything
	})
}
