package specs

import (
	"net/http"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/wire"
)

// updateEffects plans what an update does to the object and to others, as later
// requests show it.
func (p *planner) updateEffects() {
	object, op, key := p.object(), p.op, p.key
	persists := op.Effects["persists"]
	p.add(engine.ClassEffects, "persists", "What an update set shows in later answers.", func(t *engine.T) {
		o := object(t)
		t.Calibrate(o)
		t.Settle(o)
		t.Write(o, t.Ordinary(o, 1))
		if len(t.Read(o)) == 0 {
			t.NotTested(engine.ByTarget, "the target shows no way to read the object back")
		}
	}, clauses(persists), quick)
	p.add(engine.ClassEffects, "steady", "Every update of a series is made, not only most.", func(t *engine.T) {
		o := object(t)
		t.Calibrate(o)
		t.Settle(o)
		series(t, o)
	}, clauses(op.Clause, persists))
	p.add(engine.ClassEffects, "others-unchanged", "An update changes no other object.", func(t *engine.T) {
		o := object(t)
		t.Calibrate(o)
		others := p.others(t, op, key)
		if len(others) == 0 {
			t.NotTested(engine.ByOperator, "no second object of this kind is in the target file")
			return
		}
		looked := 0
		p.lookAtList(t)
		for _, other := range others {
			looked += len(t.Read(other))
		}
		t.Write(o, t.Ordinary(o, 2))
		for _, other := range others {
			looked += len(t.Read(other))
		}
		p.lookAtList(t)
		if looked == 0 {
			t.NotTested(engine.ByTarget, "the target shows no way to read the other objects back")
		}
	}, clauses("EFFECT-2"), needsOther(key))
}

// fieldsAlone plans an update of each field by itself, and of one that can be
// unset: unset, and set again.
func (p *planner) fieldsAlone() {
	object, op := p.object(), p.op
	if len(op.Body.Fields) < 2 {
		return
	}
	p.add(engine.ClassEffects, "alone", "An update of one field alone is made, to be unset and to be set again too.", func(t *engine.T) {
		o := object(t)
		t.Calibrate(o)
		t.Settle(o)
		looked := 0
		send := func(values map[string]any, fields ...*spec.Field) {
			if a := sendPart(t, o, fields, values); a.OK {
				looked += len(t.Read(o))
			}
		}
		for _, f := range op.Body.Fields {
			values := fresh(t, o)
			values[f.Name] = apart(o, f, values[f.Name])
			send(values, f)
			if !f.Optional {
				continue
			}
			with := op.Body.Fields
			if t.TakesParts(o) {
				with = []*spec.Field{f}
			}
			unset := fresh(t, o)
			unset[f.Name] = nil
			send(unset, with...)
			send(fresh(t, o), with...)
		}
		if looked == 0 {
			t.NotTested(engine.ByTarget, "the target takes no update of one field alone, or shows no way to read the object back")
		}
	}, clauses(op.Effects["shows"], op.Effects["persists"]))
}

// apart is a value of an enumerated field that no such field of the object holds,
// so that it shows where else it goes; the given one where there is none.
func apart(o *engine.Object, field *spec.Field, given any) any {
	held := map[any]bool{}
	for _, f := range o.Op.Body.Fields {
		if v, known := o.Last(f.Name); known {
			held[v] = true
		}
	}
	for _, v := range field.Enum {
		if !held[v] {
			return v
		}
	}
	return given
}

// length of a series of updates, to meet faults that show now and then.
const length = 6

// series updates an object again and again and looks each time whether the last
// update was made. Updates of one field in turn show each other where the target
// takes them; else each is read back.
func series(t *engine.T, o *engine.Object) {
	fields := o.Op.Body.Fields
	for i := range length {
		if t.TakesParts(o) {
			sendSubset(t, o, []*spec.Field{fields[i%len(fields)]})
			continue
		}
		t.Write(o, t.Ordinary(o, i))
		if len(t.Read(o)) == 0 {
			t.NotTested(engine.ByTarget, "the target shows no way to read the object back")
			return
		}
	}
	t.Read(o)
}

// lookAtList reads the list of a VAST creative, which no update may change.
func (p *planner) lookAtList(t *engine.T) {
	if lists := p.contract.ListOf("vastCreative"); lists != nil && t.Object(lists, "vastCreative") != nil {
		list(t, t.Object(lists, "vastCreative"), 0)
	}
}

// others are the objects beside the operation's own that the target file names.
func (p *planner) others(t *engine.T, op *spec.Operation, key string) []*engine.Object {
	var all []*engine.Object
	for _, k := range []string{engine.Other(key), engine.Sibling(key)} {
		if o := t.Object(op, k); o != nil {
			all = append(all, o)
		}
	}
	return all
}

