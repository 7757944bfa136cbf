package spec

import "github.com/getkin/kin-openapi/openapi3"

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
