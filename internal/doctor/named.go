package doctor

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
)

// The ids of the target file, and the values beside them, may be wrong. Before anything is written, that shows where an object
// is read by GET of its path, or by an update with {} that is seen to change nothing.

// LookAtNamed asks for the objects that the target file names, by requests that set nothing: for those that these operations
// update as the owner, and for those under these keys of foreign as the stranger. It notes whose each of the latter is. It
// returns a part for each mistake, and for each key of foreign. The answer to a request that a case would send as well is kept
// for that case, which caseOf returns.
func LookAtNamed(
	ctx context.Context, s *session.Session, updates []*spec.Operation, foreign []string,
	caseOf func(op *spec.Operation, user string) string,
) (checks []Part) {
	cs := &judge.Case{ID: "preflight"}
	v := &survey{T: s.Aside(ctx, cs, cs.ID), caseOf: caseOf, kept: map[string]*wire.Response{}}
	s.Model.Guard(cs.ID, func() {
		var all []*ownLook
		for _, op := range updates {
			if l := v.look(op); l != nil {
				all = append(all, l)
			}
		}
		for _, l := range all {
			checks = append(checks, v.mistakes(l, all)...)
		}
		checks = append(checks, v.foreign(foreign)...)
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

// look reads the owner's objects of an operation, if it can. It returns nil if there are none, or no request may be sent.
func (v *survey) look(op *spec.Operation) *ownLook {
	main := v.own(op)
	if main == nil {
		return nil
	}
	l := &ownLook{op: op, objects: append([]*judge.Object{main}, v.further(op)...), ask: v.get}
	l.isRead = v.shows(op, v.get(main))
	switch {
	case l.isRead:
	case v.T.Session.Shared.ReadOnly:
		return nil
	case !op.Replaces():
		l.ask = v.emptyUpdate
		l.isRead = v.changesNothing(main, v.emptyUpdate(main))
	}
	for _, o := range l.objects {
		if l.isRead && v.shows(op, l.ask(o)) {
			l.shown = append(l.shown, &judge.Look{Object: o, Shown: oracle.Representation(op, oracle.Decode(l.ask(o).Body))})
		}
	}
	return l
}

// mistakes returns a part for each of the owner's objects of an operation that is not as the target file says.
func (v *survey) mistakes(l *ownLook, all []*ownLook) (checks []Part) {
	note := func(o *judge.Object, mistake string) {
		if mistake != "" {
			checks = append(checks, Part{Need: judge.OwnKey(o.Key), ID: o.ID(), Status: Wrong, Detail: mistake})
		}
	}
	for _, o := range l.objects {
		if l.mayBeUnseen(o) && !isAbove(o, all) {
			note(o, v.unseen(o))
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
	switch {
	case l.isRead:
		return isUnseen(l.ask(o).Status)
	case o == l.objects[0] && !l.op.Replaces():
		return isUnseen(l.ask(o).Status)
	}
	return true
}

// isAbove reports whether the path to an object that was shown leads through this one, so that it exists.
func isAbove(o *judge.Object, all []*ownLook) bool {
	for _, l := range all {
		for _, shown := range l.shown {
			for i, p := range l.op.Params[:len(l.op.Params)-1] {
				if o.Thing() == (judge.Thing{Kind: fixtures.KindOf(p.Object), ID: shown.IDs[i]}) {
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
	return s.Presentable("the target file says " + words + "; correct it or leave it out, or see why the target changes it")
}

// further returns the owner's further objects of an operation that the target file names.
func (v *survey) further(op *spec.Operation) (all []*judge.Object) {
	for _, key := range []string{spec.Other(op.Key()), spec.Sibling(op.Key())} {
		if !judge.Has(v.Known().Target, judge.OwnKey(key)) {
			continue
		}
		if ids, given := v.Known().PathIDs(op, key); ids != nil {
			all = append(all, judge.NewObject(key, op, ids, given))
		}
	}
	return all
}

// unseen says why the owner does not see an object that the target file calls the owner's, or returns "". An update that no
// server accepts shows it: the stranger's is refused with 403 if the object is the owner's, and with 404 if there is none.
func (v *survey) unseen(o *judge.Object) string {
	owner := v.malformed(o, v.Known().Owner())
	if !isUnseen(owner) {
		return ""
	}
	switch stranger := v.strangersMalformed(o); {
	case owner == http.StatusNotFound && stranger == http.StatusNotFound && v.isServed(o):
		return "does not exist under the parents that the target file names (404)"
	case owner == http.StatusForbidden && isWrongBody(stranger) && v.tellsUsersApart(o):
		return "is the stranger's: the owner has no permission for it (403); name an object of the owner's"
	}
	return ""
}

// isServed reports whether the path of an object is answered otherwise to a request without a key, or for another object: one that
// is not served is answered 404 to all.
func (v *survey) isServed(o *judge.Object) bool {
	if v.malformed(o, wire.Credential{Name: "none"}) == http.StatusUnauthorized {
		return true
	}
	for _, other := range append(v.further(o.Op), v.own(o.Op)) {
		if other.Key != o.Key && v.malformed(other, v.Known().Owner()) != http.StatusNotFound {
			return true
		}
	}
	return false
}

// tellsUsersApart reports whether another object that the target file calls the owner's is refused to the stranger alone.
func (v *survey) tellsUsersApart(o *judge.Object) bool {
	for _, other := range append(v.further(o.Op), v.own(o.Op)) {
		isAnother := other.Key != o.Key
		if isAnother && isWrongBody(v.malformed(other, v.Known().Owner())) && v.strangersMalformed(other) == http.StatusForbidden {
			return true
		}
	}
	return false
}

// malformed returns the status of a user's update of an object that no server accepts.
func (v *survey) malformed(o *judge.Object, as wire.Credential) int {
	return v.ask(judge.Call{Op: o.Op, Path: o.Path(), As: as, Body: oracle.RawBody("[]")}).Status
}

// strangersMalformed is malformed for the stranger; without a stranger's key it is 404.
func (v *survey) strangersMalformed(o *judge.Object) int {
	if v.Known().Target.Credentials.Stranger == "" {
		return http.StatusNotFound
	}
	return v.malformed(o, v.Known().Stranger())
}

func isWrongBody(status int) bool {
	return status == http.StatusUnprocessableEntity || status == http.StatusBadRequest
}

// changesNothing reports whether an update that set nothing is seen to have changed nothing: it shows the values of the target
// file, or was not dated.
func (v *survey) changesNothing(o *judge.Object, r *wire.Response) bool {
	if !v.shows(o.Op, r) {
		return false
	}
	shown := oracle.Representation(o.Op, oracle.Decode(r.Body))
	values, _ := judge.NewObject(o.Key, o.Op, o.IDs, o.Given).Before()
	return len(values) > 0 && o.ShownOtherwise(values, shown) == "" || isOld(o.Op, shown)
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
	at, isDate := oracle.ReadMoment(value)
	return isThere && value == nil || isDate && time.Since(at.Time) > longAgo
}

// own returns the owner's object that the cases of an operation use, or nil.
func (v *survey) own(op *spec.Operation) *judge.Object {
	ids, given := v.Known().PathIDs(op, op.Key())
	if ids == nil {
		return nil
	}
	return judge.NewObject(op.Key(), op, ids, given)
}

// get returns the answer to the owner's GET of an object's path.
func (v *survey) get(o *judge.Object) *wire.Response {
	return v.keep(judge.Call{Op: o.Op, Method: http.MethodGet, Path: o.Path(), As: v.Known().Owner()})
}

// emptyUpdate returns the answer to the owner's update of an object that sets nothing.
func (v *survey) emptyUpdate(o *judge.Object) *wire.Response {
	return v.keep(judge.Call{Op: o.Op, Path: o.Path(), As: v.Known().Owner(), Body: oracle.ObjectBody(map[string]any{})})
}

// keep sends a request once, and keeps the answer for the first case of the operation; status 0 means that no answer came.
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

// shows reports whether an answer has the representation of an object.
func (v *survey) shows(op *spec.Operation, r *wire.Response) bool {
	return r.Status/100 == 2 && oracle.Representation(op, oracle.Decode(r.Body)) != nil
}
