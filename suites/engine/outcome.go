package engine

import (
	"cmp"
	"slices"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// Results are the outcomes of the cases that ran, in order.
func (b *book) Results() []*Result {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.results)
}

// Observations are the choices seen at open points, by point.
func (b *book) Observations() []*Observation {
	var all []*Observation
	for _, point := range sortedKeys(b.observed) {
		all = append(all, b.observed[point])
	}
	return all
}

// Answered is the number of complete responses.
func (b *book) Answered() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.answered
}

// How many requests may get lost one after another before an operation, and
// before the whole target, is taken not to answer any more. On a target that
// never answered fewer do, of two operations: one alone may be to blame.
const (
	hangingAfter, hangingAtFirst = 3, 2
	goneAfter                    = 6
)

// Gone says that the target cannot be reached, or no longer, and why.
func (b *book) Gone() (string, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.lost) == 0 {
		return "", false
	}
	last := b.lost[len(b.lost)-1].Err
	if b.answered == 0 && (nobodyThere(last.Kind) || len(b.hanging) > 1) || b.inARow >= goneAfter {
		return lossInWords(last), true
	}
	return "", false
}

// nobodyThere says whether a failure is the same for every request to the
// target: one operation cannot be to blame.
func nobodyThere(k wire.Kind) bool {
	switch k {
	case wire.DNS, wire.Refused, wire.Unreachable, wire.Proxy, wire.TLS:
		return true
	}
	return false
}

// silent says whether an operation gives no answers any more.
func (b *book) silent(op *spec.Operation) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	after := hangingAfter
	if b.answered == 0 {
		after = hangingAtFirst
	}
	return b.hanging[op.ID] >= after
}

// LastLost is why the last answer that was lost was lost, "" when none was.
func (b *book) LastLost() string {
	if ex := b.lastLost(); ex != nil {
		return ex.Err.Error()
	}
	return ""
}

// Lost is the number of requests without a complete response.
func (b *book) Lost() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.lost)
}

// Judged says in how many cases a clause was judged.
func (b *book) Judged(clause string) int {
	if t := b.judged[clause]; t != nil {
		return len(t.cases)
	}
	return 0
}

// Groups are the findings of all results, one for each cause. The exemplar is the
// first seen; Cases has the cases of the others too, Seen counts them with it, Of
// how often the clause was judged on that operation.
func (b *book) Groups() []*Finding {
	groups := map[oracle.Cause]*Finding{}
	var order []*Finding
	for _, r := range b.results {
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
		if t := b.judged[g.Clause]; t != nil {
			g.Of = max(g.Of, t.of[g.Operation])
		}
	}
	slices.SortStableFunc(order, func(a, b *Finding) int {
		return cmp.Or(weight(a)-weight(b), b.Seen-a.Seen, cmp.Compare(a.Clause, b.Clause))
	})
	return order
}

func weight(f *Finding) int {
	switch f.Severity {
	case oracle.Violation:
		return 0
	case oracle.Transport:
		return 1
	}
	return 2
}

// JudgedIn lists the clauses that were judged in a case.
func (b *book) JudgedIn(caseID string) []string {
	var ids []string
	for _, id := range sortedKeys(b.judged) {
		if b.judged[id].cases[caseID] {
			ids = append(ids, id)
		}
	}
	return ids
}
