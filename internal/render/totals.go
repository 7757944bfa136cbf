package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// FigureWords returns the figure in words.
func FigureWords(f report.Figure) string {
	return fmt.Sprintf("catches %d of %d seeded faults (%s) and flags %d of %d conforming variants",
		f.Caught, f.Faults, Severities(f), f.Flagged, f.Variants)
}

// Severities returns the number of faults of each severity: "414 critical, 1327 major, 2003 minor".
func Severities(f report.Figure) string {
	var parts []string
	for _, g := range f.Severity {
		parts = append(parts, fmt.Sprintf("%d %s", g.Of, g.ID))
	}
	return strings.Join(parts, ", ")
}

// Counted says which bases count in a run that ignores violations of others: "only stated and standard count";
// "" if all violations count.
func Counted(r *report.Report) string {
	isIgnored := func(b spec.Basis) bool {
		return b != spec.Chosen && !report.IsCounted(r.Bases, b)
	}
	if !slices.ContainsFunc(spec.Bases(), isIgnored) {
		return ""
	}
	var words []string
	for _, basis := range spec.Bases() {
		if slices.Contains(r.Bases, basis) {
			words = append(words, string(basis))
		}
	}
	return fmt.Sprintf("only %s %s", wording.List(words),
		map[bool]string{true: "counts", false: "count"}[len(words) == 1])
}

// Totals returns each clause once, with its status on all operations together: broken if
// any operation broke it, otherwise held if any held it.
func Totals(r *report.Report) (all []report.Clause) {
	worth := func(c report.Clause) int {
		if c.Status == report.NotTested && c.Cause == report.ByOperator {
			return 1
		}
		return map[report.Status]int{report.Broken: 3, report.Held: 2}[c.Status]
	}
	for _, c := range r.Clauses {
		i := slices.IndexFunc(all,
			func(one report.Clause) bool { return one.ID == c.ID })
		if i < 0 {
			all = append(all, c)
			continue
		}
		cases := all[i].Cases + c.Cases
		if worth(c) > worth(all[i]) {
			all[i] = c
		}
		all[i].Operation = report.AllOperations
		all[i].Cases = cases
	}
	return all
}
