package selftest

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/suites/report"
)

// allCaught is the result of a self-test that is as it has to be.
func allCaught(t *testing.T) *Result {
	t.Helper()
	contract := reftest.Contract(t)
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

// The published figure is that of the faults and variants that there are. That it is true
// is for `adconform selftest` to show.
func TestPublishedFigureIsFresh(t *testing.T) {
	g := NewWithT(t)
	proof, want := report.Proved(), allCaught(t)
	if !reflect.DeepEqual(proof.Faults, want.published()) {
		t.Errorf("figure.json is of %d faults, and not of the %d that there are: run make selftest-figure", proof.Faults.Of, want.Faults.Of)
	}
	g.Expect(proof.Variants).To(Equal(report.Share{Of: want.Variants.Of, Good: want.Variants.Good}),
		"figure.json is not of these variants: run make selftest-figure")
	if proof.Quick != nil {
		g.Expect(proof.Quick.Of).To(Equal(want.Faults.Of), "figure.json has depth quick of other faults: measure it again")
	}
	if proof.Ablation != nil {
		g.Expect(proof.Ablation.Faults).To(Equal(want.Faults.Of), "figure.json has an ablation of other faults: run make selftest-ablation")
	}
}

// quotes are where a page says a figure.
func quotes(p *report.Proof) []struct{ file, place, says string } {
	f := p.Figure()
	lines := []string{fmt.Sprintf("- It **catches %d of %d seeded faults** (%s)\n  and **flags %d of %d conforming variants**.",
		f.Caught, f.Faults, f.Severities(), f.Flagged, f.Variants)}
	if p.Mutants != nil {
		lines = append(lines, fmt.Sprintf("- It **kills %d of %d source mutants**: one-token changes of the reference's own code.",
			f.Killed, f.Mutants))
	}
	if p.Ablation != nil {
		lines = append(lines, fmt.Sprintf("- Each of %d keys of a complete target file is taken out in turn: **%d of %d faults are missed**\n"+
			"  by a run that is then called complete.", p.Ablation.Keys, p.Ablation.Missed, p.Ablation.Faults))
	}
	return []struct{ file, place, says string }{
		{
			"../../README.md", `(?s)<!-- figures, by make generate -->\n.*?<!-- end of figures -->`,
			"<!-- figures, by make generate -->\n" + strings.Join(lines, "\n") + "\n<!-- end of figures -->",
		},
		{"../../docs/traffic.md", `conforming variants, \d+ of them`, fmt.Sprintf("conforming variants, %d of them", f.Variants)},
	}
}

func TestFiguresOfPagesAreFresh(t *testing.T) {
	g := NewWithT(t)
	for _, q := range quotes(report.Proved()) {
		data, err := os.ReadFile(q.file)
		g.Expect(err).NotTo(HaveOccurred())
		if *update {
			data = regexp.MustCompile(q.place).ReplaceAllLiteral(data, []byte(q.says))
			g.Expect(os.WriteFile(q.file, data, 0o644)).To(Succeed())
		}
		g.Expect(string(data)).To(ContainSubstring(q.says), "%s says another figure: run make generate", q.file)
	}
}

// A part of the figure is written apart from the others.
func TestFigureKeepsItsOtherParts(t *testing.T) {
	g := NewWithT(t)
	file := t.TempDir() + "/figure.json"
	g.Expect(os.WriteFile(file, []byte(`{"mutants": {"of": 9, "good": 8, "listed": 3}}`), 0o644)).To(Succeed())
	r := allCaught(t)
	g.Expect(r.write(file)).To(Succeed())
	r.Depth = "quick"
	g.Expect(r.write(file)).To(Succeed())
	data, err := os.ReadFile(file)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(data)).To(And(ContainSubstring(`"good": 8`), ContainSubstring(`"quick": {`), ContainSubstring(`"variants": {`)))
	g.Expect(os.WriteFile(file, []byte(`[]`), 0o644)).To(Succeed())
	g.Expect(r.write(file)).To(MatchError(ContainSubstring("is no figure of the self-test")))
}
