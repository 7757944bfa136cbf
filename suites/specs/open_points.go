package specs

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
	"github.com/adconform/adconform/suites/oracle"
)

// Interface document, "not shown": bodies of which it does not say whether they are
// taken. What is taken is held to its word: it comes back as it was sent.
var openBodies = Behaviour{Of: Updates, Specs: func(s *Specs, op *spec.Operation) {
	takenOrRefused(s, "", "empty-body", "empty-body", "A request without a body is taken or refused.",
		func(*Case) Change { return NoBody }, 411, 415)
	takenOrRefused(s, "", "unknown-field", "unknown-fields", "A field that the document does not know is ignored or refused.",
		func(c *Case) Change { return Set("adconformUnknown", unique(c)) })
	takenOrRefused(s, "", "read-only-fields", "read-only-fields", "Fields that cannot be changed are ignored or refused, and do not change.",
		func(c *Case) Change { return readOnly(op, c.UnknownID(5)) })
	takenOrRefused(s, "", "other-media-type", "media-type", "A body of another media type is refused or read as JSON.",
		func(*Case) Change {
			return func(call *Call) {
				call.Loose = true // or not read at all, as a request without a body
				Header("Content-Type", "text/plain")(call)
			}
		}, 415)
	for _, f := range op.Body.Fields {
		takenOrRefused(s, f.Name, "null", "null-fields", fmt.Sprintf("null for %s is taken or refused.", f.Name),
			func(*Case) Change { return Set(f.Name, nil) })
		if f.Type == "string" && len(f.Enum) == 0 {
			openTexts(s, f)
		}
	}
}}

// openTexts takes down texts for a field that may be refused.
func openTexts(s *Specs, f *spec.Field) {
	text := func(name, point, title string, value func(unique string) string) {
		takenOrRefused(s, f.Name, name, point, title, func(c *Case) Change { return Set(f.Name, value(unique(c))) })
	}
	blank := func(name, title, value string) {
		takenOrRefused(s, f.Name, name, "blank-text", title, func(*Case) Change {
			return func(call *Call) {
				call.Loose = true
				Set(f.Name, value)(call)
			}
		})
	}
	blank("empty", fmt.Sprintf("An empty %s is taken or refused.", f.Name), "")
	blank("blank", fmt.Sprintf("A %s of spaces is taken or refused.", f.Name), "   ")
	switch {
	case f.Hostname:
		text("invalid", "hostname-syntax", "An invalid hostname is taken or refused.",
			func(unique string) string { return "-not a host-" + unique + "-" })
	case f.Regex:
		text("invalid", "regex-syntax", "An invalid expression is taken or refused.",
			func(unique string) string { return "([" + unique })
	default:
		text("padded", "trimming", "A text with spaces around and in it is taken as it is, trimmed, folded or refused.",
			func(unique string) string { return "  a  " + unique + " " })
		text("decomposed", "trimming", "A text that is not normalised is taken as it is, normalised or refused.",
			func(unique string) string { return "e\u0301 " + unique })
	}
}

// reread are the open points after which the object is read back, to see whether it
// holds what was taken.
var reread = []string{"null-fields", "trimming", "hostname-syntax", "regex-syntax"}

// moreFields are the open points about fields that the document does not let a body have.
var moreFields = []string{"unknown-fields", "read-only-fields"}

// takenOrRefused takes down a request with one open point, perhaps about a field of the
// body, and notes what becomes of it.
func takenOrRefused(s *Specs, field, name, point, title string, change func(*Case) Change, also ...int) {
	if field != "" {
		name = slug(field) + "-" + name
	}
	clauses := Clause("ERR-4")
	if slices.Contains(moreFields, point) {
		clauses = Clause("ERR-4", "ERR-10")
	}
	s.It(name, title, Class("open"), Observes(point, field), clauses,
		func(c *Case) {
			o := object(c)
			request := Valid(c, o)
			change(c)(&request)
			a := c.Send(request)
			c.Expect(a).To(BeAccepted().Or(422, 400).Or(also...).Citing("ERR-4"))
			c.Observe(point, a.Acceptance())
			if a.Status == 422 && slices.Contains(moreFields, point) { // it names one that was sent, or the body as a whole
				c.Test.JudgeNoneElse(append(slices.Sorted(maps.Keys(request.Body.Fields)), "body"), a)
			}
			if a.OK && slices.Contains(reread, point) {
				c.Read(o)
			}
		})
}

// NoBody sends none.
func NoBody(call *Call) { call.Body = &oracle.Body{Raw: []byte{}, Fields: map[string]any{}} }

// readOnly sets the fields that no request can change.
func readOnly(op *spec.Operation, id string) Change {
	return func(call *Call) {
		for _, f := range op.Representation().Fields {
			switch {
			case f.Meaning == "id":
				Set(f.Name, json(id))(call)
			case f.Stays && f.Date:
				Set(f.Name, "2001-02-03T04:05:06Z")(call)
			case f.Stays && f.Type == "integer":
				Set(f.Name, 1999999999)(call)
			case f.Stays:
				Set(f.Name, "adconform")(call)
			}
		}
	}
}

// json is a value that encodes as it is written.
type json string

// MarshalJSON implements json.Marshaler.
func (j json) MarshalJSON() ([]byte, error) { return []byte(j), nil }

// Interface document, "not shown": whether two objects may have the same name. Where they
// may not, the name is a wrong field (Errors, 422), and an issue names it, or in conflict (409).
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
			c.Expect(a).To(BeAccepted().Or(422, 409).Naming(f.Name).Citing("ERR-4"))
			c.Observe("name-uniqueness", a.Acceptance())
			if a.OK {
				c.Read(o)
				c.Read(other) // it keeps its name
			}
		})
}}

// Requests on which the decoders of paths and bodies fail. Any 4xx is right; only a
// server that nobody tried with them fails (RFC 9110).
var undecodable = Behaviour{Of: NamesAnObject, Specs: func(s *Specs, op *spec.Operation) {
	s.It("undecodable-path", "An id with bad percent-encoding is refused, and does not make the server fail.",
		Class("open"), Clause("HTTP-1", "ERR-1"),
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
