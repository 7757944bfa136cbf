package session

import (
	"net/http"
	"slices"
	"time"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/spec"
)

// UserID returns the owner's id, as the target file gives it or an answer showed it, or "".
func (t *T) UserID() string {
	for _, op := range t.Known().Contract.Operations {
		rep := op.Representation()
		if rep == nil {
			continue
		}
		if f := rep.Field("userId"); f != nil {
			if id := oracle.IDOf(t.userIn(op, f)); id != "" {
				return string(id)
			}
		}
	}
	return ""
}

// userIn returns the owner's id in a field of an operation's objects, or nil.
func (t *T) userIn(op *spec.Operation, f *spec.Field) any {
	const container = "vastCreative"
	known := t.Known()
	switch {
	case op.Updates():
		if o := known.Used(op, op.Key()); o != nil {
			if shown := o.Constant(f.Name); shown != nil {
				return shown
			}
		}
		return judge.Find(known.Target, op.Key()).Values[f.Meaning]
	case op.Lists() && known.Lookup(container) != "":
		call := judge.Call{Op: op, Object: known.Object(op, container), As: known.Owner()}
		a := t.Ask(call, success(op))
		if a.List != nil && len(a.List.Items) > 0 {
			return a.List.Items[0][f.Name]
		}
	}
	return nil
}

// glance records what an object of the stranger holds before any change. Other cases judge whether it
// exists.
func (t *T) glance(o *judge.Object) {
	if o == nil || t.Known().Target.Credentials.Stranger == "" {
		return
	}
	empty := t.update(o, map[string]any{})
	t.Ask(empty, judge.Expect{Success: true, Statuses: []int{
		http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden,
		http.StatusNotFound, http.StatusUnprocessableEntity,
	}})
	o.LookedAt()
}

// KeepsOmitted reports whether some update was seen to keep the fields that it left out.
func (t *T) KeepsOmitted(o *judge.Object) bool {
	all := judge.ShownFields(o.Op)
	if t.Known().Way(o.Op).Tells(all...) {
		return true
	}
	isKept := func(f *spec.Field) bool { return t.Known().Way(o.Op, f.Name).Tells(without(all, f)...) }
	return slices.ContainsFunc(o.Op.Body.Fields, isKept)
}

// ResetsTo reports whether an empty update was seen to reset a field to a value.
func (t *T) ResetsTo(o *judge.Object, f *spec.Field, v any) bool {
	isSame := func(other any) bool { return oracle.Equal(f, other, v) }
	return slices.ContainsFunc(t.Known().Way(o.Op).Defaults(f), isSame)
}

// without returns the other fields.
func without(fields []*spec.Field, some ...*spec.Field) []*spec.Field {
	isOne := func(f *spec.Field) bool { return slices.Contains(some, f) }
	return slices.DeleteFunc(slices.Clone(fields), isOne)
}

// Pause waits, and reports whether the case may continue.
func (t *T) Pause(d time.Duration) bool {
	return t.Session.Shared.Client.Pause(t.Ctx, d) == nil
}
