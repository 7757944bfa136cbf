package main

import (
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
)

// TestFaultsArePrepared: a fault that needs other choices gets them.
func TestFaultsArePrepared(t *testing.T) {
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	prepared := 0
	for _, f := range faults.All(contract) {
		if f.Choices == nil || prepared == 3 { // a few are enough: each is looked up among all
			continue
		}
		prepared++
		want := reference.DefaultChoices()
		f.Choices(&want)
		var options reference.Options
		on, err := disguise{fault: f.ID}.put(fixtures.DefaultWorld(), &options)
		if err != nil || options.Choices != want || len(on.pins) != len(f.Pins) {
			t.Fatalf("%s: %+v, %+v (%v)", f.ID, options.Choices, on, err)
		}
	}
	if prepared == 0 {
		t.Error("no fault has choices")
	}
}
