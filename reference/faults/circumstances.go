package faults

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// A circumstance is an ordinary thing beside what a request asks for.
type circumstance struct {
	name, words string
	of          func(op *spec.Operation) bool
	is          condition
}

func anyOperation(*spec.Operation) bool { return true }

func updates(op *spec.Operation) bool    { return op.Updates() }
func updatesTop(op *spec.Operation) bool { return op.Updates() && !several(op) }
func bodiless(op *spec.Operation) bool   { return !op.Updates() }
func showsList(op *spec.Operation) bool  { return op.Lists() }
func unsettable(op *spec.Operation) bool {
	return op.Updates() && slices.ContainsFunc(op.Body.Fields, func(f *spec.Field) bool { return f.Optional })
}

// Conditions, whoever sends the request.
func contains(part string) condition {
	return func(x *exchange) bool { return bytes.Contains(x.body, []byte(part)) }
}

func isEscaped(x *exchange) bool { return contains(`\u`)(x) }
func isSpaced(x *exchange) bool  { return bytes.ContainsAny(x.body, "\n\t") }
func hasNull(x *exchange) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(x.fields())), func(v any) bool { return v == nil })
}

// circumstances are ordinary in an update, in a list or everywhere.
var circumstances = []circumstance{
	{"http-1.0", "over HTTP/1.0", anyOperation, isHTTP10},
	{"many-types", "that accepts several media types", anyOperation, header("Accept", ",")},
	{"any-type", "that accepts any media type", anyOperation, headerIs("Accept", func(s string) bool { return s == "*/*" })},
	{"gzip", "that accepts gzip", anyOperation, header("Accept-Encoding", "gzip")},
	{"cookie", "with a cookie", anyOperation, header("Cookie", "")},
	{"override", "with X-HTTP-Method-Override", anyOperation, header("X-Http-Method-Override", "")},
	{"origin", "with an Origin", anyOperation, header("Origin", "")},
	{"language", "with Accept-Language", anyOperation, header("Accept-Language", "")},
	{"user-query", "with userId in its query", anyOperation, func(x *exchange) bool { return strings.Contains(x.query, "userId=") }},
	{"merge-patch", "with a merge patch", updates, header("Content-Type", "merge-patch")},
	{"charset", "whose media type has a charset", updates, header("Content-Type", "charset=")},
	{"large", "with a body above 64 KiB", updates, isLarge},
	{"chunked", "in chunks", updates, isChunked},
	{"expect", "that expects 100 Continue", updatesTop, header("Expect", "")},
	{"escaped", "whose JSON has escapes", updates, isEscaped},
	{"spaced", "whose JSON has line breaks", updates, isSpaced},
	{"null", "that unsets a field", unsettable, hasNull},
	{"content-type", "with a Content-Type", bodiless, header("Content-Type", "")},
	{"body", "with a body", bodiless, func(x *exchange) bool { return len(x.body) > 0 }},
	{"first-page", "for page 1 by its number", showsList, asks("page=1")},
	{"second-page", "for page 2", showsList, asks("page=2")},
}

// inHalf reports whether a row is seeded into an operation: each second row, and in the next operation the others.
func (s *seeds) inHalf(row int) bool {
	return (slices.Index(s.contract.Operations, s.op)+row)%2 == 0
}

// watching adds a fault of an operation that sees the requests of all.
func (s *seeds) watching(id, clauses, sentence string, does behaviour) *Server {
	f := s.fault(id, clauses, sentence, nil)
	f.Wrap = does.wrap
	return f
}

