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
	copied := func(from func(x *exchange) object) behaviour {
		return shows(func(x *exchange, data object) {
			if onMine(x) {
				maps.Copy(data, from(x))
			}
		})
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
		fault("other-object", "identity"+also, "the representation is that of another object", copied(other)),
		fault("foreign-object", "identity"+also, "the representation is that of the stranger's object", copied(foreign)).graded(Critical),
		fault("other-values", "shows"+also, "the representation has the right id and the values of another object", copied(values)),
		fault("zero-id", "identity", "the id is 0", sets("id", 0)),
	}
	if !several(op) {
		return rows
	}
	parent := shows(func(x *exchange, data object) { data["id"] = json.Number(x.ids[len(x.ids)-2]) })
	sibling := func(x *exchange) object { return x.current(x.sibling()...) }
	return append(rows,
		fault("parent-id", "identity", "the id is that of the parent", parent),
		fault("sibling-object", "identity"+also, "the representation is that of the object beside it", copied(sibling)))
}

// otherLetters show a value of a list in other letters than the published ones.
func otherLetters(op *spec.Operation) []row {
	var rows []row
	rep := op.Representation()
	if rep == nil {
		return nil
	}
	ways := map[string]func(string) string{
		"capital": func(s string) string { return strings.ToUpper(s[:1]) + s[1:] }, "upper-case": strings.ToUpper,
	}
	for _, f := range rep.Fields {
		if len(f.Enum) == 0 && f.Name != "type" && f.Name != "sourceType" {
			continue
		}
		for name, way := range ways {
			change := func(data object) {
				if s, text := data[f.Name].(string); text {
					data[f.Name] = way(s)
				}
			}
			clause := cmp.Or(spec.ValuesClause(f.Schema), f.Clause)
			rows = append(rows, fault("other-letters-"+f.Name+"-"+name, clause, f.Name+" is shown in other letter case: "+way("pass"),
				answers(func(_ *exchange, a *answer) *answer {
					return a.shown(change).paged(func(p *page) { p.each(func(_ int, item object) { change(item) }) })
				})))
		}
	}
	return rows
}

// sets shows a fixed value.
func sets(field string, value any) behaviour {
	return shows(func(_ *exchange, data object) { data[field] = value })
}

// setsAfterChange shows a value in the answer to an update that changes something.
func setsAfterChange(field string, value any) behaviour {
	return shows(func(x *exchange, data object) {
		if len(x.fields()) > 0 {
			data[field] = value
		}
	})
}

// fromBody shows what the body says of a field that it cannot change.
func fromBody(field string) behaviour {
	return shows(func(x *exchange, data object) {
		if v, sent := x.fields()[field]; sent {
			data[field] = v
		}
	})
}

// shifted shows a date later by a time that depends on how many it has shown.
func shifted(field string, by func(n time.Duration) time.Duration) behaviour {
	return shows(func(x *exchange, data object) {
		if t, err := time.Parse(time.RFC3339, data[field].(string)); err == nil {
			data[field] = t.Add(by(time.Duration(x.n))).Format(time.RFC3339)
		}
	})
}

// moved are updates that show another value for what no update changes.
func moved(op *spec.Operation) []row {
	rows := []row{fault("id-from-body", "identity", "id is taken from the body", fromBody("id"))}
	for _, f := range op.Representation().Fields {
		if !f.Stays {
			continue
		}
		add := func(name, sentence string, does behaviour) {
			rows = append(rows, fault(f.Name+"-"+name, "stays updatedAt", f.Name+" "+sentence, does))
		}
		add("from-body", "is taken from the body", fromBody(f.Name))
		rows = append(rows, setByUpdates(op, f).choosing(func(c *reference.Choices) { c.ReadAll = true }))
		switch {
		case f.Date:
			add("is-now", "is the time of the update", shows(func(x *exchange, data object) {
				data[f.Name] = time.Now().UTC().Add(time.Duration(x.n) * time.Second).Format(time.RFC3339)
			}))
			add("is-the-second", "is the time of the answer, in whole seconds", shows(func(_ *exchange, data object) {
				data[f.Name] = time.Now().UTC().Format(time.RFC3339)
			}))
			add("drifts", "is a second later each time", shifted(f.Name, func(n time.Duration) time.Duration { return n * time.Second }))
			add("zone-lost", "is two hours off every second time", shifted(f.Name,
				func(n time.Duration) time.Duration { return n % 2 * 2 * time.Hour }))
			add("year-off", "is a year off from the tenth answer on", shifted(f.Name,
				func(n time.Duration) time.Duration { return n / 10 * 365 * 24 * time.Hour }))
		case f.Type == "integer":
			add("counts", "is one more each time", shows(func(x *exchange, data object) { data[f.Name] = int64(number(data[f.Name])) + x.n }))
			add("zero", "is 0 after an update", setsAfterChange(f.Name, 0))
		default:
			add("other", "is another after an update", setsAfterChange(f.Name, "display"))
		}
	}
	return rows
}

