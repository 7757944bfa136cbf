package judge

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/model"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

// An Object is an object of the target that the suite may use, with what is known about it.
type Object struct {
	Key     string          // where the target file names it: campaign, foreign.campaign, disposableCreatives[0]
	Op      *spec.Operation // the operation whose path names it
	IDs     []spec.ID       // the ids of that path, its own last
	Given   map[string]any  // values beside the id in the target file
	Foreign bool            // the stranger's

	in *State // that knows what it holds; nil if nothing is known
	// What answers showed of it.
	isServed, isForbidden, isDenied bool // to its user, who got 403, or to another, who did
	deletion
	isDue bool // refused writes may have changed it, and nothing was read since
}

// A deletion is what is known of the deletes of an object.
type deletion struct {
	by        *wire.Exchange // the delete that was accepted, nil if an earlier one may have been carried out
	mayBeGone bool
	isRemoved bool // one was answered 204
	isRefused bool // one was, other than with 404
	isLost    bool // the answer to one was
}

// known returns what the model knows of the object.
func (o *Object) known() model.Known {
	if o.in == nil {
		return model.NothingKnown()
	}
	return o.in.Sequence.Known(o.Thing().Kind, o.ID())
}

// Alive reports whether an answer showed that the object exists and that its user may use it.
func (o *Object) Alive() bool { return o.isServed }

// ShownToExist reports whether another user got 403 for the object.
func (o *Object) ShownToExist() bool { return o.isDenied }

// Deleted reports whether the suite deleted the object, or may have.
func (o *Object) Deleted() bool { return o.mayBeGone }

// Removed reports whether a delete of the object was answered 204.
func (o *Object) Removed() bool { return o.isRemoved }

// remove notes that the object is gone, or may be.
func (o *Object) remove(status int, by *wire.Exchange) {
	if !o.mayBeGone {
		o.by = by
	}
	o.mayBeGone = true
	if status == http.StatusNoContent {
		o.isRemoved = true
	}
}

// Changed reports whether an update by its own operation was accepted.
func (o *Object) Changed() bool {
	return o.known().IsUpdatedBy(o.Op)
}

// Touched reports whether the object may have changed without an accepted update of its own.
func (o *Object) Touched() bool { return o.known().IsTouched() }

// Uncertain reports whether it is unknown what the object holds.
func (o *Object) Uncertain() bool {
	return o.isLost || o.known().IsUncertain()
}

// Late reports whether a write timed out, and so may still be carried out at any time.
func (o *Object) Late() bool { return o.known().IsLate() }

// Refused reports whether the effect of refused writes could still be seen and was not looked for yet.
func (o *Object) Refused() bool { return o.isDue }

// LookedAt notes that the object was read back, so that the writes refused before are judged.
func (o *Object) LookedAt() {
	o.isDue = false
	o.in.Sequence.LookedAt(o.Thing().Kind, o.ID())
}

// LoseTrack notes that it is unknown what the object holds, because several writes raced.
func (o *Object) LoseTrack() { o.in.Sequence.LoseTrack(o.Thing().Kind, o.ID()) }

// Holds returns the value that a field has to hold, even if it is uncertain.
func (o *Object) Holds(field string) (any, bool) {
	return o.known().Holds(o.Op.Body.Named(field))
}

// Last returns the value that a field has to hold, and whether it is known.
func (o *Object) Last(field string) (any, bool) {
	return o.known().Last(o.Op.Body.Named(field))
}

// Constant returns the first value of a field that no request can change, or nil.
func (o *Object) Constant(field string) any {
	v, _ := o.known().Constant(field)
	return v
}

// HasUnknown reports whether the object showed a text that no request of its chain sent.
func (o *Object) HasUnknown(v any) bool {
	text, _ := v.(string)
	return o.known().HasUnknown(text)
}

// untrue reports whether the target file gives a field a value other than the one that the target showed before the
// run could have changed it.
func (o *Object) untrue(f *spec.Field) bool {
	return o.known().IsUntrue(f, func(given, shown any) bool {
		return contradicts(f, given, shown)
	})
}

// original returns the value of a field before any update was accepted, and whether an answer showed it.
func (o *Object) original(f *spec.Field) (any, bool) {
	return o.known().First(f)
}

// Name returns the object's key in the target file, or the path of a collection that no id names.
func (o *Object) Name() string {
	if len(o.IDs) == 0 {
		return o.Op.Path
	}
	return o.Key
}

// ID returns the object's own id, or "" for a collection that no id names.
func (o *Object) ID() spec.ID {
	if len(o.IDs) == 0 {
		return ""
	}
	return o.IDs[len(o.IDs)-1]
}

// IsMain reports whether it is the object that the operation's cases update.
func (o *Object) IsMain() bool { return o.Key == o.Op.Key() }

// Path returns the ids in the path.
func (o *Object) Path() []string {
	path := make([]string, len(o.IDs))
	for i, id := range o.IDs {
		path[i] = string(id)
	}
	return path
}

// Segments returns ids as they stand in a path.
func Segments(ids []string) []string {
	segments := make([]string, len(ids))
	for i, id := range ids {
		segments[i] = url.PathEscape(id)
	}
	return segments
}

// Known reports whether the values of all fields of an update are known.
func (o *Object) Known() bool {
	for _, f := range o.Op.Body.Fields {
		if _, known := o.Last(f.Name); !known {
			return false
		}
	}
	return true
}

