package faults

import (
	"encoding/json"
	"net/http"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// scalar is a kind of values that are no text.
type scalar struct {
	name, sentence string
	is             func(v any) bool
}

var scalars = []scalar{
	{"number", "a number", func(v any) bool { _, ok := v.(json.Number); return ok }},
	{"boolean", "a boolean", func(v any) bool { _, ok := v.(bool); return ok }},
	{"true", "true", func(v any) bool { return v == true }},
}

// coercionFaults take a number or boolean for a text and do not show the text
// that was sent, or do not store it.
func coercionFaults(c *spec.Contract) []Fault {
	var all []Fault
	for _, op := range updates(c) {
		for _, f := range op.Body.Fields {
			if len(f.Enum) > 0 {
				continue
			}
			for _, s := range scalars {
				all = append(all, coercions(op, f, s)...)
			}
		}
	}
	return all
}

func coercions(op *spec.Operation, f *spec.Field, s scalar) []Fault {
	fault := func(name, clause, sentence string, b func(x *exchange, sent any) *answer) Fault {
		return Fault{
			ID: "coercion/" + f.Name + "-" + s.name + "-" + name + "/" + op.ID, Clause: clause,
			Also:     []string{"ERR-4", op.Effects["shows"], op.Effects["persists"], f.Clause, op.Representation().Field(f.Meaning).Clause, "EFFECT-1"},
			Sentence: op.ID + ": " + s.sentence + " is taken for " + f.Name + " and " + sentence + ".",
			Choices: func(c *reference.Choices) {
				permissive(c)
				c.ScalarCoercion = reference.Accept
			},
			Wrap: each(on(op.ID, func(x *exchange) *answer {
				sent, given := x.fields()[f.Name]
				if !given || !s.is(sent) {
					return x.forward()
				}
				return b(x, sent)
			})),
		}
	}
	shown := func(name, sentence string, as func(sent any) any) Fault {
		return fault(name, "ERR-4", sentence, func(x *exchange, sent any) *answer {
			return x.forward().shown(func(data map[string]any) { data[f.Name] = as(sent) })
		})
	}
	return []Fault{
		shown("shown-raw", "shown as it is, not as a text", func(sent any) any { return sent }),
		shown("shown-otherwise", "shown as another text", func(sent any) any {
			if sent == true {
				return "True"
			}
			return string(encode(sent)) + ".0"
		}),
		shown("shown-empty", "shown as an empty text", func(any) any { return "" }),
		fault("ignored", "ERR-4", "ignored", func(x *exchange, _ any) *answer {
			return x.send(x.request.alter(func(doc map[string]any) { delete(doc, f.Name) }))
		}),
		fault("stored-otherwise", op.Effects["persists"], "stored as another text than it shows", func(x *exchange, _ any) *answer {
			a := x.forward()
			if a.ok() {
				answered := x.last
				x.send(x.request.alter(func(doc map[string]any) { doc[f.Name] = "coerced.example.com" }))
				x.last = answered
			}
			return a
		}),
		fault("refused-elsewhere", "ERR-10", "refused with another field's name", func(*exchange, any) *answer {
			return refusal(http.StatusUnprocessableEntity, "id")
		}),
	}
}

// coercionVariants take more forms of a body than the document describes.
func coercionVariants() []Variant {
	taken := func(id, sentence string, trailing reference.Policy, is func(v any) bool) Variant {
		return Variant{
			ID: "body/" + id, Sentence: sentence + ".", Open: []string{"trailing-text", "scalar-coercion"},
			Choices: func(c *reference.Choices) { c.TrailingText = trailing },
			Wrap: each(func(x *exchange) *answer {
				if x.op == nil || !x.op.Updates() {
					return x.forward()
				}
				return x.send(x.request.alter(func(doc map[string]any) {
					for _, f := range x.op.Body.Fields {
						if v := doc[f.Name]; len(f.Enum) == 0 && is(v) {
							doc[f.Name] = string(encode(v))
						}
					}
				}))
			}),
		}
	}
	none := func(any) bool { return false }
	number, boolean := scalars[0].is, scalars[1].is
	both := func(v any) bool { return number(v) || boolean(v) }
	pinned := choice("body/scalars-refused-pinned", "Numbers and booleans for a text are refused, which the target file says", "scalar-coercion", func(*reference.Choices) {})
	pinned.Pins = map[string]any{"scalarCoercion": "refused"}
	return []Variant{
		taken("trailing-text-taken", "Text after the object of a body is let pass", reference.Ignore, none),
		taken("numbers-taken", "A number for a text is taken as the text that was sent", reference.Refuse, number),
		taken("booleans-taken", "A boolean for a text is taken as the text that was sent", reference.Refuse, boolean),
		taken("scalars-and-trailing-text", "Numbers and booleans are taken as texts, and text after the object is let pass", reference.Ignore, both),
		choice("body/scalars-taken", "Numbers and booleans for a text are taken, where the text they make is right", "scalar-coercion", func(c *reference.Choices) { c.ScalarCoercion = reference.Accept }),
		choice("body/scalars-taken-any", "Numbers and booleans for any text are taken", "scalar-coercion", func(c *reference.Choices) {
			c.ScalarCoercion, c.InvalidHostname, c.TrailingText = reference.Accept, reference.Accept, reference.Ignore
			c.RequireAllFields, c.EmptyObject = true, reference.Refuse
		}),
		pinned,
	}
}
