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
func bounds(s *Specs, op *spec.Operation) {
	for _, f := range op.Body.Fields {
		clause := cmp.Or(f.Clause, op.Clause)
		for _, b := range fieldBounds(f) {
			atBound(s, op, f, b, clause)
		}
		if f.Required {
			s.Case("422/"+slug(f.Name)+"-missing",
				fmt.Sprintf("A body without %s, which the document requires, is answered 422, with an issue that names it.", f.Name),
				Options{Clause(clause, "ERR-10")},
				refused(BeRefused(422).Naming(f.Name), Without(f.Name).Called("a body without a required field")))
		}
	}
	if has := op.Body.Schema.AdditionalProperties.Has; has != nil && !*has {
		s.Case("422/unknown-field", "A field that the document rules out (additionalProperties: false) is answered 422.",
			Options{Clause(op.Clause)},
			func(c *Case, o *Object) { c.Expect(c.Send(Wrong(c, o, unknownField(c)))).To(BeRefused(422)) })
	}
}

// atBound registers a value at a bound, which has to be taken and shown, or beyond it,
// which has to be refused.
func atBound(s *Specs, op *spec.Operation, f *spec.Field, b bound, clause string) {
	class, title, options := "422/", " is answered 422, with an issue that names it.", Options{Clause(clause, "ERR-10")}
	if b.right {
		class, title = "success/", " is taken and shown."
		options = append(options, Clause(shown(op)...), Clause(op.Effects["persists"]))
	}
	s.Case(class+slug(f.Name)+"-"+b.name, f.Name+" "+b.title+title, options, func(c *Case, o *Object) {
		request, to := Valid(c, o), BeAccepted()
		if !b.right {
			to = BeRefused(422).Naming(f.Name)
		}
		value, ok := b.value(c.Fake)
		if !ok {
			c.NotTested(BySuite, "no such value was found this time")
			return
		}
		Set(f.Name, value)(&request)
		if a := send(c, request, to.Citing(clause)); a.OK && b.right {
			c.Read(o) // it may be shown in full and kept cut short
		}
	})
}

// bound is a value at a bound that the document states for a field, or beyond it.
type bound struct {
	states      string // the keyword of the schema
	name, title string // of the case
	right       bool   // it has to be taken; otherwise it is refused
	value       func(f *fixtures.Values) (any, bool)
}

// fieldBounds are those that show whether a server keeps to the document's statements about a
// field, as far as such values can be made.
func fieldBounds(f *spec.Field) (all []bound) {
	add := func(states, name, title string, right bool, value func(*fixtures.Values) (any, bool)) {
		if _, ok := value(fixtures.New(0, "bounds")); ok {
			all = append(all, bound{states, name, title, right, value})
		}
	}
	text := func(n int) func(*fixtures.Values) (any, bool) {
		return func(fake *fixtures.Values) (any, bool) { return fake.Sized(f, n) }
	}
	number := func(states, name, title string, v float64, right bool) {
		n := spec.Number(v)
		add(states, name, fmt.Sprintf(title, n), right, func(*fixtures.Values) (any, bool) { return n, f.Fits(n) == right })
	}
	switch {
	case len(f.Schema.Enum) > 0:
	case f.Type == openapi3.TypeString:
		fewest, most := f.Lengths()
		if fewest > 0 {
			add("minLength", "shortest", fmt.Sprintf("with the fewest characters, %d", fewest), true, text(fewest))
			add("minLength", "too-short", fmt.Sprintf("of %d characters, where %d are the fewest", fewest-1, fewest), false, text(fewest-1))
		}
		if most >= 0 {
			add("maxLength", "longest", fmt.Sprintf("with the most characters, %d", most), true, text(most))
			add("maxLength", "too-long", fmt.Sprintf("of %d characters, where %d are the most", most+1, most), false, text(most+1))
		}
		if f.Schema.Pattern != "" {
			add("pattern", "off-pattern", "that does not match "+f.Schema.Pattern, false,
				func(fake *fixtures.Values) (any, bool) { return offPattern(fake, f) })
		}
	case f.Numbers():
		if least := f.Schema.Min; least != nil {
			number("minimum", "least", "as %v, the least", *least, true)
			number("minimum", "too-small", "as %v, below the least", *least-1, false)
		}
		if greatest := f.Schema.Max; greatest != nil {
			number("maximum", "greatest", "as %v, the greatest", *greatest, true)
			number("maximum", "too-large", "as %v, above the greatest", *greatest+1, false)
		}
	}
	return all
}

// offPattern is a text of an allowed length of which nothing but the pattern is wrong.
func offPattern(fake *fixtures.Values, f *spec.Field) (string, bool) {
	free, unbound := *f.Schema, *f
	free.Pattern, unbound.Schema = "", &free
	v, err := fake.Value(&unbound, 0)
	plain, ok := v.(string)
	if err != nil || !ok {
		return "", false
	}
	half := len(plain) / 2
	others := []string{plain, strings.ToLower(plain), strings.ToUpper(plain)}
	for _, odd := range []string{"-", "!", " ", "7"} {
		others = append(others, plain[:half]+odd+plain[min(half+1, len(plain)):])
	}
	i := slices.IndexFunc(others, func(text string) bool { return unbound.Fits(text) && !f.Fits(text) })
	if i < 0 {
		return "", false
	}
	return others[i], true
}
