package specs

import (
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
)

// Wrong is a value that a field may not have.
type WrongValue struct {
	Name, Title, Clause string
	Value               func(valid any) any
}

// Coercible says whether the value is a number or boolean for a text, which a target
// may take as the text that was sent.
func (w WrongValue) Coercible(f *spec.Field) bool {
	return f.Type == "string" && len(f.Enum) == 0 && slices.Contains([]string{"number", "true", "false"}, w.Name)
}

// wrongOfType are the names of the values of every other JSON type.
var wrongOfType = map[string][]string{
	"string":  {"number", "true", "false", "array", "object"},
	"integer": {"string", "decimal", "true", "false", "array", "object"},
	"number":  {"string", "true", "false", "array", "object"},
	"boolean": {"string", "number", "array", "object"},
}

// WrongValues are the values of every other JSON type, and, for an enumerated field,
// values that are not in the list.
func WrongValues(f *spec.Field) []WrongValue {
	fixed := func(v any) func(any) any { return func(any) any { return v } }
	all := map[string]WrongValue{
		"string":  {"string", "a string", "ERR-4", fixed("x")},
		"number":  {"number", "1", "ERR-4", fixed(1)},
		"true":    {"true", "true", "ERR-4", fixed(true)},
		"false":   {"false", "false", "ERR-4", fixed(false)},
		"array":   {"array", "an array of a valid value", "ERR-4", func(v any) any { return []any{v} }},
		"object":  {"object", "{}", "ERR-4", fixed(map[string]any{})},
		"decimal": {"decimal", "1.5", "ERR-4", fixed(1.5)},
	}
	var list []WrongValue
	for _, name := range wrongOfType[f.Type] {
		list = append(list, all[name])
	}
	const offList = "a value that is not in the list"
	if len(f.Enum) > 0 {
		list = append(list,
			WrongValue{"zero", "0", "ERR-4", fixed(0)}, WrongValue{"two", "2", "ERR-4", fixed(2)},
			WrongValue{"unlisted", offList, "ERR-5", fixed(Unlisted(f))},
			WrongValue{"upper-case", "a listed value in upper case", "ERR-5", fixed(strings.ToUpper(f.Enum[0]))},
		)
	} else if f.Numbers() && len(f.Schema.Enum) > 0 {
		list = append(list, WrongValue{"unlisted", offList, "ERR-5", fixed(unlistedNumber(f))})
	}
	return slices.DeleteFunc(list, func(w WrongValue) bool { // such as a listed value that has no lower case
		text, ok := w.Value("").(string)
		return ok && slices.Contains(f.Enum, text)
	})
}

// Unlisted is a text that an enumeration does not list: one that the published interface
// has in its place, where the vendor's document renames them.
func Unlisted(f *spec.Field) string {
	if published, err := spec.Load(); err == nil {
		for _, op := range published.Operations {
			if op.Body == nil || op.Body.Field(f.Meaning) == nil {
				continue
			}
			for _, text := range op.Body.Field(f.Meaning).Enum {
				if !slices.Contains(f.Enum, text) {
					return text
				}
			}
		}
	}
	text := "never"
	for slices.Contains(f.Enum, text) {
		text += "x"
	}
	return text
}

// unlistedNumber is an integer that an enumeration does not list.
func unlistedNumber(f *spec.Field) int {
	n := 1
	for slices.ContainsFunc(f.Schema.Enum, func(v any) bool { return v == float64(n) }) {
		n++
	}
	return n
}
