package engine

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/adconform/adconform/internal/doctor"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/specs"
)

// An execution is a run in progress. Cases run ahead of Ginkgo's tree; those that touch the same objects
// run in the order of the plan. Each result becomes available as soon as it is final.
type execution struct {
	config  *Config
	plan    []*judge.Case
	outcome *judge.Outcome
	session *session.Session // nil if others sent the requests

	operations []*spec.Operation // those with planned cases
	results    map[string]*final // by case id
	finished   chan struct{}
	stop       func()    // ends the run early
	restored   time.Time // when restoring must be over; zero without a test's deadline

	keyRefused bool              // every operation refused the owner's key, so no case can be judged
	opened     func()            // called when an answer shows that the owner's key is accepted
	mu         sync.Mutex        // guards what follows, and the callbacks of the configuration
	done       int               // number of cases that are over
	shown      []report.Exchange // with Config.Exchanges
	sent       []*wire.Exchange  // so far

	mistake string // in the target file or its provision; if set, nothing is tested
	away    error  // why the target gave no answer when provision failed
	unsure  string // why the base URL may be wrong: the owner never got a 2xx
	report  *report.Report
}

// final is the result of a case, which may be read when known is closed.
type final struct {
	known  chan struct{}
	result report.Case
}

// Execute runs the suite and returns its report. It returns an error only if the run cannot start. If
// ctx ends, the run ends early: changed objects are restored, and the report says so.
func Execute(ctx context.Context, c *Config) (*report.Report, error) {
	plan, err := c.Sendable()
	if err != nil {
		return nil, err
	}
	e, err := start(ctx, c, plan)
	if err != nil {
		return nil, err
	}
	return e.wait(), nil
}

// NotRun returns the report of a run that sends nothing, because the target is not ready: it is inconclusive.
func NotRun(ctx context.Context, c *Config, reason string) (*report.Report, error) {
	own := *c
	own.unready, own.Progress, own.Decided = reason, nil, nil
	return Execute(ctx, &own)
}

// start starts sending the cases of a plan.
func start(ctx context.Context, c *Config, plan []*judge.Case) (*execution, error) {
	client, err := c.Client()
	if err != nil {
		return nil, err
	}
	var sender session.Client = client
	if c.Wrap != nil {
		sender = c.Wrap(client)
	}
	e := &execution{config: c, plan: plan, results: map[string]*final{}, finished: make(chan struct{})}
	for _, cs := range plan {
		e.results[cs.ID] = &final{known: make(chan struct{})}
		if !slices.Contains(e.operations, cs.Operation) {
			e.operations = append(e.operations, cs.Operation)
		}
	}
	ctx, e.stop = e.within(ctx)
	if e.mistake = c.unready; e.mistake == "" {
		if err := c.provision(ctx); err != nil {
			e.mistake = "provision failed: " + err.Error()
			e.noteAway(client.Do(ctx, "provision", wire.Request{Method: http.MethodGet, Path: "/"}))
		}
	}
	e.session = session.NewSession(session.Options{
		ModelOptions: judge.ModelOptions{
			Contract: c.contract(), Target: c.Target, Seed: c.Seed, Selected: c.Select != nil,
			Disabled: c.Disabled, Drawn: c.Drawn, Sequences: c.sequences, ReadDelay: c.ReadDelay, Judging: c.Judging,
		},
		Client: sender, ReadOnly: c.ReadOnly, Record: e.keep, Explanation: e.explanation,
	})
	e.outcome = e.session.Outcome()
	go func() {
		defer close(e.finished)
		defer client.Close()
		defer e.stop()
		e.run(ctx)
	}()
	return e, nil
}

// noteAway makes a target that gives no answer the reason, rather than the provision that needs it.
func (e *execution) noteAway(ex *wire.Exchange) {
	if ex.Err != nil {
		e.away = ex.Err
		e.mistake = "the target does not answer: " + ex.Err.Error()
	}
}

// within limits how long a run may send, so that it can restore and report in time.
func (e *execution) within(ctx context.Context) (context.Context, func()) {
	c := e.config
	most := cmp.Or(c.Deadline, runTime+c.atRate(runPerCase*len(e.plan)))
	cause := session.Deadline{After: most}
	if left := time.Until(c.end); !c.end.IsZero() {
		kept := min(c.restoreTime(false)+reportTime, left/2)
		e.restored = c.end.Add(-min(reportTime, kept/5))
		if left-kept < most {
			most, cause.Ends = left-kept, kept.Round(time.Millisecond)
		}
	}
	return context.WithTimeoutCause(ctx, most, cause)
}

// wait returns the report at the end of the run, or nil if there is no run, as in a dry run.
func (e *execution) wait() *report.Report {
	if e == nil {
		return nil
	}
	<-e.finished
	return e.report
}

