package specs

import (
	"fmt"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
)

// Interface document, Errors, 404: an object that does not exist is answered 404, in
// whichever position of the path its id stands. What a list answers is open.
var notFound = Behaviour{
	Of: func(op *spec.Operation) bool { return NamesAnObject(op) && op.Open["missing"] == "" },
	Specs: func(s *Specs, op *spec.Operation) {
		last := len(op.Params) - 1
		for i, param := range op.Params {
			spec := func(n int) {
				s.It(fmt.Sprintf("unknown-%s-%d", noun(param), n), fmt.Sprintf("A path with an unknown %s is answered 404.", param.Name),
					Class(404), Clause(unknownID(op, i)), s.FirstID(i), quickIf(n == 1 && i == last),
					func(c *Case) {
						request := Wrong(c, object(c), At(i, c.UnknownID(0))) // the second time too: a 404 must not create it
						request.Raw = n == 2
						if i == last {
							request.Object = nil // it names no object of ours
						}
						c.Expect(c.Send(request)).To(BeRefused(404))
					})
			}
			spec(1)
			if i == last && op.Updates() {
				spec(2)
			}
		}
		if last > 0 {
			wrongParents(s, op)
			mixedOwners(s, op)
		}
		refusedChangesNothing(s, 404, func(c *Case, o *Object) {
			c.Expect(c.Send(Wrong(c, o, At(0, c.UnknownID(3))))).To(BeRefused(404).Citing(unknownID(op, 0)))
		})
	},
}

// unknownID is the clause of an id in this position: of the object, or of a parent.
func unknownID(op *spec.Operation, position int) string {
	if position == len(op.Params)-1 {
		return "ERR-1"
	}
	return "ERR-2"
}

// wrongParents takes down paths whose ids exist and do not belong together.
func wrongParents(s *Specs, op *spec.Operation) {
	for i, param := range op.Params {
		other := spec.Other(param.Object)
		s.It("wrong-"+noun(param), fmt.Sprintf("A path whose %s belongs elsewhere is answered 404.", param.Name),
			Class(404), Needs("objects."+other), Clause("ERR-2"),
			func(c *Case) {
				request := Wrong(c, object(c), At(i, fmt.Sprint(c.Known().Lookup(other))))
				if i == len(op.Params)-1 {
					request.Object = c.Object(op, other)
				}
				c.Expect(c.Send(request)).To(BeRefused(404))
			})
	}
}

// mixedOwners takes down every path that mixes own and foreign ids: 403 or 404, as it
// has two faults.
func mixedOwners(s *Specs, op *spec.Operation) {
	last := len(op.Params) - 1
	for bits := 1; bits < 1<<len(op.Params)-1; bits++ {
		var names, keys []string
		for i, param := range op.Params {
			if bits&(1<<i) != 0 {
				names = append(names, noun(param))
				keys = append(keys, judge.Foreign(param.Object))
			}
		}
		title := fmt.Sprintf("A path that mixes own ids with a foreign %s is answered 403 or 404.", strings.Join(names, " and "))
		s.It("foreign-"+strings.Join(names, "-"), title,
			Class(404), Needs(keys...), Needs("credentials.stranger"), Clause("ERR-2"), Observes("mixed-owners"),
			func(c *Case) {
				request := Wrong(c, object(c))
				for i, param := range op.Params {
					if bits&(1<<i) != 0 {
						At(i, fmt.Sprint(c.Known().Lookup(judge.Foreign(param.Object))))(&request)
					}
				}
				if bits&(1<<last) != 0 {
					request.Object = foreign(c, op)
				}
				a := c.Send(request)
				c.Expect(a).To(BeRefused(403, 404))
				c.Observe("mixed-owners", a.Choice())
			})
	}
}

// An id that is no positive 63-bit integer names nothing. With which error it is
// refused is open.
var malformedIDs = Behaviour{Of: NamesAnObject, Specs: func(s *Specs, op *spec.Operation) {
	for i, param := range op.Params {
		entry := func(name string, args ...any) TableEntry {
			probe := name
			if i < len(op.Params)-1 {
				probe += " for a " + noun(param)
			}
			return Entry(name+"-"+noun(param), param.Name+" with "+strings.ReplaceAll(name, "-", " "), append(args, Comparing(probe))...)
		}
		is := func(id string) func(int64) string { return func(int64) string { return id } }

		s.DescribeTable("%s is answered 400, 404 or 422.", Class("open"), Observes("malformed-id"), Clause("ERR-1"), s.FirstID(i),
			func(c *Case, id func(int64) string) {
				a := sendMalformed(c, i, id(object(c).IDs[i]))
				c.Observe("malformed-id", a.Choice())
			},
			entry("letters", is("abc")),
			entry("trailing-letters", func(id int64) string { return fmt.Sprint(id) + "abc" }),
			entry("zero", is("0")),
			entry("negative", is("-1")),
			entry("beyond-63-bit", is("9223372036854775808")),
		)

		wrapped := param.Name + " with wrapped 32 bit is answered 400, 404 or 422."
		s.It("wrapped-32-bit-"+noun(param), wrapped, Class("open"), Clause("ERR-1"), s.FirstID(i), // it may be an id that is unknown
			func(c *Case) { sendMalformed(c, i, fmt.Sprint(object(c).IDs[i]+1<<32)) })
	}

	last := len(op.Params) - 1
	s.It("huge-"+noun(op.Params[last]), "An id at which an integer ends is answered 400, 404 or 422.",
		Class("open"), Clause("ERR-1"), s.FirstID(last), Deep,
		func(c *Case) {
			for _, id := range []string{"2147483648", "4294967295", "4294967296", "9223372036854775807", "99999999999999999999"} {
				sendMalformed(c, last, id)
			}
		})
}}

// sendMalformed asks for an id that names nothing, or, of a list, nothing with items.
func sendMalformed(c *Case, position int, id string) *judge.Answer {
	request := Wrong(c, object(c), At(position, id))
	if !request.Op.Deletes() {
		request.Object = nil
	}
	to := BeRefused(404, 422, 400)
	if request.Op.Lists() {
		to.OrEmpty()
	}
	if request.Op.Open["missing"] != "" { // what does not exist may be forbidden
		to.Or(403)
	}
	a := c.Send(request)
	c.Expect(a).To(to)
	return a
}
