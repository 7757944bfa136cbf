package spec

import (
	"cmp"
	"encoding/json"
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
	Date     bool // x-date
	Stays    bool // x-stays: no request can change it
	Moves    Move // x-moves: what changes by itself
	Optional bool // x-optional: may be unset, null or absent
	Hostname bool // x-hostname: compared without regard to ASCII case and a final dot
	Regex    bool // x-regex
	Object   *Object
	Items    *Object
	Schema   *openapi3.Schema
}

// A Move says what may change by itself in a property of an item, from one read of a list to the next. The zero value
// means nothing, except that null may become a value.
type Move string

// The moves.
const (
	MovesWhole Move = "all"
	MovesQuery Move = "query" // of a URL, which may be signed
	MovesLater Move = "later" // a date, which never becomes earlier
)

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
	return find(o.Fields, is)
}

// find returns the first item that matches, or nil.
func find[T any](items []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(items, is); i >= 0 {
		return items[i]
	}
	return nil
}

// inner returns the object in the field with this meaning, or nil.
func (o *Object) inner(meaning string) *Object {
	if f := o.Field(meaning); f != nil {
		return f.Object
	}
	return nil
}

// Clauses returns the clauses that the schemas of an object's fields name, each once.
func (o *Object) Clauses() (ids []string) {
	if o == nil {
		return nil
	}
	for _, f := range o.Fields {
		own := []string{f.Clause, MarksOf(f.Schema).ValuesClause}
		for _, id := range slices.Concat(own, f.Object.Clauses(), f.Items.Clauses()) {
			if id != "" && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// newObject reads a schema at any depth, without properties that are hidden.
func newObject(s *openapi3.Schema, isHidden func(*openapi3.Schema) bool) *Object {
	o := &Object{Schema: s}
	lines := map[string]int{} // maps forget the order that readers of the document see
	for name, ref := range s.Properties {
		p := ref.Value
		if isHidden(p) {
			continue
		}
		lines[name] = cmp.Or(lineOf(ref.Origin), lineOf(p.Origin))
		is := func(key string) bool { return mark[bool](p.Extensions, key) }
		marks := MarksOf(p)
		f := &Field{
			Name: name, Meaning: cmp.Or(mark[string](p.Extensions, "x-field"), name),
			Clause: marks.Clause, Schema: p, Enum: texts(p.Enum),
			Required: slices.Contains(s.Required, name), Date: marks.Date,
			Stays:    is("x-stays"),
			Moves:    Move(mark[string](p.Extensions, "x-moves")),
			Optional: is("x-optional"), Hostname: is("x-hostname"), Regex: is("x-regex"),
		}
		if types := p.Type.Slice(); len(types) > 0 {
			f.Type = types[0]
		}
		if f.Type == openapi3.TypeObject {
			f.Object = newObject(p, isHidden)
		}
		if p.Items != nil {
			f.Items = newObject(p.Items.Value, isHidden)
		}
		o.Fields = append(o.Fields, f)
	}
	slices.SortFunc(o.Fields, func(a, b *Field) int {
		return cmp.Or(cmp.Compare(lines[a.Name], lines[b.Name]),
			cmp.Compare(a.Name, b.Name))
	})
	return o
}

func lineOf(o *openapi3.Origin) int {
	if o == nil || o.Key == nil {
		return 0
	}
	return o.Key.Line
}

// mark returns the extension under a key, or the zero value if it is no T.
func mark[T any](extensions map[string]any, key string) (value T) {
	switch v := extensions[key].(type) {
	case T:
		return v
	case nil:
	default:
		data, _ := json.Marshal(v)
		_ = json.Unmarshal(data, &value)
	}
	return value
}

// texts returns the texts of a list.
func texts(list any) (all []string) {
	items, _ := list.([]any)
	for _, item := range items {
		if text, isText := item.(string); isText {
			all = append(all, text)
		}
	}
	return all
}

// Marks are the extensions of a schema that say what is right beside its keywords.
type Marks struct {
	Clause       string   // x-clause, or ""
	Values       []string // x-values: published values of a text whose list is open
	ValuesClause string   // x-values-clause: how Values are spelt
	Date         bool     // x-date
	MayBeAbsent  bool     // x-absent: a missing value is right, not only tolerated
}

// MarksOf returns the marks of a schema.
func MarksOf(s *openapi3.Schema) Marks {
	if len(s.Extensions) == 0 { // most have none, and each value of each answer asks
		return Marks{}
	}
	return Marks{
		Clause:       mark[string](s.Extensions, "x-clause"),
		Values:       texts(s.Extensions["x-values"]),
		ValuesClause: mark[string](s.Extensions, "x-values-clause"),
		Date:         mark[bool](s.Extensions, "x-date"),
		MayBeAbsent:  mark[bool](s.Extensions, "x-absent"),
	}
}

// hasOpenType reports whether the schema carries x-open-type: the interface document gives no type of the id.
func hasOpenType(s *openapi3.Schema) bool { return mark[bool](s.Extensions, "x-open-type") }

// Fits reports whether the document allows a value for a field of a request.
func (f *Field) Fits(v any) bool {
	return f.Schema.VisitJSON(v, openapi3.VisitAsRequest()) == nil
}

// Numbers reports whether a field holds numbers.
func (f *Field) Numbers() bool {
	return f.Type == openapi3.TypeInteger || f.Type == openapi3.TypeNumber
}
