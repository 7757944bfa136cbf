package oracle

import (
	"encoding/json"
	"testing"

	"github.com/adconform/adconform/spec"
)

func TestAltered(t *testing.T) {
	for _, tc := range []struct {
		want, got any
		altered   bool
	}{
		{"a b", "a b", false}, // the same
		{" a  b\n", "a b", true},
		{"a\tb", "a b", true},
		{"e\u0301", "é", true},
		{"a b", "ab", false},
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
		{text, false, "false", true},
		{text, json.Number("1.0"), "1.0", true},
		{text, "1", "", false},
		{text, nil, "", false},
		{text, []any{1}, "", false},
		{text, map[string]any{}, "", false},
		{action, 1, "", false},
		{action, true, "", false},
		{count, 1, "", false},
	} {
		if got, ok := TextOf(tc.field, tc.sent); got != tc.want || ok != tc.ok {
			t.Errorf("%v for a %s: %q, %t, want %q, %t", tc.sent, tc.field.Type, got, ok, tc.want, tc.ok)
		}
	}
}
