package faults

import "github.com/adconform/adconform/spec"

// setAlone are updates of one field alone that do something else than they show.
func setAlone(op *spec.Operation) []row {
	var rows []row
	for _, f := range op.Body.Fields {
		if len(op.Body.Fields) > 1 {
			rows = append(rows, aloneOf(op, f)...)
		}
	}
	return rows
}

func aloneOf(op *spec.Operation, f *spec.Field) []row {
	alone := func(name, sentence string, change func(before object, sent any) object) row {
		return fault("alone-"+name, "persists shows EFFECT-1", "an update of "+f.Name+" alone "+sentence,
			undoes(func(x *exchange, before object) object {
				sent := x.only(f)
				if sent == nil || before[f.Name] == sent {
					return nil
				}
				return change(before, sent)
			}))
	}
	rows := []row{alone("ignored-"+f.Name, "is shown and not made",
		func(before object, _ any) object { return object{f.Name: before[f.Name]} })}
	if listed(f) {
		rows = append(rows, alone("default-"+f.Name, "sets it to the last of its values", func(object, any) object {
			return object{f.Name: f.Enum[len(f.Enum)-1]}
		}))
	} else {
		ignored := when(func(x *exchange) bool { return x.only(f) != nil }, says(object{}))
		rows = append(rows,
			alone("resets-"+f.Name, "sets it to a default", func(object, any) object { return object{f.Name: "untitled.example.com"} }),
			fault("alone-shown-old-"+f.Name, "shows persists", "an update of "+f.Name+" alone is ignored", ignored))
	}
	for _, g := range op.Body.Fields {
		if g == f || len(g.Enum) != len(f.Enum) || g.Hostname || g.Name == "name" {
			continue
		}
		rows = append(rows,
			alone("stored-as-"+g.Name+"-"+f.Name, "is stored for "+g.Name, func(before object, sent any) object {
				return object{f.Name: before[f.Name], g.Name: sent}
			}),
			alone("too-"+g.Name+"-"+f.Name, "sets "+g.Name+" too", func(_ object, sent any) object { return object{g.Name: sent} }))
	}
	return rows
}

// only is what the owner sends for a field and for no other, nil for anything else.
func (x *exchange) only(f *spec.Field) any {
	if fields := x.fields(); len(fields) == 1 && byOwner(x) {
		return fields[f.Name]
	}
	return nil
}

// unset are updates with null, and those after them.
func unset(op *spec.Operation) []row {
	var rows []row
	for _, f := range op.Body.Fields {
		if f.Optional {
			rows = append(rows, unsetOf(f)...)
		}
	}
	return rows
}

func unsetOf(f *spec.Field) []row {
	// given is an update that gives the field, changed in secret to another value.
	given := func(name, sentence string, is func(x *exchange, sent, before any) bool, value func(before any) any) row {
		return fault(name+"-"+f.Name, "persists shows EFFECT-1", f.Name+" "+sentence, undoes(func(x *exchange, before object) object {
			sent, given := x.fields()[f.Name]
			if !given || !is(x, sent, before[f.Name]) {
				return nil
			}
			return object{f.Name: value(before[f.Name])}
		}))
	}
	same := func(before any) any { return before }
	unsets := func(alone, full bool) func(x *exchange, sent, before any) bool {
		return func(x *exchange, sent, before any) bool {
			only := len(x.fields()) == 1
			return sent == nil && before != nil && (only && alone || !only && full)
		}
	}
	return []row{
		given("unset-not-stored", "is shown as unset and stays", unsets(true, true), same),
		given("unset-alone-not-stored", "is shown as unset and stays where it is unset alone", unsets(true, false), same),
		given("unset-in-full-not-stored", "is shown as unset and stays where all fields are sent", unsets(false, true), same),
		given("unset-stores-text", "is shown as unset and holds a text from then on",
			func(_ *exchange, sent, _ any) bool { return sent == nil }, func(any) any { return "null" }),
		given("set-again-lost", "is shown as set again after it was unset, and stays unset",
			func(_ *exchange, sent, before any) bool { return sent != nil && before == nil }, func(any) any { return nil }),
	}
}
