package specs

import (
	"fmt"

	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// The five operations read no single object; one of a vendor's document that does has
// these specs.
var shownObjects = Behaviour{Of: Reads, Specs: func(s *Specs, op *spec.Operation) {
	shown := Clause(op.Effects["identity"], op.Effects["stays"])

	s.It("ordinary", "The owner gets the object of the path, the same each time.",
		Class("success"), Clause(op.Clause, "AUTH-4", "EFFECT-3", op.Effects["repeats"]), shown, Quick,
		func(c *Case) {
			o := object(c)
			first := c.Send(Valid(c, o))
			c.Expect(first).To(BeAccepted())
			for range 2 {
				again := c.Send(Valid(c, o))
				c.Expect(again).To(BeAccepted())
				c.Test.JudgeRepeat(o, first, again)
			}
		})

	s.It("raw", "The answer to a read is one well-framed HTTP message.", Class("success"), Clause("HTTP-2"),
		func(c *Case) { c.Expect(c.Send(Valid(c, object(c), Raw))).To(BeAccepted()) })

	for _, key := range keysOf(s, op)[1:] {
		s.It("of-"+slug(key), "A read of "+key+" shows that object, and no other.",
			Class("success"), Needs("objects."+key), Clause(op.Clause), shown,
			func(c *Case) {
				for _, o := range []*Object{c.Object(op, key), object(c)} { // a cache that looks at less than the path shows
					c.Expect(c.Send(Valid(c, o))).To(BeAccepted())
				}
			})
	}
}}

// readsAfterUpdates: a read shows what an update of the same object set, and nothing of
// what was refused.
var readsAfterUpdates = Behaviour{Of: Reads, Specs: func(s *Specs, op *spec.Operation) {
	for _, update := range s.Contract.Operations {
		if !update.Updates() || !update.SameObjects(op) {
			continue
		}
		s.It("after-"+slug(update.ID), fmt.Sprintf("A read shows what %s set, and nothing of what it refused.", update.ID),
			Class("effects"), Clause(op.Effects["shows"], "EFFECT-1"), Writes,
			func(c *Case) {
				o, updated := object(c), c.Object(update, op.Key())
				read := func() { c.Expect(c.Send(Valid(c, o))).To(BeAccepted()) }
				read() // what to put back
				c.Probe(updated)
				for round := range 2 {
					c.Write(updated, c.Ordinary(updated, round))
					read()
				}
				c.Expect(c.Send(Wrong(c, updated, As(anonymous)))).To(BeRefused(401).Citing("AUTH-1"))
				read()
			})
	}
}}
