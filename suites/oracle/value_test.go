package oracle

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/adconform/adconform/spec"
)

func TestAltered(t *testing.T) {
	for _, tc := range []struct {
		want, got any
		altered   bool
	}{
		{"a b", "a b", false}, // the texts are equal
		{" a  b\n", "a b", true},
		{"a\tb", "a b", true},
		{"e\u0301", "é", true},
		{"a\x00b", "a b", false},
		{"a b", "A b", false},
		{"a b", nil, false},
		{json.Number("1"), "1", false},
	} {
		if got := Altered(tc.want, tc.got); got != tc.altered {
			t.Errorf("%q for %q: %t, want %t", tc.got, tc.want, got, tc.altered)
		}
	}
}

func TestTextOf(t *testing.T) {
	text, action, count := &spec.Field{Type: "string"}, &spec.Field{Type: "string", Enum: []string{"pass"}}, &spec.Field{Type: "integer"}
	for _, tc := range []struct {
		field *spec.Field
		sent  any
		want  string
		ok    bool
	}{
		{text, 1, "1", true},
		{text, true, "true", true},
		{text, json.Number("1.0"), "1.0", true},
		{text, "1", "", false},
		{text, nil, "", false},
		{action, 1, "", false},
		{count, 1, "", false},
	} {
		if got, ok := TextOf(tc.field, tc.sent); got != tc.want || ok != tc.ok {
			t.Errorf("%v for a %s: %q, %t, want %q, %t", tc.sent, tc.field.Type, got, ok, tc.want, tc.ok)
		}
	}
}

func TestWords(t *testing.T) {
	long := strings.Repeat("é", 300)
	for _, tc := range []struct{ got, want string }{
		{clip("a\tb\x1b[31m\u202e\x00\u00a0é😀"), `a\tb\x1b[31m\u202e\x00\u00a0é😀`},
		{clip("\xff\ufffd"), "\\xff\ufffd"},
		{clip(long), strings.Repeat("é", 199) + "…"},
		{clip(strings.Repeat("\x00", 300)), strings.Repeat(`\x00`, 49) + "…"},
		{Describe("x"), `the string "x"`},
		{Describe(true), "true"},
		{Describe(json.Number("1.50")), "the number 1.50"},
		{Describe(map[string]any{}), "an object of 0 members"},
		{shortPointer("/data/0/id"), "/data/0/id"},
		{shortPointer("/data/" + long), "/data"},
		{shortPointer("/" + long), ""},
		{pointer("a/b", "~", ""), "/a~1b/~0/"},
		{anyItem("/data/12/id1"), "/data/*/id1"},
	} {
		if tc.got != tc.want {
			t.Errorf("expected %q, got %q", tc.want, tc.got)
		}
	}
}
