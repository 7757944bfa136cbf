package faults

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// crash returns a fault that fails on a kind of request.
func crash(id, sentence string, is condition) row {
	return fault(id, "HTTP-1", "the server fails on "+sentence, crashes(is))
}

// crashing fail on a key, page, creative, body or value.
func crashing(op *spec.Operation) []row {
	crash := func(name, sentence string, is condition) row { return crash("crash/"+name, sentence, is) }
	rows := []row{
		crash("no-key", "a request without a key", noKey),
		crash("long-key", "a key of more than 128 characters", longKey),
		crash("percent-key", "a key that is no valid percent-encoding", func(x *exchange) bool { return x.key() == "%" }),
		fault("crash/stranger", "HTTP-1", "the server fails on a user without permission", instead(403, byStranger, refuse(500))),
	}
	creative := func(key string) condition {
		return func(x *exchange) bool { return byOwner(x) && x.lastID() == itoa(x.World.Objects[key][0].ID) }
	}
	switch {
	case op.Deletes():
		return append(rows,
			crash("container", "a VAST creative with media files", creative("disposableVastCreatives")).graded(spec.Major),
			crash("media-file", "a media file", func(x *exchange) bool { return byOwner(x) && x.lastID() == "241" }).graded(spec.Major))
	case op.Lists():
		return append(rows,
			crash("page-beyond", "page=1000", asks("page=1000")),
			crash("page-zero", "page=0", asks("page=0")),
			crash("page-negative", "page=-1", asks("page=-1")),
			crash("page-letters", "page=abc", asks("page=abc")),
			crash("page-second", "page=2", asks("page=2")).graded(spec.Major),
			crash("plain", "a creative that is no VAST creative", creative("plainCreative")),
			crash("empty", "a VAST creative without media files", creative("emptyVastCreative")).graded(spec.Major),
			crash("large", "a VAST creative with several pages", creative("pagedVastCreatives")).graded(spec.Major))
	}
	rows = append(rows,
		crash("no-body", "an empty body", bodyIs("")),
		crash("empty-object", "{}", bodyIs("{}")),
		crash("array", "a body that is an array", bodyIs("[]")),
		crash("scalar", "a body that is a string or a number", bodyIs(`"x"`, "7")),
		crash("null", "a body that is null", bodyIs("null")),
		crash("trailing-text", "text after the object", body(func(b string) bool { return strings.HasSuffix(b, "} x") })),
		crash("cut-off", "a body that is cut off", cutOff),
		crash("unknown-field", "a field that it does not know", bodyHas(`"adconformUnknown"`)),
		crash("media-type", "another media type", header("Content-Type", "text/plain")))
	for _, f := range op.Body.Fields {
		for _, v := range crashingValues {
			if v.of(f) {
				rows = append(rows, crash(f.Name+"-"+v.name, v.sentence+" for "+f.Name, gives(f, v.is)).graded(v.severity))
			}
		}
	}
	return rows
}

