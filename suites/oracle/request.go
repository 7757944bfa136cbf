package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/adconform/adconform/spec"
)

// Body is a request body: fields by wire name, or raw bytes.
type Body struct {
	Fields map[string]any // nil: Raw is not an object of fields
	Raw    []byte
}

// ObjectBody encodes fields, by name.
func ObjectBody(fields map[string]any) *Body { return &Body{Fields: fields, Raw: JSON(fields)} }

// RawBody returns a body that is not an object of fields.
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

// Show returns a value for a finding: JSON, shortened in the middle.
func Show(v any) string { return Shorten(string(JSON(v))) }

// Shorten leaves out the middle of a long text.
func Shorten(s string) string {
	const limit = 120
	if r := []rune(s); len(r) > limit {
		n := utf8.RuneCountInString(strings.Trim(s, `"`))
		return fmt.Sprintf("%s … %s (%d characters)", string(r[:limit/2]), string(r[len(r)-limit/4:]), n)
	}
	return s
}

// TextOf returns the text that a target may store for a number or a boolean, in a field that may
// hold any text.
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

// Altered reports whether a text came back with no other change than trimmed or folded white
// space, or normalisation.
func Altered(want, got any) bool {
	w, wok := want.(string)
	g, gok := got.(string)
	fold := func(s string) string { return strings.Join(strings.Fields(norm.NFKC.String(s)), " ") }
	return wok && gok && w != g && fold(w) == fold(g)
}

// Alterable reports whether trimming or normalisation changes a text.
func Alterable(v any) bool {
	s, ok := v.(string)
	return ok && (strings.TrimSpace(s) != s || norm.NFC.String(s) != s || norm.NFD.String(s) != s || norm.NFKC.String(s) != s)
}

// Equal compares a value that was sent or seen earlier with one that an
// answer shows. A hostname is compared without regard to ASCII case and a final
// dot; for the rest of the fields a text has to be the same by code point.
func Equal(f *spec.Field, want, got any) bool {
	w, wok := want.(string)
	g, gok := got.(string)
	if wok && gok && f != nil && f.Hostname {
		plain := func(s string) string { return strings.TrimSuffix(LowerASCII(s), ".") }
		return plain(w) == plain(g)
	}
	if wn, ok := Integer(want); ok {
		if gn, ok := Integer(got); ok {
			return wn == gn
		}
	}
	if w, ok := want.(float64); ok { // of ours; an answer has json.Number
		g, _ := got.(json.Number)
		n, err := g.Float64()
		return err == nil && n == w
	}
	return reflect.DeepEqual(want, got)
}

// LowerASCII returns a text with its ASCII letters in lower case.
func LowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
