package judge

import (
	"slices"

	"github.com/adconform/adconform/internal/model"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/spec"
)

// Way returns the way of asking what objects of a kind hold by an update of these fields.
func (s *State) Way(op *spec.Operation, sends ...string) *model.Way {
	return s.Sequence.Way(op, sends...)
}

// Reads returns the way of asking by a GET of the object's path.
func (s *State) Reads(op *spec.Operation) *model.Way {
	return s.Sequence.Get(op)
}

// WayOf returns the way of asking with a body.
func (s *State) WayOf(op *spec.Operation, b *oracle.Body) *model.Way {
	return s.Way(op, sortedKeys(b.Fields)...)
}

// TakesParts reports whether the target accepts updates of a single field.
func (s *State) TakesParts(o *Object) bool {
	return len(o.Op.Body.Fields) > 1 && !slices.ContainsFunc(ShownFields(o.Op), func(f *spec.Field) bool {
		w := s.Way(o.Op, f.Name)
		return !w.WasUsed() || w.IsRefused
	})
}

// ShownFields returns the fields that an update sends and its answer shows.
func ShownFields(op *spec.Operation) []*spec.Field {
	isSecret := func(f *spec.Field) bool { return op.Representation().Field(f.Meaning) == nil } // a password, say
	return slices.DeleteFunc(slices.Clone(op.Body.Fields), isSecret)
}
