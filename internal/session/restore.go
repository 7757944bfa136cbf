package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/spec"
)

// classRestore marks requests that are sent even if the target seems gone.
const classRestore = "restore"

// A Change is an object that the run changed, and whether it was restored.
type Change struct {
	Object   string  `json:"object"` // key in the target file
	ID       spec.ID `json:"id"`
	Change   string  `json:"change"` // updated or deleted
	Restored bool    `json:"restored"`
	Reason   string  `json:"reason,omitempty"` // why it was not restored, or not to the first values
	Undo     string  `json:"undo,omitempty"`   // the request that would restore the rest
}

// Restore restores the objects that the sessions of a run changed: to the values in the target file, or else to those
// seen before the first write. It goes one by one, the last change first. If there is a violation, it verifies the result.
func Restore(ctx context.Context, sessions ...*Session) (changes []Change) {
	if len(sessions) == 0 {
		return nil
	}
	sessions[0].Model.Outcome.Liveness.Restoring()
	all := restoreAll(ctx, sessions)
	for range restores - 1 {
		if !verifyAll(ctx, all) {
			break
		}
	}
	for _, r := range all {
		r.change.Reason = sessions[0].Model.Presentable(r.change.Reason) // it may quote what the target answered
		changes = append(changes, *r.change)
	}
	return changes
}

// restoreAll restores every object that a session changed, and lists the deleted ones, too.
func restoreAll(ctx context.Context, sessions []*Session) (all []*repair) {
	seen := map[*judge.Object]bool{}
	for _, s := range slices.Backward(sessions) {
		suspects := s.suspects()
		for _, o := range slices.Backward(s.Model.Order) {
			if seen[o] {
				continue
			}
			seen[o] = true
			isSuspect := o.Changed() || o.Touched() || suspects[o]
			r := &repair{s, o, &Change{Object: o.Name(), ID: o.ID(), Change: "deleted", Reason: "a disposable, meant to be deleted"}}
			switch {
			case o.Op.Deletes() && o.Deleted():
				all = append(all, r)
			case o.Op.Updates() && isSuspect:
				all = append(all, r)
				if defect := s.Model.Guard("restoring "+o.Name(), func() { r.restore(ctx) }); defect != "" {
					r.change.Change, r.change.Reason = "updated", defect
				}
			}
		}
	}
	return all
}

// verifyAll verifies what was restored, if the target is known to be wrong, and reports whether to do so once more.
func verifyAll(ctx context.Context, all []*repair) (again bool) {
	for _, r := range all {
		isInDoubt := r.change.Restored && r.session.Model.Outcome.Broken()
		if isInDoubt && ctx.Err() == nil && r.verify(ctx) {
			again = true
		}
	}
	return again
}

// Provisioned marks changes as restored, because provision has run since.
func Provisioned(changes []Change) {
	for i := range changes {
		if c := &changes[i]; !c.Restored {
			c.Restored, c.Reason, c.Undo = true, c.Reason+"; provision has run since", ""
		}
	}
}

// CutOff marks the session's cases as interrupted. As the effect of the last refused requests is then unknown, Restore
// also restores their objects, if their values are known.
func (s *Session) CutOff() { s.cutOff = true }

// suspects returns the objects that refused requests of an interrupted run may have changed and, if the target was seen
// to change other objects, the neighbours of updated ones.
func (s *Session) suspects() map[*judge.Object]bool {
	all := map[*judge.Object]bool{}
	for _, o := range slices.Clone(s.Model.Order) {
		if s.cutOff && o.Op.Updates() && o.Refused() && !o.Foreign {
			_, unknown := o.Before()
			all[o] = len(unknown) == 0
		}
		if !o.Op.Updates() || !o.Changed() || !s.Model.Outcome.Forgets(o.Op) {
			continue
		}
		for _, key := range []string{spec.Other(o.Key), spec.Sibling(o.Key)} {
			if beside := s.Model.Object(o.Op, key); beside != nil && len(beside.Given) > 0 {
				all[beside] = true
			}
		}
	}
	return all
}

// A repair restores an object.
type repair struct {
	session *Session
	*judge.Object
	change *Change
}

// left notes that the object is not restored, and that the request in by would restore it.
func (r *repair) left(reason string, by *judge.Answer) {
	r.change.Restored, r.change.Reason, r.change.Undo = false, reason, by.Exchange.Curl()
}

