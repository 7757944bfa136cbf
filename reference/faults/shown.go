package faults

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// wrongObject are representations of another object.
func wrongObject(op *spec.Operation) []row {
	const also = " shows stays EFFECT-2 updatedAt"
	copied := func(name, clause, sentence string, from func(x *exchange) object) row {
		return fault(name, clause+also, "the representation "+sentence, shows(func(x *exchange, data object) {
			if onMine(x) {
				maps.Copy(data, from(x))
			}
		}))
	}
	other := func(x *exchange) object { return x.current(x.other()...) }
	foreign := func(x *exchange) object {
		return x.peek(x.with(x.as(x.stranger()), x.to(x.foreign()...), saying(object{}))).data()
	}
	values := func(x *exchange) object {
		data := other(x)
		delete(data, "id")
		return data
	}
	rows := []row{
		copied("other-object", "identity", "is that of another object", other),
		copied("foreign-object", "identity", "is that of the stranger's object", foreign).graded(Critical),
		copied("other-values", "shows", "has the right id and the values of another object", values),
		fault("zero-id", "identity", "the id is 0", shows(func(_ *exchange, data object) { data["id"] = 0 })),
	}
	if several(op) {
		parent := shows(func(x *exchange, data object) { data["id"] = json.Number(x.ids[len(x.ids)-2]) })
		rows = append(rows,
			fault("parent-id", "identity", "the id is that of the parent", parent),
			copied("sibling-object", "identity", "is that of the object beside it", func(x *exchange) object { return x.current(x.sibling()...) }))
	}
	return rows
}

