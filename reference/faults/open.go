package faults

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// openFaults break what nobody but the target itself settles: clauses of basis
// chosen, which give a notice, and open points that the target file pins.
func openFaults(c *spec.Contract) []Fault {
	fault := func(id, clause, sentence string, b func() behaviour) Fault {
		return Fault{ID: "open/" + id, Clause: clause, Sentence: sentence + ".", Wrap: fresh(b)}
	}
	answering := func(change func(a *answer) *answer) func() behaviour {
		return func() behaviour { return func(x *exchange) *answer { return change(x.forward()) } }
	}
	trimmed := fault("trimmed", "OPEN-6", "Texts are trimmed", func() behaviour { return (*exchange).forwardTouched })
	trimmed.Choices = func(c *reference.Choices) { c.TrimNames = true }
	beyond := fault("trailing-text", "OPEN-8", "Text after the object of a body is let pass", func() behaviour { return (*exchange).forwardTouched })
	beyond.Choices = func(c *reference.Choices) { c.TrailingText = reference.Ignore }
	coerced := fault("scalars-taken", "OPEN-8", "Numbers and booleans for a text are taken", func() behaviour { return (*exchange).forwardTouched })
	coerced.Choices = func(c *reference.Choices) { c.ScalarCoercion = reference.Accept }
	all := []Fault{
		trimmed, beyond, coerced,
		fault("malformed-ids-differ", "OPEN-1", "A malformed id is answered 404, and 422 where campaigns are updated", func() behaviour {
			return on(campaignUpdate, func(x *exchange) *answer {
				a := x.forward()
				if a.status == http.StatusNotFound && strings.Trim(x.lastID(), "0123456789") != "" {
					return refusal(http.StatusUnprocessableEntity)
				}
				return a
			})
		}),
		fault("dates-of-two-forms", "OPEN-2", "createdAt is a day, updatedAt a moment", answering(func(a *answer) *answer {
			return a.shown(func(data map[string]any) {
				if s, ok := data["createdAt"].(string); ok {
					data["createdAt"], _, _ = strings.Cut(s, "T")
				}
			})
		})),
		fault("dates-as-numbers", "OPEN-9", "updatedAt is a number of seconds", answering(func(a *answer) *answer {
			return a.shown(func(data map[string]any) {
				if s, ok := data["updatedAt"].(string); ok {
					if t, err := time.Parse(time.RFC3339, s); err == nil {
						data["updatedAt"] = t.Unix()
					}
				}
			})
		})),
		fault("no-content-type", "OPEN-3", "Answers have no Content-Type", answering(func(a *answer) *answer {
			a.header["Content-Type"] = nil
			return a
		})),
		fault("204-length-0", "OPEN-4", "A 204 has Content-Length: 0", answering(func(a *answer) *answer {
			if a.status == http.StatusNoContent {
				a.raw = []byte("HTTP/1.1 204 No Content\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
			}
			return a
		})),
		fault("integers-with-fraction", "OPEN-5", "Integers are written as 12.0", answering(func(a *answer) *answer {
			return a.shown(func(data map[string]any) {
				for name, v := range data {
					if n, ok := v.(json.Number); ok {
						data[name] = json.Number(n.String() + ".0")
					}
				}
			})
		})),
		lostWriter(c.Operation(profileUpdate)), lostWriter(c.Operation(hostUpdate)),
	}
	for key, p := range pinned {
		f := fault("pinned-"+key, "PIN-1", "The target file pins "+key+" otherwise", func() behaviour { return (*exchange).forwardTouched })
		f.Choices, f.Pins = p.choices, map[string]any{key: p.pin}
		all = append(all, f)
	}
	return all
}

// forwardTouched counts as a change: the choices of the reference make it.
func (x *exchange) forwardTouched() *answer {
	a := x.forward()
	x.sent = append(x.sent, x.request)
	return a
}

// pinned are pins of a target file with choices of the reference against them.
var pinned = map[string]struct {
	pin     any
	choices func(*reference.Choices)
}{
	"successStatus":       {int64(200), func(c *reference.Choices) { c.SuccessStatus = 201 }},
	"malformedID":         {int64(404), func(c *reference.Choices) { c.MalformedID = 422 }},
	"requiredFields":      {"none", func(c *reference.Choices) { c.RequireAllFields = true }},
	"emptyObject":         {"accepted", func(c *reference.Choices) { c.EmptyObject = reference.Refuse }},
	"omittedFields":       {"kept", func(c *reference.Choices) { c.OmittedFields = reference.Reset }},
	"unknownFields":       {"ignored", func(c *reference.Choices) { c.UnknownFields = reference.Refuse }},
	"nullFields":          {"refused", func(c *reference.Choices) { c.NullFields = reference.Ignore }},
	"scalarCoercion":      {"refused", func(c *reference.Choices) { c.ScalarCoercion = reference.Accept }},
	"mediaFilesOfMissing": {int64(404), func(c *reference.Choices) { c.MediaFilesOfMissing = 422 }},
	"mediaFilesOfNonVast": {int64(404), func(*reference.Choices) {}},
	"deleteMediaFile":     {int64(204), func(c *reference.Choices) { c.DeleteMediaFile = reference.Refuse }},
	"deleteContainer":     {int64(204), func(c *reference.Choices) { c.DeleteContainerWithFiles = reference.RefuseContainer }},
	"dateFormat":          {"RFC 1123", func(*reference.Choices) {}},
}

// lostWriter reads an object, changes the fields that were sent and writes the
// whole back: of two writers at the same time one loses.
func lostWriter(op *spec.Operation) Fault {
	return Fault{
		ID: "open/lost-writer/" + op.ID, Clause: "OPEN-7", Also: []string{op.Effects["persists"], op.Effects["shows"]},
		Sentence: op.ID + ": of two writers on different fields of one object one loses.",
		Wrap: fresh(func() behaviour {
			var writers meetings
			return on(op.ID, func(x *exchange) *answer {
				fields := x.fields()
				if !x.byOwner() || len(fields) == 0 || len(fields) >= len(op.Body.Fields) {
					return x.forward()
				}
				all := onlyFields(op, x.current(x.ids...))
				writers.meet(x.path, "")
				maps.Copy(all, fields)
				return x.send(x.request.with(saying(encode(all))))
			})
		}),
	}
}

// lifeFaults forget objects that nobody deleted.
func lifeFaults(c *spec.Contract) []Fault {
	var all []Fault
	for _, op := range c.Operations {
		if op.Deletes() {
			continue
		}
		forgotten := func(name, sentence string, gone func(n int64) bool) {
			all = append(all, Fault{
				ID: "life/" + name + "/" + op.ID, Clause: "EFFECT-3", Also: []string{op.Clause, "DELETE-4"}, Sentence: op.ID + ": " + sentence + ".",
				Wrap: fresh(func() behaviour {
					var seen counter
					return on(op.ID, func(x *exchange) *answer {
						if x.byOwner() && x.onMine() && gone(seen.next()) {
							return refusal(http.StatusNotFound)
						}
						return x.forward()
					})
				}),
			})
		}
		forgotten("gone-after-five", "after five requests the object is not found any more", func(n int64) bool { return n > 5 })
		forgotten("gone-now-and-then", "every fourth time the object is not found", func(n int64) bool { return n%4 == 0 })
	}
	return all
}
