package faults

import (
	"fmt"
	"maps"
	"slices"

	"github.com/adconform/adconform/spec"
)

// undone is an update that is changed again in secret: change says to what, knowing what
// the object held before, and nil changes nothing.
func undone(name, sentence string, change func(x *exchange, before object) object) row {
	return fault(name, "persists shows EFFECT-1", sentence, func(x *exchange) *answer {
		before := x.current(x.ids...)
		return then(func(x *exchange, a *answer) (request, bool) {
			if !a.ok() || before == nil {
				return x.request, false
			}
			fields := change(x, before)
			return x.with(saying(fields)), fields != nil
		})(x)
	})
}

// notStored are updates that are shown and not made, or undone by a later one.
func notStored(op *spec.Operation) []row {
	whole := func(name, sentence string, is condition) row {
		return undone(name, sentence, func(x *exchange, before object) object {
			if !setsMine(x) || !is(x) {
				return nil
			}
			return onlyFields(op, before)
		})
	}
	rows := []row{
		whole("not-stored", "an update is shown and not made", always),
		whole("every-second-lost", "every second update is shown and not made", nth(2)),
		whole("every-fifth-lost", "every fifth update is shown and not made", nth(5)),
	}
	if len(op.Body.Fields) < 2 {
		return rows
	}
	for _, f := range op.Body.Fields {
		rows = append(rows, undone("not-stored-"+f.Name, "a new "+f.Name+" is shown and not stored", func(x *exchange, before object) object {
			if sent := x.fields()[f.Name]; !setsMine(x) || sent == nil || before[f.Name] == nil || before[f.Name] == sent {
				return nil
			}
			return object{f.Name: before[f.Name]}
		}))
	}
	return rows
}

