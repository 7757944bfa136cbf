package main

import (
	"context"
	"fmt"
	"os"

	"github.com/adconform/adconform/suites"
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
		{"loop", func() error { _, err := bare.run(ctx, s.target.BaseURL, 1); return err }},
		{"plan", func() error { _, err := c.Plan(); return err }},
		{"send", func() error { return resend(ctx, client, sent) }},
		{"run", func() error { return conforming(suites.Execute(ctx, lanesOf(s, 1))) }},
		{"ginkgo", func() error { return emptyGinkgo(plan) }},
		{"report", func() error { return report.WriteDir(dir, finished) }},
	}
	into := samples{}
	for round := -1; round < rounds; round++ { // the first one warms up
		took := map[string]float64{}
		for _, step := range steps {
			if err := s.reset(ctx); err != nil {
				return nil, err
			}
			d, err := timed(step.do)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", step.name, err)
			}
			took[step.name] = d.Seconds()
		}
		if round < 0 {
			continue
		}
		// What a run takes beyond planning and sending is judging.
		took["judge"] = took["run"] - took["plan"] - took["send"]
		for _, name := range []string{"plan", "send", "judge", "ginkgo", "report"} {
			into.add("steps/"+name, took[name]/took["loop"])
		}
		into.add("steps/ginkgo-spec", took["ginkgo"]/float64(len(plan))/(took["loop"]/float64(len(requests))))
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