// otherLetters show a value of a list in other letters than the published ones.
func otherLetters(op *spec.Operation) []row {
	var rows []row
	rep := op.Representation()
	if rep == nil {
		return nil
	}
	for _, f := range rep.Fields {
		if len(f.Enum) == 0 && f.Name != "type" && f.Name != "sourceType" {
			continue
		}
		change := func(data object) {
			if s, text := data[f.Name].(string); text {
				data[f.Name] = capital(s)
			}
		}
		clause := cmp.Or(spec.ValuesClause(f.Schema), f.Clause)
		rows = append(rows, fault("other-letters-"+f.Name+"-capital", clause, f.Name+" is shown in other letter case: Pass",
			rewrites(func(a *answer) {
				a.shown(change).paged(func(p *page) { p.each(func(_ int, item object) { change(item) }) })
			})))
	}
	return rows
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// moved are updates that show another value for what no update changes.
func moved(op *spec.Operation) []row {
	// fromBody shows what the body says of a field that it cannot change.
	fromBody := func(field string) behaviour {
		return shows(func(x *exchange, data object) {
			if v, sent := x.fields()[field]; sent {
				data[field] = v
			}
		})
	}
	rows := []row{fault("id-from-body", "identity", "id is taken from the body", fromBody("id"))}
	for _, f := range op.Representation().Fields {
		if !f.Stays {
			continue
		}
		add := func(name, sentence string, does behaviour) {
			rows = append(rows, fault(f.Name+"-"+name, "stays updatedAt", f.Name+" "+sentence, does))
		}
		add("from-body", "is taken from the body", fromBody(f.Name))
		var set any = "display"
		switch {
		case f.Date:
			set = "2025-05-01T08:00:00Z"
			add("is-now", "is the time of the update", shows(func(x *exchange, data object) {
				data[f.Name] = time.Now().UTC().Add(time.Duration(x.n) * time.Second).Format(time.RFC3339)
			}))
			add("drifts", "is a second later each time", shows(func(x *exchange, data object) {
				rewriteDates(data, func(t time.Time) any { return t.Add(time.Duration(x.n) * time.Second).Format(time.RFC3339) }, f.Name)
			}))
		case f.Type == "integer":
			set = 7
			add("counts", "is one more each time", shows(func(x *exchange, data object) { data[f.Name] = int64(number(data[f.Name])) + x.n }))
		default:
			add("other", "is another after an update", setsAfterChange(f.Name, "display"))
		}
		rows = append(rows, setByUpdates(op, f.Name, set))
	}
	return rows
}

// setsAfterChange shows a value in the answer to an update that changes something.
func setsAfterChange(field string, value any) behaviour {
	return shows(func(x *exchange, data object) {
		if len(x.fields()) > 0 {
			data[field] = value
		}
	})
}

// setByUpdates is a field that every update sets, and that reads show from then on: only
// a read before the first update shows what it was.
func setByUpdates(op *spec.Operation, field string, value any) row {
	r := everywhere(field+"-set", "stays updatedAt", field+" is set to one value by every update", func(x *exchange) *answer {
		a := x.forward()
		if of(op.ID)(x) && a.ok() {
			x.keep(x.path, true)
		}
		if set, _ := recall[bool](x, x.path); set {
			return a.shown(func(data object) { data[field] = value })
		}
		return a
	})
	return r.choosing(func(c *reference.Choices) { c.ReadAll = true })
}

// wrongDates are dates of an update at which it was not made.
func wrongDates(op *spec.Operation) []row {
	clauses := "updatedAt " + op.Representation().Field("updatedAt").Clause
	date := func(name, sentence string, does behaviour) row {
		return fault("updatedAt-"+name, clauses, "updatedAt "+sentence, does)
	}
	fixed := func(name, sentence, at string) row {
		return date(name, sentence, shows(func(_ *exchange, data object) { data["updatedAt"] = at }))
	}
	off := func(name, sentence string, by time.Duration, layout string) row {
		return date(name, sentence, shows(func(_ *exchange, data object) { data["updatedAt"] = time.Now().UTC().Add(by).Format(layout) }))
	}
	// lost dates are right where they are made and not where the object is shown again.
	lost := func(name, sentence string, value any) row {
		again := func(x *exchange) bool { return updating(x) && len(x.fields()) == 0 }
		return date("lost-"+name, "is "+sentence+" where an update without fields shows it again",
			when(again, shows(func(_ *exchange, data object) { data["updatedAt"] = value })))
	}
	const day = 24 * time.Hour
	return []row{
		lost("null", "null", nil),
		lost("old", "a date before the update", "2025-05-01T08:00:00Z"),
		date("is-createdAt", "is createdAt", shows(func(_ *exchange, data object) { data["updatedAt"] = data["createdAt"] })),
		fixed("never-moves", "is one fixed date", "2025-05-01T08:00:00Z"),
		fixed("before-createdAt", "is before createdAt", "2001-01-01T00:00:00Z"),
		date("null", "is null after a change", setsAfterChange("updatedAt", nil)),
		off("zone-east", "is the time two hours east of Greenwich, with Z", 2*time.Hour, time.RFC3339),
		date("offset-wrong", "is the time of Greenwich with the offset of Berlin", shows(func(_ *exchange, data object) {
			data["updatedAt"] = time.Now().UTC().Format("2006-01-02T15:04:05") + "+02:00"
		})),
		off("gmt-wrong", "is the time of Berlin and called GMT", 2*time.Hour, http.TimeFormat),
		off("tomorrow", "is a day ahead", day, time.RFC3339),
		off("local-days-ago", "is two days ago, without a zone", -2*day, time.DateTime),
		off("day-before-yesterday", "is a date, that of the day before yesterday", -2*day, time.DateOnly),
		date("started-before", "is when the server was started, ten seconds ago", sinceStart(10*time.Second)),
		date("backwards", "goes a minute back each time", shows(func(x *exchange, data object) {
			data["updatedAt"] = time.Now().UTC().Add(-time.Duration(x.n) * time.Minute).Format(time.RFC3339)
		})),
	}
}

// sinceStart shows as the date of an update when the server was started.
func sinceStart(before time.Duration) behaviour {
	return shows(func(x *exchange, data object) { data["updatedAt"] = x.started.UTC().Add(-before).Format(time.RFC3339) })
}

// standing are dates of an update that stay for a while after one.
func standing(*spec.Contract) []row {
	return []row{fault("updated-at-stands", "PROFILE-12 HOST-11 CAMPAIGN-14", "updatedAt stays for a minute after an update",
		keepsDate(time.Minute)).choosing(func(c *reference.Choices) { c.DateFormat = reference.DateMillis })}
}

// standingSeconds are in whole seconds, which need not move within a short run.
func standingSeconds(*spec.Operation) []row {
	return []row{
		fault("updatedAt-of-the-first", "updatedAt", "updatedAt is the date of the first update, in whole seconds", keepsDate(time.Hour)),
		fault("updatedAt-just-started", "updatedAt", "updatedAt is when the server was started, a moment ago, in whole seconds", sinceStart(0)),
	}
}

// keepsDate shows the date of an update as that of those which follow within a time, too.
func keepsDate(within time.Duration) behaviour {
	since := func(date string) time.Duration {
		at, _ := time.Parse(time.RFC3339, date)
		return time.Since(at)
	}
	return shows(func(x *exchange, data object) {
		text, _ := data["updatedAt"].(string)
		if since(text) > time.Minute {
			return // of before the run
		}
		if first, had := recall[string](x, x.path); had && since(first) < within {
			data["updatedAt"] = first
			return
		}
		x.keep(x.path, text)
	})
}

// swapped are representations with the values of two fields swapped, or one value for all.
func swapped(op *spec.Operation) []row {
	var rows []row
	add := func(name, clauses, sentence string, change func(data object)) {
		rows = append(rows, fault(name, clauses, sentence, shows(func(_ *exchange, data object) { change(data) })))
	}
	for i, f := range op.Body.Fields {
		for _, g := range op.Body.Fields[i+1:] {
			if listed(f) == listed(g) {
				add("swapped-"+f.Name+"-"+g.Name, "shows", f.Name+" and "+g.Name+" are swapped", func(data object) {
					data[f.Name], data[g.Name] = data[g.Name], data[f.Name]
				})
			}
		}
		add("constant-"+f.Name, "shows", f.Name+" always shows the same", func(data object) { data[f.Name] = placeholder(f, "") })
		if f.Optional {
			add("never-"+f.Name, "shows persists", f.Name+" is shown as unset after it was set", func(data object) { data[f.Name] = nil })
			add("absent-"+f.Name, "shows persists", f.Name+" is left out after it was set", func(data object) { delete(data, f.Name) })
		}
	}
	return rows
}
