package faults

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
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
	{"endless-quantifier", "an expression that repeats more often than an integer counts", 422, bodyHas("{99999999999}")},
	{"nested-groups", "an expression of groups that nest deeply", 422, bodyHas("((((((((((")},
}

// badlyRefused fail on a request that they cannot decode, or refuse it with something
// else than the error object.
func badlyRefused(op *spec.Operation) []row {
	const also = " ERR-6 ERR-7 ERR-8 ERR-11 HTTP-3 JSON-1"
	all := []undecodable{undecodablePath}
	if op.Updates() {
		all = append(all, undecodableBodies...)
		if slices.ContainsFunc(op.Body.Fields, expression) {
			all = append(all, undecodableExpressions...)
		}
	}
	rows := []row{fault("decoding/path-taken", "ERR-1 EFFECT-2 DELETE-3 DELETE-4 EFFECT-3 DELETE-1",
		"an id that is no UTF-8 is taken for the first object",
		when(func(x *exchange) bool { return undecodablePath.is(x) && byOwner(x) }, asMine)).graded(ofAnother(op))}
	for _, u := range all {
		rows = append(rows,
			fault("decoding/"+u.name+"-500", "HTTP-1"+also, u.sentence+" is answered 500", crashes(u.is)),
			fault("decoding/"+u.name+"-bare", "ERR-6"+also, u.sentence+" is refused with a message and no error section",
				when(u.is, replaces(u.status, object{"message": "cannot be decoded"}))))
	}
	return rows
}

