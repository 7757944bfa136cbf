package specs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// What the document states of a field (minLength, maximum, pattern, required and so on)
// holds at the bound and beyond it.
var bounds = Behaviour{Of: Updates, Specs: func(s *Specs, op *spec.Operation) {
	for _, f := range op.Body.Fields {
		clause := cmp.Or(f.Clause, op.Clause)
		for _, b := range Bounds(f) {
			atBound(s, op, f, b, clause)
		}
		if f.Required {
			title := fmt.Sprintf("A body without %s, which the document requires, is answered 422, with an issue that names it.", f.Name)
			s.It(slug(f.Name)+"-missing", title, Class(422), Clause(clause, "ERR-10"),
				func(c *Case) {
					c.Expect(c.Send(Wrong(c, object(c), Without(f.Name)))).To(BeRefused(422).Naming(f.Name))
				})
		}
	}
	if has := op.Body.Schema.AdditionalProperties.Has; has != nil && !*has {
		s.It("unknown-field", "A field that the document rules out (additionalProperties: false) is answered 422.",
			Class(422), Clause(op.Clause),
			func(c *Case) {
				request := Wrong(c, object(c))
				Set("adconformUnknown", unique(c))(&request)
				c.Expect(c.Send(request)).To(BeRefused(422))
			})
	}
}}

// atBound takes down a value at a bound, which has to be taken and shown, or beyond it,
// which has to be refused.
func atBound(s *Specs, op *spec.Operation, f *spec.Field, b Bound, clause string) {
	name, what := slug(f.Name)+"-"+b.Name, f.Name+" "+b.Title
	send := func(c *Case, request func(*Case, *Object, ...Change) Call, to *Matcher) {
		o := object(c)
		call := request(c, o)
		value, ok := b.Value(c.Fake)
		if !ok {
			c.NotTested(BySuite, "no such value was found this time")
			return
		}
		Set(f.Name, value)(&call)
		a := c.Send(call)
		c.Expect(a).To(to.Citing(clause))
		if a.OK && b.Right {
			c.Read(o) // it may be shown in full and kept cut short
		}
	}
	if b.Right {
		s.It(name, what+" is taken and shown.",
			Class("success"), Clause(clause, "ERR-10"), Clause(shown(op)...), Clause(op.Effects["persists"]),
			func(c *Case) { send(c, Valid, BeAccepted()) })
		return
	}
	s.It(name, what+" is answered 422, with an issue that names it.", Class(422), Clause(clause, "ERR-10"),
		func(c *Case) { send(c, Wrong, BeRefused(422).Naming(f.Name)) })
}

// Bound is a value at a bound that the document states for a field, or beyond it.
type Bound struct {
	Name, Title string // of the case
	Right       bool   // it has to be taken; otherwise it is refused
	Value       func(f *fixtures.Values) (any, bool)
	states      string // the keyword of the schema
}

// Bounds are those that show whether a server keeps to what the document
// states of a field, as far as such values can be made.
func Bounds(f *spec.Field) []Bound {
	var all []Bound
	for _, b := range slices.Concat(lengthBounds(f), numberBounds(f), patternBounds(f)) {
		if _, ok := b.Value(fixtures.New(0, "bounds")); ok {
			all = append(all, b)
		}
	}
	return all
}

func lengthBounds(f *spec.Field) []Bound {
	if f.Type != openapi3.TypeString || len(f.Schema.Enum) > 0 {
		return nil
	}
	sized := func(n int) func(*fixtures.Values) (any, bool) {
		return func(fake *fixtures.Values) (any, bool) {
			text, ok := fake.Sized(f, n)
			return text, ok
		}
	}
	fewest, most := f.Lengths()
	var all []Bound
	if fewest > 0 {
		all = append(all,
			Bound{"shortest", fmt.Sprintf("with the fewest characters, %d", fewest), true, sized(fewest), "minLength"},
			Bound{"too-short", fmt.Sprintf("of %d characters, where %d are the fewest", fewest-1, fewest), false, sized(fewest - 1), "minLength"})
	}
	if most >= 0 {
		all = append(all,
			Bound{"longest", fmt.Sprintf("with the most characters, %d", most), true, sized(most), "maxLength"},
			Bound{"too-long", fmt.Sprintf("of %d characters, where %d are the most", most+1, most), false, sized(most + 1), "maxLength"})
	}
	return all
}

func numberBounds(f *spec.Field) []Bound {
	if !f.Numbers() || len(f.Schema.Enum) > 0 {
		return nil
	}
	var all []Bound
	add := func(name, words, keyword string, right bool, v float64) {
		n := spec.Number(v)
		all = append(all, Bound{name, fmt.Sprintf(words, n), right, func(*fixtures.Values) (any, bool) {
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
		if v, err := fixtures.New(0, "step").Value(f, 1); err == nil {
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

func patternBounds(f *spec.Field) []Bound {
	if f.Schema.Pattern == "" || f.Type != openapi3.TypeString || len(f.Schema.Enum) > 0 {
		return nil
	}
	return []Bound{{"off-pattern", "that does not match " + f.Schema.Pattern, false, func(fake *fixtures.Values) (any, bool) {
		return offPattern(fake, f)
	}, "pattern"}}
}

// offPattern is a text of an allowed length with which nothing but the pattern is
// wrong.
func offPattern(fake *fixtures.Values, f *spec.Field) (string, bool) {
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
