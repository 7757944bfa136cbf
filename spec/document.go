package spec

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
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

// Operation returns the operation with this id, or nil.
func (d *Document) Operation(id string) *Operation {
	for _, op := range d.Operations {
		if op.ID == id {
			return op
		}
	}
	return nil
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
	return d, d.check()
}

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

// What each kind of operation is judged by beyond its schema. An effect that
// x-effects does not name is judged by the clause of the operation; "members" and
// "updatedAt" are judged only where they are named.
var effects = map[kind][]string{
	reading:  {"identity", "shows", "repeats", "stays"},
	listing:  {"unique", "repeats", "holds"},
	updating: {"identity", "shows", "persists", "stays"},
	deleting: {"gone", "others", "listed", "bodiless"},
}

// kind is what an operation does, as its method and its success say.
type kind int

const (
	unknown kind = iota
	reading
	listing
	updating
	deleting
)

func (op *Operation) kind() kind {
	data := op.Success.Field("data")
	switch {
	case op.Method == http.MethodGet && data != nil && data.Items != nil:
		return listing
	case op.Method == http.MethodGet && data != nil && data.Object != nil:
		return reading
	case op.Method == http.MethodPatch, op.Method == http.MethodPut:
		return updating
	case op.Method == http.MethodDelete:
		return deleting
	}
	return unknown
}

// noDefault are the effects that are judged only where they are named.
var noDefault = map[kind]string{listing: "members", updating: "updatedAt"}

func (op *Operation) defaultEffects() {
	for _, name := range effects[op.kind()] {
		if op.Effects[name] == "" {
			op.Effects[name] = op.Clause
		}
	}
}

// check says which operation the suite has no cases for, and what it lacks: what
// is not tested may not pass silently.
func (d *Document) check() error {
	seen := map[string]bool{}
	for _, op := range d.Operations {
		missing := op.missing()
		if seen[op.ID] {
			missing = "another operation has the same operationId"
		}
		seen[op.ID] = true
		if missing != "" {
			return fmt.Errorf("%s %s (%s) gets no case: %s", op.Method, op.Path, op.ID, missing)
		}
	}
	return nil
}

// missing says what an operation lacks to be tested, "" when it lacks nothing.
func (op *Operation) missing() string {
	missing := ""
	switch op.kind() {
	case reading:
		missing = op.missingObject("its success")
	case listing:
		missing = op.missingList()
	case updating:
		missing = op.missingUpdate()
	case deleting:
		missing = op.missingDelete()
	default:
		missing = "the suite knows reads and lists (GET), updates (PATCH, PUT) and deletes (DELETE)"
		if op.Method == http.MethodGet {
			missing = "its success has neither an object data (a read) nor an array data with meta (a list), as application/json"
		}
	}
	switch {
	case missing != "":
		return missing
	case op.Method == http.MethodGet && op.Body != nil:
		return "the suite knows reads and lists without a request body"
	case op.unknownEffect() != "":
		return fmt.Sprintf("x-effects names %s, which is none of %s", op.unknownEffect(), strings.Join(op.knownEffects(), ", "))
	case op.Clause == "":
		return "x-clause is missing: the clause that a wrong success breaks"
	case len(op.required) > 0:
		return fmt.Sprintf("the required %s has no value that the suite could know", op.required[0])
	}
	if missing := op.missingKeys(); missing != "" {
		return missing
	}
	return op.missingErrors()
}

func (op *Operation) knownEffects() []string {
	known := effects[op.kind()]
	if more := noDefault[op.kind()]; more != "" {
		known = append(known[:len(known):len(known)], more)
	}
	return known
}

func (op *Operation) unknownEffect() string {
	for _, name := range slices.Sorted(maps.Keys(op.Effects)) {
		if !slices.Contains(op.knownEffects(), name) {
			return name
		}
	}
	return ""
}

func (op *Operation) missingObject(what string) string {
	data := op.Success.Field("data")
	if data == nil || data.Object == nil {
		return what + " has no object data, as application/json (x-field: data)"
	}
	return missingID(data.Object, "data")
}

func missingID(o *Object, where string) string {
	if id := o.Field("id"); id == nil || id.Type != openapi3.TypeInteger {
		return where + " has no integer property id (x-field: id)"
	}
	return ""
}

func (op *Operation) missingList() string {
	for _, meaning := range []string{"count", "totalCount", "page", "totalPages"} {
		if f := op.Pagination().Field(meaning); f == nil || f.Type != openapi3.TypeInteger {
			return fmt.Sprintf("its success is a list without the integer meta.pagination.%s (x-field: meta, pagination, %s)", meaning, meaning)
		}
	}
	return missingID(op.Success.Field("data").Items, "an item of data")
}

