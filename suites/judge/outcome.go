package judge

import (
	"cmp"
	"maps"
	"slices"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/testcase"
	"github.com/adconform/adconform/suites/wire"
)

// Results are the outcomes of the cases that ran, in order.
func (b *Outcome) Results() []*testcase.Result {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.ByCase)
}

// Observations are the choices seen at open points, by point.
func (b *Outcome) Observations() []*Observation {
	var all []*Observation
	for _, point := range slices.Sorted(maps.Keys(b.observed)) {
		all = append(all, b.observed[point])
	}
	return all
}

// Judged is what a run judged of a clause on an operation.
type Judged struct {
	Clause, Operation string
	Cases             int    // in which it was
	Times             int    // it was, in all
	Hidden            string // why that is not enough: the target hides the rest
}

// Judged lists what was judged, by clause and operation.
func (b *Outcome) Judged() []Judged {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []Judged
	for at, n := range b.coverage {
		if len(n.cases) > 0 || n.hidden != "" {
			all = append(all, Judged{at.clause, at.operation, len(n.cases), n.times, n.hidden})
		}
	}
	slices.SortFunc(all, func(a, b Judged) int {
		return cmp.Or(cmp.Compare(a.Clause, b.Clause), cmp.Compare(a.Operation, b.Operation))
	})
	return all
}

// Groups are the findings of all results, one for each cause. The exemplar is the
// first seen, where it counts if it does anywhere; Cases has the cases of the others too, Seen counts them with it, Of
// how often the clause was judged on that operation.
func (b *Outcome) Groups() []*oracle.Finding {
	groups := map[oracle.Cause]*oracle.Finding{}
	var order []*oracle.Finding
	for _, r := range b.ByCase {
		for _, f := range r.Findings {
			k := f.Cause()
			g := groups[k]
			if g == nil {
				g = &oracle.Finding{}
				groups[k] = g
				order = append(order, g)
			}
			switch {
			case g.ID == "" || f.Counts() && !g.Counts():
				*g = *f
				g.Seen, g.Cases = 0, nil
			case g.Counts() && !f.Counts():
				continue // it would count in no case that is not one of the edition
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

// JudgedIn lists the clauses that were judged in a case.
func (b *Outcome) JudgedIn(caseID string) []string {
	var ids []string
	for at, n := range b.coverage {
		if n.cases[caseID] {
			ids = append(ids, at.clause)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// broke says whether a clause was broken on an operation.
func (b *Outcome) broke(clause string, op *spec.Operation) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.ByCase, func(r *testcase.Result) bool {
		return slices.ContainsFunc(r.Findings, func(f *oracle.Finding) bool { return f.Clause == clause && f.Operation == op.ID })
	})
}

// Broken says whether the target did anything that it must not.
func (b *Outcome) Broken() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.ByCase, func(r *testcase.Result) bool { return r.Status == testcase.Failed })
}

// Forgets says whether an operation was seen not to keep what it was told.
func (b *Outcome) Forgets(op *spec.Operation) bool {
	return b.broke(op.Effects["persists"], op) || b.broke("EFFECT-1", op) || b.broke("EFFECT-2", op)
}

// RefusesOwner says whether an operation answered the owner's key with 401.
func (b *Outcome) RefusesOwner(op *spec.Operation) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refusedBy[op.ID]
}

// RefusedBySome says whether any operation did so.
func (b *Outcome) RefusedBySome() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.refusedBy) > 0
}

// Note counts an exchange that no case judges.
func (b *Outcome) Note(ex *wire.Exchange) {
	b.Count(ex)
	if ex.Err == nil {
		b.Liveness.Answer(ex, "")
	}
}
