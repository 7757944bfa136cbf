package spec

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// readDocument reads the operations of an OpenAPI document. An operation that gets no case is an
// error.
func (c *Contract) readDocument(data []byte) error {
	loader := openapi3.NewLoader()
	loader.IncludeOrigin = true
	doc, err := loader.LoadFromData(data)
	if err != nil {
		return err
	}
	c.OpenAPI = doc
	for _, s := range cmp.Or(doc.Components, &openapi3.Components{}).Schemas {
		requireOnce(s)
	}
	for path, item := range doc.Paths.Map() {
		for method, o := range item.Operations() {
			if o.OperationID == "" {
				return fmt.Errorf("%s %s: has no operationId", method, path)
			}
			c.Operations = append(c.Operations, newOperation(path, method, item, o))
		}
	}
	if len(c.Operations) == 0 {
		return errors.New("no operations under paths")
	}
	slices.SortFunc(c.Operations, func(a, b *Operation) int {
		return cmp.Compare(a.Line, b.Line)
	})
	for _, op := range c.Operations {
		if missing := op.missing(); missing != "" {
			return fmt.Errorf("%s %s (%s) gets no case: %s", op.Method, op.Path, op.ID, missing)
		}
	}
	c.Error = c.Operations[0].ResponseObject(401)
	return doc.Validate(loader.Context, openapi3.DisableExamplesValidation(), openapi3.DisableSchemaPatternValidation())
}

// requireOnce removes repeated names of required members: an overlay adds to a list, and may name what is there.
func requireOnce(s *openapi3.SchemaRef) {
	if s == nil || s.Ref != "" {
		return
	}
	slices.Sort(s.Value.Required)
	s.Value.Required = slices.Compact(s.Value.Required)
	requireOnce(s.Value.Items)
	for _, p := range s.Value.Properties {
		requireOnce(p)
	}
}

// Operation returns the operation with this id, or nil.
func (c *Contract) Operation(id string) *Operation {
	return find(c.Operations, func(op *Operation) bool { return op.ID == id })
}

// ListOf returns the operation that lists what the object under a key of the target file holds,
// or nil.
func (c *Contract) ListOf(key string) *Operation {
	return find(c.Operations, func(op *Operation) bool {
		return op.Effects["members"] != "" && op.names(key)
	})
}

// Key is a key of a target file under which the document expects objects, with the schema of their ids.
type Key struct {
	Name string
	IDs  *openapi3.Schema
	At   string // where the document has that schema
}

// Keys returns the keys of a target file that the document names for its objects, once for each place with their ids.
func (c *Contract) Keys() (keys []Key) {
	for _, op := range c.Operations {
		for _, p := range op.Params {
			for _, name := range append([]string{p.Object}, p.More...) {
				keys = append(keys,
					Key{name, p.IDs(), "the path parameter " + p.Name + " of " + op.ID})
			}
		}
		shown := op.Key() // whose id a success shows
		if op.Lists() && op.Effects["members"] == "" {
			shown = op.Holds
		}
		if item := op.Representation(); item != nil && shown != "" {
			keys = append(keys,
				Key{shown, item.Field("id").Schema, "the id in the success of " + op.ID})
		}
	}
	slices.SortStableFunc(keys,
		func(a, b Key) int { return cmp.Compare(a.Name, b.Name) })
	return keys
}

// Match returns the operation of a request, and the ids in its path, in the order of
// Params, as they are written. The path is relative to the base URL, as it
// stands in the request line; a query is ignored. op is nil for a request that belongs
// to no operation.
func (c *Contract) Match(method, path string) (op *Operation, ids []string) {
	for _, op := range c.Operations {
		if ids, ok := op.Match(path); ok && op.Method == method {
			return op, ids
		}
	}
	return nil, nil
}

// effects returns the clauses that judge an operation beyond its schema. An effect that x-effects
// does not name has the clause of the operation. The last one is judged only where it is named; ""
// stands for none.
func (op *Operation) effects() []string {
	switch {
	case op.Lists():
		return []string{"unique", "repeats", "holds", "members"}
	case op.Reads():
		return []string{"identity", "shows", "repeats", "stays", ""}
	case op.Deletes():
		return []string{"gone", "others", "listed", "bodiless", ""}
	}
	return []string{"identity", "shows", "persists", "stays", "updatedAt"}
}

var keyForm = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)

const disposable = "disposable"

// missing returns why an operation cannot be tested, "" if it can: it must not be left out
// silently.
func (op *Operation) missing() string {
	return cmp.Or(op.unsupported(), op.unexplained(), op.unknownEffect(),
		op.unnamedObject(), op.undeclaredRefusal())
}

// A shape is what the suite expects of an operation.
type shape struct {
	has   func(*Operation) bool
	words string
}

