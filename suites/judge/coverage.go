package judge

import (
	"cmp"
	"slices"
)

// about is what is judged: a clause on an operation.
type about struct{ clause, operation string }

// coverage counts the judgements of a clause on an operation.
type coverage struct {
	cases  map[string]bool
	times  int
	hidden string // why what was judged is not enough, see hide
}

// coverageOf is the coverage of a clause on an operation. The book is locked.
func (b *Outcome) coverageOf(clause, operation string) *coverage {
	n := b.coverage[about{clause, operation}]
	if n == nil {
		n = &coverage{cases: map[string]bool{}}
		b.coverage[about{clause, operation}] = n
	}
	return n
}

// cover counts a judgement of a clause on an operation.
func (b *Outcome) cover(clause, caseID, operation string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.coverageOf(clause, operation)
	n.cases[caseID] = true
	n.times++
}

// hide notes that the target hides a part of what a clause is about, so that what
// was judged does not show that it holds. Of several reasons one is kept, whoever
// came first.
func (b *Outcome) hide(clause, operation, reason string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.coverageOf(clause, operation)
	if n.hidden == "" || reason < n.hidden {
		n.hidden = reason
	}
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
