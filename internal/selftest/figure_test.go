package selftest

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/suites/report"
)

var update = flag.Bool("update", false, "write the figure into README.md again")

// The published figure is that of the faults and variants that there are, and
// the README says the same. That it is true is for `adconform selftest` to show.
func TestPublishedFigureIsFresh(t *testing.T) {
	figure := report.SelfTest()
	if n := len(faults.All(loaded(t))); figure.Faults != n || figure.Caught != n {
		t.Errorf("figure.json says %d of %d faults, there are %d: run make selftest-figure", figure.Caught, figure.Faults, n)
	}
	if n := len(faults.Variants()); figure.Variants != n || figure.Flagged != 0 {
		t.Errorf("figure.json says %d of %d variants, there are %d: run make selftest-figure", figure.Flagged, figure.Variants, n)
	}
	const file = "../../README.md"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sentence := regexp.MustCompile(`catches \d+ of \d+ seeded faults and flags \d+ of \d+ conforming variants`)
	if *update {
		data = sentence.ReplaceAll(data, []byte(figure.String()))
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(string(data), figure.String()) {
		t.Errorf("README.md does not say that the suite %s: run make generate", figure)
	}
}
