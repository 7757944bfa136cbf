package judge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// Object is one object of the target that the suite may use, and what the
// suite knows of it.
type Object struct {
	Key     string          // where the target file names it: campaign, foreign.campaign, disposableCreatives[0]
	Op      *spec.Operation // the operation whose path names it
	IDs     []int64         // the ids of that path, its own last
	Given   map[string]any  // values beside the id in the target file
	Foreign bool            // the stranger's

	history *History // see Event
}

// Name is where the target file names it, beneath objects. A collection that no id names
// has its path for a name.
func (o *Object) Name() string {
	if len(o.IDs) == 0 {
		return o.Op.Path
	}
	return o.Key
}

// ID is the object's own id, 0 for a collection that no id names.
func (o *Object) ID() int64 {
	if len(o.IDs) == 0 {
		return 0
	}
	return o.IDs[len(o.IDs)-1]
}

// IsMain says whether it is the object that the operation's cases update, not one
// beside it.
func (o *Object) IsMain() bool { return o.Key == o.Op.Key() }

// Path returns the ids as they stand in the path.
func (o *Object) Path() []string {
	path := make([]string, len(o.IDs))
	for i, id := range o.IDs {
		path[i] = fmt.Sprint(id)
	}
	return path
}

// Known says whether it is known what all changeable fields hold.
func (o *Object) Known() bool {
	for _, f := range o.Op.Body.Fields {
		if _, known := o.Last(f.Name); !known {
			return false
		}
	}
	return true
}

// accept notes that a write was accepted and what it set; in, if any, is the request whose answer
// showed it.
func (s *State) accept(o *Object, fields map[string]any, in *wire.Exchange) {
	if len(fields) == 0 {
		return
	}
	e := Event{What: Set, Values: fields, In: in}
	for name, v := range fields {
		if old, ok := o.Holds(name); !ok || !oracle.Equal(nil, old, v) {
			e.Updates = s.updates[o.Op.ID] + 1
		}
	}
	s.updates[o.Op.ID] = max(s.updates[o.Op.ID], e.Updates)
	o.note(e)
}

// othersUpdated says whether others of its kind were updated since the object was looked at
// last, which it is now.
func (s *State) othersUpdated(o *Object) bool {
	n := s.updates[o.Op.ID]
	if n <= o.looked() {
		return false
	}
	o.note(Event{What: Kept, Updates: n})
	return true
}

// NewObject returns an object of which nothing is known but what the target file gives.
func NewObject(key string, op *spec.Operation, ids []int64, given map[string]any) *Object {
	return &Object{Key: key, Op: op, IDs: ids, Given: given, history: &History{}}
}

// Object returns the object that the target file names under key as the
// operation's path names it: with the ids of the parents before its own. It is
// nil when one of them is missing. The same key gives the same object.
//
// For an operation on a rule host, key connectionProfileRuleOtherHost stands
// in the path of its rule, connectionProfileOtherRuleHost in that of
// connectionProfileOtherRule.
func (s *State) Object(op *spec.Operation, key string) *Object {
	if o, ok := s.Objects[op.ID+" "+key]; ok {
		return o
	}
	var o *Object
	if ids, given := s.PathIDs(op, key); ids != nil {
		o = NewObject(key, op, ids, given)
		o.Foreign = strings.HasPrefix(key, ForeignPrefix)
		for _, twin := range s.Twins(o) {
			o.history = twin.history
		}
		s.Order = append(s.Order, o)
	}
	s.Objects[op.ID+" "+key] = o
	return o
}

// UnknownObject stands for an object where the target file names none: unknown ids fill
// the path of the operation.
func (s *State) UnknownObject(op *spec.Operation) *Object {
	ids := make([]int64, len(op.Params))
	for i := range ids {
		ids[i] = s.unknownID(i)
	}
	return NewObject("", op, ids, nil)
}

