package spec_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/adconform/adconform/spec"
)

// An integer is written as a number, everything else as a text.
func TestIDIsWrittenAndReadBack(t *testing.T) {
	for id, want := range map[spec.ID]string{
		"310": "310", "0": "0", "-7": "-7", "310-340": `"310-340"`, "007": `"007"`, "1e3": `"1e3"`, "": `""`,
		"99999999999999999999": `"99999999999999999999"`, "0b5c9d0e-7a1f-4c7e-9f43-0d4f3c1b2a10": `"0b5c9d0e-7a1f-4c7e-9f43-0d4f3c1b2a10"`,
	} {
		data, err := json.Marshal(id)
		if err != nil || string(data) != want {
			t.Errorf("%q is written as %s, want %s (%v)", string(id), data, want, err)
		}
		var back spec.ID
		if err := json.Unmarshal(data, &back); err != nil || back != id {
			t.Errorf("%s is read as %q: %v", data, string(back), err)
		}
		text, _ := yaml.Marshal([]spec.ID{id})
		var list []any
		if err := yaml.Unmarshal(text, &list); err != nil || len(list) != 1 {
			t.Errorf("%q is written as %s", string(id), text)
		}
	}
	if err := json.Unmarshal([]byte("true"), new(spec.ID)); err == nil {
		t.Error("true is read as an id")
	}
}

// Integers are ordered by value, and come before texts.
func TestIDsAreOrdered(t *testing.T) {
	ids := []spec.ID{"teal", "10", "amber", "9", "100"}
	slices.SortFunc(ids, spec.ID.Compare)
	if diff := cmp.Diff([]spec.ID{"9", "10", "100", "amber", "teal"}, ids); diff != "" {
		t.Error(diff)
	}
}
