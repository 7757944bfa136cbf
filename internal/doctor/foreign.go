package doctor

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/spec"
)

// An object under foreign may be the owner's by mistake: then the owner's request for it must not be refused, and an update
// would change a real object. Only the stranger's answer shows whose it is, so each is first asked for with the stranger's
// key.

// foreign asks for the objects under these keys of foreign as the stranger, and notes whose each is.
func (v *survey) foreign(keys []string) (checks []Part) {
	for _, key := range keys {
		if o := foreignObject(v.Known(), key); o != nil {
			checks = append(checks, v.ownership(o))
		}
	}
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
func (v *survey) ownership(o *judge.Object) Part {
	part := Part{Need: o.Key, ID: o.ID(), Status: Fine, Detail: "is the stranger's"}
	status := v.askAsStranger(o)
	owned := ownershipOf(o, status)
	v.Known().Outcome.NoteOwnership(o.Key, owned)
	switch {
	case owned.Shown:
	case isUnseen(status) && v.servesOwner(o.Op) && !v.servesStranger(o.Op):
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
func (v *survey) servesOwner(op *spec.Operation) bool {
	if own := v.own(op); op.Updates() && !v.T.Session.Shared.ReadOnly && own != nil {
		return v.emptyUpdate(own).Status/100 == 2
	}
	return true
}

// mayReset reports whether an update that sets nothing may reset an object: the owner's showed other values after it than
// the target file gives. None is sent to an object of the stranger then, as nothing could put that back.
func (v *survey) mayReset(op *spec.Operation) bool {
	own := v.own(op)
	if own == nil {
		return true
	}
	r := v.emptyUpdate(own)
	if r.Status/100 != 2 {
		return false
	}
	values, _ := own.Before()
	shown := oracle.Representation(op, oracle.Decode(r.Body))
	return own.ShownOtherwise(values, shown) != "" && !isOld(op, shown)
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
func (v *survey) askAsStranger(o *judge.Object) int {
	op, stranger := o.Op, v.Known().Stranger()
	if !op.Updates() { // its answer is the first look at it, with which later ones are compared
		v.Case = &judge.Case{ID: op.ID + "/preflight/" + o.Key, Operation: op}
		return v.Ask(judge.Call{Op: op, Method: http.MethodGet, Object: o, As: stranger}, judge.Expect{}).Status
	}
	if own := v.own(op); own != nil && v.shows(op, v.get(own)) {
		r := v.ask(judge.Call{Op: op, Method: http.MethodGet, Path: o.Path(), As: stranger})
		if v.shows(op, r) || r.Status == http.StatusForbidden || v.T.Session.Shared.ReadOnly {
			return r.Status
		}
	}
	if op.Replaces() || v.T.Session.Shared.ReadOnly || v.mayReset(op) { // {} may unset what it leaves out
		return 0
	}
	call := judge.Call{Op: op, Path: o.Path(), As: stranger, Body: oracle.ObjectBody(map[string]any{})}
	status := v.keep(call).Status
	if status >= http.StatusInternalServerError { // it may fail once; the survey judges that answer if another shows whose it is
		call.Looks = true
		status = v.ask(call).Status
	}
	return status
}
