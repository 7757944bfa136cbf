package oracle

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/adconform/adconform/spec"
)

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
