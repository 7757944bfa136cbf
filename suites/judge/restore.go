package judge

import (
	"slices"

	"github.com/adconform/adconform/spec"
)

// broke says whether a clause was broken on an operation.
func (b *Outcome) broke(clause string, op *spec.Operation) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.ByCase, func(r *Result) bool {
		return slices.ContainsFunc(r.Findings, func(f *Finding) bool { return f.Clause == clause && f.Operation == op.ID })
	})
}

// broken says whether the target did anything that it must not.
func (b *Outcome) Broken() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.ByCase, func(r *Result) bool { return r.Status == Failed })
}

// forgets says whether an operation was seen not to keep what it was told.
func (s *Model) Forgets(op *spec.Operation) bool {
	return s.Outcome.broke(op.Effects["persists"], op) || s.Outcome.broke("EFFECT-1", op) || s.Outcome.broke("EFFECT-2", op)
}
