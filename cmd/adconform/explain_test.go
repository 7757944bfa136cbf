package main

import (
	"io"
	"testing"

	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
)

func TestExplainKnowsEveryWord(t *testing.T) {
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range explainable(contract) {
		if testing.Short() && !faults.Sampled(word, 32) {
			continue
		}
		cmd := explainCommand(&app{Stdout: io.Discard})
		cmd.SetArgs([]string{word})
		if err := cmd.Execute(); err != nil {
			t.Errorf("%s: %v", word, err)
		}
	}
}
