package k6

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/wire"
)

// sent is a case and what it did to the stand-in.
type sent struct {
	Case
	plan   *judge.Case
	writes bool // may change something on a target that conforms
	writer []write

	unplayable bool // a request of it cannot stand in a script
}

// write is an accepted update: the object and the fields that it set.
type write struct {
	object *judge.Object
	fields map[string]any
}

// largest is the body that a script holds, in bytes.
const largest = 256 << 10

// ran is what the cases of a lane sent.
type ran struct {
	cases           []sent
	usedUp, lacking int
}

// run sends the cases to the stand-in as one lane of a run does.
func run(ctx context.Context, c *suites.Config, lane int, plan []*judge.Case) (*ran, error) {
	view := *c
	view.Target = c.Target.Lane(lane)
	contract, err := view.LoadContract()
	if err != nil {
		return nil, err
	}
	client, err := view.Client()
	if err != nil {
		return nil, err
	}
	defer client.Close()
	var now sent
	deleted := false
	var failed error
	session := session.NewSession(session.Options{
		Contract: contract, Target: view.Target, Client: client, Seed: c.Seed, ReadOnly: c.ReadOnly,
		Judged: func(cs *judge.Case, call *judge.Call, e judge.Expect, ex *wire.Exchange) {
			if ex.Err != nil {
				failed = errors.Join(failed, fmt.Errorf("the stand-in of the target did not answer: %w", ex.Err))
				return
			}
			if call.Encoded || len(ex.Request.Body) > largest {
				now.unplayable = true // k6 cannot send the path, or the script would grow too large
				return
			}
			if e.Clause == "" && call.Object != nil && call.Object.Foreign {
				return // a look at the stranger's object, for later answers to be compared with: a script does not
			}
			step, err := newStep(contract, call, e, ex.Request)
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("%s: %w", cs.ID, err))
				return
			}
			now.Steps = append(now.Steps, step)
			if wire.Safe(ex.Request.Method) {
				return
			}
			done := ex.Response.Status >= 200 && ex.Response.Status < 300
			now.writes = now.writes || done || e.Success || e.OnlyCrash || e.Clause == ""
			switch {
			case done && ex.Request.Method == http.MethodDelete:
				deleted = true
			case done && call.Object != nil && call.Body != nil && len(call.Body.Fields) > 0:
				now.writer = append(now.writer, write{call.Object, call.Body.Fields})
			}
		},
	})
	r := &ran{}
	for _, cs := range plan {
		if cs.Once {
			r.usedUp++
			continue
		}
		if c.ReadOnly && cs.Writes {
			continue
		}
		now, deleted = sent{plan: cs, Case: Case{ID: cs.ID, Class: cs.Class, Clause: cs.Clauses[0]}}, false
		result := session.Run(ctx, cs)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case failed != nil:
			return nil, failed
		case deleted:
			r.usedUp++
		case now.unplayable:
		case len(now.Steps) > 0:
			r.cases = append(r.cases, now)
		case result.Status == judge.NotTested && result.Cause == judge.ByOperator:
			r.lacking++
		}
	}
	return r, nil
}
