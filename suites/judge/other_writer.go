package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
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
	Object *Object
	Field  string
	Text   string
}

// sharedPart is the length of a piece that a made-up text and a shown one can only
// have in common when one was made of the other.
const sharedPart = 5

// isUnknown says whether an answer shows a plain text that nobody of this run sent,
// whole, in part or in another form, and that the target was not seen to hold.
func (t *Test) isUnknown(f *spec.Field, got any) bool {
	text, ok := got.(string)
	if !ok || strings.TrimSpace(text) == "" || len(f.Enum) > 0 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
		return false
	}
	for sent := range t.Model.sent {
		if derived(sent, text) {
			return false
		}
	}
	return !slices.ContainsFunc(t.Model.Order, func(o *Object) bool { return o.heldEver(text) || o.wasSent(text) })
}

// try notes what is sent for a field, and whether it was accepted.
func (o *Object) try(v any, accepted bool) {
	text, ok := v.(string)
	if !ok {
		text = string(value.JSON(v))
	}
	if len(text) <= maxTried {
		o.tried[text] = o.tried[text] || accepted
	}
}

// take notes what an accepted update sent. The object may show that from then on, also
// where the answer to the update did not.
func (o *Object) take(fields map[string]any) {
	for name, v := range fields {
		o.taken[name] = v
		o.try(v, true)
	}
}

// took says whether an update that was accepted set a field to this text of the run's.
func (o *Object) took(text string) bool { return len(text) >= minTaint && o.tried[text] }

// had says whether an update set a field to a value, or the object was seen to hold it.
func (o *Object) had(field string, v any) bool {
	text, _ := v.(string)
	return o.took(text) || contains(o.earlier[field], o.Op.Body.Named(field), v)
}

// tookLast says whether the last update of the field that was accepted sent this value.
func (o *Object) tookLast(f *spec.Field, got any) bool {
	v, sent := o.taken[f.Name]
	if text, coerced := value.TextOf(f, v); coerced {
		v = text
	}
	return sent && (oracle.Equal(f, v, got) || value.Altered(v, got))
}

// maxTried bounds the texts that are kept.
const maxTried = 1000

// wasSent says whether the text is one, or a part of one, that was sent to the object.
func (o *Object) wasSent(text string) bool {
	for sent := range o.tried {
		if strings.Contains(sent, text) {
			return true
		}
	}
	return false
}

// derived says whether a text may have been made of one that was sent.
func derived(sent, shown string) bool {
	a, b := oracle.LowerASCII(sent), oracle.LowerASCII(shown)
	if strings.Contains(a, b) || strings.Contains(b, a) {
		return true
	}
	for i := 0; i+sharedPart <= len(b); i++ {
		if strings.Contains(a, b[i:i+sharedPart]) {
			return true
		}
	}
	return false
}

// heldEver says whether the target file or an answer gave the text as a value of the
// object.
func (o *Object) heldEver(text string) bool {
	for _, values := range []map[string]any{o.Given, o.original, o.Constant, o.Holds, o.previous, o.firstShown} {
		for _, v := range values {
			if v == any(text) {
				return true
			}
		}
	}
	for _, values := range o.earlier {
		if contains(values, nil, text) {
			return true
		}
	}
	return false
}

// noteUnknown notes an unknown text at its first sight; later the object is known to
// have held it.
func (t *Test) noteUnknown(o *Object, f *spec.Field, got any) {
	if !t.Recorded && t.isUnknown(f, got) {
		o.Unknown[got.(string)] = true
	}
}

// MayBeAnotherWriters makes a finding about an unknown text tentative.
func (t *Test) MayBeAnotherWriters(f *Finding, r *testcase.Result, o *Object, field *spec.Field, got any) {
	text, _ := got.(string)
	if f == nil || !o.Unknown[text] {
		return
	}
	r.Tentative = true
	t.Model.Outcome.hold(TentativeFinding{Finding: f, Result: r, Object: o, Unknown: &UnknownText{o, field.Name, text}})
}

// Reason says what the operator has to know of another writer. The text is presented
// before it is shortened, or part of a key in it might be left.
func (s *UnknownText) Reason(present func(string) string) string {
	return fmt.Sprintf("somebody else writes to %s (%d) during the run: its %s was %s, "+
		"which this run did not send and the target had not shown before; run while nobody else uses it, or name another",
		s.Object.Name(), s.Object.ID(), s.Field, value.Show(present(s.Text)))
}
