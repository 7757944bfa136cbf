package judge

import (
	"testing"

	"github.com/adconform/adconform/suites/oracle"
)

// A finding of any check has a cause in words.
func TestEveryCheckHasWords(t *testing.T) {
	for _, c := range append(oracle.Checks(), Checks...) {
		f := Finding{Check: c.ID, Clause: "ERR-4", Expected: "status 422", Got: "status 200"}
		if Words(&f) == "" {
			t.Errorf("%s has no words", c.ID)
		}
	}
}
