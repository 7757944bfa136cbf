package engine

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
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
// target file, else to those that were seen before the first write. In a lane
// that goes one by one, the last change first; lanes do not wait for another.
// Where the target broke the contract it looks whether that was done.
func Restore(ctx context.Context, sessions ...*Session) []Change {
	var lanes [][]Change
	var all sync.WaitGroup
	for lane := range 1 + slices.MaxFunc(sessions, func(a, b *Session) int { return a.lane - b.lane }).lane {
		lanes = append(lanes, nil)
		all.Go(func() {
			lanes[lane] = restoreLane(ctx, slices.DeleteFunc(slices.Clone(sessions), func(s *Session) bool { return s.lane != lane }))
		})
	}
	all.Wait()
	return slices.Concat(lanes...)
}

// restoreLane puts back the objects of a lane. One may be known to two sessions.
func restoreLane(ctx context.Context, sessions []*Session) []Change {
	var changes []Change
	type put struct {
		change int
		object *Object
		by     *Session
	}
	var done []put
	seen := map[*Object]bool{}
	for _, s := range slices.Backward(sessions) {
		for _, o := range slices.Backward(s.order) {
			if seen[o] {
				continue
			}
			seen[o] = true
			switch {
			case o.Op.Deletes() && o.deleted:
				changes = append(changes, Change{Object: o.Name(), ID: o.ID(), Change: "deleted", Reason: "a disposable: it was there to be deleted"})
			case o.Op.Updates() && (o.changed || o.touched):
				change := Change{Object: o.Name(), ID: o.ID(), Change: "updated"}
				if defect := s.guard("putting back "+o.Name(), func() { change = s.restore(ctx, o) }); defect != "" {
					change.Reason = defect
				}
				done = append(done, put{len(changes), o, s})
				changes = append(changes, change)
			}
		}
	}
	for range restores - 1 {
		again := false
		for _, p := range done {
			if changes[p.change].Restored && p.by.broken() && ctx.Err() == nil {
				again = p.by.verify(ctx, p.object, &changes[p.change]) || again
			}
		}
		if !again {
			break
		}
	}
	for i := range changes { // a reason may quote what the target answered
		changes[i].Reason = sessions[0].presentable(changes[i].Reason)
	}
	return changes
}

// broken says whether the target did anything that it must not.
func (b *book) broken() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.results, func(r *Result) bool { return r.Status == Failed })
}

// forgets says whether an operation was seen not to keep what it was told.
func (s *Session) forgets(op *spec.Operation) bool {
	return slices.ContainsFunc(s.Groups(), func(f *Finding) bool {
		return f.Operation == op.ID && (f.Clause == op.Effects["persists"] || f.Clause == "EFFECT-1" || f.Clause == "EFFECT-2")
	})
}

