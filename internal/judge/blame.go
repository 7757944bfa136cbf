package judge

import (
	"slices"

	"github.com/adconform/adconform/internal/oracle"
)

// No case changes the result of another. What an answer in one case shows of another is kept aside, with the name of
// that case, until no case runs any more, or findings are grouped: then attribute adds it to the result.

// blamed is a finding that belongs to the result of another case than the one that saw it.
type blamed struct {
	*Finding
	result   *Result
	replaces *Finding           // of the result, or nil
	held     []TentativeFinding // if it is tentative
}

// blame keeps a finding aside for the result of another case.
func (b *Outcome) blame(one blamed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.aside = append(b.aside, one)
}

// attribute adds what was kept aside to the results.
func (b *Outcome) attribute() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, one := range b.aside {
		r := b.ofCase(one.result)
		if i := slices.Index(r.Findings, one.replaces); i >= 0 {
			r.Findings = slices.Clone(r.Findings)
			r.Findings[i] = one.Finding
		} else {
			r.Findings = append(r.Findings, one.Finding)
		}
		for _, d := range one.held {
			d.Result = r
			r.Tentative = append(r.Tentative, d)
		}
		if one.Severity == oracle.Violation {
			r.Status = Failed
		}
	}
	b.aside = nil
}

// ofCase returns the result of the case that a result is about, if it is that of a trial, which is dropped.
func (b *Outcome) ofCase(r *Result) *Result {
	isOfCase := func(other *Result) bool { return other.Case.ID == r.Case.ID }
	if i := slices.IndexFunc(b.ByCase, isOfCase); i >= 0 {
		return b.ByCase[i]
	}
	return r
}
