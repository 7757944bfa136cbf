package suites

import (
	"context"
	"slices"

	"github.com/adconform/adconform/suites/doctor"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/session"
)

// Preflight looks, without a request that could change anything, whether a run
// of this configuration has all that it needs, and what it would go without.
func Preflight(ctx context.Context, c *Config) (*report.Preflight, error) {
	contract, plan, err := c.load()
	if err != nil {
		return nil, err
	}
	reading := *c
	reading.ReadOnly = true
	client, err := reading.Client()
	if err != nil {
		return nil, err
	}
	defer client.Close()
	session := session.NewSession(session.Options{
		ModelOptions: judge.ModelOptions{
			Contract: contract, Target: c.Target, Seed: c.Seed, Disabled: c.Disabled, Patience: c.patience(),
		},
		Client: client, Record: c.Record, ReadOnly: true,
	})
	r := &report.Preflight{
		Schema: report.PreflightSchema, Target: report.NewTarget(c.Target), Findings: []oracle.Finding{},
		Disposables: c.disposables(plan), Provisioned: c.Target.Provision != nil,
	}
	add := func(k doctor.Check, missing *MissingKey) {
		part := report.Part{Check: k}
		if missing != nil {
			part.Cost, part.NotShown = &missing.Cost, missing.NotShown
		}
		r.Parts = append(r.Parts, part)
	}
	checks := doctor.Look(ctx, session)
	var wrong []string
	for _, k := range checks {
		if k.Status == doctor.Wrong {
			wrong = append(wrong, k.Need)
		}
	}
	missing, total, err := c.Missing(wrong)
	if err != nil {
		return nil, err
	}
	for _, k := range checks {
		var costs *MissingKey
		if i := slices.IndexFunc(missing, func(m MissingKey) bool { return m.Need == k.Need }); i >= 0 {
			costs = &missing[i]
		}
		add(k, costs)
	}
	for _, g := range overlaid(contract) {
		add(doctor.Check{Need: g.Need, Status: doctor.Differs, Detail: g.Text}, nil)
	}
	for i, m := range missing {
		if !slices.Contains(wrong, m.Need) {
			add(doctor.Check{Need: m.Need, Status: doctor.Missing, Detail: judge.NotGiven(c.Target, m.Need)}, &missing[i])
		}
	}
	found, _ := session.Outcome().Groups(contract)
	broken := false
	for _, f := range found {
		r.Findings = append(r.Findings, *f)
		broken = broken || c.counts(f, session.Outcome().Liveness.Lost())
	}
	r.Cost, r.Requests, r.Interrupted = total, session.Outcome().Traffic().Requests, ctx.Err() != nil
	unfit := slices.ContainsFunc(r.Parts, func(p report.Part) bool { return p.Status == doctor.Wrong || p.Status == doctor.Differs })
	switch {
	case r.Interrupted:
		r.Outcome, r.ExitCode = report.Incomplete, report.ExitInterrupted
	case broken:
		r.Outcome, r.ExitCode = report.Broke, report.ExitNonconforming
	case unfit || total.Stated > 0:
		r.Outcome, r.ExitCode = report.Incomplete, report.ExitInconclusive
	default:
		r.Outcome, r.ExitCode = report.Ready, report.ExitConforming
	}
	return r, nil
}
