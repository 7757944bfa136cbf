package session

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// classRestore marks requests that are sent even if the target seems gone.
const classRestore = "restore"

// Restore restores the objects that the sessions of a run changed: to the values in the target file, or else to those
// seen before the first write. It goes one by one, the last change first. If there is a violation, it verifies the
// result.
func Restore(ctx context.Context, sessions ...*Session) (changes []report.Change) {
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
			change := &report.Change{Object: o.Name(), ID: o.ID()}
			r := &repair{s, o, change}
			switch {
			case o.Op.Deletes() && o.Deleted():
				change.Change = "deleted"
				change.Reason = "a disposable, meant to be deleted"
				all = append(all, r)
			case o.Op.Updates() && isSuspect:
				all = append(all, r)
				defect := s.Model.Guard("restoring "+o.Name(), func() { r.restore(ctx) })
				if defect != "" {
					change.Change = "updated"
					change.Reason = defect
				}
			}
		}
	}
	return all
}

// verifyAll verifies what was restored, if the target is known to be wrong, and reports whether to do so once more.
func verifyAll(ctx context.Context, all []*repair) (isOnceMore bool) {
	for _, r := range all {
		isInDoubt := r.change.Restored && r.session.Model.Outcome.Broken()
		if isInDoubt && ctx.Err() == nil {
			isOnceMore = r.verify(ctx) || isOnceMore
		}
	}
	return isOnceMore
}

