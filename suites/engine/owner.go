package engine

import (
	"context"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// OwnerRefused says whether the target refuses the owner's key with 401 in all
// of these operations: then the key is wrong, and every other case would say so
// again. One operation that takes it shows that the others are at fault. Those
// that were not asked yet are asked once, for ids that nobody has.
func (s *Session) OwnerRefused(ctx context.Context, ops []*spec.Operation) bool {
	if s.refused != nil {
		return *s.refused
	}
	if s.accepted[ownerName] || len(s.refusedBy) == 0 {
		return false
	}
	last := s.results[len(s.results)-1]
	for _, op := range ops {
		if s.refusedBy[op.ID] || s.readOnly && (op.Updates() || op.Deletes()) {
			continue
		}
		c := &Case{ID: op.ID + "/preflight/owner-key", Operation: op}
		t := &T{Session: s, Ctx: ctx, Case: c, Result: last, Fake: fixtures.NewFake(s.Seed, c.ID)}
		if t.Send(t.toNobody(op)); !s.refusedBy[op.ID] {
			break
		}
	}
	refused := !s.accepted[ownerName] && ctx.Err() == nil
	for _, op := range ops {
		refused = refused && (s.refusedBy[op.ID] || s.readOnly)
	}
	s.refused = &refused
	return refused
}

// toNobody is the owner's well-formed request for an id that nobody has.
func (t *T) toNobody(op *spec.Operation) Call {
	c := Call{Op: op, As: t.Owner()}
	for i := range op.Params {
		c.Path = append(c.Path, t.UnknownID(i))
	}
	if op.Updates() {
		c.Body = ObjectBody(op.Body, t.ordinary(op, 0))
	}
	return c
}
