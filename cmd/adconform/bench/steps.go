package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// measureSteps takes a run apart: what planning, sending, judging and reporting
// cost alone, as a multiple of the bare loop in the same round.
func measureSteps(ctx context.Context, rounds int) (Figures, error) {
	requests, err := recordRun(ctx)
	if err != nil {
		return nil, err
	}
	s, err := open(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	c := lanesOf(s, 1)
	c.Exchanges = true
	var sent []*wire.Exchange
	c.Record = func(ex *wire.Exchange) { sent = append(sent, ex) }
	finished, err := suites.Execute(ctx, c)
	if err := conforming(finished, err); err != nil {
		return nil, err
	}
	plan, err := c.Plan()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "adconform-bench-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	bare := newLoop(requests)
	defer bare.client.CloseIdleConnections()
	client, err := c.Client()
	if err != nil {
		return nil, err
	}
	defer client.Close()

	steps := []struct {
		name string
		do   func() error
	}{
		{"plan", func() error { _, err := c.Plan(); return err }},
		{"send", func() error { return resend(ctx, client, sent) }},
		{"judge", func() error { return rejudge(ctx, c, plan, sent) }},
		{"ginkgo", func() error { return emptyGinkgo(plan) }},
		{"report", func() error { return report.WriteDir(dir, finished) }},
	}
	into := samples{}
	for round := -1; round < rounds; round++ {
		if err := s.reset(ctx); err != nil {
			return nil, err
		}
		base, err := bare.run(ctx, s.target.BaseURL, 1)
		if err != nil {
			return nil, err
		}
		for _, step := range steps {
			if err := s.reset(ctx); err != nil {
				return nil, err
			}
			d, err := timed(step.do)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", step.name, err)
			}
			if round >= 0 {
				into.add("steps/"+step.name, d.Seconds()/base.Seconds())
			}
			if round >= 0 && step.name == "ginkgo" {
				into.add("steps/ginkgo-spec", d.Seconds()/float64(len(plan))/(base.Seconds()/float64(len(requests))))
			}
		}
	}
	return into.figures(), nil
}

// resend sends what the suite sent, with its own client and without a judgement.
func resend(ctx context.Context, client *wire.Client, sent []*wire.Exchange) error {
	for _, ex := range sent {
		send := client.Do
		if ex.Raw {
			send = client.DoRaw
		}
		if again := send(ctx, ex.Case, ex.Request); again.Err != nil {
			return again.Err
		}
	}
	return nil
}

// rejudge runs the cases of a plan on answers that came before: what is left is
// making requests, judging, remembering.
func rejudge(ctx context.Context, c *suites.Config, plan []*engine.Case, sent []*wire.Exchange) error {
	contract, err := c.LoadContract()
	if err != nil {
		return err
	}
	again := &recorded{left: sent}
	s := engine.NewSession(engine.Options{Contract: contract, Target: c.Target, Client: again, Seed: c.Seed, CaseTime: time.Hour})
	for _, cs := range plan {
		if r := s.Run(ctx, cs); r.Status == engine.Failed {
			return fmt.Errorf("%s failed on recorded answers", cs.ID)
		}
	}
	s.Conclude(ctx)
	s.Restore(ctx)
	if again.strayed || len(again.left) > 0 {
		return errors.New("the run on recorded answers sends other requests than the one that was recorded")
	}
	return nil
}

// recorded is an engine.Client that answers with recorded exchanges in turn.
type recorded struct {
	left    []*wire.Exchange
	strayed bool
}

// Do implements engine.Client.
func (c *recorded) Do(_ context.Context, caseID string, r wire.Request) *wire.Exchange {
	if c.strayed || len(c.left) == 0 || c.left[0].Case != caseID || c.left[0].Request.Path != r.Path {
		c.strayed = true
		return &wire.Exchange{Case: caseID, Request: r, Err: &wire.TransportError{Kind: wire.Closed}}
	}
	ex := c.left[0]
	c.left = c.left[1:]
	return ex
}

// DoRaw implements engine.Client.
func (c *recorded) DoRaw(ctx context.Context, caseID string, r wire.Request) *wire.Exchange {
	return c.Do(ctx, caseID, r)
}

// DoInOrder implements engine.Client.
func (c *recorded) DoInOrder(ctx context.Context, caseID string, reqs ...wire.Request) []*wire.Exchange {
	var all []*wire.Exchange
	for _, r := range reqs {
		all = append(all, c.Do(ctx, caseID, r))
	}
	return all
}

// DoTogether implements engine.Client.
func (c *recorded) DoTogether(ctx context.Context, caseID string, reqs ...wire.Request) []*wire.Exchange {
	return c.DoInOrder(ctx, caseID, reqs...)
}

// Redact implements engine.Client.
func (c *recorded) Redact(text string) string { return text }
