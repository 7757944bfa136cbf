package faults

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// crash returns a fault that fails on a kind of request.
func (s *seeds) crash(id, sentence string, is condition) *Server {
	return s.fault(id, "HTTP-1", "the server fails on "+sentence,
		when(is, refuse(http.StatusInternalServerError)))
}

// crashing fail on a key, id, page, creative, body or value. Failing on what people send is worse than failing on what
// no client should send.
func crashing(s *seeds, op *spec.Operation) {
	s.crash("crash/no-key", "a request without a key", noKey)
	s.crash("crash/long-key", "a key of more than 128 characters", longKey)
	s.crash("crash/percent-key", "a key that is no valid percent-encoding", keyIs(equalTo("%")))
	s.crash("crash/stranger", "a user without permission", all(byStranger, not(onForeign)))
	for i, p := range op.Params {
		s.name = p.Name
		s.crash("path/too-large-crash/*/{name}",
			"a {name} beyond 63 bits", func(x *exchange) bool { return len(x.ids[i]) > 18 })
	}
	switch {
	case op.Deletes():
		s.crash("crash/container", "a VAST creative with media files",
			names("disposableVastCreatives")).graded(spec.Major)
	case op.Lists():
		s.crash("crash/date-condition", "a condition whose date is none", header("If-Modified-Since", "yesterday"))
		s.crash("crash/key-not-ascii", "a key beyond ASCII", foreignKey)
		s.crash("crash/plain", "a creative that is no VAST creative", names("plainCreative")).graded(spec.Major)
		for id, page := range map[string]string{
			"crash/page-negative": "-1", "crash/page-letters": "abc",
			"decoding/page-fraction-500": "1.5", "decoding/page-empty-500": "",
			"decoding/page-beyond-63-bit-500": "9223372036854775808", "decoding/page-twice-500": "1&page=2",
		} {
			s.crash(id, "page="+page, asks("page="+page))
		}
	default:
		for _, b := range slices.Concat(wrongBodies, undecodableBodies) {
			s.crash(b.id, b.sentence, b.is)
		}
		for _, f := range op.Body.Fields {
			s.name = f.Name
			for _, v := range crashingValues {
				if v.of(f) {
					s.crash(v.id, v.sentence+" for {name}",
						gives(f, v.is)).graded(v.severity)
				}
			}
		}
	}
}

// failingBody is a body on which a server fails.
type failingBody struct {
	id, sentence string
	is           condition
}

// wrongBodies are those that a server should refuse, undecodableBodies those on which its decoder fails, and
// undecodablePath is such an id.
var wrongBodies = []failingBody{
	{"crash/no-body", "an empty body", bodyIs("")},
	{"crash/empty-object", "{}", bodyIs("{}")},
	{"crash/scalar", "a body that is a string or a number", bodyIs(`"x"`, "7")},
	{"crash/unknown-field", "a field that it does not know", bodyHas(`"adconformUnknown"`)},
	{"crash/trailing-text", "text after the object", bodyHas("} x")},
	{"crash/media-type", "another media type", header("Content-Type", "text/plain")},
	{"decoding/array-of-values-500", "an array of the fields' values", bodyBegins(`["`)},
}

var undecodableBodies = []failingBody{
	{"decoding/false-gzip-500", "a body that is not gzip and said to be", header("Content-Encoding", "gzip")},
	{"decoding/unknown-coding-500", "an unknown content coding", header("Content-Encoding", "adconform")},
	{"decoding/unknown-charset-500", "an unknown character set", header("Content-Type", "adconform")},
	{"decoding/megabyte-500", "a body of more than a megabyte", body(func(b string) bool {
		return len(b) > 1<<20
	})},
	{"decoding/nested-500", "a body that nests deeply", bodyHas("[[[[[[[[")},
	{"decoding/not-utf8-500", "a body that is no UTF-8", bodyHas("a\xffz")},
	{"decoding/surrogate-500", "half a surrogate pair", bodyHas(`\ud800`)},
}

func undecodablePath(x *exchange) bool { return x.lastID() == "%FF" }

