package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/judge"
)

// VerdictLine is the headline: the verdict and how much it is about, the reason,
// and what was tested. "NONCONFORMING: 2 findings; tested: Acme at https://…"
func VerdictLine(r *Report) string {
	between := ": "
	if r.onlyObserved() {
		between = " "
	}
	about := r.scope()
	if silent := r.silent(); silent != "" {
		about = strings.TrimSuffix(about, ")") + "; " + silent + ")"
	}
	return wording.Printable(strings.ToUpper(r.VerdictWords()) + about + between + r.Reason + "; tested: " + r.Target.words())
}

// silent says, of a pass, how many cases show nothing on this target through its own choice, and
// the reason of most of them.
func (r *Report) silent() string {
	if r.Verdict != Conforming || r.Level != Complete && r.Level != Partial {
		return ""
	}
	n, reasons := 0, []string{}
	for _, u := range r.untested() {
		if u.Cause == judge.ByTarget {
			n += u.Cases
			reasons = append(reasons, wording.ClipWords(u.Reason, 120))
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s show nothing on this target: %s", n, wording.Count(r.Cases.Planned, "case"), wording.Some(reasons, 1))
}

// VerdictWords is the verdict as people read it. What was only observed may not be
// called conforming.
func (r *Report) VerdictWords() string {
	if r.onlyObserved() {
		return "nothing wrong seen"
	}
	return string(r.Verdict)
}

func (r *Report) onlyObserved() bool { return r.Level == Observed && r.Verdict == Conforming }

// Words are verdict and level: "conforming (partial, 355 of 371 cases)".
func (r *Report) Words() string { return r.VerdictWords() + r.scope() }

// words name a target: "Acme staging at https://staging.acme.test/v2".
func (t Target) words() string { return cmp.Or(t.Name, "the target") + " at " + t.BaseURL }

// scope is how much a verdict is about, as it follows the verdict.
func (r *Report) scope() string {
	depth, left := "", 0 // cases that were not run, through no choice of the target
	if r.Depth != judge.Standard.String() {
		depth = " at depth " + r.Depth
	}
	for _, u := range r.untested() {
		if u.Cause != judge.ByTarget {
			left += u.Cases
		}
	}
	switch {
	case r.Level == Observed, r.Level == Complete && r.Verdict != Conforming && r.Selection == nil:
		return ""
	case r.Selection != nil:
		s := r.Selection
		run := ""
		if left > 0 {
			run = fmt.Sprintf("%d of ", s.Cases-left)
		}
		return fmt.Sprintf(" in %sthe %s selected, of %d%s", run, wording.Count(s.Cases, "case"), s.Of, depth)
	case r.Level == Partial && left > 0:
		return fmt.Sprintf(" (partial, %d of %s%s)", r.Cases.Planned-left, wording.Count(r.Cases.Planned, "case"), depth)
	}
	return fmt.Sprintf(" (%s%s)", r.Level, depth)
}

// words say what was selected: "1 of 354 cases (--case updateCampaign/401/no-key)".
func (s *Selection) words() string {
	return fmt.Sprintf("%d of %s (%s)", s.Cases, wording.Count(s.Of, "case"), strings.Join(s.Filters, " and "))
}

// maxShownGaps is how many gaps a headline names.
const maxShownGaps = 4

// NotShownLine says in words what was not shown, each once; "" for nothing.
func NotShownLine(gaps []Gap) string {
	var texts []string
	for _, g := range gaps {
		text := g.Text
		if g.Need == "" {
			text = fmt.Sprintf("%s (%s)", wording.Count(g.Cases, "case"), text)
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return "not shown: " + wording.Some(texts, maxShownGaps)
}

// notShown are the gaps as lines.
func (r *Report) notShown() []string {
	texts := []string{}
	for _, g := range r.NotShown {
		texts = append(texts, wording.Printable(strings.TrimPrefix(g.Need+": "+g.Text, ": ")))
	}
	return texts
}

// String says what became of the recorded exchanges: "12 exchanges judged; not
// judged: 3 body not recorded; 40 of other paths".
func (r *Recording) String() string {
	text := wording.Count(r.Judged, "recorded exchange") + " judged"
	if len(r.Skipped) > 0 {
		text += "; not judged: " + r.Reasons()
	}
	if r.Others > 0 {
		text += fmt.Sprintf("; %d of other paths", r.Others)
	}
	return text
}

// Reasons says why exchanges were not judged: "3 body not recorded, 1 not recorded whole".
func (r *Recording) Reasons() string {
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(r.Skipped)) {
		reasons = append(reasons, fmt.Sprintf("%d %s", r.Skipped[reason], reason))
	}
	return strings.Join(reasons, ", ")
}

// extent says in a line how much was sent, or what was judged of a recording,
// which has neither depth nor seed.
func (r *Report) extent() string {
	if r.Recording != nil {
		return r.Recording.String()
	}
	c := r.Cases
	return fmt.Sprintf("%s: %d passed, %d failed, %d not tested; %s in %.1f s (depth %s, seed %d)",
		wording.Count(c.Planned, "case"), c.Passed, c.Failed, c.NotTested,
		wording.Count(r.Requests, "request"), r.DurationSeconds, r.Depth, r.Seed)
}

// Insecure is said in every report of a run with --insecure.
const Insecure = "INSECURE: certificates are not checked (--insecure), so nobody knows who answers"

// waits says what was waited for and sent again; "" for nothing.
func (r *Report) waits() string {
	var parts []string
	if r.WaitedSeconds > 0 {
		parts = append(parts, fmt.Sprintf("waited %.1f s for the target: %s 429, %s busy or away (502 to 504, or no connection): "+
			"a lower limits.rate may help", r.WaitedSeconds, wording.Count(r.RateLimited, "answer"), wording.Count(r.Unavailable, "time")))
	}
	if r.Resent > 0 {
		parts = append(parts, wording.Count(r.Resent, "request")+" sent again over a new connection, as the target had ended the one before")
	}
	return strings.Join(parts, "; ")
}

// WithoutValues says which values of objects that are changed the target file does not give.
func WithoutValues(objects []judge.Unnamed) string {
	var parts []string
	for _, u := range objects {
		parts = append(parts, fmt.Sprintf("%s (%s)", strings.TrimPrefix(u.Key, "objects."), strings.Join(u.Fields, ", ")))
	}
	return "the target file does not give all values of " + strings.Join(parts, ", ")
}
