package faults

import (
	"encoding/json"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// scalars are kinds of values that are no text.
var scalars = []struct {
	name, sentence string
	is             func(v any) bool
}{
	{"number", "a number", is[json.Number]},
	{"boolean", "a boolean", is[bool]},
	{"true", "true", equals(true)},
}

// coercions take a number or boolean for a text and do not show the text that was
// sent, or do not store it.
func coercions(op *spec.Operation) []row {
	var rows []row
	for _, f := range op.Body.Fields {
		for _, s := range scalars {
			if freeText(f) {
				rows = append(rows, coercionsOf(op, f, s.name, s.sentence, s.is)...)
			}
		}
	}
	return rows
}

func coercionsOf(op *spec.Operation, f *spec.Field, kind, what string, is func(v any) bool) []row {
	also := " ERR-4 shows persists EFFECT-1 " + f.Clause + " " + op.Representation().Field(f.Meaning).Clause
	given := func(x *exchange) bool { return is(x.fields()[f.Name]) }
	coercion := func(name, clause, sentence string, does behaviour) row {
		return fault(f.Name+"-"+kind+"-"+name, clause+also, what+" is taken for "+f.Name+" and "+sentence, when(given, does)).
			choosing(func(c *reference.Choices) {
				permissive(c)
				c.ScalarCoercion = reference.Accept
			})
	}
	shown := func(as func(sent any) any) behaviour {
		return shows(func(x *exchange, data object) { data[f.Name] = as(x.fields()[f.Name]) })
	}
	return []row{
		coercion("shown-raw", "ERR-4", "shown as it is, not as a text", shown(func(sent any) any { return sent })),
		coercion("shown-otherwise", "ERR-4", "shown as another text", shown(func(sent any) any {
			if sent == true {
				return "True"
			}
			return string(encode(sent)) + ".0"
		})),
		coercion("shown-empty", "ERR-4", "shown as an empty text", shown(func(any) any { return "" })),
		coercion("ignored", "ERR-4", "ignored", setting(func(_ *exchange, fields object) { delete(fields, f.Name) })),
		coercion("stored-otherwise", "persists", "stored as another text than it shows",
			stores(func(_ *exchange, fields object) { fields[f.Name] = coerced })),
		coercion("refused-elsewhere", "ERR-10", "refused with another field's name", refuse(422, "id")),
	}
}