// Provisioned marks changes as restored, because provision has run since.
func Provisioned(changes []report.Change) {
	for i := range changes {
		c := &changes[i]
		c.Unseen = nil
		if !c.Restored {
			c.Restored = true
			c.Reason += "; provision has run since"
			c.Undo = ""
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
		if !o.Op.Updates() {
			continue
		}
		if s.cutOff && o.Refused() && !o.Foreign {
			_, unknown := o.Before()
			all[o] = len(unknown) == 0
		}
		if !o.Changed() || !s.Model.Outcome.Forgets(o.Op) {
			continue
		}
		for _, key := range []string{spec.Other(o.Key), spec.Sibling(o.Key)} {
			neighbour := s.Model.Object(o.Op, key)
			if neighbour != nil && len(neighbour.Given) > 0 {
				all[neighbour] = true
			}
		}
	}
	return all
}

// A repair restores an object.
type repair struct {
	session *Session
	*judge.Object
	change *report.Change
}

// fail notes that the object is not restored, and that the request in by would restore it.
func (r *repair) fail(reason string, by *judge.Answer) {
	r.change.Restored = false
	r.change.Reason = reason
	r.change.Undo = by.Exchange.Curl()
}

// verify reads the object and restores it again if it does not hold the old values. It reports whether it did.
func (r *repair) verify(ctx context.Context) bool {
	values, _ := r.Before()
	t := r.session.restorer(ctx, r.Object)
	wrong, isRead := r.readWrong(t, values)
	if wrong == "" {
		if !isRead && r.session.Model.Outcome.Forgets(r.Op) {
			r.fail("the target accepted the old values, but was seen to lose updates, and offers no way to check",
				t.putBack(r.Object, values))
		}
		return false
	}
	r.restore(ctx)
	if wrong, _ = r.readWrong(t, values); wrong != "" && r.change.Restored {
		r.fail("the target accepted the old values, and then shows "+wrong, t.putBack(r.Object, values))
	}
	return true
}

// readWrong reads the object and returns the values that it shows in place of the old ones, or "".
func (r *repair) readWrong(t *T, values map[string]any) (wrong string, isRead bool) {
	r.LoseTrack() // so that the answer counts, and is not judged by earlier ones
	shown := map[string]any{}
	for _, f := range t.Read(r.Object) {
		shown[f.Name], _ = r.Holds(f.Name)
	}
	return r.ShownOtherwise(values, shown), len(shown) > 0
}

// restorer returns the context in which an object is restored. Its findings are not reported.
func (s *Session) restorer(ctx context.Context, o *judge.Object) *T {
	if s.Model.Outcome.Liveness.Spared(o.Op.ID) { // the request is reported, but not sent
		spared, end := context.WithCancelCause(ctx)
		end(errSpared)
		ctx = spared
	}
	t := s.outside(ctx, o.Op, classRestore+"/"+o.Name())
	t.Test.Case.Class = classRestore
	return t
}

var errSpared = errors.New("the target failed to restore others, and was slow")

// putBack sends the old values of an object. The target may require all fields, so a field whose old value is unknown
// is sent with its last value.
func (t *T) putBack(o *judge.Object, values map[string]any) *judge.Answer {
	all := map[string]any{}
	for _, f := range o.Op.Body.Fields {
		if last, _ := o.Holds(f.Name); last != nil {
			all[f.Name] = last
		}
	}
	maps.Copy(all, values)
	statuses := []int{http.StatusUnprocessableEntity}
	return t.Ask(t.update(o, all), judge.Expect{Success: true, Statuses: statuses, OnlyCrash: true})
}

// restore restores the object.
func (r *repair) restore(ctx context.Context) {
	change := r.change
	*change = report.Change{Object: r.Name(), ID: r.ID(), Change: "updated"}
	if !r.Changed() {
		change.Change = "perhaps updated"
	}
	values, unknown := r.Before()
	if len(values) == 0 {
		change.Reason = "its earlier values are unknown: " +
			"they are not in the target file, and no answer showed them before the first write"
		return
	}
	t, a := r.tryPutBack(ctx, values)
	refusedNulls := ""
	nulls := r.Unset()
	if a.Status == http.StatusUnprocessableEntity && len(nulls) > 0 {
		rest := maps.Clone(values)
		maps.DeleteFunc(rest, func(_ string, v any) bool { return v == nil })
		if answer := t.putBack(r.Object, rest); answer.OK {
			a = answer
			values = rest
			refusedNulls = strings.Join(nulls, ", ")
		}
	}
	if problem := r.refusal(t, a); problem != "" {
		r.fail(problem, a)
		return
	}
	wrong := r.ShownOtherwise(values, a.Shown)
	switch {
	case wrong != "":
		r.fail("the target accepted the old values but shows "+wrong, a)
		r.report(a)
	case refusedNulls != "":
		r.fail("the target refused null for "+refusedNulls+"; the rest is restored", a)
	case len(unknown) > 0:
		change.Reason = strings.Join(unknown, ", ") +
			" could not be restored, because the earlier value is unknown; the rest is restored"
	default:
		change.Restored = true
		if r.Late() {
			change.Reason = "a write timed out and may still take effect"
		}
	}
	change.Unseen = r.Unseen()
}

// tryPutBack sends the old values until the target neither fails nor stops answering.
func (r *repair) tryPutBack(ctx context.Context, values map[string]any) (t *T, a *judge.Answer) {
	for range restores {
		t = r.session.restorer(ctx, r.Object)
		a = t.putBack(r.Object, values)
		isAnswered := a.Exchange.Err == nil && a.Status < 500
		switch {
		case isAnswered, a.Exchange.Stop != nil, ctx.Err() != nil, r.session.Model.Outcome.Liveness.Spared(r.Op.ID):
			return t, a
		}
	}
	return t, a
}

// refusal says why the old values were not accepted, or returns "".
func (r *repair) refusal(t *T, a *judge.Answer) string {
	switch {
	case errors.Is(context.Cause(t.Ctx), errSpared):
		return "not tried: " + errSpared.Error()
	case a.Exchange.Stop != nil:
		return a.Exchange.Stop.Brief()
	case a.Exchange.Err != nil:
		return "the target did not answer: " + a.Exchange.Err.Error()
	case !a.OK:
		return "the target refused the old values: " + a.StatusText()
	}
	return ""
}

// report adds the finding that the target accepted the old values and shows others to the case that looks at the
// effects of all others.
func (r *repair) report(a *judge.Answer) {
	if r.session.cutOff {
		return
	}
	for _, result := range r.session.Model.Outcome.Results() {
		c := result.Case
		looksAtAll := c.Class == judge.ClassEffects && c.Last
		if looksAtAll && c.Operation == r.Op {
			t := &judge.Test{Model: r.session.Model, Case: c, Result: result}
			t.JudgeRestored(a)
			return
		}
	}
}

// restores is how many times restoring an object is tried.
const restores = 3