// crashingValues are values on which servers fail, and the fields that may have them. Most of the
// texts that value/* spoils are not among them, as they are sent and come back wrong there.
var crashingValues = []struct {
	id, sentence string
	is           func(v any) bool
	of           func(f *spec.Field) bool
	severity     spec.Impact
}{
	{"crash/{name}-null", "null", equals(nil), anyField, spec.Minor},
	{"crash/{name}-boolean", "true", equals(true), anyField, spec.Minor},
	{"crash/{name}-empty", "an empty text", equals(""), freeText, spec.Minor},
	{"crash/{name}-invalid", "an invalid name", containing("not a host"), hostname, spec.Minor},
	{"crash/{name}-empty-label", "an empty label", containing(".."), hostname, spec.Minor},
	{"value/longer-63/*/{name}", "more than 63 characters, the most of a label,", longer(63), hostname, spec.Minor},
	{"crash/{name}-invalid", "an invalid expression", containing("(["), expression, spec.Minor},
	{"decoding/huge-quantifier-500", "a million repetitions", containing("{1000000}"), expression, spec.Minor},
	{
		"decoding/endless-quantifier-500", "more repetitions than an integer counts", containing("{99999999999}"),
		expression, spec.Minor,
	},
	{"decoding/nested-groups-500", "groups that nest deeply", containing("(((((((((("), expression, spec.Minor},
	{"crash/{name}-very-long", "a text of 65,536 characters", longer(60_000), anyName, spec.Minor},
	{"crash/{name}-wide", "at most 255 characters in more bytes", short(func(s string) bool {
		return len(s) > 255
	}), anyName, spec.Major},
	{"crash/{name}-apostrophe", "an apostrophe", containing("'"), freeText, spec.Major},
	{"crash/{name}-brace", "a brace, as formats of texts have", containing("{x}"), noHostname, spec.Major},
	{"crash/{name}-bare-percent", "a percent sign that encodes nothing", containing("% "), noHostname, spec.Major},
}

// bare returns a fault that refuses a kind of request without the error object.
func (s *seeds) bare(id, sentence string, is condition) *Server {
	return s.fault(id, "ERR-6 ERR-7 ERR-8 ERR-11", sentence+" is refused with a message and no error section",
		when(is, replies(http.StatusUnprocessableEntity, object{"message": "cannot be decoded"})))
}

// unlisted fail on headers, queries, keys and bodies that few clients send, or refuse them and make the update all
// the same.
func unlisted(s *seeds, op *spec.Operation) {
	add := func(name, sentence string, is condition) {
		s.crash("unlisted/"+name, sentence, is)
	}
	undecodable := func(x *exchange) bool {
		_, err := url.ParseQuery(x.query)
		return err != nil && !strings.Contains(x.query, ";")
	}
	otherUnits := func(s string) bool { return !strings.HasPrefix(s, "bytes=") }
	add("method-override", "a method in a header", header("X-HTTP-Method-Override", ""))
	add("range", "a Range of other units than bytes", headerIs("Range", otherUnits))
	isOpen := func(tag string) bool { return strings.Count(tag, `"`)%2 == 1 }
	add("if-match", "an entity tag that is not closed", headerIs("If-Match", isOpen))
	add("forwarded-for", "an address of a proxy that is none", header("X-Forwarded-For", "999"))
	add("query-undecodable", "bad percent-encoding in the query", undecodable)
	add("query-array", "an array in the query", query("[]="))
	add("key-twice", "a key in two header lines", func(x *exchange) bool {
		return len(x.header.Values(fixtures.DefaultKeyHeader)) > 1
	})
	s.crash("path/id-2147483648", "the id 2147483648", idIs(equalTo("2147483648")))
	if !op.Deletes() { // that of an unknown id shows nothing
		s.fault("unlisted/foreign-host", "AUTH-2 AUTH-1", "another user is let in where a proxy's host is given",
			instead(403, all(byStranger, header("X-Forwarded-Host", "")),
				asOwner)).graded(spec.Critical)
	}
	if !op.Updates() {
		return
	}
	add("number", "a number beyond every size", bodyHas("1e400"))
	add("nested", "objects that nest deeply", bodyHas(strings.Repeat(`{"a":`, 1000)))
	add("mark", "a byte order mark", bodyBegins("\ufeff"))
	add("low-surrogate", "the second half of a surrogate pair alone", bodyHas(`"Teal\udc00`))
	add("not-closed", "a name of a member that is no text", bodyHas(",1:1"))
	add("chunked", "a body in chunks", header("Transfer-Encoding", "chunked"))
	s.fault("unlisted/made", "EFFECT-1", "a body of another character set is refused, and carried out all the same",
		when(header("Content-Type", "charset=utf-16"), refusedAndMade()))
	for _, f := range op.Body.Fields {
		s.name = f.Name
		if noHostname(f) {
			add("{name}-bidi", "a bidirectional control in {name}", gives(f, containing("\u202e")))
			s.fault("unlisted/{name}-panics", "HTTP-2 HTTP-1", "a formula in {name} ends the connection",
				when(gives(f, aText(beginsWith("="))), noAnswer))
		}
	}
	s.bare("unlisted/off-form", "an unknown member", bodyHas("__proto__"))
	s.fault("unlisted/broken-json", "JSON-1 HTTP-2", "a text with a line separator breaks the JSON of the answer",
		when(bodyHas("\u2028"), answers(func(a *answer) {
			a.body = append(a.body, ']')
		})))
}

