// Package selftest tests the suite: it runs it against the bundled reference with every fault, which the suite must
// find for the right reason, and with every variant, which it must not flag.
package selftest

import (
	"cmp"
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
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/faults"
	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// Options select what is tried; the zero value tries nothing.
type Options struct {
	Faults   bool
	Variants bool
	Only     *regexp.Regexp         // ids; nil is all
	Sample   bool                   // try only about every fourth minor fault, and most on the cases of their operation
	Depth    *judge.Depth           // of each run; nil for standard, or deep for the faults that need it
	Seed     uint64                 // of each run; 0 is engine.DefaultSeed
	Disabled []string               // checks that are not made
	Target   func(*fixtures.Target) // changes the target file of the world; may be nil
	Select   func(*judge.Case) bool // of the cases of a run; nil is all
	// Progress is called with each outcome as it comes, one at a time.
	Progress func(done, of int, o Outcome)
}

// Run tries the selected faults and variants. It fails if nothing is selected or a server cannot
// be started; the result says what the suite misses.
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

// isProof reports whether a finding of a clause proves a fault: the fault breaks the clause, and the finding is more
// than a notice unless the clause is worth no more.
func isProof(clause string, severity report.Severity, t *faults.Server) bool {
	if !t.Cites(clause) {
		return false
	}
	return severity != report.Notice || isChosen(t.Clause)
}

func isChosen(clause string) bool {
	return spec.Load().Clause(clause).Basis == spec.Chosen
}

// depth returns the depth of a run on a fault or variant.
func (o *Options) depth(t *faults.Server) judge.Depth {
	if t.Deep {
		return judge.Deep
	}
	return *cmp.Or(o.Depth, new(judge.Standard))
}

// trials returns the selected faults and variants. It fails if there are none.
func (o *Options) trials() (all []faults.Server, err error) {
	if o.Faults {
		all = slices.DeleteFunc(faults.All(spec.Load()), o.isLeftOut)
	}
	if o.Variants {
		all = append(all, faults.Variants()...)
	}
	if o.Only == nil {
		return all, nil
	}
	var ids []string
	all = slices.DeleteFunc(all, func(t faults.Server) bool {
		ids = append(ids, t.ID)
		return !o.Only.MatchString(t.ID)
	})
	if len(all) == 0 {
		err = fmt.Errorf("no fault or variant has a matching id%s; adconform selftest --list lists them",
			wording.Alike(strings.Trim(o.Only.String(), "^$()"), ids))
	}
	return all, err
}

// isLeftOut reports whether a fault is too deep for the runs, or not in the sample.
func (o *Options) isLeftOut(f faults.Server) bool {
	isShallow := o.Depth != nil && *o.Depth != judge.Deep
	if f.Deep && isShallow {
		return true
	}
	return o.Sample && f.Severity == spec.Minor && !faults.Sampled(f.ID, 4)
}

// run tries all, three for two processors at a time, as a run waits for half of its time; the outcomes are in the order
// of the trials. The first error ends it.
func (o *Options) run(ctx context.Context, trials []faults.Server) ([]Outcome, error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(3 * runtime.GOMAXPROCS(0)) // many rows wait for a time-out or a limit
	outcomes := make([]Outcome, len(trials))
	var mu sync.Mutex
	done := 0
	for i, t := range trials {
		group.Go(func() (err error) {
			if outcomes[i], err = o.try(ctx, &t); err != nil {
				return fmt.Errorf("%s: %w", t.ID, err)
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			if o.Progress != nil {
				o.Progress(done, len(trials), outcomes[i])
			}
			return nil
		})
	}
	return outcomes, group.Wait()
}

// try runs the suite against one fault or variant. In a sample, most faults are tried on the cases of their operation
// alone, and on the others only if these miss it.
func (o *Options) try(ctx context.Context, t *faults.Server) (Outcome, error) {
	isNarrow := o.Sample && o.Select == nil && t.Operation != ""
	if !isNarrow || faults.Sampled(t.ID, 10) {
		return o.tryAll(ctx, t)
	}
	few := *o
	few.Select = func(c *judge.Case) bool { return c.Operation.ID == t.Operation }
	is, err := few.tryAll(ctx, t)
	if err != nil || is.Verdict == Caught {
		return is, err
	}
	return o.tryAll(ctx, t)
}

// tryAll runs the selected cases on a world of their own. The run ends as soon as a finding is certain and proves the
// fault: what else it would find does not count.
func (o *Options) tryAll(ctx context.Context, t *faults.Server) (Outcome, error) {
	s, err := o.serve(ctx, t)
	if err != nil {
		return Outcome{}, err
	}
	run, found := context.WithCancel(ctx)
	defer found()
	seen := record(s.config)
	isCertain := func(s *finding.Sighting) bool {
		return s.Severity != report.Transport && isProof(s.Clause, s.Severity, t)
	}
	s.config.Progress = func(_, _ int, r *judge.Result) {
		if len(r.Tentative) == 0 && slices.ContainsFunc(r.Findings, isCertain) {
			found()
		}
	}
	r, err := engine.Execute(run, s.config)
	err = errors.Join(err, s.stop(), ctx.Err())
	if err != nil {
		return Outcome{}, err
	}
	is := outcome(t)
	is.Requests = r.Requests
	is.Unshown = seen.unshownClauses(r)
	if t.Clause == "" {
		o.judgeVariant(&is, t, r)
	} else {
		judgeFault(&is, t, r)
	}
	return is, nil
}

// judgeVariant draws the verdict on a variant from the report of its run.
func (o *Options) judgeVariant(is *Outcome, t *faults.Server, r *report.Report) {
	is.Verdict = Passed
	isRight := r.Verdict != report.Nonconforming
	switch {
	case t.Ends:
		isRight = r.Verdict == report.Inconclusive
	case o.depth(t) == judge.Quick: // it leaves clauses untested
	case r.Verdict == report.Inconclusive, r.Level.Below(report.Complete) != t.Thin:
		isRight = false
	}
	if !isRight {
		is.Verdict = Flagged
		is.Findings = append(breaches(r), render.VerdictLine(r))
	}
}

// judgeFault draws the verdict on a fault from the report of its run.
func judgeFault(is *Outcome, t *faults.Server, r *report.Report) {
	isOfFault := func(b report.Finding) bool { return isProof(b.Clause, b.Severity, t) }
	for _, c := range r.Results {
		if slices.ContainsFunc(c.Findings, isOfFault) {
			is.Cases = append(is.Cases, c.ID)
		}
	}
	isBroken := r.Verdict == report.Nonconforming
	mayPass := isChosen(is.Clause)
	if is.Cases != nil && (isBroken || mayPass) {
		is.Verdict = Caught
		return
	}
	is.Verdict = Missed
	if isBroken {
		is.Verdict = WrongReason
	}
	is.Cases = nil
	is.Findings = breaches(r)
}

// breaches lists the violations of a report, one per line.
func breaches(r *report.Report) (lines []string) {
	for _, f := range r.Findings {
		if f.Severity != report.Notice {
			line := fmt.Sprintf("%s %s: expected %s; got %s", f.Clause, f.Case, f.Expected, f.Got)
			lines = append(lines, line)
		}
	}
	return lines
}
