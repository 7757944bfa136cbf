package doctor

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// The ids of the target file, and the values beside them, may be wrong. Before anything is written, that shows where an
// object is read by GET of its path, or by an update with {} that is seen to change nothing.

// LookAtNamed asks for the objects that the target file names, by requests that set nothing: as the owner for the
// objects that these operations update, and as the stranger for the objects under these keys of foreign, to note whose
// they are. It returns a part for each mistake, and for each key of foreign. The answer to a request that a case would
// send as well is kept for that case, which caseOf returns.
func LookAtNamed(
	ctx context.Context, s *session.Session, updates []*spec.Operation, foreign []string,
	caseOf func(op *spec.Operation, user string) string,
) (checks []report.Part) {
	v := newSurvey(ctx, s)
	v.caseOf = caseOf
	v.kept = map[string]*wire.Response{}
	s.Model.Guard(v.Case.ID, func() {
		var all []*ownLook
		for _, op := range updates {
			if l := v.look(op); l != nil {
				all = append(all, l)
			}
		}
		for _, l := range all {
			checks = append(checks, v.mistakes(l, all)...)
		}
		checks = append(checks, v.ownerships(foreign)...)
	})
	return checks
}

// An ownLook is a look at the owner's objects of an operation.
type ownLook struct {
	op      *spec.Operation
	objects []*judge.Object // the one that its cases update first
	ask     func(*judge.Object) *wire.Response
	isRead  bool // ask shows what the objects hold, and changes nothing
	shown   []*judge.Look
}

// look reads the owner's objects of an operation, if it can. It returns nil if there is no object, or no request may be
// sent.
func (v *survey) look(op *spec.Operation) *ownLook {
	main := v.ownObject(op)
	if main == nil {
		return nil
	}
	l := &ownLook{op: op, objects: append([]*judge.Object{main}, v.otherObjects(op)...)}
	l.ask = v.get
	l.isRead = isShown(op, v.get(main))
	switch {
	case l.isRead:
	case v.isReadOnly():
		return nil
	case !op.Replaces():
		l.ask = v.updateEmpty
		l.isRead = hasChangedNothing(main, v.updateEmpty(main))
	}
	if !l.isRead {
		return l
	}
	for _, o := range l.objects {
		if shown := representation(op, l.ask(o)); shown != nil {
			l.shown = append(l.shown, &judge.Look{Object: o, Shown: shown})
		}
	}
	return l
}

// mistakes returns a part for each of the owner's objects of an operation that is not as the target file says.
func (v *survey) mistakes(l *ownLook, all []*ownLook) (checks []report.Part) {
	note := func(o *judge.Object, mistake string) {
		if mistake == "" {
			return
		}
		key := judge.OwnKey(o.Key)
		checks = append(checks, report.Part{Need: key, ID: o.ID(), Status: report.Wrong, Detail: mistake})
	}
	for _, o := range l.objects {
		if l.mayBeUnseen(o) && !isAbove(o, all) {
			note(o, v.whyUnseen(o))
		}
	}
	for _, shown := range l.shown {
		if words, isSure := v.Known().Misgiven(shown, l.shown); isSure {
			note(shown.Object, misgiven(v.Known(), words))
		}
	}
	return checks
}

// mayBeUnseen reports whether the owner may not see an object, as far as requests that set nothing show.
func (l *ownLook) mayBeUnseen(o *judge.Object) bool {
	isAsked := l.isRead
	if o == l.objects[0] && !l.op.Replaces() {
		isAsked = true
	}
	return !isAsked || isUnseen(l.ask(o).Status)
}

// isAbove reports whether the path to an object that was shown leads through this one, so that it exists.
func isAbove(o *judge.Object, all []*ownLook) bool {
	for _, l := range all {
		for _, shown := range l.shown {
			parents := l.op.Params[:len(l.op.Params)-1]
			for i, p := range parents {
				parent := judge.Thing{Kind: fixtures.KindOf(p.Object), ID: shown.IDs[i]}
				if o.Thing() == parent {
					return true
				}
			}
		}
	}
	return false
}

// misgiven says which values of the target file to correct, or returns "".
func misgiven(s *judge.Model, words string) string {
	if words == "" {
		return ""
	}
	return s.Presentable(
		"the target file says " + words + "; correct it or leave it out, or see why the target changes it")
}

// otherObjects returns the owner's other objects of an operation that the target file names.
func (v *survey) otherObjects(op *spec.Operation) (all []*judge.Object) {
	keys := []string{spec.Other(op.Key()), spec.Sibling(op.Key())}
	for _, key := range keys {
		if !judge.Has(v.Known().Target, judge.OwnKey(key)) {
			continue
		}
		if o := v.object(op, key); o != nil {
			all = append(all, o)
		}
	}
	return all
}

// whyUnseen says why the owner does not see an object that the target file calls the owner's, or returns "". An update
// that no server accepts shows the reason: the stranger's is refused with 403 if the object is the owner's, and with
// 404 if it does not exist.
func (v *survey) whyUnseen(o *judge.Object) string {
	owner := v.malformedStatus(o, v.Known().Owner())
	if !isUnseen(owner) {
		return ""
	}
	stranger := v.strangersMalformedStatus(o)
	if owner == http.StatusNotFound {
		if stranger == http.StatusNotFound && v.isServed(o) {
			return missing(o.Op)
		}
		return ""
	}
	if isWrongBody(stranger) && v.canTellUsersApart(o) {
		return "is the stranger's: the owner has no permission for it (403); name an object of the owner's"
	}
	return ""
}

