package spec

import (
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Document is the OpenAPI document as the suite plans from it.
type Document struct {
	OpenAPI    *openapi3.T
	Operations []*Operation // in document order
	Error      *Object      // the body of 401, 403, 404 and 422
}

// Operation is one method on one path.
type Operation struct {
	ID      string
	Method  string
	Path    string // template, relative to the base URL
	Summary string
	Line    int    // in openapi.yaml
	Clause  string // of the success response
	// Effects are the clauses of what a schema cannot say: identity, shows,
	// persists, stays, updatedAt.
	Effects   map[string]string
	Params    []Param // path parameters in path order
	Body      *Object // nil: no request body
	Success   *Object // nil: no content (204)
	Responses map[string]*openapi3.Response
}

// Param is a path parameter that holds the id of an object.
type Param struct {
	Name   string
	Object string // key of a target file's objects
}

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
}

// Field returns the field with this meaning, or nil.
func (o *Object) Field(meaning string) *Field {
	if o == nil {
		return nil
	}
	for _, f := range o.Fields {
		if f.Meaning == meaning {
			return f
		}
	}
	return nil
}

// Named returns the field with this wire name, or nil.
func (o *Object) Named(name string) *Field {
	if o == nil {
		return nil
	}
	for _, f := range o.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Operation returns the operation with this id, or nil.
func (d *Document) Operation(id string) *Operation {
	for _, op := range d.Operations {
		if op.ID == id {
			return op
		}
	}
	return nil
}

// Representation is the object that a successful update shows (inside the
// envelope), or an item of a list; nil where there is no content.
func (op *Operation) Representation() *Object {
	data := op.Success.Field("data")
	if data == nil {
		return nil
	}
	if data.Items != nil {
		return data.Items
	}
	return data.Object
}

// Lists says whether a success answers a page of items.
func (op *Operation) Lists() bool { return op.Success.Field("meta") != nil }

// Deletes says whether the operation removes the object of its path.
func (op *Operation) Deletes() bool { return op.Method == http.MethodDelete }

// Updates says whether the operation changes the object of its path.
func (op *Operation) Updates() bool { return op.Body != nil }

func parseDocument(data []byte) (*Document, error) {
	loader := openapi3.NewLoader()
	loader.IncludeOrigin = true
	doc, err := loader.LoadFromData(data)
	if err != nil {
		return nil, err
	}
	d := &Document{OpenAPI: doc}
	for path, item := range doc.Paths.Map() {
		for method, o := range item.Operations() {
			op, err := newOperation(path, method, o)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}
			d.Operations = append(d.Operations, op)
		}
	}
	sort.Slice(d.Operations, func(i, j int) bool { return d.Operations[i].Line < d.Operations[j].Line })
	for _, op := range d.Operations {
		for _, status := range []string{"401", "403", "404", "422"} {
			if s := jsonSchema(op.Responses[status]); s != nil && d.Error == nil {
				d.Error = newObject(s)
			}
		}
	}
	if len(d.Operations) == 0 {
		return nil, fmt.Errorf("no operations under paths")
	}
	return d, nil
}

func newOperation(path, method string, o *openapi3.Operation) (*Operation, error) {
	if o.OperationID == "" {
		return nil, fmt.Errorf("has no operationId")
	}
	op := &Operation{
		ID: o.OperationID, Method: method, Path: path, Summary: o.Summary,
		Clause: text(o.Extensions, "x-clause"), Effects: map[string]string{},
		Responses: map[string]*openapi3.Response{},
	}
	if o.Origin != nil && o.Origin.Key != nil {
		op.Line = o.Origin.Key.Line
	}
	if m, ok := o.Extensions["x-effects"].(map[string]any); ok {
		for k, v := range m {
			op.Effects[k], _ = v.(string)
		}
	}
	for _, p := range o.Parameters {
		if p.Value.In == openapi3.ParameterInPath {
			op.Params = append(op.Params, Param{Name: p.Value.Name, Object: text(p.Value.Extensions, "x-object")})
		}
	}
	sort.SliceStable(op.Params, func(i, j int) bool {
		return strings.Index(path, "{"+op.Params[i].Name+"}") < strings.Index(path, "{"+op.Params[j].Name+"}")
	})
	if o.RequestBody != nil && o.RequestBody.Value != nil {
		if mt := o.RequestBody.Value.Content.Get("application/json"); mt != nil && mt.Schema != nil {
			op.Body = newObject(mt.Schema.Value)
		}
	}
	for status, r := range o.Responses.Map() {
		op.Responses[status] = r.Value
		if s := jsonSchema(r.Value); s != nil && strings.HasPrefix(status, "2") {
			op.Success = newObject(s)
		}
	}
	return op, nil
}