// setByUpdates is a field that every update sets, and that reads show from then on: only
// a read before the first update shows what it was.
func setByUpdates(op *spec.Operation, f *spec.Field) row {
	var value any = "display"
	switch {
	case f.Date:
		value = "2025-05-01T08:00:00Z"
	case f.Type == "integer":
		value = 7
	}
	r := fault(f.Name+"-set", "stays updatedAt", f.Name+" is set to one value by every update", nil)
	r.wrap = behaviour(func(x *exchange) *answer {
		a := x.forward()
		if of(op.ID)(x) && a.ok() {
			x.keep(x.path, true)
		}
		if set, _ := recall[bool](x, x.path); set {
			return a.shown(func(data object) { data[f.Name] = value })
		}
		return a
	}).wrap
	return r
}

// wrongDates are dates of an update at which it was not made.
func wrongDates(op *spec.Operation) []row {
	clauses := "updatedAt " + op.Representation().Field("updatedAt").Clause
	date := func(name, sentence string, does behaviour) row {
		return fault("updatedAt-"+name, clauses, "updatedAt "+sentence, does)
	}
	written := func(write func(x *exchange, now time.Time) string) behaviour {
		return shows(func(x *exchange, data object) { data["updatedAt"] = write(x, time.Now().UTC()) })
	}
	off := func(by time.Duration, layout string) behaviour {
		return written(func(_ *exchange, now time.Time) string { return now.Add(by).Format(layout) })
	}
	// lost dates are right where they are made and not where the object is shown again.
	lost := func(name, sentence string, value any) row {
		return date("lost-"+name, "is "+sentence+" where an update without fields shows it again", when(func(x *exchange) bool {
			return updating(x) && len(x.fields()) == 0
		}, shows(func(_ *exchange, data object) {
			data["updatedAt"] = value
			if value == "createdAt" {
				data["updatedAt"] = data["createdAt"]
			}
		})))
	}
	const day = 24 * time.Hour
	return []row{
		lost("null", "null", nil),
		lost("epoch", "the start of 1970", "1970-01-01T00:00:00Z"),
		lost("zero", "the first day of the calendar", "0001-01-01T00:00:00Z"),
		lost("old", "a date before the update", "2025-05-01T08:00:00Z"),
		lost("created", "createdAt", "createdAt"),
		date("is-createdAt", "is createdAt", shows(func(_ *exchange, data object) { data["updatedAt"] = data["createdAt"] })),
		date("never-moves", "is one fixed date", sets("updatedAt", "2025-05-01T08:00:00Z")),
		date("before-createdAt", "is before createdAt", sets("updatedAt", "2001-01-01T00:00:00Z")),
		date("epoch", "is the start of 1970", sets("updatedAt", "1970-01-01T00:00:00Z")),
		date("null", "is null after a change", setsAfterChange("updatedAt", nil)),
		date("zone-east", "is the time two hours east of Greenwich, with Z", off(2*time.Hour, time.RFC3339)),
		date("zone-west", "is the time five hours west of Greenwich, with Z", off(-5*time.Hour, time.RFC3339)),
		date("zone-half-hour", "is the time of Delhi, with Z", off(5*time.Hour+30*time.Minute, time.RFC3339)),
		date("offset-wrong", "is the time of Greenwich with the offset of Berlin", written(func(_ *exchange, now time.Time) string {
			return now.Format("2006-01-02T15:04:05") + "+02:00"
		})),
		date("gmt-wrong", "is the time of Berlin and called GMT", off(2*time.Hour, http.TimeFormat)),
		date("space-zone-wrong", "is the time of New York, with Z, after a space", off(-5*time.Hour, "2006-01-02 15:04:05Z")),
		date("hour-behind", "is an hour ago", off(-time.Hour, time.RFC3339)),
		date("tomorrow", "is a day ahead", off(day, time.RFC3339)),
		date("next-year", "is a year ahead", off(365*day, time.RFC3339)),
		date("local-days-ago", "is two days ago, without a zone", off(-2*day, time.DateTime)),
		date("day-before-yesterday", "is a date, that of the day before yesterday", off(-2*day, time.DateOnly)),
		date("process-start", "is when the server was started", written(func(x *exchange, _ time.Time) string {
			return x.started.UTC().Add(-3 * time.Hour).Format(time.RFC3339) // hours before the run
		})),
		date("started-before", "is when the server was started, ten seconds ago", written(startedAgo(10*time.Second, time.RFC3339))),
		date("started-now", "is when the server was started, a moment ago", written(startedAgo(0, time.RFC3339Nano))),
		date("backwards", "goes a minute back each time", written(func(x *exchange, now time.Time) string {
			return now.Add(-time.Duration(x.n) * time.Minute).Format(time.RFC3339)
		})),
		date("back-and-forth", "jumps an hour back every third time", shows(func(x *exchange, data object) {
			if x.n%3 == 0 {
				data["updatedAt"] = time.Now().UTC().Add(-time.Hour).Format(time.RFC3339)
			}
		})),
	}
}

