package yamlfile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/adconform/adconform/internal/yamlfile"
)

// Whatever people and tools write for the same document is read alike.
func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\nb: [x, y]":                                             "map[a:1 b:[x y]]",
		`{"a": "\/\ud83d\ude00"}`:                                     "map[a:/😀]",
		"\uFEFF" + `{"a": "\/\ud83d\ude00"}`:                          "map[a:/😀]",
		"\uFEFFa: 1\r\nb: 2\r\n":                                      "map[a:1 b:2]",
		"%YAML 1.2\n---\na: 1\n...\n":                                 "map[a:1]",
		"\uFEFF# by hand\r\n\r\n%YAML 1.1\r\n---\r\na: 1":             "map[a:1]",
		"a: |\n  %YAML 1.2\n":                                         "map[a:%YAML 1.2\n]",
		"a: 1\n---\n# nothing\n---\n":                                 "map[a:1]",
		"x: &x {b: 1, c: 2}\na: {<<: *x, c: 3}":                       "map[a:map[b:1 c:3] x:map[b:1 c:2]]",
		"x: &x {b: 1, c: 2}\na: {c: 3, !!merge <<: *x}":               "map[a:map[b:1 c:3] x:map[b:1 c:2]]",
		"a: {<<: [&x {b: 1}, {b: 2, c: 2}], d: *x}":                   "map[a:map[b:1 c:2 d:map[b:1]]]",
		"x: &x {<<: &y {b: 1}, c: [&z 2]}\na: {<<: *x, e: *z, f: *y}": "map[a:map[b:1 c:[2] e:2 f:map[b:1]] x:map[b:1 c:[2]]]",
		"x: &x b\na: {*x : 1, \"<<\": 2}":                             "map[a:map[<<:2 b:1] x:b]",
		"":                                                            "nothing",
		"---\n# nothing\n":                                            "nothing",
		"a: 1\n---\nb: 2\n":                                           "3: a second YAML document begins here; remove it, as a file holds one",
		"---\n---\n\nb: 2\n":                                          "4: a second YAML document begins here; remove it, as a file holds one",
		"a: 1\n---\nnull\n":                                           "3: a second YAML document begins here; remove it, as a file holds one",
		"a: 1\n--- {\n":                                               "2: did not find expected node content",
		`{"a": 1} {"b": 2}`:                                           "1: did not find expected <document start>",
		"{\"a\": 1,\n\"a\": 2}":                                       `2: mapping key "a" already defined at line 1`,
		"a: 1\nb:\n  c: 1\n  c: 2":                                    `4: mapping key "c" already defined at line 3`,
		"a: &a [*a]":                                                  "1: anchor 'a' value contains itself",
		"a: {<<: 5}":                                                  "1: map merge requires map or sequence of maps as the value",
		"a: *b":                                                       "1: unknown anchor 'b' referenced",
		"a: [\n":                                                      "1: did not find expected node content",
	} {
		root, mistake := yamlfile.Read([]byte(text))
		got := "nothing"
		if mistake != nil {
			got = strings.TrimPrefix(mistake.Error(), "line ")
		} else if root != nil {
			var value any
			if err := root.Decode(&value); err != nil {
				t.Errorf("%q: %v", text, err)
			}
			got = fmt.Sprint(value)
		}
		if got != want {
			t.Errorf("%q:\ngot  %s\nwant %s", text, got, want)
		}
	}
}
