package specs

import (
	"net/http"
	"slices"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/wire"
)

// A server that keeps the user of a request where all requests find it serves two
// users well as long as one comes after the other. So a request is sent in two halves
// here, and that of another user between them; each is answered as its own user's.

const ownUser = "AUTH-3"

// notTheirs are right here for the stranger: 404 in place of 403 is another clause's.
var notTheirs = []int{http.StatusForbidden, http.StatusNotFound}

// usersAtOnce plans, for an update, the owner's request around the stranger's, and
// the reverse.
func (p *planner) usersAtOnce() {
	object := p.object()
	p.atOnce(func(t *engine.T) bool {
		o := object(t)
		owner := func() request { return call(t, o, expect{Success: true, Clause: ownUser}) }
		stranger := func() request { return by(t, o, t.Stranger(), notTheirs...) }
		defer func() { t.Settle(o) }()
		return sendAround(t, owner(), stranger()) && sendAround(t, stranger(), owner())
	})
}

// readersAtOnce plans the same for a list or a read, which has no body to come late: the
// stranger's request is complete only after the owner's answer, then both come
// together.
func (p *planner) readersAtOnce() {
	object := p.object()
	if len(p.op.Params) == 0 { // everyone has a list of their own
		return
	}
	p.atOnce(func(t *engine.T) bool {
		o := object(t)
		owner := call(t, o, expect{Success: true, Clause: ownUser})
		stranger := by(t, o, t.Stranger(), notTheirs...)
		sendAround(t, stranger, owner) // where that cannot be, the two below are together all the same
		sendTogether(t, owner, stranger)
		return true
	})
}

// deletersAtOnce plans the same for a delete. The owner's deletes name an id that
// nobody has, and the stranger's a disposable, which is lost only where the stranger
// passes for the owner.
func (p *planner) deletersAtOnce() {
	object := p.object()
	p.atOnce(func(t *engine.T) bool {
		o := object(t)
		if o.Deleted() { // a budget may change the order
			t.NotTested(engine.ByOperator, o.Name()+" was deleted before")
			return true
		}
		owner := call(t, o, expect{Statuses: []int{http.StatusNotFound}, Clause: ownUser})
		owner.Object, owner.Path = nil, []string{t.UnknownID(0)}
		stranger := by(t, o, t.Stranger(), notTheirs...)
		nobody := by(t, o, wire.Credential{Name: "none"}, http.StatusUnauthorized)
		sendAround(t, stranger, owner)
		sendTogether(t, owner, stranger)
		sendTogether(t, owner, nobody) // where the owner passes for somebody else it shows
		return true
	})
}

// atOnce plans a case of two users at once; send says whether one was answered while
// the other was under way.
func (p *planner) atOnce(send func(*engine.T) bool) {
	p.add(engine.ClassState, "users-at-once", "Of two users' requests that are under way at once each is answered as its own.", func(t *engine.T) {
		if !send(t) {
			t.NotTested(engine.ByTarget, "the target does not answer a request while half of another is there")
		}
	}, needs("credentials.stranger"), clauses(ownUser))
}

// by is a user's request, which has to be refused.
func by(t *engine.T, o *engine.Object, user wire.Credential, statuses ...int) request {
	c := call(t, o, expect{Statuses: statuses, Clause: ownUser})
	c.As = user
	return c
}

// foreignUnchanged plans a look at the stranger's object after an update of the
// owner's, with values that it does not have.
func (p *planner) foreignUnchanged() {
	object, op, key := p.object(), p.op, p.key
	rounds := 1
	if slices.ContainsFunc(op.Body.Fields, func(f *spec.Field) bool { return len(f.Enum) > 0 }) {
		rounds = 2 // an update of another worker may bring the value back that was there
	}
	p.add(engine.ClassEffects, "foreign-unchanged", "An update changes no object of another user.", func(t *engine.T) {
		o, foreign := object(t), t.Object(op, engine.Foreign(key))
		t.Calibrate(o)
		t.Settle(foreign)
		seen := foreign.Known() || len(t.Read(foreign)) > 0
		for range rounds {
			t.Write(o, fresh(t, foreign))
			if !seen || len(t.Read(foreign)) == 0 {
				t.NotTested(engine.ByTarget, "the target shows no way to read the other user's object back")
				return
			}
		}
	}, p.needsForeign(), clauses("EFFECT-2"))
}
