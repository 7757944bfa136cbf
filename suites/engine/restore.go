package engine

import (
	"context"
	"net/http"
	"slices"

	"github.com/adconform/adconform/fixtures"
)

// Change is an object that the run changed, and whether it was put back.
type Change struct {
	Object   string `json:"object"` // key in the target file
	ID       int64  `json:"id"`
	Change   string `json:"change"` // updated or deleted
	Restored bool   `json:"restored"`
	Reason   string `json:"reason,omitempty"` // why it was not
	Undo     string `json:"undo,omitempty"`   // the request that would put back what is left
}

// Restore puts back what was changed, the last change first: to the values of
// the target file, else to those that were seen before the first write.
func (s *Session) Restore(ctx context.Context) []Change {
	var changes []Change
	s.restoring = true
	for _, o := range slices.Backward(s.order) {
		switch {
		case o.Op.Deletes() && o.deleted:
			changes = append(changes, Change{Object: o.Key, ID: o.ID(), Change: "deleted", Reason: "a disposable: it was there to be deleted"})
		case o.Op.Updates() && o.changed:
			change := Change{Object: o.Key, ID: o.ID(), Change: "updated"}
			if defect := s.guard("putting back "+o.Key, func() { change = s.restore(ctx, o) }); defect != "" {
				change.Reason = defect
			}
			changes = append(changes, change)
		}
	}
	return changes
}

func (s *Session) restore(ctx context.Context, o *Object) Change {
	change := Change{Object: o.Key, ID: o.ID(), Change: "updated"}
	values := map[string]any{}
	for _, f := range o.Op.Body.Fields {
		v, ok := o.Given[f.Meaning]
		if !ok {
			v, ok = o.original[f.Name]
		}
		if ok && (v != nil || f.Optional) { // a null that nobody can have set is no value to put back
			values[f.Name] = v
		}
	}
	if len(values) == 0 {
		change.Reason = "the target file does not give its values, and no answer showed them before the first write"
		return change
	}
	c := &Case{ID: o.Op.ID + "/restore/" + o.Key, Operation: o.Op, Class: "restore"}
	t := &T{Session: s, Ctx: ctx, Case: c, Result: &Result{Case: c, Status: Passed}, Fake: fixtures.NewFake(s.Seed, c.ID)}
	a := t.Send(Call{
		Op: o.Op, Object: o, As: t.user(o), Body: ObjectBody(o.Op.Body, values),
		Expect: Expect{Success: true, Statuses: []int{http.StatusUnprocessableEntity}, OnlyCrash: true},
	})
	change.Restored = a.OK && len(values) == len(o.Op.Body.Fields)
	for name, want := range values {
		if got, ok := a.Shown[name]; ok && want != nil && !equalValue(o.Op.Body.Named(name), want, got) {
			change.Restored = false
		}
	}
	switch {
	case !a.OK:
		change.Reason = "the target refused the old values: " + a.StatusText()
		if a.Exchange.Err != nil {
			change.Reason = "the target did not answer: " + a.Exchange.Err.Error()
		}
		change.Undo = a.Exchange.Curl()
	case !change.Restored:
		change.Reason = "not all of its old values are known"
	}
	return change
}
