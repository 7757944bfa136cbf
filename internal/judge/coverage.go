package judge

import (
	"cmp"
	"maps"
	"slices"
)

// about identifies what is judged: a clause on an operation.
type about struct{ clause, operation string }

// Judged counts the judgements of a clause on an operation.
type Judged struct {
	Clause, Operation string
	Cases             map[string]bool // cases in which it was judged
	Times             int             // number of judgements
	Hidden            string          // why they do not show that the clause holds, or ""
}

// judged passes the judgements of a clause on an operation to change.
func (b *Outcome) judged(clause, operation string, change func(*Judged)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := about{clause, operation}
	if b.coverage[at] == nil {
		b.coverage[at] = &Judged{Clause: clause, Operation: operation, Cases: map[string]bool{}}
	}
	change(b.coverage[at])
}

// cover counts a judgement of a clause on an operation.
func (b *Outcome) cover(clause, caseID, operation string) {
	b.judged(clause, operation, func(n *Judged) {
		n.Cases[caseID] = true
		n.Times++
	})
}

// uncover takes back the judgement of a clause in the case of a finding that is dropped.
func (b *Outcome) uncover(f *Finding) {
	if n := b.coverage[about{f.Clause, f.Operation}]; n != nil {
		delete(n.Cases, f.Case)
	}
}

// hide notes that the target hides a part of what a clause is about, so that its judgements do not show that it holds.
// The alphabetically first reason is kept.
func (b *Outcome) hide(clause, operation, reason string) {
	b.judged(clause, operation, func(n *Judged) {
		n.Hidden = min(reason, cmp.Or(n.Hidden, reason))
	})
}

// Judged returns all judgements, in any order.
func (b *Outcome) Judged() []*Judged {
	b.mu.Lock()
	defer b.mu.Unlock()
	isEmpty := func(n *Judged) bool {
		return len(n.Cases) == 0 && n.Hidden == ""
	}
	return slices.DeleteFunc(slices.Collect(maps.Values(b.coverage)), isEmpty)
}
