package suites

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/fuzz"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/liveness"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/testcase"
	"github.com/adconform/adconform/suites/wire"
)

// Fuzz says how a target is sent input that nobody listed.
type Fuzz struct {
	Requests int           // that are drawn; looks, and what puts back, come on top; 0: no bound
	Duration time.Duration // 0: no bound
	Corpus   []fuzz.Input  // that are sent first

	// Keep is given what was answered in a new way, or shows a finding; nil for nobody.
	Keep     func(in fuzz.Input, found bool)
	Found    func(caseID string, findings []*oracle.Finding)
	Progress func(FuzzProgress) // after each request
}

// FuzzProgress is how far it is.
type FuzzProgress struct {
	fuzz.Coverage
	Findings int
	Elapsed  time.Duration
}

// FuzzDepth is the depth of a report about it.
const FuzzDepth = "fuzz"

// fuzzing is a run of it under way.
type fuzzing struct {
	Fuzz
	*Execution
	fuzzer  *fuzz.Fuzzer
	gate    sync.RWMutex
	started time.Time

	mu      sync.Mutex
	tests   map[string]*judge.Test // by case
	found   map[oracle.Cause]*oracle.Finding
	recent  map[int]report.Exchange // by Seq, of those that no finding needs
	order   []int                   // of recent
	changes map[string]session.Change
	over    string // why it ended early
}

// RunFuzz sends a target input that nobody listed, judges what no conforming server does, and
// puts back what it changed. It is an error when it cannot begin.
func RunFuzz(ctx context.Context, c *Config, o Fuzz) (*report.Report, error) {
	contract, err := c.LoadContract()
	if err != nil {
		return nil, err
	}
	ops := slices.DeleteFunc(slices.Clone(contract.Operations),
		func(op *spec.Operation) bool { return c.ReadOnly && !op.Lists() && !op.Reads() })
	if len(ops) == 0 {
		return nil, errors.New("a read-only run can send nothing: every operation may change something")
	}
	client, err := c.Client()
	if err != nil {
		return nil, err
	}
	defer client.Close()
	client.SparePorts()
	f := &fuzzing{
		Fuzz: o, fuzzer: fuzz.New(ops, c.Seed, o.Requests, o.Corpus, c.ReadOnly), started: time.Now(),
		Execution: &Execution{config: c, contract: contract, operations: ops, opened: func() {}},
		tests:     map[string]*judge.Test{}, found: map[oracle.Cause]*oracle.Finding{}, recent: map[int]report.Exchange{},
		changes: map[string]session.Change{},
	}
	for _, op := range ops {
		f.plan = append(f.plan, &testcase.Case{
			ID: op.ID + "/fuzz/ordinary", Operation: op, Class: testcase.ClassFuzz,
			Title: "Ordinary requests are answered as ever.", Clauses: fuzz.Clauses(op),
		})
	}
	f.session = session.NewSession(session.Options{
		ModelOptions: judge.ModelOptions{
			Contract: contract, Target: c.Target, Seed: c.Seed, Mark: c.Mark, Disabled: c.Disabled,
			Patience: fuzzPatience(c), Workers: c.workers(),
		},
		Client: client, ReadOnly: c.ReadOnly, Record: f.record,
	})
	f.outcome = f.session.Outcome()
	if err := c.provision(ctx); err != nil {
		f.mistake = "provision failed: " + err.Error()
	}
	f.survey(ctx)
	f.session.LeaveAhead()
	if f.mistake == "" && !f.keyRefused.Load() {
		f.send(ctx)
	}
	return f.conclude(ctx), nil
}

// fuzzPatience is more than that of a run: requests on which a server hangs are what is looked
// for.
func fuzzPatience(c *Config) liveness.Patience {
	return liveness.Patience{Operation: 20 * c.timeout(), Target: 40 * c.timeout()}
}

// shrinkGrace is how long after the end, or an interrupt, what was found may still be shrunk.
const shrinkGrace = 5 * time.Second

// send draws and sends until the bounds are reached.
func (f *fuzzing) send(ctx context.Context) {
	if f.Duration > 0 {
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, f.Duration)
		defer end()
	}
	hard, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(shrinkGrace, cancel) })()
	var all sync.WaitGroup
	for objectSet := range f.lanes() {
		all.Go(func() {
			trees := f.trees(objectSet)
			for more := true; more && ctx.Err() == nil && f.goesOn(); {
				more = false
				for _, t := range trees {
					more = t.next(hard) || more
				}
			}
			for _, t := range trees {
				t.end(hard)
			}
		})
	}
	all.Wait()
}

func (f *fuzzing) stop(why string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = cmp.Or(f.over, why)
}

