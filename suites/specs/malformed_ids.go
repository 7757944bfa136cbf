package specs

import (
	"fmt"
	"strings"

	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// An id that is no positive 63-bit integer names nothing. With which error it is
// refused is open.
var malformedIDs = Behaviour{Of: NamesAnObject, Specs: func(s *Specs, op *spec.Operation) {
	for i, param := range op.Params {
		entry := func(name string, args ...any) TableEntry {
			return Entry(name+"-"+noun(param), param.Name+" with "+strings.ReplaceAll(name, "-", " "), args...)
		}
		is := func(id string) func(int64) string { return func(int64) string { return id } }

		s.DescribeTable("%s is answered 400, 404 or 422.", Class("open"), Observes("malformed-id"), Clause("ERR-1"), UnknownIDs, s.FirstID(i),
			func(c *Case, id func(int64) string) {
				o := object(c)
				request := Wrong(c, o, At(i, id(o.IDs[i])))
				if !op.Deletes() {
					request.Object = nil
				}
				to := BeRefused(404, 422, 400)
				if op.Lists() {
					to.OrEmpty()
				}
				a := c.Send(request)
				c.Expect(a).To(to)
				c.Observe("malformed-id", a.Choice())
			},
			entry("letters", is("abc")),
			entry("trailing-letters", func(id int64) string { return fmt.Sprint(id) + "abc" }),
			entry("zero", is("0")),
			entry("negative", is("-1")),
			entry("wrapped-32-bit", func(id int64) string { return fmt.Sprint(id + 1<<32) }),
			entry("beyond-63-bit", is("9223372036854775808")),
		)
	}
}}