func (e *execution) run(ctx context.Context) {
	started := time.Now()
	s, c := e.session, e.config
	provisioned := e.mistake == ""
	workers := c.workers()
	queue := session.NewSchedule(session.Chains(e.plan), s, workers)
	e.opened = sync.OnceFunc(queue.Open)
	e.survey(ctx)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			queue.Work(func(s *session.Session, cs *judge.Case) {
				e.publish(e.next(ctx, s, cs)) // before another case of the chain adds findings
			})
		})
	}
	all.Wait()
	s.DiscardPrefetched()
	e.outcome.InOrder()
	if ctx.Err() == nil {
		for _, s := range queue.Sessions() {
			s.LookBack(ctx)
		}
		s.Conclude(ctx)
	}
	if ctx.Err() != nil {
		s.Abandon(session.StopReason(ctx))
	}
	changes := e.putBack(ctx, queue.Sessions(), provisioned)
	stopped := e.outcome.SettleKeys() // answers to restoring requests show whether the keys still do not work
	stopped = cmp.Or(stopped, e.outcome.SettleShortTimeouts(c.Target.Limits.Timeout))
	r := e.assemble(started, changes)
	e.level(r)
	if c.Decided != nil {
		for _, result := range e.outcome.Results() {
			c.Decided(result)
		}
	}
	r.Stopped = cmp.Or(stopped, e.outcome.Liveness.Stopped())
	if e.away == nil {
		r.Stopped = cmp.Or(r.Stopped, e.mistake)
	}
	if ctx.Err() != nil {
		r.Stopped = e.stopReason(ctx)
		r.Interrupted = !errors.As(context.Cause(ctx), new(session.Deadline))
	}
	e.decide(r)
	e.report = r
	for _, result := range r.Results {
		e.settle(result)
	}
	if c.Finished != nil {
		c.Finished(r)
	}
}

// stopReason returns why the context of the run ended, and what the run waited for until then.
func (e *execution) stopReason(ctx context.Context) string {
	reason := session.StopReason(ctx)
	if e.outcome.Liveness.Answered() || e.outcome.Traffic.Unavailable == 0 {
		return reason
	}
	return reason + ", and until then every request was answered 502 to 504, or got no connection: " +
		"the server, or a gateway in front of it, is down or overloaded"
}

// putBack restores what was changed, even after an interruption, within a time limit, and provisions
// again; a provision that failed before is not tried again.
func (e *execution) putBack(ctx context.Context, sessions []*session.Session, provisioned bool) []report.Change {
	c := e.config
	restore, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.restoreTime(e.outcome.Liveness.Gone() != ""))
	defer cancel()
	if !e.restored.IsZero() {
		restore, cancel = context.WithDeadline(restore, e.restored)
		defer cancel()
	}
	for _, s := range sessions {
		s.Model.NoteUntrue()
		if ctx.Err() != nil {
			s.CutOff()
		}
	}
	changes := session.Restore(restore, sessions...)
	e.outcome.SettleLosses() // answers to restoring requests show that the target still answers
	if !provisioned || !c.provisions() {
		return changes
	}
	if err := c.provision(restore); err != nil {
		return append(changes, report.Change{Object: "provision", Change: "not run again", Reason: err.Error()})
	}
	session.Provisioned(changes)
	return changes
}

// publish passes a result to Progress, and to the spec of its case if neither the end of the run nor the baseline can
// change it.
func (e *execution) publish(r *judge.Result) {
	if r.Decided() && len(r.Findings) == 0 && !r.Case.Last {
		e.settle(report.Case{ID: r.Case.ID, Title: r.Case.Title, Status: r.Status, Reason: r.Reason, Cause: r.Cause})
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.done++
	if e.config.Progress != nil {
		e.config.Progress(e.done, len(e.plan), r)
	}
}

// settle makes a result final, unless it already is.
func (e *execution) settle(r report.Case) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f := e.results[r.ID]
	select {
	case <-f.known:
	default:
		f.result = r
		close(f.known)
	}
}

