package specs

import (
	"maps"
	"slices"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// Input that nobody listed: a request of each class of odd_input.go, by the part of it that
// is odd. Only what no conforming server does is judged: 5xx, broken HTTP or JSON, an error
// object off its form, effects of what was refused. Any 4xx is right.
var unlistedInput = Behaviour{Of: EveryOperation, Specs: func(s *Specs, op *spec.Operation) {
	judged := []string{"HTTP-1", "HTTP-2", "JSON-1"}
	if op.Updates() {
		judged = append(judged, "EFFECT-1")
	}
	for _, part := range oddParts {
		classes := part.forOperation(op)
		if len(classes) == 0 {
			continue
		}
		title := "Whatever is odd about the " + part.name + " of a request, the server does not fail, and what is refused changes nothing."
		s.It("fuzz-"+part.name, title, Class("open"), Deep, UnknownIDs, s.OrUnknown(), Clause(judged...),
			func(c *Case) {
				o := object(c)
				if op.Deletes() {
					o = c.Known().UnknownObject(op)
				}
				if op.Updates() && !o.Nowhere() {
					c.Probe(o)
				}
				sent := false
				for _, class := range classes {
					sent = part.try(c, o, class) || sent
				}
				if !sent {
					c.NotTested(ByTarget, "no such request can be sent on the connections that the target takes")
				}
			})
	}
}}

// forOperation are the classes that an operation can be sent.
func (p *oddPart) forOperation(op *spec.Operation) []oddity {
	return slices.DeleteFunc(slices.Clone(p.classes), func(o oddity) bool { return o.of != nil && !o.of(op) })
}

// try sends the request of a class, reads back what was refused, and sets the object anew where
// it is not known what it holds. It says whether the request could be sent.
func (p *oddPart) try(c *Case, o *Object, class oddity) bool {
	named := o
	if class.apart {
		named = c.Known().UnknownObject(o.Op)
	}
	if class.refused && (named.Nowhere() || c.Target.Credentials.Stranger == "") || p.name == "method" && c.Session.Shared.ReadOnly {
		return false
	}
	plain := Wrong(c, named)
	plain.Path = named.Path()
	if !o.Op.Updates() {
		plain.Object = nil // what it shows, or does, is remembered of nothing
	}
	request := p.request(c, class, plain)
	send := class.send
	if send == nil {
		send = sentOnce
	}
	for range 2 { // an answer may be lost by chance, but not twice
		answers := send(c, request, plain)
		for i, a := range answers {
			switch {
			case a.Call == nil: // the target takes no more
				return true
			case class.refused:
				c.Expect(a).To(BeRefused().Citing("AUTH-2"))
			case i > 0 && class.name == "then-ordinary" && !named.Nowhere():
				c.Expect(a).To(BeAccepted())
			default:
				c.Judge(a, p.expect(class, &request))
			}
		}
		if o.Op.Updates() && !named.Nowhere() {
			o.Uncertain = o.Uncertain || len(answers) > 1 // which came last is not known
			settle(c, o)
		}
		err := answers[len(answers)-1].Exchange.Err
		if err != nil && err.Kind == wire.BadRequest {
			return false
		}
		if err == nil || request.Malformed {
			break
		}
	}
	return true
}

// settle reads the object back, and sets it anew where it is not known what it holds.
func settle(c *Case, o *Object) {
	c.VerifyNoTraceOf(o)
	if o.Uncertain {
		c.Write(o, c.Ordinary(o, 1))
	}
}

// large is the size in bytes from which a server may answer before it has read a body, and end
// the connection then.
const large = 16 << 10

// request is a plain one with what is odd about the class.
func (p *oddPart) request(c *Case, class oddity, plain Call) Call {
	r := plain
	r.Method, r.Target = r.Op.Method, r.Op.At(r.Path...)
	r.Sent = &oracle.Sent{At: "request:" + p.name + "/" + class.name, What: class.words}
	if r.Body != nil {
		r.Body = &oracle.Body{Fields: maps.Clone(plain.Body.Fields), Raw: plain.Body.Raw}
	}
	class.change(c, &r)
	r.Malformed = class.malformed || r.Body != nil && len(r.Body.Raw) > large
	return r
}

// expect says which answers to a class are right.
func (p *oddPart) expect(class oddity, r *Call) oracle.Expect {
	return oracle.Expect{
		OnlyCrash: true, Unlisted: true, Statuses: p.right,
		ErrorForm: !p.formless && !class.malformed && r.Method == r.Op.Method,
	}
}

// How the requests of a class are sent.

func sentOnce(c *Case, odd, _ Call) []*judge.Answer { return []*judge.Answer{c.Send(odd)} }

func sentTogether(c *Case, odd, _ Call) []*judge.Answer { return c.SendTogether(odd, odd, odd, odd) }

func sentFirst(c *Case, odd, plain Call) []*judge.Answer { return c.SendInOrder(odd, plain) }
