package judge

import (
	"fmt"
	"strings"

	"github.com/adconform/adconform/suites/wire"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

// A target may keep a field that a request leaves out, or set it to one fixed
// default: that is open. It may not show what the field held before the last
// success. A way to ask (GET, {}, {"name": …}) is trusted to read state back
// only after it has shown the last value of two different ones.

// modeKey is a way of asking: the operation and the fields that were sent.
type modeKey struct {
	op     string
	fields string // sorted wire names joined by commas; "GET" for a read
}

// mode is what a way of asking was seen to show of the fields it left out.
type mode struct {
	kept     map[string]map[string]bool // by field: last values that were shown
	Defaults map[string]map[string]bool // by field: other values that were shown
	trailing map[string]map[string]bool // by field: values from before the last success
	Refused  bool
}

// keeps says whether the way of asking was seen twice to show the last value.
func (m *mode) keeps(field string) bool {
	return m != nil && len(m.kept[field]) >= 2 && len(m.Defaults[field]) == 0
}

// Mode is what a way of asking, named by the fields that it sends, was seen to show.
func (s *Model) Mode(op *spec.Operation, fields string) *mode {
	key := modeKey{op.ID, fields}
	m := s.modes[key]
	if m == nil {
		m = &mode{kept: map[string]map[string]bool{}, Defaults: map[string]map[string]bool{}, trailing: map[string]map[string]bool{}}
		s.modes[key] = m
	}
	return m
}

// ReadMode is GET of the object's path, which is published for campaigns only.
const ReadMode = "GET"

// ModeOf names the way of asking with a body.
func ModeOf(b *Body) string { return strings.Join(SortedKeys(b.Fields), ",") }

func mark(m map[string]map[string]bool, field string, v any) {
	if m[field] == nil {
		m[field] = map[string]bool{}
	}
	m[field][Show(v)] = true
}

// judgeOmitted judges what an accepted update shows of a field that it did not
// send.
func (t *Test) judgeOmitted(c *Call, f, r *spec.Field, got any) {
	how := t.Model.Mode(c.Op, ModeOf(c.Body))
	if t.CompareLast(c, how, f, r, got) {
		c.Object.Holds[f.Name] = got
	}
}

// CompareLast compares a field that an answer shows without having been sent
// with the last value known, and says whether they differ.
func (t *Test) CompareLast(c *Call, how *mode, f, r *spec.Field, got any) bool {
	o := c.Object
	last, known := o.Holds[f.Name]
	if !known || o.Uncertain || o.late || c.Loose {
		if text, _ := got.(string); t.Model.sent[text].object == o || !t.Model.IsOurs(got) {
			o.remember(f.Name, got)
		} else {
			o.Touched = true
		}
		if !known && !o.Changed && !o.elsewhere && how != t.Model.Mode(c.Op, ReadMode) {
			o.firstShown[f.Name] = got
		}
		if text, ok := got.(string); ok && !o.Uncertain && !c.Loose {
			if from, ours := t.Model.sent[text]; ours && from.object != o {
				t.Find(from.check(), Finding{
					Clause: from.clause(), Pointer: Pointer(c.Op, r), Expected: fmt.Sprintf("%s of %s, which no request named yet", r.Name, o.Name()), Got: Show(got) + from.where(),
				})
			}
		}
		return true
	}
	clause := c.Op.Effects["persists"]
	report := func(check, clause, why string) bool {
		o.Touched = true
		found := t.Find(check, Finding{
			Clause: clause, Pointer: Pointer(c.Op, r), Expected: fmt.Sprintf("%s %s, %s", r.Name, Show(last), o.since()), Got: Show(got) + why,
		})
		t.MayBeAnotherWriters(found, t.Result, o, f, got)
		return true
	}
	if oracle.Equal(f, last, got) {
		mark(how.kept, f.Name, last)
		if how.keeps(f.Name) {
			t.CoveredIf(o.Changed, clause)
			t.CoveredIf(o.Refused(), "EFFECT-1")
			if how != t.Model.Mode(c.Op, ReadMode) {
				t.Observe("omitted-fields", "kept")
			}
			if n := t.Model.updates[o.Op.ID]; n > o.looked { // another object was updated meanwhile
				t.Covered("EFFECT-2")
				o.looked = n
			}
		}
		return false
	}
	t.noteUnknown(o, f, got)
	if altered(last, got) { // shown as it was sent, and stored trimmed or folded
		t.noteAltered(c.Op, f, r, last, got)
		return true
	}
	if by := o.refusedWith(f.Name, got); by != nil && (how.keeps(f.Name) || t.Model.IsOurs(got)) {
		o.Touched = true
		t.blame(by, "refused-write", Finding{
			Clause: "EFFECT-1", WFC: 114, Pointer: Pointer(c.Op, r), Expected: fmt.Sprintf("%s %s: a request that was refused with %d changes nothing", r.Name, Show(last), by.status), Got: Show(got) + ", which only the refused request sent",
		})
		return true
	}
	if text, ok := got.(string); ok {
		if from, ours := t.Model.sent[text]; ours && from.object != o {
			return report(from.check(), from.clause(), from.where())
		}
	}
	if how.keeps(f.Name) {
		lost := t.Model.IsOurs(got) && contains(o.earlier[f.Name], f, got) // an old value of ours: an update was not made
		if o.Refused() && o.IsMain() && !lost {
			by := &o.Refusals[len(o.Refusals)-1]
			o.Touched = true
			found := t.blame(by, "refused-write", Finding{
				Clause: "EFFECT-1", WFC: 114, Pointer: Pointer(c.Op, r), Expected: fmt.Sprintf("%s %s: refused requests change nothing", r.Name, Show(last)), Got: fmt.Sprintf("%s after %d refused requests", Show(got), len(o.Refusals)),
			})
			t.MayBeAnotherWriters(found, by.result, o, f, got)
			return true
		}
		if !o.Changed && !o.elsewhere {
			return report("other-object", "EFFECT-2", ", though no request named this object")
		}
		return report("stale", clause, t.originOf(o, got))
	}
	if how == t.Model.Mode(c.Op, ReadMode) { // a read that the document does not declare may be of another kind
		mark(how.Defaults, f.Name, got)
		return false
	}
	t.CoveredIf(o.Changed, clause)
	if text, ok := got.(string); ok && text != "" && len(f.Enum) == 0 && t.Model.wasHeld(o, f, got) && (!f.Optional || t.Model.IsOurs(got)) {
		return report("stale", clause, ", the value from before the last success")
	}
	if prev, ok := o.previous[f.Name]; ok && oracle.Equal(f, prev, got) && !t.Model.maybeDefault(o, f, got) {
		mark(how.trailing, f.Name, got)
		if len(how.trailing[f.Name]) >= 2 {
			return report("stale", clause, ", the value from before the last success, again")
		}
	}
	mark(how.Defaults, f.Name, got)
	t.Observe("omitted-fields", "reset")
	if len(how.Defaults[f.Name]) >= 2 {
		return report("stale", clause, ", neither the last value nor one fixed default")
	}
	return true
}

// wasHeld says whether a text is one that the object held before the last
// success: one that was sent, or that the target file gives. A text that only
// requests without the field ever showed may be the target's fixed default, see
// confirmDefault.
func (s *Model) wasHeld(o *Object, f *spec.Field, got any) bool {
	if given, ok := o.Given[f.Meaning]; ok && oracle.Equal(f, given, got) {
		return true
	}
	return contains(o.earlier[f.Name], f, got) && !s.maybeDefault(o, f, got)
}

// maybeDefault says whether an update without the field showed the value when
// nothing had set it.
func (s *Model) maybeDefault(o *Object, f *spec.Field, got any) bool {
	if first, ok := o.firstShown[f.Name]; ok && oracle.Equal(f, first, got) {
		return true
	}
	for key, m := range s.modes {
		if key.op == o.Op.ID && key.fields != ReadMode && m.Defaults[f.Name][Show(got)] {
			return true
		}
	}
	return false
}

func contains(values []any, f *spec.Field, got any) bool {
	for _, v := range values {
		if oracle.Equal(f, v, got) {
			return true
		}
	}
	return false
}

// since says where the last value of an object is known from.
func (o *Object) since() string {
	if o.Changed || o.elsewhere {
		return "which the last successful update of " + o.Name() + " set"
	}
	return "as " + o.Name() + " was before the run"
}

// remember notes a first sight of a changeable field.
func (o *Object) remember(field string, v any) {
	if o.Changed || o.elsewhere {
		return
	}
	if o.original == nil {
		o.original = map[string]any{}
	}
	if _, ok := o.original[field]; !ok {
		o.original[field] = v
	}
}

// refusedWith is a refused write that would have set the field to this value
// and that no accepted write set.
func (o *Object) refusedWith(field string, got any) *refusal {
	for i := len(o.Refusals) - 1; i >= 0; i-- {
		r := &o.Refusals[i]
		if v, ok := r.fields[field]; ok && v != nil && oracle.Equal(nil, v, got) && !contains(o.earlier[field], nil, got) {
			return r
		}
	}
	return nil
}

// IsOurs says whether a value is a text that the suite made up.
func (s *Model) IsOurs(v any) bool {
	text, _ := v.(string)
	_, ok := s.sent[text]
	return ok
}

// blame adds a finding to the case of a refused request, not to the one that
// looked.
func (t *Test) blame(by *refusal, check string, f Finding) *Finding {
	f.Curl, f.Exchange = by.sent.Curl(), by.sent.Seq
	at := *t
	at.Case, at.Result, at.answering = by.result.Case, by.result, nil
	found := at.Find(check, f)
	at.Covered(f.Clause)
	return found
}

// The interface has no read of the objects that it updates. Read finds out what
// one holds by a way of asking that was seen to tell, see omitted.go.

// User is the one whose object it is.
func (t *Test) User(o *Object) wire.Credential {
	if o.Foreign {
		return t.Model.Stranger()
	}
	return t.Model.Owner()
}

// TakesParts says whether updates with a single field were taken.
func (t *Test) TakesParts(o *Object) bool {
	for _, f := range FieldNames(o.Op) {
		if m := t.Model.modes[modeKey{o.Op.ID, f}]; m == nil || m.Refused {
			return false
		}
	}
	return len(o.Op.Body.Fields) > 1
}

// Readable says whether a way of asking was seen to tell all these fields.
func (t *Test) Readable(op *spec.Operation, fields string, names []string) bool {
	m := t.Model.modes[modeKey{op.ID, fields}]
	if m == nil || m.Refused {
		return false
	}
	for _, name := range names {
		if !m.keeps(name) {
			return false
		}
	}
	return true
}

// FieldNames are the wire names of the fields that an update sends and its answer shows.
func FieldNames(op *spec.Operation) []string {
	var names []string
	for _, f := range op.Body.Fields {
		if op.Representation().Field(f.Meaning) != nil { // a password, say, is not shown
			names = append(names, f.Name)
		}
	}
	return names
}

// KeepsAll says whether the way of asking was seen to show the last values of all fields.
func (m *mode) KeepsAll(fields []string) bool {
	for _, f := range fields {
		if !m.keeps(f) {
			return false
		}
	}
	return true
}
