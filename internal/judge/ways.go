package judge

import (
	"maps"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/spec"
)

// A Way is a way of asking what objects of a kind hold: an update that sends some of the fields, or a GET of the
// path. Whether it can be trusted is computed from the events of its answers.
type Way struct {
	sends  string // wire names of the fields, sorted and joined by commas, or Reads
	events []*Event
}

// Reads stands for a GET of the object's path.
const Reads = "GET"

// wayKey identifies a way.
type wayKey struct{ op, sends string }

// Way returns the way of asking by an update of these fields, or by Reads.
func (s *State) Way(op *spec.Operation, sends ...string) *Way {
	key := wayKey{op.ID, strings.Join(slices.Sorted(slices.Values(sends)), ",")}
	if s.ways[key] == nil {
		s.ways[key] = &Way{sends: key.sends}
	}
	return s.ways[key]
}

// WayOf returns the way of asking with a body.
func (s *State) WayOf(op *spec.Operation, b *oracle.Body) *Way {
	return s.Way(op, slices.Collect(maps.Keys(b.Fields))...)
}

func (w *Way) reads() bool { return w != nil && w.sends == Reads }

// Refused reports whether the target refuses this way of asking.
func (w *Way) Refused() bool {
	return slices.ContainsFunc(w.events, func(e *Event) bool { return e.What == NoWay })
}

// shown returns the different values that answers showed in a field and that have one of these explanations: no more
// than most of them, or all if most is 0.
func (w *Way) shown(field string, most int, as ...As) (values []any) {
	for _, e := range w.events {
		if e.What != Shown || !slices.Contains(as, e.As) {
			continue
		}
		if v, ok := e.Values[field]; ok && !contains(values, nil, v) {
			if values = append(values, v); len(values) == most {
				break
			}
		}
	}
	return values
}

// Defaults returns the values to which updates without the field reset it.
func (w *Way) Defaults(field string) []any { return w.shown(field, 0, Default, NoDefault) }

// keeps reports whether the way has shown, for each of these fields, two last values and never a default.
func (w *Way) keeps(fields ...string) bool {
	return !slices.ContainsFunc(fields, func(f string) bool { return len(w.shown(f, 2, Same)) < 2 || len(w.Defaults(f)) > 0 })
}

// Tells reports whether the way shows what these fields hold.
func (w *Way) Tells(fields ...string) bool { return !w.Refused() && w.keeps(fields...) }

// TakesParts reports whether the target accepts updates of a single field.
func (s *State) TakesParts(o *Object) bool {
	return len(o.Op.Body.Fields) > 1 && !slices.ContainsFunc(FieldNames(o.Op), func(f string) bool {
		w := s.Way(o.Op, f)
		return len(w.events) == 0 || w.Refused()
	})
}

// FieldNames returns the wire names of the fields that an update sends and its answer shows.
func FieldNames(op *spec.Operation) []string {
	var names []string
	for _, f := range op.Body.Fields {
		if op.Representation().Field(f.Meaning) != nil { // a password, say, is not shown
			names = append(names, f.Name)
		}
	}
	return names
}
