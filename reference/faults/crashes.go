package faults

import (
	"strings"
	"unicode/utf8"

	"github.com/adconform/adconform/spec"
)

// crash is a request on which the server fails, such as few clients send.
func crash(name, sentence string, is condition) row {
	return fault(name, "HTTP-1", "the server fails on "+sentence, crashes(is))
}

// keyCrashes are keys and users on which servers fail.
func keyCrashes(*spec.Operation) []row {
	return []row{
		crash("no-key", "a request without a key", noKey),
		crash("long-key", "a key of more than 128 characters", longKey),
		crash("percent-key", "a key that is no valid percent-encoding", func(x *exchange) bool { return x.key() == "%" }),
		fault("stranger", "HTTP-1", "the server fails on a user without permission", restates(403, 500, byStranger)),
	}
}

// listCrashes and creativeCrashes are pages and creatives on which servers fail.
func listCrashes(*spec.Operation) []row {
	listOf := func(key string) condition {
		return func(x *exchange) bool { return x.lastID() == itoa(x.World.Objects[key][0].ID) }
	}
	return []row{
		crash("page-beyond", "page=1000", asks("page=1000")),
		crash("page-zero", "page=0", asks("page=0")),
		crash("page-negative", "page=-1", asks("page=-1")),
		crash("page-letters", "page=abc", asks("page=abc")),
		crash("page-second", "page=2", asks("page=2")).graded(Major),
		crash("plain", "a creative that is no VAST creative", listOf("plainCreative")),
		crash("empty", "a VAST creative without media files", listOf("emptyVastCreative")).graded(Major),
		crash("large", "a VAST creative with several pages", listOf("pagedVastCreatives")).graded(Major),
	}
}

func creativeCrashes(*spec.Operation) []row {
	container := func(x *exchange) bool { return byOwner(x) && x.lastID() == itoa(x.disposable(0)) }
	file := func(x *exchange) bool { return byOwner(x) && x.lastID() == "241" }
	return []row{
		crash("container", "a VAST creative with media files", container).graded(Major),
		crash("media-file", "a media file", file).graded(Major),
	}
}

// bodyCrashes are bodies on which servers of such interfaces fail.
func bodyCrashes(*spec.Operation) []row {
	return []row{
		crash("no-body", "an empty body", bodyIs("")),
		crash("empty-object", "{}", bodyIs("{}")),
		crash("array", "a body that is an array", bodyIs("[]")),
		crash("scalar", "a body that is a string or a number", bodyIs(`"x"`, "7")),
		crash("null", "a body that is null", bodyIs("null")),
		crash("trailing-text", "text after the object", body(func(b string) bool { return strings.HasSuffix(b, "} x") })),
		crash("cut-off", "a body that is cut off", cutOff),
		crash("not-utf8", "a body that is not UTF-8", body(func(b string) bool { return !utf8.ValidString(b) })),
		crash("unknown-field", "a field that it does not know", bodyHas(`"adconformUnknown"`)),
		crash("media-type", "another media type", func(x *exchange) bool { return x.header.Get("Content-Type") == "text/plain" }),
	}
}

// fieldCrashes are values of a field on which servers fail.
func fieldCrashes(op *spec.Operation) []row {
	var rows []row
	for _, f := range op.Body.Fields {
		field := func(s Severity, name, sentence string, is func(v any) bool) {
			rows = append(rows, crash(f.Name+"-"+name, sentence+" for "+f.Name, gives(f, is)).graded(s))
		}
		field(Minor, "null", "null", equals(nil))
		field(Minor, "number", "a number", func(v any) bool { return strings.HasPrefix(string(encode(v)), "1") })
		field(Minor, "boolean", "true", equals(true))
		field(Minor, "array", "an array", is[[]any])
		field(Minor, "object", "an object", is[object])
		if len(f.Enum) > 0 {
			field(Minor, "unlisted", "a word that is not in the list", equals("never"))
			for _, value := range f.Enum {
				field(Major, "is-"+value, value, equals(value))
			}
		}
		for _, t := range crashingTexts {
			if t.of(f) {
				field(t.severity, t.name, t.sentence, aText(t.is))
			}
		}
		for name, part := range map[string]string{"apostrophe": "'", "emoji": "😀", "empty-label": ".."} {
			if f.Hostname {
				rows = append(rows, crash(f.Name+"-"+name, "a "+f.Name+" with "+part, gives(f, aText(has(part)))))
			}
		}
	}
	return rows
}

// crashingTexts are texts on which servers fail, and the fields that may be given them; what
// people write is worse than what a client should not have sent.
var crashingTexts = []struct {
	name, sentence string
	is             func(s string) bool
	of             func(f *spec.Field) bool
	severity       Severity
}{
	{"empty", "an empty text", func(s string) bool { return s == "" }, freeText, Minor},
	{"invalid", "an invalid name", has("not a host"), hostname, Minor},
	{"long", "a text of more than 255 characters", func(s string) bool { return len(s) > 255 }, noHostname, Minor},
	{"invalid", "an invalid expression", has("(["), expression, Minor},
	{"very-long", "a text of 65,536 characters", func(s string) bool { return len(s) > 60_000 }, anyName, Minor},
	{"apostrophe", "an apostrophe", has("'"), noHostname, Major},
	{"backslash", "a backslash", has(`\`), noHostname, Major},
	{"emoji", "a character beyond the basic plane", has("😀"), noHostname, Major},
	{"nul", "U+0000", has("\x00"), noHostname, Minor},
	{"newline", "a line break", has("\n"), noHostname, Minor},
	{"sql", "words of SQL", has("SELECT"), noHostname, Major},
	{"surrogate", "half a surrogate pair", has("\ufffd"), noHostname, Minor},
}

// aText is a value that is such a text.
func aText(is func(s string) bool) func(v any) bool {
	return func(v any) bool { s, text := v.(string); return text && is(s) }
}

func has(part string) func(string) bool {
	return func(s string) bool { return strings.Contains(s, part) }
}
