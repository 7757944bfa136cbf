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
	const meaning, container = "userId", "vastCreative"
	known := t.Known()
	for _, op := range known.Contract.Operations {
		rep := op.Representation()
		if rep == nil || rep.Field(meaning) == nil {
			continue
		}
		var shown any
		switch name := rep.Field(meaning).Name; {
		case op.Updates():
			if o := known.Used(op, op.Key()); o != nil {
				shown, _ = o.Constant(name)
			}
			if shown == nil {
				shown = judge.Find(known.Target, op.Key()).Values[meaning]
			}
		case op.Lists() && known.Lookup(container) != "":
			if a := t.Ask(judge.Call{Op: op, Object: known.Object(op, container), As: known.Owner()},
				judge.Expect{Success: true, Clause: op.Clause}); a.List != nil && len(a.List.Items) > 0 {
				shown = a.List.Items[0][name]
			}
		}
		if id := oracle.IDOf(shown); id != "" {
			return string(id)
		}
	}
	return ""
}

// glance records what an object of the stranger holds before any change. Other cases judge whether it
// exists.
func (t *T) glance(o *judge.Object) {
	if o == nil || t.Known().Target.Credentials.Stranger == "" {
		return
	}
	t.Ask(t.update(o, map[string]any{}), judge.Expect{Success: true, Statuses: []int{
		http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity,
	}})
	o.LookedAt()
}

// KeepsOmitted reports whether some update was seen to keep the fields that it left out.
func (t *T) KeepsOmitted(o *judge.Object) bool {
	all := judge.FieldNames(o.Op)
	return t.Known().Way(o.Op).Tells(all...) || slices.ContainsFunc(o.Op.Body.Fields, func(f *spec.Field) bool {
		return t.Known().Way(o.Op, f.Name).Tells(without(all, f.Name)...)
	})
}

// without returns the other names.
func without(names []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })
}

// Pause waits, and reports whether the case may continue.
func (t *T) Pause(d time.Duration) bool { return t.Session.Shared.Client.Pause(t.Ctx, d) == nil }
