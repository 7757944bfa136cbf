// Package selftest is the suite's own proof: it runs the suite against the
// bundled reference with every fault, which it has to find for the right
// reason, and with every variant, which it must not flag.
package selftest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// Options say what is tried; the zero value tries nothing.
type Options struct {
	Faults   bool
	Variants bool
	Only     *regexp.Regexp // ids; nil is all
	Budget   int            // requests a run; 0 does not bound it
	Parallel int            // runs at a time; 0 is GOMAXPROCS
	Disabled []string       // checks that do not judge
	Lanes    int            // of each run; 0 is the suite's own choice
	OneSet   bool           // of objects: the target file names no lanes
	Without  []string       // keys that the target file does not have, see Keys
	Coverage bool           // runs do not end when a fault is found: every case that finds it is named
	// Progress is told each outcome as it comes, one at a time.
	Progress func(done, of int, o Outcome)
}

// Run tries the selected faults and variants. It is an error when nothing is
// selected or when a server cannot be started; what the suite misses is in the
// result.
func Run(ctx context.Context, o Options) (*Result, error) {
	contract, err := spec.Load()
	if err != nil {
		return nil, err
	}
	trials := o.trials(contract)
	if len(trials) == 0 {
		return nil, errNothing
	}
	started := time.Now()
	outcomes, err := o.run(ctx, contract, trials)
	if err != nil {
		return nil, err
	}
	r := newResult(contract, outcomes)
	r.Budget, r.Seconds = o.Budget, time.Since(started).Seconds()
	return r, nil
}

var errNothing = errors.New("no fault or variant has such an id; adconform selftest --list-faults lists them")

// trial is a fault or a variant, one of the two.
type trial struct {
	fault   *faults.Fault
	variant *faults.Variant
}

func (t trial) id() string {
	if t.fault != nil {
		return t.fault.ID
	}
	return t.variant.ID
}

func (o *Options) trials(contract *spec.Contract) []trial {
	var all []trial
	if o.Faults {
		for _, f := range faults.All(contract) {
			all = append(all, trial{fault: &f})
		}
	}
	if o.Variants {
		for _, v := range faults.Variants() {
			all = append(all, trial{variant: &v})
		}
	}
	if o.Only == nil {
		return all
	}
	return slices.DeleteFunc(all, func(t trial) bool { return !o.Only.MatchString(t.id()) })
}

// run tries all at once, as many at a time as Parallel says; the outcomes are
// in the order of the trials.
func (o *Options) run(ctx context.Context, contract *spec.Contract, trials []trial) ([]Outcome, error) {
	outcomes := make([]Outcome, len(trials))
	var telling sync.Mutex
	done := 0
	err := o.each(ctx, trials, func(ctx context.Context, i int) error {
		outcome, err := o.try(ctx, contract, trials[i])
		if err != nil {
			return err
		}
		outcomes[i] = outcome
		telling.Lock()
		defer telling.Unlock()
		done++
		if o.Progress != nil {
			o.Progress(done, len(trials), outcome)
		}
		return nil
	})
	return outcomes, err
}

