package judge

import (
	"fmt"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge/model"
	"github.com/adconform/adconform/suites/testcase"
	"github.com/adconform/adconform/suites/value"
)

// A text that this run never sent and the target never showed may come from somebody
// else who writes to the same object, and may be the doing of a faulty target. So what
// is found by it is tentative until the end of the run. Then the object is looked at
// while nothing is sent to it, and the case is run again: a target does what it did
// before, and does it in answer to requests.

// UnknownText is a text that appeared in a field of an object.
type UnknownText struct {
	Object *model.Object
	Field  string
	Text   string
}

// noteUnknown notes an unknown text at its first sight; later the object is known to
// have held it.
func (t *Test) noteUnknown(o *model.Object, f *spec.Field, got any) {
	if !t.Recorded && t.Model.IsUnknown(f, got) {
		o.Unknown[got.(string)] = true
	}
}

// MayBeAnotherWriters makes a finding about an unknown text tentative.
func (t *Test) MayBeAnotherWriters(f *Finding, r *testcase.Result, o *model.Object, field *spec.Field, got any) {
	text, _ := got.(string)
	if f == nil || !o.Unknown[text] {
		return
	}
	r.Tentative = true
	t.Model.Outcome.Hold(TentativeFinding{Finding: f, Result: r, Object: o, Unknown: &UnknownText{o, field.Name, text}})
}

// Reason says what the operator has to know of another writer. The text is presented
// before it is shortened, or part of a key in it might be left.
func (s *UnknownText) Reason(present func(string) string) string {
	return fmt.Sprintf("somebody else writes to %s (%d) during the run: its %s was %s, "+
		"which this run did not send and the target had not shown before; run while nobody else uses it, or name another",
		s.Object.Name(), s.Object.ID(), s.Field, value.Show(present(s.Text)))
}