// wronglyDecoded take what they cannot decode for something else.
func wronglyDecoded(op *spec.Operation) []row {
	fromArray := func(x *exchange) *answer {
		var values []any
		if json.Unmarshal(x.body, &values) != nil || len(values) != len(op.Body.Fields) {
			return x.forward()
		}
		doc := object{}
		for i, f := range op.Body.Fields {
			doc[f.Name] = values[i]
		}
		return says(doc)(x)
	}
	return []row{
		fault("decoding/array-of-values-taken", "ERR-3 EFFECT-1", "an array of the fields' values is taken for the object", fromArray),
		fault("decoding/coding-empties", "shows persists operation", "a body whose content coding is not known is taken for {}",
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
		{"empty", "page=", nil},
		{"twice", "page=1&page=2", []any{1, 2}},
	} {
		rows = append(rows,
			fault("decoding/page-"+q.name+"-500", "HTTP-1", "the server fails on "+q.query, crashes(asks(q.query))),
			fault("decoding/page-"+q.name+"-shown", "MEDIA-5 MEDIA-2", q.query+" is shown as the page, which is no integer then",
				when(asks(q.query), pageOf("", func(p *page) { p.numbers["page"] = q.shown }))).graded(Minor).
				choosing(func(c *reference.Choices) { c.MalformedPage = 0 }))
	}
	return rows
}

// header is a request with a header that has a part.
func header(name, part string) condition { return headerIs(name, has(part)) }

// headerIs is a request with a header of a kind.
func headerIs(name string, is func(value string) bool) condition {
	return func(x *exchange) bool { return slices.ContainsFunc(x.header.Values(name), is) }
}

// unlisted fail on headers, queries and keys that few clients send.
func unlisted(op *spec.Operation) []row {
	crash := func(name, sentence string, is condition) row { return crash("unlisted/"+name, sentence, is) }
	there := func(string) bool { return true }
	noAddress := func(text string) bool { _, err := netip.ParseAddr(text); return err != nil }
	query := func(is func(q string) bool) condition { return func(x *exchange) bool { return is(x.query) } }
	twice := func(q string) bool {
		values, err := url.ParseQuery(q)
		return err == nil && slices.ContainsFunc(slices.Collect(maps.Values(values)), func(v []string) bool { return len(v) > 1 })
	}
	undecodable := func(q string) bool { _, err := url.ParseQuery(q); return err != nil && !strings.Contains(q, ";") }
	rows := []row{
		crash("method-override", "a method in a header", headerIs("X-HTTP-Method-Override", there)),
		crash("range", "a Range of other units than bytes", headerIs("Range", func(s string) bool { return !strings.HasPrefix(s, "bytes=") })),
		crash("if-match", "an entity tag that is not closed", headerIs("If-Match", func(s string) bool { return strings.Count(s, `"`)%2 == 1 })),
		crash("forwarded-for", "an address of a proxy that is none", headerIs("X-Forwarded-For", noAddress)),
		crash("cookie", "a cookie without a value", headerIs("Cookie", func(s string) bool { return !strings.Contains(s, "=") })),
		crash("language", "a language that it cannot parse", header("Accept-Language", ";q=abc")),
		crash("query-twice", "a query parameter that comes twice", query(twice)),
		crash("query-undecodable", "bad percent-encoding in the query", query(undecodable)),
		crash("query-array", "an array in the query", query(has("[]="))),
		crash("key-twice", "a key in two lines", func(x *exchange) bool { return len(x.header.Values(fixtures.DefaultKeyHeader)) > 1 }),
		crash("key-not-ascii", "a key that is not ASCII", func(x *exchange) bool {
			return strings.ContainsFunc(x.key(), func(r rune) bool { return r > 0x7f })
		}),
	}
	if !op.Deletes() { // that of an unknown id shows nothing
		rows = append(rows, fault("unlisted/foreign-host", "AUTH-2 AUTH-1", "another user is let in where a proxy's host is given",
			instead(403, all(byStranger, headerIs("X-Forwarded-Host", there)), asOwner)).graded(Critical))
	}
	return rows
}

// unlistedBodies fail on bodies and texts that few clients send, or refuse them and update
// all the same.
func unlistedBodies(op *spec.Operation) []row {
	crash := func(name, sentence string, is condition) row { return crash("unlisted/"+name, sentence, is) }
	// refused answers 422 after sending what of the request is carried out.
	refused := func(sent func(x *exchange) request) behaviour {
		return func(x *exchange) *answer {
			x.send(sent(x))
			return refusal(http.StatusUnprocessableEntity)
		}
	}
	whole := func(x *exchange) request { return x.request }
	emptied := func(x *exchange) request { return x.with(saying(object{nameOf(x.op): "emptied.example.com"})) }
	rows := []row{
		crash("number", "a number beyond every size", bodyHas("1e400")),
		crash("digits", "a number of very many digits", bodyHas(strings.Repeat("7", 300))),
		crash("nested", "objects that nest deeply", bodyHas(strings.Repeat(`{"a":`, 1000))),
		crash("mark", "a byte order mark", body(func(b string) bool { return strings.HasPrefix(b, "\ufeff") })),
		crash("low-surrogate", "the second half of a surrogate pair alone", bodyHas(`"Teal \udc00`)),
		crash("not-closed", "a name of a member that is no text", bodyHas(",1:1")),
		fault("unlisted/off-form", "ERR-6 ERR-7 ERR-8 ERR-11", "an unknown member is refused without the error object",
			when(bodyHas("__proto__"), replaces(http.StatusUnprocessableEntity, object{"message": "invalid"}))),
		fault("unlisted/broken-json", "JSON-1 HTTP-2", "a text with a line separator breaks the JSON of the answer",
			when(bodyHas("\u2028"), rewrites(func(a *answer) { a.body = append(a.body, ']') }))),
		fault("unlisted/made", "EFFECT-1", "a body of another character set is refused, and carried out all the same",
			when(header("Content-Type", "charset=utf-16"), refused(whole))),
		fault("unlisted/emptied", "EFFECT-1", "a number beyond every size is refused, and the name set to a default",
			when(bodyHas("1e400"), refused(emptied))),
		crash("chunked", "a body in chunks", headerIs("Transfer-Encoding", has("chunked"))),
	}
	for _, f := range op.Body.Fields {
		if !noHostname(f) {
			continue
		}
		formula := gives(f, aText(func(s string) bool { return strings.HasPrefix(s, "=") }))
		rows = append(rows,
			crash(f.Name+"-bidi", "a bidirectional control in "+f.Name, gives(f, aText(has("\u202e")))),
			crash(f.Name+"-template", "a template in "+f.Name, gives(f, aText(has("{{")))),
			fault("unlisted/"+f.Name+"-panics", "HTTP-2 HTTP-1", "a formula in "+f.Name+" ends the connection", when(formula, noAnswer)))
	}
	return rows
}
