package specs

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// Object is an object of the target that the suite may use.
type Object = judge.Object

// Call is a request that a case may send.
type Call = judge.Call

// Change makes another request of a valid one.
type Change func(*Call)

// Valid is the owner's request for an object with every field right, which is meant to
// succeed. Fields have new values, so that the update would show.
func Valid(c *Case, o *Object, changes ...Change) Call {
	var fields map[string]any
	if o.Op.Updates() {
		fields = Fresh(c, o)
	}
	return Plain(c, o, fields, changes...)
}

// Plain is the owner's request for an object with these fields, which is meant to
// succeed.
func Plain(c *Case, o *Object, fields map[string]any, changes ...Change) Call {
	call := Call{Op: o.Op, Object: o, As: c.Owner(), Succeeds: true}
	if o.Nowhere() {
		call.Object, call.Path = nil, o.Path() // there is nothing to remember of it
	}
	if o.Op.Updates() {
		call.Body = oracle.ObjectBody(o.Op.Body, fields)
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
func Set(field string, to any) Change {
	return func(call *Call) {
		call.Body.Fields[field] = to
		call.Body = oracle.ObjectBody(call.Op.Body, call.Body.Fields)
	}
}

// Without leaves a field out.
func Without(field string) Change {
	return func(call *Call) {
		delete(call.Body.Fields, field)
		call.Body = oracle.ObjectBody(call.Op.Body, call.Body.Fields)
	}
}

// Only sends these fields and no others.
func Only(fields map[string]any) Change {
	return func(call *Call) { call.Body = oracle.ObjectBody(call.Op.Body, fields) }
}

// Text sends this body, whatever it says.
func Text(body string) Change {
	return func(call *Call) { call.Body = &oracle.Body{Fields: call.Body.Fields, Raw: []byte(body)} }
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

// Query asks with a query.
func Query(name string, values ...string) Change {
	return func(call *Call) { call.Query = url.Values{name: values}.Encode() }
}

// Part says that the body has some of the fields.
func Part(call *Call) { call.Part = true }

// Odd says that it is likely to be refused.
func Odd(call *Call) { call.Succeeds = false }

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

// Fresh are ordinary values that differ from what the object holds, so that an update
// with them would show.
func Fresh(c *Case, o *Object) map[string]any {
	values := c.Ordinary(o, 0)
	for _, f := range o.Op.Body.Fields {
		if last, known := o.Last(f.Name); known && len(f.Enum) > 1 && values[f.Name] == last {
			values[f.Name] = f.Enum[(slices.Index(f.Enum, last.(string))+1)%len(f.Enum)]
		}
	}
	return values
}