// keep stores an exchange and passes it on, if the configuration asks for that.
func (e *execution) keep(ex *wire.Exchange) {
	if e.opened != nil && e.outcome.OwnerTaken() {
		e.opened()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if ex.Err == nil && ex.Response.Status/100 == 2 && ex.Request.Credential.Name == judge.OwnerName {
		e.unsure = ""
	}
	e.sent = append(e.sent, ex)
	if e.config.Exchanges {
		e.shown = append(e.shown, ex.Entry())
	}
	if e.config.Record != nil {
		e.config.Record(ex)
	}
}

// refusedKey is the reason why cases do not run if the owner's key is refused.
const refusedKey = "every operation answers 401 to the owner's key"

// next runs a case, or skips it for a reason.
func (e *execution) next(ctx context.Context, s *session.Session, cs *judge.Case) *judge.Result {
	why := cmp.Or(e.mistake, e.outcome.Liveness.Gone())
	switch {
	case ctx.Err() != nil:
		why = session.StopReason(ctx)
	case e.keyRefused:
		why = refusedKey
	case why == "" && e.config.ReadOnly && cs.Writes:
		why = leftOut
	}
	if why != "" {
		return s.Skip(cs, why)
	}
	return s.Run(ctx, cs)
}

// survey checks whether the base URL and the keys can be used, before anything else is sent.
func (e *execution) survey(ctx context.Context) {
	sendable := func(cs *judge.Case) bool { return len(cs.Missing(e.config.Target)) == 0 }
	if e.mistake != "" || !slices.ContainsFunc(e.plan, sendable) {
		return
	}
	checks, first := doctor.FirstLook(ctx, e.session, e.operations, specs.FirstOf)
	for _, k := range checks {
		switch text := k.Need + ": " + k.Detail; {
		case k.Status == report.Wrong:
			e.mistake = text
			return
		case k.Status == report.Unchecked:
			e.unsure = text
		}
	}
	if e.session.OwnerRefused(ctx, e.operations) {
		e.keyRefused = true
		return
	}
	e.lookAtNamed(ctx, first)
}

// lookAtNamed checks what the target file says about the owner's objects, about lists and about the stranger's
// objects, before anything is written. A mistake ends the run.
func (e *execution) lookAtNamed(ctx context.Context, first doctor.FirstList) {
	lists := e.config.contract().ListOf("vastCreative")
	if lists != nil && first.Owners == nil { // the target may answer nothing
		return
	}
	firsts := doctor.FirstLists{}
	for _, cs := range e.plan {
		if cs.Looks != "" && e.unsure == "" {
			firsts.Add(cs.Looks, cs.Operation, e.session.Prefetch(ctx, cs))
		}
	}
	key := ""
	if lists != nil {
		key = lists.Key()
		firsts.Add(key, lists, first.Owners)
		firsts.Look(ctx, e.session, e.unread(firsts))
	}
	isForeign := func(need string) bool { return strings.HasPrefix(need, judge.ForeignPrefix) }
	checks := doctor.LookAtNamed(ctx, e.session, e.surveyed(), e.needs(isForeign), specs.FirstOf)
	var mistakes []string
	for _, k := range append(checks, firsts.Mistakes(ctx, e.session)...) {
		switch text := k.Need + ": " + k.Detail; {
		case k.Status != report.Wrong:
		case first.MayBlameFile(k.Need, key):
			mistakes = append(mistakes, text)
		default:
			e.outcome.NoteMistake(text)
		}
	}
	if len(mistakes) > 0 {
		e.mistake = wording.Some(mistakes, 1)
	}
	if len(mistakes) > 1 {
		for _, text := range mistakes {
			e.outcome.NoteMistake(text)
		}
	}
}

// unread returns the keys of the lists that no case reads before others write: those of containers, and of the plain
// disposables at both ends of their list. At depth quick, most of them would cost too much.
func (e *execution) unread(read doctor.FirstLists) []string {
	isFull := e.config.Depth > judge.Quick
	keys := e.needs(func(need string) bool {
		switch key := strings.TrimPrefix(need, judge.OwnKeys); {
		case strings.HasSuffix(key, mediaFiles), strings.HasPrefix(key, "pagedVastCreatives"):
			return true
		default:
			return isFull && strings.HasPrefix(key, "disposableVastCreatives")
		}
	})
	plain := e.needs(func(need string) bool { return strings.HasPrefix(need, judge.OwnKeys+"disposableCreatives") })
	if isFull && len(plain) > 0 {
		keys = append(keys, slices.Compact([]string{plain[0], plain[len(plain)-1]})...)
	}
	return slices.DeleteFunc(keys, func(key string) bool {
		_, isRead := read[key]
		return isRead
	})
}

// surveyed returns the operations whose first case runs: it surveys their objects, and so uses the answers of the
// first look.
func (e *execution) surveyed() (updates []*spec.Operation) {
	for _, op := range e.operations {
		isFirst := func(cs *judge.Case) bool { return cs.ID == specs.FirstOf(op, judge.OwnerName) }
		if op.Updates() && slices.ContainsFunc(e.plan, isFirst) {
			updates = append(updates, op)
		}
	}
	return updates
}

// needs returns the keys of the target file that cases need and for which is holds.
func (e *execution) needs(is func(need string) bool) (keys []string) {
	for _, cs := range e.plan {
		if len(cs.Missing(e.config.Target)) > 0 {
			continue
		}
		for _, need := range cs.Needs {
			key := strings.TrimSuffix(strings.TrimPrefix(need, judge.OwnKeys), mediaFiles)
			if is(need) && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}
