package specs

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
)

// Interface document, "not shown": bodies that may or may not be accepted. A value that is
// accepted must come back as it was sent.
func openBodies(s *Specs, op *spec.Operation) {
	takenOrRefused(s, "", "empty-body", "empty-body", "A request without a body is accepted or refused.",
		func(*Case) Change { return NoBody }, 411, 415)
	takenOrRefused(s, "", "unknown-field", "unknown-fields", "A field that the document does not know is ignored or refused.",
		func(c *Case) Change {
			return func(call *Call) { // among them whom an object belongs to, and what it is a part of
				if op.Representation().Field("userId") == nil { // see readOnly
					call.Body.Fields["userId"] = unknownNumber
				}
				for _, param := range op.Params[:len(op.Params)-1] {
					call.Body.Fields[param.Name] = unknownNumber
				}
				Set("adconformUnknown", unique(c)).Called("fields that the document does not know")(call)
			}
		})
	takenOrRefused(s, "", "read-only-fields", "read-only-fields",
		"Fields that cannot be changed are ignored or refused, and do not change.",
		func(c *Case) Change { // the id is that of another object, which a server may update in place of this one
			id := c.UnknownID(5)
			if other := c.Object(op, spec.Other(op.Key())); other != nil && other.MayWrite() {
				id = fmt.Sprint(other.ID())
			}
			return readOnly(op, id)
		})
	takenOrRefused(s, "", "other-media-type", "media-type", "A body of another media type is refused or read as JSON.",
		// or not read at all, like a request without a body
		func(*Case) Change {
			return func(call *Call) { Loose(call); Header("Content-Type", "text/plain")(call) }
		}, 415)
	for _, f := range op.Body.Fields {
		null := "null-fields"
		if f.Optional {
			null = "null-optional"
		}
		takenOrRefused(s, f.Name, "null", null, fmt.Sprintf("null for %s is accepted or refused.", f.Name),
			func(*Case) Change { return Set(f.Name, nil) })
		if !isFreeText(f) {
			continue
		}
		text := func(name, point, title, words, text string) {
			takenOrRefused(s, f.Name, name, point, title, func(c *Case) Change {
				return func(call *Call) {
					call.Loose = point == "blank-text"
					Set(f.Name, withToken(text, unique(c))).Called(words)(call)
				}
			})
		}
		text("empty", "blank-text", "An empty "+f.Name+" is accepted or refused.", "an empty text", "")
		text("blank", "blank-text", "A "+f.Name+" of spaces is accepted or refused.", "a text of spaces", "   ")
		switch {
		case f.Hostname:
			text("invalid", "hostname-syntax", "A bad hostname is accepted or refused.", noHostname, "-not a host-TOKEN-")
		case f.Regex:
			text("invalid", "regex-syntax", "An invalid expression is accepted or refused.", noExpression, "([TOKEN")
		default:
			text("padded", "trimming", "A text with spaces around and in it is accepted as it is, trimmed, folded or refused.",
				"a text with spaces around it", "  a  TOKEN ")
			text("decomposed", "trimming", "A text that is not normalised is accepted as it is, normalised or refused.",
				"a text that is not normalised", "e\u0301 TOKEN")
		}
	}
}

// takenOrRefused registers a request at one open point, about a field or none, and records the
// choice. also lists the statuses of a refusal besides 422 and 400.
func takenOrRefused(s *Specs, field, name, point, title string, change func(c *Case) Change, also ...int) {
	more := point == "unknown-fields" || point == "read-only-fields" // fields that a body may not have by the document
	s.Case("open/"+wording.Slug(field, name), title, Options{Observes(point, field), Clause("ERR-4"), optionIf(more, Clause("ERR-10"))},
		func(c *Case, o *Object) {
			request := Request(c, o)
			change(c)(&request)
			a := send(c, request, BeAccepted().Or(422, 400).Or(also...).Citing("ERR-4"))
			c.Observe(point, a.Acceptance())
			if a.Status == 422 && more { // it names a field that was sent, or the body as a whole
				c.Test.JudgeNoneElse(append(slices.Sorted(maps.Keys(request.Body.Fields)), "body"), a)
			}
			if a.OK && slices.Contains([]string{"null-fields", "null-optional", "trimming", "hostname-syntax", "regex-syntax"}, point) {
				c.Read(o) // does it hold the accepted value?
			}
		})
}

// unknownNumber is given to fields that refer to another object.
const unknownNumber = 1999999999

