package session

import (
	"context"
	"sync"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
)

// ownerKey is what was found out of the owner's key.
type ownerKey struct {
	mu      sync.Mutex // is held while OwnerRefused asks
	refused *bool
}

// OwnerRefused says whether the target refuses the owner's key with 401 in all
// of these operations: then the key is wrong, and every other case would say so
// again. One operation that takes it shows that the others are at fault. Those
// that were not asked yet are asked once, for unknown ids.
func (s *Session) OwnerRefused(ctx context.Context, ops []*spec.Operation) bool {
	s.Shared.owner.mu.Lock() // whoever comes meanwhile waits for what is found out
	defer s.Shared.owner.mu.Unlock()
	if s.Shared.owner.refused != nil {
		return *s.Shared.owner.refused
	}
	if s.Model.Outcome.OwnerTaken() || !s.Model.Outcome.RefusedBySome() {
		return false
	}
	for _, op := range ops {
		if s.Model.Outcome.RefusesOwner(op) || s.Shared.ReadOnly && (op.Updates() || op.Deletes()) {
			continue
		}
		c := &judge.Case{ID: op.ID + "/preflight/owner-key", Operation: op}
		t := s.Aside(ctx, c, c.ID)
		if t.Ask(t.ToUnknownID(op), judge.Expect{}); !s.Model.Outcome.RefusesOwner(op) {
			break
		}
	}
	refused := !s.Model.Outcome.OwnerTaken() && ctx.Err() == nil
	for _, op := range ops {
		refused = refused && (s.Model.Outcome.RefusesOwner(op) || s.Shared.ReadOnly)
	}
	s.Shared.owner.refused = &refused
	return refused
}

// ToUnknownID is the owner's well-formed request for an unknown id.
func (t *T) ToUnknownID(op *spec.Operation) judge.Call {
	c := judge.Call{Op: op, As: t.Known().Owner(), Path: t.Known().UnknownObject(op).Path()}
	if op.Updates() {
		c.Body = oracle.ObjectBody(op.Body, t.ordinary(op, 0))
	}
	return c
}
