package faults

import (
	"fmt"
	"maps"
	"slices"

	"github.com/adconform/adconform/spec"
)

// notStored are updates that are shown and not made, or undone by a later one.
func notStored(op *spec.Operation) []row {
	lost := func(name, sentence string, change func(x *exchange, before object) object) row {
		return fault(name, "persists shows EFFECT-1", sentence, undoes(func(x *exchange, before object) object {
			if !setsMine(x) {
				return nil
			}
			return change(x, before)
		}))
	}
	whole := func(is condition) func(x *exchange, before object) object {
		return func(x *exchange, before object) object {
			if !is(x) {
				return nil
			}
			return onlyFields(op, before)
		}
	}
	rows := []row{
		lost("not-stored", "an update is shown and not made", whole(always)),
		lost("every-second-lost", "every second update is shown and not made", whole(nth(2))),
		lost("every-fifth-lost", "every fifth update is shown and not made", whole(nth(5))),
	}
	if len(op.Body.Fields) < 2 {
		return rows
	}
	for _, f := range op.Body.Fields {
		rows = append(rows,
			lost("not-stored-"+f.Name, "a new "+f.Name+" is shown and not stored", func(x *exchange, before object) object {
				if sent := x.fields()[f.Name]; sent == nil || before[f.Name] == nil || before[f.Name] == sent {
					return nil
				}
				return object{f.Name: before[f.Name]}
			}),
			fault("restores-others-with-"+f.Name, "persists shows EFFECT-1",
				"an update of "+f.Name+" alone brings the other fields back to what they were one update before", restoresOthers(f)))
	}
	return rows
}

// history keeps what an object holds now, and what it held one update before.
func (x *exchange) history(now object) {
	if latest, had := recall[object](x, "latest "+x.path); had {
		x.keep("earlier "+x.path, latest)
	}
	x.keep("latest "+x.path, now)
}

func (x *exchange) earlier() (object, bool) { return recall[object](x, "earlier "+x.path) }

func restoresOthers(f *spec.Field) behaviour {
	return func(x *exchange) *answer {
		fields := x.fields()
		a := x.forward()
		if !a.ok() || !setsMine(x) {
			return a
		}
		if len(fields) > 1 {
			x.history(onlyFields(x.op, a.data()))
			return a
		}
		old, had := x.earlier()
		if _, only := fields[f.Name]; !had || !only {
			return a
		}
		old = maps.Clone(old)
		old[f.Name] = fields[f.Name]
		return x.send(x.with(saying(old)))
	}
}

// stale are answers that show an object as it was.
func stale(*spec.Operation) []row {
	const clauses = "shows persists updatedAt EFFECT-1"
	old := func(is condition) behaviour {
		return func(x *exchange) *answer {
			before := x.current(x.ids...)
			a := x.forward()
			if a.ok() && before != nil && is(x) {
				return a.shown(func(data object) { maps.Copy(data, before) })
			}
			return a
		}
	}
	return []row{
		fault("old-representation", clauses, "an update is made and the old representation shown", old(always)),
		fault("old-sometimes", clauses, "every sixth answer shows the object as it was before", old(nth(6))),
		fault("stale-reads", "persists shows updatedAt EFFECT-1", "what is not sent is shown as it was before the last update", staleReads).
			graded(Major), // shown so, and stored as it is
		fault("two-processes", "persists shows updatedAt", "every second answer is of a process that keeps what it read once", twoProcesses).
			graded(Major),
	}
}

// twoProcesses answer in turn, each as it read an object first, with the updates that came
// to it. All of them are stored.
func twoProcesses(x *exchange) *answer {
	before := x.current(x.ids...)
	a := x.forward()
	if !a.ok() || before == nil {
		return a
	}
	key := fmt.Sprint("process ", x.count()%2, " ", x.path)
	view, had := recall[object](x, key)
	if !had {
		view = onlyFields(x.op, before)
	}
	view = maps.Clone(view)
	stored := a.data()
	for name := range x.fields() {
		if x.op.Body.Named(name) != nil {
			view[name] = stored[name]
		}
	}
	x.keep(key, view)
	return a.shown(func(data object) { maps.Copy(data, view) })
}

func staleReads(x *exchange) *answer {
	fields := x.fields()
	a := x.forward()
	if !a.ok() || fields == nil {
		return a
	}
	if len(fields) > 0 {
		x.history(a.data())
	}
	before, had := x.earlier()
	if !had {
		return a
	}
	return a.shown(func(data object) {
		for _, f := range x.op.Body.Fields {
			if _, sent := fields[f.Name]; !sent {
				data[f.Name] = before[f.Name]
			}
		}
	})
}

