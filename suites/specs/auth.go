package specs

import (
	"net/http"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/wire"
)

// forbidden plans what a user without permission may not do.
func (p *planner) forbidden() {
	object, op, key := p.object(), p.op, p.key
	if len(op.Params) == 0 { // everyone has a list of their own
		return
	}
	forbidden := expect{Statuses: []int{http.StatusForbidden}, Clause: "AUTH-2"}
	asStranger := func(t *engine.T, o *engine.Object) {
		c := call(t, o, forbidden)
		c.As = t.Stranger()
		send(t, c)
	}
	p.add(engine.Class403, "stranger", "A user without permission for the object gets 403.", func(t *engine.T) {
		asStranger(t, object(t))
	}, needs("credentials.stranger"), clauses("AUTH-2"), quick)
	if op.Updates() {
		p.add(engine.Class403, "stranger-empty-object", "A user without permission gets 403 for {} too, or 422 where the owner does.", func(t *engine.T) {
			c := call(t, object(t), expect{Statuses: []int{http.StatusForbidden, http.StatusUnprocessableEntity}, Clause: "AUTH-2"})
			c.As, c.Body = t.Stranger(), engine.ObjectBody(op.Body, map[string]any{})
			send(t, c)
		}, needs("credentials.stranger"), clauses("AUTH-2"))
	}
	if !op.Deletes() && len(op.Params) > 0 {
		p.add(engine.Class403, "stranger-elsewhere", "A user without permission gets 403 for each other object of the owner too.", func(t *engine.T) {
			for _, o := range p.alike(t, op, key) {
				asStranger(t, o)
			}
			if op.Lists() {
				p.otherPage(t, op)
			}
		}, needs("credentials.stranger"), clauses("AUTH-2"))
		p.add(engine.Class403, "owner-on-foreign", "The owner gets 403 for an object of another user.", func(t *engine.T) {
			o := t.Object(op, engine.Foreign(key))
			if op.Updates() {
				t.Read(o) // what it holds now, to judge the effect and to put it back
			}
			send(t, call(t, o, forbidden))
			t.Settle(o)
		}, p.needsForeign(), clauses("AUTH-2"))
	}
	if op.Updates() {
		p.changesNothing(engine.Class403, asStranger, needs("credentials.stranger"))
	}
}

// alike are the owner's objects beside the one that the operation's cases use.
func (p *planner) alike(t *engine.T, op *spec.Operation, key string) []*engine.Object {
	if op.Updates() {
		return p.others(t, op, key)
	}
	var all []*engine.Object
	for _, k := range p.keys(op) {
		if o := t.Object(op, k); o != nil && k != key {
			all = append(all, o)
		}
	}
	return all
}

// otherPage asks for the second page as the stranger and without a key: a check
// that looks at the bare path only shows.
func (p *planner) otherPage(t *engine.T, op *spec.Operation) {
	o := t.Object(op, p.largest(op))
	if o == nil || t.PageParameter(op) == "" {
		return
	}
	// A target that does not know the parameter may refuse it, whoever asks.
	unknown := []int{http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity}
	for _, c := range []request{
		{Call: engine.Call{As: t.Stranger()}, Expect: expect{Statuses: append(unknown, http.StatusForbidden), Clause: "AUTH-2"}},
		{Call: engine.Call{As: wire.Credential{Name: "none"}}, Expect: expect{Statuses: append(unknown, http.StatusUnauthorized), Clause: "AUTH-1"}},
	} {
		c.Op, c.Object, c.Query = op, o, t.PageParameter(op)+"=2"
		send(t, c)
	}
}

// needsForeign asks for the stranger's object and the objects above it, and for
// the stranger's key: what wrongly changes there is put back with it.
func (p *planner) needsForeign() option {
	op := p.op
	return func(c *engine.Case) {
		c.Needs = append(c.Needs, "credentials.stranger")
		for _, param := range op.Params {
			c.Needs = append(c.Needs, engine.Foreign(param.Object))
		}
	}
}

// changesNothing plans a look at the object after the refused requests of a
// class: no value of theirs may show.
func (p *planner) changesNothing(class string, refuse func(*engine.T, *engine.Object), options ...option) {
	if !p.op.Updates() {
		return
	}
	object := p.object()
	options = append(options, clauses("EFFECT-1"), quick)
	p.add(class, "changes-nothing", "What was refused with "+class+" changes nothing.", func(t *engine.T) {
		o := object(t)
		t.Calibrate(o)
		refuse(t, o)
		t.Settle(o)
		if o.Refused() {
			t.NotTested(engine.ByTarget, "the target shows no way to read the object back")
		}
	}, options...)
}