// each does something for every trial, as many at a time as Parallel says. The
// first error ends it.
func (o *Options) each(ctx context.Context, trials []trial, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	parallel := o.Parallel
	if parallel <= 0 {
		parallel = runtime.GOMAXPROCS(0)
	}
	next := make(chan int)
	var wg sync.WaitGroup
	for range parallel {
		wg.Go(func() {
			for i := range next {
				if err := do(ctx, i); err != nil {
					cancel(fmt.Errorf("%s: %w", trials[i].id(), err))
				}
			}
		})
	}
	for i := range trials {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	wg.Wait()
	return context.Cause(ctx)
}

// try runs the suite against one fault or variant, with a world of its own.
func (o *Options) try(ctx context.Context, contract *spec.Contract, t trial) (Outcome, error) {
	s, err := o.serve(ctx, contract, t)
	if err != nil {
		return Outcome{}, err
	}
	var outcome Outcome
	if t.fault != nil {
		outcome, err = o.tryFault(ctx, s.config, t.fault, s.env)
	} else {
		outcome, err = o.tryVariant(ctx, s.config, t.variant)
	}
	return outcome, errors.Join(err, s.stop())
}

// served is a server with a fault or as a variant, and the configuration of a run
// against it.
type served struct {
	config *suites.Config
	env    faults.Env
	stop   func() error // says whether the server panicked
}

func (o *Options) serve(ctx context.Context, contract *spec.Contract, t trial) (*served, error) {
	world := o.world()
	env := faults.NewEnv(contract, world)
	choices := reference.DefaultChoices()
	if t.fault != nil && t.fault.Choices != nil {
		t.fault.Choices(&choices)
	}
	if t.variant != nil && t.variant.Choices != nil {
		t.variant.Choices(&choices)
	}
	server, err := reference.New(ctx, reference.Options{World: world, Choices: choices})
	if err != nil {
		return nil, err
	}
	var handler http.Handler = server
	switch {
	case t.fault != nil:
		handler = t.fault.Wrap(handler, env)
	case t.variant.Wrap != nil:
		handler = t.variant.Wrap(handler, env)
	}
	panics := &panicLog{}
	url, stop, err := listen(handler, panics)
	if err != nil {
		server.Close()
		return nil, err
	}
	c := suites.NewConfig(world.Target(url + env.BasePath))
	if len(o.Without) > 0 {
		if c.Target, err = Without(c.Target, o.Without...); err != nil {
			return nil, errors.Join(err, panics.err())
		}
	}
	c.Contract, c.Disabled, c.Budget.Requests = contract, o.Disabled, o.Budget
	c.Target.Limits.Concurrency = o.Lanes
	if t.fault != nil {
		c.Target.Limits.Timeout = answerTime
	}
	if t.variant != nil {
		c.Target.Open = t.variant.Pins
	} else {
		c.Target.Open = t.fault.Pins
	}
	return &served{c, env, func() error {
		stop()
		server.Close()
		return panics.err()
	}}, nil
}

func (o *Options) tryVariant(ctx context.Context, c *suites.Config, v *faults.Variant) (Outcome, error) {
	seen := record(c)
	r, err := suites.Execute(ctx, c)
	if err != nil {
		return Outcome{}, err
	}
	outcome := variantOutcome(v, r, o.Budget)
	outcome.Unshown = seen.unshown(r)
	return outcome, ctx.Err()
}

// answerTime is how long an answer may take. A fault that lets requests hang
// costs that much for each. What conforms has the time that every target has: a
// machine that does much else is no reason to flag it.
const answerTime = 2 * time.Second

// tryFault ends the run as soon as a finding is certain and cites the fault's
// clause, unless Coverage: what else it would find is no matter.
func (o *Options) tryFault(ctx context.Context, c *suites.Config, f *faults.Fault, env faults.Env) (Outcome, error) {
	basis := c.Contract.Clause(f.Clause).Basis
	run, found := context.WithCancel(ctx)
	defer found()
	c.Progress = func(_, _ int, r *engine.Result) {
		if !o.Coverage && !r.Doubtful && slices.ContainsFunc(r.Findings, func(b *oracle.Finding) bool {
			return b.Severity != oracle.Transport && counts(f, *b, basis)
		}) {
			found()
		}
	}
	seen := record(c)
	r, err := suites.Execute(run, c)
	if err != nil {
		return Outcome{}, err
	}
	outcome := faultOutcome(c.Contract, f, r, env.Fired.Load(), o.Budget)
	outcome.Unshown = seen.unshown(r)
	return outcome, ctx.Err()
}

// panicLog keeps what a server says of a panic: a fault or variant that panics
// is a defect of ours, which would pass for a lost answer. What it says of
// connections that faults break is dropped.
type panicLog struct {
	mu    sync.Mutex
	first string
}

// Write implements io.Writer.
func (l *panicLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first == "" && bytes.HasPrefix(line, []byte("http: panic")) {
		l.first = string(line)
	}
	return len(line), nil
}

func (l *panicLog) err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first == "" {
		return nil
	}
	first, _, _ := strings.Cut(l.first, "\n")
	return errors.New(first)
}

// listen serves on a free port of the loopback interface.
func listen(h http.Handler, panics io.Writer) (url string, stop func(), err error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: h, ErrorLog: log.New(panics, "", 0)}
	go server.Serve(l)
	return "http://" + l.Addr().String(), func() { server.Close() }, nil
}

// counts says whether a finding proves a fault: it cites one of its clauses,
// and is more than a notice unless the clause is worth no more.
func counts(f *faults.Fault, b oracle.Finding, basis spec.Basis) bool {
	return f.Cites(b.Clause) && (b.Severity != oracle.Notice || basis == spec.Chosen)
}

// cites says whether a report has a finding that proves a fault.
func cites(f *faults.Fault, r *report.Report, basis spec.Basis) bool {
	return slices.ContainsFunc(r.Findings, func(b oracle.Finding) bool { return counts(f, b, basis) })
}