// jsonSchema is the schema of a response's JSON content, or nil.
func jsonSchema(r *openapi3.Response) *openapi3.Schema {
	if r == nil {
		return nil
	}
	if mt := r.Content.Get("application/json"); mt != nil && mt.Schema != nil {
		return mt.Schema.Value
	}
	return nil
}

// ResponseSchema is the schema of the JSON body that the operation answers with
// this status, or nil: any 2xx has the schema of the declared success.
func (op *Operation) ResponseSchema(status int) *openapi3.Schema {
	if status >= 200 && status < 300 {
		if op.Success == nil {
			return nil
		}
		return op.Success.Schema
	}
	return jsonSchema(op.Responses[fmt.Sprint(status)])
}

func newObject(s *openapi3.Schema) *Object {
	o := &Object{Schema: s}
	for name, ref := range s.Properties {
		p := ref.Value
		f := &Field{
			Name: name, Meaning: text(p.Extensions, "x-field"), Clause: text(p.Extensions, "x-clause"),
			Required: slices.Contains(s.Required, name), Nullable: p.Nullable, URL: p.Format == "uri",
			Date: marked(p.Extensions, "x-date"), Stays: marked(p.Extensions, "x-stays"),
			Optional: marked(p.Extensions, "x-optional"), Hostname: marked(p.Extensions, "x-hostname"),
			Regex: marked(p.Extensions, "x-regex"),
		}
		if f.Meaning == "" {
			f.Meaning = name
		}
		if types := p.Type.Slice(); len(types) > 0 {
			f.Type = types[0]
		}
		for _, v := range p.Enum {
			if s, ok := v.(string); ok {
				f.Enum = append(f.Enum, s)
			}
		}
		if f.Type == "object" {
			f.Object = newObject(p)
		}
		if p.Items != nil && p.Items.Value != nil {
			f.Items = newObject(p.Items.Value)
		}
		o.Fields = append(o.Fields, f)
	}
	sort.Slice(o.Fields, func(i, j int) bool {
		a, b := o.line(o.Fields[i].Name), o.line(o.Fields[j].Name)
		if a != b {
			return a < b
		}
		return o.Fields[i].Name < o.Fields[j].Name
	})
	return o
}

// line is where a property stands in the document: maps forget the order that
// readers of the document see.
func (o *Object) line(property string) int {
	ref := o.Schema.Properties[property]
	for _, origin := range []*openapi3.Origin{ref.Origin, ref.Value.Origin} {
		if origin != nil && origin.Key != nil {
			return origin.Key.Line
		}
	}
	return 0
}

// Line is the line of a schema in openapi.yaml; 0 when unknown.
func Line(s *openapi3.Schema) int {
	if s == nil || s.Origin == nil || s.Origin.Key == nil {
		return 0
	}
	return s.Origin.Key.Line
}

// ClauseOf returns the x-clause mark of a schema, or "".
func ClauseOf(s *openapi3.Schema) string {
	if s == nil {
		return ""
	}
	return text(s.Extensions, "x-clause")
}

// IsDate says whether the schema carries x-date.
func IsDate(s *openapi3.Schema) bool { return s != nil && marked(s.Extensions, "x-date") }

// MayBeAbsent says whether the schema carries x-absent: that the place is not there is
// right, not only tolerated.
func MayBeAbsent(s *openapi3.Schema) bool { return s != nil && marked(s.Extensions, "x-absent") }

// marks are all clause ids that the document names.
func (d *Document) marks() []string {
	seen := map[string]bool{}
	var object func(o *Object)
	object = func(o *Object) {
		if o == nil {
			return
		}
		for _, f := range o.Fields {
			seen[f.Clause] = true
			object(f.Object)
			object(f.Items)
		}
	}
	object(d.Error)
	for _, op := range d.Operations {
		seen[op.Clause] = true
		for _, c := range op.Effects {
			seen[c] = true
		}
		object(op.Body)
		object(op.Success)
		for _, r := range op.Responses {
			seen[text(r.Extensions, "x-clause")] = true
		}
	}
	delete(seen, "")
	ids := make([]string, 0, len(seen))
	for id := range seen {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	return ids
}

func text(ext map[string]any, key string) string {
	s, _ := ext[key].(string)
	return s
}

func marked(ext map[string]any, key string) bool {
	b, _ := ext[key].(bool)
	return b
}
