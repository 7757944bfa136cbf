package selftest

import (
	"context"
	"errors"
	"time"

	"github.com/adconform/adconform/internal/parallel"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// Fuzz runs fuzz with so many requests against every variant, which it must not flag, and
// against every fault on input that nobody listed, which it has to find.
func Fuzz(ctx context.Context, o Options, requests int) (*Result, error) {
	contract, err := spec.Load()
	if err != nil {
		return nil, err
	}
	o.unlisted = true
	trials, err := o.selected(contract)
	if err != nil {
		return nil, err
	}
	started := time.Now()
	outcomes, err := parallel.Map(ctx, o.Parallel, trials, func(ctx context.Context, t trial) (Outcome, error) {
		outcome, err := o.fuzz(ctx, contract, t, requests)
		return outcome, t.named(err)
	}, o.Progress)
	if err != nil {
		return nil, err
	}
	r := newResult(contract, outcomes)
	r.Seconds = time.Since(started).Seconds()
	return r, nil
}

// fuzz is what it makes of one server.
func (o *Options) fuzz(ctx context.Context, contract *spec.Contract, t trial, requests int) (Outcome, error) {
	s, err := o.serve(ctx, contract, t)
	if err != nil {
		return Outcome{}, err
	}
	run, found := context.WithCancel(ctx)
	defer found()
	f := suites.Fuzz{Requests: requests}
	if t.fault != nil {
		f.Found = func(_ string, all []*oracle.Finding) {
			for _, one := range all {
				if counts(t.fault, *one, basisOf(contract, t.fault)) {
					found()
				}
			}
		}
	}
	r, err := suites.RunFuzz(run, s.config, f)
	if err := errors.Join(err, s.stop(), ctx.Err()); err != nil {
		return Outcome{}, err
	}
	if t.fault != nil {
		outcome := faultOutcome(contract, t.fault, r, s.env.Fired.Load(), 0)
		outcome.Requests = r.Requests
		return outcome, nil
	}
	outcome := Outcome{ID: t.id(), Kind: "variant", Verdict: Passed, Requests: r.Requests, Sent: r.Requests, Seconds: r.DurationSeconds}
	if t.variant != nil {
		outcome.Sentence = t.variant.Sentence
	}
	if r.Verdict != report.Conforming {
		outcome.Verdict, outcome.Findings = Flagged, append(breaches(r), report.VerdictLine(r))
	}
	return outcome, nil
}

// unlistedTrials are the faults that fuzz is for.
func unlistedTrials(contract *spec.Contract) []trial {
	var all []trial
	for _, f := range faults.Unlisted(contract) {
		all = append(all, trial{fault: &f})
	}
	return all
}
