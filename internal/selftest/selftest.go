// Package selftest proves the suite: it runs it against the bundled reference with every fault, which the suite has to
// find for the right reason, and with every variant, which it must not flag.
package selftest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// Options say what is tried; the zero value tries nothing.
type Options struct {
	Faults   bool
	Variants bool
	Only     *regexp.Regexp         // ids; nil is all
	Sample   bool                   // of the minor faults about every fourth
	Depth    *judge.Depth           // of each run; nil is standard, and deep for the faults that it is there for
	Seed     uint64                 // of each run; 0 is suites.DefaultSeed
	Disabled []string               // checks that do not judge
	Target   func(*fixtures.Target) // changes the target file; nil: as the world is
	Select   func(*judge.Case) bool // of the cases of a run; nil is all
	// Progress gets each outcome as it comes, one at a time.
	Progress func(done, of int, o Outcome)
}

// Run tries the selected faults and variants. It is an error when nothing is selected or a server
// cannot be started; the result says what the suite misses.
func Run(ctx context.Context, o Options) (*Result, error) {
	trials, err := o.trials()
	if err != nil {
		return nil, err
	}
	started := time.Now()
	outcomes, err := o.run(ctx, trials)
	if err != nil {
		return nil, err
	}
	r := newResult(outcomes)
	r.Seconds = time.Since(started).Seconds()
	if o.Depth != nil {
		r.Depth = o.Depth.String()
	}
	return r, nil
}

// contract loads the embedded contract.
func contract() *spec.Contract {
	c, err := spec.Load()
	if err != nil {
		panic(err) // no test of it passes
	}
	return c
}

// trial is a fault or a variant. The zero value is the reference as it is.
type trial struct {
	faults.Server
	fault      *faults.Fault // nil of a variant
	deep, thin bool
}

func ofFault(f faults.Fault) trial     { return trial{f.Server, &f, f.Deep, false} }
func ofVariant(v faults.Variant) trial { return trial{v.Server, nil, v.Deep, v.Thin} }

// proves says whether a finding proves the fault: it cites one of its clauses, and is more than a
// notice unless the clause is worth no more.
func (t trial) proves(b *oracle.Finding) bool {
	return t.fault != nil && t.fault.Cites(b.Clause) && (b.Severity != oracle.Notice || contract().Clause(t.fault.Clause).Basis == spec.Chosen)
}

// depth returns the depth of a run on a trial.
func (o *Options) depth(t trial) judge.Depth {
	switch {
	case t.deep:
		return judge.Deep
	case o.Depth == nil:
		return judge.Standard
	}
	return *o.Depth
}

// minorOf is the number of minor faults of which a sample tries one.
const minorOf = 4

// trials returns the selected trials. It is an error when there is none.
func (o *Options) trials() (all []trial, err error) {
	var ids []string
	add := func(t trial) {
		ids = append(ids, t.ID)
		if o.Only == nil || o.Only.MatchString(t.ID) {
			all = append(all, t)
		}
	}
	if o.Faults {
		for _, f := range faults.All(contract()) {
			seen := !f.Deep || o.Depth == nil || *o.Depth == judge.Deep
			if seen && (!o.Sample || f.Severity != spec.Minor || faults.Sampled(f.ID, minorOf)) {
				add(ofFault(f))
			}
		}
	}
	if o.Variants {
		for _, v := range faults.Variants() {
			add(ofVariant(v))
		}
	}
	if o.Only != nil && len(all) == 0 {
		err = fmt.Errorf("no fault or variant has such an id%s; adconform selftest --list lists them",
			wording.Alike(strings.Trim(o.Only.String(), "^$()"), ids))
	}
	return all, err
}

// run tries all, as many at a time as there are processors; the outcomes are in the order of the trials. The first error
// ends it.
func (o *Options) run(ctx context.Context, trials []trial) ([]Outcome, error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	outcomes := make([]Outcome, len(trials))
	var telling sync.Mutex
	done := 0
	for i, t := range trials {
		group.Go(func() (err error) {
			if outcomes[i], err = o.try(ctx, t); err != nil {
				return fmt.Errorf("%s: %w", t.ID, err)
			}
			telling.Lock()
			defer telling.Unlock()
			if done++; o.Progress != nil {
				o.Progress(done, len(trials), outcomes[i])
			}
			return nil
		})
	}
	return outcomes, group.Wait()
}

// try runs the suite against one fault or variant, with a world of its own. The run ends as
// soon as a finding is certain and proves the fault: what else it would find does not count.
func (o *Options) try(ctx context.Context, t trial) (Outcome, error) {
	s, err := o.serve(ctx, t)
	if err != nil {
		return Outcome{}, err
	}
	run, found := context.WithCancel(ctx)
	defer found()
	seen := record(s.config)
	s.config.Progress = func(_, _ int, r *judge.Result) {
		if !r.Tentative && slices.ContainsFunc(r.Findings, func(b *oracle.Finding) bool {
			return b.Severity != oracle.Transport && t.proves(b)
		}) {
			found()
		}
	}
	r, err := suites.Execute(run, s.config)
	if err := errors.Join(err, s.stop(), ctx.Err()); err != nil {
		return Outcome{}, err
	}
	is := t.outcome()
	is.Requests, is.Unshown = r.Requests, seen.unshown(r)
	o.judge(&is, t, r)
	return is, nil
}

// judge draws the verdict on a trial from the report of its run. At depth quick untested clauses flag no variant.
func (o *Options) judge(is *Outcome, t trial, r *report.Report) {
	for _, c := range r.Results {
		if slices.ContainsFunc(c.Findings, func(b oracle.Finding) bool { return t.proves(&b) }) {
			is.Cases = append(is.Cases, c.ID)
		}
	}
	broken, whole := r.Verdict == report.Nonconforming, o.depth(t) > judge.Quick
	switch {
	case t.fault == nil && (broken || whole && (r.Verdict == report.Inconclusive || r.Level.Below(report.Complete) != t.thin)):
		is.Verdict, is.Findings = Flagged, append(breaches(r), report.VerdictLine(r))
		return
	case t.fault == nil:
		is.Verdict = Passed
		return
	case is.Cases != nil && (broken || contract().Clause(is.Clause).Basis == spec.Chosen):
		is.Verdict = Caught
		return
	case broken:
		is.Verdict = WrongReason
	default:
		is.Verdict = Missed
	}
	is.Cases, is.Findings = nil, breaches(r)
}

// breaches lists the violations of a report, one a line.
func breaches(r *report.Report) (lines []string) {
	for _, f := range r.Findings {
		if f.Severity != oracle.Notice {
			lines = append(lines, f.Clause+" "+f.Case+": expected "+f.Expected+"; got "+f.Got)
		}
	}
	return lines
}
