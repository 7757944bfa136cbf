package specs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/adconform/adconform/fixtures/fakedata"
	"github.com/adconform/adconform/spec"
)

// bound is a value at a bound that the document states for a field, or beyond it.
type bound struct {
	name, title string // of the case
	right       bool   // it has to be taken; otherwise it is refused
	value       func(f *fakedata.Values) (any, bool)
	states      string // the keyword of the schema
}

// boundValues are those that show whether a server keeps to what the document
// states of a field, as far as such values can be made.
func boundValues(f *spec.Field) []bound {
	var all []bound
	for _, b := range slices.Concat(lengthBounds(f), numberBounds(f), patternBounds(f)) {
		if _, ok := b.value(fakedata.New(0, "bounds")); ok {
			all = append(all, b)
		}
	}
	return all
}

func lengthBounds(f *spec.Field) []bound {
	if f.Type != openapi3.TypeString || len(f.Schema.Enum) > 0 {
		return nil
	}
	sized := func(n int) func(*fakedata.Values) (any, bool) {
		return func(fake *fakedata.Values) (any, bool) {
			text, ok := fake.Sized(f, n)
			return text, ok
		}
	}
	fewest, most := f.Lengths()
	var all []bound
	if fewest > 0 {
		all = append(all,
			bound{"shortest", fmt.Sprintf("with the fewest characters, %d", fewest), true, sized(fewest), "minLength"},
			bound{"too-short", fmt.Sprintf("of %d characters, where %d are the fewest", fewest-1, fewest), false, sized(fewest - 1), "minLength"})
	}
	if most >= 0 {
		all = append(all,
			bound{"longest", fmt.Sprintf("with the most characters, %d", most), true, sized(most), "maxLength"},
			bound{"too-long", fmt.Sprintf("of %d characters, where %d are the most", most+1, most), false, sized(most + 1), "maxLength"})
	}
	return all
}

func numberBounds(f *spec.Field) []bound {
	if !f.Numbers() || len(f.Schema.Enum) > 0 {
		return nil
	}
	var all []bound
	add := func(name, words, keyword string, right bool, v float64) {
		n := spec.Number(v)
		all = append(all, bound{name, fmt.Sprintf(words, n), right, func(*fakedata.Values) (any, bool) {
			return n, f.Fits(n) == right
		}, keyword})
	}
	if least, below, ok := f.Least(); ok {
		add("least", "as %v, the least", "minimum", true, least)
		add("too-small", "as %v, below the least", "minimum", false, below)
	}
	if greatest, above, ok := f.Greatest(); ok {
		add("greatest", "as %v, the greatest", "maximum", true, greatest)
		add("too-large", "as %v, above the greatest", "maximum", false, above)
	}
	if step := f.Step(); f.Schema.MultipleOf != nil && step >= 2 && step == float64(int(step)) {
		if v, err := fakedata.New(0, "step").Value(f, 1); err == nil {
			if n, ok := v.(int); ok {
				at := float64(n + 1)
				if greatest, _, bounded := f.Greatest(); bounded && at > greatest {
					at = float64(n - 1)
				}
				add("no-multiple", "as %v, no multiple of "+fmt.Sprint(step), "multipleOf", false, at)
			}
		}
	}
	return all
}

func patternBounds(f *spec.Field) []bound {
	if f.Schema.Pattern == "" || f.Type != openapi3.TypeString || len(f.Schema.Enum) > 0 {
		return nil
	}
	return []bound{{"off-pattern", "that does not match " + f.Schema.Pattern, false, func(fake *fakedata.Values) (any, bool) {
		return offPattern(fake, f)
	}, "pattern"}}
}

// offPattern is a text of an allowed length with which nothing but the pattern is
// wrong.
func offPattern(fake *fakedata.Values, f *spec.Field) (string, bool) {
	free := *f.Schema
	free.Pattern = ""
	unbound := *f
	unbound.Schema = &free
	v, err := fake.Value(&unbound, 0)
	plain, ok := v.(string)
	if err != nil || !ok {
		return "", false
	}
	others := []string{plain, strings.ToLower(plain), strings.ToUpper(plain)}
	for _, character := range []string{"-", "!", " ", "7"} {
		others = append(others, odd(plain, character))
	}
	for _, text := range others {
		if unbound.Fits(text) && !f.Fits(text) {
			return text, true
		}
	}
	return "", false
}

// odd is a text with another character in its middle.
func odd(text, character string) string {
	if text == "" {
		return character
	}
	at := len(text) / 2
	return text[:at] + character + text[at+1:]
}