// wrongPaths answer for objects that do not exist, or check only some of the ids of a path.
func wrongPaths(s *seeds, op *spec.Operation) {
	if op.Lists() {
		s.fault("path/missing-listed", "ERR-1 MEDIA-1 MEDIA-7",
			"a creative that does not exist has the media files of another",
			instead(404, always, asMine))
	}
	if op.Updates() {
		s.fault("path/unknown-is-mine", "ERR-1 ERR-2 EFFECT-1", "an unknown id updates the user's first object",
			instead(404, unknownAt(len(op.Params)-1),
				asMine)).graded(spec.Critical)
	}
	if !several(op) {
		return
	}
	const parents = "ERR-2 ERR-1 EFFECT-1 EFFECT-2"
	found := topic(s, "path/", parents,
		func(is condition) behaviour { return instead(404, all(belongs, is), rightly) })
	right := func(i int) condition {
		return func(x *exchange) bool {
			return x.belongs()[i] == x.ids[i]
		}
	}
	found("first-id-ignored", "the first id of the path is not looked at", right(1))
	found("second-id-ignored", "the second id of the path is not looked at", right(0))
	found("profile-exists-only", "it is enough that the first id exists", all(right(1), not(unknownAt(0))))
	elsewhere := func(x *exchange) bool {
		return x.ids[0] != x.foreign()[0]
	}
	s.fault("path/own-parents-suffice", "ERR-2 AUTH-2 EFFECT-1 EFFECT-2",
		"under an own profile and rule a host of another user is updated",
		when(all(byOwner, onForeign, elsewhere), func(x *exchange) *answer {
			return x.apart(op, x.foreign(), x.fields())
		})).graded(spec.Critical)
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
	{
		"too-large", "an id of more than 19 digits, or 2^63, is the user's first object",
		matching(`^([0-9]{20,}|9223372036854775808)$`),
	},
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
	for i, p := range op.Params {
		s.name = p.Name
		for _, way := range readings {
			misread := naming(func(x *exchange) []string {
				ids := slices.Clone(x.ids)
				switch {
				case !way.is(ids[i]):
				case op.Deletes():
					ids[i] = itoa(x.lastDisposable())
				default:
					ids[i] = x.mine()[i]
				}
				return ids
			})
			s.fault("path/"+way.name+"/*/{name}", "ERR-1 ERR-2 EFFECT-1 DELETE-1 DELETE-4", "*, {name}: "+way.sentence,
				misread).graded(severity)
		}
	}
	s.bare("decoding/path-bare", "an id that is no UTF-8", undecodablePath)
	s.fault("decoding/path-taken", "ERR-1 EFFECT-2 DELETE-3 DELETE-4 EFFECT-3 DELETE-1",
		"an id that is not UTF-8 is treated as that of the first object",
		when(all(undecodablePath, byOwner), asMine)).graded(severity)
}