// guards serve another form of a request to everybody, as their guard knows the plain form only.
func guards(s *seeds, op *spec.Operation) {
	const nobody, strangers = "AUTH-1 AUTH-3 EFFECT-1 EFFECT-2 EFFECT-3 DELETE-4", "AUTH-2 AUTH-3 EFFECT-1 EFFECT-2 EFFECT-3 DELETE-4"
	for i, form := range pathForms {
		if op.Deletes() {
			break // a delete of a form that is served is not shown by one of the plain form
		}
		routed := func(who condition, lets behaviour) behaviour {
			return func(x *exchange) *answer {
				plain, written := form.plain(x), x.written
				if form.name == "empty-query" {
					written = x.target
				}
				routed, ids := x.Contract.Match(x.method, strings.TrimPrefix(plain, reference.BasePath))
				if plain == written || routed == nil || routed.ID != op.ID {
					return x.forward()
				}
				x.path, x.op, x.ids = plain, routed, ids
				return when(who, lets)(x)
			}
		}
		if s.inHalf(i) {
			s.watching("pair/"+form.name+"-no-key", nobody, "a request "+form.words+" needs no key", routed(noKey, asOwner))
		} else {
			s.watching("pair/"+form.name+"-stranger", strangers, "a request "+form.words+" needs no permission", routed(byStranger, permitted))
		}
	}
	for i, c := range circumstances {
		switch {
		case !c.of(op), op.Deletes():
		case s.inHalf(i):
			s.fault("pair/"+c.name+"-no-key", nobody, "a request "+c.words+" needs no key", instead(401, all(noKey, c.is), asOwner))
		default:
			s.fault("pair/"+c.name+"-stranger", strangers, "a request "+c.words+" needs no permission",
				instead(403, all(byStranger, c.is), permitted))
		}
	}
	allowed := func(name, sentence string, is condition) {
		s.fault("pair/"+name, nobody+" AUTH-2", sentence, instead(401, all(noKey, is), asOwner))
	}
	allowed("no-key-seventh", "every seventh request without a key is let in", nth(7))
	if op.Updates() {
		allowed("no-key-id-in-body", "a request without a key that names an id in its body is let in", contains(`"id"`))
	}
}

// connected acts where a condition holds after an answer of a kind on the same connection.
func connected(op string, who condition, before func(earlier []int) bool, does behaviour) behaviour {
	return func(x *exchange) *answer {
		earlier, _ := recall[[]int](x, x.remote)
		answers := x.forward
		if of(op)(x) && who(x) && before(earlier) {
			answers = func() *answer { return does(x) }
		}
		a := answers()
		x.keep(x.remote, append(slices.Clip(earlier), a.status))
		return a
	}
}

// connections remember something about the connection on which a request comes.
func connections(s *seeds, op *spec.Operation) {
	const clauses = "AUTH-1 AUTH-3 AUTH-2 EFFECT-1 EFFECT-2 EFFECT-3 DELETE-4"
	last := func(is func(status int) bool) func([]int) bool {
		return func(earlier []int) bool { return len(earlier) > 0 && is(earlier[len(earlier)-1]) }
	}
	success := func(status int) bool { return status < 300 }
	is := func(want int) func(int) bool { return func(status int) bool { return status == want } }
	add := func(name, sentence string, who condition, before func([]int) bool, does behaviour) {
		s.watching("pair/"+name, clauses, sentence, connected(op.ID, who, before, does))
	}
	add("connection-401-no-key", "no key is needed after a 401 on the same connection", noKey, last(is(401)), asOwner)
	add("connection-403-no-key", "no key is needed after a 403 on the same connection", noKey, last(is(403)), asOwner)
	add("connection-404-no-key", "no key is needed after a 404 on the same connection", noKey, last(is(404)), asOwner)
	add("connection-401-stranger", "a stranger is allowed after a 401 on the same connection", byStranger, last(is(401)), permitted)
	add("connection-403-stranger", "a stranger is allowed after a 403 on the same connection", byStranger, last(is(403)), permitted)
	if !op.Deletes() { // a success there takes an object
		add("connection-success-no-key", "no key is needed after a success on the same connection", noKey, last(success), asOwner)
		add("connection-success-stranger", "a stranger is allowed after a success on the same connection", byStranger, last(success), permitted)
	}
	third := func(earlier []int) bool {
		refusals := 0
		for _, status := range earlier {
			if refusals++; status < 400 {
				refusals = 0
			}
		}
		return refusals == 2
	}
	s.watching("pair/third-refusal-500", "HTTP-1 AUTH-1 AUTH-2 ERR-1", "the third refusal in a row on a connection is a 500",
		connected(op.ID, not(byOwner), third, refuse(500)))
	s.watching("pair/third-refusal-bare", "ERR-6 ERR-7 ERR-8 ERR-11", "the third refusal in a row on a connection has no error section",
		connected(op.ID, always, third, func(x *exchange) *answer {
			a := x.forward()
			if a.status >= 400 {
				a.body = []byte(`{"message":"refused"}`)
			}
			return a
		}))
}
