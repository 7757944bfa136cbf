package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/spec"
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
	return contains(o.earlier(f.Name), f, got) && !o.becameByNull(f, got)
}

// becameByNull reports whether an accepted null gave a field this value, which it did not hold before: a default, which
// updates that leave the field out may show as well.
func (o *Object) becameByNull(f *spec.Field, got any) bool {
	var last any
	isNull := false
	for _, e := range o.history.events {
		v, ok := e.Values[f.Name]
		switch {
		case !ok:
		case e.What == Taken:
			isNull = v == nil
		case isNull && e.What == Set && oracle.Equal(f, v, got) && !oracle.Equal(f, last, got):
			return true
		case e.What == Set || e.What == Shown && !e.Beside:
			last = v
		}
	}
	return false
}

func contains(values []any, f *spec.Field, got any) bool {
	return slices.ContainsFunc(values, func(v any) bool { return oracle.Equal(f, v, got) })
}

// untrue reports whether the target file gives a field a value other than the one that the target showed before the
// run could have changed it.
func (o *Object) untrue(f *spec.Field) bool {
	given, named := o.Given[f.Meaning]
	first, e := o.original(f.Name)
	return named && e != nil && e.fresh && e.Way.keeps(f.Name) && contradicts(f, given, first)
}

// contradicts reports whether a value that is shown is not the one that the target file gives, in any form.
func contradicts(f *spec.Field, given, shown any) bool {
	if given == nil && shown == "" || f.Date && oracle.SameDate(given, shown) {
		return false
	}
	return !oracle.Equal(f, given, shown) && !oracle.Altered(given, shown)
}

// A Look is an object with the representation that a request which set nothing showed before any write.
type Look struct {
	*Object
	Shown map[string]any
}

// value returns the value that a field of the representation shows, and whether it has the type of the field.
func (r *Look) value(f *spec.Field) (v any, isTyped bool) {
	v, isThere := r.Shown[f.Name]
	_, isText := v.(string)
	_, isInteger := oracle.Integer(v)
	switch {
	case v == nil:
		return nil, f.Optional
	case f.Type == "integer":
		return v, isInteger
	}
	return v, isThere && isText
}

// contradicts reports whether a field shows another value than the target file gives.
func (r *Look) contradicts(f *spec.Field) bool {
	given, isGiven := r.Given[f.Meaning]
	shown, isTyped := r.value(f)
	return isGiven && isTyped && contradicts(cmp.Or(r.Op.Body.Field(f.Meaning), f), given, shown)
}

// Misgiven describes the values of the target file that a read contradicts, or returns "". isSure reports whether the target is
// not to blame for any of them, as far as reads of others of its objects show.
func (s *Model) Misgiven(r *Look, others []*Look) (words string, isSure bool) {
	rep := r.Op.Representation()
	if id := rep.Field("id"); id != nil && !r.ID().Is(oracle.IDOf(r.Shown[id.Name])) {
		return "", false
	}
	var all []string
	isSure = true
	for _, f := range rep.Fields {
		given, shown := r.Given[f.Meaning], r.Shown[f.Name]
		if !r.contradicts(f) || s.isRenamed(f, given) || isLeftOver(shown) {
			continue
		}
		all = append(all, misgiven(f, given, shown))
		isSure = isSure && !isNullAsText(shown) && !s.givenElsewhere(r, f) && r.isRightlyShown(f, others)
	}
	return strings.Join(all, "; "), isSure
}

// isRightlyShown reports whether the target seems to show the right value in a field: it does in another object and, as a faulty
// target may show the same value always, there not the same.
func (r *Look) isRightlyShown(f *spec.Field, others []*Look) bool {
	shown, _ := r.value(f)
	isRight := false
	for _, other := range others {
		theirs, isTyped := other.value(f)
		_, isGiven := other.Given[f.Meaning]
		switch {
		case other.Object == r.Object || !isTyped:
		case other.contradicts(f):
			return false
		case f.Stays:
			isRight = isRight || isGiven
		default:
			isRight = isRight || !oracle.Equal(f, theirs, shown)
		}
	}
	return isRight
}

// isNullAsText reports whether a value is a text that programs write where they make a text of a null.
func isNullAsText(v any) bool {
	text, _ := v.(string)
	return slices.Contains(nullTexts, strings.ToLower(text))
}

// isLeftOver reports whether an earlier run made up a value.
func isLeftOver(v any) bool {
	text, _ := v.(string)
	return len(fixtures.Tokens(text)) > 0
}

func isListed(f *spec.Field) bool { return len(f.Enum) > 0 }

// isRenamed reports whether the vendor's document has other values than the target file gives.
func (s *Model) isRenamed(f *spec.Field, given any) bool {
	text, _ := given.(string)
	return s.Contract != spec.Load() && isListed(f) && !slices.Contains(f.Enum, text)
}

// givenElsewhere reports whether the target file gives a text that a field shows for another field or object.
func (s *Model) givenElsewhere(r *Look, f *spec.Field) bool {
	text, _ := r.Shown[f.Name].(string)
	if text == "" || isListed(f) || f.Date {
		return false
	}
	for key, objects := range s.Target.Objects {
		for _, other := range objects {
			if key != r.Key && other.Values[f.Meaning] == any(text) {
				return true
			}
		}
	}
	return hasText(r.Given, text)
}

// NoteUntrue notes the values of the target file that differ from what the target shows.
func (s *Model) NoteUntrue() {
	for _, o := range s.Order {
		if !o.Op.Updates() {
			continue
		}
		for _, f := range o.Op.Body.Fields {
			if !s.isRenamed(f, o.Given[f.Meaning]) && o.untrue(f) {
				first, _ := o.original(f.Name)
				s.noteMisgiven(o, f, o.Given[f.Meaning], first)
			}
		}
	}
}

// noteMisgiven notes a value of the target file that differs from what the target shows.
func (s *Model) noteMisgiven(o *Object, f *spec.Field, given, shown any) {
	s.Outcome.NoteMistake(s.Presentable(Misnamed(o.Name(), misgiven(f, given, shown))))
}

func misgiven(f *spec.Field, given, shown any) string {
	return fmt.Sprintf("%s %s, and the target shows %s", f.Meaning, oracle.Show(given), oracle.Show(shown))
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
