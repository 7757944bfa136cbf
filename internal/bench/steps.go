package main

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// measureSteps takes a run apart: the processor time that planning, sending, judging
// and reporting cost alone, without the server's, as a multiple of that of the bare
// loop in the same round.
func measureSteps(ctx context.Context, rounds int) (Figures, error) {
	requests, err := recordRun(ctx)
	if err != nil {
		return nil, err
	}
	s, err := openApart(ctx)
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
		used := map[string]float64{}
		for _, step := range steps {
			if err := s.reset(ctx); err != nil {
				return nil, err
			}
			runtime.GC() // what the step before has left is not this one's
			d, err := spent(1, step.do)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", step.name, err)
			}
			used[step.name] = d.Seconds()
		}
		if round < 0 {
			continue
		}
		// What a run takes beyond planning and sending is judging.
		used["judge"] = used["run"] - used["plan"] - used["send"]
		for _, name := range []string{"plan", "send", "judge", "ginkgo", "report"} {
			into.add("steps/"+name, used[name]/used["loop"])
		}
		into.add("steps/ginkgo-spec", used["ginkgo"]/float64(len(plan))/(used["loop"]/float64(len(requests))))
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
