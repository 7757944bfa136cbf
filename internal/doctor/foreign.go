package doctor

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// The objects under foreign may be the owner's by mistake: then the owner's request must not be refused, and an
// update would change a real object. Only the stranger's answer shows whose an object is, so the stranger is asked
// first.

// ownerships asks for the objects under these keys of foreign as the stranger, and notes whose each object is.
func (v *survey) ownerships(keys []string) (checks []report.Part) {
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
		isKey := key == judge.Foreign(op.Key())
		if op.Open["nonVast"] != "" && key == foreignCreative {
			isKey = true
		}
		if !isKey || op.Deletes() {
			continue
		}
		if ids, _ := s.PathIDs(op, key); ids != nil {
			return s.Object(op, key)
		}
	}
	return nil
}

const foreignCreative = judge.ForeignPrefix + "creative"

// ownership finds out whether an object is the stranger's, and notes that.
func (v *survey) ownership(o *judge.Object) report.Part {
	status := v.askAsStranger(o)
	owned := ownershipOf(o, status, v.arePlainApart)
	v.Known().Outcome.NoteOwnership(o.Key, owned)
	part := report.Part{Need: o.Key, ID: o.ID(), Status: report.Unchecked, Detail: owned.Reason}
	switch {
	case owned.Shown:
		part.Status = report.Fine
		part.Detail = "is the stranger's"
	case isUnseen(status) && v.canTellOwner(o.Op):
		part.Status = report.Wrong
	}
	return part
}

// isUnseen reports whether a status says that the user may not see the object, or that it does not exist.
func isUnseen(status int) bool {
	return isOneOf(status, http.StatusForbidden, http.StatusNotFound)
}

// canTellOwner reports whether an operation serves the owner alone. One that refuses everybody, or tells no users
// apart, says nothing about whose an object is.
func (v *survey) canTellOwner(op *spec.Operation) bool {
	return v.isServedToOwner(op) && !v.isServedToStranger(op)
}

// isServedToStranger reports whether the stranger gets the owner's object.
func (v *survey) isServedToStranger(op *spec.Operation) bool {
	own := v.ownObject(op)
	if own == nil {
		return false
	}
	call := judge.Call{Op: op, Path: own.Path(), As: v.Known().Stranger()}
	if op.Updates() {
		if v.isReadOnly() {
			return false
		}
		call = emptyUpdate(own, call.As)
	}
	return isSuccess(v.ask(call))
}

// isServedToOwner reports whether an update that sets nothing is accepted from the owner. A list was, and a read-only
// run asks for no update.
func (v *survey) isServedToOwner(op *spec.Operation) bool {
	own := v.ownObject(op)
	if own == nil || !v.mayUpdate(op) {
		return true
	}
	return isSuccess(v.updateEmpty(own))
}

// mayReset reports whether an update that sets nothing may reset an object: the owner's showed other values after it
// than the target file gives. No such update of the stranger's object is sent then, as nothing could put it back.
func (v *survey) mayReset(op *spec.Operation) bool {
	own := v.ownObject(op)
	if own == nil {
		return true
	}
	r := v.updateEmpty(own)
	if !isSuccess(r) {
		return false
	}
	values, _ := own.Before()
	shown := oracle.Representation(op, oracle.Decode(r.Body))
	return own.ShownOtherwise(values, shown) != "" && !isOld(op, shown)
}

// arePlainApart reports whether the list of the owner's plain creative is answered otherwise than 404, which then means
// that a creative does not exist.
func (v *survey) arePlainApart() bool {
	for _, key := range []string{plainCreative, plainDisposable} {
		if id := v.Known().Lookup(key); id != "" {
			return v.list(id, v.Known().Owner(), "").Status == http.StatusUnprocessableEntity
		}
	}
	return false
}

// ownershipOf judges the status that the stranger got for an object. A creative that is no container has no list, which
// may be answered 404 unless such creatives are told apart from missing ones.
func ownershipOf(o *judge.Object, status int, arePlainApart func() bool) judge.Ownership {
	owned := judge.Ownership{Cause: judge.ByTarget}
	isShown := status/100 == 2
	if o.Key == foreignCreative {
		isShown = status != http.StatusForbidden && !(status == http.StatusNotFound && arePlainApart())
	}
	if isShown {
		return judge.Ownership{Shown: true}
	}
	switch status {
	case http.StatusForbidden:
		owned.Cause = judge.ByOperator
		owned.Reason = "not the stranger's, as the stranger gets 403 for it: " +
			"name an object that the stranger may use and the owner may not"
	case http.StatusNotFound:
		owned.Cause = judge.ByOperator
		owned.Reason = "answered 404 to the stranger: name an object that exists"
	case 0:
		owned.Reason = "not confirmed as the stranger's: the target offers no way to read it"
	default:
		owned.Reason = fmt.Sprintf(
			"not confirmed as the stranger's: the stranger gets %d for an update that sets nothing", status)
	}
	owned.Reason = strings.Join(o.Path(), "/") + " is " + owned.Reason
	return owned
}

// askAsStranger returns the status of the stranger's request for an object: its list, a GET of its path if the target
// offers that for the owner's object, or else an update with {}. It is 0 if none can be sent, or was answered.
func (v *survey) askAsStranger(o *judge.Object) int {
	op := o.Op
	stranger := v.Known().Stranger()
	if !op.Updates() { // its answer is the first look at it, with which later ones are compared
		v.Case = &judge.Case{ID: caseOf(op, o.Key), Operation: op}
		list := judge.Call{Op: op, Method: http.MethodGet, Object: o, As: stranger}
		return v.Ask(list, judge.Expect{}).Status
	}
	if own := v.ownObject(op); own != nil && isShown(op, v.get(own)) {
		r := v.ask(judge.Call{Op: op, Method: http.MethodGet, Path: o.Path(), As: stranger})
		isAnswer := r.Status == http.StatusForbidden || isShown(op, r)
		if isAnswer || v.isReadOnly() {
			return r.Status
		}
	}
	mayUnset := op.Replaces() // {} then unsets what it leaves out
	if mayUnset || v.isReadOnly() || v.mayReset(op) {
		return 0
	}
	call := emptyUpdate(o, stranger)
	status := v.keep(call).Status
	if isServerError(status) { // it may fail once; the survey judges that answer if another shows whose it is
		call.Looks = true
		status = v.ask(call).Status
	}
	return status
}
