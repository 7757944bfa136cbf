// Package session sends the requests of cases. It reads objects back, confirms tentative findings, and restores what
// was changed.
package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/model"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
)

// Client sends requests; *wire.Client is one.
type Client interface {
	Do(ctx context.Context, caseID string, r wire.Request) *wire.Exchange
	DoAll(ctx context.Context, caseID string, way wire.Way, reqs ...wire.Request) []*wire.Exchange
	Redact(text string) string
	Key(user string) string
	Beside(ordinary func() []wire.Request)
	Pause(ctx context.Context, d time.Duration) error
}

// A Session sends the cases of a chain, one after another.
type Session struct {
	Model  *judge.Model
	Shared *shared

	cutOff bool // its cases were interrupted
}

// shared holds what the sessions of a run have in common.
type shared struct {
	Options
	run Run

	sessions   sync.Map // the session of each *judge.Result
	prefetched sync.Map // *wire.Exchange by its slot

	lag     lag
	load    load
	written map[*judge.Object]bool // whether another writer explains what was found, see writtenByAnother
}

// Options set up a session. Redact is the client's.
type Options struct {
	judge.ModelOptions
	Client   Client
	ReadOnly bool                 // send nothing that could change the target
	Record   func(*wire.Exchange) // called with every exchange, by several workers at once; may be nil
	// Explanation returns what explains that the recorded exchanges show objects as before, see [model.Explanation].
	Explanation func() string // may be nil
}

// NewSession returns a session that knows nothing about the target.
func NewSession(o Options) *Session {
	o.Redact = o.Client.Redact
	o.Key = o.Client.Key
	model := judge.NewModel(o.ModelOptions)
	common := &shared{Options: o, written: map[*judge.Object]bool{}}
	common.lag.late = map[string]bool{}
	common.lag.never = map[string]bool{}
	common.run = Run{o.Contract, o.Target, o.Seed, o.ReadOnly, o.Drawn, o.Sequences, model.Outcome}
	s := &Session{Model: model, Shared: common}
	o.Client.Beside(s.ordinaryRequests)
	return s
}

// ordinaryRequests returns requests of the owner that change nothing: reads, then updates of unknown ids.
func (s *Session) ordinaryRequests() []wire.Request {
	var reads, updates []wire.Request
	for _, op := range s.Model.Contract.Operations {
		t := s.outside(context.Background(), op, "preflight/beside")
		call := t.ToUnknownID(op)
		switch {
		case op.Deletes():
		case op.Updates():
			if !s.Shared.ReadOnly {
				updates = append(updates, t.Request(&call))
			}
		default:
			if ids, given := s.Model.PathIDs(op, op.Key()); ids != nil {
				call.Path = judge.NewObject(op.Key(), op, ids, given).Path()
			}
			reads = append(reads, t.Request(&call))
		}
	}
	return append(reads, updates...)
}

// T is the context of a running case. Requests that the case sends through it are recorded and judged.
type T struct {
	*judge.Test
	Session *Session
	Ctx     context.Context

	fake    *fixtures.Values
	pending []*judge.Answer // answers that are not judged yet
}

// Run runs one case and returns its result.
func (s *Session) Run(ctx context.Context, c *judge.Case) *judge.Result {
	t := s.Begin(ctx, c)
	if missing := c.Missing(s.Model.Target); len(missing) > 0 {
		t.Test.NotGiven(missing[0] + " " + judge.NotGiven(s.Model.Target, missing[0]))
		return t.Test.Result
	}
	t.runSafely()
	return t.Test.Result
}

// runSafely runs a case. A panic, which is a defect of the suite, ends only the case.
func (t *T) runSafely() {
	start := time.Now()
	defer func() { t.Test.Result.Duration = time.Since(start) }()
	if defect := t.Known().Guard(t.Test.Case.ID, t.run); defect != "" {
		t.Test.NotTested(judge.BySuite, defect)
	}
}

// Steps sends the requests of a case and states what it expects of the answers.
type Steps func(*T)

