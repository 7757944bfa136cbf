package specs

import (
	"fmt"
	"net/http"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/wire"
)

// reads plans the cases of an operation that answers one object.
func (p *planner) reads() {
	object, op := p.object(), p.op
	success := expect{Success: true, Clause: op.Clause}
	shown := []string{op.Effects["identity"], op.Effects["stays"]}
	p.add(engine.ClassSuccess, "ordinary", "The owner gets the object of the path, the same each time.", func(t *engine.T) {
		o := object(t)
		first := send(t, call(t, o, success))
		for range 2 {
			t.JudgeRepeat(o, first, send(t, call(t, o, success)))
		}
	}, clauses(op.Clause, "AUTH-4", "EFFECT-3", op.Effects["repeats"]), clauses(shown...), quick)
	p.add(engine.ClassSuccess, "raw", "The answer to a read is one well-framed HTTP message.", func(t *engine.T) {
		c := call(t, object(t), success)
		c.Raw = true
		send(t, c)
	}, clauses("HTTP-2"))
	for _, key := range p.keys(op)[1:] {
		p.add(engine.ClassSuccess, "of-"+slugKey(key), "A read of "+key+" shows that object, and no other.", func(t *engine.T) {
			for _, o := range []*engine.Object{t.Object(op, key), object(t)} { // a cache that looks at less than the path shows
				send(t, call(t, o, success))
			}
		}, needs("objects."+key), clauses(op.Clause), clauses(shown...))
	}
	p.behave(authentication)
	p.forbidden()
	p.notFound()
	p.malformedIDs()
	p.undecodable()
	p.unusual()
	p.usersInTurn()
	p.readersAtOnce()
	p.readsAtOnce()
	for _, update := range p.contract.Operations {
		if update.Updates() && update.SameObjects(op) {
			p.readsUpdated(update)
		}
	}
}

// readsAtOnce plans reads of two objects at the same time.
func (p *planner) readsAtOnce() {
	object, op := p.object(), p.op
	other := p.largest(op)
	success := expect{Success: true, Clause: op.Clause}
	p.add(engine.ClassState, "two-at-once", "Two objects that are read at the same time each show themselves.", func(t *engine.T) {
		for range 2 {
			sendTogether(t, call(t, object(t), success), call(t, t.Object(op, other), success))
		}
	}, clauses(op.Clause, op.Effects["identity"]), needs("objects."+other))
}

// readsUpdated plans reads after an update of the same object: what it set shows,
// and what is refused does not.
func (p *planner) readsUpdated(update *spec.Operation) {
	object, op, key := p.object(), p.op, p.key
	success := expect{Success: true, Clause: op.Clause}
	p.add(engine.ClassEffects, "after-"+slug(update.ID), fmt.Sprintf("A read shows what %s set, and nothing of what it refused.", update.ID), func(t *engine.T) {
		o, updated := object(t), t.Object(update, key)
		send(t, call(t, o, success)) // what to put back
		t.Calibrate(updated)
		for round := range 2 {
			t.Write(updated, t.Ordinary(updated, round))
			send(t, call(t, o, success))
		}
		c := call(t, updated, expect{Statuses: []int{http.StatusUnauthorized}, Clause: "AUTH-1"})
		c.As = wire.Credential{Name: "none"}
		send(t, c)
		send(t, call(t, o, success))
	}, clauses(op.Effects["shows"], "EFFECT-1"), func(c *engine.Case) { c.Writes = true })
}
