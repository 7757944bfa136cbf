package judge

import (
	"fmt"
	"strings"

	"github.com/adconform/adconform/suites/oracle"
)

// before are the fields as they were before the run, by wire name: as the target
// file gives them, else as they were first seen; and those of which nothing is
// known.
func (o *Object) Before() (values map[string]any, unknown []string) {
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
	_, unknown := o.Before()
	return o.IsMain() || len(unknown) == 0
}

// NotWritten says why a case that would update a neighbour is not tested.
func (o *Object) NotWritten() string {
	return o.Name() + " is not written to: the target file does not give its values, and the target does not show them"
}

// shownOtherwise is a field that an answer shows with another value than was
// sent, "" when there is none.
func (o *Object) ShownOtherwise(values map[string]any, a *Answer) string {
	for _, name := range SortedKeys(values) {
		got, ok := a.Shown[name]
		if f := o.Op.Body.Named(name); ok && values[name] != nil && !oracle.Equal(f, values[name], got) {
			return fmt.Sprintf("%s %s instead of %s", name, Show(got), Show(values[name]))
		}
	}
	return ""
}

// caveat says what the operator should know of an object that was put back.
func (o *Object) Caveat(values map[string]any) string {
	var words []string
	for _, name := range SortedKeys(values) {
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