// shapes holds the shapes that the suite has cases for, by method.
var shapes = map[string]shape{
	http.MethodGet: {(*Operation).canGet, "a GET takes no body and answers, as application/json, an object data " +
		"(a read) or an array data of objects with the integers meta.pagination.count, totalCount, page and " +
		"totalPages (a list), each with an id, an integer or a text; a read may also answer the object itself"},
	http.MethodPatch: update, http.MethodPut: update,
	http.MethodDelete: {
		(*Operation).canDelete,
		"the suite supports only deletes that take no body and are answered 204, without content",
	},
}

var update = shape{(*Operation).canUpdate, "an update takes a body with properties and answers an object with an id, " +
	"an integer or a text, as the member data or itself, both as application/json"}

// unsupported returns why the suite has no cases for an operation of this shape.
func (op *Operation) unsupported() string {
	switch s, isKnown := shapes[op.Method]; {
	case !isKnown:
		return "the suite supports only reads and lists (GET), updates (PATCH, PUT) and deletes (DELETE)"
	case !s.has(op):
		return s.words
	}
	return ""
}

func (op *Operation) canGet() bool {
	switch {
	case op.Body != nil, !hasIDs(op.Representation(), "id"):
		return false
	case op.Lists():
		return hasIDs(op.Pagination(), "count", "totalCount", "page", "totalPages")
	}
	return true
}

func (op *Operation) canUpdate() bool {
	hasFields := op.Body != nil && len(op.Body.Fields) > 0
	return hasFields && hasIDs(op.Representation(), "id")
}

func (op *Operation) canDelete() bool {
	return op.Body == nil && op.Success == nil && op.Responses["204"] != nil
}

// unexplained returns what a run would not know of the operation.
func (op *Operation) unexplained() string {
	switch {
	case op.Clause == "":
		return "x-clause is missing: the clause that a wrong success breaks"
	case len(op.required) > 0:
		return "the suite has no value for the required " + strings.Join(op.required, ", ")
	case len(op.Params) == 0 && !op.Lists():
		return "its path has no parameter with x-object, so the target file cannot say which object may be used"
	case op.Holds != "" && !keyForm.MatchString(op.Holds):
		return fmt.Sprintf("x-holds %q cannot be a key of a target file", op.Holds)
	}
	return ""
}

// unknownEffect says which effect of the document the suite does not judge.
func (op *Operation) unknownEffect() string {
	known := op.effects()
	for _, name := range sortedKeys(op.Effects) {
		if !slices.Contains(known, name) {
			return fmt.Sprintf("x-effects names %s, none of %s", name, strings.Join(known, ", "))
		}
	}
	return ""
}

// unnamedObject says for which path parameter the target file cannot name an object.
func (op *Operation) unnamedObject() string {
	for i, p := range op.Params {
		if missing := p.missing(op.Deletes() && i == len(op.Params)-1); missing != "" {
			return missing + " at the path parameter " + p.Name
		}
	}
	return ""
}

// undeclaredRefusal says which refusal has no error body.
func (op *Operation) undeclaredRefusal() string {
	for _, status := range []int{401, 403, 404, 422} {
		if op.canRefuse(status) && op.ResponseObject(status) == nil {
			return fmt.Sprintf("its responses have no %d with the error body", status)
		}
	}
	return ""
}

// canRefuse reports whether something in a request of the operation may be refused with a status.
func (op *Operation) canRefuse(status int) bool {
	switch status {
	case 422:
		return op.Updates()
	case 403, 404:
		return len(op.Params) > 0
	}
	return true
}

// hasIDs reports whether an object has members with these names whose values can be ids.
func hasIDs(o *Object, names ...string) bool {
	isNone := func(name string) bool {
		return o.Field(name) == nil || !isID(o.Field(name).Schema)
	}
	return o != nil && !slices.ContainsFunc(names, isNone)
}

// isID reports whether values of a schema can be ids, or numbers of a page, which an overlay may make texts.
func isID(s *openapi3.Schema) bool {
	return s.Type.Is(openapi3.TypeInteger) || s.Type.Is(openapi3.TypeString)
}

// missing returns why the target file cannot name the object of a path parameter, "" if it can.
func (p *Param) missing(isDeleted bool) string {
	switch {
	case p.Object == "":
		return "x-object is missing (the key of the target file's object whose id it holds)"
	case p.schema == nil || !isID(p.schema.Value):
		return "ids in the target file are integers or texts, so the type must be integer or string"
	}
	for _, key := range append([]string{p.Object}, p.More...) {
		switch {
		case !keyForm.MatchString(key):
			return fmt.Sprintf("%q cannot be a key of a target file; want letters and digits, such as campaign,", key)
		case isDeleted != strings.HasPrefix(key, disposable):
			return fmt.Sprintf("x-object is %s; a delete, and only a delete, uses keys that begin with %s, "+
				"such as %[2]sCreatives,", key, disposable)
		}
	}
	return ""
}
