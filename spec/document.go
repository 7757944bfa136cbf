package spec

import (
	"fmt"
	"sort"

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
