package suites_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
)

// notFoundWhenEmpty answers 404 for the list of a container that is empty.
func notFoundWhenEmpty(server http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		server.ServeHTTP(answer, r)
		if answer.Code == http.StatusOK && strings.Contains(answer.Body.String(), `"totalCount":0`) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":{"responseCode":404,"issues":[]}}`)
			return
		}
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
}

// A container that an earlier run emptied is there and has no list to show.
func TestAnEmptiedContainerWithoutAListIsNoFinding(t *testing.T) {
	for _, files := range reftest.Few(1, [][]int64{{241}, {241, 242}}) {
		target := serve(t, notFoundWhenEmpty(bundled(t)))
		target.Objects.EmptyVastCreative = nil
		remove(t, target, append(allDisposables(target), files...)...)
		if v := violations(execute(t, suites.NewConfig(target))); len(v) > 0 {
			t.Errorf("without %v: %s", files, strings.Join(v, "\n"))
		}
	}
}

// What the target file names and nobody has is the operator's mistake, whatever
// else of it is there.
func TestWhatWasNeverThereIsNoFinding(t *testing.T) {
	target := serve(t, bundled(t))
	o := &target.Objects
	o.Campaign.ID, o.ConnectionProfileRuleHost.ID, o.VastCreative.ID = 2500, 5600, 2000
	o.DisposableCreatives[0].ID, o.DisposableVastCreatives[0].ID = 3010, 2400
	r := execute(t, suites.NewConfig(target))
	if v := violations(r); len(v) > 0 {
		t.Error(strings.Join(v, "\n"))
	}
	if r.ExitCode != 3 {
		t.Errorf("exit code %d: %s", r.ExitCode, r.Reason)
	}
	for _, c := range r.Results {
		if strings.HasPrefix(c.ID, "updateCampaign/success/") && c.Status != judge.NotTested {
			t.Errorf("%s %s: %s", c.ID, c.Status, c.Reason)
		}
	}
}
