package suites_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// What is dropped as the operator's mistake does not come back with the cases
// that are run again for what else they found.
func TestADroppedDoubtStaysDroppedWhenACaseIsRepeated(t *testing.T) {
	server := bundled(t)
	target := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(wire.CaseHeader) != "updateCampaign/state/two-at-once" {
			server.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		server.ServeHTTP(answer, r)
		body := bytes.Replace(answer.Body.Bytes(), []byte(`"adspecId"`), []byte(`"adspec"`), 1)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(answer.Code)
		_, _ = w.Write(body)
	}))
	// With its values known, so that it may be written to.
	target.Objects.OtherCampaign = &fixtures.Object{ID: 2500, Values: map[string]any{"name": "Not there"}}
	r := execute(t, suites.NewConfig(target))
	if r.Verdict != report.Nonconforming {
		t.Fatalf("%s: %s", r.Verdict, r.Reason)
	}
	for _, f := range r.Findings {
		if f.Clause == "EFFECT-3" {
			t.Errorf("%s in %s: expected %s, got %s", f.Clause, f.Case, f.Expected, f.Got)
		}
	}
}
