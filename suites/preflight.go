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
			Contract: contract, Target: c.Target, Seed: c.Seed, Disabled: c.Disabled,
		},
		Client: client, Record: c.Record, ReadOnly: true,
	})
	r := &report.Preflight{
		Schema: report.PreflightSchema, Target: report.NewTarget(c.Target), Findings: []oracle.Finding{},
		Disposables: c.disposables(plan), Provisioned: c.Target.Provision != nil,
	}
	var wrong []string
	for _, k := range doctor.Look(ctx, session) {
		r.Parts = append(r.Parts, report.Part{Check: k})
		if k.Status == doctor.Wrong {
			wrong = append(wrong, k.Need)
		}
	}
	missing, total, err := c.Missing(wrong)
	if err != nil {
		return nil, err
	}
	for i := range r.Parts {
		part := &r.Parts[i]
		if at := slices.IndexFunc(missing, func(m report.Part) bool { return m.Need == part.Need }); at >= 0 {
			part.Cost, part.NotShown = missing[at].Cost, missing[at].NotShown
		}
	}
	for _, g := range overlaid(contract) {
		r.Parts = append(r.Parts, report.Part{Check: doctor.Check{Need: g.Need, Status: doctor.Differs, Detail: g.Text}})
	}
	r.Parts = append(r.Parts, slices.DeleteFunc(missing, func(m report.Part) bool { return slices.Contains(wrong, m.Need) })...)
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
