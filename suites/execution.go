package suites

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/doctor"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/specs"
	"github.com/adconform/adconform/suites/wire"
)

// Execution is a run under way: the cases are sent ahead, those that touch the
// same objects in the order of the plan; whoever waits for a result gets it when
// it is final.
type Execution struct {
	config   *Config
	contract *spec.Contract
	plan     []*judge.Case
	outcome  *judge.Outcome
	session  *session.Session // nil: others sent the requests

	operations []*spec.Operation       // that are planned
	results    map[string]chan settled // by case id
	stop       context.CancelFunc
	finished   chan struct{}

	keyRefused atomic.Bool       // in every operation: no case can be judged as the owner's
	opened     func()            // is called when an answer shows that the owner's key is taken
	mu         sync.Mutex        // guards what follows, and whoever is told of a case or an exchange
	done       int               // cases
	shown      []report.Exchange // with Config.Exchanges

	mistake string // in the target file or its provision, so that nothing is tested
	unsure  string // whether the base URL is right: the owner never got a 2xx
	report  *report.Report
}

// Execute runs the suite and returns its report. It is an error when the run
// cannot start; what the target does wrong is in the report.
func Execute(ctx context.Context, c *Config) (*report.Report, error) {
	e, err := Start(ctx, c)
	if err != nil {
		return nil, err
	}
	return e.Report(), nil
}

// Start plans a run and begins to send. It ends early when ctx does: then what
// was changed is put back and the report says so.
func Start(ctx context.Context, c *Config) (*Execution, error) {
	plan, err := c.Sendable()
	if err != nil {
		return nil, err
	}
	return start(ctx, c, plan)
}

// Sendable is the plan, and an error where a run may send no case of it.
func (c *Config) Sendable() ([]*judge.Case, error) {
	plan, err := c.Plan()
	if err == nil && len(plan) == 0 {
		err = errors.New("no case matches " + cmp.Or(strings.Join(c.Filters, " and "), "the selection"))
	}
	if err == nil && c.ReadOnly && !slices.ContainsFunc(plan, func(cs *judge.Case) bool { return !cs.Writes }) {
		err = errors.New("a read-only run can send no case of the selection: each may change something")
	}
	return plan, err
}

func start(ctx context.Context, c *Config, plan []*judge.Case) (*Execution, error) {
	contract, err := c.LoadContract()
	if err != nil {
		return nil, err
	}
	deadline := c.deadline(len(plan))
	ctx, stop := context.WithTimeoutCause(ctx, deadline, session.Deadline{After: deadline})
	e := &Execution{
		config: c, contract: contract, plan: plan, operations: plannedOperations(plan),
		stop: stop, results: map[string]chan settled{}, finished: make(chan struct{}),
	}
	if err := c.provision(ctx); err != nil {
		e.mistake = "provision failed: " + err.Error()
	}
	client, err := c.Client()
	if err != nil {
		return nil, err
	}
	e.session = session.NewSession(session.Options{
		ModelOptions: judge.ModelOptions{
			Contract: contract, Target: c.Target, Seed: c.Seed, Bases: c.Bases, Selected: c.Select != nil,
			Disabled: c.Disabled, Patience: c.patience(), Workers: c.workers(),
		},
		Client: client, ReadOnly: c.ReadOnly, Record: e.record, CaseTime: c.caseTime(),
	})
	e.outcome = e.session.Outcome()
	for _, cs := range plan {
		e.results[cs.ID] = make(chan settled, 1)
	}
	go func() {
		defer close(e.finished)
		defer client.Close()
		defer e.stop()
		e.run(ctx)
	}()
	return e, nil
}

// settled is what a case came to. The end of the run adds to a result, when
// cases are repeated and tentative findings confirmed: then is the result as the case left it.
type settled struct {
	then judge.Result
	last *judge.Result
}

func settle(r *judge.Result) settled {
	then := *r
	then.Exchanges, then.Findings = slices.Clone(r.Exchanges), slices.Clone(r.Findings)
	return settled{then, r}
}

// Await returns the result of a case: that of its own requests as soon as it is
// final, or where it is tentative that of the whole run.
func (e *Execution) Await(id string) *judge.Result {
	o := <-e.results[id]
	if !o.then.Decided() {
		<-e.finished
		return o.last
	}
	return &o.then
}

// Report waits for the end of the run.
func (e *Execution) Report() *report.Report {
	<-e.finished
	return e.report
}

// reported is Report; nil of no run, as of one that Ginkgo's --dry-run leaves out.
func (e *Execution) reported() *report.Report {
	if e == nil {
		return nil
	}
	return e.Report()
}

