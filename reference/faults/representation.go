package faults

import (
	"encoding/json"
	"maps"
	"time"

	"github.com/adconform/adconform/spec"
)

// representationFaults answer an update with a representation that is wrong in
// what it says, not in its form.
func representationFaults(c *spec.Contract) []Fault {
	var all []Fault
	for _, op := range updates(c) {
		all = append(all, wrongObject(op)...)
		all = append(all, moved(op)...)
		all = append(all, updatedAt(op)...)
		all = append(all, swapped(op)...)
	}
	return all
}

func showing(op *spec.Operation, name, clause, sentence string, also []string, change func(x *exchange, n int64, data map[string]any)) Fault {
	return Fault{
		ID: "shown/" + name + "/" + op.ID, Clause: clause, Also: also, Sentence: op.ID + ": " + sentence + ".",
		Wrap: fresh(func() behaviour {
			var seen counter
			return on(op.ID, func(x *exchange) *answer {
				return x.forward().shown(func(data map[string]any) { change(x, seen.next(), data) })
			})
		}),
	}
}

// wrongObject are representations of another object.
func wrongObject(op *spec.Operation) []Fault {
	identity, shows := op.Effects["identity"], op.Effects["shows"]
	also := []string{shows, op.Effects["stays"], "EFFECT-2", op.Effects["updatedAt"]}
	all := []Fault{
		showing(op, "other-object", identity, "the representation is that of another object", also, func(x *exchange, _ int64, data map[string]any) {
			if x.onMine() {
				maps.Copy(data, x.current(x.other(op)...))
			}
		}),
		showing(op, "foreign-object", identity, "the representation is that of the stranger's object", also, func(x *exchange, _ int64, data map[string]any) {
			if x.onMine() {
				foreign := x.peek(x.request.with(x.as(x.stranger()), to(x.at(op, x.foreign(op)...)), saying([]byte("{}"))))
				maps.Copy(data, foreign.data())
			}
		}),
		showing(op, "other-values", shows, "the representation has the right id and the values of another object", also, func(x *exchange, _ int64, data map[string]any) {
			if x.onMine() {
				id := data["id"]
				maps.Copy(data, x.current(x.other(op)...))
				data["id"] = id
			}
		}),
		showing(op, "zero-id", identity, "the id is 0", nil, func(_ *exchange, _ int64, data map[string]any) { data["id"] = 0 }),
	}
	if len(op.Params) > 1 {
		all = append(all,
			showing(op, "parent-id", identity, "the id is that of the parent", nil, func(x *exchange, _ int64, data map[string]any) { data["id"] = json.Number(x.ids[len(x.ids)-2]) }),
			showing(op, "sibling-object", identity, "the representation is that of the object beside it", also, func(x *exchange, _ int64, data map[string]any) {
				if x.onMine() {
					maps.Copy(data, x.current(x.sibling(op)...))
				}
			}),
		)
	}
	return all
}

// moved are updates that show another value for what no update changes.
func moved(op *spec.Operation) []Fault {
	stays := op.Effects["stays"]
	var all []Fault
	for _, f := range op.Representation().Fields {
		add := func(name, sentence string, change func(x *exchange, n int64, data map[string]any)) {
			all = append(all, showing(op, f.Name+"-"+name, stays, f.Name+" "+sentence, []string{op.Effects["updatedAt"]}, change))
		}
		switch {
		case f.Stays && f.Date:
			shift := func(data map[string]any, by time.Duration) {
				if t, err := time.Parse(time.RFC3339, data[f.Name].(string)); err == nil {
					data[f.Name] = t.Add(by).Format(time.RFC3339)
				}
			}
			add("is-now", "is the time of the update", func(_ *exchange, n int64, data map[string]any) {
				data[f.Name] = time.Now().UTC().Add(time.Duration(n) * time.Second).Format(time.RFC3339)
			})
			add("drifts", "is a second later each time", func(_ *exchange, n int64, data map[string]any) { shift(data, time.Duration(n)*time.Second) })
			add("zone-lost", "is two hours off every second time", func(_ *exchange, n int64, data map[string]any) { shift(data, time.Duration(n%2)*2*time.Hour) })
			add("year-off", "is a year off from the tenth answer on", func(_ *exchange, n int64, data map[string]any) { shift(data, time.Duration(n/10)*365*24*time.Hour) })
			add("from-body", "is taken from the body", fromBody(f.Name))
		case f.Stays && f.Type == "integer":
			add("counts", "is one more each time", func(_ *exchange, n int64, data map[string]any) { data[f.Name] = int64(number(data[f.Name])) + n })
			add("zero", "is 0 after an update", func(x *exchange, _ int64, data map[string]any) {
				if len(x.fields()) > 0 {
					data[f.Name] = 0
				}
			})
			add("from-body", "is taken from the body", fromBody(f.Name))
		case f.Stays:
			add("other", "is another after an update", func(x *exchange, _ int64, data map[string]any) {
				if len(x.fields()) > 0 {
					data[f.Name] = "display"
				}
			})
			add("from-body", "is taken from the body", fromBody(f.Name))
		}
	}
	return append(all, showing(op, "id-from-body", op.Effects["identity"], "id is taken from the body", nil, fromBody("id")))
}

