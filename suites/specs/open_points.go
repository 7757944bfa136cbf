package specs

import (
	"fmt"
	"maps"
	"slices"

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