func (op *Operation) missingUpdate() string {
	if op.Body == nil || len(op.Body.Fields) == 0 {
		return "its request body has no properties, as application/json"
	}
	return op.missingObject("its success")
}

func (op *Operation) missingDelete() string {
	switch {
	case op.Success != nil || op.Responses["204"] == nil:
		return "the suite knows deletes that are answered 204, without content"
	case op.Body != nil:
		return "the suite knows deletes without a request body"
	}
	return ""
}

// missingKeys says what is missing for the target file to give the objects.
func (op *Operation) missingKeys() string {
	if strings.Count(op.Path, "{") != len(op.Params) {
		return "a parameter of its path is not declared"
	}
	if len(op.Params) == 0 && op.kind() != listing {
		return "its path has no parameter with x-object, so the target file cannot say which object may be used"
	}
	for i, p := range op.Params {
		own := i == len(op.Params)-1
		switch {
		case p.Object == "":
			return fmt.Sprintf("x-object is missing at the path parameter %s: the key of the target file's object whose id it holds", p.Name)
		case p.schema == nil || !p.schema.Type.Is(openapi3.TypeInteger):
			return fmt.Sprintf("the path parameter %s is no integer; ids in the target file are", p.Name)
		}
		for _, key := range append([]string{p.Object}, p.More...) {
			switch {
			case !keyForm.MatchString(key):
				return fmt.Sprintf("%q at the path parameter %s can be no key of a target file; want letters and digits, such as campaign", key, p.Name)
			case own && op.Deletes() && !Disposable(key):
				return fmt.Sprintf("x-object of the path parameter %s is %s, which may not be deleted; "+
					"name a key that begins with disposable, such as %s", p.Name, key, disposableKey(key))
			case Disposable(key) && !(own && op.Deletes()):
				return fmt.Sprintf("x-object of the path parameter %s is %s; only a delete may use what is disposable", p.Name, key)
			}
		}
	}
	if op.Holds != "" && !keyForm.MatchString(op.Holds) {
		return fmt.Sprintf("x-holds %q can be no key of a target file", op.Holds)
	}
	return ""
}

var keyForm = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)

const disposable = "disposable"

// Disposable says whether the objects under a key of a target file may be deleted.
func Disposable(key string) bool { return strings.HasPrefix(key, disposable) }

func disposableKey(key string) string { return disposable + strings.ToUpper(key[:1]) + key[1:] + "s" }

// missingErrors says which error the operation has to declare and does not: the
// suite asks for each of them.
func (op *Operation) missingErrors() string {
	want := []string{"401"}
	if len(op.Params) > 0 {
		want = append(want, "403", "404")
	}
	if op.Updates() {
		want = append(want, "422")
	}
	for _, status := range want {
		if jsonSchema(op.Responses[status]) == nil {
			return fmt.Sprintf("its responses lack %s with the error body", status)
		}
	}
	return ""
}

// LineOf is the line of openapi.yaml at which a clause is said of an operation:
// that of the field or response that carries the clause's mark, else that of the
// operation itself. For an operation that is not known, such as "all", it is
// the first operation's that says it.
func (d *Document) LineOf(operation, clause string) int {
	if op := d.Operation(operation); op != nil {
		if line := d.lineIn(op, clause); line > 0 {
			return line
		}
		return op.Line
	}
	for _, op := range d.Operations {
		if line := d.lineIn(op, clause); line > 0 {
			return line
		}
	}
	return d.Operations[0].Line
}

// lineIn is the line of the mark within an operation, 0 when there is none.
func (d *Document) lineIn(op *Operation, clause string) int {
	for _, o := range []*Object{op.Success, op.Body, d.Error} {
		if line := o.lineOf(clause); line > 0 {
			return line
		}
	}
	for _, r := range op.Responses {
		if text(r.Extensions, "x-clause") == clause && op.Clause != clause {
			return keyLine(r.Origin)
		}
	}
	return 0
}

// lineOf is the line of the first property with the mark, at any depth.
func (o *Object) lineOf(clause string) int {
	if o == nil {
		return 0
	}
	for _, f := range o.Fields {
		if f.Clause == clause {
			return o.line(f.Name)
		}
		for _, inner := range []*Object{f.Object, f.Items} {
			if line := inner.lineOf(clause); line > 0 {
				return line
			}
		}
	}
	return 0
}

func keyLine(o *openapi3.Origin) int {
	if o == nil || o.Key == nil {
		return 0
	}
	return o.Key.Line
}