// verify reads the object and restores it again if it does not hold the old values. It reports whether it did.
func (r *repair) verify(ctx context.Context) bool {
	values, _ := r.Before()
	t := r.session.restorer(ctx, r.Object)
	looked := 0
	otherwise := func() string {
		r.LoseTrack() // so that the answer counts, and is not judged by earlier ones
		shown := map[string]any{}
		for _, name := range t.Read(r.Object) {
			shown[name], _ = r.Holds(name)
		}
		looked = len(shown)
		return r.ShownOtherwise(values, shown)
	}
	if otherwise() == "" {
		if looked == 0 && r.session.Model.Outcome.Forgets(r.Op) {
			r.left("the target accepted the old values, but was seen to lose updates, and offers no way to check", t.putBack(r.Object, values))
		}
		return false
	}
	r.restore(ctx)
	if got := otherwise(); got != "" && r.change.Restored {
		r.left("the target accepted the old values, and then shows "+got, t.putBack(r.Object, values))
	}
	return true
}

// restorer returns the context in which an object is restored. Its findings are not reported.
func (s *Session) restorer(ctx context.Context, o *judge.Object) *T {
	if s.Model.Outcome.Liveness.Spared(o.Op.ID) { // the request is reported, but not sent
		spared, end := context.WithCancelCause(ctx)
		end(errSpared)
		ctx = spared
	}
	c := &judge.Case{ID: o.Op.ID + "/restore/" + o.Name(), Operation: o.Op, Class: classRestore}
	return s.Aside(ctx, c, c.ID)
}

var errSpared = errors.New("the target failed to restore others, and was slow")

// putBack sends the old values of an object. The target may require all fields, so a field whose old value is unknown is
// sent with its last value.
func (t *T) putBack(o *judge.Object, values map[string]any) *judge.Answer {
	all := map[string]any{}
	for _, f := range o.Op.Body.Fields {
		if last, known := o.Holds(f.Name); known && last != nil {
			all[f.Name] = last
		}
	}
	maps.Copy(all, values)
	return t.Ask(t.update(o, all), judge.Expect{Success: true, Statuses: []int{http.StatusUnprocessableEntity}, OnlyCrash: true})
}

// restore restores the object.
func (r *repair) restore(ctx context.Context) {
	outcome, change := r.session.Model.Outcome, r.change
	*change = Change{Object: r.Name(), ID: r.ID(), Change: "updated"}
	if !r.Changed() {
		change.Change = "perhaps updated"
	}
	values, unknown := r.Before()
	if len(values) == 0 {
		change.Reason = "its earlier values are unknown: they are not in the target file, and no answer showed them before the first write"
		return
	}
	var t *T
	var a *judge.Answer
	for range restores {
		t = r.session.restorer(ctx, r.Object)
		a = t.putBack(r.Object, values)
		isRefused := a.Exchange.Stop != nil
		if isRefused || a.Exchange.Err == nil && a.Status < 500 || ctx.Err() != nil || outcome.Liveness.Spared(r.Op.ID) {
			break
		}
	}
	refusedNulls := ""
	if nulls := r.Unset(); a.Status == http.StatusUnprocessableEntity && len(nulls) > 0 {
		rest := maps.Clone(values)
		maps.DeleteFunc(rest, func(_ string, v any) bool { return v == nil })
		if again := t.putBack(r.Object, rest); again.OK {
			a, values, refusedNulls = again, rest, strings.Join(nulls, ", ")
		}
	}
	otherwise := r.ShownOtherwise(values, a.Shown)
	switch {
	case errors.Is(context.Cause(t.Ctx), errSpared):
		r.left("not tried: "+errSpared.Error(), a)
	case a.Exchange.Stop != nil:
		r.left(a.Exchange.Stop.Brief(), a)
	case a.Exchange.Err != nil:
		r.left("the target did not answer: "+a.Exchange.Err.Error(), a)
	case !a.OK:
		r.left("the target refused the old values: "+a.StatusText(), a)
	case otherwise != "":
		r.left("the target accepted the old values but shows "+otherwise, a)
		r.report(a)
	case refusedNulls != "":
		r.left("the target refused null for "+refusedNulls+"; the rest is restored", a)
	case len(unknown) > 0:
		change.Reason = fmt.Sprintf("%s could not be restored, because the earlier value is unknown; the rest is restored",
			strings.Join(unknown, ", "))
	case r.Late():
		change.Restored, change.Reason = true, "a write timed out and may still take effect"
	default:
		change.Restored = true
	}
}

// report adds the finding that the target accepted the old values and shows others to the case that looks at what all
// others left.
func (r *repair) report(a *judge.Answer) {
	results := r.session.Model.Outcome.Results()
	i := slices.IndexFunc(results, func(of *judge.Result) bool {
		return of.Case.Last && of.Case.Class == judge.ClassEffects && of.Case.Operation == r.Op
	})
	if i >= 0 && !r.session.cutOff {
		(&judge.Test{Model: r.session.Model, Case: results[i].Case, Result: results[i]}).JudgeRestored(a)
	}
}

// restores is how many times restoring an object is tried.
const restores = 3
