package judge

import (
	"maps"
	"slices"
)

// about is what is judged: a clause on an operation.
type about struct{ clause, operation string }

// Judged is what a run judged of a clause on an operation.
type Judged struct {
	Clause, Operation string
	Cases             map[string]bool // in which it was
	Times             int             // it was, in all
	Hidden            string          // why that is not enough: the target hides the rest
}

// judged is what was judged of a clause on an operation so far. The outcome is locked.
func (b *Outcome) judged(clause, operation string) *Judged {
	at := about{clause, operation}
	if b.coverage[at] == nil {
		b.coverage[at] = &Judged{Clause: clause, Operation: operation, Cases: map[string]bool{}}
	}
	return b.coverage[at]
}

// cover counts a judgement of a clause on an operation.
func (b *Outcome) cover(clause, caseID, operation string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.judged(clause, operation)
	n.Cases[caseID] = true
	n.Times++
}

// hide notes that the target hides a part of what a clause is about, so that what
// was judged does not show that it holds. Of several reasons the first in the alphabet is kept.
func (b *Outcome) hide(clause, operation, reason string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := b.judged(clause, operation); n.Hidden == "" || reason < n.Hidden {
		n.Hidden = reason
	}
}

// Judged lists what was judged, in any order.
func (b *Outcome) Judged() []*Judged {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.DeleteFunc(slices.Collect(maps.Values(b.coverage)), func(n *Judged) bool { return len(n.Cases) == 0 && n.Hidden == "" })
}

// JudgedIn lists the clauses that were judged in a case.
func (b *Outcome) JudgedIn(caseID string) (clauses []string) {
	for _, n := range b.Judged() {
		if n.Cases[caseID] && !slices.Contains(clauses, n.Clause) {
			clauses = append(clauses, n.Clause)
		}
	}
	slices.Sort(clauses)
	return clauses
}