// readOnly sets the fields that no request can change.
func readOnly(op *spec.Operation, id string) Change {
	return func(call *Call) {
		set := func(f *spec.Field, v any) { Set(f.Name, v).Called("a field that cannot be changed")(call) }
		for _, f := range op.Representation().Fields {
			switch {
			case f.Meaning == "id":
				set(f, json.Number(id))
			case f.Stays && f.Date:
				set(f, "2001-02-03T04:05:06Z")
			case f.Stays && f.Type == "integer":
				set(f, unknownNumber)
			case f.Stays:
				set(f, "adconform")
			}
		}
	}
}

// Interface document, "not shown": whether two objects may have the same name. If not, the
// name is a wrong field (Errors, 422) that an issue names, or a conflict (409).
func takenNames(s *Specs, op *spec.Operation) {
	if len(fieldsWhere(op, isFreeText)) == 0 {
		return
	}
	f := fieldsWhere(op, isFreeText)[0]
	title := "A " + f.Name + " that another object has is accepted and shown, or refused with 422 and an issue that names it."
	options := Options{
		writesOther(op), Observes("name-uniqueness", f.Name), Clause("ERR-4", "ERR-10", op.Effects["shows"], op.Effects["persists"]),
	}
	sibling := func(c *judge.Case) { c.WritesToo = append(c.WritesToo, judge.OwnKey(spec.Sibling(op.Key()))) }
	s.Case("open/"+wording.Slug(f.Name)+"-taken", title, append(options, sibling), func(c *Case, o *Object) {
		other := c.Object(op, spec.Other(op.Key()))
		if sibling := c.Object(op, spec.Sibling(op.Key())); sibling != nil && sibling.MayWrite() {
			other = sibling // a name may have to be unique under its parent only
		}
		if !other.Changed() { // a text of the run that nothing else holds
			skipUnless(c, other.MayWrite(), judge.ByOperator, other.NotWritten())
			c.VerifyNoTraceOf(other)
			c.Write(other, c.Ordinary(other, 0))
		}
		taken, known := other.Last(f.Name)
		skipUnless(c, known && taken != nil, judge.ByTarget, "the target does not show what another object holds")
		a := send(c, Request(c, o, Set(f.Name, taken)), BeAccepted().Or(422, 409).Naming(f.Name).Citing("ERR-4"))
		c.Observe("name-uniqueness", a.Acceptance())
		if a.OK {
			c.Read(o)
			c.Read(other) // it keeps its name
		}
	})
}

// Requests that decoders of paths and bodies reject. Any 4xx is right; only a server that
// was never tested with them answers 5xx (RFC 9110).
func undecodable(s *Specs, op *spec.Operation) {
	if len(op.Params) == 0 {
		return
	}
	encoded := func(call *Call) { call.Encoded = true }
	s.Case("open/undecodable-path", "An id with bad percent-encoding is refused, and does not make the server fail.",
		Options{Clause("HTTP-1", "ERR-1")},
		func(c *Case, o *Object) {
			bad := []string{"%zz", "%"}[slices.Index(s.Contract.Operations, op)%2]
			for _, id := range []string{bad, "%ff"} {
				to := BeRefused().Citing("ERR-1")
				if op.Lists() {
					to.OrEmpty()
				}
				c.Expect(c.Send(Request(c, o, At(len(op.Params)-1, id).Called(malformed), NoObject, encoded))).To(to)
			}
		})
	if !op.Updates() {
		return
	}
	const megabyte = 1 << 20 // more than many servers read
	large := func(call *Call) { Text("{" + strings.Repeat(" ", megabyte) + string(call.Body.Raw[1:]))(call) }
	Table(s, "open", "A body %s is refused, or accepted as it is, and does not make the server fail.",
		Options{Clause("HTTP-1", op.Clause, op.Effects["shows"], "EFFECT-1")}, []Row[[]Change]{
			{"undecodable-body", "that does not have the encoding or character set in its header", []Change{
				Header("Content-Encoding", "gzip"), // the body is not gzip
				Header("Content-Encoding", "adconform"),
				Header("Content-Type", "application/json; charset=adconform"),
			}, nil},
			{"megabyte-body", "of more than a megabyte", []Change{Change(large).Called("a body of more than a megabyte")}, nil},
		}, func(c *Case, o *Object, row Row[[]Change]) {
			for _, change := range row.Sends {
				c.Expect(c.Send(Request(c, o, change))).To(BeAccepted().OrRefused())
			}
			c.VerifyNoTraceOf(o)
		})
}
