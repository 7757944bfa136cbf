package specs

import (
	"strings"

	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// Requests on which the decoders of paths and bodies fail. Any 4xx is right; only a
// server that nobody tried with them fails (RFC 9110).
var undecodable = Behaviour{Of: NamesAnObject, Specs: func(s *Specs, op *spec.Operation) {
	s.It("undecodable-path", "An id with bad percent-encoding is refused, and does not make the server fail.",
		Class("open"), Clause("HTTP-1", "ERR-1"), UnknownIDs,
		func(c *Case) {
			for _, id := range []string{"%zz", "%", "%ff"} {
				request := Wrong(c, object(c), At(len(op.Params)-1, id), NoObject)
				request.Encoded = true
				to := BeRefused().Citing("ERR-1")
				if op.Lists() {
					to.OrEmpty()
				}
				c.Expect(c.Send(request)).To(to)
			}
		})

	if !op.Updates() {
		return
	}
	judged := Clause("HTTP-1", op.Clause, op.Effects["shows"])

	title := "A body that is not of the coding or the character set that its header says is refused, or taken as it is, " +
		"and does not make the server fail."
	s.It("undecodable-body", title, Class("open"), judged, Clause("EFFECT-1"),
		func(c *Case) {
			o := object(c)
			c.VerifyNoTraceOf(o)
			for _, header := range []Change{
				Header("Content-Encoding", "gzip"), // which the body is not
				Header("Content-Encoding", "adconform"),
				Header("Content-Type", "application/json; charset=adconform"),
			} {
				c.Expect(c.Send(Wrong(c, o, header, Odd))).To(BeAccepted().OrRefused())
			}
			c.VerifyNoTraceOf(o)
		})

	s.It("megabyte-body", "A body of more than a megabyte is refused or taken, and does not make the server fail.", Class("open"), judged,
		func(c *Case) {
			request := Wrong(c, object(c), Odd)
			Text("{" + strings.Repeat(" ", megabyte) + string(request.Body.Raw[1:]))(&request)
			c.Expect(c.Send(request)).To(BeAccepted().OrRefused())
		})
}}

// megabyte is more than many servers read of a body.
const megabyte = 1 << 20
