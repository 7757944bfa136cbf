package load

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// VerdictLine is the verdict with its reason: "FAILED: p99 312 ms is above 200ms".
func (r *Result) VerdictLine() string {
	return wording.Printable(strings.ToUpper(string(r.Verdict)) + ": " + r.Reason)
}

var (
	bold    = lipgloss.NewStyle().Bold(true)
	heading = bold.Foreground(lipgloss.Cyan)
	colours = map[Verdict]lipgloss.Style{
		Passed:       bold.Foreground(lipgloss.Green),
		Failed:       bold.Foreground(lipgloss.Red),
		Inconclusive: bold.Foreground(lipgloss.Yellow),
	}
)

// Summary writes what a person wants to know of a load. Nothing in it can move
// the cursor of a terminal.
func Summary(w io.Writer, r *Result, s report.Style) error {
	p := &page{Style: s, width: max(60, cmp.Or(s.Width, 80))}
	p.head(r)
	p.latencies(r)
	p.rates(r)
	p.findings(r)
	p.leftOut(r)
	p.changes(r)
	_, err := io.WriteString(w, p.text.String())
	return err
}

type page struct {
	report.Style
	width int
	text  strings.Builder
}

func (p *page) line(style lipgloss.Style, indent int, text string) {
	for _, row := range report.Wrap(wording.Printable(text), p.width-indent) {
		p.row(style, indent, row)
	}
}

func (p *page) row(style lipgloss.Style, indent int, row string) {
	if p.Color {
		row = style.Render(row)
	}
	p.text.WriteString(strings.Repeat(" ", indent) + row + "\n")
}

func (p *page) plain(indent int, format string, args ...any) {
	p.line(lipgloss.NewStyle(), indent, fmt.Sprintf(format, args...))
}

func (p *page) title(format string, args ...any) {
	p.text.WriteString("\n")
	p.line(heading, 0, fmt.Sprintf(format, args...))
}

func (p *page) head(r *Result) {
	p.line(colours[r.Verdict], 0, r.VerdictLine())
	p.plain(0, "%s at %s", cmp.Or(r.Target.Name, "the target"), r.Target.BaseURL)
	loop := "as fast as they can (a closed loop)"
	if r.Loop == "open" {
		loop = fmt.Sprintf("%g requests a second on a schedule (an open loop)", r.Rate)
	}
	p.plain(0, "%s, %s: %d requests in %.1f s, %.1f/s; depth %s, seed %d; heap %.1f MiB before, %.1f MiB after",
		wording.Count(len(r.VirtualUsers), "lane"), loop, r.Requests, r.DurationSeconds, r.PerSecond,
		r.Depth, r.Seed, mebibytes(r.HeapBytes.Before), mebibytes(r.HeapBytes.After))
}

func mebibytes(n uint64) float64 { return float64(n) / (1 << 20) }

// latencies is the table of percentiles.
func (p *page) latencies(r *Result) {
	if r.Latency == nil {
		return
	}
	if r.Latency.From == "schedule" {
		p.title("Latency in ms, from when a request was due")
	} else {
		p.title("Service time in ms: without a schedule nothing is known of requests that had to wait")
	}
	p.cells("", "count", "p50", "p90", "p99", "p99.9", "max")
	for i := range r.Operations {
		p.percentiles(r.Operations[i].Operation, r.Operations[i].Latency)
	}
	p.percentiles("all", r.Latency.All)
	if r.Latency.From == "schedule" {
		p.percentiles("all, from when it was sent", r.Latency.Service)
	}
}

func (p *page) percentiles(name string, at Percentiles) {
	p.cells(name, fmt.Sprint(at.Count), threeDigits(at.P50),
		threeDigits(at.P90), threeDigits(at.P99), threeDigits(at.P999), threeDigits(at.Max))
}

func (p *page) cells(name string, numbers ...string) {
	row := fmt.Sprintf("%-31s", name)
	for _, n := range numbers {
		row += fmt.Sprintf(" %7s", n)
	}
	p.row(lipgloss.NewStyle(), 2, row)
}

