package specs

import (
	"fmt"
)

// refusedChangesNothing takes down a look at the object after requests that are refused
// with a status: nothing that they sent may show (interface document, Errors: a request
// that fails changes nothing).
func refusedChangesNothing(s *Specs, status int, refuse func(*Case, *Object), decorators ...Decorator) {
	if !s.Op.Updates() {
		return
	}
	title := fmt.Sprintf("What was refused with %d changes nothing.", status)
	body := func(c *Case) {
		o := object(c)
		c.Probe(o)
		refuse(c, o)
		c.VerifyNoTraceOf(o)
		if o.Refused() {
			c.NotTested(ByTarget, unreadable)
		}
	}
	s.It("changes-nothing", title, decorators, Class(status), Clause("EFFECT-1"), body)
}
