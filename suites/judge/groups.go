package judge

import (
	"cmp"
	"slices"

	"github.com/adconform/adconform/suites/oracle"
)

// Groups are the findings of all results, one for each cause. The exemplar is the
// first seen; Cases has the cases of the others too, Seen counts them with it, Of how often the clause was judged on that operation.
func (b *Outcome) Groups() []*oracle.Finding {
	groups := map[oracle.Cause]*oracle.Finding{}
	var order []*oracle.Finding
	for _, r := range b.ByCase {
		for _, f := range r.Findings {
			k := f.Cause()
			g := groups[k]
			if g == nil {
				first := *f
				g = &first
				g.Seen, g.Cases = 0, nil
				groups[k] = g
				order = append(order, g)
			}
			g.Seen += max(1, f.Seen) // a monitor counts in the first
			if !slices.Contains(g.Cases, f.Case) {
				g.Cases = append(g.Cases, f.Case)
			}
		}
	}
	for _, g := range order {
		g.Of = g.Seen
		if t := b.coverage[about{g.Clause, g.Operation}]; t != nil {
			g.Of = max(g.Of, t.times)
		}
	}
	slices.SortStableFunc(order, func(a, b *oracle.Finding) int {
		return cmp.Or(weight(a)-weight(b), b.Seen-a.Seen, cmp.Compare(a.Clause, b.Clause))
	})
	return order
}

func weight(f *oracle.Finding) int {
	switch f.Severity {
	case oracle.Violation:
		return 0
	case oracle.Transport:
		return 1
	}
	return 2
}
