package suites_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
)

// TestAwaitedResultsAreFinal: the end of a run repeats cases and adds to their
// results, while a spec may be reading one.
func TestAwaitedResultsAreFinal(t *testing.T) {
	c := suites.NewConfig(serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, "{}")
	})))
	c.Depth = judge.Quick
	found := map[string]int{}
	c.Progress = func(_, _ int, r *judge.Result) { found[r.Case.ID] = len(r.Findings) }
	run, err := suites.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if r := run.Report(); r.Cases.Failed < 5 {
		t.Fatalf("%+v: too little to repeat", r.Cases)
	}
	for id, n := range found {
		if r := run.Await(id); !r.Tentative && len(r.Findings) != n {
			t.Errorf("%s: %d findings when it ended, %d when awaited", id, n, len(r.Findings))
		}
	}
}
