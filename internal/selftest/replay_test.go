package selftest

import (
	"context"
	"net/http"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/report"
)

// What a run found in a case shows again when the case is sent again to a
// server with the same fault, and not to one without.
func TestReplayTellsStillFailingFromFixed(t *testing.T) {
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	const every = 400 // of some three thousand
	replayed := 0
	for i, f := range faults.All(contract) {
		if i%every != 5 {
			continue
		}
		r, err := suites.Execute(t.Context(), suites.NewConfig(faulty(t, contract, &f)))
		if err != nil {
			t.Fatal(err)
		}
		var failed []report.Case
		for _, c := range r.Results {
			if c.Status == engine.Failed && len(failed) < 2 {
				failed = append(failed, c)
			}
		}
		for target, want := range map[*fixtures.Target]suites.ReplayStatus{
			faulty(t, contract, &f): suites.StillFailing, faulty(t, contract, nil): suites.Fixed,
		} {
			all, err := suites.Replay(t.Context(), suites.NewConfig(target), failed)
			if err != nil {
				t.Fatal(err)
			}
			for _, got := range all {
				replayed++
				if got.Status != want {
					t.Errorf("%s: %s is %s after %d tries, not %s: %s", f.ID, got.Case, got.Status, got.Tries, want, got.Reason)
				}
			}
		}
	}
	if replayed < 10 {
		t.Errorf("only %d cases were replayed", replayed)
	}
}

// faulty is a reference with a fault, or without.
func faulty(t *testing.T, contract *spec.Contract, f *faults.Fault) *fixtures.Target {
	t.Helper()
	world := fixtures.DefaultWorld()
	env := faults.NewEnv(contract, world)
	choices := reference.DefaultChoices()
	if f != nil && f.Choices != nil {
		f.Choices(&choices)
	}
	server, err := reference.New(context.WithoutCancel(t.Context()), reference.Options{World: world, Choices: choices})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	var handler http.Handler = server
	if f != nil {
		handler = f.Wrap(handler, env)
	}
	url, stop, err := listen(handler, &panicLog{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	target := world.Target(url + env.BasePath)
	target.Limits.Timeout = answerTime
	if f != nil {
		target.Open = f.Pins
	}
	return target
}
