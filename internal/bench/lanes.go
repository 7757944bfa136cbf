package main

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

var (
	laneCounts = []int{1, 2, 4, 8, 16}
	latencies  = []time.Duration{0, 5 * time.Millisecond, 50 * time.Millisecond}
)

// patience is how long one figure is measured: long rounds vary little.
const patience = 8 * time.Second

// measureLanes runs the suite with each number of lanes against each latency. A
// run is compared with one lane of the same round, and with the ideal: the time
// that the latency of all requests takes when no lane ever waits for another.
func measureLanes(ctx context.Context, rounds int) (Figures, error) {
	into := samples{}
	for _, latency := range latencies {
		var wrap func(http.Handler) http.Handler
		if latency > 0 {
			wrap = delayed(latency)
		}
		s, err := open(ctx, wrap)
		if err != nil {
			return nil, err
		}
		err = againstLatency(ctx, s, latency, rounds, into)
		s.stop()
		if err != nil {
			return nil, fmt.Errorf("latency %v: %w", latency, err)
		}
	}
	return into.figures(), nil
}

func againstLatency(ctx context.Context, s *site, latency time.Duration, rounds int, into samples) error {
	if _, err := runSuite(ctx, s, 1); latency == 0 && err != nil { // warms up
		return err
	}
	spent := map[int]time.Duration{}
	var one time.Duration
	for range rounds {
		for _, lanes := range laneCounts {
			if spent[lanes] >= patience {
				continue
			}
			if err := s.reset(ctx); err != nil {
				return err
			}
			requests, took, err := countedRun(ctx, s, lanes)
			if err != nil {
				return err
			}
			spent[lanes] += took
			if lanes == 1 {
				one = took
			}
			id := fmt.Sprintf("lanes/%d/%dms", lanes, latency.Milliseconds())
			into.add(id+"/faster", one.Seconds()/took.Seconds())
			if latency > 0 {
				ideal := float64(requests) * latency.Seconds() / float64(lanes)
				into.add(id+"/ideal", took.Seconds()/ideal)
			}
		}
	}
	return nil
}
