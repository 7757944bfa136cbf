package faults_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adconform/adconform/internal/faults"
	"github.com/adconform/adconform/spec"
)

// A row that is renamed would be one that the suite has to find.
func TestUnfoundFaultsExist(t *testing.T) {
	listed, err := os.ReadFile("unfound.txt")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, f := range faults.Unfound(spec.Load()) {
		ids = append(ids, f.ID)
	}
	if diff := cmp.Diff(strings.Fields(string(listed)), ids); diff != "" {
		t.Errorf("unfound.txt lists what is not a fault, or not in order:\n%s", diff)
	}
}
