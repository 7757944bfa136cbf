package faults

import (
	"net/http"
	"slices"

	"github.com/adconform/adconform/spec"
)

// givesTaken is an update that gives the object a name that another of the owner's has.
func givesTaken(x *exchange) bool {
	given := x.fields()[nameOf(x.op)]
	if given == nil || !setsMine(x) {
		return false
	}
	return slices.ContainsFunc([][]string{x.other(), x.sibling()}, func(ids []string) bool {
		return x.current(ids...)[nameOf(x.op)] == given
	})
}

// nameOf is the name or hostname of an update.
func nameOf(op *spec.Operation) string { return op.Body.Fields[0].Name }

// takenNames are wrong where a name is given that another object has: they refuse it
// otherwise than the document says, or take it and do something else.
func takenNames(op *spec.Operation) []row {
	name := nameOf(op)
	taken := func(id, clauses, sentence string, does behaviour) row {
		return fault("taken-"+id, clauses+" ERR-4", "a "+name+" that another object has "+sentence, when(givesTaken, does))
	}
	changed := setting(func(_ *exchange, fields object) { fields[name] = "2-" + fields[name].(string) })
	return []row{
		taken("is-400", "ERR-12", "is answered 400", refuse(http.StatusBadRequest, name)),
		taken("is-409", "ERR-12", "is answered 409", refuse(http.StatusConflict, name)),
		taken("is-500", "HTTP-1", "makes the server fail", refuse(http.StatusInternalServerError)),
		taken("bare", "ERR-6 ERR-7 ERR-8 ERR-11", "is refused with a message and no error section",
			replaces(http.StatusUnprocessableEntity, object{"message": "taken"})),
		taken("unnamed", "ERR-10", "is refused, and no issue names it", refuse(http.StatusUnprocessableEntity)),
		taken("misnamed", "ERR-10", "is refused, and the issue names the id", refuse(http.StatusUnprocessableEntity, "id")),
		taken("ignored", "shows", "is ignored", setting(func(_ *exchange, fields object) { delete(fields, name) })),
		taken("stored-changed", "persists", "is shown as it is, and stored changed", func(x *exchange) *answer {
			given := x.fields()[name]
			return changed(x).shown(func(data object) { data[name] = given })
		}),
		taken("refused-and-made", "EFFECT-1", "is refused and stored", func(x *exchange) *answer {
			x.forward()
			return refusal(http.StatusUnprocessableEntity, name)
		}),
		taken("taken-away", "EFFECT-2 persists", "is taken from that one", func(x *exchange) *answer {
			x.secretly(x.with(x.to(x.other()...), saying(object{name: "formerly.example.com"})))
			return x.forward()
		}),
	}
}

// changesNothing is an update of all fields to what the object holds.
func changesNothing(x *exchange) bool {
	fields := x.fields()
	if !setsMine(x) || len(fields) != len(x.op.Body.Fields) {
		return false
	}
	now := x.current(x.ids...)
	return !slices.ContainsFunc(x.op.Body.Fields, func(f *spec.Field) bool {
		return fields[f.Name] == nil || fields[f.Name] != now[f.Name]
	})
}

// sameAgain fail where an update changes nothing: they count the rows that changed, or
// take the object's own name for another's.
func sameAgain(op *spec.Operation) []row {
	same := func(id, clauses, sentence string, does behaviour) row {
		return fault("same-"+id, clauses+" operation", "an update to what the object holds "+sentence, when(changesNothing, does))
	}
	return []row{
		same("is-404", "operation EFFECT-3", "is answered 404", refuse(http.StatusNotFound)),
		same("is-422", "operation", "is refused, as its name is taken", refuse(http.StatusUnprocessableEntity, nameOf(op))),
		same("is-500", "HTTP-1", "makes the server fail", refuse(http.StatusInternalServerError)),
		same("unshown", "operation ERR-11 ERR-12 shows", "is answered without the representation",
			replaces(http.StatusOK, object{"data": object{}})),
	}
}

// fieldVariants refuse fields that a body may not have, or wants, in their own words.
func fieldVariants() []Variant {
	refusing := func(id, sentence, open string, is condition, fields ...string) Variant {
		return variant("body/"+id, sentence, open, when(all(updating, is), func(x *exchange) *answer {
			return x.refusedInstead(refusal(http.StatusUnprocessableEntity, fields...))
		}))
	}
	unknown := func(x *exchange) bool { return x.fields()["adconformUnknown"] != nil }
	// half is an update of one action without the other.
	half := func(x *exchange) bool {
		given := 0
		for _, f := range enums(x.op) {
			if x.fields()[f.Name] != nil {
				given++
			}
		}
		return given == 1
	}
	return []Variant{
		refusing("unknown-refused-unnamed", "Unknown fields are refused, and no field is named", "unknown-fields", unknown),
		refusing("unknown-refused-body", "Unknown fields are refused, and the body is named", "unknown-fields", unknown, "body"),
		refusing("half-refused", "One action without the other is refused, and an issue names the other", "required-fields",
			half, "withoutCookiesAction"),
		refusing("half-refused-unnamed", "One action without the other is refused, and no field is named", "required-fields", half),
	}
}

// nameVariants mind whether another object has the name, or whether an update changes
// anything.
func nameVariants() []Variant {
	hostname := func(x *exchange) bool { return x.op != nil && x.op.ID == hostUpdate && givesTaken(x) }
	return []Variant{
		variant("value/unique-hostnames", "Hostnames are unique", "name-uniqueness", when(hostname, func(x *exchange) *answer {
			return x.refusedInstead(refusal(http.StatusUnprocessableEntity, "hostname"))
		})),
		variant("answer/same-dated", "An update that changes nothing has a date, too", "", when(all(updating, changesNothing),
			func(x *exchange) *answer {
				x.secretly(x.with(saying(object{nameOf(x.op): "meanwhile.example.com"})))
				return x.forward()
			})),
	}
}
