package faults

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/adconform/adconform/spec"
)

// fields are the faults of each property of an object that stands at a path:
// dropped, renamed, of another type, null, or out of its range of values.
func (r *response) fields(o *spec.Object, path []string, above string) {
	for _, f := range o.Fields {
		at := append(slices.Clone(path), f.Name)
		r.property(f, at, above)
		if f.Object != nil {
			r.fields(f.Object, at, above+" "+f.Clause)
		}
		if f.Items != nil {
			r.fields(f.Items, append(slices.Clone(at), "*"), above+" "+f.Clause)
		}
	}
}

// property changes one property wherever it is.
func (r *response) property(f *spec.Field, at []string, above string) {
	clauses := f.Clause + " " + r.related(f) + above
	label := strings.ReplaceAll(strings.Join(at, "."), "*.", "")
	change := func(what, sentence string, edit func(parent object, name string)) {
		r.add(label+"-"+what, clauses, label+" "+sentence, func(a *answer) { a.edit(func(doc object) { visit(doc, at, edit) }) })
	}
	// Absence and null of what may be unset are let pass.
	if f.Required {
		change("dropped", "is missing", func(p object, n string) { delete(p, n) })
		change("renamed", "has another name", func(p object, n string) {
			p[renamed(n)] = p[n]
			delete(p, n)
		})
	}
	if f.Required && !f.Nullable {
		change("null", "is null", func(p object, n string) { p[n] = nil })
	}
	changeValue := func(what, sentence string, value func(old any) any) {
		change(what, sentence, func(p object, n string) {
			if p[n] != nil {
				p[n] = value(p[n])
			}
		})
	}
	for _, other := range []string{"string", "number", "boolean", "array", "object"} {
		if other != f.Type && (other != "number" || f.Type != "integer") && r.filled(f) {
			changeValue("as-"+other, "is of JSON type "+other, func(old any) any { return retyped(old, other) })
		}
	}
	for _, v := range outOfRange(f) {
		changeValue(v.name, v.sentence, func(any) any { return v.value })
	}
}

// filled says whether a property of the current response ever has a value: an
// issue names a field only where a request body is wrong.
func (r *response) filled(f *spec.Field) bool {
	return f.Meaning != "relatedField" || r.status == http.StatusUnprocessableEntity && r.op.Updates()
}

// related are clauses that a breach of a property may break too: what the
// success shows, or what the errors say by it.
func (r *response) related(f *spec.Field) string {
	if r.status == 0 {
		return "operation shows stays identity updatedAt MEDIA-9"
	}
	return map[string]string{
		"error": "ERR-6 ERR-7 ERR-8", "responseCode": "ERR-7", "issues": "ERR-8 ERR-10",
		"type": "ERR-9", "message": "ERR-9", "relatedField": "ERR-10",
	}[f.Meaning]
}

// outside is a value of the right type that the property may not have.
type outside struct {
	name, sentence string
	value          any
}

func outOfRange(f *spec.Field) []outside {
	switch {
	case f.Date:
		return []outside{
			{"no-date", "is a word, no date", "yesterday"},
			{"no-day", "is a day that no calendar has", "2024-02-30T09:00:00Z"},
			{"no-month", "is in the month 13", "2024-13-01T09:00:00Z"},
			{"empty", "is empty", ""},
			{"day-first", "is written day first", "31.12.2023"},
		}
	case f.URL:
		return []outside{
			{"relative", "is a relative reference", "/share/1"},
			{"no-scheme", "has no scheme", "share.example.com/1"},
			{"empty", "is empty", ""},
		}
	case len(f.Enum) > 0:
		return []outside{
			{"unlisted", "is not one of the values", "block"},
			{"upper-case", "is in upper case", strings.ToUpper(f.Enum[0])},
			{"empty", "is empty", ""},
		}
	case f.Type == "integer" && f.Meaning != "responseCode":
		return []outside{
			{"fraction", "has a fraction", json.Number("12.5")},
			{"hardly-fraction", "has a fraction that floating point does not hold", json.Number("12.00000000000000000000001")},
			{"beyond-64-bit", "does not fit 64 bits", json.Number("92233720368547758080")},
			{"just-beyond-63-bit", "is one more than 64 bits with a sign hold", json.Number("9223372036854775808")},
		}
	}
	return nil
}

// retyped is a value as another JSON type would carry it.
func retyped(v any, to string) any {
	switch to {
	case "string":
		if s, ok := v.(json.Number); ok {
			return s.String()
		}
		return string(encode(v))
	case "number":
		return 7
	case "boolean":
		return true
	case "array":
		return []any{v}
	default:
		return object{"value": v}
	}
}

// renamed is a name in the other common style, or in upper case where there is
// no other.
func renamed(name string) string {
	if other := snake(name); other != name {
		return other
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// snake is a camel-case name in snake case: createdAt is created_at.
func snake(name string) string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		if unicode.IsUpper(r) && lower {
			b.WriteByte('_')
		}
		lower = !unicode.IsUpper(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// text are bodies with the JSON text or its media type broken.
func (r *response) text() {
	text := func(name, clause, sentence string, change func(body []byte) []byte) {
		r.add("text-"+name, clause+" HTTP-3", sentence, func(a *answer) {
			if len(a.body) > 2 && a.body[0] == '{' {
				a.body = change(slices.Clone(a.body))
			}
		})
	}
	before := func(part string) func([]byte) []byte {
		return func(b []byte) []byte { return append([]byte(part), b...) }
	}
	inside := func(member string) func([]byte) []byte {
		return func(b []byte) []byte { return append([]byte("{"+member+","), b[1:]...) }
	}
	text("cut-off", "JSON-1", "the JSON text is cut off", func(b []byte) []byte { return b[:len(b)-1] })
	text("trailing-text", "JSON-1", "text follows the JSON text", func(b []byte) []byte { return append(b, " OK"...) })
	text("twice", "JSON-1", "the JSON text is there twice", func(b []byte) []byte { return append(b, b...) })
	text("byte-order-mark", "JSON-1", "the JSON text starts with a byte order mark", before("\ufeff"))
	text("comment", "JSON-1", "the JSON text has a comment", before("/* ok */"))
	text("trailing-comma", "JSON-1", "a comma follows the last member", func(b []byte) []byte { return append(b[:len(b)-1], ",}"...) })
	text("single-quotes", "JSON-1", "strings are in single quotes",
		func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(`"`), []byte("'")) })
	text("not-utf8", "JSON-1", "the text is not UTF-8", inside("\"x-\xe9\":1"))
	text("not-a-number", "JSON-1", "a member is NaN", inside(`"extension":NaN`))
	text("duplicate-name", "JSON-2", "a member is there twice", func(b []byte) []byte {
		name, _, _ := strings.Cut(string(b[1:]), ":")
		return inside(name + ":null")(b)
	})
	for _, mediaType := range []string{
		"text/html", "text/plain", "application/xml", "application/octet-stream", "application/x-www-form-urlencoded",
	} {
		r.add("type-"+strings.ReplaceAll(mediaType, "/", "-"), "HTTP-3", "the Content-Type is "+mediaType, func(a *answer) {
			if len(a.body) > 0 {
				a.header.Set("Content-Type", mediaType)
			}
		})
	}
}
