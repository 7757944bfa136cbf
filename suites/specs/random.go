package specs

import (
	"flag"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/wire"
)

// Deep mode: random sequences of operations against what the session knows of
// the target's state. A failing sequence is shrunk to the shortest that still
// fails. The seed of the run decides all of it, so a run can be replayed.
const (
	sequences    = 25
	longest      = 10
	shrinkWithin = 10 * time.Second
)

func (p *planner) randomSequences() {
	object, op, key := p.object(), p.op, p.key
	p.add(engine.ClassRandom, "sequences", "After every random sequence of requests each object holds what the last success said.", func(t *engine.T) {
		objects := append([]*engine.Object{object(t)}, p.others(t, op, key)...)
		t.Calibrate(objects[0])
		for _, o := range objects[1:] {
			t.Read(o)
		}
		explore(t, objects)
	}, deep, clauses(append(effects(op), op.Clause, op.Effects["persists"], "EFFECT-1", "EFFECT-2")...))
}

// rapidFlags are global in rapid, and so is a check.
var rapidFlags sync.Mutex

// explore lets rapid draw sequences, and reports the shortest that fails.
func explore(t *engine.T, objects []*engine.Object) {
	rapidFlags.Lock()
	defer rapidFlags.Unlock()
	if flag.Lookup("test.short") == nil {
		testing.Init()
	}
	if !flag.Parsed() {
		_ = flag.CommandLine.Parse(nil) // rapid asks for testing.Short
	}
	for name, value := range map[string]string{
		"rapid.checks": fmt.Sprint(sequences), "rapid.seed": fmt.Sprint(t.Seed + 1), "rapid.nofailfile": "true", "rapid.shrinktime": shrinkWithin.String(),
	} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	var shortest *engine.T
	var steps []string
	rapid.Check(&silent{}, func(rt *rapid.T) {
		if t.Ctx.Err() != nil {
			return
		}
		trial := t.Trial()
		for _, o := range objects {
			trial.Write(o, trial.Ordinary(o, 0))
		}
		var done []string
		for range rapid.IntRange(1, longest).Draw(rt, "length") {
			o := rapid.SampledFrom(objects).Draw(rt, "object")
			step := rapid.SampledFrom(moves).Draw(rt, "step")
			done = append(done, step.name+" "+o.Key)
			step.send(trial, rt, o)
		}
		for _, o := range objects {
			trial.Read(o)
		}
		if trial.Broken() {
			if shortest == nil || len(done) <= len(steps) { // a fault that shows now and then does not shrink steadily
				shortest, steps = trial, done
			}
			rt.Fatalf("broken")
		}
	})
	if shortest != nil {
		t.Adopt(shortest, steps)
	}
}

// move is one step of a random sequence.
type move struct {
	name string
	send func(t *engine.T, rt *rapid.T, o *engine.Object)
}

var moves = []move{
	{"update", func(t *engine.T, rt *rapid.T, o *engine.Object) {
		t.Write(o, drawn(t, rt, o))
	}},
	{"update a part of", func(t *engine.T, rt *rapid.T, o *engine.Object) {
		all := drawn(t, rt, o)
		if o.Op.Replaces() { // it takes all fields
			t.Write(o, all)
			return
		}
		var subset []*spec.Field
		for _, f := range o.Op.Body.Fields {
			if rapid.Bool().Draw(rt, f.Name) {
				subset = append(subset, f)
			}
		}
		sendPart(t, o, subset, all)
	}},
	{"read", func(t *engine.T, _ *rapid.T, o *engine.Object) { t.Read(o) }},
	{"update without a key", func(t *engine.T, _ *rapid.T, o *engine.Object) {
		c := call(t, o, expect{Statuses: []int{http.StatusUnauthorized}, Clause: "AUTH-1"})
		c.As = wire.Credential{Name: "none"}
		send(t, c)
	}},
	{"update as the stranger", func(t *engine.T, _ *rapid.T, o *engine.Object) {
		if t.Target.Credentials.Stranger == "" {
			return
		}
		c := call(t, o, expect{Statuses: []int{http.StatusForbidden}, Clause: "AUTH-2"})
		c.As = t.Stranger()
		send(t, c)
	}},
	{"update with a wrong field", func(t *engine.T, rt *rapid.T, o *engine.Object) {
		f := rapid.SampledFrom(o.Op.Body.Fields).Draw(rt, "field")
		w := rapid.SampledFrom(wrongValues(f)).Draw(rt, "value")
		sendWrong(t, o, f, w)
	}},
	{"update an unknown id beside", func(t *engine.T, rt *rapid.T, o *engine.Object) {
		c := call(t, o, expect{Statuses: []int{http.StatusNotFound}, Clause: "ERR-1"})
		c.Path = o.Path()
		c.Path[len(c.Path)-1] = t.UnknownID(rapid.IntRange(0, 99).Draw(rt, "id"))
		c.Object = nil
		send(t, c)
	}},
}

// drawn are ordinary values, with the enumerated ones drawn.
func drawn(t *engine.T, rt *rapid.T, o *engine.Object) map[string]any {
	values := t.Ordinary(o, 0)
	for _, f := range o.Op.Body.Fields {
		if len(f.Enum) > 0 {
			values[f.Name] = rapid.SampledFrom(f.Enum).Draw(rt, f.Name)
		}
	}
	return values
}

// silent is a test that fails without a word: the suite reports by itself.
type silent struct{ failed bool }

func (*silent) Helper()                 {}
func (*silent) Name() string            { return "adconform" }
func (*silent) Logf(string, ...any)     {}
func (*silent) Log(...any)              {}
func (*silent) Skipf(string, ...any)    {}
func (*silent) Skip(...any)             {}
func (*silent) SkipNow()                {}
func (s *silent) Errorf(string, ...any) { s.failed = true }
func (s *silent) Error(...any)          { s.failed = true }
func (s *silent) Fatalf(string, ...any) { s.failed = true }
func (s *silent) Fatal(...any)          { s.failed = true }
func (s *silent) FailNow()              { s.failed = true }
func (s *silent) Fail()                 { s.failed = true }
func (s *silent) Failed() bool          { return s.failed }
