package spec

import (
	"cmp"
	"math"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// Object is an object schema with its fields in document order.
type Object struct {
	Schema *openapi3.Schema
	Fields []*Field
}

// Field is a property.
type Field struct {
	Name     string // at the wire
	Meaning  string // x-field; stays when an overlay renames the property
	Clause   string
	Type     string // JSON type of OpenAPI: string, integer, boolean, object, array
	Enum     []string
	Required bool
	Nullable bool
	Date     bool // x-date
	URL      bool // format uri
	Stays    bool // x-stays: no request can change it
	Optional bool // x-optional: may be unset, null or absent
	Hostname bool // x-hostname: compared without regard to ASCII case and a final dot
	Regex    bool // x-regex
	Object   *Object
	Items    *Object
	Schema   *openapi3.Schema
}

// Field returns the field with this meaning, or nil.
func (o *Object) Field(meaning string) *Field {
	return o.first(func(f *Field) bool { return f.Meaning == meaning })
}

// Named returns the field with this wire name, or nil.
func (o *Object) Named(name string) *Field {
	return o.first(func(f *Field) bool { return f.Name == name })
}

func (o *Object) first(is func(*Field) bool) *Field {
	if o == nil {
		return nil
	}
	if i := slices.IndexFunc(o.Fields, is); i >= 0 {
		return o.Fields[i]
	}
	return nil
}

// inner is the object in the field with this meaning, or nil.
func (o *Object) inner(meaning string) *Object {
	if f := o.Field(meaning); f != nil {
		return f.Object
	}
	return nil
}

// Clauses returns those that the schemas of an object's fields name, each once.
func (o *Object) Clauses() []string {
	if o == nil {
		return nil
	}
	var ids []string
	for _, f := range o.Fields {
		for _, id := range slices.Concat([]string{f.Clause, ValuesClause(f.Schema)}, f.Object.Clauses(), f.Items.Clauses()) {
			if id != "" && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

func newObject(s *openapi3.Schema) *Object {
	o := &Object{Schema: s}
	lines := map[string]int{} // maps forget the order that readers of the document see
	for name, ref := range s.Properties {
		p := ref.Value
		lines[name] = cmp.Or(lineOf(ref.Origin), lineOf(p.Origin))
		f := &Field{
			Name: name, Meaning: cmp.Or(text(p.Extensions, "x-field"), name), Clause: ClauseOf(p), Schema: p,
			Required: slices.Contains(s.Required, name), Nullable: p.Nullable, URL: p.Format == "uri",
			Date: IsDate(p), Stays: marked(p, "x-stays"), Optional: marked(p, "x-optional"),
			Hostname: marked(p, "x-hostname"), Regex: marked(p, "x-regex"),
		}
		if types := p.Type.Slice(); len(types) > 0 {
			f.Type = types[0]
		}
		for _, v := range p.Enum {
			if s, ok := v.(string); ok {
				f.Enum = append(f.Enum, s)
			}
		}
		if f.Type == openapi3.TypeObject {
			f.Object = newObject(p)
		}
		if p.Items != nil && p.Items.Value != nil {
			f.Items = newObject(p.Items.Value)
		}
		o.Fields = append(o.Fields, f)
	}
	slices.SortFunc(o.Fields, func(a, b *Field) int {
		return cmp.Or(cmp.Compare(lines[a.Name], lines[b.Name]), cmp.Compare(a.Name, b.Name))
	})
	return o
}

func lineOf(o *openapi3.Origin) int {
	if o == nil || o.Key == nil {
		return 0
	}
	return o.Key.Line
}

// without takes out fields that a direction does not have, at any depth.
func (o *Object) without(is func(*Field) bool) *Object {
	if o == nil {
		return nil
	}
	o.Fields = slices.DeleteFunc(o.Fields, is)
	for _, f := range o.Fields {
		f.Object.without(is)
		f.Items.without(is)
	}
	return o
}

// ClauseOf returns the x-clause mark of a schema, or "".
func ClauseOf(s *openapi3.Schema) string {
	if s == nil {
		return ""
	}
	return text(s.Extensions, "x-clause")
}

// Values returns the published values of a text whose list is open (x-values).
func Values(s *openapi3.Schema) []string { return list(s.Extensions, "x-values") }

// ValuesClause returns the clause that says how Values are spelt, or "".
func ValuesClause(s *openapi3.Schema) string { return text(s.Extensions, "x-values-clause") }

// IsDate says whether the schema carries x-date.
func IsDate(s *openapi3.Schema) bool { return marked(s, "x-date") }

// MayBeAbsent says whether the schema carries x-absent: that the place is not there is
// right, not only tolerated.
func MayBeAbsent(s *openapi3.Schema) bool { return marked(s, "x-absent") }

func marked(s *openapi3.Schema, key string) bool {
	if s == nil {
		return false
	}
	is, _ := s.Extensions[key].(bool)
	return is
}

func text(ext map[string]any, key string) string {
	s, _ := ext[key].(string)
	return s
}

// texts are the texts under the keys of an extension.
func texts(ext map[string]any, key string) map[string]string {
	all := map[string]string{}
	m, _ := ext[key].(map[string]any)
	for k, v := range m {
		all[k], _ = v.(string)
	}
	return all
}

// list are the texts of an extension that is a list.
func list(ext map[string]any, key string) []string {
	var all []string
	items, _ := ext[key].([]any)
	for _, item := range items {
		if s, ok := item.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

// What a schema states beyond type and enumeration.

// Fits says whether a value is one that the document allows for a field of a
// request.
func (f *Field) Fits(v any) bool { return fits(f.Schema, v) }

// FitsButLength is Fits without regard to the length of a text.
func (f *Field) FitsButLength(v any) bool {
	s := *f.Schema
	s.MinLength, s.MaxLength = 0, nil
	return fits(&s, v)
}

func fits(s *openapi3.Schema, v any) bool {
	if i, ok := v.(int); ok {
		v = float64(i)
	}
	return s.VisitJSON(v, openapi3.VisitAsRequest()) == nil
}

// Lengths are the fewest and the most characters of a text; most is -1 where any
// number is allowed.
func (f *Field) Lengths() (fewest, most int) {
	most = -1
	if f.Schema.MaxLength != nil {
		most = int(min(*f.Schema.MaxLength, math.MaxInt32))
	}
	return int(min(f.Schema.MinLength, math.MaxInt32)), most
}

// Numbers says whether a field holds numbers.
func (f *Field) Numbers() bool {
	return f.Type == openapi3.TypeInteger || f.Type == openapi3.TypeNumber
}

// Least is the least number that a field may hold, and one below that nothing else
// is wrong with; false where there is no such bound.
func (f *Field) Least() (least, below float64, ok bool) {
	return f.bound(f.Schema.Min, f.Schema.ExclusiveMin, 1)
}

// Greatest is the greatest number that a field may hold, and one above.
func (f *Field) Greatest() (greatest, above float64, ok bool) {
	return f.bound(f.Schema.Max, f.Schema.ExclusiveMax, -1)
}

// bound is the number next to a bound on the side to which sign points, and the one
// on the other side.
func (f *Field) bound(at *float64, exclusive openapi3.ExclusiveBound, sign float64) (inside, outside float64, ok bool) {
	if at == nil {
		return 0, 0, false
	}
	step := f.Step()
	inside = *at
	if f.Type == openapi3.TypeInteger || f.Schema.MultipleOf != nil {
		inside = sign * math.Ceil(sign**at/step) * step
	}
	if exclusive.Bool != nil && *exclusive.Bool && inside == *at {
		inside += sign * step
	}
	return inside, inside - sign*step, true
}

// Step is the distance of two numbers that a field may hold.
func (f *Field) Step() float64 {
	if m := f.Schema.MultipleOf; m != nil && *m > 0 {
		return *m
	}
	return 1
}

// Number is a number as a request has it: an integer where it is one.
func Number(v float64) any {
	if i := int(v); float64(i) == v {
		return i
	}
	return v
}
