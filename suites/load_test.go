package suites_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/load"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// loaded serves the reference over a world with so many sets of objects, with
// something round it.
func loaded(t testing.TB, sets int, wrap func(http.Handler) http.Handler) *fixtures.Target {
	t.Helper()
	world := fixtures.DefaultWorld()
	var h http.Handler = reftest.New(t, world, nil)
	if wrap != nil {
		h = wrap(h)
	}
	return world.Target(reftest.Serve(t, h))
}

func runLoad(t testing.TB, c *suites.Config, l suites.Load) (*load.Result, *report.Report) {
	t.Helper()
	result, r, err := suites.RunLoad(t.Context(), c, l)
	if err != nil {
		t.Fatal(err)
	}
	if r.ExitCode != result.ExitCode || r.Interrupted != (r.ExitCode == report.ExitInterrupted) {
		t.Errorf("report.json has exit code %d, load.json %d", r.ExitCode, result.ExitCode)
	}
	holds(t, load.SchemaJSON(), func(w io.Writer) error { return load.WriteJSON(w, result) })
	holds(t, report.SchemaJSON(), func(w io.Writer) error { return report.WriteJSON(w, r) })
	return result, r
}

// holds holds a file to its schema.
func holds(t testing.TB, schema []byte, write func(io.Writer) error) {
	t.Helper()
	var file bytes.Buffer
	if err := write(&file); err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", must(jsonschema.UnmarshalJSON(bytes.NewReader(schema)))); err != nil {
		t.Fatal(err)
	}
	if err := must(c.Compile("schema.json")).Validate(must(jsonschema.UnmarshalJSON(&file))); err != nil {
		t.Error(err)
	}
}

func TestTheReferencePassesUnderLoad(t *testing.T) {
	requests := reftest.Of(3000, 1500)
	result, r := runLoad(t, suites.NewConfig(loaded(t, 3, nil)), suites.Load{VirtualUsers: 3, Requests: requests})
	if result.Verdict != load.Passed || result.ExitCode != report.ExitConforming || r.Verdict != report.Conforming {
		t.Errorf("%s: %s (report: %s)", result.Verdict, result.Reason, r.Verdict)
	}
	for _, f := range result.Findings {
		t.Errorf("%s in %s: expected %s, got %s", f.Cause(), f.Case, f.Expected, f.Got)
	}
	if result.Exchanges < requests || result.Exchanges > requests+10 || result.Cases.Passed < requests/3 {
		t.Errorf("%d exchanges, %+v", result.Exchanges, result.Cases)
	}
	for _, l := range result.VirtualUsers {
		if l.Objects != "objects" || l.Requests == 0 || l.Cases < requests/12 {
			t.Errorf("%+v", l)
		}
	}
	if len(result.Operations) < 5 || result.Latency == nil || result.Latency.From != "start" {
		t.Errorf("%d operations, latency %+v", len(result.Operations), result.Latency)
	}
	if len(result.LeftOut) != 1 || !strings.Contains(result.LeftOut[0].Reason, "uses something up") {
		t.Errorf("left out: %+v", result.LeftOut)
	}
	for _, c := range result.Changes {
		if !c.Restored {
			t.Errorf("%s was not put back: %s", c.Object, c.Reason)
		}
	}
	if len(result.Changes) < 3*5 {
		t.Errorf("only %d objects were changed", len(result.Changes))
	}
}

// writes are the paths that each virtual user writes to, of those that no refusal saves.
type writes struct {
	mu      sync.Mutex
	workers map[string]map[int]bool // by path
}

func (w *writes) record(objectSet int, ex *wire.Exchange) {
	if ex.Request.Method == http.MethodGet || ex.Attempts == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.workers == nil {
		w.workers = map[string]map[int]bool{}
	}
	if w.workers[ex.Request.Path] == nil {
		w.workers[ex.Request.Path] = map[int]bool{}
	}
	w.workers[ex.Request.Path][objectSet] = true
}

// No two virtual users write to the same object, and virtual users without objects of their own
// write to none. Ids that nobody has are everybody's.
func TestLanesAreIsolated(t *testing.T) {
	var w writes
	target := loaded(t, 3, nil)
	named := map[string]bool{}
	for _, n := range target.Named() {
		named[strings.TrimSpace(string(must(json.Marshal(n.ID))))] = true
	}
	result, _ := runLoad(t, suites.NewConfig(target), suites.Load{VirtualUsers: 5, Requests: reftest.Of(4000, 1500), Record: w.record})
	all := map[int]bool{}
	for path, workers := range w.workers {
		known := true
		for i, part := range strings.Split(path, "/") {
			known = known && (i%2 == 1 || part == "" || named[part])
		}
		for objectSet := range workers {
			all[objectSet] = all[objectSet] || known
		}
		if known && len(workers) > 1 {
			t.Errorf("%s is written to by lanes %v", path, workers)
		}
	}
	if !all[0] || !all[1] || !all[2] || len(all) != 3 {
		t.Errorf("lanes that write: %v", all)
	}
	for _, l := range result.VirtualUsers[3:] {
		if l.Objects != "" || l.Requests == 0 {
			t.Errorf("a lane that only reads: %+v", l)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
