package oracle

import (
	"encoding/json"
	"reflect"
	"strconv"
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
	if wn, gn := number(want), number(got); wn != "" && gn != "" {
		return wn == gn
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

// number is the canonical form of an integer, "" for anything else.
func number(v any) string {
	switch n := v.(type) {
	case json.Number:
		if i, err := strconv.ParseInt(string(n), 10, 64); err == nil {
			return strconv.FormatInt(i, 10)
		}
		if f, err := n.Float64(); err == nil && f == float64(int64(f)) {
			return strconv.FormatInt(int64(f), 10)
		}
	case int:
		return strconv.Itoa(n)
	case int64:
		return strconv.FormatInt(n, 10)
	}
	return ""
}

// Integer is the value of a JSON integer.
func Integer(v any) (int64, bool) {
	s := number(v)
	if s == "" {
		return 0, false
	}
	i, err := strconv.ParseInt(s, 10, 64)
	return i, err == nil
}
