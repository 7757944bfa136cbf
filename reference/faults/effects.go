package faults

import (
	"fmt"
	"maps"

	"github.com/adconform/adconform/spec"
)

// asItWas shows an update and does not make it.
var asItWas = saves(func(_ *exchange, before object) object { return before })

// notStored are updates that are shown and not made.
func notStored(op *spec.Operation) []row {
	lost := func(name, sentence string, is condition) row {
		return fault(name, "persists shows EFFECT-1", sentence, when(all(setsMine, is), asItWas))
	}
	rows := []row{
		lost("not-stored", "an update is shown and not made", always),
		lost("every-second-lost", "every second update is shown and not made", nth(2)),
	}
	for _, f := range op.Body.Fields {
		rows = append(rows, keptFields(op, f)...)
	}
	if enums := fieldsOf(op, listed); len(enums) == 2 {
		one, two := enums[0].Name, enums[1].Name
		rows = append(rows, fault("stores-swapped", "persists shows", "the two actions are shown as sent and stored swapped",
			saves(func(x *exchange, _ object) object { return object{one: x.fields()[two], two: x.fields()[one]} })))
	}
	return rows
}

// change is what the owner's update makes of a field.
type change struct {
	alone        bool // no other field is given
	sent, before any
}

func (c change) sets() bool   { return c.sent != nil && c.sent != c.before }
func (c change) unsets() bool { return c.sent == nil && c.before != nil }

// keptFields are updates that store something else of a field than they show.
func keptFields(op *spec.Operation, f *spec.Field) (rows []row) {
	stored := func(name, sentence string, is func(c change) bool, value func(c change) object) {
		rows = append(rows, fault(name+"-"+f.Name, "persists shows EFFECT-1", sentence, saves(func(x *exchange, before object) object {
			sent, given := x.fields()[f.Name]
			if c := (change{len(x.fields()) == 1, sent, before[f.Name]}); given && byOwner(x) && is(c) {
				return value(c)
			}
			return nil
		})))
	}
	before := func(c change) object { return object{f.Name: c.before} }
	fixed := func(v any) func(change) object { return func(change) object { return object{f.Name: v} } }
	if f.Optional {
		stored("unset-not-stored", f.Name+" is shown as unset and stays", change.unsets, before)
		stored("unset-alone-not-stored", f.Name+" is shown as unset and stays where it is unset alone",
			func(c change) bool { return c.alone && c.unsets() }, before)
		stored("unset-in-full-not-stored", f.Name+" is shown as unset and stays where all fields are sent",
			func(c change) bool { return !c.alone && c.unsets() }, before)
		stored("unset-stores-text", f.Name+" is shown as unset and holds a text from then on", change.unsets, fixed("null"))
		stored("set-again-lost", f.Name+" is shown as set again after it was unset, and stays unset",
			func(c change) bool { return c.sets() && c.before == nil }, fixed(nil))
	}
	if len(op.Body.Fields) == 1 {
		return rows
	}
	alone := func(name, sentence string, value func(c change) object) {
		stored("alone-"+name, "an update of "+f.Name+" alone "+sentence, func(c change) bool { return c.alone && c.sets() }, value)
	}
	stored("not-stored", "a new "+f.Name+" is shown and not stored", change.sets, before)
	alone("ignored", "is shown and not made", before)
	if listed(f) {
		alone("default", "sets it to the last of its values", fixed(f.Enum[len(f.Enum)-1]))
	} else {
		alone("resets", "sets it to a default", fixed("untitled.example.com"))
		only := func(x *exchange) bool { return byOwner(x) && len(x.fields()) == 1 && x.fields()[f.Name] != nil }
		rows = append(rows, fault("alone-shown-old-"+f.Name, "shows persists", "an update of "+f.Name+" alone is ignored",
			when(only, says(object{}))))
	}
	for _, g := range op.Body.Fields {
		if g != f && len(g.Enum) == len(f.Enum) && !g.Hostname && g.Name != "name" {
			alone("stored-as-"+g.Name, "is stored for "+g.Name, func(c change) object { return object{f.Name: c.before, g.Name: c.sent} })
			alone("too-"+g.Name, "sets "+g.Name+" too", func(c change) object { return object{g.Name: c.sent} })
		}
	}
	return rows
}

// stale are answers that show an object as it was.
func stale(*spec.Operation) []row {
	old := func(name, clauses, sentence string, show func(x *exchange, data object)) row {
		return fault(name, clauses+" updatedAt EFFECT-1", sentence, knowing(shows(show)))
	}
	return []row{
		old("old-representation", "shows persists", "an update is made and the old representation shown",
			func(x *exchange, data object) { maps.Copy(data, x.before) }),
		old("old-sometimes", "shows persists", "every sixth answer shows the object as it was before", func(x *exchange, data object) {
			if x.n%6 == 0 {
				maps.Copy(data, x.before)
			}
		}),
		// These two are stored as they are.
		old("stale-reads", "persists shows", "what is not sent is shown as it was before the last update", staleReads).graded(Major),
		old("two-processes", "persists shows", "every second answer is of a process that keeps what it read once", twoProcesses).graded(Major),
	}
}

