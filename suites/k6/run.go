package k6

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/judge/call"
	"github.com/adconform/adconform/suites/judge/model"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/testcase"
	"github.com/adconform/adconform/suites/wire"
)

// sent is a case and what it did to the simulated target.
type sent struct {
	Case
	plan    *testcase.Case
	writes  bool    // may change something on a target that conforms
	written []write // accepted updates
	deleted bool

	unplayable bool // a request of it cannot stand in a script
}

// write is an accepted update: the object and the fields that it set.
type write struct {
	object *model.Object
	fields map[string]any
}

// largest is the body that a script holds, in bytes.
const largest = 256 << 10

// ran is what the cases sent on one set of objects.
type ran struct {
	contract        *spec.Contract
	now             sent // the case under way
	failed          error
	cases           []sent
	usedUp, lacking int
}

// run sends the cases to the simulated target, on one of its sets of objects.
func run(ctx context.Context, c *suites.Config, set int, plan []*testcase.Case) (*ran, error) {
	view := *c
	view.Target = c.Target
	contract, err := view.LoadContract()
	if err != nil {
		return nil, err
	}
	client, err := view.Client()
	if err != nil {
		return nil, err
	}
	defer client.Close()
	r := &ran{contract: contract}
	session := session.NewSession(session.Options{
		ModelOptions: judge.ModelOptions{Contract: contract, Target: view.Target, Seed: c.Seed, Judged: r.note},
		Client:       client, ReadOnly: c.ReadOnly,
	})
	for _, cs := range plan {
		if cs.Once {
			r.usedUp++
			continue
		}
		if c.ReadOnly && cs.Writes {
			continue
		}
		r.now = sent{plan: cs, Case: Case{ID: cs.ID, Class: cs.Class, Clause: cs.Clauses[0]}}
		result := session.Run(ctx, cs)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case r.failed != nil:
			return nil, r.failed
		case r.now.deleted:
			r.usedUp++
		case r.now.unplayable:
		case len(r.now.Steps) > 0:
			r.cases = append(r.cases, r.now)
		case result.Status == testcase.NotTested && result.Cause == testcase.ByOperator:
			r.lacking++
		}
	}
	return r, nil
}

// note takes a request of the case under way into the script.
func (r *ran) note(cs *testcase.Case, call *call.Call, e judge.Expect, ex *wire.Exchange) {
	switch {
	case ex.Err != nil:
		r.failed = errors.Join(r.failed, fmt.Errorf("the simulated target did not answer: %w", ex.Err))
		return
	case call.Encoded || len(ex.Request.Body) > largest:
		r.now.unplayable = true // k6 cannot send the path, or the script would grow too large
		return
	case e.Clause == "" && call.Object != nil && call.Object.Foreign:
		return // a look at the stranger's object, for later answers to be compared with: a script does not
	}
	step, err := newStep(r.contract, call, e, ex.Request)
	if err != nil {
		r.failed = errors.Join(r.failed, fmt.Errorf("%s: %w", cs.ID, err))
		return
	}
	r.now.Steps = append(r.now.Steps, step)
	if wire.Safe(ex.Request.Method) {
		return
	}
	done := ex.Response.Status >= 200 && ex.Response.Status < 300
	r.now.writes = r.now.writes || done || e.Success || e.OnlyCrash || e.Clause == ""
	switch {
	case done && ex.Request.Method == http.MethodDelete:
		r.now.deleted = true
	case done && call.Object != nil && call.Body != nil && len(call.Body.Fields) > 0:
		r.now.written = append(r.now.written, write{call.Object, call.Body.Fields})
	}
}
