package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
)

// classRestore marks what is sent even where the target seems gone.
const classRestore = "restore"

// Change is an object that the run changed, and whether it was put back.
type Change struct {
	Object   string `json:"object"` // key in the target file
	ID       int64  `json:"id"`
	Change   string `json:"change"` // updated or deleted
	Restored bool   `json:"restored"`
	Reason   string `json:"reason,omitempty"` // why it was not, or not to what was first seen
	Undo     string `json:"undo,omitempty"`   // the request that would put back what is left
}

// Restore puts back what the sessions of a run changed: to the values of the
// target file, else to those that were seen before the first write. It goes one by one, the last
// change first. Where the target broke the contract it looks whether that was done.
func Restore(ctx context.Context, sessions ...*Session) (changes []Change) {
	if len(sessions) == 0 {
		return nil
	}
	defer sessions[0].Model.Outcome.Liveness.Restoring()()
	var all []*Change
	var looks []func() (again bool)
	seen := map[*judge.Object]bool{}
	for _, s := range slices.Backward(sessions) {
		suspects := s.suspects()
		for _, o := range slices.Backward(s.Model.Order) {
			if seen[o] {
				continue
			}
			seen[o] = true
			change := &Change{Object: o.Name(), ID: o.ID(), Change: deleted, Reason: "a disposable: it was there to be deleted"}
			switch {
			case o.Op.Deletes() && o.Deleted():
				all = append(all, change)
			case o.Op.Updates() && (o.Changed() || o.Touched() || suspects[o]):
				change.Change, change.Reason = "updated", ""
				if defect := s.Model.Guard("putting back "+o.Name(), func() { *change = s.restore(ctx, o) }); defect != "" {
					change.Reason = defect
				}
				all = append(all, change)
				looks = append(looks, func() bool {
					return (change.Restored || o.SeenLate()) && s.Model.Outcome.Broken() && ctx.Err() == nil && s.verify(ctx, o, change)
				})
			}
		}
	}
	for again, round := true, 1; again && round < restores; round++ {
		again = false
		for _, look := range looks {
			again = look() || again
		}
	}
	for _, change := range all {
		change.Reason = sessions[0].Model.Presentable(change.Reason) // it may quote what the target answered
		changes = append(changes, *change)
	}
	return changes
}

// deleted is the change of a disposable.
const deleted = "deleted"

// Provisioned tells that provision has run since: it has put back what requests could
// not.
func Provisioned(changes []Change) {
	for i := range changes {
		if c := &changes[i]; !c.Restored && c.Change != deleted {
			c.Restored, c.Reason, c.Undo = true, "provision has put it back: "+c.Reason, ""
		}
	}
}

// CutOff tells that the session's cases were interrupted. Nobody looks any more what
// the last refused requests did: their objects are put back, too, as far as it is
// known to what.
func (s *Session) CutOff() { s.cutOff = true }

// suspects are the objects that refused requests may have changed which nobody looked after, and
// those beside the ones that were updated where the target was seen to change something else than
// it was asked to.
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

// verify looks whether an object holds what was put back, and puts it back once
// more where it does not. It says whether it had to.
func (s *Session) verify(ctx context.Context, o *judge.Object, change *Change) bool {
	values, _ := o.Before()
	t := s.restorer(ctx, o)
	looked := false
	differs := func() string {
		o.LoseTrack() // so that what is shown counts, and nothing is judged by it
		seen := t.Read(o)
		looked = len(seen) > 0
		for _, name := range seen {
			got, _ := o.Holds(name)
			if want, ok := values[name]; ok && !oracle.Equal(o.Op.Body.Named(name), want, got) {
				return fmt.Sprintf("%s %s instead of %s", name, oracle.Show(got), oracle.Show(want))
			}
		}
		return ""
	}
	switch {
	case differs() != "":
	case !looked && s.Model.Outcome.Forgets(o.Op):
		change.Restored = false
		change.Reason = "the target took the old values, but does not keep what it is told, and shows no way to look"
		change.Undo = t.putBack(o, values).Exchange.Curl()
		return false
	default:
		return false
	}
	*change = s.restore(ctx, o)
	if got := differs(); got != "" && change.Restored {
		change.Restored = false
		change.Reason = "the target took the old values, and then shows " + got
		change.Undo = t.putBack(o, values).Exchange.Curl()
	}
	return true
}