// stale are answers that show an object as it was.
func stale(*spec.Operation) []row {
	old := func(name, sentence string, is condition) row {
		return fault(name, "shows persists updatedAt EFFECT-1", sentence, func(x *exchange) *answer {
			before := x.current(x.ids...)
			a := x.forward()
			if a.ok() && before != nil && is(x) {
				return a.shown(func(data object) { maps.Copy(data, before) })
			}
			return a
		})
	}
	return []row{
		old("old-representation", "an update is made and the old representation shown", always),
		old("old-sometimes", "every sixth answer shows the object as it was before", nth(6)),
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
	before, _ := recall[object](x, "before "+x.path)
	if len(fields) > 0 {
		before, _ = recall[object](x, "now "+x.path)
		x.keep("before "+x.path, before)
		x.keep("now "+x.path, a.data())
	}
	return a.shown(func(data object) {
		for _, f := range x.op.Body.Fields {
			if _, sent := fields[f.Name]; before != nil && !sent {
				data[f.Name] = before[f.Name]
			}
		}
	})
}

// changedToo are updates that change another object in secret too, or instead: another
// of the owner's, one beside it, or the stranger's.
func changedToo(op *spec.Operation) []row {
	var rows []row
	type done = func(*exchange, *answer) bool
	too := func(name, clause, sentence string, is done, place func(*exchange) request, fields func(*exchange) object) {
		rows = append(rows, fault(name, clause+" EFFECT-1 EFFECT-2 persists", sentence, then(func(x *exchange, a *answer) (request, bool) {
			if !is(x, a) {
				return x.request, false
			}
			return place(x).with(saying(fields(x))), true
		})))
	}
	other := func(x *exchange) request { return x.with(x.to(x.other()...)) }
	foreign := func(x *exchange) request { return x.with(x.to(x.foreign()...), x.as(x.stranger())) }
	made := func(x *exchange, a *answer) bool { return a.ok() && setsMine(x) }
	refused := func(is condition) func(*exchange, *answer) bool {
		return func(x *exchange, a *answer) bool { return a.status == 403 && is(x) }
	}
	sent, values := (*exchange).fields, func(x *exchange) object { return onlyFields(op, x.fields()) }
	defaults := func(*exchange) object {
		doc := object{}
		for _, f := range op.Body.Fields {
			doc[f.Name] = placeholder(f, "untitled.example.com")
		}
		return doc
	}
	strangers := all(byStranger, onMine, func(x *exchange) bool { return len(x.fields()) > 0 })
	too("other-too", "EFFECT-2", "an update changes another object too", made, other, sent)
	too("other-resets", "EFFECT-2", "an update resets another object", made, other, defaults)
	too("foreign-too", "EFFECT-2", "an update changes the stranger's object too", made, foreign, values)
	too("foreign-resets", "EFFECT-2", "an update resets the stranger's object", made, foreign, defaults)
	too("foreign-made", "EFFECT-1", "the owner's update of the stranger's object is refused and made", refused(all(byOwner, onForeign)),
		foreign, values)
	too("foreign-in-place", "EFFECT-1", "the stranger's update of the owner's object is refused and made on the stranger's own",
		refused(strangers), foreign, values)
	if several(op) {
		too("sibling-too", "EFFECT-2", "an update changes the object beside it too", made,
			func(x *exchange) request { return x.with(x.to(x.sibling()...)) }, sent)
	}
	for _, f := range op.Body.Fields {
		if len(op.Body.Fields) > 1 {
			sets := func(x *exchange, a *answer) bool { return made(x, a) && x.fields()[f.Name] != nil }
			value := func(x *exchange) object { return object{f.Name: x.fields()[f.Name]} }
			too("other-"+f.Name, "EFFECT-2", "an update sets "+f.Name+" of another object too", sets, other, value)
			too("foreign-too-"+f.Name, "EFFECT-2", "an update sets "+f.Name+" of the stranger's object too", sets, foreign, value)
		}
	}
	return append(rows, fault("other-instead", "EFFECT-2 persists shows", "an update is shown and made on another object",
		when(setsMine, func(x *exchange) *answer {
			a := x.send(x.with(saying(object{}))).shown(func(data object) { maps.Copy(data, values(x)) })
			x.secretly(other(x))
			return a
		})))
}

// storedOtherwise are texts that are shown as sent and stored otherwise.
func storedOtherwise(op *spec.Operation) []row {
	var rows []row
	for _, f := range op.Body.Fields {
		for _, way := range texts {
			if !way.means(f) {
				continue
			}
			r := fault("stores-"+way.name+"-"+f.Name, "persists shows EFFECT-1", f.Name+" is shown as sent and stored "+way.sentence,
				stores(func(_ *exchange, fields object) { inText(fields, f, way.spoil) }))
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
		if len(op.Body.Fields) == 1 {
			continue
		}
		alone := func(name, sentence string, change func(before object, sent any) object) {
			rows = append(rows, undone("alone-"+name, "an update of "+f.Name+" alone "+sentence, func(x *exchange, before object) object {
				if sent := x.only(f); sent != nil && before[f.Name] != sent {
					return change(before, sent)
				}
				return nil
			}))
		}
		alone("ignored-"+f.Name, "is shown and not made", func(before object, _ any) object { return object{f.Name: before[f.Name]} })
		if listed(f) {
			alone("default-"+f.Name, "sets it to the last of its values", func(object, any) object {
				return object{f.Name: f.Enum[len(f.Enum)-1]}
			})
		} else {
			alone("resets-"+f.Name, "sets it to a default", func(object, any) object { return object{f.Name: "untitled.example.com"} })
			rows = append(rows, fault("alone-shown-old-"+f.Name, "shows persists", "an update of "+f.Name+" alone is ignored",
				when(func(x *exchange) bool { return x.only(f) != nil }, says(object{}))))
		}
		for _, g := range op.Body.Fields {
			if g == f || len(g.Enum) != len(f.Enum) || g.Hostname || g.Name == "name" {
				continue
			}
			alone("stored-as-"+g.Name+"-"+f.Name, "is stored for "+g.Name, func(before object, sent any) object {
				return object{f.Name: before[f.Name], g.Name: sent}
			})
			alone("too-"+g.Name+"-"+f.Name, "sets "+g.Name+" too", func(_ object, sent any) object { return object{g.Name: sent} })
		}
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
		if !f.Optional {
			continue
		}
		// given is an update that gives the field, which is changed in secret to what it was, or to another value.
		given := func(name, sentence string, is func(alone bool, sent, before any) bool, value any) {
			rows = append(rows, undone(name+"-"+f.Name, f.Name+" "+sentence, func(x *exchange, before object) object {
				sent, given := x.fields()[f.Name]
				if !given || !is(len(x.fields()) == 1, sent, before[f.Name]) {
					return nil
				}
				if value == "before" {
					return object{f.Name: before[f.Name]}
				}
				return object{f.Name: value}
			}))
		}
		unsets := func(_ bool, sent, before any) bool { return sent == nil && before != nil }
		given("unset-not-stored", "is shown as unset and stays", unsets, "before")
		given("unset-alone-not-stored", "is shown as unset and stays where it is unset alone",
			func(alone bool, sent, before any) bool { return alone && unsets(alone, sent, before) }, "before")
		given("unset-in-full-not-stored", "is shown as unset and stays where all fields are sent",
			func(alone bool, sent, before any) bool { return !alone && unsets(alone, sent, before) }, "before")
		given("unset-stores-text", "is shown as unset and holds a text from then on",
			func(_ bool, sent, _ any) bool { return sent == nil }, "null")
		given("set-again-lost", "is shown as set again after it was unset, and stays unset",
			func(_ bool, sent, before any) bool { return sent != nil && before == nil }, nil)
	}
	return rows
}

// readsThatWrite are lists that change what an update set: they bring it back to what it was.
func readsThatWrite(c *spec.Contract) []row {
	var rows []row
	for _, op := range c.Operations {
		if !op.Updates() {
			continue
		}
		start := "start " + op.ID
		clauses := op.Effects["persists"] + " EFFECT-1 EFFECT-2"
		rows = append(rows, fault("read-writes/"+op.ID, clauses, "A list brings what "+op.ID+" set back to what it was",
			func(x *exchange) *answer {
				before, had := recall[object](x, start)
				if x.op == op && onMine(x) && byOwner(x) && !had {
					x.keep(start, onlyFields(op, x.current(x.ids...)))
				}
				a := x.forward()
				if had && of(mediaFileList)(x) && a.ok() {
					x.secretly(x.with(x.as(x.owner()), saying(before), func(r *request) {
						r.method, r.path, r.query = op.Method, x.at(op, idsOf(x.World.Objects, op, itself)...), ""
						r.header.Set("Content-Type", "application/json")
					}))
				}
				return a
			}).graded(Critical))
	}
	return rows
}
