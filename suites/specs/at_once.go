package specs

import (
	"slices"

	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// Interface document, Authentication: each request is answered as its own user's. A
// server that keeps the user where all requests find it serves two users well as long
// as one comes after the other on another connection.

// usersInTurn: on one connection the owner, then no key, then the stranger.
var usersInTurn = Behaviour{
	Of: func(op *spec.Operation) bool { return !op.Deletes() }, // which has its own: what is deleted is gone
	Specs: func(s *Specs, op *spec.Operation) {
		title := "After the owner's success the same request without a key gets 401."
		if NamesAnObject(op) {
			title = "After the owner's success the same request without a key gets 401, and a stranger's gets 403."
		}
		s.It("users-in-turn", title, Class("state"), Clause("AUTH-3"),
			func(c *Case) {
				o := object(c)
				for round := range 2 {
					all := usersAfter(c, o, exchange{Valid(c, o), BeAccepted()}, 403)
					if round == 1 {
						all = slices.Delete(all, 1, 2) // the stranger right after the owner
					}
					inTurn(c, all...)
				}
				c.VerifyNoTraceOf(o)
			})
	},
}

// usersAfter are the owner's request, the same without a key, and the stranger's.
func usersAfter(c *Case, o *Object, owner exchange, strangerGets ...int) []exchange {
	all := []exchange{owner, {Wrong(c, o, As(anonymous)), BeRefused(401)}}
	if c.Target.Credentials.Stranger != "" && len(o.IDs) > 0 { // of a list that no id names the stranger has one, too
		all = append(all, exchange{Wrong(c, o, As(c.Stranger())), BeRefused(strangerGets...)})
	}
	return all
}

// updatersAtOnce: a request is sent in two halves, and that of another user between
// them.
var updatersAtOnce = Behaviour{Of: Updates, Specs: func(s *Specs, op *spec.Operation) {
	atOnce(s, func(c *Case) bool {
		o := object(c)
		defer c.VerifyNoTraceOf(o)
		return around(c, owners(c, o), strangers(c, o)) && around(c, strangers(c, o), owners(c, o))
	})
}}

// readersAtOnce: a read has no body to come late, so the stranger's request is complete
// only after the owner's answer; then both come together.
var readersAtOnce = Behaviour{
	Of: func(op *spec.Operation) bool { return (op.Lists() || op.Reads()) && NamesAnObject(op) }, // everyone has a list of their own
	Specs: func(s *Specs, op *spec.Operation) {
		atOnce(s, func(c *Case) bool {
			o := object(c)
			owner, stranger := owners(c, o), strangers(c, o)
			around(c, stranger, owner) // where that cannot be, the two below are together all the same
			together(c, owner, stranger)
			return true
		})
	},
}

// deletersAtOnce: the owner's deletes name an unknown id, and the stranger's a
// disposable, which is lost only where the stranger passes for the owner.
var deletersAtOnce = Behaviour{Of: Deletes, Specs: func(s *Specs, op *spec.Operation) {
	atOnce(s, func(c *Case) bool {
		o := stillThere(c)
		if o == nil {
			c.NotTested(ByOperator, object(c).Name()+" and all others were deleted before")
			return true
		}
		owner := exchange{Wrong(c, o, At(0, c.UnknownID(0)), NoObject), BeRefused(404)}
		stranger := strangers(c, o)
		around(c, stranger, owner)
		together(c, owner, stranger)
		together(c, owner, exchange{Wrong(c, o, As(anonymous)), BeRefused(401)}) // where the owner passes for somebody else it shows
		return true
	})
}}

// atOnce takes down a case of two users at once; send says whether one was answered
// while the other was under way.
func atOnce(s *Specs, send func(*Case) bool) {
	s.It("users-at-once", "Of two users' requests that are under way at once each is answered as its own.",
		Class("state"), Needs("credentials.stranger"), Clause("AUTH-3"),
		func(c *Case) {
			if !send(c) {
				c.NotTested(ByTarget, "the target does not answer a request while half of another is there")
			}
		})
}

func owners(c *Case, o *Object) exchange { return exchange{Valid(c, o), BeAccepted().Citing("AUTH-3")} }

// strangers may get 404, too: 404 in place of 403 is another clause's.
func strangers(c *Case, o *Object) exchange {
	return exchange{Wrong(c, o, As(c.Stranger())), BeRefused(403, 404)}
}

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
