package specs

import (
	"slices"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
)

// Which fields are required is open, and so is what becomes of the others: they keep
// their value or get a fixed default.
var partialBodies = Behaviour{
	Of: func(op *spec.Operation) bool { return op.Updates() && !op.Replaces() }, // a PUT takes all fields
	Specs: func(s *Specs, op *spec.Operation) {
		s.It("empty-object", "{} is taken or refused.", Class("open"), Observes("empty-object"), Clause(op.Effects["persists"], "ERR-4"),
			func(c *Case) {
				c.VerifyNoTraceOf(object(c))
				c.Observe("empty-object", sendPart(c, object(c), nil, Fresh(c, object(c))).Acceptance())
			})

		if len(op.Body.Fields) < 2 {
			return
		}
		title := "A body with some of the fields is taken or refused; what it leaves out keeps its value or gets a fixed default."
		s.It("partial-bodies", title, Class("open"), Observes("required-fields"), Clause(shown(op)...),
			Clause(op.Effects["persists"], "ERR-4", "ERR-10"),
			func(c *Case) {
				c.Probe(object(c))
				taken, refused, wanting := 0, 0, false // wanting: taken without a field that is not optional
				for _, subset := range subsets(op.Body.Fields) {
					a := sendPart(c, object(c), subset, Fresh(c, object(c)))
					if len(subset) == len(op.Body.Fields)-1 && a.Status == 422 { // what is missing, or goes with it
						c.Test.JudgeNoneElse(append(fieldNames(op), "body"), a)
					}
					switch {
					case a.OK:
						taken++
						wanting = wanting || slices.ContainsFunc(op.Body.Fields, func(f *spec.Field) bool {
							return !f.Optional && !slices.Contains(subset, f)
						})
					case a.Acceptance() != "":
						refused++
					}
				}
				switch {
				case taken+refused == 0: // it is not there, or nothing is answered
				case refused == 0:
					c.Observe("required-fields", "none")
				case taken == 0, !wanting: // but for those that the document calls optional
					c.Observe("required-fields", "all")
				default:
					c.Observe("required-fields", "some")
				}
			})
	},
}

// subsets are those of fields that have one at least and not all.
func subsets(fields []*spec.Field) [][]*spec.Field {
	var all [][]*spec.Field
	for bits := 1; bits < 1<<len(fields)-1; bits++ {
		var subset []*spec.Field
		for i, f := range fields {
			if bits&(1<<i) != 0 {
				subset = append(subset, f)
			}
		}
		all = append(all, subset)
	}
	return all
}

// sendPart sends those of the values that belong to the subset.
func sendPart(c *Case, o *Object, subset []*spec.Field, values map[string]any) *judge.Answer {
	body := map[string]any{}
	for _, f := range subset {
		body[f.Name] = values[f.Name]
	}
	a := c.Send(Plain(c, o, body, Part))
	c.Expect(a).To(BeAccepted().Or(422, 400).Citing("ERR-4"))
	return a
}
