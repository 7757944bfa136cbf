package doctor

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/wire"
)

// An object under foreign may be the owner's by mistake: then the owner's request for it must not be refused, and an update
// would change a real object. Only the stranger's answer shows whose it is, so each is first asked for with the stranger's
// key.

// LookAtForeign asks for the objects under these keys of foreign as the stranger, by requests that set nothing. It notes
// whose each is, and returns a part for each that it asked for. The answer to a request that a case would send as well
// is kept for that case, which caseOf returns.
func LookAtForeign(
	ctx context.Context, s *session.Session, keys []string, caseOf func(op *spec.Operation, user string) string,
) (checks []Part) {
	cs := &judge.Case{ID: "preflight"}
	v := &survey{T: s.Aside(ctx, cs, cs.ID), empty: map[*spec.Operation]*wire.Response{}}
	s.Model.Guard(cs.ID, func() {
		for _, key := range keys {
			if o := foreignObject(s.Model, key); o != nil {
				checks = append(checks, v.ownership(o, caseOf))
			}
		}
	})
	return checks
}

// foreignObject returns the object under a key of foreign as an operation on it knows it; nil if there is none.
func foreignObject(s *judge.Model, key string) *judge.Object {
	for _, op := range s.Contract.Operations {
		isOne := key == judge.Foreign(op.Key()) || op.Open["nonVast"] != "" && key == foreignCreative
		if ids, _ := s.PathIDs(op, key); isOne && ids != nil && !op.Deletes() {
			return s.Object(op, key)
		}
	}
	return nil
}

const foreignCreative = judge.ForeignPrefix + "creative"

// ownership finds out whether an object is the stranger's, and notes that.
func (v *survey) ownership(o *judge.Object, caseOf func(op *spec.Operation, user string) string) Part {
	part := Part{Need: o.Key, ID: o.ID(), Status: Fine, Detail: "is the stranger's"}
	status := v.askAsStranger(o, caseOf)
	owned := ownershipOf(o, status)
	v.Known().Outcome.NoteOwnership(o.Key, owned)
	switch {
	case owned.Shown:
	case isUnseen(status) && v.servesOwner(o.Op, caseOf) && !v.servesStranger(o.Op):
		part.Status, part.Detail = Wrong, owned.Reason
	default:
		part.Status, part.Detail = Unchecked, owned.Reason
	}
	return part
}

// isUnseen reports whether a status says that the user may not see the object, or that it does not exist.
func isUnseen(status int) bool {
	return status == http.StatusForbidden || status == http.StatusNotFound
}

// servesStranger reports whether the stranger gets the owner's object: then the target does not tell the users apart, and
// a refusal of the stranger says nothing about whose the object is.
func (v *survey) servesStranger(op *spec.Operation) bool {
	own := v.own(op)
	if own == nil || v.T.Session.Shared.ReadOnly && op.Updates() {
		return false
	}
	call := judge.Call{Op: op, Path: own.Path(), As: v.Known().Stranger()}
	if op.Updates() {
		call.Body = oracle.ObjectBody(map[string]any{})
	}
	return v.ask(call).Status/100 == 2
}

// servesOwner reports whether an update that sets nothing is accepted from the owner, or a list was: otherwise the operation
// may refuse everybody. A read-only run asks for no update.
func (v *survey) servesOwner(op *spec.Operation, caseOf func(op *spec.Operation, user string) string) bool {
	if own := v.own(op); op.Updates() && !v.T.Session.Shared.ReadOnly && own != nil {
		return v.emptyUpdate(own, caseOf).Status/100 == 2
	}
	return true
}

// own returns the owner's object that the cases of an operation use, or nil.
func (v *survey) own(op *spec.Operation) *judge.Object {
	ids, given := v.Known().PathIDs(op, op.Key())
	if ids == nil {
		return nil
	}
	return judge.NewObject(op.Key(), op, ids, given)
}

// emptyUpdate returns the answer to the owner's {} for an object of the owner's, which it asks for once.
func (v *survey) emptyUpdate(own *judge.Object, caseOf func(op *spec.Operation, user string) string) *wire.Response {
	if v.empty[own.Op] == nil {
		call := judge.Call{Op: own.Op, Path: own.Path(), As: v.Known().Owner(), Body: oracle.ObjectBody(map[string]any{})}
		v.empty[own.Op] = v.keep(caseOf(own.Op, judge.OwnerName), call)
	}
	return v.empty[own.Op]
}