// needsOther asks for a second object, where the target file has a key for one.
func needsOther(key string) option {
	return needs("objects." + engine.Other(key))
}

// usersInTurn plans, on one connection, the owner, then nobody, then the
// stranger: what one user did must not help the next.
func (p *planner) usersInTurn() {
	object, op := p.object(), p.op
	title := "After the owner's success the same request without a key gets 401, and a stranger's gets 403."
	if len(op.Params) == 0 {
		title = "After the owner's success the same request without a key gets 401."
	}
	p.add(engine.ClassState, "users-in-turn", title, func(t *engine.T) {
		o := object(t)
		for round := range 2 {
			calls := inTurn(t, o, call(t, o, expect{Success: true, Clause: op.Clause}), http.StatusForbidden)
			if round == 1 {
				calls = append(calls[:1], calls[2:]...) // the stranger right after the owner
			}
			sendInOrder(t, calls...)
		}
		t.Settle(o)
	}, clauses("AUTH-3"))
}

// inTurn are the owner's request, the same without a key, and the stranger's.
func inTurn(t *engine.T, o *engine.Object, owner request, strangerGets ...int) []request {
	nobody := call(t, o, expect{Statuses: []int{http.StatusUnauthorized}, Clause: "AUTH-3"})
	nobody.As = wire.Credential{Name: "none"}
	calls := []request{owner, nobody}
	if t.Target.Credentials.Stranger != "" && len(o.IDs) > 0 { // of a list that no id names the stranger has one, too
		stranger := call(t, o, expect{Statuses: strangerGets, Clause: "AUTH-3"})
		stranger.As = t.Stranger()
		calls = append(calls, stranger)
	}
	return calls
}

// twoAtOnce plans updates that reach the target at the same time.
func (p *planner) twoAtOnce() {
	object, op, key := p.object(), p.op, p.key
	success := expect{Success: true, Clause: op.Clause}
	p.add(engine.ClassState, "two-at-once", "Two objects that are updated at the same time each show their own values.", func(t *engine.T) {
		o, other := object(t), t.Object(op, engine.Other(key))
		t.Calibrate(o)
		t.Settle(o)
		t.Read(other) // what to put back
		if !other.MayWrite() {
			t.NotTested(engine.ByOperator, other.NotWritten())
			return
		}
		for range 2 {
			sendTogether(t, call(t, o, success), call(t, other, success))
		}
		t.Read(o)
		t.Read(other)
	}, clauses(append(effects(op), op.Clause)...), needsOther(key))
	if len(op.Body.Fields) < 2 || op.Replaces() {
		return
	}
	p.add(engine.ClassState, "two-writers", "Two writers on different fields of one object both get their way, where omitted fields are kept.", func(t *engine.T) {
		o := object(t)
		t.Calibrate(o)
		t.Settle(o)
		t.Write(o, t.Ordinary(o, 0))
		t.TwoWriters(o)
	}, clauses("OPEN-7"), observes("concurrent-writers"))
}

// atRest plans a last look at every object: it holds what the last success
// said, and no refused request left a trace.
func (p *planner) atRest() {
	var ops []*spec.Operation
	for _, op := range p.contract.Operations {
		if op.Updates() {
			ops = append(ops, op)
		}
	}
	for i, op := range ops {
		before := ops[(i+len(ops)-1)%len(ops)]
		p.op, p.key = op, op.Key()
		key := p.key
		p.add(engine.ClassEffects, "at-rest", "In the end each object holds what the last success said, and nothing of what was refused.", func(t *engine.T) {
			o := t.Object(op, key)
			t.Calibrate(o)
			seen := 0
			// An update of another kind of object, which may not show here.
			if parent := t.Object(before, before.Key()); parent != nil && before != op {
				t.Write(parent, t.Ordinary(parent, 0))
			}
			for _, o := range append([]*engine.Object{o}, p.others(t, op, key)...) {
				seen += len(t.Read(o))
			}
			if foreign := t.Object(op, engine.Foreign(key)); foreign != nil && t.Target.Credentials.Stranger != "" {
				t.Read(foreign)
			}
			if seen == 0 {
				t.NotTested(engine.ByTarget, "the target shows no way to read the objects back")
			}
		}, clauses("EFFECT-1", "EFFECT-2", op.Effects["persists"], op.Effects["stays"]), last)
	}
}

// slugKey is a key of the target file as a part of a case id.
func slugKey(key string) string {
	return strings.Trim(strings.NewReplacer("[", "-", "]", "").Replace(strings.ToLower(key)), "-")
}