func staleReads(x *exchange, data object) {
	sent := x.fields()
	if len(sent) > 0 {
		x.keep(x.path, x.before)
	}
	if old, had := recall[object](x, x.path); had {
		for _, f := range x.op.Body.Fields {
			if _, given := sent[f.Name]; !given {
				data[f.Name] = old[f.Name]
			}
		}
	}
}

// twoProcesses answer in turn, each as it read an object first, with the updates that came
// to it. All of them are stored.
func twoProcesses(x *exchange, data object) {
	process := fmt.Sprint("process ", x.n%2, " ", x.path)
	view, had := recall[object](x, process)
	if !had {
		view = onlyFields(x.op, x.before)
	}
	view = maps.Clone(view)
	for name := range x.fields() {
		if x.op.Body.Named(name) != nil {
			view[name] = data[name]
		}
	}
	x.keep(process, view)
	maps.Copy(data, view)
}

// readsThatWrite are lists that change what an update set: they bring it back to what it was.
func readsThatWrite(op *spec.Operation) []row {
	return []row{everywhere("read-writes", "persists EFFECT-1 EFFECT-2", "A list brings what * set back to what it was",
		knowing(answers(func(x *exchange, a *answer) *answer {
			if of(op.ID)(x) && setsMine(x) && a.ok() {
				x.values.LoadOrStore("start", onlyFields(op, x.before))
				x.keep("ids", x.ids)
			}
			if start, had := recall[object](x, "start"); had && of(mediaFileList)(x) && a.ok() {
				ids, _ := recall[[]string](x, "ids")
				x.set(op, ids, start)
			}
			return a
		}))).graded(Critical)}
}

// changedToo are updates that change another object in secret too, or instead: another
// of the owner's, one beside it, or the stranger's.
func changedToo(op *spec.Operation) (rows []row) {
	too := func(name, clause, sentence string, status int, is condition, ids func(*exchange) []string, fields func(*exchange) object) {
		rows = append(rows, fault(name, clause+" EFFECT-1 EFFECT-2 persists", sentence, made(status, is, func(x *exchange) *answer {
			x.set(op, ids(x), fields(x))
			return nil
		})))
	}
	sent := func(x *exchange) object { return onlyFields(op, x.fields()) }
	defaults := func(*exchange) object {
		doc := object{}
		for _, f := range op.Body.Fields {
			doc[f.Name] = placeholder(f, "untitled.example.com")
		}
		return doc
	}
	other, foreign := (*exchange).other, (*exchange).foreign
	strangers := func(x *exchange) bool { return byStranger(x) && onMine(x) && len(x.fields()) > 0 }
	too("other-too", "EFFECT-2", "an update changes another object too", 200, setsMine, other, sent)
	too("other-resets", "EFFECT-2", "an update resets another object", 200, setsMine, other, defaults)
	too("foreign-too", "EFFECT-2", "an update changes the stranger's object too", 200, setsMine, foreign, sent)
	too("foreign-in-place", "EFFECT-1", "the stranger's update of the owner's object is refused and made on the stranger's own",
		403, strangers, foreign, sent)
	if several(op) {
		too("sibling-too", "EFFECT-2", "an update changes the object beside it too", 200, setsMine, (*exchange).sibling, sent)
	}
	for _, f := range op.Body.Fields {
		if len(op.Body.Fields) > 1 {
			sets := func(x *exchange) bool { return setsMine(x) && x.fields()[f.Name] != nil }
			too("other-"+f.Name, "EFFECT-2", "an update sets "+f.Name+" of another object too", 200, sets, other,
				func(x *exchange) object { return object{f.Name: x.fields()[f.Name]} })
		}
	}
	return append(rows, fault("other-instead", "EFFECT-2 persists shows", "an update is shown and made on another object",
		when(setsMine, func(x *exchange) *answer {
			a := asItWas(x)
			if a.ok() {
				x.set(op, x.other(), sent(x))
			}
			return a
		})))
}

// mixedUp shows, of two updates at the same time, the values of one in both answers:
// a variable that requests share.
func mixedUp(op *spec.Operation) []row {
	const words = "of two updates at the same time both show the values of one"
	mixed := func(x *exchange) *answer {
		x.keep("shared", x.fields()[nameOf(op)])
		x.meet("", "")
		return x.forward().shown(func(data object) {
			if late, named := recall[string](x, "shared"); named && x.fields()[nameOf(op)] != nil {
				data[nameOf(op)] = late
			}
		})
	}
	return []row{fault("mixed-up", "shows identity persists operation EFFECT-2", words, when(all(byOwner, changing), mixed))}
}
