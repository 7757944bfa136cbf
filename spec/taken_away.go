package spec

import (
	"fmt"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// An overlay that renames leaves all that is judged. One that takes something out, or lets more
// pass, takes judgement away, and a run with it shows less than its clauses say.

// takenAway lists what another contract judges and this one does not, in words, each once.
func (c *Contract) takenAway(original *Contract) (lost []string) {
	note := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !slices.Contains(lost, text) {
			lost = append(lost, text)
		}
	}
	for _, op := range original.Operations {
		mine := c.Operation(op.ID)
		if mine.Clause != op.Clause {
			note("%s of %s", op.Clause, op.ID)
		}
		for _, name := range op.knownEffects() {
			if id := op.Effects[name]; mine.Effects[name] != id {
				note("%s (%s) of %s", id, name, op.ID)
			}
		}
		for name := range mine.Open {
			if op.Open[name] == "" {
				note("what x-open lists as %s of %s", name, op.ID)
			}
		}
		if op.Holds != mine.Holds {
			note("x-holds of %s", op.ID)
		}
		for i, p := range op.Params {
			if i < len(mine.Params) && slices.ContainsFunc(p.More, func(key string) bool { return !slices.Contains(mine.Params[i].More, key) }) {
				note("further objects of %s", op.ID)
			}
		}
		mine.Body.lacks(op.Body, "the request of "+op.ID, note)
		mine.Success.lacks(op.Success, "the success of "+op.ID, note)
		for _, status := range []string{"204", "401", "403", "404", "422"} {
			ours, theirs := op.Responses[status], mine.Responses[status]
			switch {
			case ours == nil:
			case theirs == nil, jsonSchema(ours) != nil && jsonSchema(theirs) == nil:
				note("the response %s of %s", status, op.ID)
			default:
				if id := text(ours.Extensions, "x-clause"); id != text(theirs.Extensions, "x-clause") {
					note("%s of the response %s", id, status)
				}
				if s := jsonSchema(ours); s != nil {
					newObject(jsonSchema(theirs)).lacks(newObject(s), "the response "+status, note)
				}
			}
		}
	}
	return lost
}

// lacks notes what another object states of its fields and this one does not, at any depth.
func (o *Object) lacks(other *Object, of string, note func(format string, args ...any)) {
	if other == nil || o == nil {
		return
	}
	for _, f := range other.Fields {
		mine := o.Field(f.Meaning)
		if mine == nil { // see hasAll
			note("%s in %s", f.Name, of)
			continue
		}
		for _, p := range []struct {
			name string
			lost bool
		}{
			{f.Clause, mine.Clause != f.Clause},
			{"required", f.Required && !mine.Required},
			{"the type", f.Type != mine.Type},
			{"the format", f.Schema.Format != "" && f.Schema.Format != mine.Schema.Format},
			{"the pattern", f.Schema.Pattern != "" && f.Schema.Pattern != mine.Schema.Pattern},
			{"the bounds", looser(f.Schema, mine.Schema)},
			{"the listed values", len(f.Schema.Enum) != len(mine.Schema.Enum)},
			{"that it is not null", !f.Nullable && mine.Nullable},
			{"that it is there", !MayBeAbsent(f.Schema) && MayBeAbsent(mine.Schema) || !f.Optional && mine.Optional},
			{"that it stays", f.Stays && !mine.Stays},
			{"that it is a date", f.Date && !mine.Date},
			{"that it is spelled as it was sent", !f.Hostname && mine.Hostname},
		} {
			if p.lost {
				note("%s of %s in %s", p.name, f.Name, of)
			}
		}
		mine.Object.lacks(f.Object, of, note)
		mine.Items.lacks(f.Items, of, note)
	}
}

// looser says whether a bound of a schema is gone or further out in another.
func looser(s, other *openapi3.Schema) bool {
	return s.Min != nil && (other.Min == nil || *other.Min < *s.Min) || s.Max != nil && (other.Max == nil || *other.Max > *s.Max) ||
		s.MinLength > other.MinLength || s.MinItems > other.MinItems ||
		s.MaxLength != nil && (other.MaxLength == nil || *other.MaxLength > *s.MaxLength)
}
