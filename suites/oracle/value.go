package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/adconform/adconform/spec"
)

// Body is a request body: fields by wire name, or raw bytes.
type Body struct {
	Fields map[string]any // nil: Raw is not an object of fields
	Raw    []byte
}

// ObjectBody encodes fields in document order, then the ones that the document
// does not know, by name.
func ObjectBody(o *spec.Object, fields map[string]any) *Body {
	var buf bytes.Buffer
	buf.WriteByte('{')
	write := func(name string) {
		if buf.Len() > 1 {
			buf.WriteByte(',')
		}
		buf.Write(JSON(name))
		buf.WriteByte(':')
		buf.Write(JSON(fields[name]))
	}
	known := map[string]bool{}
	for _, f := range o.Fields {
		known[f.Name] = true
		if _, ok := fields[f.Name]; ok {
			write(f.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !known[name] {
			write(name)
		}
	}
	buf.WriteByte('}')
	return &Body{Fields: fields, Raw: buf.Bytes()}
}

// RawBody is a body that is not an object of fields.
func RawBody(raw string) *Body { return &Body{Raw: []byte(raw)} }

// JSON encodes a value as a case sends it.
func JSON(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false) // < stays <: what we send is what we compare
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("a case sends a value that JSON cannot hold: %v", err))
	}
	return bytes.TrimRight(buf.Bytes(), "\n")
}

// TextOf is the text that a target may take a value for which is none: that of
// a number or boolean as it was sent, for a field that may hold any text.
func TextOf(f *spec.Field, v any) (string, bool) {
	if f.Type != "string" || len(f.Enum) > 0 {
		return "", false
	}
	switch v.(type) {
	case bool, int, int64, json.Number:
		return fmt.Sprint(v), true
	}
	return "", false
}

// Altered says whether a text came back trimmed, with folded white space or
// normalised only.
func Altered(want, got any) bool {
	w, wok := want.(string)
	g, gok := got.(string)
	if !wok || !gok || w == g {
		return false
	}
	fold := func(s string) string { return strings.Join(strings.Fields(norm.NFKC.String(s)), " ") }
	return fold(w) == fold(g)
}

// Alterable says whether a text is another one when it is trimmed or normalised.
func Alterable(v any) bool {
	s, ok := v.(string)
	return ok && (strings.TrimSpace(s) != s || norm.NFC.String(s) != s || norm.NFD.String(s) != s || norm.NFKC.String(s) != s)
}

// Show renders a value for a finding: JSON, shortened in the middle.
func Show(v any) string { return Shorten(string(JSON(v))) }

// Shorten leaves out the middle of a long text.
func Shorten(s string) string {
	const limit = 120
	if r := []rune(s); len(r) > limit {
		return fmt.Sprintf("%s … %s (%d characters)", string(r[:limit/2]), string(r[len(r)-limit/4:]), len(r))
	}
	return s
}

// Decode reads a body that is not judged.
func Decode(body []byte) any {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil
	}
	return v
}
