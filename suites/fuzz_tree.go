package suites

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/fuzz"
	"github.com/adconform/adconform/suites/fuzz/play"
	"github.com/adconform/adconform/suites/session"
)

// tree are the operations on the objects under one root: their requests do not overlap.
type tree struct {
	*fuzzing
	ops       []*spec.Operation
	objectSet int // whose objects it uses
	lane      int
	session   *session.Session
	player    *play.Player
	sent      int // since the session began
}

// manyRequests is from how many on it is worth to use more than one set of objects.
const manyRequests = 5000

// lanes is how many send at once: one for each set of objects, as far as it is worth it.
func (f *fuzzing) lanes() int {
	if f.Requests > 0 && f.Requests < manyRequests {
		return 1
	}
	return 1
}

// trees divides the operations, of which those that update use a set of objects.
func (f *fuzzing) trees(objectSet int) []*tree {
	var all []*tree
	of := map[string]*tree{}
	for _, op := range f.operations {
		if objectSet > 0 && op.Updates() && true {
			continue
		}
		if of[op.Root()] == nil {
			of[op.Root()] = &tree{fuzzing: f, lane: objectSet}
			all = append(all, of[op.Root()])
		}
		t := of[op.Root()]
		t.ops = append(t.ops, op)
		if op.Updates() {
			t.objectSet = objectSet
		}
	}
	return all
}

// renewAfter is how many inputs a session knows of, so that nothing grows.
const renewAfter = 3000

// next sends one input of each operation; false where there is none.
func (t *tree) next(ctx context.Context) (more bool) {
	for _, op := range t.ops {
		if in, ok := t.fuzzer.Next([]*spec.Operation{op}); ok {
			more = true
			t.play(ctx, in)
		}
	}
	return more
}

// play sends an input.
func (t *tree) play(ctx context.Context, in fuzz.Input) {
	if t.player == nil {
		t.begin(ctx)
	}
	new := false
	t.session.Model.Guard(in.String(), func() {
		if signature := t.player.Play(in); signature != "" {
			new = t.fuzzer.Learn(in, signature)
		}
	})
	if new && t.Keep != nil {
		t.Keep(in, false)
	}
	if why := t.player.Over(); why != "" {
		t.stop(why)
	}
	if t.sent++; t.sent >= renewAfter {
		t.end(ctx)
	}
	if t.Progress != nil {
		t.mu.Lock()
		found := len(t.found)
		t.mu.Unlock()
		t.Progress(FuzzProgress{t.fuzzer.Coverage(), found, time.Since(t.started)})
	}
}

// begin begins a session.
func (t *tree) begin(ctx context.Context) {
	t.session, t.sent = t.Execution.session.Another(), 0
	ordinary := t.plan[slices.Index(t.operations, t.ops[0])]
	t.player = &play.Player{
		Hand: t.session.Aside(ctx, ordinary, fmt.Sprint(ordinary.ID, t.lane, t.fuzzer.Coverage().Requests)),
		Case: t.caseOf, Found: t.take, Known: t.known, Gate: &t.gate, ReadOnly: t.config.ReadOnly,
	}
}

// end looks a last time, and puts back what the session changed, also after an interrupt.
func (t *tree) end(ctx context.Context) {
	if t.player == nil {
		return
	}
	t.player.Look()
	if found := t.player.Hand.Test.Result.Findings; len(found) > 0 && !t.known(found) {
		t.take(fuzz.Input{}, found)
	}
	_, gone := t.outcome.Liveness.Gone()
	restore, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.config.restoreTime(gone))
	defer cancel()
	if ctx.Err() != nil {
		t.session.CutOff()
	}
	for _, c := range session.Restore(restore, t.session) {
		t.mu.Lock()
		t.changes[fmt.Sprint(c.Object, c.ID)] = c
		t.mu.Unlock()
	}
	t.session, t.player = nil, nil
}
