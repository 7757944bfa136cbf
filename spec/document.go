package spec

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Document is the OpenAPI document as the suite plans from it.
type Document struct {
	OpenAPI    *openapi3.T
	Operations []*Operation // in document order
	Error      *Object      // the body of 401, 403, 404 and 422
}

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
			if o.OperationID == "" {
				return nil, fmt.Errorf("%s %s: has no operationId", method, path)
			}
			d.Operations = append(d.Operations, newOperation(path, method, item, o))
		}
	}
	if len(d.Operations) == 0 {
		return nil, fmt.Errorf("no operations under paths")
	}
	slices.SortFunc(d.Operations, func(a, b *Operation) int { return cmp.Compare(a.Line, b.Line) })
	for _, op := range d.Operations {
		missing := op.missing()
		if d.Operation(op.ID) != op {
			missing = "another operation has the same operationId"
		}
		if missing != "" {
			return nil, fmt.Errorf("%s %s (%s) gets no case: %s", op.Method, op.Path, op.ID, missing)
		}
	}
	d.Error = newObject(jsonSchema(d.Operations[0].Responses["401"]))
	return d, nil
}

// Operation returns the operation with this id, or nil.
func (d *Document) Operation(id string) *Operation {
	return d.first(func(op *Operation) bool { return op.ID == id })
}

// ListOf returns the list of what the object under a key of the target file holds,
// as that file says, or nil.
func (d *Document) ListOf(key string) *Operation {
	return d.first(func(op *Operation) bool { return op.Lists() && op.Effects["members"] != "" && op.names(key) })
}

// DeleteOf returns the delete of objects under a key of the target file, or nil.
func (d *Document) DeleteOf(key string) *Operation {
	return d.first(func(op *Operation) bool { return op.Deletes() && op.names(key) })
}

func (d *Document) first(is func(*Operation) bool) *Operation {
	if i := slices.IndexFunc(d.Operations, is); i >= 0 {
		return d.Operations[i]
	}
	return nil
}

// Keys returns the keys of a target file that the document names for its objects.
func (d *Document) Keys() []string {
	var keys []string
	for _, op := range d.Operations {
		for _, p := range op.Params {
			keys = append(append(keys, p.Object), p.More...)
		}
		if op.Holds != "" {
			keys = append(keys, op.Holds)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Match returns the operation that a request is for, and the ids in its path, in the
// order of Params, as they are written. The path is relative to the base URL, as it
// stands in the request line; a query is ignored. op is nil for a request that belongs
// to no operation.
func (d *Document) Match(method, path string) (op *Operation, ids []string) {
	for _, op := range d.Operations {
		if ids, ok := op.Match(path); ok && op.Method == method {
			return op, ids
		}
	}
	return nil, nil
}

// LineOf returns the line of openapi.yaml that names a clause first, else the line of
// the operation, else 1.
func (d *Document) LineOf(operation, clause string) int {
	for _, words := range []string{clause, "operationId: " + operation} {
		if at := regexp.MustCompile(`\b` + regexp.QuoteMeta(words) + `\b`).FindIndex(openapiYAML); at != nil {
			return 1 + bytes.Count(openapiYAML[:at[0]], []byte("\n"))
		}
	}
	return 1
}

// effects are what an operation is judged by beyond its schema. What x-effects does not
// name is judged by the clause of the operation, but for the last one, which is judged only
// where it is named ("" for none).
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

// Disposable says whether the objects under a key of a target file may be deleted.
func Disposable(key string) bool { return strings.HasPrefix(key, disposable) }

// missing says what an operation lacks to be tested, "" when it lacks nothing: what is not
// tested may not pass silently.
func (op *Operation) missing() string {
	get, update, item := op.Reads() || op.Lists(), op.Updates(), op.Representation()
	id := item.Field("id")
	unknown := slices.DeleteFunc(sortedKeys(op.Effects), func(name string) bool { return slices.Contains(op.effects(), name) })
	for _, rule := range []struct {
		broken bool
		says   string
	}{
		{!get && !update && !op.Deletes(), "the suite knows reads and lists (GET), updates (PATCH, PUT) and deletes (DELETE)"},
		{
			get && item == nil,
			"its success has neither an object data (a read) nor an array data with meta (a list), as application/json",
		},
		{op.Lists() && !op.numbersPages(), "its success lacks an integer of meta.pagination.count, totalCount, page and totalPages"},
		{!update && op.Body != nil, "the suite knows no request body but that of an update"},
		{update && (op.Body == nil || len(op.Body.Fields) == 0), "its request body has no properties, as application/json"},
		{update && item == nil, "its success has no object data, as application/json (x-field: data)"},
		{item != nil && (id == nil || id.Type != openapi3.TypeInteger), "data has no integer property id (x-field: id)"},
		{
			op.Deletes() && (op.Success != nil || op.Responses["204"] == nil),
			"the suite knows deletes that are answered 204, without content",
		},
		{len(unknown) > 0, fmt.Sprintf("x-effects names %s, none of %s", strings.Join(unknown, ", "), strings.Join(op.effects(), ", "))},
		{op.Clause == "", "x-clause is missing: the clause that a wrong success breaks"},
		{len(op.required) > 0, fmt.Sprintf("the suite knows no value for the required %s", strings.Join(op.required, ", "))},
		{strings.Count(op.Path, "{") != len(op.Params), "a parameter of its path is not declared"},
		{
			len(op.Params) == 0 && !op.Lists(),
			"its path has no parameter with x-object, so the target file cannot say which object may be used",
		},
		{op.Holds != "" && !keyForm.MatchString(op.Holds), fmt.Sprintf("x-holds %q can be no key of a target file", op.Holds)},
	} {
		if rule.broken {
			return rule.says
		}
	}
	for i, p := range op.Params {
		if missing := p.missing(op.Deletes() && i == len(op.Params)-1); missing != "" {
			return missing + " at the path parameter " + p.Name
		}
	}
	wanted := []string{"401"}
	if len(op.Params) > 0 {
		wanted = append(wanted, "403", "404")
	}
	if update {
		wanted = append(wanted, "422")
	}
	for _, status := range wanted {
		if jsonSchema(op.Responses[status]) == nil {
			return fmt.Sprintf("its responses lack %s with the error body", status)
		}
	}
	return ""
}

func (op *Operation) numbersPages() bool {
	return !slices.ContainsFunc([]string{"count", "totalCount", "page", "totalPages"}, func(number string) bool {
		f := op.Pagination().Field(number)
		return f == nil || f.Type != openapi3.TypeInteger
	})
}

// missing says what a path parameter lacks for the target file to give the object.
func (p *Param) missing(isDeleted bool) string {
	switch {
	case p.Object == "":
		return "x-object is missing (the key of the target file's object whose id it holds)"
	case p.schema == nil || !p.schema.Type.Is(openapi3.TypeInteger):
		return "ids in the target file are integers, and so has to be the type"
	}
	for _, key := range append([]string{p.Object}, p.More...) {
		switch {
		case !keyForm.MatchString(key):
			return fmt.Sprintf("%q can be no key of a target file; want letters and digits, such as campaign,", key)
		case isDeleted && !Disposable(key):
			return fmt.Sprintf("x-object is %s, which may not be deleted; name a key that begins with %s, such as %s%s%ss,",
				key, disposable, disposable, strings.ToUpper(key[:1]), key[1:])
		case !isDeleted && Disposable(key):
			return fmt.Sprintf("x-object is %s; only a delete may use what is disposable,", key)
		}
	}
	return ""
}
