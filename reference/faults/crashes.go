package faults

import (
	"strings"
	"unicode/utf8"

	"github.com/adconform/adconform/spec"
)

// crash is a fault that fails on a kind of request.
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
		fault("crash/stranger", "HTTP-1", "the server fails on a user without permission", restates(403, 500, byStranger)),
	}
	creative := func(key string) condition {
		return func(x *exchange) bool { return byOwner(x) && x.lastID() == itoa(x.World.Objects[key][0].ID) }
	}
	switch {
	case op.Deletes():
		return append(rows,
			crash("container", "a VAST creative with media files", creative("disposableVastCreatives")).graded(Major),
			crash("media-file", "a media file", func(x *exchange) bool { return byOwner(x) && x.lastID() == "241" }).graded(Major))
	case op.Lists():
		return append(rows,
			crash("page-beyond", "page=1000", asks("page=1000")),
			crash("page-zero", "page=0", asks("page=0")),
			crash("page-negative", "page=-1", asks("page=-1")),
			crash("page-letters", "page=abc", asks("page=abc")),
			crash("page-second", "page=2", asks("page=2")).graded(Major),
			crash("plain", "a creative that is no VAST creative", creative("plainCreative")),
			crash("empty", "a VAST creative without media files", creative("emptyVastCreative")).graded(Major),
			crash("large", "a VAST creative with several pages", creative("pagedVastCreatives")).graded(Major))
	}
	rows = append(rows,
		crash("no-body", "an empty body", bodyIs("")),
		crash("empty-object", "{}", bodyIs("{}")),
		crash("array", "a body that is an array", bodyIs("[]")),
		crash("scalar", "a body that is a string or a number", bodyIs(`"x"`, "7")),
		crash("null", "a body that is null", bodyIs("null")),
		crash("trailing-text", "text after the object", body(func(b string) bool { return strings.HasSuffix(b, "} x") })),
		crash("cut-off", "a body that is cut off", cutOff),
		crash("not-utf8", "a body that is not UTF-8", body(func(b string) bool { return !utf8.ValidString(b) })),
		crash("unknown-field", "a field that it does not know", bodyHas(`"adconformUnknown"`)),
		crash("media-type", "another media type", header("Content-Type", "text/plain")))
	for _, f := range op.Body.Fields {
		for _, v := range crashingValues {
			if v.of(f) {
				rows = append(rows, crash(f.Name+"-"+v.name, v.sentence+" for "+f.Name, gives(f, v.is)).graded(v.severity))
			}
		}
		for _, value := range f.Enum {
			rows = append(rows, crash(f.Name+"-is-"+value, value+" for "+f.Name, gives(f, equals(value))).graded(Major))
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
	severity       Severity
}{
	{"null", "null", equals(nil), anyField, Minor},
	{"number", "a number", func(v any) bool { return strings.HasPrefix(string(encode(v)), "1") }, anyField, Minor},
	{"boolean", "true", equals(true), anyField, Minor},
	{"array", "an array", is[[]any], anyField, Minor},
	{"object", "an object", is[object], anyField, Minor},
	{"unlisted", "a word that is not in the list", equals("never"), listed, Minor},
	{"empty", "an empty text", equals(""), freeText, Minor},
	{"invalid", "an invalid name", containing("not a host"), hostname, Minor},
	{"empty-label", "an empty label", containing(".."), hostname, Minor},
	{"apostrophe", "an apostrophe", containing("'"), hostname, Minor},
	{"emoji", "a character beyond the basic plane", containing("😀"), hostname, Minor},
	{"long", "a text of more than 255 characters", longer(255), noHostname, Minor},
	{"invalid", "an invalid expression", containing("(["), expression, Minor},
	{"very-long", "a text of 65,536 characters", longer(60_000), anyName, Minor},
	{"apostrophe", "an apostrophe", containing("'"), noHostname, Major},
	{"backslash", "a backslash", containing(`\`), noHostname, Major},
	{"emoji", "a character beyond the basic plane", containing("😀"), noHostname, Major},
	{"nul", "U+0000", containing("\x00"), noHostname, Minor},
	{"newline", "a line break", containing("\n"), noHostname, Minor},
	{"sql", "words of SQL", containing("SELECT"), noHostname, Major},
	{"surrogate", "half a surrogate pair", containing("\ufffd"), noHostname, Minor},
}

// Values of a field.

func equals(want any) func(any) bool { return func(v any) bool { return v == want } }

// is says whether a value is of a type.
func is[T any](v any) bool { _, ok := v.(T); return ok }

func noText(v any) bool { return v != nil && !is[string](v) }

// aText is a value that is such a text.
func aText(is func(s string) bool) func(v any) bool {
	return func(v any) bool { s, text := v.(string); return text && is(s) }
}

func has(part string) func(string) bool {
	return func(s string) bool { return strings.Contains(s, part) }
}

func containing(part string) func(v any) bool { return aText(has(part)) }

func longer(than int) func(v any) bool { return aText(func(s string) bool { return len(s) > than }) }
