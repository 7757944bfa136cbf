package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
)

// Level says how much a verdict is about.
type Level string

// The levels, the greatest first. What a target's own open choices hide takes
// nothing from a level.
const (
	Complete Level = "complete"  // nothing is untested for want of something that the operator could give
	Partial  Level = "partial"   // some were not: the target file lacks what they need, or the run ended before them
	Selected Level = "selection" // filters left cases out
	Observed Level = "observed"  // others sent it: nobody saw to it that all was asked
)

// Levels are all levels, the greatest first.
func Levels() []Level { return []Level{Complete, Partial, Selected, Observed} }

// Below says whether a level is less than another; none is less than "".
func (l Level) Below(other Level) bool {
	at := slices.Index(Levels(), l)
	return other != "" && (at < 0 || at > slices.Index(Levels(), other))
}

// Selection is what filters left of a plan.
type Selection struct {
	Filters []string `json:"filters"` // in words: --case updateCampaign/401/no-key
	Cases   int      `json:"cases"`   // that they let through
	Of      int      `json:"of"`      // cases that the target and the depth have
}

// words say what was selected: "1 of 354 cases (--case updateCampaign/401/no-key)".
func (s *Selection) words() string {
	return fmt.Sprintf("%d of %s (%s)", s.Cases, wording.Count(s.Of, "case"), strings.Join(s.Filters, " and "))
}

// Gap is something that a run could not show, through no choice of the target.
type Gap struct {
	Need  string `json:"need,omitempty"`  // key that the target file lacks; empty: see Text
	Text  string `json:"text"`            // what was not shown, or why
	Cases int    `json:"cases,omitempty"` // that were not run for it; 0: they ran, and judged less
}

// VerdictLine is the headline: the verdict and how much it is about, the reason,
// and what was tested. "NONCONFORMING: 2 findings; tested: Acme at https://…"
func VerdictLine(r *Report) string {
	between := ": "
	if r.onlyObserved() {
		between = " "
	}
	about := scope(r)
	if hidden := r.showNothing(); hidden != "" {
		about = strings.TrimSuffix(about, ")") + "; " + hidden + ")"
	}
	return wording.Printable(strings.ToUpper(r.VerdictWords()) + about + between + r.Reason + "; tested: " + r.Target.words())
}

