package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
)

// verify looks whether an object holds what was put back, and puts it back once
// more where it does not. It says whether it had to.
func (s *Session) verify(ctx context.Context, o *judge.Object, change *Change) bool {
	values, _ := o.Before()
	t := s.restorer(ctx, o)
	looked := false
	differs := func() string {
		o.Uncertain = true // so that what is shown counts, and nothing is judged by it
		seen := t.Read(o)
		looked = len(seen) > 0
		for _, name := range seen {
			if want, ok := values[name]; ok && !oracle.Equal(o.Op.Body.Named(name), want, o.Holds[name]) {
				return fmt.Sprintf("%s %s instead of %s", name, oracle.Show(o.Holds[name]), oracle.Show(want))
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

// restorer is the hand that puts an object back. What it finds is not reported:
// the run is over.
func (s *Session) restorer(ctx context.Context, o *judge.Object) *T {
	c := &judge.Case{ID: o.Op.ID + "/restore/" + o.Name(), Operation: o.Op, Class: classRestore}
	return s.Aside(ctx, c, c.ID)
}

// putBack sends the values that an object had. A field of which nothing is known
// goes with its last value, as the target may ask for all.
func (t *T) putBack(o *judge.Object, values map[string]any) *judge.Answer {
	values = maps.Clone(values)
	for _, f := range o.Op.Body.Fields {
		if last, known := o.Holds[f.Name]; known && last != nil {
			if _, ok := values[f.Name]; !ok {
				values[f.Name] = last
			}
		}
	}
	return t.Ask(judge.Call{
		Op: o.Op, Object: o, As: t.Test.User(o), Body: oracle.ObjectBody(o.Op.Body, values), Succeeds: true,
	}, judge.Expect{Success: true, Statuses: []int{http.StatusUnprocessableEntity}, OnlyCrash: true})
}

func (s *Session) restore(ctx context.Context, o *judge.Object) Change {
	change := Change{Object: o.Name(), ID: o.ID(), Change: "updated"}
	if !o.Changed {
		change.Change = "perhaps updated"
	}
	values, unknown := o.Before()
	if len(values) == 0 && !o.Changed && !s.Model.Outcome.Broken() && s.untouched(ctx, o) {
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
	case o.SeenLate && !o.IsMain() && s.Model.Outcome.Forgets(o.Op):
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
	ours := func(name string) bool { return s.Model.IsOurs(o.Holds[name]) }
	return len(seen) == len(judge.FieldNames(o.Op)) && !slices.ContainsFunc(seen, ours)
}

// restores is how often putting an object back is tried on a target that fails
// now and then.
const restores = 3
