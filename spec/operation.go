package spec

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Operation is one method on one path.
type Operation struct {
	ID      string
	Method  string
	Path    string // template, relative to the base URL
	Summary string
	Line    int    // in openapi.yaml
	Clause  string // of the success response
	// Effects are the clauses that no schema can express, see document.go.
	Effects   map[string]string
	Open      map[string]string // points of open.yaml, by the aspect of the operation that is open
	Items     string            // of a list, in words
	Holds     string            // of a list: the key of a target file's objects that it holds, or ""
	Page      string            // of a list: the query parameter that selects a page, where one is declared
	Params    []Param           // path parameters in path order
	Body      *Object           // nil: no request body
	Success   *Object           // nil: no content (204)
	Responses map[string]*openapi3.Response

	last     Param              // of Params
	bodies   map[string]*Object // of responses, by status
	required []string           // required parameters outside the path
}

// Param is a path parameter that holds the id of an object.
type Param struct {
	Name   string
	Object string   // key of a target file's objects
	More   []string // keys of more objects that the operation is tried on

	schema *openapi3.SchemaRef
}

// IDs returns the schema of the ids that the parameter holds.
func (p *Param) IDs() *openapi3.Schema { return p.schema.Value }

// HasTexts reports whether the ids are texts, not integers.
func (p *Param) HasTexts() bool {
	return p.IDs().Type.Is(openapi3.TypeString)
}

// Holds reports whether an id has the type and form of the ids that the parameter holds.
func (p *Param) Holds(id ID) bool {
	if p.HasTexts() {
		return id != "" && (p.IDs().Format != "uuid" || id.IsUUID())
	}
	n, isInteger := id.Integer()
	return isInteger && n > 0
}

// Key returns the key of a target file's object that the path names, or "".
func (op *Operation) Key() string { return op.last.Object }

// More returns the keys of more objects that the path may name, as the document says;
// by default, that of a second object of the same kind.
func (op *Operation) More() []string { return op.last.More }

func (op *Operation) names(key string) bool {
	return op.Key() == key || slices.Contains(op.More(), key)
}

// SameObjects reports whether the paths of two operations name the same objects.
func (op *Operation) SameObjects(other *Operation) bool {
	return slices.EqualFunc(op.Params,
		other.Params, func(a, b Param) bool { return a.Object == b.Object })
}

// Representation returns the object that a success shows, or an item of a list; nil if there is no content.
func (op *Operation) Representation() *Object {
	switch data := op.Success.Field("data"); {
	case data != nil:
		return cmp.Or(data.Items, data.Object)
	case op.IsBare():
		return op.Success
	}
	return nil
}

// IsBare reports whether the body of a success is the representation itself, without an envelope.
func (op *Operation) IsBare() bool {
	return op.Success.Field("data") == nil && op.Success.Field("id") != nil
}

// InEnvelope returns the name of the member of a success that holds the representation or the items, "" if the body is
// the representation itself.
func (op *Operation) InEnvelope() string {
	if data := op.Success.Field("data"); data != nil {
		return data.Name
	}
	return ""
}

// Reads reports whether a success answers one object.
func (op *Operation) Reads() bool {
	return op.Method == http.MethodGet && !op.Lists()
}

// Lists reports whether a success answers a page of items.
func (op *Operation) Lists() bool {
	data := op.Success.Field("data")
	return op.Method == http.MethodGet && data != nil && data.Items != nil
}

// Deletes reports whether the operation removes the object of its path.
func (op *Operation) Deletes() bool { return op.Method == http.MethodDelete }

// Updates reports whether the operation changes the object of its path.
func (op *Operation) Updates() bool {
	return op.Method == http.MethodPatch || op.Replaces()
}

// Replaces reports whether an update takes all fields at once: it may unset a field
// that it leaves out.
func (op *Operation) Replaces() bool { return op.Method == http.MethodPut }

// Pagination returns the pagination object in a list's meta.
func (op *Operation) Pagination() *Object {
	return op.Success.inner("meta").inner("pagination")
}

// PageClause returns the clause of a number of a list's pagination.
func (op *Operation) PageClause(meaning string) string {
	return cmp.Or(op.Pagination().Field(meaning).Clause, op.Clause)
}

// Match reports whether a path, in the form of Contract.Match, belongs to the operation, whatever the
// method of the request, and returns the ids in it.
func (op *Operation) Match(path string) (ids []string, ok bool) {
	path, _, _ = strings.Cut(path, "?")
	segments := strings.Split(path, "/")
	template := strings.Split(op.Path, "/")
	if len(segments) != len(template) {
		return nil, false
	}
	for i, part := range template {
		switch {
		case strings.HasPrefix(part, "{") && segments[i] != "":
			ids = append(ids, segments[i])
		case part != segments[i]:
			return nil, false
		}
	}
	return ids, true
}

// At returns the path with these ids, one for each of Params, as they are written: a
// caller escapes what a path cannot hold.
func (op *Operation) At(ids ...string) string {
	parts := strings.Split(op.Path, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "{") {
			parts[i] = ids[0]
			ids = ids[1:]
		}
	}
	return strings.Join(parts, "/")
}

