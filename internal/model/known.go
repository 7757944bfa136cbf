package model

import (
	"slices"
	"time"

	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/spec"
)

// A Known answers what is known of an object, for those who choose what to send next.
type Known struct{ of *entity }

// Known returns what is known of an object.
func (s *State) Known(kind string, id spec.ID) Known {
	at := thing{kind, id}
	if o := s.objects[at]; o != nil {
		return Known{o}
	}
	return Known{newObject(at)}
}

// NothingKnown returns what is known of an object that the log does not follow.
func NothingKnown() Known { return Known{newObject(thing{})} }

// afterAll is the span of a read after all answers.
var afterAll = span{forever, forever}

// Last returns the value that a field holds, even if it is uncertain, and whether it is certain.
func (k Known) Last(f *spec.Field) (v any, isKnown bool) {
	if v, isHeld := k.Holds(f); !isHeld {
		return v, false
	}
	r := k.of.fields[f.Meaning]
	w := r.lastWrite()
	return w.value, !slices.ContainsFunc(r.candidates(afterAll), func(other *write) bool {
		return !r.maySet(other, w.value) && !w.isOfSame(other)
	})
}

// isOfSame reports whether one update may have made two writes: it set what it sent, or what its answer showed in its
// place.
func (w *write) isOfSame(other *write) bool {
	return w.by != nil && w.by == other.by
}

// Holds returns the value that a field holds, even if it is uncertain, and whether there is one.
func (k Known) Holds(f *spec.Field) (v any, isHeld bool) {
	r := k.of.fields[f.Meaning]
	if r == nil {
		return nil, false
	}
	return r.last()
}

// HeldBefore reports whether a field held a value before a moment.
func (k Known) HeldBefore(f *spec.Field, v any, at time.Time) bool {
	r := k.of.fields[f.Meaning]
	if r == nil {
		return false
	}
	isIt := func(w *write) bool { return r.maySet(w, v) && !w.End.After(at) }
	return slices.ContainsFunc(r.past, isIt)
}

// First returns the value of a field before any request set it, as an answer showed it, and whether one did.
func (k Known) First(f *spec.Field) (v any, isShown bool) {
	first, isShown := k.of.firsts[f.Meaning]
	return first.value, isShown
}

// IsUntrue reports whether the field held another value than the target file gives, in any form: a trusted way of
// asking showed it before a request of the log can have changed it.
func (k Known) IsUntrue(f *spec.Field, isOther func(given, shown any) bool) bool {
	first, isShown := k.of.firsts[f.Meaning]
	given, isGiven := k.of.given[f.Meaning]
	switch {
	case !isShown, !isGiven, !first.isFresh, !first.by.isTrusted():
		return false
	}
	return isOther(given, first.value)
}

// HasUnknown reports whether the object showed a text that no request sent.
func (k Known) HasUnknown(text string) bool { return k.of.unknown[text] }

// Constant returns the first value that a field of the representation showed which no request can change, and the
// request that showed it, or nil.
func (k Known) Constant(name string) (v any, by *Exchange) {
	c := k.of.constants[name]
	return c.value, c.by
}

// Constants returns the request that first showed fields which no request can change, or nil.
func (k Known) Constants() (first *Exchange) {
	for _, c := range k.of.constants {
		if first == nil || c.by.End.Before(first.End) {
			first = c.by
		}
	}
	return first
}

// IsUncertain reports whether it is unknown what the object holds, after a request that may have changed it.
func (k Known) IsUncertain() bool {
	for _, r := range k.of.fields {
		isTouched := len(r.past) > 1 || len(r.open) > 0
		if isTouched && !r.isKnown(afterAll) {
			return true
		}
	}
	return false
}

// IsLate reports whether an update of the object timed out, and so may still be carried out at any time.
func (k Known) IsLate() bool {
	for _, r := range k.of.fields {
		if slices.ContainsFunc(r.open, func(w *write) bool { return w.by.isOver }) {
			return true
		}
	}
	return false
}

// IsUpdatedBy reports whether an update by an operation was accepted.
func (k Known) IsUpdatedBy(op *spec.Operation) bool {
	return slices.Contains(k.of.updatedBy, op)
}

// IsTouched reports whether the object may have changed without an accepted update: by one whose answer was lost, by a
// refused one, or by an update of another object.
func (k Known) IsTouched() bool { return k.of.isTouched }

// Standing returns the date of the last change, and the first of the changes in a row that have it, or nil.
func (k Known) Standing() (shows oracle.Moment, by *Exchange) {
	if d := k.of.standing; d != nil {
		return d.Moment, d.by
	}
	return shows, nil
}

// LoseTrack notes that it is unknown from now on what the object holds.
func (s *State) LoseTrack(kind string, id spec.ID) {
	for _, r := range s.entity(kind, id).fields {
		r.doubt(&Exchange{Start: s.now, End: s.now})
	}
}

// LookedAt notes that the object was read back, so that the writes refused before are judged.
func (s *State) LookedAt(kind string, id spec.ID) {
	s.entity(kind, id).refused = nil
}

// Origin returns the first update that sent a text, or nil.
func (s *State) Origin(v any) *Exchange {
	text, _ := v.(string)
	if all := s.texts[text]; len(all) > 0 {
		return all[0]
	}
	return nil
}

// IsSentElsewhere reports whether an update of another object sent a text.
func (s *State) IsSentElsewhere(kind string, id spec.ID, text string) bool {
	isOther := func(x *Exchange) bool { return x.of.thing != thing{kind, id} }
	return slices.ContainsFunc(s.texts[text], isOther)
}

// Object returns the kind and the id of the object that the path of a request names.
func (x *Exchange) Object() (kind string, id spec.ID) {
	if x == nil {
		return "", ""
	}
	return x.of.kind, x.of.id
}

// An Omission is how an answer shows a field that its request left out.
type Omission int

// The omissions.
const (
	Kept    Omission = iota // with the last value
	Altered                 // with the last value, trimmed or folded
	Reset                   // with a default
	Back                    // with a value from before the last success
)

// An Omitted is a field that a request left out and its answer shows.
type Omitted struct {
	*spec.Field
	Omission
	Last, Got any
	IsTrusted bool // the way of asking is
}

// omit notes how the answer shows a field that the request left out.
func (q *question) omit(how Omission) {
	last, _ := q.register.last()
	o := Omitted{q.f, how, last, q.got, q.isTrusted}
	q.x.Omitted = append(q.x.Omitted, o)
}
