package main

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/adconform/adconform/spec"
)

// TestMain lets this program be the one that openApart starts.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args, "-serve") {
		if err := serve(context.Background()); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

func TestFigure(t *testing.T) {
	f := newFigure([]float64{5, 1, 4, 2, 3})
	if f != (Figure{Median: 3, Low: 2, High: 4, Rounds: 5}) {
		t.Errorf("got %+v", f)
	}
	if got := f.String(); got != "3.00 (2.00 to 4.00)" {
		t.Errorf("got %q", got)
	}
	if got := newFigure([]float64{0.0123}).String(); got != "0.012" {
		t.Errorf("got %q", got)
	}
}

// The bare loop sends what the suite sent, and says when it is answered otherwise.
func TestBareLoop(t *testing.T) {
	requests, err := recordRun(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, sees := range []func(request) bool{
		func(q request) bool { return q.method == "PATCH" && len(q.body) > 0 && q.status == 200 },
		func(q request) bool { return q.method == "DELETE" && q.alone && q.status == 204 },
		func(q request) bool { return q.header.Get("X-Api-Key") == "" && q.status == 401 },
		func(q request) bool { return q.method == "GET" && !q.alone },
	} {
		if !slices.ContainsFunc(requests, sees) {
			t.Error("the recording lacks a kind of request that every run sends")
		}
	}
	s, err := open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	bare := newLoop(requests)
	if took, err := bare.run(t.Context(), s.target.BaseURL, 1); err != nil || took <= 0 {
		t.Fatalf("took %v: %v", took, err)
	}
	// What was deleted is gone.
	if _, err := bare.run(t.Context(), s.target.BaseURL, 1); err == nil || !strings.Contains(err.Error(), "answered otherwise") {
		t.Errorf("without a reset: %v", err)
	}
	if err := s.reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := bare.run(t.Context(), s.target.BaseURL, 1); err != nil {
		t.Errorf("after a reset: %v", err)
	}
}

// Each step can be measured, and judging on recorded answers goes the recorded way.
func TestSteps(t *testing.T) {
	f, err := measureSteps(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range sections[1].rows {
		if f[r.id].Median <= 0 {
			t.Errorf("%s is %v", r.id, f[r.id])
		}
	}
}

func TestListsAreRight(t *testing.T) {
	if _, err := measureLists(t.Context(), 1); err != nil {
		t.Error(err)
	}
}

// A multiplied document has every operation as often, and a reference for each.
func TestMultiplied(t *testing.T) {
	text, err := multiplied(3)
	if err != nil {
		t.Fatal(err)
	}
	clauses, points, err := otherDocuments()
	if err != nil {
		t.Fatal(err)
	}
	contract, err := spec.New(text, clauses, points)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(contract.Operations); n != 15 {
		t.Errorf("%d operations", n)
	}
	if _, err := runMultiplied(t.Context(), 3, contract); err != nil {
		t.Error(err)
	}
}

func TestCostOfASample(t *testing.T) {
	stack := func(innermostFirst ...string) *profile.Sample {
		var s profile.Sample
		for _, name := range innermostFirst {
			s.Location = append(s.Location, &profile.Location{Line: []profile.Line{{Function: &profile.Function{Name: name}}}})
		}
		return &s
	}
	for want, s := range map[string]*profile.Sample{
		"oracle": stack("runtime.mallocgc", "encoding/json.Unmarshal", suitesPackage+"/oracle.(*judging).read", suitesPackage+"/engine.(*T).Send"),
		"engine": stack("runtime.mapassign", suitesPackage+"/engine.(*T).Send", suitesPackage+".start.func2"),
		"ginkgo": stack("runtime.mallocgc", "github.com/onsi/ginkgo/v2/internal.NewNode", "main.main"),
		"gc":     stack("runtime.scanObject", "runtime.gcBgMarkWorker"),
		"http":   stack("syscall.write", "net/http.(*persistConn).writeLoop"),
		"rest":   stack("os.Open", "main.main"),
	} {
		if got := costOf(s); got != want {
			t.Errorf("%v belongs to %s, want %s", s.Location[0].Line[0].Function.Name, got, want)
		}
	}
}
