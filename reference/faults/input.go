package faults

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// crash returns a fault that fails on a kind of request.
func (s *seeds) crash(id, sentence string, is condition) *Server {
	return s.fault(id, "HTTP-1", "the server fails on "+sentence, when(is, refuse(http.StatusInternalServerError)))
}

// crashing fail on a key, id, page, creative, body or value. Failing on what people send is worse than failing on what
// no client should send.
func crashing(s *seeds, op *spec.Operation) {
	add := s.crash
	add("crash/no-key", "a request without a key", noKey)
	add("crash/long-key", "a key of more than 128 characters", longKey)
	add("crash/percent-key", "a key that is no valid percent-encoding", func(x *exchange) bool { return x.key() == "%" })
	add("crash/stranger", "a user without permission", all(byStranger, not(onForeign)))
	add("decoding/path-500", "an id that is no UTF-8", undecodablePath)
	for i, p := range op.Params {
		add("path/too-large-crash/*/"+p.Name, "a "+p.Name+" beyond 63 bits", func(x *exchange) bool { return len(x.ids[i]) > 18 })
	}
	creative := func(key string) condition {
		return func(x *exchange) bool { return byOwner(x) && x.lastID() == itoa(x.idOf(key)) }
	}
	switch {
	case op.Deletes():
		add("crash/container", "a VAST creative with media files", creative("disposableVastCreatives")).graded(spec.Major)
	case op.Lists():
		page := func(id, query string) *Server { return add(id, query, asks(query)) }
		page("crash/page-beyond", "page=1000")
		page("crash/page-zero", "page=0")
		page("crash/page-negative", "page=-1")
		page("crash/page-letters", "page=abc")
		page("crash/page-second", "page=2").graded(spec.Major)
		page("decoding/page-fraction-500", "page=1.5")
		page("decoding/page-beyond-63-bit-500", "page=9223372036854775808")
		page("decoding/page-empty-500", "page=")
		page("decoding/page-twice-500", "page=1&page=2")
		add("crash/date-condition", "a condition whose date is none", header("If-Modified-Since", "yesterday"))
		add("crash/key-not-ascii", "a key beyond ASCII", foreignKey)
		add("crash/plain", "a creative that is no VAST creative", creative("plainCreative")).graded(spec.Major)
	default:
		add("crash/no-body", "an empty body", bodyIs(""))
		add("crash/empty-object", "{}", bodyIs("{}"))
		add("crash/scalar", "a body that is a string or a number", bodyIs(`"x"`, "7"))
		add("crash/trailing-text", "text after the object", body(func(b string) bool { return strings.HasSuffix(b, "} x") }))
		add("crash/unknown-field", "a field that it does not know", bodyHas(`"adconformUnknown"`))
		add("crash/media-type", "another media type", header("Content-Type", "text/plain"))
		add("decoding/array-of-values-500", "an array of the fields' values", bodyBegins(`["`))
		for _, b := range undecodableBodies {
			add(b.id, b.sentence, b.is)
		}
		if slices.ContainsFunc(op.Body.Fields, expression) {
			add("decoding/huge-quantifier-500", "an expression that repeats a million times", bodyHas("{1000000}"))
			add("decoding/endless-quantifier-500", "an expression that repeats more often than an integer counts", bodyHas("{99999999999}"))
			add("decoding/nested-groups-500", "an expression of groups that nest deeply", bodyHas("(((((((((("))
		}
		for _, f := range op.Body.Fields {
			for _, v := range crashingValues {
				if v.of(f) {
					s.crash("crash/"+f.Name+"-"+v.name, v.sentence+" for "+f.Name, gives(f, v.is)).graded(v.severity)
				}
			}
			if f.Hostname { // the length of one label
				add("value/longer-63/*/"+f.Name, "a "+f.Name+" of more than 63 characters", gives(f, longer(63)))
			}
		}
	}
}

// failingBody is a body on which a server fails.
type failingBody struct {
	id, sentence string
	is           condition
}

// undecodableBodies are those on which a decoder of the server fails, undecodablePath is such an id.
var undecodableBodies = []failingBody{
	{"decoding/false-gzip-500", "a body that is not gzip and said to be", header("Content-Encoding", "gzip")},
	{"decoding/unknown-coding-500", "an unknown content coding", header("Content-Encoding", "adconform")},
	{"decoding/unknown-charset-500", "an unknown character set", header("Content-Type", "adconform")},
	{"decoding/megabyte-500", "a body of more than a megabyte", body(func(b string) bool { return len(b) > 1<<20 })},
	{"decoding/nested-500", "a body that nests deeply", bodyHas("[[[[[[[[")},
	{"decoding/not-utf8-500", "a body that is no UTF-8", bodyHas("a\xffz")},
	{"decoding/surrogate-500", "half a surrogate pair", bodyHas(`\ud800`)},
}

func foreignKey(x *exchange) bool {
	return strings.ContainsFunc(x.key(), func(r rune) bool { return r > 0x7f })
}

