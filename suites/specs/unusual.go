package specs

import (
	"net/http"

	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// Requests that no client of the interface sends: other methods, a query that nobody
// knows, an Accept that cannot be met. How they are answered is open, but a server that
// fails on them was not written for what strangers send. Methods go to
// unknown ids, as it is not known what they would do.
var unusual = Behaviour{Of: EveryOperation, Specs: func(s *Specs, op *spec.Operation) {
	s.It("unusual", "A method, query or header that nobody expects does not make the server fail.", Class("open"), Clause("HTTP-1"), Deep,
		func(c *Case) {
			o := object(c)
			nowhere := c.Known().UnknownObject(op).Path()
			for _, method := range []string{http.MethodTrace, http.MethodPost} {
				c.Expect(c.Send(Call{Op: op, Method: method, Path: nowhere, As: c.Owner()})).To(BeAnswered())
			}
			for _, odd := range []Change{Query("adconformUnknown", "1"), Header("Accept", "text/html"), Header("Accept", "image/png")} {
				request, expected := Valid(c, o, odd), BeAnswered() // with HTML, where that is accepted
				switch {
				case op.Deletes():
					request = Wrong(c, o, odd, NoObject)
					request.Path = nowhere
				case op.Updates() && request.Header.Get("Accept") == "":
					expected = BeAccepted().OrAny()
				}
				c.Expect(c.Send(request)).To(expected)
			}
			if op.Updates() {
				c.Write(o, c.Ordinary(o, 1))
			}
		})
}}