func (f *fuzzing) goesOn() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.over == ""
}

// caseOf is the case in whose name an input is sent.
func (f *fuzzing) caseOf(in fuzz.Input) *testcase.Case {
	return f.test(fuzz.NewCase(f.contract.Operation(in.Operation), in)).Case
}

// test has the result of the case with such an id, which is begun when it is first asked for.
func (f *fuzzing) test(cs *testcase.Case) *judge.Test {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.tests[cs.ID] == nil {
		f.tests[cs.ID] = f.session.Model.Begin(cs)
	}
	return f.tests[cs.ID]
}

// known says whether all of these findings were found before, and counts them.
func (f *fuzzing) known(found []*oracle.Finding) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range found {
		if f.found[one.Cause()] == nil {
			return false
		}
	}
	for _, one := range found {
		f.found[one.Cause()].Seen++
	}
	return true
}

// take keeps what was found, with its exchanges.
func (f *fuzzing) take(in fuzz.Input, found []*oracle.Finding) {
	for _, one := range found {
		f.mu.Lock()
		before := f.found[one.Cause()]
		if before == nil {
			one.Seen = 1
			f.found[one.Cause()] = one
		}
		f.mu.Unlock()
		if before != nil {
			continue
		}
		cs := f.plan[slices.Index(f.operations, f.contract.Operation(one.Operation))]
		if len(in.Mutations) > 0 {
			cs = f.caseOf(in)
			one.Case = cs.ID
		}
		t := f.test(cs)
		f.mu.Lock()
		t.Take(one)
		f.retain(one)
		f.mu.Unlock()
		if f.Found != nil {
			f.Found(cs.ID, []*oracle.Finding{one})
		}
		if f.Keep != nil && len(in.Mutations) > 0 {
			f.Keep(in, true)
		}
	}
}

// recentKept is how many exchanges are kept until it is known whether a finding needs them.
const recentKept = 400

// record keeps the last exchanges.
func (f *fuzzing) record(ex *wire.Exchange) {
	if !f.config.Exchanges && f.config.Record == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.config.Record != nil {
		f.config.Record(ex)
	}
	f.recent[ex.Seq] = report.NewExchange(ex)
	if f.order = append(f.order, ex.Seq); len(f.order) > recentKept {
		delete(f.recent, f.order[0])
		f.order = f.order[1:]
	}
}

// retain keeps the exchanges that a finding shows.
func (f *fuzzing) retain(one *oracle.Finding) {
	keep := func(seq int) {
		if ex, ok := f.recent[seq]; ok {
			f.shown = append(f.shown, ex)
			delete(f.recent, seq)
		}
	}
	keep(one.Exchange)
	for _, q := range one.Requests {
		keep(q.Exchange)
	}
}

// conclude makes the report.
func (f *fuzzing) conclude(ctx context.Context) *report.Report {
	c, coverage := f.config, f.fuzzer.Coverage()
	var changes []session.Change
	for _, name := range slices.Sorted(maps.Keys(f.changes)) {
		changes = append(changes, f.changes[name])
	}
	if err := c.provision(context.WithoutCancel(ctx)); err != nil && f.mistake == "" {
		changes = append(changes, session.Change{Object: "provision", Change: "not run again", Reason: err.Error()})
	} else if c.provisions() {
		session.Provisioned(changes)
	}
	f.plan = nil
	for _, r := range f.outcome.Results() {
		f.plan = append(f.plan, r.Case)
	}
	slices.SortFunc(f.plan, func(a, b *testcase.Case) int { return strings.Compare(a.ID, b.ID) })
	r := f.observed(f.started, changes, FuzzDepth, "that is for run")
	r.Fuzz = &report.Fuzz{
		Requests: coverage.Requests, Classes: coverage.Classes, Of: coverage.Of, Answers: coverage.Signatures,
		ByClass: coverage.ByClass,
	}
	r.Stopped = cmp.Or(f.mistake, f.over)
	if ctx.Err() != nil {
		r.Stopped, r.Interrupted = session.StopReason(ctx), true
	}
	f.decide(r)
	return r
}

// decide fills in the verdict: what was found, or why that says little.
func (f *fuzzing) decide(r *report.Report) {
	f.config.rules().Decide(r, f.outcome.Liveness.Answered(), f.keyRefused.Load(), f.unsure)
	if r.Verdict == report.Conforming {
		r.Reason = "in " + r.Fuzz.String()
		return
	}
	if r.Verdict == report.Nonconforming {
		r.Reason = fmt.Sprintf("%s in %s", wording.Count(len(r.Findings), "finding"), r.Fuzz)
	}
}
