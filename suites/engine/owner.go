package engine

import (
	"context"
	"sync"

	"github.com/adconform/adconform/spec"
)

// ownerKey is what was found out of the owner's key.
type ownerKey struct {
	mu sync.Mutex // is held while OwnerRefused asks
	refused    *bool
}

// OwnerRefused says whether the target refuses the owner's key with 401 in all
// of these operations: then the key is wrong, and every other case would say so
// again. One operation that takes it shows that the others are at fault. Those
// that were not asked yet are asked once, for ids that nobody has.
func (s *Session) OwnerRefused(ctx context.Context, ops []*spec.Operation) bool {
	s.shared.owner.mu.Lock() // whoever comes meanwhile waits for what is found out
	defer s.shared.owner.mu.Unlock()
	if s.shared.owner.refused != nil {
		return *s.shared.owner.refused
	}
	if s.Model.Outcome.OwnerTaken() || !s.Model.Outcome.refusedBySome() {
		return false
	}
	for _, op := range ops {
		if s.Model.Outcome.refusesOwner(op) || s.shared.readOnly && (op.Updates() || op.Deletes()) {
			continue
		}
		c := &Case{ID: op.ID + "/preflight/owner-key", Operation: op}
		t := s.aside(ctx, c, c.ID)
		if t.ask(t.toNobody(op), Expect{}); !s.Model.Outcome.refusesOwner(op) {
			break
		}
	}
	refused := !s.Model.Outcome.OwnerTaken() && ctx.Err() == nil
	for _, op := range ops {
		refused = refused && (s.Model.Outcome.refusesOwner(op) || s.shared.readOnly)
	}
	s.shared.owner.refused = &refused
	return refused
}

func (b *Outcome) refusesOwner(op *spec.Operation) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refusedBy[op.ID]
}

func (b *Outcome) refusedBySome() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.refusedBy) > 0
}

// toNobody is the owner's well-formed request for an id that nobody has.
func (t *T) toNobody(op *spec.Operation) Call {
	c := Call{Op: op, As: t.Test.Model.Owner()}
	for i := range op.Params {
		c.Path = append(c.Path, t.Test.Model.UnknownID(i))
	}
	if op.Updates() {
		c.Body = ObjectBody(op.Body, t.ordinary(op, 0))
	}
	return c
}