// Placeholder says whether the target file does not name it, see UnknownObject.
func (o *Object) Placeholder() bool { return o.Key == "" && len(o.IDs) > 0 }

// PathIDs are the ids of the operation's path with the object under key as its last, and
// the values that the target file gives of it; nil where one is missing.
func (s *State) PathIDs(op *spec.Operation, key string) ([]int64, map[string]any) {
	ids := []int64{}
	if len(op.Params) == 0 {
		return ids, nil
	}
	for _, p := range op.Params[:len(op.Params)-1] {
		parent := p.Object
		switch {
		case strings.HasPrefix(key, ForeignPrefix):
			parent = ForeignPrefix + parent
		case key == spec.Other(op.Key()) && parent != op.Params[0].Object:
			parent = spec.Other(parent)
		}
		ids = append(ids, s.Lookup(parent))
	}
	o := Find(s.Target, key)
	if ids = append(ids, o.ID); slices.Contains(ids, 0) {
		return nil, nil
	}
	return ids, o.Values
}

// Lookup is the id that the target file gives under a key; 0 when it has none.
func (s *State) Lookup(key string) int64 { return Find(s.Target, key).ID }

// Before are the fields as they were before the run, by wire name: as the target
// file gives them, unless they were seen otherwise, else as they were first seen; and those of
// which nothing is known.
func (o *Object) Before() (values map[string]any, unknown []string) {
	values = map[string]any{}
	for _, f := range o.Op.Body.Fields {
		v, ok := o.Given[f.Meaning]
		if !ok || o.untrue(f) {
			v, ok = o.originally(f.Name)
		}
		if ok && (v != nil || f.Optional) { // a null that nobody can have set is no value to put back
			values[f.Name] = v
		} else {
			unknown = append(unknown, f.Name)
		}
	}
	return values, unknown
}

// MayWrite says whether an object may be updated: one beside the operation's own is
// only where it is known what to put back, and that the target takes it.
func (o *Object) MayWrite() bool { return o.NotWritten() == "" }

// Unset are the fields that were null before the run: whether a target takes null is open.
func (o *Object) Unset() (names []string) {
	values, _ := o.Before()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if values[name] == nil {
			names = append(names, name)
		}
	}
	return names
}

// NotWritten says why an object is not updated, "" where it may be.
func (o *Object) NotWritten() string {
	_, unknown := o.Before()
	switch names := o.Unset(); {
	case o.IsMain():
		return ""
	case len(unknown) > 0:
		return o.Name() + " is not written to: the target file does not give its values, and the target does not show them"
	case len(names) > 0:
		return fmt.Sprintf("%s is not written to: its %s is null, and the target may not take null back", o.Name(), names[0])
	}
	return ""
}

// ShownOtherwise is a field that an answer shows with another value than was
// sent, "" when there is none.
func (o *Object) ShownOtherwise(values, shown map[string]any) string {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		got, ok := shown[name]
		if f := o.Op.Body.Named(name); ok && !oracle.Equal(f, values[name], got) && !(values[name] == nil && got == "") {
			return fmt.Sprintf("%s %s instead of %s", name, oracle.Show(got), oracle.Show(values[name]))
		}
	}
	return ""
}

// Caveat says what the operator should know of an object that was put back.
func (o *Object) Caveat(values map[string]any) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		f := o.Op.Body.Named(name)
		given, named := o.Given[f.Meaning]
		first, seen := o.originally(name)
		switch {
		case !named || !seen:
		case !oracle.Equal(f, values[name], given):
			words = append(words, fmt.Sprintf("%s put back to what the target showed first, not to %s", name, oracle.Show(given)))
		case !oracle.Equal(f, values[name], first):
			words = append(words, fmt.Sprintf("put back to what the target file says; %s was first seen as %s", name, oracle.Show(first)))
		}
	}
	if o.late() {
		words = append(words, "a write of the run timed out, and may still land")
	}
	return strings.Join(words, "; ")
}

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
