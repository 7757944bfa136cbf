package faults

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// undecodable is a request on which a decoder of the server fails.
type undecodable struct {
	name, sentence string
	status         int // of a refusal that the contract describes
	is             condition
}

var undecodablePath = undecodable{"path", "an id that is no UTF-8", 404, func(x *exchange) bool { return x.lastID() == "%ff" }}

var undecodableBodies = []undecodable{
	{"false-gzip", "a body that is not gzip and said to be", 422, header("Content-Encoding", "gzip")},
	{"unknown-coding", "a content coding that nobody knows", 422, header("Content-Encoding", "adconform")},
	{"unknown-charset", "a character set that nobody knows", 422, header("Content-Type", "adconform")},
	{"megabyte", "a body of more than a megabyte", 422, body(func(b string) bool { return len(b) > 1<<20 })},
	{"nested", "a body that nests deeply", 422, bodyHas("[[[[[[[[")},
	{"not-utf8", "a body that is no UTF-8", 422, bodyHas("a\xffz")},
	{"surrogate", "half a surrogate pair", 422, bodyHas(`\ud800`)},
	{"array-of-values", "an array of the fields' values", 422, body(func(b string) bool { return strings.HasPrefix(b, `["`) })},
}

// undecodableExpressions are those of an update with an expression.
var undecodableExpressions = []undecodable{
	{"huge-quantifier", "an expression that repeats a million times", 422, bodyHas("{1000000}")},
	{"nested-quantifier", "an expression with nested repetitions", 422, bodyHas("}){")},
}

func header(name, part string) condition {
	return func(x *exchange) bool { return strings.Contains(x.header.Get(name), part) }
}

// undecodables are those of an operation.
func undecodables(op *spec.Operation) []undecodable {
	all := []undecodable{undecodablePath}
	if op.Updates() {
		all = append(all, undecodableBodies...)
		if slices.ContainsFunc(op.Body.Fields, expression) {
			all = append(all, undecodableExpressions...)
		}
	}
	return all
}

// badlyRefused fail on a request that they cannot decode, or refuse it with something
// else than the error object.
func badlyRefused(op *spec.Operation) []row {
	const also = " ERR-6 ERR-7 ERR-8 ERR-11 HTTP-3 JSON-1"
	var rows []row
	for _, u := range undecodables(op) {
		refused := func(status int, body object) behaviour {
			return when(u.is, replaces(status, body))
		}
		rows = append(rows,
			fault(u.name+"-500", "HTTP-1"+also, u.sentence+" is answered 500", crashes(u.is)),
			fault(u.name+"-bare", "ERR-6"+also, u.sentence+" is refused with a message and no error section",
				refused(u.status, object{"message": "cannot be decoded"})),
			fault(u.name+"-other-code", "ERR-7"+also, u.sentence+" is refused with another code in the error than its status",
				refused(u.status, errorBody(400))))
	}
	return append(rows, fault("path-taken", "ERR-1 EFFECT-2 DELETE-3 DELETE-4 EFFECT-3 DELETE-1",
		"an id that is no UTF-8 is taken for the first object",
		when(all(undecodablePath.is, byOwner), func(x *exchange) *answer { return x.send(x.with(x.to(x.mine()...))) })).graded(ofAnother(op)))
}

// wronglyDecoded take what they cannot decode for something else.
func wronglyDecoded(op *spec.Operation) []row {
	fields := op.Body.Fields
	fromArray := func(x *exchange) *answer {
		var values []any
		if json.Unmarshal(x.body, &values) != nil || len(values) != len(fields) {
			return x.forward()
		}
		doc := object{}
		for i, f := range fields {
			doc[f.Name] = values[i]
		}
		return x.send(x.with(saying(doc)))
	}
	return []row{
		fault("array-of-values-taken", "ERR-3 EFFECT-1", "an array of the fields' values is taken for the object", fromArray),
		fault("coding-empties", "shows persists operation", "a body whose content coding is not known is taken for {}",
			when(func(x *exchange) bool { return x.header.Get("Content-Encoding") != "" }, says(object{}))),
	}
}

// badPages fail on pages that are no numbers of a page, or show what they make of them.
func badPages(*spec.Operation) []row {
	var rows []row
	for _, q := range []struct {
		name, query string
		shown       any
	}{
		{"fraction", "page=1.5", json.Number("1.5")},
		{"beyond-63-bit", "page=9223372036854775808", "9223372036854775808"},
		{"beyond-64-bit", "page=100000000000000000000", json.Number("100000000000000000000.5")},
		{"empty", "page=", nil},
		{"twice", "page=1&page=2", []any{1, 2}},
	} {
		shown := func(x *exchange) *answer {
			return x.send(x.with(asking(""))).paged(func(p *page) { p.numbers["page"] = q.shown })
		}
		rows = append(rows,
			fault("page-"+q.name+"-500", "HTTP-1", "the server fails on "+q.query, crashes(asks(q.query))),
			fault("page-"+q.name+"-bare", "ERR-6 ERR-7 ERR-8 ERR-11", q.query+" is refused with a message and no error section",
				when(asks(q.query), replaces(422, object{"message": "page"}))),
			fault("page-"+q.name+"-shown", "MEDIA-5 MEDIA-2", q.query+" is shown as the page, which is no integer then",
				when(asks(q.query), shown)).graded(Minor).choosing(func(c *reference.Choices) { c.MalformedPage = reference.Ignore }))
	}
	return rows
}
