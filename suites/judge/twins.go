package judge

import (
	"slices"

	"github.com/adconform/adconform/suites/oracle"
)

// A document may have several operations on one object: a read beside an update,
// a PUT beside a PATCH. What one of them does the others have to show.

// Twins are the same object as other updates name it, as far as they are known.
func (s *State) Twins(o *Object) []*Object {
	var all []*Object
	for _, other := range s.Order {
		if other.Op != o.Op && other.Op.Updates() &&
			slices.Equal(other.IDs, o.IDs) && other.Op.SameObjects(o.Op) {
			all = append(all, other)
		}
	}
	return all
}

// Followed tells the twins of an object what it holds by now.
func (s *State) Followed(o *Object, accepted bool) {
	if o == nil || !o.Op.Updates() {
		return
	}
	for _, twin := range s.Twins(o) {
		twin.follow(o)
		if accepted {
			twin.Refusals = nil // overwritten: what was refused before can no longer be seen
		}
	}
}

// follow takes over what an object holds after a request of another operation.
func (o *Object) follow(twin *Object) {
	if o.Op.Body == nil || !twin.Changed && !twin.Uncertain {
		return
	}
	for _, f := range o.Op.Body.Fields {
		theirs := twin.Op.Body.Field(f.Meaning)
		if theirs == nil {
			continue
		}
		if v, known := twin.original[theirs.Name]; known {
			o.remember(f.Name, v)
		}
		v, known := twin.Holds[theirs.Name]
		if !known {
			continue
		}
		if old, ok := o.Holds[f.Name]; ok && !oracle.Equal(f, old, v) {
			o.Previous[f.Name] = old
			o.earlier[f.Name] = append(o.earlier[f.Name], old)
			delete(o.Taken, f.Name)
		}
		o.Holds[f.Name] = v
	}
	o.Elsewhere = o.Elsewhere || twin.Changed
	o.Uncertain, o.Late = twin.Uncertain, twin.Late
}
