package session

import (
	"context"
	"slices"
	"sync"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
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
// target file, else to those that were seen before the first write. In one tree of
// objects that goes one by one, the last change first; the others do
// not wait for it.
// Where the target broke the contract it looks whether that was done.
func Restore(ctx context.Context, sessions ...*Session) []Change {
	if len(sessions) > 0 {
		defer sessions[0].Model.Outcome.Liveness.Restoring()()
	}
	trees := inTrees(sessions)
	changes := make([][]Change, len(trees))
	var all sync.WaitGroup
	for i, objects := range trees {
		all.Go(func() { changes[i] = restoreAll(ctx, objects) })
	}
	all.Wait()
	return slices.Concat(changes...)
}

// Provisioned tells that provision has run since: it has put back what requests could
// not.
func Provisioned(changes []Change) {
	for i := range changes {
		if c := &changes[i]; !c.Restored && c.Change != "deleted" {
			c.Restored, c.Reason, c.Undo = true, "provision has put it back: "+c.Reason, ""
		}
	}
}

// inTrees divides the objects of sessions by tree, the last used first. No
// two trees have a session in common, as they are put back at once: a session that
// knows objects of several is forked.
func inTrees(sessions []*Session) [][]owned {
	type user struct {
		tree int
		*Session
	}
	var trees [][]owned
	of := map[string]int{} // index in trees
	by := map[user]*Session{}
	taken, seen := map[*Session]bool{}, map[*judge.Object]bool{}
	for _, s := range slices.Backward(sessions) {
		s.suspect()
		for _, o := range slices.Backward(s.Model.Order) {
			if seen[o] {
				continue
			}
			seen[o] = true
			tree, known := of[o.Op.Root()]
			if !known {
				tree = len(trees)
				of[o.Op.Root()], trees = tree, append(trees, nil)
			}
			u := user{tree, s}
			switch {
			case by[u] != nil:
			case taken[s]:
				by[u] = &Session{s.Model.With(s.Model.Fork()), s.Shared}
			default:
				by[u], taken[s] = s, true
			}
			trees[tree] = append(trees[tree], owned{o, by[u]})
		}
	}
	return trees
}

// CutOff tells that the session's cases were interrupted. Nobody looks any more what
// the last refused requests did: their objects are put back, too, as far as it is
// known to what.
func (s *Session) CutOff() {
	for _, o := range s.Model.Order {
		if o.Op.Updates() && o.Refused() && !o.Foreign {
			_, unknown := o.Before()
			o.Touched = o.Touched || len(unknown) == 0
		}
	}
}

// suspect adds the objects beside those that were updated where the target was
// seen to change something else than it was asked to.
func (s *Session) suspect() {
	for _, o := range slices.Clone(s.Model.Order) {
		if !o.Op.Updates() || !o.Changed || !s.Model.Outcome.Forgets(o.Op) {
			continue
		}
		for _, key := range []string{spec.Other(o.Key), spec.Sibling(o.Key)} {
			if beside := s.Model.Object(o.Op, key); beside != nil && len(beside.Given) > 0 {
				beside.Touched = true
			}
		}
	}
}

// owned is an object and a session that knows it.
type owned struct {
	Object *judge.Object
	by     *Session
}

func (o owned) updated() bool { return o.Object.Op.Updates() && (o.Object.Changed || o.Object.Touched) }

// restoreAll puts objects back one by one.
func restoreAll(ctx context.Context, objects []owned) []Change {
	var changes []Change
	restored := map[int]owned{} // by index in changes
	for _, o := range objects {
		switch {
		case o.Object.Op.Deletes() && o.Object.WasDeleted:
			changes = append(changes, Change{
				Object: o.Object.Name(), ID: o.Object.ID(), Change: "deleted",
				Reason: "a disposable: it was there to be deleted",
			})
		case o.updated():
			change := Change{Object: o.Object.Name(), ID: o.Object.ID(), Change: "updated"}
			if defect := o.by.Model.Guard("putting back "+o.Object.Name(), func() { change = o.by.restore(ctx, o.Object) }); defect != "" {
				change.Reason = defect
			}
			restored[len(changes)] = o
			changes = append(changes, change)
		}
	}
	for range restores - 1 {
		again := false
		for i := range changes {
			if o, ok := restored[i]; ok && (changes[i].Restored || o.Object.SeenLate) && o.by.Model.Outcome.Broken() && ctx.Err() == nil {
				again = o.by.verify(ctx, o.Object, &changes[i]) || again
			}
		}
		if !again {
			break
		}
	}
	for i := range changes { // a reason may quote what the target answered
		changes[i].Reason = objects[0].by.Model.Presentable(changes[i].Reason)
	}
	return changes
}