// rates tells what went wrong in how many requests, and how far the schedule was
// kept.
func (p *page) rates(r *Result) {
	p.text.WriteString("\n")
	p.plain(0, "errors %s (%d lost, %d answered 500 or more), 429 %s, 503 with Retry-After %s; findings %d in %d judged cases",
		inPercent(r.ErrorRate()), r.Lost, r.ServerErrors, inPercent(share(r.RateLimited, r.Requests)),
		inPercent(share(r.Unavailable, r.Requests)),
		r.FindingsSeen, r.Cases.Passed+r.Cases.Failed)
	if r.Loop == "open" && r.Latency != nil {
		p.plain(0, "%s", r.Behind)
	}
	for _, l := range r.Limits {
		p.plain(0, "%s", l)
	}
}

// maxShownFindings is how many findings are shown; load.json has them all.
const maxShownFindings = 10

func (p *page) findings(r *Result) {
	var shown []Finding
	notices := 0
	for _, f := range r.Findings {
		if f.Severity == oracle.Notice {
			notices++
		} else {
			shown = append(shown, f)
		}
	}
	if len(shown) > 0 {
		p.title("%s", wording.Count(len(shown), "finding"))
	}
	for _, f := range shown[:min(len(shown), maxShownFindings)] {
		p.line(bold, 0, fmt.Sprintf("%s (%s) %s", f.Clause, f.Basis, f.When()))
		p.plain(2, "%s", report.Sentence(&f.Finding))
		p.plain(4, "check %s, first in case %s", f.Check, f.Case)
		if f.Curl != "" {
			p.row(lipgloss.NewStyle(), 4, wording.Printable(f.Curl))
		}
	}
	if more := len(shown) - maxShownFindings; more > 0 {
		p.plain(2, "… and %d more; --report DIR writes all into %s", more, JSONFile)
	}
	if notices > 0 {
		p.plain(0, "%s (no source requires it; does not fail the load): see %s", wording.Count(notices, "notice"), JSONFile)
	}
}

// When says whether a finding needs load, and how often it was seen.
func (f *Finding) When() string {
	switch {
	case f.OnlyUnderLoad:
		return fmt.Sprintf("only under load: seen %s, first in lane %d", times(f.Seen), f.VirtualUser)
	case f.Seen == 0:
		return "only without load: seen " + times(f.Quiet)
	}
	return fmt.Sprintf("also without load: seen %s under load, %s without", times(f.Seen), times(f.Quiet))
}

func times(n int) string { return wording.Count(n, "time") }

// leftOut tells what was not sent, and which virtual users do less than others.
func (p *page) leftOut(r *Result) {
	var lines []string
	for _, l := range r.LeftOut {
		lines = append(lines, fmt.Sprintf("%s by any lane: %s", wording.Count(l.Cases, "case"), l.Reason))
	}
	reading, idle := 0, 0
	for _, l := range r.VirtualUsers {
		switch {
		case l.Cases == 0:
			idle++
		case l.Objects == "" && l.VirtualUser > 0:
			reading++
		}
	}
	if reading > 0 {
		lines = append(lines, wording.Count(reading, "lane")+
			": writes, as there are no objects of its own; lanes: in the target file gives it some")
	}
	if idle > 0 {
		lines = append(lines, wording.Count(idle, "lane")+": everything, as none of the cases is for a lane that only reads")
	}
	if len(lines) > 0 {
		p.title("Left out")
	}
	for _, l := range lines {
		p.plain(2, "%s", l)
	}
}

// changes are the objects that were not put back.
func (p *page) changes(r *Result) {
	first := true
	for _, c := range r.Changes {
		if c.Restored || c.Change == "deleted" {
			continue
		}
		if first {
			p.title("Not put back")
			first = false
		}
		p.plain(2, "%s %d (%s): %s", c.Object, c.ID, c.Change, c.Reason)
		if c.Undo != "" {
			p.row(lipgloss.NewStyle(), 4, wording.Printable(c.Undo))
		}
	}
}
