package judge

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/spec"
)

// contradicts reports whether a value that is shown is not the one that the target file gives, in any form.
func contradicts(f *spec.Field, given, shown any) bool {
	isEmpty := given == nil && shown == ""
	return !isEmpty && !isSame(f, given, shown) && !oracle.Altered(given, shown)
}

// isSame reports whether two values of a field are the same, though a date may be written in another way.
func isSame(f *spec.Field, given, shown any) bool {
	return oracle.Equal(f, given, shown) || f.Date && oracle.SameDate(given, shown)
}

// A Look is an object with the representation that a request which set nothing showed before any write.
type Look struct {
	*Object
	Shown map[string]any
}

// value returns the value that a field of the representation shows, and whether it has the type of the field.
func (r *Look) value(f *spec.Field) (v any, isTyped bool) {
	v = r.Shown[f.Name]
	_, isText := v.(string)
	_, isInteger := oracle.Integer(v)
	switch {
	case v == nil:
		return nil, f.Optional
	case f.Type == "integer":
		return v, isInteger
	}
	return v, isText
}

// contradicts reports whether a field shows another value than the target file gives.
func (r *Look) contradicts(f *spec.Field) bool {
	given, isGiven := r.Given[f.Meaning]
	shown, isTyped := r.value(f)
	isKnown := isGiven && isTyped
	return isKnown && contradicts(cmp.Or(r.Op.Body.Field(f.Meaning), f), given, shown)
}

// Misgiven describes the values of the target file that a read contradicts, or returns "". isSure reports whether the
// target is not to blame for any of them, as far as reads of others of its objects show.
func (s *Model) Misgiven(r *Look, others []*Look) (words string, isSure bool) {
	rep := r.Op.Representation()
	if id := rep.Field("id"); id != nil && !r.ID().Is(oracle.IDOf(r.Shown[id.Name])) {
		return "", false
	}
	var all []string
	isSure = true
	for _, f := range rep.Fields {
		given := r.Given[f.Meaning]
		shown := r.Shown[f.Name]
		switch {
		case !r.contradicts(f), s.isRenamed(f, given), isLeftOver(shown):
			continue
		case isNullAsText(shown), s.givenElsewhere(r, f), !r.isRightlyShown(f, others):
			isSure = false
		}
		all = append(all, misgiven(f, given, shown))
	}
	return strings.Join(all, "; "), isSure
}

// isRightlyShown reports whether the target seems to show the right value in a field: it does in another object and, as
// a faulty target may show the same value always, there not the same.
func (r *Look) isRightlyShown(f *spec.Field, others []*Look) (isRight bool) {
	shown, _ := r.value(f)
	for _, other := range others {
		theirs, isTyped := other.value(f)
		_, isGiven := other.Given[f.Meaning]
		switch {
		case other.Object == r.Object, !isTyped:
		case other.contradicts(f):
			return false
		case f.Stays && isGiven, !f.Stays && !oracle.Equal(f, theirs, shown):
			isRight = true
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
	isOther := isListed(f) && !slices.Contains(f.Enum, text)
	return isOther && s.Contract != spec.Load()
}

// givenElsewhere reports whether the target file gives a text that a field shows for another field or object.
func (s *Model) givenElsewhere(r *Look, f *spec.Field) bool {
	text, _ := r.Shown[f.Name].(string)
	switch {
	case text == "", isListed(f), f.Date:
		return false
	}
	for key, objects := range s.Target.Objects {
		for _, other := range objects {
			if key != r.Key && other.Values[f.Meaning] == any(text) {
				return true
			}
		}
	}
	return slices.Contains(slices.Collect(maps.Values(r.Given)), any(text))
}

// NoteUntrue notes the values of the target file that differ from what the target shows.
func (s *Model) NoteUntrue() {
	for _, o := range s.Order {
		if o.Op.Updates() {
			for _, f := range o.Op.Body.Fields {
				s.noteUntrue(o, f)
			}
		}
		if rep := o.Op.Representation(); rep != nil {
			for _, f := range rep.Fields {
				s.noteUntrueConstant(o, f)
			}
		}
	}
}

// noteUntrue notes a value of the target file that differs from the one that the target showed before any update.
func (s *Model) noteUntrue(o *Object, f *spec.Field) {
	if !s.isRenamed(f, o.Given[f.Meaning]) && o.untrue(f) {
		first, _ := o.original(f)
		s.noteMisgiven(o, f, o.Given[f.Meaning], first)
	}
}

// noteUntrueConstant notes a value of the target file that differs from the first one that the target showed in a field
// which no request can change.
func (s *Model) noteUntrueConstant(o *Object, f *spec.Field) {
	given, isGiven := o.Given[f.Meaning]
	shown, by := o.known().Constant(f.Name)
	if isKnown := isGiven && by != nil; isKnown && !isSame(f, given, shown) {
		s.noteMisgiven(o, f, given, shown)
	}
}

// noteMisgiven notes a value of the target file that differs from what the target shows.
func (s *Model) noteMisgiven(o *Object, f *spec.Field, given, shown any) {
	s.Outcome.NoteMistake(s.Presentable(Misnamed(o.Name(), misgiven(f, given, shown))))
}

func misgiven(f *spec.Field, given, shown any) string {
	return fmt.Sprintf("%s %s, and the target shows %s", f.Meaning, oracle.Show(given), oracle.Show(shown))
}

// sentTo describes the object to which an update sent a text that another object shows, or returns "" if there is no
// such update.
func (s *State) sentTo(v any) string {
	if s.Sequence == nil {
		return ""
	}
	x := s.Sequence.Origin(v)
	by := s.Sequence.sent[x].by
	switch kind, id := x.Object(); {
	case by == nil:
		return ""
	case s.keyOf(kind, id) == "":
		return ", which was sent to an unknown id, in " + by.Case.ID
	default:
		return fmt.Sprintf(", which was sent to %s in %s", s.keyOf(kind, id), by.Case.ID)
	}
}

// keyOf returns the key under which the target file names an object, or "".
func (s *State) keyOf(kind string, id spec.ID) string {
	for _, named := range s.named {
		if named.Kind == kind && named.ID.Is(id) {
			return named.Bare
		}
	}
	return ""
}

// isHeld reports whether a field held a value before the request that is judged.
func (t *Test) isHeld(o *Object, f *spec.Field, v any) bool {
	return o.known().HeldBefore(f, v, t.shown.Start)
}
