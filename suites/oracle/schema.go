package oracle

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/adconform/adconform/spec"
)

// place is one that the document describes in a body.
type place struct {
	parent, name string // the JSON pointer of what it is in, and its name there
	schema       *openapi3.Schema
	object       *spec.Object // with its members; nil where it has none
	items        *spec.Object // of an array; nil where it is none
	clause       string       // of the deepest schema on the way that names one
	value        any
	shown        bool // the body has it
	whole        bool // the whole body, or an item of an array
}

func (p place) pointer() string {
	if p.parent == "" && p.name == "" {
		return ""
	}
	return p.parent + pointer(p.name)
}

// member is a field of p, an object.
func (p place) member(f *spec.Field, at string, object map[string]any) place {
	value, shown := object[f.Name]
	return place{at, f.Name, f.Schema, f.Object, f.Items, cmp.Or(f.Clause, p.clause), value, shown, false}
}

// walk visits a place, and the places in it that the document describes; those of members that
// need not be there as well where they are not.
func (p place) walk(visit func(place)) {
	visit(p)
	switch v := p.value.(type) {
	case map[string]any:
		if p.object != nil {
			at := p.pointer()
			for _, f := range p.object.Fields {
				if _, shown := v[f.Name]; shown || spec.MayBeAbsent(f.Schema) {
					p.member(f, at, v).walk(visit)
				}
			}
		}
	case []any:
		if p.items != nil {
			at, schema := p.pointer(), p.items.Schema
			clause := cmp.Or(spec.ClauseOf(schema), p.clause)
			for i, item := range v {
				place{at, strconv.Itoa(i), schema, p.items, nil, clause, item, true, true}.walk(visit)
			}
		}
	}
}

// follow is the place to which names lead from p, as far as the document describes the way.
func (p place) follow(names []string) place {
	for _, name := range names {
		object, _ := p.value.(map[string]any)
		if f := p.object.Named(name); f != nil {
			p = p.member(f, "", object)
		} else {
			p.object = nil
			p.value, p.shown = object[name]
		}
	}
	return p
}

// asResponse: all mismatches, not only the first.
var asResponse = []openapi3.SchemaValidationOption{openapi3.MultiErrors(), openapi3.VisitAsResponse()}

// enough is the number of mismatches after which a body is validated no further.
const enough = 10_000

// ofWholeLists are the clauses of numbers that the checks of lists judge, by more than
// their type.
var ofWholeLists = []string{"MEDIA-4", "MEDIA-5", "MEDIA-6"}

// judgeSchema validates the body with kin-openapi. The checks on integers, URLs and
// dates judge what it does not see. The items of arrays are validated one by one, as
// kin-openapi keeps hundreds of bytes for each mismatch. A clause is judged where its place
// is shown, or may be absent (x-absent).
func judgeSchema(j *judging) {
	schemas := map[*spec.Object]*openapi3.Schema{}
	j.body.walk(func(p place) {
		clause := spec.ClauseOf(p.schema)
		if !slices.Contains(ofWholeLists, clause) {
			j.judged(clause)
		}
		if !p.whole || len(j.taken) > enough {
			return
		}
		if schemas[p.object] == nil {
			schemas[p.object] = withoutItems(p.object)
		}
		if err := schemas[p.object].VisitJSON(p.value, asResponse...); err != nil {
			for _, err := range flatten(nil, err) {
				j.schemaError(p, err)
			}
		}
	})
}

// withoutItems is the schema of an object with any items in its arrays.
func withoutItems(o *spec.Object) *openapi3.Schema {
	s := *o.Schema
	s.Properties = maps.Clone(s.Properties)
	for _, f := range o.Fields {
		property := *f.Schema
		switch {
		case f.Object != nil:
			property = *withoutItems(f.Object)
		case f.Items != nil:
			property.Items = nil
		}
		s.Properties[f.Name] = &openapi3.SchemaRef{Value: &property}
	}
	return &s
}

// flatten lists the single errors of nested ones.
func flatten(list []error, err error) []error {
	var many openapi3.MultiError
	if !errors.As(err, &many) {
		return append(list, err)
	}
	for _, e := range many {
		list = flatten(list, e)
	}
	return list
}

// schemaError reports what kin-openapi found in p. A number in the place of a date is
// judged as a date.
func (j *judging) schemaError(p place, err error) {
	var e *openapi3.SchemaError
	if !errors.As(err, &e) {
		e = &openapi3.SchemaError{Reason: err.Error()}
	}
	names := e.JSONPointer()
	at := p.follow(names)
	if _, isText := at.value.(string); !isText && spec.IsDate(at.schema) {
		if _, ok := ReadMoment(at.value); ok {
			return
		}
	}
	want, got, breach := e.Reason, "nothing", "the answer lacks a member"
	if slices.Contains([]string{"type", "required", "nullable", "enum", "format"}, e.SchemaField) {
		want = expected(at.schema)
	}
	if at.shown {
		got = show(at.value)
		breach = fmt.Sprintf("the answer has %s where %s belongs", Kind(at.value), clip(want))
	}
	j.mismatch(at.clause, breach, p.pointer()+pointer(names...), want, got)
}

// expected says what a schema asks for.
func expected(s *openapi3.Schema) string {
	var text string
	switch {
	case len(s.Enum) > 0:
		var values []string
		for _, v := range s.Enum {
			if v != nil {
				values = append(values, fmt.Sprint(v))
			}
		}
		text = "one of " + strings.Join(values, ", ")
	case s.Type.Is(openapi3.TypeInteger):
		text = "an integer of 64 bits"
	case s.Type.Is(openapi3.TypeObject), s.Type.Is(openapi3.TypeArray):
		text = "an " + s.Type.Slice()[0]
	case s.Format == "uri":
		text = "an absolute http or https URL"
	case spec.IsDate(s):
		text = "a date that exists, for example 2024-01-01T00:00:00Z"
	default:
		text = "a " + strings.Join(s.Type.Slice(), " or a ")
	}
	if s.Nullable {
		text += ", or null"
	}
	return text
}
