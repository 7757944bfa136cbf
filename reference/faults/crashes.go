package faults

import (
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/adconform/adconform/spec"
)

// crashWhen answers 500 where a condition holds, and does nothing.
func crashWhen(when func(x *exchange) bool) behaviour {
	return func(x *exchange) *answer {
		if when(x) {
			return refusal(http.StatusInternalServerError)
		}
		return x.forward()
	}
}

// crashFaults make the server fail on particular requests.
func crashFaults(c *spec.Contract) []Fault {
	var all []Fault
	crash := func(op *spec.Operation, name, sentence string, when func(x *exchange) bool) {
		all = append(all, Fault{
			ID: "crash/" + name + "/" + op.ID, Clause: "HTTP-1", Sentence: op.ID + ": the server fails on " + sentence + ".",
			Wrap: each(on(op.ID, crashWhen(when))),
		})
	}
	for _, op := range c.Operations {
		crash(op, "no-key", "a request without a key", func(x *exchange) bool { return x.key() == "" })
		crash(op, "long-key", "a key of more than 128 characters", func(x *exchange) bool { return len(x.key()) > 128 })
		crash(op, "percent-key", "a key that is no valid percent-encoding", func(x *exchange) bool { return x.key() == "%" })
		crash(op, "stranger", "a user without permission", func(x *exchange) bool { return x.byStranger() && x.holder() != x.stranger() })
		if op.Updates() {
			bodyCrashes(op, crash)
		}
	}
	all = append(all, Fault{
		ID: "crash/second-of-two/" + creativeDelete, Clause: "HTTP-1", Also: []string{"DELETE-3"},
		Sentence: "The server fails on the delete of a creative that is deleted already.",
		Wrap: each(on(creativeDelete, func(x *exchange) *answer {
			a := x.forward()
			if a.status == http.StatusNotFound && len(x.lastID()) == 3 {
				return refusal(http.StatusInternalServerError)
			}
			return a
		})),
	})
	for _, q := range []struct{ name, value string }{{"beyond", "1000"}, {"zero", "0"}, {"negative", "-1"}, {"letters", "abc"}, {"second", "2"}} {
		op := c.Operation(mediaFileList)
		crash(op, "page-"+q.name, "page="+q.value, func(x *exchange) bool { return x.query == "page="+q.value })
	}
	for _, of := range []struct {
		name, sentence string
		key            string
	}{
		{"plain", "a creative that is no VAST creative", "plainCreative"},
		{"empty", "a VAST creative without media files", "emptyVastCreative"},
		{"large", "a VAST creative with several pages", "pagedVastCreatives"},
	} {
		crash(c.Operation(mediaFileList), of.name, of.sentence, func(x *exchange) bool {
			return x.lastID() == itoa(int(x.World.Objects.ByKey(of.key)[0].ID))
		})
	}
	crash(c.Operation(creativeDelete), "container", "a VAST creative with media files", func(x *exchange) bool {
		return x.byOwner() && x.lastID() == itoa(int(x.World.Objects.DisposableVastCreatives[0].ID))
	})
	crash(c.Operation(creativeDelete), "media-file", "a media file", func(x *exchange) bool {
		return x.byOwner() && x.lastID() == "241"
	})
	return all
}

// bodyCrashes are bodies and values on which servers of such interfaces fail.
func bodyCrashes(op *spec.Operation, crash func(*spec.Operation, string, string, func(*exchange) bool)) {
	body := func(is func(b string) bool) func(*exchange) bool {
		return func(x *exchange) bool { return x.byOwner() && is(string(x.body)) }
	}
	crash(op, "no-body", "an empty body", body(func(b string) bool { return b == "" }))
	crash(op, "empty-object", "{}", body(func(b string) bool { return b == "{}" }))
	crash(op, "array", "a body that is an array", body(func(b string) bool { return b == "[]" }))
	crash(op, "scalar", "a body that is a string or a number", body(func(b string) bool { return b == `"x"` || b == "7" }))
	crash(op, "null", "a body that is null", body(func(b string) bool { return b == "null" }))
	crash(op, "trailing-text", "text after the object", body(func(b string) bool { return strings.HasSuffix(b, "} x") }))
	crash(op, "cut-off", "a body that is cut off", body(func(b string) bool { return strings.HasPrefix(b, "{") && !strings.Contains(b, "}") }))
	crash(op, "not-utf8", "a body that is not UTF-8", body(func(b string) bool { return !utf8.ValidString(b) }))
	crash(op, "unknown-field", "a field that it does not know", body(func(b string) bool { return strings.Contains(b, `"adconformUnknown"`) }))
	crash(op, "media-type", "another media type", func(x *exchange) bool { return x.header.Get("Content-Type") == "text/plain" })
	for _, f := range op.Body.Fields {
		field := func(name, sentence string, is func(v any) bool) {
			crash(op, f.Name+"-"+name, sentence+" for "+f.Name, func(x *exchange) bool {
				v, sent := x.fields()[f.Name]
				return x.byOwner() && sent && is(v)
			})
		}
		text := func(name, sentence, part string) {
			field(name, sentence, func(v any) bool { s, ok := v.(string); return ok && strings.Contains(s, part) })
		}
		field("null", "null", func(v any) bool { return v == nil })
		field("number", "a number", func(v any) bool { return strings.HasPrefix(string(encode(v)), "1") })
		field("boolean", "true", func(v any) bool { return v == true })
		field("array", "an array", func(v any) bool { _, ok := v.([]any); return ok })
		field("object", "an object", func(v any) bool { _, ok := v.(map[string]any); return ok })
		if len(f.Enum) > 0 {
			field("unlisted", "a word that is not in the list", func(v any) bool { return v == "never" })
			for _, value := range f.Enum {
				field("is-"+value, value, func(v any) bool { return v == value })
			}
			continue
		}
		field("empty", "an empty text", func(v any) bool { return v == "" })
		field("blank", "a blank text", func(v any) bool { s, ok := v.(string); return ok && s != "" && strings.TrimSpace(s) == "" })
		if f.Hostname {
			text("invalid", "an invalid name", "not a host")
			continue
		}
		field("long", "a text of more than 255 characters", func(v any) bool { s, ok := v.(string); return ok && len(s) > 255 })
		if f.Regex {
			text("invalid", "an invalid expression", "([")
		} else {
			field("very-long", "a text of 65,536 characters", func(v any) bool { s, ok := v.(string); return ok && len(s) > 60_000 })
		}
		text("apostrophe", "an apostrophe", "'")
		text("quote", "a quotation mark", `"`)
		text("backslash", "a backslash", `\`)
		text("emoji", "a character beyond the basic plane", "😀")
		text("accent", "an accent", "é")
		text("cjk", "a Chinese character", "日")
		text("nul", "U+0000", "\x00")
		text("newline", "a line break", "\n")
		text("percent", "a percent sign", "%")
		text("markup", "markup", "<b>")
		text("sql", "words of SQL", "SELECT")
		field("digits", "a text of digits", func(v any) bool { return v == "0815" })
		field("word-true", "the text true", func(v any) bool { return v == "true" })
		text("surrogate", "half a surrogate pair", "\ufffd")
	}
}