// changedToo are updates that change another object in secret too, or instead: another
// of the owner's, one beside it, or the stranger's.
func changedToo(op *spec.Operation) []row {
	type place = func(x *exchange) func(*request) // nil where there is none
	too := func(name, clauses, sentence string, is func(*exchange, *answer) bool, at place, fields func(*exchange) object) row {
		return fault(name, clauses+" EFFECT-1 EFFECT-2 persists", sentence, then(func(x *exchange, a *answer) (request, bool) {
			if !is(x, a) || at(x) == nil {
				return x.request, false
			}
			return x.with(at(x), saying(fields(x))), true
		}))
	}
	own := func(ids func(x *exchange) []string) place {
		return func(x *exchange) func(*request) {
			if ids(x) == nil {
				return nil
			}
			return x.to(ids(x)...)
		}
	}
	other, sibling := own((*exchange).other), own((*exchange).sibling)
	foreign := func(x *exchange) func(*request) {
		return func(r *request) { *r = r.with(x.to(x.foreign()...), x.as(x.stranger())) }
	}
	made := func(x *exchange, a *answer) bool { return a.ok() && setsMine(x) }
	refused := func(is condition) func(*exchange, *answer) bool {
		return func(x *exchange, a *answer) bool { return a.status == 403 && is(x) }
	}
	values := func(x *exchange) object { return onlyFields(op, x.fields()) }
	defaults := func(*exchange) object { return reset(op) }
	strangers := all(byStranger, onMine, func(x *exchange) bool { return len(x.fields()) > 0 })
	rows := []row{
		fault("other-instead", "EFFECT-2 persists shows", "an update is shown and made on another object", when(setsMine, madeOnOther)),
		too("other-too", "EFFECT-2", "an update changes another object too", made, other, (*exchange).fields),
		too("other-resets", "EFFECT-2", "an update resets another object", made, other, defaults),
		too("foreign-too", "EFFECT-2", "an update changes the stranger's object too", made, foreign, values),
		too("foreign-resets", "EFFECT-2", "an update resets the stranger's object", made, foreign, defaults),
		too("foreign-made", "EFFECT-1", "the owner's update of the stranger's object is refused and made",
			refused(all(byOwner, onForeign)), foreign, values),
		too("foreign-in-place", "EFFECT-1", "the stranger's update of the owner's object is refused and made on the stranger's own",
			refused(strangers), foreign, values),
	}
	if several(op) {
		rows = append(rows, too("sibling-too", "EFFECT-2", "an update changes the object beside it too", made, sibling, (*exchange).fields))
	}
	for _, f := range op.Body.Fields {
		if len(op.Body.Fields) > 1 {
			sets := func(x *exchange, a *answer) bool { return made(x, a) && x.fields()[f.Name] != nil }
			value := func(x *exchange) object { return object{f.Name: x.fields()[f.Name]} }
			rows = append(rows,
				too("other-"+f.Name, "EFFECT-2", "an update sets "+f.Name+" of another object too", sets, other, value),
				too("foreign-too-"+f.Name, "EFFECT-2", "an update sets "+f.Name+" of the stranger's object too", sets, foreign, value))
		}
	}
	return rows
}

// madeOnOther shows the object as it is, with the fields that were sent.
func madeOnOther(x *exchange) *answer {
	a := x.send(x.with(saying(object{}))).shown(func(data object) { maps.Copy(data, onlyFields(x.op, x.fields())) })
	x.secretly(x.with(x.to(x.other()...)))
	return a
}

// storedOtherwise are texts that are shown as sent and stored otherwise.
func storedOtherwise(op *spec.Operation) []row {
	var rows []row
	for _, f := range op.Body.Fields {
		for _, way := range texts {
			if !way.stored(f) {
				continue
			}
			r := fault("stores-"+way.name+"-"+f.Name, "persists shows EFFECT-1", f.Name+" is shown as sent and stored "+way.sentence,
				stores(func(_ *exchange, fields object) { way.in(fields, f) }))
			if way.rare {
				r = r.choosing(permissive)
			}
			rows = append(rows, r)
		}
	}
	if listed := enums(op); len(listed) == 2 {
		one, two := listed[0].Name, listed[1].Name
		rows = append(rows, fault("stores-swapped", "persists shows", "the two actions are shown as sent and stored swapped",
			stores(func(_ *exchange, fields object) {
				if fields[one] != nil && fields[two] != nil {
					fields[one], fields[two] = fields[two], fields[one]
				}
			})))
	}
	return rows
}

// mixedUp shows, of two updates at the same time, the values of one in both answers:
// a variable that requests share.
func mixedUp(*spec.Operation) []row {
	does := func(x *exchange) *answer {
		fields := x.fields()
		if !byOwner(x) || len(fields) == 0 {
			return x.forward()
		}
		x.keep("shared", fields)
		x.meet("", "")
		return x.forward().shown(func(data object) {
			late, _ := recall[object](x, "shared")
			for name := range fields {
				if v := late[name]; v != nil && slices.Contains([]string{"name", "hostname"}, name) {
					data[name] = v
				}
			}
		})
	}
	return []row{fault("mixed-up", "shows identity persists operation EFFECT-2",
		"of two updates at the same time both show the values of one", does)}
}

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