// restorer is the context that puts an object back. What it finds is not reported:
// the run is over.
func (s *Session) restorer(ctx context.Context, o *judge.Object) *T {
	if s.Model.Outcome.Liveness.Spared(o.Op.ID) { // it is only said what would be sent
		spared, end := context.WithCancelCause(ctx)
		end(errSpared)
		ctx = spared
	}
	c := &judge.Case{ID: o.Op.ID + "/restore/" + o.Name(), Operation: o.Op, Class: classRestore}
	return s.Aside(ctx, c, c.ID)
}

var errSpared = errors.New("the target failed to take back others, and took long for it")

// putBack sends the values that an object had. A field of which nothing is known
// goes with its last value, as the target may ask for all.
func (t *T) putBack(o *judge.Object, values map[string]any) *judge.Answer {
	values = maps.Clone(values)
	for _, f := range o.Op.Body.Fields {
		if last, known := o.Holds(f.Name); known && last != nil {
			if _, ok := values[f.Name]; !ok {
				values[f.Name] = last
			}
		}
	}
	call := t.update(o, values)
	call.Succeeds = true
	return t.Ask(call, judge.Expect{Success: true, Statuses: []int{http.StatusUnprocessableEntity}, OnlyCrash: true})
}

func (s *Session) restore(ctx context.Context, o *judge.Object) Change {
	change := Change{Object: o.Name(), ID: o.ID(), Change: "updated"}
	if !o.Changed() {
		change.Change = "perhaps updated"
	}
	values, unknown := o.Before()
	if len(values) == 0 && !o.Changed() && !s.Model.Outcome.Broken() && s.untouched(ctx, o) {
		change.Restored, change.Reason = true, "an answer was lost, and nothing that was sent shows"
		return change
	}
	if len(values) == 0 {
		change.Reason = "the target file does not give its values, and no answer showed them before the first write"
		return change
	}
	var t *T
	var a *judge.Answer
	for range restores {
		t = s.restorer(ctx, o)
		a = t.putBack(o, values)
		if a.Exchange.Err == nil && a.Status < 500 || ctx.Err() != nil || s.Model.Outcome.Liveness.Spared(o.Op.ID) {
			break
		}
	}
	refusedNulls := ""
	if nulls := o.Unset(); a.Status == http.StatusUnprocessableEntity && len(nulls) > 0 {
		rest := maps.Clone(values)
		maps.DeleteFunc(rest, func(_ string, v any) bool { return v == nil })
		if again := t.putBack(o, rest); again.OK {
			a, values, refusedNulls = again, rest, strings.Join(nulls, ", ")
		}
	}
	otherwise := o.ShownOtherwise(values, a.Shown)
	switch {
	case errors.Is(context.Cause(t.Ctx), errSpared):
		change.Reason, change.Undo = "not tried: "+errSpared.Error(), a.Exchange.Curl()
	case a.Exchange.Err != nil:
		change.Reason, change.Undo = "the target did not answer: "+a.Exchange.Err.Error(), a.Exchange.Curl()
	case !a.OK:
		change.Reason, change.Undo = "the target refused the old values: "+a.StatusText(), a.Exchange.Curl()
	case otherwise != "":
		change.Reason, change.Undo = "the target took the old values and shows "+otherwise, a.Exchange.Curl()
	case o.SeenLate() && !o.IsMain() && s.Model.Outcome.Forgets(o.Op):
		change.Reason = "it was put back to what it showed first; that was after other objects were written to, and the target " +
			"changes more than it is asked to"
	case refusedNulls != "":
		change.Reason, change.Undo = "the target refused null for "+refusedNulls+"; the rest is put back", a.Exchange.Curl()
	case len(unknown) > 0:
		change.Reason = fmt.Sprintf("neither the target file nor an answer before the first write gave %s; the rest is put back",
			strings.Join(unknown, ", "))
	default:
		change.Restored = true
		change.Reason = o.Caveat(values)
	}
	return change
}

// untouched says whether an object, of which no answer showed what it held, shows
// nothing of what the run made up.
func (s *Session) untouched(ctx context.Context, o *judge.Object) bool {
	t := s.restorer(ctx, o)
	seen := t.Read(o)
	ours := func(name string) bool {
		v, _ := o.Holds(name)
		return s.Model.IsOurs(v)
	}
	return len(seen) == len(judge.FieldNames(o.Op)) && !slices.ContainsFunc(seen, ours)
}

// restores is how often putting an object back is tried on a target that fails
// now and then.
const restores = 3
