package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
)

// htmlTimeline shows when requests were sent, how they were answered, and how
// long that took. It has as many elements for a million requests as for a
// hundred.
type htmlTimeline struct {
	Bars      []htmlBox // requests of an interval, by kind of answer
	Findings  []htmlBox // intervals that hold a finding's request
	Latency   []htmlBox // fastest to slowest of an interval
	Medians   []htmlBox
	Decades   []htmlTick // of the latency
	Counts    []htmlTick
	Times     []htmlTick
	Kinds     []htmlKind
	Interval  string
	Sent      int
	Alt       string
	Latencies []htmlLatency
}

type htmlBox struct {
	X, Y, Width, Height float64
	Kind, Title         string
}

// htmlKind is a kind of answers: its class in the style sheet, and in words.
type htmlKind struct{ Kind, Label string }

type htmlTick struct {
	At   float64
	Text string
}

// htmlLatency is a row of the table under the picture.
type htmlLatency struct {
	Operation            string
	Requests             int
	Median, P95, Slowest string
}

// The picture in its own units.
const (
	chartLeft   = 56.0
	chartWidth  = 740.0
	chartHeight = 110.0
	chartBins   = 74
)

var answerKinds = []htmlKind{
	{"ok", "success (2xx, 3xx)"}, {"refused", "refused (4xx)"}, {"error", "error (5xx)"}, {"lost", "no answer"},
}

func answerKind(status int) int {
	switch {
	case status == 0:
		return 3
	case status >= 500:
		return 2
	case status >= 400:
		return 1
	}
	return 0
}

type chartBin struct {
	kinds    [4]int
	total    int
	seconds  []float64
	findings int
}

func newHTMLTimeline(r *Report) *htmlTimeline {
	if len(r.Exchanges) == 0 {
		return nil
	}
	begin, end := r.Exchanges[0].Started, r.Exchanges[0].Started
	for i := range r.Exchanges {
		if s := r.Exchanges[i].Started; s.Before(begin) {
			begin = s
		} else if s.After(end) {
			end = s
		}
	}
	span := max(end.Sub(begin).Seconds(), 1e-3)
	found := map[int]bool{}
	for _, f := range r.Findings {
		found[f.Exchange] = true
	}
	bins := make([]chartBin, chartBins)
	for i := range r.Exchanges {
		ex := &r.Exchanges[i]
		b := &bins[min(chartBins-1, int(float64(chartBins)*ex.Started.Sub(begin).Seconds()/span))]
		b.kinds[answerKind(ex.Status)]++
		b.total++
		b.seconds = append(b.seconds, max(ex.Seconds, 1e-6))
		if found[ex.Seq] {
			b.findings++
		}
	}
	t := &htmlTimeline{Interval: htmlDuration(span / chartBins), Sent: len(r.Exchanges), Latencies: htmlLatencies(r)}
	t.drawCounts(bins)
	t.drawLatency(bins)
	for i := range 5 {
		t.Times = append(t.Times, htmlTick{chartLeft + float64(i)*chartWidth/4, htmlDuration(span * float64(i) / 4)})
	}
	t.Times[0].Text = "0"
	t.describe(r, span)
	return t
}

func binX(i int) (x, width float64) {
	const step = chartWidth / chartBins
	return chartLeft + float64(i)*step, step - 1.5
}

func (t *htmlTimeline) drawCounts(bins []chartBin) {
	most := slices.MaxFunc(bins, func(a, b chartBin) int { return a.total - b.total }).total
	for i, b := range bins {
		x, width := binX(i)
		y := chartHeight
		var words []string
		for k, n := range b.kinds {
			if n > 0 {
				words = append(words, fmt.Sprintf("%d %s", n, answerKinds[k].Label))
			}
		}
		for k, n := range b.kinds {
			if n == 0 {
				continue
			}
			height := chartHeight * float64(n) / float64(most)
			y -= height
			t.Bars = append(t.Bars, htmlBox{x, y, width, height, answerKinds[k].Kind, strings.Join(words, ", ")})
		}
		if b.findings > 0 {
			t.Findings = append(t.Findings, htmlBox{X: x + width/2, Title: wording.Count(b.findings, "finding")})
		}
	}
	t.Counts = []htmlTick{{chartHeight, "0"}, {0, fmt.Sprint(most)}}
}

func (t *htmlTimeline) drawLatency(bins []chartBin) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, b := range bins {
		for _, s := range b.seconds {
			low, high = min(low, s), max(high, s)
		}
	}
	from, to := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	if to <= from {
		to = from + 1
	}
	y := func(seconds float64) float64 { return chartHeight * (to - math.Log10(seconds)) / (to - from) }
	for i, b := range bins {
		if b.total == 0 {
			continue
		}
		slices.Sort(b.seconds)
		x, width := binX(i)
		fast, slow, median := b.seconds[0], b.seconds[len(b.seconds)-1], quantile(b.seconds, 0.5)
		title := fmt.Sprintf("median %s, %s to %s", htmlDuration(median), htmlDuration(fast), htmlDuration(slow))
		t.Latency = append(t.Latency, htmlBox{x, y(slow), width, max(1.5, y(fast)-y(slow)), "range", title})
		t.Medians = append(t.Medians, htmlBox{x, y(median) - 1, width, 2, "median", title})
	}
	for d := from; d <= to; d++ {
		t.Decades = append(t.Decades, htmlTick{y(math.Pow(10, d)), htmlDuration(math.Pow(10, d))})
	}
}

// quantile of sorted values.
func quantile(sorted []float64, q float64) float64 {
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func (t *htmlTimeline) describe(r *Report, span float64) {
	var kinds [4]int
	for i := range r.Exchanges {
		kinds[answerKind(r.Exchanges[i].Status)]++
	}
	for k, n := range kinds {
		if n > 0 {
			t.Kinds = append(t.Kinds, answerKinds[k])
		}
	}
	all := t.Latencies[len(t.Latencies)-1]
	t.Alt = fmt.Sprintf("%s within %s: %d answered with success, %d refused, %d server errors, %d without answer. Median latency %s, 95th percentile %s, slowest %s.",
		wording.Count(t.Sent, "exchange"), htmlDuration(span), kinds[0], kinds[1], kinds[2], kinds[3], all.Median, all.P95, all.Slowest)
}

// htmlLatencies are the latencies by operation; the last row is that of all.
func htmlLatencies(r *Report) []htmlLatency {
	seconds := map[string][]float64{}
	var order []string
	for i := range r.Exchanges {
		ex := &r.Exchanges[i]
		operation, _, _ := strings.Cut(ex.Case, "/")
		if operation == "" {
			operation = "the suite itself"
		}
		if seconds[operation] == nil {
			order = append(order, operation)
		}
		seconds[operation] = append(seconds[operation], ex.Seconds)
		seconds[""] = append(seconds[""], ex.Seconds)
	}
	var rows []htmlLatency
	for _, operation := range append(order, "") {
		s := seconds[operation]
		slices.Sort(s)
		row := htmlLatency{Operation: Printable(operation), Requests: len(s), Median: htmlDuration(quantile(s, 0.5)), P95: htmlDuration(quantile(s, 0.95)), Slowest: htmlDuration(s[len(s)-1])}
		if operation == "" {
			row.Operation = "all"
		}
		rows = append(rows, row)
	}
	return rows
}
