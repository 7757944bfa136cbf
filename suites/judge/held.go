package judge

import (
	"slices"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

// NoteUncertain notes a value where the last one is not known for certain.
func (s *State) NoteUncertain(o *Object, how *Mode, f *spec.Field, got any) {
	if text, _ := got.(string); s.sent[text].Object == o || o.Took(text) || !s.IsOurs(got) {
		s.FirstSight(o, f, got)
	} else {
		o.Touched = true
	}
	_, known := o.Holds[f.Name]
	if !known && !o.Changed && !o.Elsewhere && how != s.Mode(o.Op, ReadMode) {
		o.firstShown[f.Name] = got
	}
}

// WasHeld says whether a text is one that the object held before the last
// success: one that was sent, or that the target file gives. A text that only
// requests without the field ever showed may be the target's fixed default, see
// session.T.ConfirmDefault.
func (s *State) WasHeld(o *Object, f *spec.Field, got any) bool {
	if given, ok := o.Given[f.Meaning]; ok && oracle.Equal(f, given, got) {
		return true
	}
	return contains(o.earlier[f.Name], f, got) && !s.MaybeDefault(o, f, got)
}

// MaybeDefault says whether an update without the field showed the value when
// nothing had set it.
func (s *State) MaybeDefault(o *Object, f *spec.Field, got any) bool {
	if first, ok := o.firstShown[f.Name]; ok && oracle.Equal(f, first, got) {
		return true
	}
	for key, m := range s.modes {
		if key.op == o.Op.ID && key.fields != ReadMode && m.Defaults[f.Name][oracle.Show(got)] {
			return true
		}
	}
	return false
}

func contains(values []any, f *spec.Field, got any) bool {
	return slices.ContainsFunc(values, func(v any) bool { return oracle.Equal(f, v, got) })
}

// Since says where the last value of an object is known from.
func (o *Object) Since() string {
	if o.Changed || o.Elsewhere {
		return "which the last successful update of " + o.Name() + " set"
	}
	return "as " + o.Name() + " was before the run"
}

// FirstSight notes what a changeable field is first shown as.
func (s *State) FirstSight(o *Object, f *spec.Field, v any) {
	if _, given := o.Given[f.Meaning]; !given && s.updates[o.Op.ID] > 0 {
		o.SeenLate = true
	}
	o.remember(f.Name, v)
}

// remember notes a first sight of a changeable field.
func (o *Object) remember(field string, v any) {
	if o.Changed || o.Elsewhere {
		return
	}
	if o.original == nil {
		o.original = map[string]any{}
	}
	if _, ok := o.original[field]; !ok {
		o.original[field] = v
	}
}

// RefusedWith is a refused write that would have set the field to this value
// and that no accepted write set.
func (o *Object) RefusedWith(field string, got any) *Refusal {
	for i := len(o.Refusals) - 1; i >= 0; i-- {
		r := &o.Refusals[i]
		if v, ok := r.Fields[field]; ok && v != nil && oracle.Equal(nil, v, got) && !o.Had(field, got) {
			return r
		}
	}
	return nil
}
