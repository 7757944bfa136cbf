package load

import (
	"strings"
	"testing"
)

func TestLimits(t *testing.T) {
	r := &Result{
		Counts:  Counts{Requests: 1000, Exchanges: 1000, Lost: 1, ServerErrors: 1, RateLimited: 5},
		Latency: &Latency{All: Percentiles{Count: 999, P50: 1, P90: 9, P99: 20, P999: 30, Max: 99}},
	}
	for text, want := range map[string]string{
		"p50=1ms": "p50 1.00 ms is within 1ms", "p90=8ms": "p90 9.00 ms is above 8ms", "p99=20ms": "p99 20.0 ms is within 20ms",
		"max=98ms": "max 99.0 ms is above 98ms", "p99.9=1s": "p99.9 was not measured: too few requests",
		"errors=0.2%": "errors 0.2 % is within 0.2%", "errors=0.1%": "errors 0.2 % is above 0.1%", "limited=0%": "limited 0.5 % is above 0%",
	} {
		l, err := ReadLimit(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		r.Measure([]Limit{l})
		if got := r.Limits[0].String(); got != want || r.Limits[0].Kept != strings.Contains(want, "within") {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{
		"", "p99", "p99=", "p99=200", "p99=-1s", "p98=1s", "errors=1", "errors=-1%", "errors=101%", "errors=NaN%", "latency=1s",
	} {
		if _, err := ReadLimit(text); err == nil {
			t.Errorf("%q is taken for a limit", text)
		}
	}
}
