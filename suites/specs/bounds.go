package specs

import (
	"cmp"
	"fmt"

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
