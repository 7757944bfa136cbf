package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
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

// Equal compares a value that was sent or seen earlier with one that an
// answer shows. A hostname is compared without regard to ASCII case and a final
// dot; for the rest of the fields a text has to be the same by code point.
func Equal(f *spec.Field, want, got any) bool {
	if want == nil || got == nil {
		return want == nil && got == nil
	}
	w, wok := want.(string)
	g, gok := got.(string)
	if wok && gok {
		if f != nil && f.Hostname {
			return plainHost(w) == plainHost(g)
		}
		return w == g
	}
	if wn, ok := Integer(want); ok {
		if gn, ok := Integer(got); ok {
			return wn == gn
		}
	}
	if w, ok := want.(float64); ok { // of ours; an answer has json.Number
		g, ok := got.(json.Number)
		n, err := g.Float64()
		return ok && err == nil && n == w
	}
	return reflect.DeepEqual(want, got)
}

// plainHost is a hostname as every spelling of it is compared.
func plainHost(s string) string { return strings.TrimSuffix(LowerASCII(s), ".") }

// LowerASCII is a text with its ASCII letters in lower case.
func LowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// Integer is the value of an integer, one of ours or a JSON number however it was written.
func Integer(v any) (int64, bool) {
	switch n := v.(type) {
	case json.Number:
		i, how := integer(n)
		return i, how != other
	case int:
		return int64(n), true
	case int64:
		return n, true
	}
	return 0, false
}

// kin-openapi compares numbers as floats of 64 bits: it takes 2^63 for an int64
// and 9007199254740992.5 for an integer. So integers are read here from the
// digits as they were written.

// written says how a number stands in the text.
type written int

const (
	other      written = iota // not an integer, or one beyond 64 bits
	roundabout                // an integer with fraction or exponent, such as 1.0 or 1e3
	plain
)

func judgeIntegerValue(j *judging) {
	j.shape.walk(j.Value, nil, func(n *shape, v any, at *path) {
		number, ok := v.(json.Number)
		if !n.integer || !ok {
			return // the schema says so
		}
		if _, how := integer(number); how == other {
			j.mismatch(n.clause, at.String(), expected(n.schema), show(v))
		}
	})
}

func judgeIntegerForm(j *judging) {
	j.shape.walk(j.Value, nil, func(n *shape, v any, at *path) {
		number, ok := v.(json.Number)
		if !n.integer || !ok {
			return
		}
		j.judged("OPEN-5")
		if _, how := integer(number); how == roundabout {
			j.find("OPEN-5", 0, at.String(), "an integer without fraction and exponent", show(v))
		}
	})
}

// integer is the value of a JSON number that is an integer of 64 bits. It takes
// the digits as text: 1e999999999 must cost nothing.
func integer(number json.Number) (int64, written) {
	if i, err := strconv.ParseInt(string(number), 10, 64); err == nil {
		return i, plain
	}
	digits, exponent := string(number), 0
	negative := strings.HasPrefix(digits, "-")
	digits = strings.TrimPrefix(digits, "-")
	if at := strings.IndexAny(digits, "eE"); at >= 0 {
		var err error
		if exponent, err = strconv.Atoi(digits[at+1:]); err != nil || exponent > maxExponent || exponent < -maxExponent {
			exponent = maxExponent // of either sign: no integer of 64 bits, unless it is 0
		}
		digits = digits[:at]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	point := len(whole) + exponent // how many of the digits stand before the point
	digits = strings.TrimRight(whole+fraction, "0")
	significant := strings.TrimLeft(digits, "0")
	point -= len(digits) - len(significant)
	if significant == "" {
		return 0, roundabout
	}
	if point < len(significant) || point > len("9223372036854775807") {
		return 0, other
	}
	text := significant + strings.Repeat("0", point-len(significant))
	if negative {
		text = "-" + text
	}
	i, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, other
	}
	return i, roundabout
}

// maxExponent is beyond any number of digits that a body can have.
const maxExponent = 1 << 30

const expectedURL = "an absolute http or https URL"

// judgeURLs: kin-openapi lets any string pass for format uri.
func judgeURLs(j *judging) {
	j.shape.walk(j.Value, nil, func(n *shape, v any, at *path) {
		if text, ok := v.(string); n.url && ok && !absoluteURL(text) {
			j.mismatch(n.clause, at.String(), expected(n.schema), show(v))
		}
	})
}

// judgeLetterCase: a list of values may be open, but a text that is one of them but for letter
// case is that value, spelt in another way.
func judgeLetterCase(j *judging) {
	j.shape.walk(j.Value, nil, func(n *shape, v any, at *path) {
		text, ok := v.(string)
		clause := spec.ValuesClause(n.schema)
		if !ok || clause == "" {
			return
		}
		for _, published := range spec.Values(n.schema) {
			if strings.EqualFold(text, published) {
				j.judged(clause)
				if text != published {
					j.find(clause, wfcSchema, at.String(), show(published)+", as published", show(text))
				}
			}
		}
	})
}

// absoluteURL says whether a text can be opened as it stands: RFC 3986, 4.3,
// with a host. Characters beyond ASCII are let pass, as browsers do.
func absoluteURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && !strings.ContainsAny(text, " \t\r\n")
}
