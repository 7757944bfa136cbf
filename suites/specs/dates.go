package specs

import (
	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// Interface document, date of update: it is the date of the update that was made last. A server
// that keeps one date, such as that of its start, shows a right one for as long as a run takes.
var datesMove = Behaviour{
	Of: func(op *spec.Operation) bool { return op.Updates() && op.Effects["updatedAt"] != "" },
	Specs: func(s *Specs, op *spec.Operation) {
		move := func(name, title string, patient bool, depth ...Decorator) {
			s.It(name, title, depth, Class("effects"), Clause(op.Effects["updatedAt"], op.Effects["stays"]), func(c *Case) {
				o := settled(c)
				for again := true; again; {
					a := c.Send(Valid(c, o))
					c.Expect(a).To(BeAccepted())
					wait := c.Test.StandsStill(o, a, patient)
					again = a.Expected && wait > 0 && c.Pause(wait)
				}
			})
		}
		move("dated", "updatedAt is the date of the last update, not of one before it.", false)
		move("dated-later", "updatedAt moves with an update a second later.", true, Deep)
	},
}
