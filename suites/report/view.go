package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/session"
)

// View is what every form of a report shows. It is made once, so that all say the same.
type View struct {
	*Report  // with at most maxFindings findings a case, and with empty lists for none
	Headline string
	Notes    []string // beneath the headline: how much was sent, and what was waited for
	Warnings []string // what a reader has to know before anything else
	// Failing are the findings that the headline counts, the worst first; the others are in one of
	// the next three lists: in the baseline, of a basis that does not count, or notices.
	Failing, Accepted, Ignored, Notices []*oracle.Finding

	Totals   []Clause // each clause once
	Untested []Untested
	Left     []session.Change // what was changed and not put back, or but for what Reason says
	Pins     string           // what was seen at open points, as YAML for the target file

	titles map[string]string // of the findings, by id
}

// Untested are the cases that were not tested for one reason.
type Untested struct {
	Reason  string      `json:"reason"`
	Cause   judge.Cause `json:"cause"`
	Cases   int         `json:"cases"`
	Clauses []string    `json:"clauses"` // that no other case judged
}

// maxFindings is how many findings of one case a file holds. A list of which
// every item is wrong has thousands; Report.Findings counts them all.
const maxFindings = 50

// NewView is the view of a report, which stays as it is.
func NewView(r *Report) *View {
	b := *r
	b.Clauses, b.Findings, b.Changes = list(b.Clauses), slices.Clone(list(b.Findings)), list(b.Changes)
	b.OpenPoints, b.Results = slices.Clone(list(b.OpenPoints)), slices.Clone(list(b.Results))
	for i := range b.OpenPoints {
		b.OpenPoints[i].Observed = list(b.OpenPoints[i].Observed)
	}
	for i := range b.Results {
		c := &b.Results[i]
		c.Clauses, c.Findings = list(c.Clauses), c.Findings[:min(len(c.Findings), maxFindings)]
	}
	v := &View{
		Report: &b, Headline: VerdictLine(r), Notes: []string{r.extent()}, Totals: r.Totals(), Pins: PinBlock(r), titles: map[string]string{},
	}
	if text := r.waits(); text != "" {
		v.Notes = append(v.Notes, text)
	}
	v.warn()
	for i := range b.Findings {
		f, of := &b.Findings[i], &v.Notices
		f.Title = Headline(f)
		v.titles[f.ID] = f.Title
		switch {
		case f.Fails:
			of = &v.Failing
		case f.Known != "":
			of = &v.Accepted
		case !f.Counts():
			of = &v.Ignored
		}
		*of = append(*of, f)
	}
	for _, c := range b.Changes {
		if c.Change != "deleted" && (!c.Restored || c.Reason != "") { // disposables are there to be
			v.Left = append(v.Left, c)
		}
	}
	v.Untested = r.untested()
	return v
}

func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

// warn fills in the warnings.
func (v *View) warn() {
	v.Warnings = []string{}
	if v.Insecure {
		v.Warnings = append(v.Warnings, Insecure+".")
	}
	if s := v.Stopped; s != "" {
		v.Warnings = append(v.Warnings, strings.ToUpper(s[:1])+s[1:]+". What follows is what was seen until then.")
	}
	v.Warnings = append(v.Warnings, v.Defects...)
	if len(v.Unused) > 0 {
		v.Warnings = append(v.Warnings, "Stated by the document, and not used: "+strings.Join(v.Unused, "; ")+".")
	}
	if b := v.Baseline; b != nil {
		v.Warnings = append(v.Warnings, fmt.Sprintf("Baseline %s: %s; of its entries %d no longer occur, %d have expired, %d show in more cases.",
			b.File, wording.Count(b.Known, "known finding"), len(b.Stale), len(b.Expired), len(b.Outgrown)))
	}
}

// untested are the reasons for which cases were not tested, the operator's part first, the
// largest group first.
func (r *Report) untested() []Untested {
	open := map[string]bool{}
	for _, c := range r.Totals() {
		open[c.ID] = c.Status == NotTested
	}
	all := []Untested{}
	for _, c := range r.Results {
		if c.Status != judge.NotTested {
			continue
		}
		reason := c.Reason
		if need, ok := strings.CutSuffix(reason, " is not in the target file"); ok {
			reason = "without " + need
		}
		i := slices.IndexFunc(all, func(u Untested) bool { return u.Reason == reason && u.Cause == c.Cause })
		if i < 0 {
			i = len(all)
			all = append(all, Untested{Reason: reason, Cause: c.Cause})
		}
		u := &all[i]
		u.Cases++
		for _, id := range c.Clauses {
			if open[id] && !slices.Contains(u.Clauses, id) {
				u.Clauses = append(u.Clauses, id)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Untested) int { return cmp.Or(cmp.Compare(a.Cause, b.Cause), b.Cases-a.Cases) })
	return all
}

// CauseLines are the findings that a run fails for, each on a line of its own that begins with
// a line break.
func CauseLines(r *Report) string {
	var b strings.Builder
	for _, f := range NewView(r).Failing {
		b.WriteString("\n  " + f.Title + " [" + strings.Join(f.Clauses, ", ") + "]")
	}
	return b.String()
}