// run runs the steps of a case. The first case that may update an object surveys it first. After a run of cases that
// must be refused, the next case first checks that nothing changed. In a selection such cases survey, too: without what
// an object held before, nothing shows that they were carried out, nor what to put back.
func (t *T) run() {
	if c := t.Test.Case; c.Writes && c.Operation.Updates() {
		switch o := t.Test.Object(c.Operation, c.Operation.Key()); {
		case o == nil:
		case maySurvey(c):
			t.Survey(o)
			t.VerifyNoTraceOf(o)
		case t.Known().Selected: // what the survey finds belongs to cases that are left out
			t.Session.outside(t.Ctx, c.Operation, "preflight/"+o.Name()).Survey(o)
		}
	}
	t.Test.Case.Steps.(Steps)(t)
	t.judgePending()
}

// maySurvey reports whether a case may update objects for other reasons than to be refused.
func maySurvey(c *judge.Case) bool {
	return c.Operation.Updates() && !c.Stretch
}

// Begin adds a result for a case and returns its context.
func (s *Session) Begin(ctx context.Context, c *judge.Case) *T {
	t := s.Aside(ctx, c)
	t.Test = s.Model.Begin(c)
	s.Shared.sessions.Store(t.Test.Result, s)
	return t
}

// Aside returns the context of a case that adds nothing to its result.
func (s *Session) Aside(ctx context.Context, c *judge.Case) *T {
	return &T{Test: s.Model.Aside(c), Session: s, Ctx: ctx, fake: s.fake(0, c.ID)}
}

// outside returns the context of requests for an operation that belong to no case of the plan.
func (s *Session) outside(ctx context.Context, op *spec.Operation, name string) *T {
	return s.Aside(ctx, &judge.Case{ID: op.ID + "/" + name, Operation: op})
}

// fake returns the source of a case's data in a round.
func (s *Session) fake(round uint64, name string) *fixtures.Values {
	return fixtures.New(s.Model.Seed+round, name, s.Model.Outcome.NoteMade)
}

// beginAgain returns a context to run a case once more, without adding to its result.
func (s *shared) beginAgain(ctx context.Context, r *judge.Result, round uint64) *T {
	of, _ := s.sessions.Load(r)
	t := of.(*Session).Aside(ctx, r.Case)
	t.fake = t.Session.fake(round, r.Case.ID)
	return t
}

// Outcome returns the outcome of the run.
func (s *Session) Outcome() *judge.Outcome { return s.Model.Outcome }

// Known returns what is known about the target.
func (t *T) Known() *judge.Model { return t.Test.Model }

// Skip adds a result for a case that is not run.
func (s *Session) Skip(c *judge.Case, reason string) *judge.Result {
	t := s.Model.Begin(c)
	t.NotTested(judge.ByOperator, reason)
	return t.Result
}

// Conclude decides what only the whole run shows: which tentative findings stand, which findings recur, and whether the
// target is consistent.
func (s *Session) Conclude(ctx context.Context) {
	last := s.Model.Outcome.ByCase[len(s.Model.Outcome.ByCase)-1]
	t := s.Aside(ctx, last.Case)
	t.fake = s.fake(0, "conclude")
	t.Test.Result = last
	s.Model.Guard("the end of the run", func() {
		s.lookForHang(ctx)
		t.confirm()
		s.lookForOthers(ctx)
		s.lookForRestart(ctx)
		s.Model.Outcome.NoteDeleter()
		t.Known().Outcome.WithholdEffects()
		t.Test.JudgeForms()
		t.Test.JudgeConsistency()
		s.repeat(ctx)
		s.lookForHang(ctx) // a request that blocks one worker after another may block the last one when it is repeated
		t.Known().Outcome.WithholdEffects()
	})
}

// lookForOthers reads objects once more before findings that another run may explain stand: that run may have begun to
// write only after the objects were last read.
func (s *Session) lookForOthers(ctx context.Context) {
	s.lookAgain(ctx, func(o *judge.Object) bool { return o.Changed() && s.Model.Outcome.InQuestion() })
}

// lookForRestart finds out whether a restart of the target explains findings, or two servers that answer in turn.
func (s *Session) lookForRestart(ctx context.Context) {
	if s.Shared.Explanation == nil || !s.Model.Outcome.MayBeRestart() {
		return
	}
	explanation := s.Shared.Explanation()
	if explanation == model.Restarted {
		s.askForDeleted(ctx)
		explanation = s.Shared.Explanation()
	}
	switch explanation {
	case model.Restarted:
		s.Model.Outcome.NoteRestart(explanation)
	case model.InTurn:
		s.Model.Outcome.ExplainStale(explanation)
	}
}