// crashingValues are values on which servers fail, and the fields that may have them. Failing on a value that people
// write is worse than failing on one that no client should send.
var crashingValues = []struct {
	name, sentence string
	is             func(v any) bool
	of             func(f *spec.Field) bool
	severity       spec.Impact
}{
	{"null", "null", equals(nil), anyField, spec.Minor},
	{"number", "a number", func(v any) bool { return strings.HasPrefix(string(encode(v)), "1") }, anyField, spec.Minor},
	{"boolean", "true", equals(true), anyField, spec.Minor},
	{"array", "an array", is[[]any], anyField, spec.Minor},
	{"object", "an object", is[object], anyField, spec.Minor},
	{"unlisted", "a word that is not in the list", equals("never"), listed, spec.Minor},
	{"empty", "an empty text", equals(""), freeText, spec.Minor},
	{"invalid", "an invalid name", containing("not a host"), hostname, spec.Minor},
	{"empty-label", "an empty label", containing(".."), hostname, spec.Minor},
	{"apostrophe", "an apostrophe", containing("'"), hostname, spec.Minor},
	{"emoji", "a character beyond the basic plane", containing("😀"), hostname, spec.Minor},
	{"long", "a text of more than 255 characters", longer(255), noHostname, spec.Minor},
	{"invalid", "an invalid expression", containing("(["), expression, spec.Minor},
	{"very-long", "a text of 65,536 characters", longer(60_000), anyName, spec.Minor},
	{"apostrophe", "an apostrophe", containing("'"), noHostname, spec.Major},
	{"backslash", "a backslash", containing(`\`), noHostname, spec.Major},
	{"emoji", "a character beyond the basic plane", containing("😀"), noHostname, spec.Major},
	{"nul", "U+0000", containing("\x00"), noHostname, spec.Minor},
	{"newline", "a line break", containing("\n"), noHostname, spec.Minor},
	{"sql", "words of SQL", containing("SELECT"), noHostname, spec.Major},
}

// undecodable is a request on which a decoder of the server fails.
type undecodable struct {
	name, sentence string
	is             condition
}

var undecodablePath = undecodable{"path", "an id that is no UTF-8", func(x *exchange) bool { return x.lastID() == "%ff" }}

var undecodableBodies = []undecodable{
	{"false-gzip", "a body that is not gzip and said to be", header("Content-Encoding", "gzip")},
	{"unknown-coding", "an unknown content coding", header("Content-Encoding", "adconform")},
	{"unknown-charset", "an unknown character set", header("Content-Type", "adconform")},
	{"megabyte", "a body of more than a megabyte", body(func(b string) bool { return len(b) > 1<<20 })},
	{"nested", "a body that nests deeply", bodyHas("[[[[[[[[")},
	{"not-utf8", "a body that is no UTF-8", bodyHas("a\xffz")},
	{"surrogate", "half a surrogate pair", bodyHas(`\ud800`)},
	{"array-of-values", "an array of the fields' values", body(func(b string) bool { return strings.HasPrefix(b, `["`) })},
}

// undecodableExpressions are those of an update with an expression.
var undecodableExpressions = []undecodable{
	{"huge-quantifier", "an expression that repeats a million times", bodyHas("{1000000}")},
	{"endless-quantifier", "an expression that repeats more often than an integer counts", bodyHas("{99999999999}")},
	{"nested-groups", "an expression of groups that nest deeply", bodyHas("((((((((((")},
}

// badlyRefused fail on a request that they cannot decode, or refuse it without the error object.
func badlyRefused(op *spec.Operation) (rows []row) {
	badly := func(u undecodable, status int) {
		const also = " ERR-6 ERR-7 ERR-8 ERR-11 HTTP-3 JSON-1"
		rows = append(rows,
			fault("decoding/"+u.name+"-500", "HTTP-1"+also, u.sentence+" is answered 500", crashes(u.is)),
			fault("decoding/"+u.name+"-bare", "ERR-6"+also, u.sentence+" is refused with a message and no error section",
				when(u.is, replaces(status, object{"message": "cannot be decoded"}))))
	}
	badly(undecodablePath, 404)
	if op.Updates() {
		all := undecodableBodies
		if slices.ContainsFunc(op.Body.Fields, expression) {
			all = slices.Concat(all, undecodableExpressions)
		}
		for _, u := range all {
			badly(u, 422)
		}
	}
	return append(rows, fault("decoding/path-taken", "ERR-1 EFFECT-2 DELETE-3 DELETE-4 EFFECT-3 DELETE-1",
		"an id that is not UTF-8 is treated as that of the first object", when(all(undecodablePath.is, byOwner), asMine)).graded(ofAnother(op)))
}

// wronglyDecoded decode a body into something else.
func wronglyDecoded(op *spec.Operation) []row {
	fromArray := func(x *exchange) *answer {
		doc := object{}
		values, _ := decode(x.body).([]any)
		for i, v := range values[:min(len(values), len(op.Body.Fields))] {
			doc[op.Body.Fields[i].Name] = v
		}
		return says(doc)(x)
	}
	return []row{
		fault("decoding/array-of-values-taken", "ERR-3 EFFECT-1", "an array of the fields' values is accepted as the object",
			when(body(func(b string) bool { return strings.HasPrefix(b, `["`) }), fromArray)),
		fault("decoding/coding-empties", "shows persists operation", "a body with an unknown content coding is treated as {}",
			when(header("Content-Encoding", ""), says(object{}))),
	}
}

// badPages fail on malformed pages, or show them.
func badPages(*spec.Operation) []row {
	var rows []row
	for _, q := range []struct {
		name, query string
		shown       any
	}{
		{"fraction", "page=1.5", json.Number("1.5")},
		{"beyond-63-bit", "page=9223372036854775808", "9223372036854775808"},
		{"empty", "page=", nil},
		{"twice", "page=1&page=2", []any{1, 2}},
	} {
		rows = append(rows,
			fault("decoding/page-"+q.name+"-500", "HTTP-1", "the server fails on "+q.query, crashes(asks(q.query))),
			fault("decoding/page-"+q.name+"-shown", "MEDIA-5 MEDIA-2", q.query+" is shown as the page, which is no integer then",
				when(asks(q.query), pageOf("", func(p *page) { p.numbers["page"] = q.shown }))).graded(spec.Minor).
				choosing(func(c *reference.Choices) { c.MalformedPage = 0 }))
	}
	return rows
}

// unlisted fail on headers, queries and keys that few clients send.
func unlisted(op *spec.Operation) []row {
	crash := func(name, sentence string, is condition) row { return crash("unlisted/"+name, sentence, is) }
	query := func(is func(q string) bool) condition { return func(x *exchange) bool { return is(x.query) } }
	twice := func(q string) bool { return strings.Count("&"+q, "&x=") > 1 }
	undecodable := func(q string) bool { _, err := url.ParseQuery(q); return err != nil && !strings.Contains(q, ";") }
	rows := []row{
		crash("method-override", "a method in a header", header("X-HTTP-Method-Override", "")),
		crash("range", "a Range of other units than bytes", headerIs("Range", func(s string) bool { return !strings.HasPrefix(s, "bytes=") })),
		crash("if-match", "an entity tag that is not closed", headerIs("If-Match", func(s string) bool { return strings.Count(s, `"`)%2 == 1 })),
		crash("forwarded-for", "an address of a proxy that is none", header("X-Forwarded-For", "999")),
		crash("cookie", "a cookie without a value", headerIs("Cookie", func(s string) bool { return !strings.Contains(s, "=") })),
		crash("language", "a language that it cannot parse", header("Accept-Language", ";q=abc")),
		crash("query-twice", "a query parameter that comes twice", query(twice)),
		crash("query-undecodable", "bad percent-encoding in the query", query(undecodable)),
		crash("query-array", "an array in the query", query(has("[]="))),
		crash("key-twice", "a key in two header lines", func(x *exchange) bool { return len(x.header.Values(fixtures.DefaultKeyHeader)) > 1 }),
		crash("key-not-ascii", "a key that is not ASCII", func(x *exchange) bool {
			return strings.ContainsFunc(x.key(), func(r rune) bool { return r > 0x7f })
		}),
	}
	if !op.Deletes() { // that of an unknown id shows nothing
		rows = append(rows, fault("unlisted/foreign-host", "AUTH-2 AUTH-1", "another user is let in where a proxy's host is given",
			instead(403, all(byStranger, header("X-Forwarded-Host", "")), asOwner)).graded(spec.Critical))
	}
	return rows
}

// unlistedBodies fail on bodies and texts that few clients send, or refuse them and make the update all the same.
func unlistedBodies(op *spec.Operation) []row {
	crash := func(name, sentence string, is condition) row { return crash("unlisted/"+name, sentence, is) }
	refused := func(sends behaviour) behaviour {
		return func(x *exchange) *answer {
			sends(x)
			return refusal(http.StatusUnprocessableEntity)
		}
	}
	rows := []row{
		crash("number", "a number beyond every size", bodyHas("1e400")),
		crash("digits", "a number of very many digits", bodyHas(strings.Repeat("7", 300))),
		crash("nested", "objects that nest deeply", bodyHas(strings.Repeat(`{"a":`, 1000))),
		crash("mark", "a byte order mark", body(func(b string) bool { return strings.HasPrefix(b, "\ufeff") })),
		crash("low-surrogate", "the second half of a surrogate pair alone", bodyHas(`"Teal \udc00`)),
		crash("not-closed", "a name of a member that is no text", bodyHas(",1:1")),
		crash("chunked", "a body in chunks", header("Transfer-Encoding", "chunked")),
		fault("unlisted/off-form", "ERR-6 ERR-7 ERR-8 ERR-11", "an unknown member is refused without the error object",
			when(bodyHas("__proto__"), replaces(http.StatusUnprocessableEntity, object{"message": "invalid"}))),
		fault("unlisted/broken-json", "JSON-1 HTTP-2", "a text with a line separator breaks the JSON of the answer",
			when(bodyHas("\u2028"), rewrites(func(a *answer) { a.body = append(a.body, ']') }))),
		fault("unlisted/made", "EFFECT-1", "a body of another character set is refused, and carried out all the same",
			when(header("Content-Type", "charset=utf-16"), refused((*exchange).forward))),
		fault("unlisted/emptied", "EFFECT-1", "a number beyond every size is refused, and the name set to a default",
			when(bodyHas("1e400"), refused(says(object{nameOf(op): "emptied.example.com"})))),
	}
	for _, f := range fieldsOf(op, noHostname) {
		formula := gives(f, aText(func(s string) bool { return strings.HasPrefix(s, "=") }))
		rows = append(rows,
			crash(f.Name+"-bidi", "a bidirectional control in "+f.Name, gives(f, containing("\u202e"))),
			crash(f.Name+"-template", "a template in "+f.Name, gives(f, containing("{{"))),
			fault("unlisted/"+f.Name+"-panics", "HTTP-2 HTTP-1", "a formula in "+f.Name+" ends the connection", when(formula, noAnswer)))
	}
	return rows
}

// header selects requests with a header that contains a part.
func header(name, part string) condition { return headerIs(name, has(part)) }

// headerIs selects requests with a header of a kind.
func headerIs(name string, is func(value string) bool) condition {
	return func(x *exchange) bool { return slices.ContainsFunc(x.header.Values(name), is) }
}

// Values of a field.

func equals(want any) func(any) bool { return func(v any) bool { return v == want } }

// is reports whether a value is of a type.
func is[T any](v any) bool { _, ok := v.(T); return ok }

func noText(v any) bool { return v != nil && !is[string](v) }

// aText selects values that are such a text.
func aText(is func(s string) bool) func(v any) bool {
	return func(v any) bool { s, text := v.(string); return text && is(s) }
}

func has(part string) func(string) bool {
	return func(s string) bool { return strings.Contains(s, part) }
}

func containing(part string) func(v any) bool { return aText(has(part)) }

func longer(than int) func(v any) bool { return aText(func(s string) bool { return len(s) > than }) }
