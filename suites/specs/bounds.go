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
	states      string // the keyword of the schema
	name, title string // of the case
	right       bool   // it has to be taken; otherwise it is refused
	value       func(f *fixtures.Values) (any, bool)
}

// fieldBounds are those that show whether a server keeps to what the document
// states of a field, as far as such values can be made.
func fieldBounds(f *spec.Field) []bound {
	var all []bound
	text := func(n int) func(*fixtures.Values) (any, bool) {
		return func(fake *fixtures.Values) (any, bool) { return fake.Sized(f, n) }
	}
	number := func(v float64, right bool) func(*fixtures.Values) (any, bool) {
		return func(*fixtures.Values) (any, bool) { return spec.Number(v), f.Fits(spec.Number(v)) == right }
	}
	switch {
	case len(f.Schema.Enum) > 0:
	case f.Type == openapi3.TypeString:
		fewest, most := f.Lengths()
		if fewest > 0 {
			all = append(all,
				bound{"minLength", "shortest", fmt.Sprintf("with the fewest characters, %d", fewest), true, text(fewest)},
				bound{"minLength", "too-short", fmt.Sprintf("of %d characters, where %d are the fewest", fewest-1, fewest), false, text(fewest - 1)})
		}
		if most >= 0 {
			all = append(all,
				bound{"maxLength", "longest", fmt.Sprintf("with the most characters, %d", most), true, text(most)},
				bound{"maxLength", "too-long", fmt.Sprintf("of %d characters, where %d are the most", most+1, most), false, text(most + 1)})
		}
		if f.Schema.Pattern != "" {
			all = append(all, bound{
				"pattern", "off-pattern", "that does not match " + f.Schema.Pattern, false,
				func(fake *fixtures.Values) (any, bool) { return offPattern(fake, f) },
			})
		}
	case f.Numbers():
		step := f.Step()
		least, greatest := f.Bounds()
		if least != nil {
			at, below := *least, *least-step
			all = append(all,
				bound{"minimum", "least", fmt.Sprintf("as %v, the least", spec.Number(at)), true, number(at, true)},
				bound{"minimum", "too-small", fmt.Sprintf("as %v, below the least", spec.Number(below)), false, number(below, false)})
		}
		if greatest != nil {
			at, above := *greatest, *greatest+step
			all = append(all,
				bound{"maximum", "greatest", fmt.Sprintf("as %v, the greatest", spec.Number(at)), true, number(at, true)},
				bound{"maximum", "too-large", fmt.Sprintf("as %v, above the greatest", spec.Number(above)), false, number(above, false)})
		}
		if at, ok := noMultiple(f); ok {
			title := fmt.Sprintf("as %v, no multiple of %v", spec.Number(at), step)
			all = append(all, bound{"multipleOf", "no-multiple", title, false, number(at, false)})
		}
	}
	return slices.DeleteFunc(all, func(b bound) bool {
		_, ok := b.value(fixtures.New(0, "bounds"))
		return !ok
	})
}

// noMultiple is a number in the bounds of a field that is no multiple of the one that it has to be.
func noMultiple(f *spec.Field) (float64, bool) {
	step := f.Step()
	v, _ := fixtures.New(0, "step").Value(f, 1)
	n, ok := v.(int)
	at := float64(n + 1)
	if _, greatest := f.Bounds(); greatest != nil && at > *greatest {
		at -= 2
	}
	return at, ok && f.Schema.MultipleOf != nil && step >= 2 && step == float64(int(step))
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