func startedAgo(by time.Duration, layout string) func(*exchange, time.Time) string {
	return func(x *exchange, _ time.Time) string { return x.started.UTC().Add(-by).Format(layout) }
}

// standing are dates of an update that stay for a while after one.
func standing(*spec.Contract) []row {
	return []row{fault("updated-at-stands", "PROFILE-12 HOST-11 CAMPAIGN-14", "updatedAt stays for a minute after an update",
		keepsDate(time.Minute)).choosing(func(c *reference.Choices) { c.DateFormat = reference.DateMillis })}
}

// standingSeconds are in whole seconds, which need not move within a short run.
func standingSeconds(*spec.Operation) []row {
	date := func(name, sentence string, does behaviour) row {
		return fault("updatedAt-"+name, "updatedAt", "updatedAt is "+sentence+", in whole seconds", does)
	}
	return []row{
		date("of-the-first", "the date of the first update", keepsDate(time.Hour)),
		date("just-started", "when the server was started, a moment ago", shows(func(x *exchange, data object) {
			data["updatedAt"] = startedAgo(0, time.RFC3339)(x, time.Time{})
		})),
	}
}

// keepsDate shows the date of an update as that of those which follow within a time, too.
func keepsDate(within time.Duration) behaviour {
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

func since(date string) time.Duration {
	at, err := time.Parse(time.RFC3339, date)
	if err != nil {
		return time.Hour
	}
	return time.Since(at)
}

// swapped are representations with the values of two fields swapped, or one value for all.
func swapped(op *spec.Operation) []row {
	var rows []row
	add := func(name, clauses, sentence string, change func(data object)) {
		rows = append(rows, fault(name, clauses, sentence, shows(func(_ *exchange, data object) { change(data) })))
	}
	for i, f := range op.Body.Fields {
		for _, g := range op.Body.Fields[i+1:] {
			if listed(f) != listed(g) {
				continue
			}
			add("swapped-"+f.Name+"-"+g.Name, "shows", f.Name+" and "+g.Name+" are swapped", func(data object) {
				data[f.Name], data[g.Name] = data[g.Name], data[f.Name]
			})
			add("copied-"+f.Name+"-"+g.Name, "shows", g.Name+" shows "+f.Name, func(data object) { data[g.Name] = data[f.Name] })
		}
		add("constant-"+f.Name, "shows", f.Name+" always shows the same", func(data object) { data[f.Name] = placeholder(f, "") })
		if f.Optional {
			add("never-"+f.Name, "shows persists", f.Name+" is shown as unset after it was set", func(data object) { data[f.Name] = nil })
			add("absent-"+f.Name, "shows persists", f.Name+" is left out after it was set", func(data object) { delete(data, f.Name) })
		}
	}
	return rows
}