func newOperation(path, method string, item *openapi3.PathItem, o *openapi3.Operation) *Operation {
	op := &Operation{
		ID: o.OperationID, Method: method, Path: path, Summary: o.Summary,
		Line:   lineOf(o.Origin),
		Clause: mark[string](o.Extensions, "x-clause"), Effects: map[string]string{},
		Open:      mark[map[string]string](o.Extensions, "x-open"),
		Items:     cmp.Or(mark[string](o.Extensions, "x-items"), "items"),
		Holds:     mark[string](o.Extensions, "x-holds"),
		Responses: map[string]*openapi3.Response{}, bodies: map[string]*Object{},
	}
	op.parameters(item, o)
	if o.RequestBody != nil && o.RequestBody.Value != nil {
		op.Body = jsonObject(o.RequestBody.Value.Content,
			func(s *openapi3.Schema) bool { return s.ReadOnly })
	}
	responses := o.Responses.Map()
	for _, status := range sortedKeys(responses) {
		r := responses[status].Value
		op.Responses[status] = r
		op.bodies[status] = jsonObject(r.Content,
			func(s *openapi3.Schema) bool { return s.WriteOnly })
		if op.Success == nil && strings.HasPrefix(status, "2") {
			op.Success = op.bodies[status]
		}
	}
	effects := op.effects()
	for _, name := range effects[:len(effects)-1] {
		op.Effects[name] = op.Clause
	}
	for name, clause := range mark[map[string]string](o.Extensions, "x-effects") {
		op.Effects[name] = cmp.Or(clause, op.Clause)
	}
	return op
}

// parameters reads the parameters of the operation and those of its path.
func (op *Operation) parameters(item *openapi3.PathItem, o *openapi3.Operation) {
	all := slices.Clone(o.Parameters)
	for _, p := range item.Parameters {
		if o.Parameters.GetByInAndName(p.Value.In, p.Value.Name) == nil {
			all = append(all, p)
		}
	}
	for _, ref := range all {
		p := ref.Value
		switch {
		case p.In == openapi3.ParameterInPath:
			param := Param{
				Name: p.Name, Object: mark[string](p.Extensions, "x-object"),
				More: mark[[]string](p.Extensions, "x-objects"), schema: p.Schema,
			}
			mayHaveOther := param.Object != "" && !strings.HasPrefix(param.Object, disposable)
			if param.More == nil && mayHaveOther {
				param.More = []string{Other(param.Object)}
			}
			op.Params = append(op.Params, param)
		case p.Required:
			op.required = append(op.required, p.In+" parameter "+p.Name)
		case p.In == openapi3.ParameterInQuery:
			isMarked := mark[string](p.Extensions, "x-field") == "page"
			isNamed := op.Page == "" && p.Name == "page"
			if isMarked || isNamed {
				op.Page = p.Name
			}
		}
	}
	slices.SortStableFunc(op.Params, func(a, b Param) int {
		return cmp.Compare(strings.Index(op.Path, "{"+a.Name+"}"),
			strings.Index(op.Path, "{"+b.Name+"}"))
	})
	if n := len(op.Params); n > 0 {
		op.last = op.Params[n-1]
	}
}

// marks returns the clauses that the operation names, some of them twice or empty.
func (op *Operation) marks(failure *Object) []string {
	ids := slices.Concat([]string{op.Clause},
		slices.Collect(maps.Values(op.Effects)),
		op.Body.Clauses(), op.Success.Clauses(), failure.Clauses())
	for _, r := range op.Responses {
		ids = append(ids, mark[string](r.Extensions, "x-clause"))
	}
	return ids
}

// otherKeys lists the keys with the word in the middle, before the part of the path that differs.
var otherKeys = map[string]string{
	"otherConnectionProfileRule":       "connectionProfileOtherRule",
	"otherConnectionProfileRuleHost":   "connectionProfileOtherRuleHost",
	"siblingConnectionProfileRuleHost": "connectionProfileRuleOtherHost",
}

// Other returns the key of a target file's second object of the same kind as that under key.
func Other(key string) string { return prefixed("other", key) }

// Sibling returns the key of another object under the same parent.
func Sibling(key string) string { return prefixed("sibling", key) }

func prefixed(word, key string) string {
	plain := word + strings.ToUpper(key[:1]) + key[1:]
	return cmp.Or(otherKeys[plain], plain)
}

// jsonObject returns the JSON object of a request or response, without the fields of the other
// direction, or nil.
func jsonObject(content openapi3.Content, isHidden func(*openapi3.Schema) bool) *Object {
	if mt := content.Get("application/json"); mt != nil && mt.Schema != nil {
		return newObject(mt.Schema.Value, isHidden)
	}
	return nil
}

// ResponseObject returns the JSON body that the operation answers with this status, or nil: any
// 2xx has that of the declared success.
func (op *Operation) ResponseObject(status int) *Object {
	if status/100 == 2 {
		return op.Success
	}
	return op.bodies[strconv.Itoa(status)]
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
