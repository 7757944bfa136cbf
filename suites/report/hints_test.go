package report_test

import (
	"testing"

	"github.com/adconform/adconform/suites/report"
)

func TestHintsCanBeRead(t *testing.T) {
	seen := map[string]bool{}
	for _, h := range report.Hints() {
		if h.ID == "" || h.Text == "" || len(h.When) == 0 || seen[h.ID] {
			t.Errorf("%+v", h)
		}
		seen[h.ID] = true
	}
}
