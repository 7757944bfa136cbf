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
	contract, err := c.LoadContract()
	if err != nil {
		return nil, err
	}
	plan, err := c.Plan() // before anything is sent
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
	checks := doctor.Look(ctx, session)
	wrong := func(need string) bool {
		return slices.ContainsFunc(checks, func(k doctor.Check) bool { return k.Need == need && k.Status == doctor.Wrong })
	}
	lacks, total, err := c.Lacks(wrong)
	if err != nil {
		return nil, err
	}
	r := &report.Preflight{
		Schema: report.PreflightSchema, Target: report.NewTarget(c.Target),
		Requests: session.Outcome().Traffic().Requests, Findings: []oracle.Finding{}, Cost: total,
		Interrupted: ctx.Err() != nil,
		Disposables: c.disposables(plan), Provisioned: c.Target.Provision != nil,
	}
	for _, k := range checks {
		part := report.Part{Check: k}
		if i := slices.IndexFunc(lacks, func(l Lack) bool { return l.Need == k.Need }); i >= 0 {
			part.Cost, part.NotShown = &lacks[i].Cost, lacks[i].NotShown
		}
		r.Parts = append(r.Parts, part)
	}
	for _, g := range overlaid(contract) {
		r.Parts = append(r.Parts, report.Part{Check: doctor.Check{Need: g.Need, Status: doctor.Differs, Detail: g.Text}})
	}
	for _, l := range lacks {
		if !wrong(l.Need) {
			r.Parts = append(r.Parts, report.Part{
				Check: doctor.Check{Need: l.Need, Status: doctor.Missing, Detail: judge.NotGiven(c.Target, l.Need)},
				Cost:  &l.Cost, NotShown: l.NotShown,
			})
		}
	}
	found, _ := session.Outcome().Groups(contract)
	for _, f := range found {
		r.Findings = append(r.Findings, *f)
	}
	c.decidePreflight(r, session.Outcome().Liveness.Lost())
	return r, nil
}

// decidePreflight fills in the exit code and what it means.
func (c *Config) decidePreflight(r *report.Preflight, lost int) {
	has := func(status doctor.CheckStatus) bool {
		return slices.ContainsFunc(r.Parts, func(p report.Part) bool { return p.Status == status })
	}
	broken := slices.ContainsFunc(r.Findings, func(f oracle.Finding) bool { return c.counts(&f, lost) })
	switch {
	case r.Interrupted:
		r.Outcome, r.ExitCode = report.Incomplete, report.ExitInterrupted
	case broken:
		r.Outcome, r.ExitCode = report.Broke, report.ExitNonconforming
	case has(doctor.Wrong) || has(doctor.Differs) || r.Cost.Stated > 0:
		r.Outcome, r.ExitCode = report.Incomplete, report.ExitInconclusive
	default:
		r.Outcome, r.ExitCode = report.Ready, report.ExitConforming
	}
}
