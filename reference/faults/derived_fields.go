package faults

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/adconform/adconform/spec"
)

// fields are the faults of each property of an object that stands at a path:
// dropped, renamed, of another type, null, or out of its range of values.
func (d *deriver) fields(o *spec.Object, path, also []string) {
	for _, f := range o.Fields {
		at := append(slices.Clone(path), f.Name)
		d.property(f, at, also)
		inner := append(slices.Clone(also), f.Clause)
		if f.Object != nil {
			d.fields(f.Object, at, inner)
		}
		if f.Items != nil {
			d.fields(f.Items, append(slices.Clone(at), "*"), inner)
		}
	}
}

// property changes one property wherever it is.
func (d *deriver) property(f *spec.Field, at, above []string) {
	also := append(d.related(f), above...)
	label := strings.Join(slices.DeleteFunc(slices.Clone(at), func(s string) bool { return s == "*" }), ".")
	clause := f.Clause
	change := func(what, sentence string, edit func(parent object, name string)) {
		d.add(label+"-"+what, clause, also, label+" "+sentence, func(a *answer) *answer {
			return a.edit(func(doc object) { visit(doc, at, edit) })
		})
	}
	// Absence and null of what may be unset are let pass.
	if f.Required {
		change("dropped", "is missing.", func(p object, n string) { delete(p, n) })
		change("renamed", "has another name.", func(p object, n string) {
			p[renamed(n)] = p[n]
			delete(p, n)
		})
	}
	if f.Required && !f.Nullable {
		change("null", "is null.", func(p object, n string) { p[n] = nil })
	}
	for _, other := range []string{"string", "number", "boolean", "array", "object"} {
		if other == f.Type || other == "number" && f.Type == "integer" || !d.filled(f) {
			continue
		}
		change("as-"+other, "is of JSON type "+other+".", func(p object, n string) {
			if p[n] != nil {
				p[n] = retyped(p[n], other)
			}
		})
	}
	for _, v := range outOfRange(f) {
		change(v.name, v.sentence, func(p object, n string) {
			if p[n] != nil {
				p[n] = v.value
			}
		})
	}
}

// filled says whether a property of the current response ever has a value: an
// issue names a field only where a request body is wrong.
func (d *deriver) filled(f *spec.Field) bool {
	return f.Meaning != "relatedField" || d.status == http.StatusUnprocessableEntity && d.op.Updates()
}

// related are clauses that a breach of a property may break too: what the
// success shows, or what the errors say by it.
func (d *deriver) related(f *spec.Field) []string {
	if d.status == 0 {
		return []string{d.op.Clause, d.op.Effects["shows"], d.op.Effects["stays"], d.op.Effects["identity"], d.op.Effects["updatedAt"], "MEDIA-9"}
	}
	return map[string][]string{
		"error": {"ERR-6", "ERR-7", "ERR-8"}, "responseCode": {"ERR-7"}, "issues": {"ERR-8", "ERR-10"},
		"type": {"ERR-9"}, "message": {"ERR-9"}, "relatedField": {"ERR-10"},
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
			{"no-date", "is a word, no date.", "yesterday"},
			{"no-day", "is a day that no calendar has.", "2024-02-30T09:00:00Z"},
			{"no-month", "is in the month 13.", "2024-13-01T09:00:00Z"},
			{"empty", "is empty.", ""},
			{"day-first", "is written day first.", "31.12.2023"},
		}
	case f.URL:
		return []outside{
			{"relative", "is a relative reference.", "/share/1"},
			{"no-scheme", "has no scheme.", "share.example.com/1"},
			{"empty", "is empty.", ""},
		}
	case len(f.Enum) > 0:
		return []outside{
			{"unlisted", "is not one of the values.", "block"},
			{"upper-case", "is in upper case.", strings.ToUpper(f.Enum[0])},
			{"empty", "is empty.", ""},
		}
	case f.Type == "integer" && f.Meaning != "responseCode":
		return []outside{
			{"fraction", "has a fraction.", json.Number("12.5")},
			{"hardly-fraction", "has a fraction that floating point does not hold.", json.Number("12.00000000000000000000001")},
			{"beyond-64-bit", "does not fit 64 bits.", json.Number("92233720368547758080")},
			{"just-beyond-63-bit", "is one more than 64 bits with a sign hold.", json.Number("9223372036854775808")},
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

// text are the bodies of the current response with the JSON text or its media
// type broken.
func (d *deriver) text() {
	for _, t := range []struct {
		name, clause, sentence string
		change                 func(body []byte) []byte
	}{
		{"cut-off", "JSON-1", "the JSON text is cut off.", func(b []byte) []byte { return b[:len(b)-1] }},
		{"trailing-text", "JSON-1", "text follows the JSON text.", func(b []byte) []byte { return append(b, " OK"...) }},
		{"twice", "JSON-1", "the JSON text is there twice.", func(b []byte) []byte { return append(b, b...) }},
		{"byte-order-mark", "JSON-1", "the JSON text starts with a byte order mark.", func(b []byte) []byte { return append([]byte("\ufeff"), b...) }},
		{"comment", "JSON-1", "the JSON text has a comment.", func(b []byte) []byte { return append([]byte("/* ok */"), b...) }},
		{"trailing-comma", "JSON-1", "a comma follows the last member.", func(b []byte) []byte { return append(b[:len(b)-1], ",}"...) }},
		{"single-quotes", "JSON-1", "strings are in single quotes.", func(b []byte) []byte {
			return []byte(strings.ReplaceAll(string(b), `"`, "'"))
		}},
		{"not-utf8", "JSON-1", "the text is not UTF-8.", func(b []byte) []byte {
			return append([]byte("{\"x-\xe9\":1,"), b[1:]...)
		}},
		{"not-a-number", "JSON-1", "a member is NaN.", func(b []byte) []byte { return append([]byte(`{"extension":NaN,`), b[1:]...) }},
		{"duplicate-name", "JSON-2", "a member is there twice.", func(b []byte) []byte {
			name := string(b[1:strings.IndexByte(string(b), ':')])
			return append([]byte("{"+name+":null,"), b[1:]...)
		}},
	} {
		d.add("text-"+t.name, t.clause, []string{"HTTP-3"}, t.sentence, func(a *answer) *answer {
			if len(a.body) > 2 && a.body[0] == '{' {
				a.body = t.change(slices.Clone(a.body))
			}
			return a
		})
	}
	for _, mediaType := range []string{"text/html", "text/plain", "application/xml", "application/octet-stream", "application/x-www-form-urlencoded"} {
		d.add("type-"+strings.ReplaceAll(mediaType, "/", "-"), "HTTP-3", nil, fmt.Sprintf("the Content-Type is %s.", mediaType), func(a *answer) *answer {
			if len(a.body) > 0 {
				a.header.Set("Content-Type", mediaType)
			}
			return a
		})
	}
}
