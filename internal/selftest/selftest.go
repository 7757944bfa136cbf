// Package selftest is the suite's own proof: it runs the suite against the
// bundled reference with every fault, which it has to find for the right
// reason, and with every variant, which it must not flag.
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
	Disabled []string               // checks that do not judge
	Target   func(*fixtures.Target) // changes the target file; nil: as the world is
	Select   func(*judge.Case) bool // of the cases of a run; nil is all
	// Progress gets each outcome as it comes, one at a time.
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
		return nil, o.nothing(contract)
	}
	started := time.Now()
	outcomes, err := o.run(ctx, contract, trials)
	if err != nil {
		return nil, err
	}
	r := newResult(contract, outcomes)
	r.Seconds = time.Since(started).Seconds()
	if o.Depth != nil {
		r.Depth = o.Depth.String()
	}
	return r, nil
}

// depth is that of a run against a fault or a variant.
func (o *Options) depth(t trial) judge.Depth {
	switch {
	case t.fault != nil && t.fault.Deep, t.variant != nil && t.variant.Deep:
		return judge.Deep
	case o.Depth == nil:
		return judge.Standard
	}
	return *o.Depth
}

// nothing is the error that no id is selected, with those that are alike.
func (o *Options) nothing(contract *spec.Contract) error {
	all := *o
	all.Only = nil
	var ids []string
	for _, t := range all.trials(contract) {
		ids = append(ids, t.id())
	}
	alike := ""
	if o.Only != nil {
		alike = wording.Alike(strings.Trim(o.Only.String(), "^$()"), ids)
	}
	return fmt.Errorf("no fault or variant has such an id%s; adconform selftest --list lists them", alike)
}

// minorOf is how many minor faults there are to each of a sample.
const minorOf = 4

func (o *Options) trials(contract *spec.Contract) []trial {
	var all []trial
	if o.Faults {
		for _, f := range faults.All(contract) {
			seen := !f.Deep || o.Depth == nil || *o.Depth == judge.Deep
			if seen && (!o.Sample || f.Severity != faults.Minor || faults.Sampled(f.ID, minorOf)) {
				all = append(all, trial{fault: &f})
			}
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

// run tries all; the outcomes are in the order of the trials.
func (o *Options) run(ctx context.Context, contract *spec.Contract, trials []trial) ([]Outcome, error) {
	return inParallel(ctx, trials, func(ctx context.Context, t trial) (Outcome, error) {
		return o.try(ctx, contract, t)
	}, o.Progress)
}

// try runs the suite against one fault or variant, with a world of its own. The run ends as
// soon as a finding is certain and proves the fault: what else it would find does not count.
func (o *Options) try(ctx context.Context, contract *spec.Contract, t trial) (outcome Outcome, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", t.id(), err)
		}
	}()
	s, err := o.serve(ctx, contract, t)
	if err != nil {
		return outcome, err
	}
	run, found := context.WithCancel(ctx)
	defer found()
	seen := record(s.config)
	proved := func(b *oracle.Finding) bool { return counts(t.fault, *b, contract.Clause(t.fault.Clause).Basis) }
	if t.fault != nil {
		certain := func(b *oracle.Finding) bool { return b.Severity != oracle.Transport && proved(b) }
		s.config.Progress = func(_, _ int, r *judge.Result) {
			if !r.Tentative && slices.ContainsFunc(r.Findings, certain) {
				found()
			}
		}
	}
	r, err := suites.Execute(run, s.config)
	if err := errors.Join(err, s.stop(), ctx.Err()); err != nil {
		return outcome, err
	}
	if t.fault != nil {
		outcome = o.faultOutcome(contract, t.fault, r, s.env.Fired.Load())
	} else {
		outcome = o.variantOutcome(t.variant, r)
	}
	outcome.Unshown = seen.unshown(r)
	return outcome, nil
}

// counts says whether a finding proves a fault: it cites one of its clauses,
// and is more than a notice unless the clause is worth no more.
func counts(f *faults.Fault, b oracle.Finding, basis spec.Basis) bool {
	return f.Cites(b.Clause) && (b.Severity != oracle.Notice || basis == spec.Chosen)
}

// cites says whether a report has a finding that proves a fault.
func cites(f *faults.Fault, r *report.Report, basis spec.Basis) bool {
	return slices.ContainsFunc(r.Results, func(c report.Case) bool {
		return slices.ContainsFunc(c.Findings, func(b oracle.Finding) bool { return counts(f, b, basis) })
	})
}

// inParallel is what do makes of each item, in the order of the items, one at a time for each
// processor. The first error ends it. Tell gets each result as it comes, one at a time; it may be nil.
func inParallel[T, R any](
	ctx context.Context, items []T, do func(context.Context, T) (R, error), tell func(done, of int, r R),
) ([]R, error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	results := make([]R, len(items))
	var telling sync.Mutex
	done := 0
	for i, item := range items {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			var err error
			if results[i], err = do(ctx, item); err != nil || tell == nil {
				return err
			}
			telling.Lock()
			defer telling.Unlock()
			done++
			tell(done, len(items), results[i])
			return nil
		})
	}
	return results, group.Wait()
}