// mayReset reports whether an update that sets nothing may reset an object: the owner's showed other values after it than
// the target file gives. None is sent to an object of the stranger then, as nothing could put that back.
func (v *survey) mayReset(op *spec.Operation, caseOf func(op *spec.Operation, user string) string) bool {
	own := v.own(op)
	if own == nil {
		return true
	}
	r := v.emptyUpdate(own, caseOf)
	if r.Status/100 != 2 {
		return false
	}
	values, _ := own.Before()
	return own.ShownOtherwise(values, oracle.Representation(op, oracle.Decode(r.Body))) != ""
}

// ownershipOf judges the status that the stranger got for an object.
func ownershipOf(o *judge.Object, status int) judge.Ownership {
	named := fmt.Sprintf("%s is", strings.Join(o.Path(), "/"))
	switch {
	case status/100 == 2, o.Key == foreignCreative && status != http.StatusForbidden: // it has no list
		return judge.Ownership{Shown: true}
	case status == http.StatusForbidden:
		return judge.Ownership{Cause: judge.ByOperator, Reason: named +
			" not the stranger's, as the stranger gets 403 for it: name an object that the stranger may use and the owner may not"}
	case status == http.StatusNotFound:
		return judge.Ownership{Cause: judge.ByOperator, Reason: named + " answered 404 to the stranger: name an object that exists"}
	case status == 0:
		return judge.Ownership{Cause: judge.ByTarget, Reason: named + " not confirmed as the stranger's: the target offers no way to read it"}
	}
	return judge.Ownership{Cause: judge.ByTarget, Reason: fmt.Sprintf(
		"%s not confirmed as the stranger's: the stranger gets %d for an update that sets nothing", named, status)}
}

// askAsStranger returns the status of the stranger's request for an object: its list, a GET of its path if the target offers
// that for the owner's object, or else an update with {}. It is 0 if none can be sent, or was answered.
func (v *survey) askAsStranger(o *judge.Object, caseOf func(op *spec.Operation, user string) string) int {
	op, stranger := o.Op, v.Known().Stranger()
	if !op.Updates() { // its answer is the first look at it, with which later ones are compared
		v.Case = &judge.Case{ID: op.ID + "/preflight/" + o.Key, Operation: op}
		return v.Ask(judge.Call{Op: op, Method: http.MethodGet, Object: o, As: stranger}, judge.Expect{}).Status
	}
	first := caseOf(op, judge.OwnerName)
	if ids, given := v.Known().PathIDs(op, op.Key()); ids != nil {
		own := judge.NewObject(op.Key(), op, ids, given)
		read := judge.Call{Op: op, Method: http.MethodGet, Path: own.Path(), As: v.Known().Owner()}
		if v.shows(op, v.keep(first, read)) {
			r := v.ask(judge.Call{Op: op, Method: http.MethodGet, Path: o.Path(), As: stranger})
			if v.shows(op, r) || r.Status == http.StatusForbidden || v.T.Session.Shared.ReadOnly {
				return r.Status
			}
		}
	}
	if op.Replaces() || v.T.Session.Shared.ReadOnly || v.mayReset(op, caseOf) { // {} may unset what it leaves out
		return 0
	}
	return v.keep(first, judge.Call{Op: op, Path: o.Path(), As: stranger, Body: oracle.ObjectBody(map[string]any{})}).Status
}

// keep sends a request of a case that runs later, and keeps the answer for it; status 0 means that no answer came.
func (v *survey) keep(caseID string, c judge.Call) *wire.Response {
	ex := v.Exchange(caseID, &c, v.Request(&c))
	v.T.Session.KeepPrefetched(ex)
	v.Known().Outcome.NoteKey(&c, judge.Expect{}, ex)
	if ex.Err != nil {
		return &wire.Response{}
	}
	return ex.Response
}

// shows reports whether an answer has the representation of an object.
func (v *survey) shows(op *spec.Operation, r *wire.Response) bool {
	return r.Status/100 == 2 && oracle.Representation(op, oracle.Decode(r.Body)) != nil
}
