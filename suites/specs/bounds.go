package specs

import (
	"cmp"
	"fmt"
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
			missing := Without(f.Name).Called("a body without a required field")
			s.Case("422/"+slug(f.Name)+"-missing",
				fmt.Sprintf("A body without %s, which the document requires, is answered 422, with an issue that names it.", f.Name),
				Options{Clause(clause, "ERR-10")},
				func(c *Case, o *Object) { c.Expect(c.Send(Wrong(c, o, missing))).To(BeRefused(422).Naming(f.Name)) })
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
	class, title := "422/", " is answered 422, with an issue that names it."
	options := Options{Clause(clause, "ERR-10")}
	if b.right {
		class, title = "success/", " is taken and shown."
		options = append(options, Clause(shown(op)...), Clause(op.Effects["persists"]))
	}
	s.Case(class+slug(f.Name)+"-"+b.name, f.Name+" "+b.title+title, options, func(c *Case, o *Object) {
		request, to := Valid(c, o), BeAccepted()
		if !b.right {
			request.Succeeds, to = false, BeRefused(422).Naming(f.Name)
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
	name, title string // of the case
	right       bool   // it has to be taken; otherwise it is refused
	states      string // the keyword of the schema
	value       func(f *fixtures.Values) (any, bool)
}

// fieldBounds are those that show whether a server keeps to what the document
// states of a field, as far as such values can be made.
func fieldBounds(f *spec.Field) []bound {
	var all []bound
	add := func(b bound) {
		if _, ok := b.value(fixtures.New(0, "bounds")); ok {
			all = append(all, b)
		}
	}
	switch {
	case len(f.Schema.Enum) > 0:
	case f.Type == openapi3.TypeString:
		lengthBounds(f, add)
		if f.Schema.Pattern != "" {
			add(bound{"off-pattern", "that does not match " + f.Schema.Pattern, false, "pattern", func(fake *fixtures.Values) (any, bool) {
				return offPattern(fake, f)
			}})
		}
	case f.Numbers():
		numberBounds(f, add)
	}
	return all
}

func lengthBounds(f *spec.Field, add func(bound)) {
	sized := func(name, title, states string, right bool, n int) {
		add(bound{name, title, right, states, func(fake *fixtures.Values) (any, bool) {
			text, ok := fake.Sized(f, n)
			return text, ok
		}})
	}
	fewest, most := f.Lengths()
	if fewest > 0 {
		sized("shortest", fmt.Sprintf("with the fewest characters, %d", fewest), "minLength", true, fewest)
		sized("too-short", fmt.Sprintf("of %d characters, where %d are the fewest", fewest-1, fewest), "minLength", false, fewest-1)
	}
	if most >= 0 {
		sized("longest", fmt.Sprintf("with the most characters, %d", most), "maxLength", true, most)
		sized("too-long", fmt.Sprintf("of %d characters, where %d are the most", most+1, most), "maxLength", false, most+1)
	}
}

func numberBounds(f *spec.Field, add func(bound)) {
	number := func(name, words, states string, right bool, v float64) {
		n := spec.Number(v)
		add(bound{name, fmt.Sprintf(words, n), right, states, func(*fixtures.Values) (any, bool) { return n, f.Fits(n) == right }})
	}
	least, greatest := f.Bounds()
	step := f.Step()
	if least != nil {
		number("least", "as %v, the least", "minimum", true, *least)
		number("too-small", "as %v, below the least", "minimum", false, *least-step)
	}
	if greatest != nil {
		number("greatest", "as %v, the greatest", "maximum", true, *greatest)
		number("too-large", "as %v, above the greatest", "maximum", false, *greatest+step)
	}
	if f.Schema.MultipleOf != nil && step >= 2 && step == float64(int(step)) {
		v, _ := fixtures.New(0, "step").Value(f, 1)
		if n, ok := v.(int); ok {
			at := float64(n + 1)
			if greatest != nil && at > *greatest {
				at -= 2
			}
			number("no-multiple", "as %v, no multiple of "+fmt.Sprint(step), "multipleOf", false, at)
		}
	}
}

// offPattern is a text of an allowed length with which nothing but the pattern is
// wrong.
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
	for _, text := range others {
		if unbound.Fits(text) && !f.Fits(text) {
			return text, true
		}
	}
	return "", false
}
