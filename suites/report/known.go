package report

import "fmt"

const maxKnown = 3

// baseline tells what the baseline excused, and what is out of date in it.
func (p *page) baseline(r *Report) []line {
	b := r.Baseline
	if b == nil {
		return nil
	}
	lines := title("Baseline %s: %s", b.File, count(b.Known, "known finding"))
	known := 0
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Known == "" {
			continue
		}
		if known++; known <= maxKnown {
			lines = append(lines, line{indent: 2, text: clip(fmt.Sprintf("%s: %s (%s)", f.Clause, Sentence(f), f.Known), 2*p.Width-20), style: faint})
		}
	}
	lines = append(lines, p.more(known-maxKnown, "finding")...)
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
