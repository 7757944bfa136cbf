package faults

import (
	"bytes"
	"maps"
	"regexp"
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

func updates(op *spec.Operation) bool   { return op.Updates() }
func bodiless(op *spec.Operation) bool  { return !op.Updates() }
func showsList(op *spec.Operation) bool { return op.Lists() }
func manyFields(op *spec.Operation) bool {
	return op.Updates() && len(op.Body.Fields) > 1
}

func unsettable(op *spec.Operation) bool {
	return op.Updates() && slices.ContainsFunc(op.Body.Fields,
		func(f *spec.Field) bool { return f.Optional })
}

// Conditions, whoever sends the request.
func contains(part string) condition {
	return func(x *exchange) bool {
		return bytes.Contains(x.body, []byte(part))
	}
}

func isEscaped(x *exchange) bool { return contains(`\u`)(x) }
func isSpaced(x *exchange) bool  { return bytes.ContainsAny(x.body, "\n\t") }
func hasNull(x *exchange) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(x.fields())),
		func(v any) bool { return v == nil })
}

// isReordered selects bodies whose members are not in alphabetical order.
func isReordered(x *exchange) bool {
	var names []string
	for _, found := range memberName.FindAllSubmatch(x.body, -1) {
		names = append(names, string(found[1]))
	}
	return !slices.IsSorted(names)
}

var memberName = regexp.MustCompile(`"(\w+)"\s*:`)

func hasBody(x *exchange) bool     { return len(x.body) > 0 }
func asksForSize(x *exchange) bool { return sizeParameter.MatchString(x.query) }

var sizeParameter = regexp.MustCompile(`(?i)\b\w*(size|limit|per_?page)\w*=`)

