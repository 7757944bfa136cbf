package judge

import (
	"github.com/adconform/adconform/spec"
)

func (b *Outcome) RefusesOwner(op *spec.Operation) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refusedBy[op.ID]
}

func (b *Outcome) RefusedBySome() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.refusedBy) > 0
}
