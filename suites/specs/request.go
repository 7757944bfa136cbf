package specs

import (
	"net/http"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/wire"
)

// Object is an object of the target that the suite may use.
type Object = engine.Object

// Call is a request that a case may send.
type Call = engine.Call

// object is the object that the path of the case's operation names.
func object(c *Case) *Object { return c.Object(c.Case.Operation, first(c.Case.Operation.Key())) }

// Change makes another request of a valid one.
type Change func(*Call)

// Valid is the owner's request for an object with every field right, which is meant to
// succeed. Fields have new values, so that the update would show.
func Valid(c *Case, o *Object, changes ...Change) Call {
	call := Call{Op: o.Op, Object: o, As: c.Owner(), Succeeds: true}
	if o.Op.Updates() {
		call.Body = engine.ObjectBody(o.Op.Body, fresh(c, o))
	}
	for _, change := range changes {
		change(&call)
	}
	return call
}

// Wrong is a valid request with a change for which it has to be refused.
func Wrong(c *Case, o *Object, changes ...Change) Call {
	call := Valid(c, o, changes...)
	call.Succeeds = false
	return call
}

// As sends it as another user.
func As(user wire.Credential) Change { return func(call *Call) { call.As = user } }

// Raw sends it on a raw connection, which shows what HTTP clients hide.
func Raw(call *Call) { call.Raw = true }

// Set gives a field another value.
func Set(field string, value any) Change {
	return func(call *Call) {
		call.Body.Fields[field] = value
		call.Body = engine.ObjectBody(call.Op.Body, call.Body.Fields)
	}
}

// Without leaves a field out.
func Without(field string) Change {
	return func(call *Call) {
		delete(call.Body.Fields, field)
		call.Body = engine.ObjectBody(call.Op.Body, call.Body.Fields)
	}
}

// Fields sends these fields only.
func Fields(fields map[string]any) Change {
	return func(call *Call) { call.Body = engine.ObjectBody(call.Op.Body, fields) }
}

// Text sends this body, whatever it says.
func Text(body string) Change {
	return func(call *Call) { call.Body = &engine.Body{Fields: call.Body.Fields, Raw: []byte(body)} }
}

// Header adds a header.
func Header(name, value string) Change {
	return func(call *Call) {
		if call.Header == nil {
			call.Header = http.Header{}
		}
		call.Header[http.CanonicalHeaderKey(name)] = []string{value}
	}
}

// At puts another id into the path, at position i.
func At(i int, id string) Change {
	return func(call *Call) {
		if call.Path == nil {
			call.Path = call.Object.Path()
		}
		call.Path[i] = id
	}
}

// NoObject says that the path names no object of ours.
func NoObject(call *Call) { call.Object = nil }

// updates is what a behaviour applies to that changes objects; lists, reads and
// deletes are its siblings.
func updates(op *spec.Operation) bool { return op.Updates() }
func lists(op *spec.Operation) bool   { return op.Lists() }
func reads(op *spec.Operation) bool   { return op.Reads() }
func deletes(op *spec.Operation) bool { return op.Deletes() }
