package faults

import (
	"cmp"
	"encoding/json"
	"maps"
	"strings"
	"time"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// wrongRepresentations show another object, the values of two fields swapped, or one value always.
func wrongRepresentations(s *seeds, op *spec.Operation) {
	const also = " shows stays EFFECT-2 updatedAt"
	copied := func(name, clause, sentence string, of func(x *exchange) object) *Server {
		return s.fault("shown/"+name, clause+also, "the representation "+sentence,
			when(onMine, shows(func(x *exchange, data object) { maps.Copy(data, of(x)) })))
	}
	other := func(x *exchange) object { return x.current(x.other()...) }
	copied("other-object", "identity", "is that of another object", other)
	copied("foreign-object", "identity", "is that of the stranger's object",
		func(x *exchange) object { return x.current(x.foreign()...) }).graded(spec.Critical)
	copied("other-values", "shows", "has the right id and the values of another object",
		func(x *exchange) object { return onlyFields(op, other(x)) })
	if several(op) {
		s.fault("shown/parent-id", "identity", "the id is that of the parent",
			shows(func(x *exchange, data object) { data["id"] = json.Number(x.ids[len(x.ids)-2]) }))
		copied("sibling-object", "identity", "is that of its sibling", func(x *exchange) object { return x.current(x.sibling()...) })
	}
	for i, f := range op.Body.Fields {
		for _, g := range op.Body.Fields[i+1:] {
			if listed(f) == listed(g) {
				s.fault("shown/swapped-"+f.Name+"-"+g.Name, "shows", f.Name+" and "+g.Name+" are swapped",
					shows(func(_ *exchange, data object) { data[f.Name], data[g.Name] = data[g.Name], data[f.Name] }))
			}
			if listed(f) && listed(g) {
				s.fault("effect/stores-swapped", "persists shows", "the two actions are shown as sent and stored swapped",
					saves(func(x *exchange, _ object) object {
						return object{f.Name: x.fields()[g.Name], g.Name: x.fields()[f.Name]}
					}))
			}
		}
		s.fault("shown/constant-"+f.Name, "shows", f.Name+" always shows the same", shows(put(f.Name, placeholder(f, ""))))
	}
}

// otherLetters show a published value in other letter case.
func otherLetters(s *seeds, op *spec.Operation) {
	for _, f := range op.Representation().Fields {
		if listed(f) || f.Name == "type" || f.Name == "sourceType" {
			s.fault("shown/other-letters-"+f.Name+"-capital", cmp.Or(spec.ValuesClause(f.Schema), f.Clause),
				f.Name+" is shown in other letter case: Pass", shows(text(f.Name, capital)))
		}
	}
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// moved show another value for a field that no update changes.
func moved(s *seeds, op *spec.Operation) {
	fromBody := func(name, clauses string) {
		s.fault("shown/"+name+"-from-body", clauses, name+" is taken from the body", shows(func(x *exchange, data object) {
			if v, sent := x.fields()[name]; sent {
				data[name] = v
			}
		}))
	}
	fromBody("id", "identity")
	for _, f := range op.Representation().Fields {
		if !f.Stays {
			continue
		}
		fromBody(f.Name, "stays updatedAt")
		another := anotherValue(f)
		makesIt := makes(func(object) object { return object{f.Name: another} })
		// Only a read before the first update shows the right value.
		s.fault("shown/"+f.Name+"-set", "stays updatedAt", f.Name+" is set to one value by every update", makesIt).choosing(readAll)
		if f.Type == "string" && !f.Date {
			s.fault("shown/"+f.Name+"-other", "stays updatedAt", f.Name+" is another after an update", when(changing, shows(put(f.Name, another))))
		}
	}
}

// later is a date some seconds later.
func later(t time.Time, seconds int64) string {
	return t.UTC().Add(time.Duration(seconds) * time.Second).Format(time.RFC3339)
}

// changing selects updates with fields.
func changing(x *exchange) bool { return len(x.fields()) > 0 }

// wrongDates date an update when it was not made.
func wrongDates(s *seeds, op *spec.Operation) {
	date := func(name, sentence string, does behaviour) *Server {
		return s.fault("shown/updatedAt-"+name, "updatedAt "+op.Representation().Field("updatedAt").Clause, "updatedAt "+sentence, does)
	}
	off := func(name, sentence string, by time.Duration, layout string) *Server {
		return date(name, sentence, shows(func(_ *exchange, data object) { data["updatedAt"] = time.Now().UTC().Add(by).Format(layout) }))
	}
	const day = 24 * time.Hour
	date("lost-null", "is null where an update without fields shows it again", when(not(changing), shows(put("updatedAt", nil))))
	date("null", "is null after a change", when(changing, shows(put("updatedAt", nil))))
	date("never-moves", "is one fixed date", shows(put("updatedAt", "2025-05-01T08:00:00Z")))
	off("zone-east", "is the time two hours east of Greenwich, with Z", 2*time.Hour, time.RFC3339)
	off("local-days-ago", "is two days ago, without a zone", -2*day, time.DateTime)
	off("day-before-yesterday", "is a date, that of the day before yesterday", -2*day, time.DateOnly)
	date("started-before", "is when the server was started, ten seconds ago", shows(func(x *exchange, data object) {
		data["updatedAt"] = later(x.started, -10)
		if x.started.Second() == 10 { // a date in a whole minute may have been truncated to one
			data["updatedAt"] = later(x.started, -11)
		}
	}))
	date("backwards", "moves back a minute each time",
		shows(func(x *exchange, data object) { data["updatedAt"] = later(time.Now(), -60*x.count()) }))
	for _, f := range op.Body.Fields[1:] {
		s.fault("shown/updatedAt-not-by-"+f.Name, "updatedAt", "an update of "+f.Name+" alone leaves updatedAt as it was",
			when(all(gives(f, is[string]), alone), makes(func(before object) object { return object{"updatedAt": before["updatedAt"]} }))).
			choosing(func(c *reference.Choices) { c.DateFormat = "2006-01-02T15:04:05.000Z" })
	}
}
