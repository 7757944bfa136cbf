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
	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// Options select what is tried; the zero value tries nothing.
type Options struct {
	Faults   bool
	Variants bool
	Only     *regexp.Regexp         // ids; nil is all
	Sample   bool                   // try only about every fourth minor fault, and most on the cases of their operation
	Depth    *judge.Depth           // of each run; nil for standard, or deep for the faults that need it
	Seed     uint64                 // of each run; 0 is suites.DefaultSeed
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

// proves reports whether a finding of a clause proves a fault: the fault breaks the clause, and the finding is more than a
// notice unless the clause is worth no more.
func proves(clause string, severity finding.Severity, t *faults.Server) bool {
	return t.Cites(clause) && (severity != finding.Notice || spec.Load().Clause(t.Clause).Basis == spec.Chosen)
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
		all = slices.DeleteFunc(faults.All(spec.Load()), func(f faults.Server) bool {
			unseen := f.Deep && o.Depth != nil && *o.Depth != judge.Deep
			return unseen || o.Sample && f.Severity == spec.Minor && !faults.Sampled(f.ID, 4)
		})
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

// run tries all, three for two processors at a time, as a run waits for half of its time; the outcomes are in the order of
// the trials. The first error ends it.
func (o *Options) run(ctx context.Context, trials []faults.Server) ([]Outcome, error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(2, runtime.GOMAXPROCS(0)*3/2))
	outcomes := make([]Outcome, len(trials))
	var telling sync.Mutex
	done := 0
	for i, t := range trials {
		group.Go(func() (err error) {
			if outcomes[i], err = o.try(ctx, &t); err != nil {
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

// try runs the suite against one fault or variant. In a sample, most faults are tried on the cases of their operation alone,
// and on the others only if these miss it.
func (o *Options) try(ctx context.Context, t *faults.Server) (Outcome, error) {
	if o.Sample && t.Operation != "" && o.Select == nil && !faults.Sampled(t.ID, 10) {
		few := *o
		few.Select = func(c *judge.Case) bool { return c.Operation.ID == t.Operation }
		if is, err := few.tryAll(ctx, t); err != nil || is.Verdict == Caught {
			return is, err
		}
	}
	return o.tryAll(ctx, t)
}

// tryAll runs the selected cases on a world of their own. The run ends as soon as a finding is certain and proves the fault:
// what else it would find does not count.
func (o *Options) tryAll(ctx context.Context, t *faults.Server) (Outcome, error) {
	s, err := o.serve(ctx, t)
	if err != nil {
		return Outcome{}, err
	}
	run, found := context.WithCancel(ctx)
	defer found()
	seen := record(s.config)
	s.config.Progress = func(_, _ int, r *judge.Result) {
		if len(r.Tentative) == 0 && slices.ContainsFunc(r.Findings, func(s *finding.Sighting) bool {
			return s.Severity != finding.Transport && proves(s.Clause, s.Severity, t)
		}) {
			found()
		}
	}
	r, err := suites.Execute(run, s.config)
	if err := errors.Join(err, s.stop(), ctx.Err()); err != nil {
		return Outcome{}, err
	}
	is := outcome(t)
	is.Requests, is.Unshown = r.Requests, seen.unshown(r)
	o.judge(&is, t, r)
	return is, nil
}

// judge draws the verdict on a trial from the report of its run. At depth quick untested clauses flag no variant.
func (o *Options) judge(is *Outcome, t *faults.Server, r *report.Report) {
	for _, c := range r.Results {
		if slices.ContainsFunc(c.Findings, func(b finding.Row) bool { return proves(b.Clause, b.Severity, t) }) {
			is.Cases = append(is.Cases, c.ID)
		}
	}
	broken, whole := r.Verdict == report.Nonconforming, o.depth(t) > judge.Quick
	switch {
	case t.Ends && r.Verdict == report.Inconclusive:
		is.Verdict = Passed
		return
	case t.Clause == "" && (broken || t.Ends || whole && (r.Verdict == report.Inconclusive || r.Level.Below(report.Complete) != t.Thin)):
		is.Verdict, is.Findings = Flagged, append(breaches(r), report.VerdictLine(r))
		return
	case t.Clause == "":
		is.Verdict = Passed
		return
	case is.Cases != nil && (broken || spec.Load().Clause(is.Clause).Basis == spec.Chosen):
		is.Verdict = Caught
		return
	case broken:
		is.Verdict = WrongReason
	default:
		is.Verdict = Missed
	}
	is.Cases, is.Findings = nil, breaches(r)
}

// breaches lists the violations of a report, one per line.
func breaches(r *report.Report) (lines []string) {
	for _, f := range r.Findings {
		if f.Severity != finding.Notice {
			lines = append(lines, f.Clause+" "+f.Case+": expected "+f.Expected+"; got "+f.Got)
		}
	}
	return lines
}
