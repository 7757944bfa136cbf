package oracle

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
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
	return place{at, f.Name, f.Schema, f.Object, f.Items, cmp.Or(f.Clause, p.clause), value, shown}
}

// enough is the number of mismatches after which the items of a body are judged no further.
const enough = 1000

// walk visits a place of the body, and the places in it that the document describes; those of members
// that need not be there as well where they are not.
func (j *judging) walk(p place, visit func(place)) {
	visit(p)
	switch v := p.value.(type) {
	case map[string]any:
		at := p.pointer()
		for _, f := range p.fields() {
			if _, shown := v[f.Name]; shown || spec.MayBeAbsent(f.Schema) {
				j.walk(p.member(f, at, v), visit)
			}
		}
	case []any:
		if p.items != nil {
			at, schema := p.pointer(), p.items.Schema
			clause := cmp.Or(spec.ClauseOf(schema), p.clause)
			for i := 0; i < len(v) && len(j.taken) < enough; i++ {
				j.walk(place{at, strconv.Itoa(i), schema, p.items, nil, clause, v[i], true}, visit)
			}
		}
	}
}

// ofWholeLists are the clauses of numbers that the checks of lists judge, by more than
// their type.
var ofWholeLists = []string{"MEDIA-4", "MEDIA-5", "MEDIA-6"}

// judgeSchema validates each place of the body with kin-openapi. The checks on integers, URLs and
// dates judge what it does not see, and whether a number may stand for a date. A clause is judged
// where its place is shown, or may be absent (x-absent).
func judgeSchema(j *judging) {
	schemas := map[*openapi3.Schema]*openapi3.Schema{}
	j.walk(j.body, func(p place) {
		if clause := spec.ClauseOf(p.schema); !slices.Contains(ofWholeLists, clause) {
			j.judged(clause)
		}
		if !p.shown {
			return
		}
		if number, is := p.value.(json.Number); is && spec.IsDate(p.schema) {
			if _, dated := ReadMoment(number); dated {
				return
			}
		}
		object, _ := p.value.(map[string]any)
		for _, f := range p.fields() {
			if _, shown := object[f.Name]; object != nil && f.Required && !shown {
				m := p.member(f, p.pointer(), object)
				j.mismatch(m.clause, "the answer lacks a member", m.pointer(), expected(m.schema), "nothing")
			}
		}
		var e *openapi3.SchemaError
		schema, value := p.alone(schemas)
		if err := schema.VisitJSON(value, openapi3.VisitAsResponse()); err == nil {
			return
		} else if !errors.As(err, &e) {
			e = &openapi3.SchemaError{Reason: err.Error()}
		}
		want := e.Reason
		if slices.Contains([]string{"type", "nullable", "enum", "format"}, e.SchemaField) {
			want = expected(p.schema)
		}
		breach := fmt.Sprintf("the answer has %s where %s belongs", Kind(p.value), clip(want))
		j.mismatch(p.clause, breach, p.pointer()+pointer(e.JSONPointer()...), want, show(p.value))
	})
}

// fields are those of p, none where it is no object.
func (p place) fields() []*spec.Field {
	if p.object == nil {
		return nil
	}
	return p.object.Fields
}

// alone returns the schema and the value of p without the places in it. It keeps the schemas, as lists
// may have very many items.
func (p place) alone(schemas map[*openapi3.Schema]*openapi3.Schema) (*openapi3.Schema, any) {
	if p.schema.Items == nil && p.schema.Properties == nil {
		return p.schema, p.value
	}
	if schemas[p.schema] == nil {
		s := *p.schema
		s.Items, s.Required, s.Properties = nil, nil, nil
		schemas[p.schema] = &s
	}
	object, is := p.value.(map[string]any)
	if !is {
		return schemas[p.schema], p.value
	}
	others := map[string]any{}
	for name, value := range object {
		if p.schema.Properties[name] == nil {
			others[name] = value
		}
	}
	return schemas[p.schema], others
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
