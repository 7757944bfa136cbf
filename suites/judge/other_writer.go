package judge

import (
	"github.com/adconform/adconform/spec"
)

// A text that this run never sent and the target never showed may come from somebody
// else who writes to the same object, and may be the doing of a faulty target. So what
// is found by it is tentative until the end of the run. Then the object is looked at
// while nothing is sent to it, and the case is run again: a target does what it did
// before, and does it in answer to requests.

// noteUnknown notes an unknown text at its first sight; later the object is known to
// have held it.
func (t *Test) noteUnknown(o *Object, f *spec.Field, got any) {
	if !t.Recorded && t.Model.IsUnknown(f, got) {
		o.Unknown[got.(string)] = true
	}
}

// MayBeAnotherWriters makes a finding about an unknown text tentative.
func (t *Test) MayBeAnotherWriters(f *Finding, r *Result, o *Object, field *spec.Field, got any) {
	text, _ := got.(string)
	if f == nil || !o.Unknown[text] {
		return
	}
	r.Tentative = true
	unknown := &UnknownText{Object: o, Field: field.Name, Text: text}
	t.Model.Outcome.Hold(TentativeFinding{Finding: f, Result: r, Object: o, Unknown: unknown})
}
