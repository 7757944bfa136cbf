package report

import (
	"fmt"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/oracle"
)

const maxKnown = 3

// baseline tells what the baseline excused, and what is out of date in it.
func (p *screen) baseline(r *Report) []line {
	b := r.Baseline
	if b == nil {
		return nil
	}
	lines := title("Baseline %s: %s", b.File, wording.Count(b.Known, "known finding"))
	known := 0
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Known == "" {
			continue
		}
		if known++; known <= maxKnown {
			lines = append(lines, line{indent: 2, text: wording.Clip(fmt.Sprintf("%s: %s (%s)", f.Clause, Sentence(f), f.Known), 2*p.Width-20), style: faint})
		}
	}
	lines = append(lines, p.more(known-maxKnown, "finding")...)
	for _, e := range b.Outgrown[:min(len(b.Outgrown), maxKnown)] {
		lines = append(lines, line{indent: 2, text: b.outgrown(e), style: red})
	}
	if more := len(b.Outgrown) - maxKnown; more > 0 {
		lines = append(lines, line{indent: 2, text: fmt.Sprintf("… and %d more that show in cases which they do not list", more), style: faint})
	}
	if old := b.OldEntries(); old != "" {
		lines = append(lines, line{indent: 2, text: old, style: colours[Inconclusive]})
	}
	for _, group := range []struct {
		entries []Known
		why     string
		failing bool
	}{
		{b.Stale, "no longer occurs: take it out, adconform baseline prune does", true},
		{b.Expired, "has expired", true},
		{b.Unseen, "was not looked for in this run", false},
	} {
		for _, e := range group.entries[:min(len(group.entries), maxKnown)] {
			l := line{indent: 2, text: fmt.Sprintf("%s:%d: %s %s (expires %s)", b.File, e.Line, e.Cause, group.why, e.Expires), style: faint}
			if group.failing {
				l.style = red
			}
			lines = append(lines, l)
		}
		if more := len(group.entries) - maxKnown; more > 0 {
			lines = append(lines, line{indent: 2, text: fmt.Sprintf("… and %d more of which each %s", more, group.why), style: faint})
		}
	}
	return lines
}

// maxNewCases is how many new cases of a finding are named; report.json has all.
const maxNewCases = 12

// newCases says in which cases a finding is not covered by its entry.
func newCases(f *oracle.Finding) string {
	return fmt.Sprintf("new in %s that the baseline does not list for it: %s", wording.Count(len(f.NewCases), "case"), wording.Some(f.NewCases, maxNewCases))
}

// outgrown says of an entry what it does not cover, and what to do.
func (b *Baseline) outgrown(e Known) string {
	text := fmt.Sprintf("%s:%d: %s shows in %s that it does not list", b.File, e.Line, e.Cause, wording.Count(len(e.NewCases), "case"))
	if e.Deeper {
		text += "; the run of the entry had less depth and did not run all cases"
	}
	return text + ": put it right, or take them in with adconform baseline add"
}

// OldEntries warns of entries of an old version; "" where there is none.
func (b *Baseline) OldEntries() string {
	if len(b.Old) == 0 {
		return ""
	}
	lines := make([]string, 0, len(b.Old))
	for _, e := range b.Old {
		lines = append(lines, fmt.Sprint(e.Line))
	}
	return fmt.Sprintf("%s: %s (line %s) of an earlier version cannot tell a worse defect of the same clause from the known one, as they name neither check nor cases: renew with adconform baseline add %s REPORT",
		b.File, wording.Count(len(b.Old), "entry"), wording.Some(lines, maxNewCases), b.File)
}
