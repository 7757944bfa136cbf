package specs

import (
	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// Interface document, "not shown": whether two objects may have the same name. Where they
// may not, the name is a wrong field (Errors, 422), and an issue names it.
var takenNames = Behaviour{Of: Updates, Specs: func(s *Specs, op *spec.Operation) {
	if len(freeTexts(op)) == 0 {
		return
	}
	f := freeTexts(op)[0]
	title := "A " + f.Name + " that another object has is taken and shown, or refused with 422 and an issue that names it."
	s.It(slug(f.Name)+"-taken", title, Class("open"), needsOther(op), Observes("name-uniqueness", f.Name),
		Clause("ERR-4", "ERR-10", op.Effects["shows"], op.Effects["persists"]),
		func(c *Case) {
			o, other := object(c), c.Object(op, otherKey(op))
			if !other.Changed { // a text of the run, which nothing else holds
				if !other.MayWrite() {
					c.NotTested(ByOperator, other.NotWritten())
					return
				}
				c.Write(other, c.Ordinary(other, 0))
			}
			taken, known := other.Last(f.Name)
			if !known || taken == nil {
				c.NotTested(ByTarget, "the target does not show what another object holds")
				return
			}
			a := c.Send(Valid(c, o, Set(f.Name, taken)))
			c.Expect(a).To(BeAccepted().Or(422).Naming(f.Name).Citing("ERR-4"))
			c.Observe("name-uniqueness", a.Acceptance())
			if a.OK {
				c.Read(o)
				c.Read(other) // it keeps its name
			}
		})
}}
