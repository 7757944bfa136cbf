package selftest

import (
	"os"
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/suites/report"
)

// allCaught is the result of a self-test that is as it has to be.
func allCaught(t *testing.T) *Result {
	t.Helper()
	contract := loaded(t)
	var outcomes []Outcome
	for _, f := range faults.All(contract) {
		outcomes = append(outcomes, Outcome{
			ID: f.ID, Kind: "fault", Clause: f.Clause, Basis: contract.Clause(f.Clause).Basis, Severity: f.Severity, Source: f.Source,
			Verdict: Caught,
		})
	}
	for _, v := range faults.Variants() {
		outcomes = append(outcomes, Outcome{ID: v.ID, Kind: "variant", Verdict: Passed})
	}
	return newResult(contract, outcomes)
}

// The published figure is that of the faults and variants that there are, and
// the README says the same. That it is true is for `adconform selftest` to show.
func TestPublishedFigureIsFresh(t *testing.T) {
	g := NewWithT(t)
	proof, want := report.Proved(), allCaught(t)
	g.Expect(proof.Faults).To(Equal(want.published()), "figure.json is not of these faults: run make selftest-figure")
	g.Expect(proof.Variants).To(Equal(report.Share{Of: want.Variants.Of, Good: want.Variants.Good}),
		"figure.json is not of these variants: run make selftest-figure")
	const file = "../../README.md"
	data, err := os.ReadFile(file)
	g.Expect(err).NotTo(HaveOccurred())
	figure := proof.Figure()
	sentence := regexp.MustCompile(`catches \d+ of \d+ seeded faults[^*]* and flags \d+ of \d+ conforming variants`)
	if *update {
		data = sentence.ReplaceAll(data, []byte(figure.String()))
		g.Expect(os.WriteFile(file, data, 0o644)).To(Succeed())
	}
	if !strings.Contains(string(data), figure.String()) {
		t.Errorf("README.md does not say that the suite %s: run make generate", figure)
	}
}

// A part of the figure is written apart from the others.
func TestFigureKeepsItsOtherParts(t *testing.T) {
	g := NewWithT(t)
	file := t.TempDir() + "/figure.json"
	g.Expect(os.WriteFile(file, []byte(`{"mutants": {"of": 9, "good": 8, "listed": 3}}`), 0o644)).To(Succeed())
	r := allCaught(t)
	g.Expect(r.write(file)).To(Succeed())
	r.Budget = 60
	g.Expect(r.write(file)).To(Succeed())
	data, err := os.ReadFile(file)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(data)).To(And(ContainSubstring(`"good": 8`), ContainSubstring(`"requests": 60`), ContainSubstring(`"variants": {`)))
	g.Expect(os.WriteFile(file, []byte(`[]`), 0o644)).To(Succeed())
	g.Expect(r.write(file)).To(MatchError(ContainSubstring("is no figure of the self-test")))
}
