package faults

import (
	"strings"

	"github.com/adconform/adconform/spec"
)

// spoiltTexts are texts that are stored or shown otherwise than they were sent.
func spoiltTexts(op *spec.Operation) []row {
	var rows []row
	for _, f := range op.Body.Fields {
		for _, way := range texts {
			if way.stored(f) {
				rows = append(rows, fault(way.name+"/*/"+f.Name, "shows persists", f.Name+" is stored and shown "+way.sentence,
					setting(func(_ *exchange, fields object) {
						if s, ok := fields[f.Name].(string); ok && way.spoil(s) != "" { // nothing left would be refused
							fields[f.Name] = way.spoil(s)
						}
					})).choosing(permissive))
			}
			if way.shown(f) {
				rows = append(rows, fault("shown-"+way.name+"/*/"+f.Name, "shows persists", f.Name+" is stored as sent and shown "+way.sentence,
					shows(func(_ *exchange, data object) { way.in(data, f) })).choosing(permissive))
			}
		}
	}
	return rows
}

// in spoils the text of a field.
func (t *text) in(fields object, f *spec.Field) {
	if s, ok := fields[f.Name].(string); ok {
		fields[f.Name] = t.spoil(s)
	}
}

// wrongActions are values of a list that are not taken, or taken for others.
func wrongActions(op *spec.Operation) []row {
	var rows []row
	for _, f := range enums(op) {
		refused := func(name, sentence string, is condition) row {
			return fault(name+"/*/"+f.Name, f.Clause+" operation", sentence, when(is, refuse(422, f.Name)))
		}
		for i, value := range f.Enum {
			given := gives(f, equals(value))
			next := f.Enum[(i+1)%len(f.Enum)]
			rows = append(rows, refused("refused-"+value, value+" is refused for "+f.Name, given),
				fault(value+"-is-"+next+"/*/"+f.Name, "shows persists operation "+f.Clause, value+" is stored as "+next+" for "+f.Name,
					setting(func(_ *exchange, fields object) {
						if fields[f.Name] == value {
							fields[f.Name] = next
						}
					})))
			for _, g := range enums(op) {
				if g.Name < f.Name {
					rows = append(rows, refused("refused-both-"+value, value+" is refused for both actions at once", all(given, gives(g, equals(value)))))
				}
			}
		}
	}
	return rows
}

// ordinaryTexts are texts that have to be taken, and the fields that may be given them.
var ordinaryTexts = []struct {
	name, sentence string
	is             func(s string) bool
	of             func(f *spec.Field) bool
}{
	{"digits", "with a digit", func(s string) bool { return strings.ContainsAny(s, "0123456789") }, freeText},
	{"longer-20", "of more than 20 characters", lengths(20, 30), hostname},
	{"longer-12", "of more than 12 characters", lengths(12, 16), noHostname},
	{"any", "that differs from the old one", lengths(8, 30), freeText},
	{"upper-case", "with a capital", func(s string) bool { return len(s) <= 30 && strings.ToLower(s) != s }, anyName},
	{"spaces", "with a space", func(s string) bool { return len(s) <= 30 && strings.Contains(s, " ") }, anyName},
	{"hyphen", "with a hyphen", has("-"), hostname},
	{"anchor", "with an anchor", func(s string) bool { return strings.HasPrefix(s, "^") }, expression},
}

func lengths(beyond, to int) func(string) bool {
	return func(s string) bool { return len(s) > beyond && len(s) <= to }
}

// refusedTexts are ordinary texts that are not taken.
func refusedTexts(op *spec.Operation) []row {
	var rows []row
	for _, f := range op.Body.Fields {
		for _, t := range ordinaryTexts {
			if t.of(f) {
				rows = append(rows, fault("refused-"+t.name+"/*/"+f.Name, f.Clause+" operation", "a "+f.Name+" "+t.sentence+" is refused",
					when(all(onMine, gives(f, aText(t.is))), refuse(422, f.Name))))
			}
		}
	}
	return rows
}
