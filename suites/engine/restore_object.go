package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/suites/oracle"
)

// verify looks whether an object holds what was put back, and puts it back once
// more where it does not. It says whether it had to.
func (s *Session) verify(ctx context.Context, o *Object, change *Change) bool {
	values, _ := o.before()
	t := s.restorer(ctx, o)
	looked := false
	differs := func() string {
		o.uncertain = true // so that what is shown counts, and nothing is judged by it
		seen := t.Read(o)
		looked = len(seen) > 0
		for _, name := range seen {
			if want, ok := values[name]; ok && !oracle.Equal(o.Op.Body.Named(name), want, o.last[name]) {
				return fmt.Sprintf("%s %s instead of %s", name, Show(o.last[name]), Show(want))
			}
		}
		return ""
	}
	switch {
	case differs() != "":
	case !looked && s.Model.forgets(o.Op):
		change.Restored = false
		change.Reason = "the target took the old values, but does not keep what it is told, and shows no way to look"
		change.Undo = t.putBack(o, values).Exchange.Curl()
		return false
	default:
		return false
	}
	*change = s.restore(ctx, o)
	if got := differs(); got != "" && change.Restored {
		change.Restored = false
		change.Reason = "the target took the old values, and then shows " + got
		change.Undo = t.putBack(o, values).Exchange.Curl()
	}
	return true
}

// restorer is the hand that puts an object back. What it finds is not reported:
// the run is over.
func (s *Session) restorer(ctx context.Context, o *Object) *T {
	c := &Case{ID: o.Op.ID + "/restore/" + o.Name(), Operation: o.Op, Class: classRestore}
	return s.aside(ctx, c, c.ID)
}

// putBack sends the values that an object had. A field of which nothing is known
// goes with its last value, as the target may ask for all.
func (t *T) putBack(o *Object, values map[string]any) *Answer {
	values = maps.Clone(values)
	for _, f := range o.Op.Body.Fields {
		if last, known := o.last[f.Name]; known && last != nil {
			if _, ok := values[f.Name]; !ok {
				values[f.Name] = last
			}
		}
	}
	return t.ask(Call{
		Op: o.Op, Object: o, As: t.Test.user(o), Body: ObjectBody(o.Op.Body, values), Succeeds: true,
	}, Expect{Success: true, Statuses: []int{http.StatusUnprocessableEntity}, OnlyCrash: true})
}

func (s *Session) restore(ctx context.Context, o *Object) Change {
	change := Change{Object: o.Name(), ID: o.ID(), Change: "updated"}
	if !o.changed {
		change.Change = "perhaps updated"
	}
	values, unknown := o.before()
	if len(values) == 0 && !o.changed && s.untouched(ctx, o) {
		change.Restored, change.Reason = true, "an answer was lost, and nothing that was sent shows"
		return change
	}
	if len(values) == 0 {
		change.Reason = "the target file does not give its values, and no answer showed them before the first write"
		return change
	}
	var t *T
	var a *Answer
	for range restores {
		t = s.restorer(ctx, o)
		a = t.putBack(o, values)
		if a.Exchange.Err == nil && a.Status < 500 || ctx.Err() != nil || s.Model.Outcome.spared(o.Op.ID) {
			break
		}
	}
	otherwise := o.shownOtherwise(values, a)
	switch {
	case errors.Is(context.Cause(t.Ctx), errSpared):
		change.Reason, change.Undo = "not tried: "+errSpared.Error(), a.Exchange.Curl()
	case a.Exchange.Err != nil:
		change.Reason, change.Undo = "the target did not answer: "+a.Exchange.Err.Error(), a.Exchange.Curl()
	case !a.OK:
		change.Reason, change.Undo = "the target refused the old values: "+a.StatusText(), a.Exchange.Curl()
	case otherwise != "":
		change.Reason, change.Undo = "the target took the old values and shows "+otherwise, a.Exchange.Curl()
	case len(unknown) > 0:
		change.Reason = fmt.Sprintf("neither the target file nor an answer before the first write gave %s; the rest is put back", strings.Join(unknown, ", "))
	default:
		change.Restored = true
		change.Reason = o.caveat(values)
	}
	return change
}

// untouched says whether an object, of which no answer showed what it held, shows
// nothing of what the run made up.
func (s *Session) untouched(ctx context.Context, o *Object) bool {
	t := s.restorer(ctx, o)
	seen := t.Read(o)
	return len(seen) == len(fieldNames(o.Op)) && !slices.ContainsFunc(seen, func(name string) bool { return s.Model.isOurs(o.last[name]) })
}

// restores is how often putting an object back is tried on a target that fails
// now and then.
const restores = 3

// before are the fields as they were before the run, by wire name: as the target
// file gives them, else as they were first seen; and those of which nothing is
// known.
func (o *Object) before() (values map[string]any, unknown []string) {
	values = map[string]any{}
	for _, f := range o.Op.Body.Fields {
		v, ok := o.Given[f.Meaning]
		if !ok {
			v, ok = o.original[f.Name]
		}
		if ok && (v != nil || f.Optional) { // a null that nobody can have set is no value to put back
			values[f.Name] = v
		} else {
			unknown = append(unknown, f.Name)
		}
	}
	return values, unknown
}

// MayWrite says whether an object may be updated: one beside the operation's own is
// only where it is known what to put back.
func (o *Object) MayWrite() bool {
	_, unknown := o.before()
	return o.isMain() || len(unknown) == 0
}

// NotWritten says why a case that would update a neighbour is not tested.
func (o *Object) NotWritten() string {
	return o.Name() + " is not written to: the target file does not give its values, and the target does not show them"
}

// shownOtherwise is a field that an answer shows with another value than was
// sent, "" when there is none.
func (o *Object) shownOtherwise(values map[string]any, a *Answer) string {
	for _, name := range sortedKeys(values) {
		got, ok := a.Shown[name]
		if f := o.Op.Body.Named(name); ok && values[name] != nil && !oracle.Equal(f, values[name], got) {
			return fmt.Sprintf("%s %s instead of %s", name, Show(got), Show(values[name]))
		}
	}
	return ""
}

// caveat says what the operator should know of an object that was put back.
func (o *Object) caveat(values map[string]any) string {
	var words []string
	for _, name := range sortedKeys(values) {
		f := o.Op.Body.Named(name)
		_, given := o.Given[f.Meaning]
		if first, seen := o.original[name]; given && seen && !oracle.Equal(f, values[name], first) {
			words = append(words, fmt.Sprintf("put back to what the target file says; %s was first seen as %s", name, Show(first)))
		}
	}
	if o.late {
		words = append(words, "a write of the run timed out, and may still land")
	}
	return strings.Join(words, "; ")
}