// showNothing says, of a pass, how many cases the target itself leaves without a judgement, and
// the reason of most of them: "9 of 437 cases show nothing on this target: it takes no …".
func (r *Report) showNothing() string {
	if r.Verdict != Conforming || r.Level != Complete && r.Level != Partial {
		return ""
	}
	n, reasons := 0, map[string]int{}
	for i := range r.Results {
		if c := &r.Results[i]; c.Status == judge.NotTested && c.Cause == judge.ByTarget {
			n++
			reasons[c.Reason]++
		}
	}
	if n == 0 {
		return ""
	}
	all := slices.SortedFunc(maps.Keys(reasons), func(a, b string) int { return cmp.Or(reasons[b]-reasons[a], cmp.Compare(a, b)) })
	shows := map[bool]string{true: "shows", false: "show"}[n == 1]
	text := fmt.Sprintf("%d of %s %s nothing on this target: %s", n, wording.Count(r.Cases.Planned, "case"), shows,
		wording.ClipWords(all[0], 120))
	if more := len(all) - 1; more > 0 {
		text += fmt.Sprintf(", and %s", wording.Count(more, "other reason"))
	}
	return text
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

// words name a target: "Acme staging at https://staging.acme.test/v2".
func (t Target) words() string { return cmp.Or(t.Name, "the target") + " at " + t.BaseURL }

// Words are verdict and level: "conforming (partial, 355 of 371 cases)".
func (r *Report) Words() string { return r.VerdictWords() + scope(r) }

// scope is how much a verdict is about, as it follows the verdict.
func scope(r *Report) string {
	depth := ""
	if r.Depth != judge.Standard.String() {
		depth = " at depth " + r.Depth
	}
	switch left := r.leftOut(); {
	case r.Level == Observed:
		return ""
	case r.Selection != nil:
		s := r.Selection
		in := "in the " + wording.Count(s.Cases, "case") + " selected"
		if left > 0 {
			in = fmt.Sprintf("in %d of the %s selected", s.Cases-left, wording.Count(s.Cases, "case"))
		}
		return fmt.Sprintf(" %s, of %d%s", in, s.Of, depth)
	case r.Level == Partial && left > 0:
		return fmt.Sprintf(" (partial, %d of %s%s)", r.Cases.Planned-left, wording.Count(r.Cases.Planned, "case"), depth)
	case r.Level == Complete && r.Verdict != Conforming:
		return ""
	}
	return fmt.Sprintf(" (%s%s)", r.Level, depth)
}

// leftOut is how many cases were not run, through no choice of the target.
func (r *Report) leftOut() int {
	n := 0
	for i := range r.Results {
		if c := &r.Results[i]; c.Status == judge.NotTested && c.Cause != judge.ByTarget {
			n++
		}
	}
	return n
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

// notShownTexts are the gaps as lines.
func notShownTexts(r *Report) []string {
	texts := []string{}
	for _, g := range r.NotShown {
		texts = append(texts, wording.Printable(strings.TrimPrefix(g.Need+": "+g.Text, ": ")))
	}
	return texts
}

// HiddenLine is the second line of the headline: the clauses that choices of the
// target hide, with the reasons; "" where there are none, or where a finding says
// more. What the interface says nothing of is hidden without loss: a list need not
// carry an ETag.
func HiddenLine(r *Report) string {
	if r.Level == Observed || r.Verdict == Nonconforming {
		return ""
	}
	by := map[string][]string{}
	var reasons []string
	for i := range r.Clauses {
		c := &r.Clauses[i]
		reason, planned := r.hides(c)
		if c.Status != NotTested || c.Cause != judge.ByTarget || !ofInterface(c.Basis) || !planned {
			continue
		}
		if by[reason] == nil {
			reasons = append(reasons, reason)
		}
		by[reason] = append(by[reason], c.Subject())
	}
	var parts []string
	for _, reason := range reasons {
		parts = append(parts, fmt.Sprintf("%s (%s)", wording.Some(by[reason], 8), reason))
	}
	if parts == nil {
		return ""
	}
	return wording.Printable("hidden by choices of the target: " + strings.Join(parts, "; "))
}

func ofInterface(b spec.Basis) bool { return b == spec.Stated || b == spec.Published }

// hides is why a clause was not judged, in the words of a case that aims at it
// where one has them, and whether any aims at it.
func (r *Report) hides(c *Clause) (reason string, planned bool) {
	reason = c.Reason
	for i := range r.Results {
		res := &r.Results[i]
		if !slices.Contains(res.Clauses, c.ID) || c.Operation != allOperations && c.Operation != res.Operation {
			continue
		}
		if planned = true; res.Status == judge.NotTested && res.Cause == judge.ByTarget {
			return res.Reason, true
		}
	}
	return reason, planned
}

// String says what became of the recorded exchanges: "12 exchanges judged; not
// judged: 3 body not recorded; 40 of other paths".
func (r *Recording) String() string {
	parts := []string{wording.Count(r.Judged, "recorded exchange") + " judged"}
	var skipped []string
	for _, reason := range slices.Sorted(maps.Keys(r.Skipped)) {
		skipped = append(skipped, fmt.Sprintf("%d %s", r.Skipped[reason], reason))
	}
	if len(skipped) > 0 {
		parts = append(parts, "not judged: "+strings.Join(skipped, ", "))
	}
	if r.Others > 0 {
		parts = append(parts, fmt.Sprintf("%d of other paths", r.Others))
	}
	return strings.Join(parts, "; ")
}

// extent says in a line how much was sent, or what was judged of a recording,
// which has neither depth nor seed.
func extent(r *Report) string {
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

// waits says what was waited for and sent again: "waited 14.0 s for 12 answers
// 429; 1 request sent again as its connection had ended".
func waits(r *Report) string {
	var causes, parts []string
	if r.RateLimited > 0 {
		causes = append(causes, wording.Count(r.RateLimited, "answer")+" 429")
	}
	if r.Unavailable > 0 {
		causes = append(causes, wording.Count(r.Unavailable, "time")+" for a target that was busy or away (502 to 504, or no "+
			"connection): a lower limits.rate may help")
	}
	if len(causes) == 0 {
		causes = []string{"the rate limit of the target"}
	}
	if r.WaitedSeconds > 0 {
		parts = append(parts, fmt.Sprintf("waited %.1f s for %s", r.WaitedSeconds, strings.Join(causes, " and ")))
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