// fromBody shows what the body says of a field that it cannot change.
func fromBody(field string) func(*exchange, int64, map[string]any) {
	return func(x *exchange, _ int64, data map[string]any) {
		if v, sent := x.fields()[field]; sent {
			data[field] = v
		}
	}
}

// updatedAt are updates that leave a wrong date of update.
func updatedAt(op *spec.Operation) []Fault {
	clause := op.Effects["updatedAt"]
	var all []Fault
	add := func(name, sentence string, change func(x *exchange, n int64, data map[string]any)) {
		all = append(all, showing(op, "updatedAt-"+name, clause, "updatedAt "+sentence, []string{op.Representation().Field("updatedAt").Clause}, change))
	}
	add("backwards", "goes a minute back each time", func(_ *exchange, n int64, data map[string]any) {
		data["updatedAt"] = time.Now().UTC().Add(-time.Duration(n) * time.Minute).Format(time.RFC3339)
	})
	add("back-and-forth", "jumps an hour back every third time", func(_ *exchange, n int64, data map[string]any) {
		if n%3 == 0 {
			data["updatedAt"] = time.Now().UTC().Add(-time.Hour).Format(time.RFC3339)
		}
	})
	add("before-createdAt", "is before createdAt", func(_ *exchange, _ int64, data map[string]any) { data["updatedAt"] = "2001-01-01T00:00:00Z" })
	add("epoch", "is the start of 1970", func(_ *exchange, _ int64, data map[string]any) { data["updatedAt"] = "1970-01-01T00:00:00Z" })
	add("null", "is null after a change", func(x *exchange, _ int64, data map[string]any) {
		if len(x.fields()) > 0 {
			data["updatedAt"] = nil
		}
	})
	return all
}

// swapped are representations with the values of two fields swapped.
func swapped(op *spec.Operation) []Fault {
	var all []Fault
	fields := op.Body.Fields
	for i, f := range fields {
		for _, g := range fields[i+1:] {
			if len(f.Enum) > 0 != (len(g.Enum) > 0) {
				continue
			}
			all = append(all, showing(op, "swapped-"+f.Name+"-"+g.Name, op.Effects["shows"], f.Name+" and "+g.Name+" are swapped", nil, func(_ *exchange, _ int64, data map[string]any) {
				data[f.Name], data[g.Name] = data[g.Name], data[f.Name]
			}), showing(op, "copied-"+f.Name+"-"+g.Name, op.Effects["shows"], g.Name+" shows "+f.Name, nil, func(_ *exchange, _ int64, data map[string]any) {
				data[g.Name] = data[f.Name]
			}))
		}
	}
	for _, f := range fields {
		value := any("")
		if len(f.Enum) > 0 {
			value = f.Enum[0]
		}
		all = append(all, showing(op, "constant-"+f.Name, op.Effects["shows"], f.Name+" always shows the same", nil, func(_ *exchange, _ int64, data map[string]any) { data[f.Name] = value }))
		if f.Optional {
			all = append(all, showing(op, "never-"+f.Name, op.Effects["shows"], f.Name+" is shown as unset after it was set", []string{op.Effects["persists"]}, func(_ *exchange, _ int64, data map[string]any) { data[f.Name] = nil }),
				showing(op, "absent-"+f.Name, op.Effects["shows"], f.Name+" is left out after it was set", []string{op.Effects["persists"]}, func(_ *exchange, _ int64, data map[string]any) { delete(data, f.Name) }))
		}
	}
	return all
}
