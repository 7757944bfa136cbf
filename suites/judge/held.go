package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

// wasHeld reports whether the object held a text before the last success. A text that only requests without the field
// have shown may be the target's fixed default, see session.T.confirmDefault.
func (s *State) wasHeld(o *Object, f *spec.Field, got any) bool {
	if given, ok := o.Given[f.Meaning]; ok && oracle.Equal(f, given, got) {
		return true
	}
	for key, w := range s.ways {
		if key.op == o.Op.ID && !w.reads() && slices.ContainsFunc(w.events, func(e *Event) bool {
			v, ok := e.Values[f.Name]
			return ok && (e.As == Default || e.As == NoDefault || e.As == First && !s.IsOurs(v)) && oracle.Equal(f, v, got)
		}) {
			return false
		}
	}
	return contains(o.earlier(f.Name), f, got)
}

func contains(values []any, f *spec.Field, got any) bool {
	return slices.ContainsFunc(values, func(v any) bool { return oracle.Equal(f, v, got) })
}

// untrue reports whether the target file gives a field a value other than the one that the target showed before the
// run could have changed it.
func (o *Object) untrue(f *spec.Field) bool {
	given, named := o.Given[f.Meaning]
	first, e := o.original(f.Name)
	return named && e != nil && e.fresh && e.Way.keeps(f.Name) &&
		!oracle.Equal(f, given, first) && !oracle.Altered(given, first) && !(given == nil && first == "")
}

// NoteUntrue notes the values of the target file that differ from what the target shows.
func (s *Model) NoteUntrue() {
	published := spec.Load()
	for _, o := range s.Order {
		if !o.Op.Updates() {
			continue
		}
		for _, f := range o.Op.Body.Fields {
			given, _ := o.Given[f.Meaning].(string)
			renamed := s.Contract != published && len(f.Enum) > 0 && !slices.Contains(f.Enum, given) // the vendor's document has other values
			if !renamed && o.untrue(f) {
				first, _ := o.original(f.Name)
				s.noteMisgiven(o, f, o.Given[f.Meaning], first)
			}
		}
	}
}

// noteMisgiven notes a value of the target file that differs from what the target shows.
func (s *Model) noteMisgiven(o *Object, f *spec.Field, given, shown any) {
	words := fmt.Sprintf("%s %s, and the target shows %s", f.Meaning, oracle.Show(given), oracle.Show(shown))
	s.Outcome.NoteMistake(s.Presentable(Misnamed(o.Name(), words)))
}

// where describes the object to which an update sent a text that another object shows, or returns "" if there is no such update.
func (e *Event) where() string {
	switch {
	case e == nil:
		return ""
	case e.of.Placeholder():
		return ", which was sent to an unknown id, in " + e.By.Case.ID
	}
	return fmt.Sprintf(", which was sent to %s in %s", e.of.Name(), e.By.Case.ID)
}

// minTaint is the least length of a text that only this run can have sent. A shorter one (pass, true) may be a coincidence.
const minTaint = 12

// Remember notes where each made-up text is sent, so that it is recognised on another object. An unknown text that the
// object already holds, and that is only sent back, is not made up.
func (t *Test) Remember(c *Call) {
	o, known := c.Object, t.Model.sent
	t.Model.Outcome.NoteMade(string(c.Body.Raw)) // values from the target file may hold tokens, too
	c.tried = &Event{What: Tried, By: t.Result, Values: c.Body.Fields}
	if o != nil && len(c.Body.Fields) > 0 {
		c.tried = o.note(*c.tried)
	}
	for _, v := range c.Body.Fields {
		text, _ := v.(string)
		if known[text] == nil && len(text) >= minTaint && (o == nil || !o.HasUnknown(text)) {
			known[text] = c.tried
		}
	}
}

// origin returns the first update that sent a value, if it is a text that the run made up, or nil.
func (s *State) origin(v any) *Event {
	text, _ := v.(string)
	return s.sent[text]
}

// IsOurs reports whether a value is a text that the run made up.
func (s *State) IsOurs(v any) bool { return s.origin(v) != nil }

// sharedPart is the least length of a common part that shows that one text was made from another.
const sharedPart = 5

// isUnknown reports whether a value is a plain text that this run did not send, in any form, and that the target had
// not shown.
func (s *State) isUnknown(f *spec.Field, got any) bool {
	text, ok := got.(string)
	if !ok || strings.TrimSpace(text) == "" || len(f.Enum) > 0 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
		return false
	}
	for sent := range s.sent {
		if derived(sent, text) {
			return false
		}
	}
	return !slices.ContainsFunc(s.Order, func(o *Object) bool {
		shows := func(e *Event) bool { return hasText(e.Values, text) }
		return hasText(o.Given, text) || o.last(shows) != nil || o.sent(func(t string) bool { return strings.Contains(t, text) })
	})
}

// maxTried is the length of the longest text that is compared.
const maxTried = 1000

// derived reports whether a text may have been made from one that was sent.
func derived(sent, shown string) bool {
	a, b := strings.ToLower(sent), strings.ToLower(shown)
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