func undecodablePath(x *exchange) bool { return x.lastID() == "%ff" }

// crashingValues are values on which servers fail, and the fields that may have them.
var crashingValues = []struct {
	name, sentence string
	is             func(v any) bool
	of             func(f *spec.Field) bool
	severity       spec.Impact
}{
	{"null", "null", equals(nil), anyField, spec.Minor},
	{"boolean", "true", equals(true), anyField, spec.Minor},
	{"empty", "an empty text", equals(""), freeText, spec.Minor},
	{"invalid", "an invalid name", containing("not a host"), hostname, spec.Minor},
	{"empty-label", "an empty label", containing(".."), hostname, spec.Minor},
	{"invalid", "an invalid expression", containing("(["), expression, spec.Minor},
	{"very-long", "a text of 65,536 characters", longer(60_000), anyName, spec.Minor},
	{"wide", "a text of at most 255 characters and more bytes", short(func(s string) bool { return len(s) > 255 }), anyName, spec.Major},
	{"apostrophe", "an apostrophe", containing("'"), freeText, spec.Major},
	{"emoji", "a character beyond the basic plane", containing("😀"), freeText, spec.Major},
	{"nul", "U+0000", containing("\x00"), noHostname, spec.Minor},
	{"sql", "words of SQL", containing("SELECT"), noHostname, spec.Major},
	{"brace", "a brace, as formats of texts have", containing("{x}"), noHostname, spec.Major},
	{"bare-percent", "a percent sign that encodes nothing", containing("% "), noHostname, spec.Major},
}

// bare returns a fault that refuses a kind of request without the error object.
func (s *seeds) bare(id, sentence string, is condition) *Server {
	return s.fault(id, "ERR-6 ERR-7 ERR-8 ERR-11", sentence+" is refused with a message and no error section",
		when(is, replies(http.StatusUnprocessableEntity, object{"message": "cannot be decoded"})))
}