func (e *Execution) run(ctx context.Context) {
	started := time.Now()
	s, c := e.session, e.config
	provisioned := e.mistake == ""
	workers := c.workers()
	queue := session.NewSchedule(session.Chains(e.plan), s, workers)
	e.opened = sync.OnceFunc(queue.Open)
	e.survey(ctx)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() { e.worker(ctx, queue) })
	}
	all.Wait()
	s.LeaveAhead()
	s.Outcome().InOrder()
	if ctx.Err() == nil {
		s.Conclude(ctx)
	}
	if ctx.Err() != nil {
		s.Abandon(session.StopReason(ctx))
	}
	// What was changed is put back even after an interruption, within a bound.
	_, gone := s.Outcome().Liveness.Gone()
	restore, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.restoreTime(gone))
	defer cancel()
	sessions := queue.Sessions()
	for _, s := range sessions {
		s.Model.NoteUntrue()
	}
	if ctx.Err() != nil {
		for _, s := range sessions {
			s.CutOff()
		}
	}
	changes := session.Restore(restore, sessions...)
	s.Outcome().SettleLosses() // the answers to what puts back show that the target still answers
	if !provisioned {
		// what failed once is not tried again
	} else if err := c.provision(restore); err != nil {
		changes = append(changes, session.Change{Object: "provision", Change: "not run again", Reason: err.Error()})
	} else if c.provisions() {
		session.Provisioned(changes)
	}
	e.report = e.assemble(started, changes)
	if c.Decided != nil {
		for _, r := range s.Outcome().Results() {
			c.Decided(r)
		}
	}
	e.report.Stopped = s.Outcome().Liveness.Stopped()
	if ctx.Err() != nil {
		e.report.Stopped = session.StopReason(ctx)
		e.report.Interrupted = !errors.As(context.Cause(ctx), new(session.Deadline))
	}
	if e.report.Stopped == "" {
		e.report.Stopped = e.mistake
	}
	live := s.Outcome().Liveness
	c.decide(e.report, live.Answered(), e.keyRefused.Load(), e.unsure)
	if r, why := e.report, live.Stopped(); r.Verdict == report.Nonconforming && r.Stopped == why && !strings.Contains(r.Reason, why) {
		r.Reason += "; " + why
	}
	if why := live.LastLost(); why != "" && live.Answered() == 0 && e.report.Stopped == "" {
		e.report.Reason = "the target gave no answer: " + why
	}
}

// worker runs cases as long as there are any.
func (e *Execution) worker(ctx context.Context, s *session.Schedule) {
	for turn, ok := s.Take(); ok; turn, ok = s.Take() {
		r := e.next(ctx, turn)
		e.tell(r) // before another case of the chain adds to what was found
		s.Done(turn)
	}
}

// tell passes a result on.
func (e *Execution) tell(r *judge.Result) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.done++
	e.results[r.Case.ID] <- settle(r)
	if e.config.Progress != nil {
		e.config.Progress(e.done, len(e.plan), r)
	}
}

// record is told every exchange of the run.
func (e *Execution) record(ex *wire.Exchange) {
	if e.session.Outcome().OwnerTaken() {
		e.opened()
	}
	e.keep(ex)
}

// keep keeps an exchange and passes it on, as far as anyone asked.
func (e *Execution) keep(ex *wire.Exchange) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if ex.Err == nil && ex.Response.Status/100 == 2 && ex.Request.Credential.Name == judge.OwnerName {
		e.unsure = ""
	}
	if e.config.Exchanges {
		e.shown = append(e.shown, report.NewExchange(ex))
	}
	if e.config.Record != nil {
		e.config.Record(ex)
	}
}

// next runs a case, or says why it is not run.
func (e *Execution) next(ctx context.Context, turn session.Turn) *judge.Result {
	s, c, cs := turn.Session(), e.config, turn.Case
	switch why, gone := s.Outcome().Liveness.Gone(); {
	case ctx.Err() != nil:
		return s.Skip(cs, session.StopReason(ctx))
	case e.mistake != "":
		return s.Skip(cs, e.mistake)
	case e.keyRefused.Load():
		return s.Skip(cs, refusedKey)
	case gone:
		return s.Skip(cs, why)
	case c.StopEarly && e.failed():
		return s.Skip(cs, "a finding ended the run")
	case cs.Writes && s.OwnerRefused(ctx, e.operations):
		e.keyRefused.Store(true)
		return s.Skip(cs, refusedKey)
	case c.ReadOnly && cs.Writes:
		return s.Skip(cs, leftOut)
	}
	return s.Run(ctx, cs)
}

// has says whether the target file has what a case needs.
func (c *Config) has(cs *judge.Case) bool { return len(cs.Lacks(c.Target)) == 0 }

// refusedKey is why cases are not run.
const refusedKey = "every operation answers 401 to credentials.owner"

// failed says whether a finding that is certain already fails the run.
func (e *Execution) failed() bool {
	for _, r := range e.outcome.Results() {
		if r.Tentative {
			continue
		}
		for _, f := range r.Findings {
			if e.config.counts(f, e.outcome.Liveness.Lost()) && !e.config.accept(f, time.Now()) {
				return true
			}
		}
	}
	return false
}

// survey looks whether base URL and keys can be used, before anything else is sent.
func (e *Execution) survey(ctx context.Context) {
	if e.mistake != "" || !slices.ContainsFunc(e.plan, e.config.has) {
		return
	}
	s := e.session
	for _, k := range doctor.FirstLook(ctx, s, e.operations, specs.FirstOf) {
		switch text := k.Need + ": " + k.Detail; {
		case k.Stops:
			e.mistake = text
			return
		case k.Status == doctor.Unchecked:
			e.unsure = text
		}
	}
	if s.OwnerRefused(ctx, e.operations) {
		e.keyRefused.Store(true)
		return
	}
	for _, cs := range e.plan {
		if cs.Looks != "" && e.unsure == "" {
			s.LookAhead(ctx, cs)
		}
	}
}
