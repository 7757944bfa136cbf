package specs

import (
	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
	"github.com/adconform/adconform/suites/oracle"
)

// Interface document, Errors, 422: a body that is no JSON object is badly formatted.
var malformedBodies = Behaviour{Of: Updates, Specs: func(s *Specs, op *spec.Operation) {
	text := func(body string) func(*oracle.Body) string { return func(*oracle.Body) string { return body } }

	s.DescribeTable("A body %s is answered 422.", Class(422), Clause("ERR-3"),
		func(c *Case, of func(valid *oracle.Body) string, changes ...Change) {
			request := Wrong(c, object(c), changes...)
			Text(of(request.Body))(&request)
			c.Expect(c.Send(request)).To(BeRefused(422))
		},
		Entry("body-cut-off", "that is cut off", func(v *oracle.Body) string { return string(v.Raw[:len(v.Raw)-2]) }),
		Entry("body-array", "that is an array", text("[]"), Raw),
		Entry("body-array-of-values", "that is an array of the fields' values", func(v *oracle.Body) string { return valuesOf(op, v) }),
		Entry("body-string", "that is a string", text(`"x"`)),
		Entry("body-number", "that is a number", text("7")),
		Entry("body-null", "that is null", text("null")),
	)

	s.It("body-trailing-text", "A body with text after the object is answered 422, or taken for the object.",
		Class(422), Clause("ERR-3", "OPEN-8", op.Effects["shows"]), Observes("trailing-text"),
		func(c *Case) {
			o := object(c)
			request := Wrong(c, o, Odd)
			request.Body.Raw = append(request.Body.Raw, " x"...)
			a := c.Send(request)
			c.Expect(a).To(BeAccepted().Or(422, 400).Citing("ERR-3"))
			c.Observe("trailing-text", a.Acceptance())
			c.Test.Beyond(a, "status 422 for a body with text after the object", a.StatusText())
			if a.OK {
				c.Read(o)
			}
		})
}}

// valuesOf is an array of the values in the order of the fields, which some libraries
// read as the object.
func valuesOf(op *spec.Operation, body *oracle.Body) string {
	var values []any
	for _, f := range op.Body.Fields {
		values = append(values, body.Fields[f.Name])
	}
	return string(oracle.JSON(values))
}
