package judge

import (
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/wire"
)

// The interface has no read of the objects that it updates. Read finds out what
// one holds by a way of asking that was seen to tell, see omitted.go.

// user is the one whose object it is.
func (t *Test) User(o *Object) wire.Credential {
	if o.Foreign {
		return t.Model.Stranger()
	}
	return t.Model.Owner()
}

// TakesParts says whether updates with a single field were taken.
func (t *Test) TakesParts(o *Object) bool {
	for _, f := range FieldNames(o.Op) {
		if m := t.Model.modes[modeKey{o.Op.ID, f}]; m == nil || m.Refused {
			return false
		}
	}
	return len(o.Op.Body.Fields) > 1
}

// readable says whether a way of asking was seen to tell all these fields.
func (t *Test) Readable(op *spec.Operation, fields string, names []string) bool {
	m := t.Model.modes[modeKey{op.ID, fields}]
	if m == nil || m.Refused {
		return false
	}
	for _, name := range names {
		if !m.keeps(name) {
			return false
		}
	}
	return true
}

func FieldNames(op *spec.Operation) []string {
	var names []string
	for _, f := range op.Body.Fields {
		if op.Representation().Field(f.Meaning) != nil { // a password, say, is not shown
			names = append(names, f.Name)
		}
	}
	return names
}
