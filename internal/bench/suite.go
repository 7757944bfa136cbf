package main

import (
	"context"
	"fmt"
	"time"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// measureSuite compares the standard suite with a bare loop, by turns on one
// server: first on the reference in this process, then on one apart. All is given
// as a multiple of the time of the loop with one lane in the same round.
func measureSuite(ctx context.Context, rounds int) (Figures, error) {
	requests, err := recordRun(ctx)
	if err != nil {
		return nil, err
	}
	into := samples{}
	into.add("suite/requests", float64(len(requests)))
	for _, where := range []struct {
		name string
		open func(context.Context) (*site, error)
	}{
		{"bundled", func(ctx context.Context) (*site, error) { return open(ctx, nil) }},
		{"apart", openApart},
	} {
		if err := compare(ctx, rounds, into, requests, where.name, where.open); err != nil {
			return nil, fmt.Errorf("reference %s: %w", where.name, err)
		}
	}
	return into.figures(), nil
}

func compare(ctx context.Context, rounds int, into samples, requests []request, where string, open func(context.Context) (*site, error)) error {
	s, err := open(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	bare := newLoop(requests)
	defer bare.client.CloseIdleConnections()
	type way struct {
		name string
		run  func() (time.Duration, error)
	}
	ways := []way{
		{"loop", func() (time.Duration, error) { return bare.run(ctx, s.target.BaseURL, 1) }},
		{"loop-8", func() (time.Duration, error) { return bare.run(ctx, s.target.BaseURL, 8) }},
		{"one-lane", func() (time.Duration, error) { return runSuite(ctx, s, 1) }},
		{"default", func() (time.Duration, error) { return runSuite(ctx, s, 0) }},
		{"8-lanes", func() (time.Duration, error) { return runSuite(ctx, s, 8) }},
		{"no-ginkgo", func() (time.Duration, error) {
			return timed(func() error { return conforming(suites.Execute(ctx, lanesOf(s, 0))) })
		}},
	}
	for round := -1; round < rounds; round++ { // the first one warms up
		took, used := map[string]float64{}, map[string]float64{}
		for i := range ways {
			w := ways[(i+max(0, round))%len(ways)] // each comes after each other
			if err := s.reset(ctx); err != nil {
				return err
			}
			before := processorTime()
			d, err := w.run()
			if err != nil {
				return err
			}
			took[w.name], used[w.name] = d.Seconds(), (processorTime() - before).Seconds()
		}
		if round < 0 {
			continue
		}
		for _, w := range ways[1:] {
			into.add("suite/"+where+"/"+w.name, took[w.name]/took["loop"])
		}
		into.add("suite/"+where+"/8-lanes÷loop-8", took["8-lanes"]/took["loop-8"])
		into.add("suite/"+where+"/processor", used["default"]/used["loop"])
	}
	return nil
}

// runSuite is the time of a run as `adconform run` does it, Ginkgo included.
func runSuite(ctx context.Context, s *site, lanes int) (time.Duration, error) {
	_, took, err := countedRun(ctx, s, lanes)
	return took, err
}

func countedRun(ctx context.Context, s *site, lanes int) (requests int, took time.Duration, err error) {
	c := lanesOf(s, lanes)
	took, err = timed(func() error {
		r, err := suites.RunGinkgo(ctx, c, suites.GinkgoOptions{})
		if err := conforming(r, err); err != nil {
			return err
		}
		requests = r.Requests
		return nil
	})
	return requests, took, err
}

// lanesOf configures a standard run with so many lanes; 0 is the default.
func lanesOf(s *site, lanes int) *suites.Config {
	target := *s.target
	target.Limits.Concurrency = lanes
	return suites.NewConfig(&target)
}

// conforming is an error when a run is of no use as a measure.
func conforming(r *report.Report, err error) error {
	switch {
	case err != nil:
		return err
	case r.ExitCode != report.ExitConforming:
		return fmt.Errorf("the reference is %s: %s", r.Verdict, r.Reason)
	case r.Cases.NotTested > 0:
		return fmt.Errorf("%d of %d cases were not tested", r.Cases.NotTested, r.Cases.Planned)
	}
	return nil
}