// mostDeleted is how many deleted objects are asked for once more.
const mostDeleted = 5

// askForDeleted asks for deleted objects once more: they are back if the target had a restart after they were deleted.
func (s *Session) askForDeleted(ctx context.Context) {
	asked := 0
	for _, o := range s.Model.Order {
		if !o.Op.Deletes() || !o.Removed() {
			continue
		}
		if asked++; asked > mostDeleted || ctx.Err() != nil {
			return
		}
		call := judge.Call{Op: o.Op, Object: o, As: s.Model.Owner()}
		s.outside(ctx, o.Op, "conclusion/"+o.Name()).Ask(call, judge.Expect{Unlisted: true})
	}
}

// LookBack looks for the effect of refused requests after which the session sent nothing more. In a whole run, cases
// look at the objects other than the main ones; at depth quick, that happens only if there is a violation.
func (s *Session) LookBack(ctx context.Context) {
	s.lookAgain(ctx, func(o *judge.Object) bool {
		isWanted := s.Model.Selected || o.IsMain() || s.Model.Outcome.Broken()
		return isWanted && o.Refused()
	})
}

func (s *Session) lookAgain(ctx context.Context, isWanted func(*judge.Object) bool) {
	for _, o := range slices.Clone(s.Model.Order) {
		switch {
		case !o.Op.Updates(), ctx.Err() != nil, !isWanted(o):
			continue
		}
		t := s.outside(ctx, o.Op, "conclusion/"+o.Name())
		s.Model.Guard(t.Test.Case.ID, func() {
			if s.Model.Surveyed[o.Op.ID] {
				t.Read(o)
			} else {
				t.look(o)
			}
		})
	}
}

// hangTimes is the number of time-outs without any answer after which a target hangs.
const hangTimes = 2

// leastPatience is how long a target has for an answer before it hangs, however short the time-out of other requests is.
const leastPatience = time.Second

// lookForHang finds out whether a request made the target hang: then no ordinary request is answered after it.
func (s *Session) lookForHang(ctx context.Context) {
	lost := s.Model.Outcome.Liveness.Silence()
	ordinary := s.ordinaryRequests()
	if len(lost) == 0 || len(ordinary) == 0 {
		return
	}
	request := ordinary[0]
	request.Raw = true // on a connection of its own, as one that was used before may belong to a worker that is blocked
	request.Patience = max(leastPatience, cmp.Or(s.Model.Target.Limits.Timeout, wire.DefaultTimeout))
	end := lost[0].Start.Add(hangTimes * request.Patience)
	for now := lost[0].Start; now.Before(end); {
		ex := s.Shared.Client.Do(ctx, "preflight/beside", request)
		s.Record(ex)
		s.Model.Outcome.Note(ex) // it belongs to no case
		if !ex.Failed(wire.Timeout) {
			return
		}
		now = ex.End()
	}
	s.Model.Outcome.Liveness.Hang()
	s.Model.Outcome.Hangs(lost)
}

// Abandon drops all tentative findings, because the run ended early.
func (s *Session) Abandon(reason string) {
	for _, r := range s.Model.Outcome.Results() {
		for _, d := range r.Tentative {
			s.Model.Outcome.Abandon(d, reason)
		}
	}
	s.Model.Outcome.WithholdEffects()
}

const (
	repeats     = 2 // how many times a case with a finding is run again
	maxRepeated = 5 // how many such cases are
)

// repeat runs the first cases with findings again, to see whether the findings recur. It does not repeat cases that use
// something up.
func (s *Session) repeat(ctx context.Context) {
	isRepeated := map[*judge.Result]bool{}
	recurs := map[finding.Cause]bool{}
	findings, _ := s.Model.Outcome.Groups(s.Model.Contract)
	for _, f := range findings {
		if len(isRepeated) == maxRepeated || f.Severity == oracle.Notice {
			break
		}
		all := s.Model.Outcome.ByCase
		i := slices.IndexFunc(all, func(r *judge.Result) bool { return r.Case.ID == f.Case })
		switch {
		case i < 0, all[i].Case.Once, isRepeated[all[i]]:
			continue
		}
		isRepeated[all[i]] = true
		s.runAgain(ctx, all[i], recurs)
	}
	s.Model.Outcome.SettleFailures(recurs)
}