// isServed reports whether the path of an object is answered otherwise to a request without a key, or for another
// object: a path that is not served is answered 404 to all.
func (v *survey) isServed(o *judge.Object) bool {
	if v.malformedStatus(o, wire.Credential{Name: "none"}) == http.StatusUnauthorized {
		return true
	}
	return slices.ContainsFunc(v.siblings(o), func(other *judge.Object) bool {
		return v.malformedStatus(other, v.Known().Owner()) != http.StatusNotFound
	})
}

// canTellUsersApart reports whether another object that the target file calls the owner's is refused to the stranger
// alone.
func (v *survey) canTellUsersApart(o *judge.Object) bool {
	return slices.ContainsFunc(v.siblings(o), func(other *judge.Object) bool {
		owner := v.malformedStatus(other, v.Known().Owner())
		return isWrongBody(owner) && v.strangersMalformedStatus(other) == http.StatusForbidden
	})
}

// siblings returns the owner's other objects of the same operation.
func (v *survey) siblings(o *judge.Object) []*judge.Object {
	all := append(v.otherObjects(o.Op), v.ownObject(o.Op))
	return slices.DeleteFunc(all, func(other *judge.Object) bool { return other.Key == o.Key })
}

// malformedStatus returns the status of a user's update of an object that no server accepts.
func (v *survey) malformedStatus(o *judge.Object, as wire.Credential) int {
	c := judge.Call{Op: o.Op, Path: o.Path(), As: as, Body: oracle.RawBody("[]")}
	return v.ask(c).Status
}

// strangersMalformedStatus is malformedStatus for the stranger; without a stranger's key it is 404.
func (v *survey) strangersMalformedStatus(o *judge.Object) int {
	if !v.hasStranger() {
		return http.StatusNotFound
	}
	return v.malformedStatus(o, v.Known().Stranger())
}

func isWrongBody(status int) bool {
	return isOneOf(status, http.StatusUnprocessableEntity, http.StatusBadRequest)
}

// hasChangedNothing reports whether an update that set nothing is seen to have changed nothing: it shows the values of
// the target file, or was not dated.
func hasChangedNothing(o *judge.Object, r *wire.Response) bool {
	shown := representation(o.Op, r)
	if shown == nil {
		return false
	}
	values, _ := judge.NewObject(o.Key, o.Op, o.IDs, o.Given).Before()
	isAsGiven := len(values) > 0 && o.ShownOtherwise(values, shown) == ""
	return isAsGiven || isOld(o.Op, shown)
}

// longAgo is how old a date is that is not today's in any zone, whatever its form.
const longAgo = 48 * time.Hour

// isOld reports whether a representation says that the object was not updated lately.
func isOld(op *spec.Operation, shown map[string]any) bool {
	f := op.Representation().Field("updatedAt")
	if f == nil {
		return false
	}
	value, isThere := shown[f.Name]
	if value == nil {
		return isThere
	}
	at, isDate := oracle.ReadMoment(value)
	return isDate && time.Since(at.Time) > longAgo
}

// ownObject returns the owner's object that the cases of an operation use, or nil.
func (v *survey) ownObject(op *spec.Operation) *judge.Object {
	return v.object(op, op.Key())
}

// object returns the owner's object under a key, or nil.
func (v *survey) object(op *spec.Operation, key string) *judge.Object {
	ids, given := v.Known().PathIDs(op, key)
	if ids == nil {
		return nil
	}
	return judge.NewObject(key, op, ids, given)
}

// get returns the answer to the owner's GET of an object's path.
func (v *survey) get(o *judge.Object) *wire.Response {
	return v.keep(judge.Call{Op: o.Op, Method: http.MethodGet, Path: o.Path(), As: v.Known().Owner()})
}

// emptyUpdate is a user's update of an object that sets nothing.
func emptyUpdate(o *judge.Object, as wire.Credential) judge.Call {
	return judge.Call{Op: o.Op, Path: o.Path(), As: as, Body: oracle.ObjectBody(map[string]any{})}
}

// updateEmpty returns the answer to the owner's update of an object that sets nothing.
func (v *survey) updateEmpty(o *judge.Object) *wire.Response {
	return v.keep(emptyUpdate(o, v.Known().Owner()))
}

// keep sends a request once, and keeps the answer for the first case of the operation; status 0 means that no answer
// came.
func (v *survey) keep(c judge.Call) *wire.Response {
	request := v.Request(&c)
	key := fmt.Sprint(c.As.Name, " ", request.Method, " ", request.Path)
	if v.kept[key] != nil {
		return v.kept[key]
	}
	if v.silent[c.Op] {
		return &wire.Response{}
	}
	ex := v.Exchange(v.caseOf(c.Op, judge.OwnerName), &c, request)
	v.T.Session.KeepPrefetched(ex)
	v.Known().Outcome.NoteKey(&c, judge.Expect{}, ex)
	v.kept[key] = v.responseOf(c.Op, ex)
	return v.kept[key]
}

// representation returns the representation of an object in a success, or nil.
func representation(op *spec.Operation, r *wire.Response) map[string]any {
	if !isSuccess(r) {
		return nil
	}
	return oracle.Representation(op, oracle.Decode(r.Body))
}

func isShown(op *spec.Operation, r *wire.Response) bool {
	return representation(op, r) != nil
}
