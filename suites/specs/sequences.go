package specs

import (
	"flag"
	"fmt"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// Random sequences of requests against what the session knows of the target's state
// (depth deep). A failing sequence is shrunk to the shortest that still
// fails. The seed of the run decides all of it, so a run can be replayed.
func randomSequences(s *Specs, op *spec.Operation) {
	s.Case("random/sequences", "After every random sequence of requests each object holds what the last success said.",
		Options{Deep, Clause(shown(op)...), Clause(op.Clause, op.Effects["persists"], "EFFECT-1", "EFFECT-2")},
		func(c *Case, o *Object) {
			others := others(c, op)
			readAll(c, others)
			explore(c, append([]*Object{o}, others...))
		})
}

const (
	sequences    = 25
	longest      = 10
	shrinkWithin = 10 * time.Second
)

// move is one step of a random sequence.
type move struct {
	name string
	send func(c *Case, rt *rapid.T, o *Object)
}

var moves = []move{
	{"update", func(c *Case, rt *rapid.T, o *Object) {
		c.VerifyNoTraceOf(o)
		c.Write(o, drawn(c, rt, o))
	}},
	{"update a part of", func(c *Case, rt *rapid.T, o *Object) {
		c.VerifyNoTraceOf(o)
		all := drawn(c, rt, o)
		if o.Op.Replaces() { // it takes all fields
			c.Write(o, all)
			return
		}
		sendPart(c, o, fieldsWhere(o.Op, func(f *spec.Field) bool { return rapid.Bool().Draw(rt, f.Name) }), all)
	}},
	{"read", func(c *Case, _ *rapid.T, o *Object) { c.Read(o) }},
	{"update without a key", func(c *Case, _ *rapid.T, o *Object) {
		c.Expect(c.Send(Wrong(c, o, As(anonymous)))).To(BeRefused(401).Citing("AUTH-1"))
	}},
	{"update as the stranger", func(c *Case, _ *rapid.T, o *Object) {
		if c.Target.Credentials.Stranger != "" {
			refusedToStranger(c, o)
		}
	}},
	{"update with a wrong field", func(c *Case, rt *rapid.T, o *Object) {
		f := rapid.SampledFrom(o.Op.Body.Fields).Draw(rt, "field")
		sendWrong(c, o, f, rapid.SampledFrom(wrongValues(f)).Draw(rt, "value"))
	}},
	{"update an unknown id beside", func(c *Case, rt *rapid.T, o *Object) {
		unknown := Unknown(c, len(o.IDs)-1, rapid.IntRange(0, 99).Draw(rt, "id"))
		c.Expect(c.Send(Wrong(c, o, unknown, NoObject))).To(BeRefused(404).Citing("ERR-1"))
	}},
}

// rapidFlags are global in rapid, and so is a check.
var rapidFlags sync.Mutex

// explore lets rapid draw sequences, and reports the shortest that fails.
func explore(c *Case, objects []*Object) {
	rapidFlags.Lock()
	defer rapidFlags.Unlock()
	if flag.Lookup("test.short") == nil {
		testing.Init()
	}
	if !flag.Parsed() {
		_ = flag.CommandLine.Parse(nil) // rapid asks for testing.Short
	}
	for name, value := range map[string]string{
		"rapid.checks": fmt.Sprint(sequences), "rapid.seed": fmt.Sprint(c.Known().Seed + 1),
		"rapid.nofailfile": "true", "rapid.shrinktime": shrinkWithin.String(),
	} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	var shortest *Case
	var steps []string
	rapid.Check(&silent{}, func(rt *rapid.T) {
		if c.Ctx.Err() != nil {
			return
		}
		trial := c.Trial()
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
		readAll(trial, objects)
		if trial.Broken() {
			if shortest == nil || len(done) <= len(steps) { // a fault that shows now and then does not shrink steadily
				shortest, steps = trial, done
			}
			rt.Fatalf("broken")
		}
	})
	if shortest != nil {
		c.Adopt(shortest, steps)
	}
}

// drawn are ordinary values, with the enumerated ones drawn.
func drawn(c *Case, rt *rapid.T, o *Object) map[string]any {
	values := c.Ordinary(o, 0)
	for _, f := range enums(o.Op) {
		values[f.Name] = rapid.SampledFrom(f.Enum).Draw(rt, f.Name)
	}
	return values
}

// silent is a test that fails without a word: the suite reports by itself. Rapid calls no other
// methods of it than these.
type silent struct {
	rapid.TB
	failed bool
}

func (*silent) Helper() {}

func (*silent) Name() string { return "adconform" }

func (*silent) Logf(string, ...any) {}

func (s *silent) Errorf(string, ...any) { s.failed = true }

func (s *silent) Fatalf(string, ...any) { s.failed = true }

func (s *silent) FailNow() { s.failed = true }

func (s *silent) Failed() bool { return s.failed }
