package load

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Limit is a bound that the load has to keep, such as p99=200ms or errors=0.1%.
type Limit struct {
	Name  string   `json:"name"`  // p50, p90, p99, p99.9, max, errors, limited
	Bound float64  `json:"bound"` // milliseconds, or a share from 0 to 1
	Got   *float64 `json:"got"`   // null where too few requests were sent to say
	Kept  bool     `json:"kept"`

	text string // as given
}

// quantiles are the limits of time, by name.
var quantiles = map[string]float64{"p50": 50, "p90": 90, "p99": 99, "p99.9": 99.9, "max": 100}

// shares are the limits of a share of the requests: lost answers and statuses of
// 500 or more, and answers that ask to wait.
const (
	Errors  = "errors"
	limited = "limited"
)

// ReadLimit reads a limit: a name, =, and a time or a share in per cent.
func ReadLimit(text string) (Limit, error) {
	name, bound, _ := strings.Cut(text, "=")
	l := Limit{Name: name, text: text}
	_, isTime := quantiles[name]
	switch {
	case isTime:
		d, err := time.ParseDuration(bound)
		if err != nil || d <= 0 {
			return l, fmt.Errorf("want a time after %s=, such as %s=200ms", name, name)
		}
		l.Bound = float64(d) / float64(time.Millisecond)
	case name == Errors || name == limited:
		number, percent := strings.CutSuffix(bound, "%")
		share, err := strconv.ParseFloat(number, 64)
		if err != nil || !percent || share < 0 || share > 100 || math.IsNaN(share) {
			return l, fmt.Errorf("want a share from 0%% to 100%% after %s=, such as %s=0.1%%", name, name)
		}
		l.Bound = share / 100
	default:
		return l, errors.New("want p50, p90, p99, p99.9 or max with a time (p99=200ms), or errors or limited with a share (errors=0.1%)")
	}
	return l, nil
}

// measure says what the load came to. A percentile takes as many requests as
// there is one beyond it on average: p99 takes 100.
func (l *Limit) measure(r *Result) {
	l.Got, l.Kept = nil, false
	q, isTime := quantiles[l.Name]
	if r.Latency == nil || isTime && q < 100 && float64(r.Latency.All.Count) < math.Round(100/(100-q)) {
		return
	}
	p := r.Latency.All
	got := map[string]float64{
		"p50": p.P50, "p90": p.P90, "p99": p.P99, "p99.9": p.P999, "max": p.Max,
		Errors: r.ErrorRate(), limited: share(r.RateLimited+r.Unavailable, r.Requests),
	}[l.Name]
	l.Got, l.Kept = &got, got <= l.Bound
}

// String says what became of a limit: "p99 312 ms is above 200ms".
func (l Limit) String() string {
	_, bound, _ := strings.Cut(l.text, "=")
	if l.Got == nil {
		return fmt.Sprintf("%s was not measured: too few requests", l.Name)
	}
	got := inPercent(*l.Got)
	if _, isTime := quantiles[l.Name]; isTime {
		got = inWords(*l.Got)
	}
	if l.Kept {
		return fmt.Sprintf("%s %s is within %s", l.Name, got, bound)
	}
	return fmt.Sprintf("%s %s is above %s", l.Name, got, bound)
}

// ErrorRate is the share of the exchanges that were lost or answered with a
// status of 500 or more, 0 to 1.
func (c *Counts) ErrorRate() float64 { return share(c.Lost+c.ServerErrors, c.Exchanges) }

func share(n, of int) float64 { return float64(n) / float64(max(1, of)) }

func inPercent(share float64) string {
	return strconv.FormatFloat(100*share, 'g', 3, 64) + " %"
}

// Measure sets the limits and says what became of them.
func (r *Result) Measure(limits []Limit) {
	r.Limits = []Limit{}
	for _, l := range limits {
		l.measure(r)
		r.Limits = append(r.Limits, l)
	}
}