// unlisted fail on headers, queries, keys and bodies that few clients send, or refuse them and make the update all the same.
func unlisted(s *seeds, op *spec.Operation) {
	add := func(name, sentence string, is condition) { s.crash("unlisted/"+name, sentence, is) }
	query := func(is func(q string) bool) condition { return func(x *exchange) bool { return is(x.query) } }
	undecodable := func(q string) bool { _, err := url.ParseQuery(q); return err != nil && !strings.Contains(q, ";") }
	add("method-override", "a method in a header", header("X-HTTP-Method-Override", ""))
	add("range", "a Range of other units than bytes", headerIs("Range", func(s string) bool { return !strings.HasPrefix(s, "bytes=") }))
	add("if-match", "an entity tag that is not closed", headerIs("If-Match", func(s string) bool { return strings.Count(s, `"`)%2 == 1 }))
	add("forwarded-for", "an address of a proxy that is none", header("X-Forwarded-For", "999"))
	add("query-undecodable", "bad percent-encoding in the query", query(undecodable))
	add("query-array", "an array in the query", query(has("[]=")))
	add("key-twice", "a key in two header lines", func(x *exchange) bool { return len(x.header.Values(fixtures.DefaultKeyHeader)) > 1 })
	add("key-not-ascii", "a key that is not ASCII", foreignKey)
	for _, id := range []string{"2147483648", "99999999999999999999"} {
		s.crash("path/id-"+id, "the id "+id, func(x *exchange) bool { return x.lastID() == id })
	}
	if !op.Deletes() { // that of an unknown id shows nothing
		s.fault("unlisted/foreign-host", "AUTH-2 AUTH-1", "another user is let in where a proxy's host is given",
			instead(403, all(byStranger, header("X-Forwarded-Host", "")), asOwner)).graded(spec.Critical)
	}
	if !op.Updates() {
		return
	}
	add("number", "a number beyond every size", bodyHas("1e400"))
	add("nested", "objects that nest deeply", bodyHas(strings.Repeat(`{"a":`, 1000)))
	add("mark", "a byte order mark", bodyBegins("\ufeff"))
	add("low-surrogate", "the second half of a surrogate pair alone", bodyHas(`"Teal \udc00`))
	add("not-closed", "a name of a member that is no text", bodyHas(",1:1"))
	add("chunked", "a body in chunks", header("Transfer-Encoding", "chunked"))
	s.fault("unlisted/made", "EFFECT-1", "a body of another character set is refused, and carried out all the same",
		when(header("Content-Type", "charset=utf-16"), func(x *exchange) *answer { x.forward(); return refuse(422)(x) }))
	for _, f := range op.Body.Fields {
		if !noHostname(f) {
			continue
		}
		add(f.Name+"-bidi", "a bidirectional control in "+f.Name, gives(f, containing("\u202e")))
		formula := gives(f, aText(func(s string) bool { return strings.HasPrefix(s, "=") }))
		s.fault("unlisted/"+f.Name+"-panics", "HTTP-2 HTTP-1", "a formula in "+f.Name+" ends the connection", when(formula, noAnswer))
	}
	s.bare("unlisted/off-form", "an unknown member", bodyHas("__proto__"))
	s.fault("unlisted/broken-json", "JSON-1 HTTP-2", "a text with a line separator breaks the JSON of the answer",
		when(bodyHas("\u2028"), answers(func(a *answer) { a.body = append(a.body, ']') })))
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

// short selects texts of at most 255 characters, which the reference accepts, of a kind.
func short(is func(s string) bool) func(v any) bool {
	return aText(func(s string) bool { return utf8.RuneCountInString(s) <= 255 && is(s) })
}

func longer(than int) func(v any) bool { return aText(func(s string) bool { return len(s) > than }) }

// asMine gives the answer to the same request for the user's first object.
var asMine = naming((*exchange).mine)

// wrongPaths answer for objects that do not exist, or check only some of the ids of a path.
func wrongPaths(s *seeds, op *spec.Operation) {
	found := func(name, clauses, sentence string, is condition, does behaviour) *Server {
		return s.fault("path/"+name, clauses, sentence, instead(404, is, does))
	}
	switch {
	case op.Lists():
		found("missing-listed", "ERR-1 MEDIA-1 MEDIA-7", "a creative that does not exist has the media files of another", always, asMine)
	case op.Updates():
		found("unknown-is-mine", "ERR-1 ERR-2 EFFECT-1", "an unknown id updates the user's first object", unknownAt(len(op.Params)-1), asMine).
			graded(spec.Critical)
	}
	if !several(op) {
		return
	}
	const parents = "ERR-2 ERR-1 EFFECT-1 EFFECT-2"
	right := func(i int) condition {
		return func(x *exchange) bool { return belongs(x) && x.belongs()[i] == x.ids[i] }
	}
	elsewhere := func(x *exchange) bool { return byOwner(x) && onForeign(x) && x.ids[0] != x.foreign()[0] }
	found("only-last-id", parents, "only the last id of the path is looked at", belongs, rightly)
	found("first-id-ignored", parents, "the first id of the path is not looked at", right(1), rightly)
	found("second-id-ignored", parents, "the second id of the path is not looked at", right(0), rightly)
	found("profile-exists-only", parents, "it is enough that the first id exists", all(right(1), not(unknownAt(0))), rightly)
	s.fault("path/own-parents-suffice", "ERR-2 AUTH-2 EFFECT-1 EFFECT-2", "under an own profile and rule a host of another user is updated",
		when(elsewhere, func(x *exchange) *answer { return x.apart(op, x.foreign(), x.fields()) })).graded(spec.Critical)
}

// readings are ways to read an id that is not a positive number, or too large, as that of the user's first object.
var readings = []struct {
	name, sentence string
	is             func(id string) bool
}{
	{"trailing-letters", "what follows the digits of an id is ignored", matching(`^[0-9]+[^0-9]`)},
	{"32-bit", "ids are cut to 32 bits", func(id string) bool { return atoi(id)>>32 == 1 }},
	{"zero", "the id 0 is the user's first object", matching(`^0$`)},
	{"negative", "a negative id is the user's first object", matching(`^-`)},
	{"letters", "an id of letters is the user's first object", letters},
	{"too-large", "an id of more than 19 digits, or 2^63, is the user's first object", matching(`^([0-9]{20,}|9223372036854775808)$`)},
}

func matching(pattern string) func(string) bool { return regexp.MustCompile(pattern).MatchString }

func letters(id string) bool  { return !strings.ContainsAny(id, "0123456789") }
func noNumber(id string) bool { return strings.Trim(id, "0123456789") != "" }

// malformedIDs read an id wrongly, at each place of a path, or refuse it without the error object.
func malformedIDs(s *seeds, op *spec.Operation) {
	severity := spec.Critical // of an effect on an object that the path does not name
	if op.Lists() {
		severity = spec.Major
	}
	for i, param := range op.Params {
		for _, way := range readings {
			misread := naming(func(x *exchange) []string {
				mine := x.mine()[i]
				if op.Deletes() {
					mine = itoa(x.lastDisposable())
				}
				ids := slices.Clone(x.ids)
				if way.is(ids[i]) {
					ids[i] = mine
				}
				return ids
			})
			s.fault("path/"+way.name+"/*/"+param.Name, "ERR-1 ERR-2 EFFECT-1 DELETE-1 DELETE-4",
				"*, "+param.Name+": "+way.sentence, misread).graded(severity)
		}
	}
	s.bare("decoding/path-bare", "an id that is no UTF-8", undecodablePath)
	s.fault("decoding/path-taken", "ERR-1 EFFECT-2 DELETE-3 DELETE-4 EFFECT-3 DELETE-1",
		"an id that is not UTF-8 is treated as that of the first object", when(all(undecodablePath, byOwner), asMine)).graded(severity)
}
