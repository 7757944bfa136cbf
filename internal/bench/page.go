package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// writePage writes docs/performance.md.
func writePage(w io.Writer, before, now *Results) error {
	m := now.Machine
	fmt.Fprintf(w, `# Performance

Ratios from one run each, so that they say something on another machine too: what
is compared is measured by turns, a figure is the median of its rounds, in brackets
the quartiles. The few figures with a unit are of this machine: %s,
%d cores, %s, %s.

`+"`make bench`"+` measures and prints, `+"`make performance`"+` also writes this page and
[performance.json](performance.json).

`, m.CPU, m.Cores, m.Go, m.OS)
	writeTable(w, []string{"", "before: cases one after another", "now"}, [][]string{
		{"results", "[performance-before.json](performance-before.json)", "[performance.json](performance.json)"},
		{"commit", before.Commit, now.Commit},
		{"requests of a standard run", number(before.Figures["suite/requests"].Median), number(now.Figures["suite/requests"].Median)},
		{"load for each core at the start; from 0.5 on the clock misleads", number(before.Machine.Load), number(now.Machine.Load)},
	})
	fmt.Fprintln(w)
	return writeTables(w, before, now)
}

// writeTables writes all tables, without the column "before" when it is nil.
func writeTables(w io.Writer, before, now *Results) error {
	fmt.Fprint(w, "## Bars\n\n")
	head, lines := []string{"what", "bar"}, [][]string{}
	for _, b := range bars {
		line := append([]string{b.what, b.bound()}, beforeAndNow(before, now, b.id)...)
		lines = append(lines, append(line, b.verdict(now.Figures)))
	}
	writeTable(w, append(head, append(columns(before), "reached")...), lines)
	for _, s := range sections {
		fmt.Fprintf(w, "\n## %s\n\n%s\n\n", s.title, s.text)
		if s.rows == nil {
			writeLanes(w, before, now)
			continue
		}
		lines := [][]string{}
		for _, r := range s.rows {
			lines = append(lines, append([]string{r.what}, beforeAndNow(before, now, r.id)...))
		}
		writeTable(w, append([]string{"what"}, columns(before)...), lines)
	}
	return writeCosts(w, before, now)
}

func (b bar) bound() string {
	if b.atMost > 0 {
		return fmt.Sprintf("≤ %g", b.atMost)
	}
	return fmt.Sprintf("≥ %g", b.atLeast)
}

// verdict says whether a figure keeps its bar. The suite may cost more than its
// bar where Ginkgo alone takes it there.
func (b bar) verdict(f Figures) string {
	figure, measured := f[b.id]
	without, isSuite := f[strings.TrimSuffix(b.id, "default")+"no-ginkgo"]
	switch {
	case !measured:
		return "not measured"
	case b.atMost > 0 && figure.Median <= b.atMost, b.atMost == 0 && figure.Median >= b.atLeast:
		return "yes"
	case isSuite && figure.Median <= withGinkgo && without.Median <= b.atMost:
		return fmt.Sprintf("without Ginkgo (%s); with it ≤ %d", number(without.Median), withGinkgo)
	}
	return "no"
}

func columns(before *Results) []string {
	if before == nil {
		return []string{"now"}
	}
	return []string{"before", "now"}
}

func beforeAndNow(before, now *Results, id string) []string {
	var cells []string
	for _, r := range []*Results{before, now} {
		if r == nil {
			continue
		}
		if f, measured := r.Figures[id]; measured {
			cells = append(cells, f.String())
		} else {
			cells = append(cells, "not measured")
		}
	}
	return cells
}

// writeLanes writes a line for each number of lanes.
func writeLanes(w io.Writer, before, now *Results) {
	head, lines := []string{"lanes"}, [][]string{}
	for _, latency := range latencies {
		head = append(head, fmt.Sprintf("%d ms, times faster", latency.Milliseconds()))
		if latency > 0 {
			head = append(head, fmt.Sprintf("%d ms ÷ ideal", latency.Milliseconds()))
		}
	}
	for _, lanes := range laneCounts {
		line := []string{fmt.Sprint(lanes)}
		for _, latency := range latencies {
			for _, what := range []string{"faster", "ideal"} {
				if latency > 0 || what == "faster" {
					id := fmt.Sprintf("lanes/%d/%dms/%s", lanes, latency.Milliseconds(), what)
					line = append(line, medians(before, now, id))
				}
			}
		}
		lines = append(lines, line)
	}
	writeTable(w, head, lines)
}

// medians is a figure before and now in one cell.
func medians(before, now *Results, id string) string {
	text := number(now.Figures[id].Median)
	if before != nil {
		text = number(before.Figures[id].Median) + " → " + text
	}
	return text
}

// biggest is how many costs are named as those that remain.
const biggest = 3

func writeCosts(w io.Writer, before, now *Results) error {
	fmt.Fprintf(w, `
## Where the time goes

Shares of the processor time of runs against a reference in another process. A sample
of the profile belongs to the innermost frame that is listed.
%s
keeps the profile for %s.

`, "`go run ./internal/bench -part costs -cpuprofile cpu.prof`", "`go tool pprof`")
	share := func(r *Results, id string) float64 { return r.Figures["costs/"+id].Median }
	sorted := slices.Clone(costs)
	slices.SortStableFunc(sorted, func(a, b cost) int {
		return int(1e6 * (share(now, b.id) - share(now, a.id)))
	})
	var lines [][]string
	for _, c := range sorted {
		cells := []string{c.what}
		if before != nil {
			cells = append(cells, percent(share(before, c.id)))
		}
		lines = append(lines, append(cells, percent(share(now, c.id))))
	}
	writeTable(w, append([]string{"what"}, columns(before)...), lines)
	fmt.Fprint(w, "\nThe three biggest costs that remain:\n\n")
	for i, c := range sorted[:biggest] {
		fmt.Fprintf(w, "%d. %s (%s): %s\n", i+1, c.what, percent(share(now, c.id)), c.remark)
	}
	return nil
}

func percent(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }

// writeTable writes a Markdown table that can be read in a terminal too.
func writeTable(w io.Writer, head []string, lines [][]string) {
	width := make([]int, len(head))
	for _, line := range append([][]string{head}, lines...) {
		for i, cell := range line {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	write := func(line []string) {
		for i, cell := range line {
			fmt.Fprintf(w, "| %s%s ", cell, strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell)))
		}
		fmt.Fprintln(w, "|")
	}
	write(head)
	rule := make([]string, len(head))
	for i := range rule {
		rule[i] = strings.Repeat("-", width[i])
	}
	write(rule)
	for _, line := range lines {
		write(line)
	}
}
