package main

import (
	"slices"
	"testing"

	"github.com/spf13/pflag"
)

// A list is given by several flags, or by a text with commas or line breaks, as a pipeline's variable may have it.
func TestListsAddUp(t *testing.T) {
	for text, want := range map[string][]string{
		"a":                   {"a"},
		"a,b":                 {"a", "b"},
		"a\nb\n":              {"a", "b"},
		"\n  a,\r\n  b,c\n\n": {"a", "b", "c"},
		"a, b":                {"a", "b"},
		"a,,b":                nil,
		"a,":                  nil,
		" \n":                 nil,
	} {
		var got []string
		f := pflag.NewFlagSet("test", pflag.ContinueOnError)
		addList(f, &got, "list", asText, "")
		if err := f.Parse([]string{"--list=first", "--list", text, "--list=last"}); err != nil {
			t.Error(err)
		}
		value := f.Lookup("list").Value
		if want = append(append([]string{"first"}, want...), "last"); len(want) > 2 && (!slices.Equal(got, want) || isEmpty(value)) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		} else if len(want) == 2 && !isEmpty(value) {
			t.Errorf("%q: an empty item is dropped", text)
		}
	}
}