// circumstances are ordinary in an update, in a list or everywhere.
var circumstances = []circumstance{
	{"http-1.0", "over HTTP/1.0", anyOperation, isHTTP10},
	{"many-types", "that accepts several media types", anyOperation, header("Accept", ",")},
	{"any-type", "that accepts any media type", anyOperation, headerIs("Accept", equalTo("*/*"))},
	{"gzip", "that accepts gzip", anyOperation, header("Accept-Encoding", "gzip")},
	{"cookie", "with a cookie", anyOperation, header("Cookie", "")},
	{"override", "with X-HTTP-Method-Override", anyOperation, header("X-Http-Method-Override", "")},
	{"origin", "with an Origin", anyOperation, header("Origin", "")},
	{"language", "with Accept-Language", anyOperation, header("Accept-Language", "")},
	{"user-query", "with userId in its query", anyOperation, query("userId=")},
	{"merge-patch", "with a merge patch", updates, header("Content-Type", "merge-patch")},
	{"charset", "whose media type has a charset", updates, header("Content-Type", "charset=")},
	{"large", "with a body above 64 KiB", updates, isLarge},
	{"chunked", "in chunks", updates, isChunked},
	{"expect", "that expects 100 Continue", updates, header("Expect", "")},
	{"escaped", "whose JSON has escapes", updates, isEscaped},
	{"spaced", "whose JSON has line breaks", updates, isSpaced},
	{"null", "that unsets a field", unsettable, hasNull},
	{"content-type", "with a Content-Type", bodiless, header("Content-Type", "")},
	{"body", "with a body", bodiless, hasBody},
	{"first-page", "for page 1 by its number", showsList, asks("page=1")},
	{"second-page", "for page 2", showsList, asks("page=2")},
	{"ajax", "with X-Requested-With", anyOperation, header("X-Requested-With", "")},
	{"one-field", "that gives one field", manyFields, alone},
	{"page-size", "with a page size", showsList, asksForSize},
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

// What letting people in without a key or without permission breaks.
const (
	letsNobodyIn    = "AUTH-1 AUTH-3" + letIn
	letsStrangersIn = "AUTH-2 AUTH-3" + letIn
	letIn           = " EFFECT-1 EFFECT-2 EFFECT-3 DELETE-4"
)

// guards serve another form of a request to everybody, as their guard knows the plain form only.
func guards(s *seeds, op *spec.Operation) {
	for i, form := range pathForms {
		s.at(form.name, form.words)
		routed := func(who condition, lets behaviour) behaviour {
			return func(x *exchange) *answer {
				written := x.written
				if form.name == "empty-query" {
					written = x.target
				}
				plain := form.plain(form.of(x))
				routed, ids := x.Contract.Match(x.method,
					strings.TrimPrefix(plain, reference.BasePath))
				if plain == written || routed == nil || routed.ID != op.ID {
					return x.forward()
				}
				x.path = plain
				x.op = routed
				x.ids = ids
				return when(who, lets)(x)
			}
		}
		if s.inHalf(i) {
			s.watching("pair/{name}-no-key", letsNobodyIn, "a request {words} needs no key", routed(noKey, asOwner))
		} else {
			s.watching("pair/{name}-stranger", letsStrangersIn, "a request {words} needs no permission",
				routed(byStranger, permitted))
		}
	}
}

// besideGuards let in whoever sends an ordinary thing beside the request.
func besideGuards(s *seeds, op *spec.Operation) {
	for i, c := range circumstances {
		s.at(c.name, c.words)
		switch {
		case !c.of(op):
		case s.inHalf(i):
			s.fault("pair/{name}-no-key", letsNobodyIn, "a request {words} needs no key",
				instead(401, all(noKey, c.is), asOwner))
		default:
			s.fault("pair/{name}-stranger", letsStrangersIn, "a request {words} needs no permission",
				instead(403, all(byStranger, c.is), permitted))
		}
	}
	allowed := func(name, sentence string, is condition) {
		s.fault("pair/"+name, letsNobodyIn+" AUTH-2", sentence,
			instead(401, all(noKey, is), asOwner))
	}
	allowed("no-key-seventh", "every seventh request without a key is let in", nth(7))
	if op.Updates() {
		allowed("no-key-id-in-body", "a request without a key that names an id in its body is let in", contains(`"id"`))
		last := lastOf(op).Name
		allowed("no-key-without-"+last, "a request without a key that leaves a field out is let in",
			func(x *exchange) bool {
				return x.fields() != nil && x.fields()[last] == nil
			})
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
	const clauses = letsNobodyIn + " AUTH-2"
	is := func(want int) func(int) bool {
		return func(status int) bool { return status == want }
	}
	for name, ended := range map[string]func(status int) bool{
		"401": is(401), "403": is(403), "404": is(404), "success": func(status int) bool { return status < 300 },
	} {
		last := func(earlier []int) bool {
			return len(earlier) > 0 && ended(earlier[len(earlier)-1])
		}
		s.name = name
		s.watching("pair/connection-{name}-no-key", clauses, "no key is needed after a {name} on the same connection",
			connected(op.ID, noKey, last, asOwner))
		if name != "404" {
			s.watching("pair/connection-{name}-stranger", clauses,
				"a stranger is allowed after a {name} on the same connection",
				connected(op.ID, byStranger, last, permitted))
		}
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
	s.watching("pair/third-refusal-500", "HTTP-1 AUTH-1 AUTH-2 ERR-1",
		"the third refusal in a row on a connection is a 500",
		connected(op.ID, not(byOwner), third, refuse(500)))
	s.watching("pair/third-refusal-bare", "ERR-6 ERR-7 ERR-8 ERR-11",
		"the third refusal in a row on a connection has no error section",
		connected(op.ID, always, third, func(x *exchange) *answer {
			a := x.forward()
			if a.status >= 400 {
				a.body = []byte(`{"message":"refused"}`)
			}
			return a
		}))
}

// What breaks where the fields of a body are not checked.
const uncheckedFields = "ERR-4 ERR-5" + taken + " EFFECT-2 persists"

// unchecked leave out a check of the content or of the path, where something else is unusual.
func unchecked(s *seeds, op *spec.Operation) {
	taken := func(name, words string, is condition) {
		s.fault("pair/"+name+"-wrong", uncheckedFields, "the fields of "+words+" are not checked",
			when(is, taking(op)))
	}
	const missing = "ERR-1 ERR-2 EFFECT-1 EFFECT-2"
	first := func(name, sentence string, is condition) {
		isUnknown := unknownAt(len(op.Params) - 1)
		s.fault("pair/"+name+"-unknown", missing, sentence,
			instead(404, all(byOwner, isUnknown, is), asMine))
	}
	for i, c := range circumstances {
		switch {
		case !c.of(op):
		case s.inHalf(i):
			taken(c.name, "a request "+c.words, all(byOwner, c.is))
		default:
			first(c.name, "a request "+c.words+" for an unknown object changes the first one", c.is)
		}
	}
	if manyFields(op) {
		taken("reordered", "a request whose members are in another order", all(byOwner, isReordered))
	}
	taken("other", "another object than the first", onOther)
	taken("encoded", "a request with an encoded character in its path", all(byOwner, isEncoded))
	first("encoded", "an unknown id of which a character is encoded changes the first object", isEncoded)
	first("empty", "{} for an unknown object shows the first one", bodyIs("{}"))
	if several(op) {
		for name, is := range map[string]condition{
			"encoded": isEncoded, "chunked": isChunked, "null": hasNull, "empty": bodyIs("{}"), "one-field": alone,
		} {
			s.name = name
			s.fault("pair/{name}-parent", missing,
				"a request through wrong parents is answered as if they were right ({name})",
				instead(404, all(belongs, byOwner, is), rightly))
		}
	}
}

// misread read an update that is written differently from most wrongly.
func misread(s *seeds, op *spec.Operation) {
	const clauses = "shows persists operation"
	name := nameOf(op)
	last := lastOf(op)
	lost := func(id, sentence string, is condition, does behaviour) {
		s.fault("pair/"+id, clauses+" "+last.Clause, sentence,
			when(all(byOwner, is), does))
	}
	nothing := says(object{})
	lost("chunked-empty", "a body in chunks is treated as {}", isChunked, nothing)
	lost("charset-empty", "a body whose media type has a charset is treated as {}",
		header("Content-Type", "charset="), nothing)
	lost("large-empty", "a body above 64 KiB is treated as {}", isLarge, nothing)
	lost("expect-empty", "a body that waits for 100 Continue is treated as {}", header("Expect", ""), nothing)
	lost("escaped-name", "a member whose name has an escape is ignored", escapedName, setting(drop(name)))
	lost("spaced-refused", "a body with line breaks is refused", isSpaced, refuse(422))
	lost("escaped-refused", "a body with escapes is refused", isEscaped, refuse(422, name))
	lost("any-type-406", "a request that accepts any media type is answered 406",
		headerIs("Accept", equalTo("*/*")), refuse(406))
	lost("many-types-406", "a request that accepts several media types is answered 406",
		header("Accept", ","), refuse(406))
	lost("http-1.0-empty", "a body over HTTP/1.0 is treated as {}", isHTTP10, nothing)
	lost("gzip-not-stored", "an update that accepts gzip is shown and not made",
		header("Accept-Encoding", "gzip"), asItWas)
	lost("encoded-not-stored", "an update whose path has an encoded character is shown and not made",
		isEncoded, asItWas)
	lost("language-not-stored", "an update with Accept-Language is shown and not made",
		header("Accept-Language", ""), asItWas)
	equalsFirst := func(x *exchange) bool {
		return x.fields()[last.Name] == x.current(x.mine()...)[last.Name]
	}
	lost("other-equal-fields", "an update of another object to values of the first is not made",
		all(onOther, changing, equalsFirst), asItWas)
	if manyFields(op) {
		lost("reordered-first", name+" is ignored where the members are in another order", isReordered,
			setting(drop(name)))
		lost("reordered-last", last.Name+" is ignored where the members are in another order", isReordered,
			setting(drop(last.Name)))
	}
	for _, f := range op.Body.Fields {
		if !noHostname(f) {
			continue
		}
		s.name = f.Name
		given := func(part string) condition {
			return all(gives(f, containing(part)), isEscaped)
		}
		written := func(id, sentence string, c condition, spoil func(string) string) {
			s.fault("pair/"+id+"-{name}", "shows persists", "{name}: "+sentence, when(c,
				setting(text(f.Name, spoil)))).choosing(permissive)
		}
		written("escaped-apostrophe", "an escaped apostrophe is doubled", given("'"), swap("'", "''"))
		written("escaped-latin", "an escaped letter beyond ASCII is lost", given("é"), swap("é", ""))
		pair := gives(f, aText(func(t string) bool {
			return strings.ContainsFunc(t, func(r rune) bool { return r > 0xffff })
		}))
		written("escaped-pair", "an escaped pair of surrogates becomes two question marks", all(pair, isEscaped),
			swapAll(`[\x{10000}-\x{10ffff}]`, "??"))
		written("escaped-ascii", "an escape of an ASCII letter stays as it is written", given(""),
			swap("A", `\u0041`, "a", `\u0061`))
		written("solidus", `an escaped solidus keeps its backslash`, all(byOwner, contains(`\/`)), swap("/", `\/`))
		written("chunked-cut", "a text in chunks is cut to 8 characters", all(gives(f, isText), isChunked), cut(8))
		written("charset-latin1", "with a charset a text is read as Latin-1",
			all(gives(f, isText), header("Content-Type", "charset=")),
			swapAll(`[^\x00-\x7f]`, "?"))
		written("other-upper", "another object's text is stored in capitals", all(gives(f, isText), onOther),
			strings.ToUpper)
	}
}

var nameWithEscape = regexp.MustCompile(`[{,]\s*"[^"]*\\u[^"]*"\s*:`)

func escapedName(x *exchange) bool { return nameWithEscape.Match(x.body) }

// unsetting go wrong with a field that is unset already, or with another field of such an object.
func unsetting(s *seeds, op *spec.Operation, f, other *spec.Field) {
	const clauses = "persists shows EFFECT-1 operation "
	isUnset := holds(f.Name, equals(nil))
	unsets := gives(f, equals(nil))
	s.at(f.Name, other.Name)
	again := func(id, clauses, sentence string, does behaviour) {
		s.fault("pair/unset-twice-"+id, clauses, "a {name} that is unset again "+sentence,
			when(all(unsets, isUnset), does))
	}
	again("500", "HTTP-1 "+clauses, "makes the server fail", refuse(500))
	again("422", clauses+f.Clause, "is refused", refuse(422, f.Name))
	again("404", "EFFECT-3 "+clauses, "is answered 404", refuse(404))
	again("text", clauses+f.Clause, "becomes the text null", setting(put(f.Name, "null")))
	again("others", clauses, "leaves the other fields as they were", setting(drop(other.Name)))
	s.fault("pair/unset-other-{name}", clauses, "of another object {name} is shown as unset and stays",
		when(all(unsets, onOther), asItWas))
	setsOther := all(gives(other, isText), alone)
	s.fault("pair/unset-name-not-stored", clauses, "where {name} is unset an update of the {words} alone is not stored",
		when(all(setsOther, isUnset), asItWas))
	s.fault("pair/unset-back", clauses, "an update of the {words} alone brings an unset {name} back",
		func(x *exchange) *answer {
			now, _ := x.stored()[f.Name].(string)
			old, had := recall[string](x, x.path)
			switch {
			case now != "":
				x.keep(x.path, now)
			case had && setsOther(x):
				return setting(put(f.Name, old))(x)
			}
			return x.forward()
		})
}

// rememberingToo depend on what the object went through before.
func rememberingToo(s *seeds, op *spec.Operation) {
	const clauses = "persists shows EFFECT-1 EFFECT-2 operation"
	s.after("after-401", clauses, "the update after one that was refused with 401 is shown and not made", 401,
		always, sets, asItWas)
	s.after("after-403", clauses, "the update after one that was refused with 403 is shown and not made", 403,
		always, sets, asItWas)
	s.after("after-same", "HTTP-1 "+clauses, "an update after one to what the object held fails", 200,
		changesNothingNow, sets, refuse(500))
	for i, f := range op.Body.Fields {
		if f.Optional {
			unsetting(s, op, f, fieldAfter(op, i))
		}
	}
	enums := slices.DeleteFunc(slices.Clone(op.Body.Fields), freeText)
	if len(enums) < 2 {
		return
	}
	words := enums[0].Enum
	for i, word := range words {
		both := all(gives(enums[0], equals(word)),
			gives(enums[1], equals(word)))
		s.fault("pair/both-"+word, clauses, "where both actions are "+word+" the second is stored as another",
			when(both, stores(put(enums[1].Name,
				words[(i+1)%len(words)]))))
	}
}

// changesNothingNow selects updates whose fields the object has now.
func changesNothingNow(x *exchange) bool {
	now := x.stored()
	fields := onlyFields(x.op, x.fields())
	for name, v := range fields {
		if now[name] != v {
			return false
		}
	}
	return len(fields) > 0
}

// besides returns the circumstances with these names, and an encoded character in the path.
func besides(names ...string) []circumstance {
	named := slices.DeleteFunc(slices.Clone(circumstances),
		func(c circumstance) bool { return !slices.Contains(names, c.name) })
	return append(named, circumstance{name: "encoded", words: "with an encoded character in its path", is: isEncoded})
}

// deleting go wrong with a delete that has something beside it, or follows a refused one.
func deleting(s *seeds, op *spec.Operation) {
	nothing := deletes(func(spec.Creative) []int64 { return nil })
	isRefused := []string{"query", "body", "content-type", "encoded"} // by servers that may do so
	for _, c := range append(besides("body", "content-type", "http-1.0", "any-type", "cookie"),
		circumstance{name: "query", words: "with a query", is: not(asks(""))}) {
		s.at(c.name, c.words)
		s.fault("pair/{name}-kept", lostDelete, "a delete {words} is answered 204 and removes nothing",
			when(all(byOwner, c.is), nothing))
		if !slices.Contains(isRefused, c.name) {
			s.fault("pair/{name}-refused", "DELETE-1 ERR-12", "a delete {words} is answered 422",
				when(all(byOwner, c.is), refuse(422)))
		}
		s.fault("pair/{name}-again", "DELETE-3 DELETE-1", "a second delete {words} is answered 204",
			afterDelete(samePath, all(byOwner, c.is), empty(204)))
		s.fault("pair/{name}-stranger-made", "EFFECT-1 DELETE-4 DELETE-5 AUTH-2",
			"a stranger's delete {words} is refused and made", made(403, c.is, permitted))
	}
}

// listing go wrong with a page that is asked for in another way, or after a delete.
func listing(s *seeds, op *spec.Operation) {
	for _, c := range append(besides("gzip", "any-type", "http-1.0", "cookie", "content-type"),
		circumstance{name: "noise", words: "with another parameter", is: query("&")}) {
		s.at(c.name, c.words)
		s.fault("pair/{name}-short", wrongPages, "a list {words} lacks its last item",
			when(all(byOwner, c.is), lists(func(p *page) {
				p.shows(p.items[:max(0, len(p.items)-1)])
			})))
		s.fault("pair/{name}-page", wrongPages, "page 2 of a list {words} has the items of page 1",
			when(all(byOwner, c.is, query("page=2")), firstAsSecond))
	}
	s.fault("pair/plain-gzip", "HTTP-3 JSON-1 HTTP-2",
		"an answer to a client that accepts gzip says it is compressed, and is not",
		when(header("Accept-Encoding", "gzip"),
			answers(func(a *answer) { a.header.Set("Content-Encoding", "gzip") })))
	s.fault("pair/tag-of-page", "HTTP-4", "the entity tag of a list is that of all its pages",
		validated(func(a *answer) string {
			total := 0
			a.paged(func(p *page) { total = p.number("totalCount") })
			return `"` + strings.ReplaceAll(a.to.path, "/", ".") + itoa(total) + `"`
		}, nil))
}

func isText(v any) bool { return is[string](v) }