// runAgain runs a case again, and notes for each cause of its findings whether it recurs every time. Nothing is known
// of other causes, unless all requests were sent again.
func (s *Session) runAgain(ctx context.Context, r *judge.Result, recurs map[finding.Cause]bool) {
	rounds := map[finding.Cause]int{} // one bit for each round
	isWhole := true
	for round := range repeats {
		t := s.Shared.beginAgain(ctx, r, uint64(round)+1)
		t.runSafely()
		isHalted := t.halted(judge.Call{Op: r.Case.Operation}) != nil
		if isHalted || ctx.Err() != nil {
			isWhole = false
		}
		t.confirm()
		for _, f := range t.Test.Result.Findings {
			rounds[f.Cause] |= 1 << round
		}
		r.Findings = append(r.Findings, t.Test.Result.Findings...)
		r.Exchanges = append(r.Exchanges, t.Test.Result.Exchanges...)
	}
	for _, f := range r.Findings {
		isSteady := rounds[f.Cause] == 1<<repeats-1
		if isSteady || isWhole {
			recurs[f.Cause] = recurs[f.Cause] || isSteady
		}
	}
}

// OwnerRefused reports whether all of these operations answer 401 to the owner's key, so the key is wrong. If one
// operation accepts it, the others are at fault. OwnerRefused sends a request for an unknown id to each operation that
// has not answered yet.
func (s *Session) OwnerRefused(ctx context.Context, ops []*spec.Operation) bool {
	seen := s.Model.Outcome
	if seen.OwnerTaken() {
		return false
	}
	isAccepted := func(op *spec.Operation) bool {
		switch {
		case s.Shared.ReadOnly && !wire.Safe(op.Method), seen.RefusesOwner(op):
			return false
		}
		t := s.outside(ctx, op, "preflight/owner-key")
		t.Ask(t.ToUnknownID(op), judge.Expect{})
		return !seen.RefusesOwner(op)
	}
	if slices.ContainsFunc(ops, isAccepted) || ctx.Err() != nil {
		return false
	}
	return slices.ContainsFunc(s.Model.Contract.Operations, seen.RefusesOwner)
}

// ToUnknownID returns the owner's well-formed request for an unknown id.
func (t *T) ToUnknownID(op *spec.Operation) judge.Call {
	o := t.Known().UnknownObject(op)
	c := judge.Call{Op: op, As: t.Known().Owner(), Path: o.Path()}
	if op.Updates() {
		c.Body = oracle.ObjectBody(t.Ordinary(o, 0))
	}
	return c
}

// Deadline is the cause of a context that ended because the run took too long.
type Deadline struct {
	After time.Duration
	Ends  time.Duration // until go test's -timeout ends the process; 0 if another deadline passed
}

func (d Deadline) Error() string {
	if d.Ends > 0 {
		return fmt.Sprintf(
			"stopped %s before the test's deadline, to restore objects and report: raise go test -timeout", d.Ends)
	}
	return fmt.Sprintf("the deadline of %s passed", d.After)
}

// StopReason returns why a context ended.
func StopReason(ctx context.Context) string {
	if deadline, passed := errors.AsType[Deadline](context.Cause(ctx)); passed {
		return deadline.Error()
	}
	return "the run was interrupted"
}

// halted returns an answer to use for these requests and all further ones if a case may not send them, or nil.
func (t *T) halted(calls ...judge.Call) *judge.Answer {
	if t.Test.Case.Class == classRestore {
		return nil
	}
	live := t.Known().Outcome.Liveness
	why := cmp.Or(live.Gone(), live.Silent(calls[0].Op.ID))
	for _, c := range calls {
		why = cmp.Or(why, t.Known().Outcome.KeyStopped(c.As.Name))
	}
	if why == "" {
		return nil
	}
	t.Test.NotTested(judge.ByOperator, why)
	return judge.Unsent(t.Test.Case.ID, why)
}