// verify looks whether an object holds what was put back, and puts it back once
// more where it does not. It says whether it had to.
func (s *Session) verify(ctx context.Context, o *Object, change *Change) bool {
	values, _ := o.before()
	t := s.restorer(ctx, o)
	looked := false
	differs := func() string {
		o.uncertain = true // so that what is shown counts, and nothing is judged by it
		seen := t.Read(o)
		looked = len(seen) > 0
		for _, name := range seen {
			if want, ok := values[name]; ok && !equalValue(o.Op.Body.Named(name), want, o.last[name]) {
				return fmt.Sprintf("%s %s instead of %s", name, Show(o.last[name]), Show(want))
			}
		}
		return ""
	}
	switch {
	case differs() != "":
	case !looked && s.forgets(o.Op):
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
func (s *Session) restorer(ctx context.Context, o *Object) *T {
	c := &Case{ID: o.Op.ID + "/restore/" + o.Name(), Operation: o.Op, Class: classRestore}
	return &T{Session: s, Ctx: ctx, Case: c, Result: &Result{Case: c, Status: Passed}, Fake: fixtures.NewFake(s.Seed, c.ID)}
}

// putBack sends the values that an object had. A field of which nothing is known
// goes with its last value, as the target may ask for all.
func (t *T) putBack(o *Object, values map[string]any) *Answer {
	values = maps.Clone(values)
	for _, f := range o.Op.Body.Fields {
		if last, known := o.last[f.Name]; known && last != nil {
			if _, ok := values[f.Name]; !ok {
				values[f.Name] = last
			}
		}
	}
	return t.Send(Call{
		Op: o.Op, Object: o, As: t.user(o), Body: ObjectBody(o.Op.Body, values),
		Expect: Expect{Success: true, Statuses: []int{http.StatusUnprocessableEntity}, OnlyCrash: true},
	})
}

func (s *Session) restore(ctx context.Context, o *Object) Change {
	change := Change{Object: o.Name(), ID: o.ID(), Change: "updated"}
	if !o.changed {
		change.Change = "perhaps updated"
	}
	values, unknown := o.before()
	if len(values) == 0 {
		change.Reason = "the target file does not give its values, and no answer showed them before the first write"
		return change
	}
	t := s.restorer(ctx, o)
	var a *Answer
	for range restores {
		a = t.putBack(o, values)
		if a.Exchange.Err == nil && a.Status < 500 || ctx.Err() != nil {
			break
		}
	}
	otherwise := o.shownOtherwise(values, a)
	switch {
	case a.Exchange.Err != nil:
		change.Reason, change.Undo = "the target did not answer: "+a.Exchange.Err.Error(), a.Exchange.Curl()
	case !a.OK:
		change.Reason, change.Undo = "the target refused the old values: "+a.StatusText(), a.Exchange.Curl()
	case otherwise != "":
		change.Reason, change.Undo = "the target took the old values and shows "+otherwise, a.Exchange.Curl()
	case len(unknown) > 0:
		change.Reason = fmt.Sprintf("neither the target file nor an answer before the first write gave %s; the rest is put back", strings.Join(unknown, ", "))
	default:
		change.Restored = true
		change.Reason = o.caveat(values)
	}
	return change
}

// restores is how often putting an object back is tried on a target that fails
// now and then.
const restores = 3

// before are the fields as they were before the run, by wire name: as the target
// file gives them, else as they were first seen; and those of which nothing is
// known.
func (o *Object) before() (values map[string]any, unknown []string) {
	values = map[string]any{}
	for _, f := range o.Op.Body.Fields {
		v, ok := o.Given[f.Meaning]
		if !ok {
			v, ok = o.original[f.Name]
		}
		if ok && (v != nil || f.Optional) { // a null that nobody can have set is no value to put back
			values[f.Name] = v
		} else {
			unknown = append(unknown, f.Name)
		}
	}
	return values, unknown
}

// shownOtherwise is a field that an answer shows with another value than was
// sent, "" when there is none.
func (o *Object) shownOtherwise(values map[string]any, a *Answer) string {
	for _, name := range sortedKeys(values) {
		got, ok := a.Shown[name]
		if f := o.Op.Body.Named(name); ok && values[name] != nil && !equalValue(f, values[name], got) {
			return fmt.Sprintf("%s %s instead of %s", name, Show(got), Show(values[name]))
		}
	}
	return ""
}

// caveat says what the operator should know of an object that was put back.
func (o *Object) caveat(values map[string]any) string {
	var words []string
	for _, name := range sortedKeys(values) {
		f := o.Op.Body.Named(name)
		_, given := o.Given[f.Meaning]
		if first, seen := o.original[name]; given && seen && !equalValue(f, values[name], first) {
			words = append(words, fmt.Sprintf("put back to what the target file says; %s was first seen as %s", name, Show(first)))
		}
	}
	if o.late {
		words = append(words, "a write of the run timed out, and may still land")
	}
	return strings.Join(words, "; ")
}
