package k6

import (
	"fmt"
	"maps"
	"strings"

	"github.com/adconform/adconform/suites/judge/model"
	"github.com/adconform/adconform/suites/value"
)

// Object is an object that the load changes, and the request that puts it back.
type Object struct {
	Operation string   `json:"operation"`
	Object    string   `json:"object"` // where the target file names it
	Method    string   `json:"method"`
	Path      string   `json:"path"`
	As        string   `json:"as"`
	Body      string   `json:"body,omitempty"` // "" when the target file gives nothing of it
	Lost      []string `json:"lost,omitempty"` // fields that the target file does not give: they keep a value of the load
}

// changed is an object that was written.
type changed struct {
	path   string
	set    int // of objects, to which it belongs
	object *model.Object
	fields map[string]any // as last set
}

// changes are the objects that were written, in the order of the first writes.
type changes []*changed

// take notes what a case writes. It is false, and nothing is noted, when the case
// writes to an object of another set: two VUs would be in each other's way.
func (c *changes) take(set int, s sent) bool {
	for _, w := range s.written {
		if at := c.at(w.object); at != nil && at.set != set {
			return false
		}
	}
	for _, w := range s.written {
		at := c.at(w.object)
		if at == nil {
			at = &changed{path(w.object), set, w.object, map[string]any{}}
			*c = append(*c, at)
		}
		maps.Copy(at.fields, w.fields)
	}
	return true
}

func (c changes) at(o *model.Object) *changed {
	for _, at := range c {
		if at.path == path(o) {
			return at
		}
	}
	return nil
}

// back puts an object back to what the target file says. A field that it does
// not give goes with the last value of the load, as the target may ask for all.
func (f *changed) back() Object {
	op := f.object.Op
	o := Object{Operation: op.ID, Object: "objects." + f.object.Key, Method: op.Method, Path: f.path, As: "owner"}
	if f.object.Foreign {
		o.Object, o.As = f.object.Key, "stranger"
	}
	values := map[string]any{}
	given := 0
	for _, field := range op.Body.Fields {
		v, ok := f.object.Given[field.Meaning]
		if ok && (v != nil || field.Optional) {
			values[field.Name] = v
			given++
			continue
		}
		last, ok := f.fields[field.Name]
		if !ok {
			continue // the load does not touch it
		}
		o.Lost = append(o.Lost, field.Name)
		if _, text := last.(string); text {
			values[field.Name] = last
		}
	}
	if given > 0 {
		o.Body = string(value.ObjectBody(op.Body, values).Raw)
	}
	return o
}

// path is the path of an object, from the base URL on.
func path(o *model.Object) string {
	return o.Op.At(o.Path()...)
}

// String says what cannot be put back: "otherCampaign (name)".
func (o Object) String() string {
	return fmt.Sprintf("%s (%s)", o.Object, strings.Join(o.Lost, ", "))
}