// othersUpdated reports whether other objects of the same kind were updated.
func (s *State) othersUpdated(o *Object) bool {
	return slices.ContainsFunc(s.Order, func(other *Object) bool {
		isSibling := other.Op == o.Op && other != o
		return isSibling && other.Changed()
	})
}

// NewObject returns an object with the values that the target file gives.
func NewObject(key string, op *spec.Operation, ids []spec.ID, given map[string]any) *Object {
	return &Object{Key: key, Op: op, IDs: ids, Given: given}
}

// Object returns the object that the target file names under key, with the ids in the operation's path, or nil if one
// of them is missing. The same key gives the same object.
//
// For an operation on a rule host, the path for connectionProfileRuleOtherHost has the rule connectionProfileRule, and
// that for connectionProfileOtherRuleHost has connectionProfileOtherRule.
func (s *State) Object(op *spec.Operation, key string) *Object {
	if o := s.Used(op, key); o != nil {
		return o
	}
	ids, given := s.PathIDs(op, key)
	if ids == nil {
		return nil
	}
	o := NewObject(key, op, ids, given)
	o.Foreign = strings.HasPrefix(key, ForeignPrefix)
	o.in = s
	s.Order = append(s.Order, o)
	return o
}

// Used returns the object under a key if it was used before, or nil.
func (s *State) Used(op *spec.Operation, key string) *Object {
	for _, o := range s.Order {
		if o.Op == op && o.Key == key {
			return o
		}
	}
	return nil
}

// UnknownObject returns a placeholder for an object that the target file does not name, with unknown ids.
func (s *State) UnknownObject(op *spec.Operation) *Object {
	ids := make([]spec.ID, len(op.Params))
	for i := range ids {
		ids[i] = s.UnknownID(op, i, i)
	}
	o := NewObject("", op, ids, nil)
	o.in = s
	return o
}

// Placeholder reports whether there is no object, or a placeholder for one, see UnknownObject.
func (o *Object) Placeholder() bool {
	return o == nil || o.Key == "" && len(o.IDs) > 0
}

// PathIDs returns the ids in the operation's path to the object under key, and the values that the target file gives,
// or nil if an id is missing.
func (s *State) PathIDs(op *spec.Operation, key string) ([]spec.ID, map[string]any) {
	ids := []spec.ID{}
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
	if ids = append(ids, o.ID); slices.Contains(ids, "") {
		return nil, nil
	}
	return ids, o.Values
}

// Lookup returns the id that the target file gives under a key, or "".
func (s *State) Lookup(key string) spec.ID {
	return Find(s.Target, key).ID
}

// Before returns the values before the run, by wire name, and the fields whose value is unknown. A value is the one in
// the target file, unless the target showed another one first.
func (o *Object) Before() (values map[string]any, unknown []string) {
	values = map[string]any{}
	for _, f := range o.Op.Body.Fields {
		v, ok := o.Given[f.Meaning]
		if !ok || o.untrue(f) {
			v, ok = o.original(f)
		}
		switch {
		case !ok, v == nil && !f.Optional: // a null that no update can have set cannot be put back
			unknown = append(unknown, f.Name)
		default:
			values[f.Name] = v
		}
	}
	return values, unknown
}

// Unseen returns the fields whose values before the run are known from the target file alone, by wire name.
func (o *Object) Unseen() (names []string) {
	for _, f := range o.Op.Body.Fields {
		given, isGiven := o.Given[f.Meaning]
		first, isShown := o.original(f)
		isUnseen := !isShown || contradicts(f, given, first) && !o.untrue(f)
		if isGiven && isUnseen {
			names = append(names, f.Name)
		}
	}
	return names
}

// MayWrite reports whether an object may be updated. An object other than the operation's main one may be updated only
// if the values to restore are known and the target accepts them.
func (o *Object) MayWrite() bool { return o.NotWritten() == "" }

// Unset returns the fields that were null before the run. A target need not accept null.
func (o *Object) Unset() (names []string) {
	values, _ := o.Before()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if values[name] == nil {
			names = append(names, name)
		}
	}
	return names
}

const leftAlone = " was left alone, because it could not be restored: "

// NotWritten returns why an object may not be updated, or "".
func (o *Object) NotWritten() string {
	_, unknown := o.Before()
	switch names := o.Unset(); {
	case o.IsMain():
		return ""
	case len(unknown) > 0:
		return o.Name() + leftAlone + "neither the target file nor the target shows " + wording.List(unknown)
	case len(names) > 0:
		return o.Name() + leftAlone + "its " + names[0] + " is null, which the target may not accept"
	}
	return ""
}

// ShownOtherwise describes the first field that an answer shows with a value other than the one sent, or returns "".
func (o *Object) ShownOtherwise(values, shown map[string]any) string {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		got, isShown := shown[name]
		sent := values[name]
		switch isEmpty := sent == nil && got == ""; {
		case !isShown, isEmpty, oracle.Equal(o.Op.Body.Named(name), sent, got):
			continue
		}
		return fmt.Sprintf("%s %s instead of %s", name, oracle.Show(got), oracle.Show(sent))
	}
	return ""
}

// Twins returns the same object as other operations that update it know it. A document may have several operations on
// one object, such as a PUT and a PATCH.
func (s *State) Twins(o *Object) []*Object {
	var all []*Object
	for _, other := range s.Order {
		isSame := slices.Equal(other.IDs, o.IDs) && other.Op.SameObjects(o.Op)
		if isUpdate := other.Op != o.Op && other.Op.Updates(); isUpdate && isSame {
			all = append(all, other)
		}
	}
	return all
}
