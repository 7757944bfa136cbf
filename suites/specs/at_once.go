package specs

import (
	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// Interface document, operations 1 to 3: updates that reach the target at the same time
// are each made, and each shows its own object.
var twoUpdatesAtOnce = Behaviour{Of: Updates, Specs: func(s *Specs, op *spec.Operation) {
	s.It("two-at-once", "Two objects that are updated at the same time each show their own values.",
		Class("state"), needsOther(op), Clause(shown(op)...), Clause(op.Clause),
		func(c *Case) {
			o, other := object(c), c.Object(op, otherKey(op))
			c.Probe(o)
			c.VerifyNoTraceOf(o)
			c.Read(other) // what to put back
			if !other.MayWrite() {
				c.NotTested(ByOperator, other.NotWritten())
				return
			}
			for range 2 {
				together(c, exchange{Valid(c, o), BeAccepted()}, exchange{Valid(c, other), BeAccepted()})
			}
			c.Read(o)
			c.Read(other)
		})

	if len(op.Body.Fields) < 2 || op.Replaces() {
		return
	}
	title := "Two writers on different fields of one object both get their way, where omitted fields are kept."
	s.It("two-writers", title, Class("state"), Clause("OPEN-7"), Observes("concurrent-writers"),
		func(c *Case) {
			o := object(c)
			c.Probe(o)
			c.VerifyNoTraceOf(o)
			c.Write(o, c.Ordinary(o, 0))
			c.TwoWriters(o)
		})
}}

// Interface document, operation 5: two lists at the same time each show their own items.
var twoListsAtOnce = Behaviour{Of: Lists, Specs: func(s *Specs, op *spec.Operation) {
	if largest(op) == "" {
		return
	}
	s.It("two-at-once", "Two lists that are read at the same time each show their own items.",
		Class("state"), Needs("objects."+largest(op)), Clause(op.Effects["members"], op.Effects["repeats"]),
		func(c *Case) { readTogether(c, op) })
}}

// The same for reads of single objects.
var twoReadsAtOnce = Behaviour{Of: Reads, Specs: func(s *Specs, op *spec.Operation) {
	s.It("two-at-once", "Two objects that are read at the same time each show themselves.",
		Class("state"), Needs("objects."+largest(op)), Clause(op.Clause, op.Effects["identity"]),
		func(c *Case) {
			for range 2 {
				readTogether(c, op)
			}
		})
}}

// readTogether reads the operation's object and the largest beside it.
func readTogether(c *Case, op *spec.Operation) {
	o, other := object(c), c.Object(op, largest(op))
	together(c, exchange{Valid(c, o), BeAccepted()}, exchange{Valid(c, other), BeAccepted()})
}
