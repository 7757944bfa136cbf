package selftest

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/suites/report"
)

var update = flag.Bool("update", false, "write the figures of README.md and the pages again")

// The published figure is that of the faults and variants that there are. That it is true
// is for `adconform selftest` to show.
func TestPublishedFigureIsFresh(t *testing.T) {
	contract := reftest.Contract(t)
	var outcomes []Outcome
	for _, f := range faults.All(contract) {
		outcomes = append(outcomes, Outcome{ID: f.ID, Kind: "fault", Severity: f.Severity, Verdict: Caught})
	}
	for _, v := range faults.Variants() {
		outcomes = append(outcomes, Outcome{ID: v.ID, Kind: "variant", Verdict: Passed})
	}
	NewWithT(t).Expect(report.SelfTest()).To(Equal(newResult(contract, outcomes).published()),
		"figure.json is not of the faults and variants that there are: run make selftest-figure")
}

// Pages say the figure as it is.
func TestFiguresOfPagesAreFresh(t *testing.T) {
	g := NewWithT(t)
	f := report.SelfTest()
	figures := fmt.Sprintf("<!-- figures, by make generate -->\n- It **catches %d of %d seeded faults** (%s)\n"+
		"  and **flags %d of %d conforming variants**.\n<!-- end of figures -->",
		f.Caught, f.Faults, f.Severities(), f.Flagged, f.Variants)
	place := regexp.MustCompile(`(?s)<!-- figures, by make generate -->\n.*?<!-- end of figures -->`)
	for _, page := range []string{"../../README.md", "../../docs/proof.md"} {
		data, err := os.ReadFile(page)
		g.Expect(err).NotTo(HaveOccurred())
		if *update {
			data = place.ReplaceAllLiteral(data, []byte(figures))
			g.Expect(os.WriteFile(page, data, 0o644)).To(Succeed())
		}
		g.Expect(string(data)).To(ContainSubstring(figures), "%s says another figure: run make generate", page)
	}
}
