package oracle

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	long := strings.Repeat("é", 300)
	for _, tc := range []struct{ got, want string }{
		{clip("a\tb\x1b[31m\u202e\x00\u00a0é😀"), `a\tb\x1b[31m\u202e\x00\u00a0é😀`},
		{clip("\xff\ufffd"), "\\xff\ufffd"},
		{clip(long), strings.Repeat("é", 199) + "…"},
		{clip(long[:400]), long[:400]},
		{clip(strings.Repeat("\x00", 300)), strings.Repeat(`\x00`, 49) + "…"},
		{show("x"), `the string "x"`},
		{show(nil), "null"},
		{show(true), "true"},
		{show(json.Number("1.50")), "the number 1.50"},
		{show([]any{1}), "an array of 1 items"},
		{show(map[string]any{}), "an object of 0 members"},
		{shortPointer("/data/0/id"), "/data/0/id"},
		{shortPointer("/data/" + long), "/data"},
		{shortPointer("/" + long), ""},
		{pointer("a/b", "~", ""), "/a~1b/~0/"},
		{place("/data/12/id1"), "/data/*/id1"},
	} {
		if tc.got != tc.want {
			t.Errorf("expected %q, got %q", tc.want, tc.got)
		}
	}
}
