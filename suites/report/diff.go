package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
)

// Difference is what changed from one report to another.
type Difference struct {
	Before       Side             `json:"before"`
	After        Side             `json:"after"`
	New          []oracle.Finding `json:"new"`    // only in the second report
	Wider        []oracle.Finding `json:"wider"`  // in both, but the second has NewCases of it that the first ran without
	Gone         []oracle.Finding `json:"gone"`   // only in the first, and looked for again
	Unseen       []oracle.Finding `json:"unseen"` // only in the first, but not looked for again
	Remaining    int              `json:"remaining"`
	Clauses      []Step           `json:"clauses"`      // status by clause and operation
	Cases        []Step           `json:"cases"`        // status by case
	OpenPoints   []Step           `json:"openPoints"`   // what was observed
	Untested     []string         `json:"untested"`     // clauses that were judged before and are not any more
	Unpinned     []string         `json:"unpinned"`     // open points that either target file pins, and that are not as pinned now
	NotLookedFor []string         `json:"notLookedFor"` // in words, what the second run left out that the first looked for
}

// Side is one of the two reports.
type Side struct {
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason"`
	BaseURL string  `json:"baseURL"`
	Depth   string  `json:"depth"`
	Seed    uint64  `json:"seed"`
	Cases   int     `json:"cases"` // that were carried out
}

// Step is a value that is another one now; "" for none.
type Step struct {
	ID     string `json:"id"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Compare says what changed from a to b. Findings are the same when they have the same cause.
func Compare(a, b *Report) *Difference {
	side := func(r *Report) Side {
		return Side{r.Verdict, r.Reason, r.Target.BaseURL, r.Depth, r.Seed, r.Cases.Run}
	}
	d := &Difference{
		Before: side(a), After: side(b), NotLookedFor: notLookedFor(a, b), Untested: []string{}, Unpinned: []string{},
		New: []oracle.Finding{}, Wider: []oracle.Finding{}, Gone: []oracle.Finding{}, Unseen: []oracle.Finding{},
		Clauses: steps(a.Clauses, b.Clauses, func(c Clause) (string, string) { return c.Subject(), string(c.Status) }),
		Cases:   steps(a.Results, b.Results, func(c Case) (string, string) { return c.ID, string(c.Status) }),
		OpenPoints: steps(a.OpenPoints, b.OpenPoints, func(p OpenPoint) (string, string) {
			return p.ID, strings.Join(p.Observed, ", ")
		}),
	}
	for _, f := range b.Findings {
		before := a.finding(&f)
		if before == nil {
			d.New = append(d.New, f)
			continue
		}
		d.Remaining++
		old := append(before.Cases, before.Case)
		f.NewCases = slices.DeleteFunc(casesOf(&f), func(id string) bool { return slices.Contains(old, id) || !a.tested(id) })
		if f.Known == "" && len(f.NewCases) > 0 {
			d.Wider = append(d.Wider, f)
		}
	}
	for _, f := range a.Findings {
		switch {
		case b.finding(&f) != nil:
		case b.Whole() && all(casesOf(&f), b.tested):
			d.Gone = append(d.Gone, f)
		default:
			d.Unseen = append(d.Unseen, f)
		}
	}
	for _, c := range d.Clauses {
		if id, _, _ := strings.Cut(c.ID, " "); c.Before != "" && c.Before != string(NotTested) &&
			(c.After == "" || c.After == string(NotTested)) && !spec.HangsOnTiming(id) {
			d.Untested = append(d.Untested, c.ID)
		}
	}
	for _, changed := range d.OpenPoints {
		pins := slices.Concat(a.OpenPoints, b.OpenPoints)
		breaks := func(p OpenPoint) bool {
			return p.ID == changed.ID && p.Pinned != nil && !all(strings.Split(changed.After, ", "), func(choice string) bool {
				return spec.AsPinned(p.Pinned, spec.Choice(choice))
			})
		}
		if changed.After != "" && changed.ID != pageParameter && slices.ContainsFunc(pins, breaks) {
			d.Unpinned = append(d.Unpinned, changed.ID)
		}
	}
	return d
}

// finding is the one of the same cause as that of another run, nil for none.
func (r *Report) finding(other *oracle.Finding) *oracle.Finding {
	cause := func(f *oracle.Finding) string { return cmp.Or(f.CauseWords, f.Cause().String()) }
	for i := range r.Findings {
		if cause(&r.Findings[i]) == cause(other) {
			return &r.Findings[i]
		}
	}
	return nil
}

// casesOf returns the cases of a finding that count: of one that a baseline accepts but in some
// cases, those.
func casesOf(f *oracle.Finding) []string {
	for _, cases := range [][]string{f.NewCases, f.Cases} {
		if len(cases) > 0 {
			return slices.Clone(cases)
		}
	}
	return []string{f.Case}
}

// notLookedFor says in words what b left out that a looked for: that it shows nothing there
// means nothing.
func notLookedFor(a, b *Report) []string {
	texts, bases := []string{}, []string{}
	for _, basis := range spec.Bases() {
		if a.asksFor(basis) && !b.asksFor(basis) {
			bases = append(bases, string(basis))
		}
	}
	if len(bases) > 0 {
		texts = append(texts, "what is "+wording.List(bases)+" (--basis)")
	}
	left, why := 0, b.Stopped
	switch {
	case why != "":
	case b.Selection != nil:
		why = strings.Join(b.Selection.Filters, " and ")
	case b.Depth != a.Depth:
		why = "depth " + b.Depth
	}
	for _, c := range a.Results {
		at := slices.IndexFunc(b.Results, func(d Case) bool { return d.ID == c.ID })
		switch {
		case c.Status == judge.NotTested:
		case at < 0 && (b.Depth != a.Depth || !b.Whole()):
			left++
		case at >= 0 && b.Results[at].Status == judge.NotTested && b.Results[at].Cause != judge.ByTarget:
			left, why = left+1, cmp.Or(why, b.Results[at].Reason)
		}
	}
	if left > 0 {
		texts = append(texts, fmt.Sprintf("%s (%s)", wording.Count(left, "case"), cmp.Or(why, "not carried out")))
	}
	return texts
}

// asksFor says whether a breach of a basis fails the run.
func (r *Report) asksFor(b spec.Basis) bool {
	return slices.Contains(r.Bases, b) || len(r.Bases) == 0 && b != spec.Chosen
}

// steps are the values that differ, in the order of b, then those only in a.
func steps[T any](a, b []T, of func(T) (id, value string)) []Step {
	index := func(items []T) map[string]string {
		values := map[string]string{}
		for _, item := range items {
			id, value := of(item)
			values[id] = value
		}
		return values
	}
	before, after, all := index(a), index(b), []Step{}
	for _, item := range slices.Concat(b, a) {
		id, _ := of(item)
		if s := (Step{id, before[id], after[id]}); s.Before != s.After && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// outcome is what the difference comes to, as the exit code and in words: worse for a finding that
// is no notice, is in no baseline and was not there before, or not in a case that fails now; for an
// open point that is pinned and decided otherwise now; and for a clause that is not tested any more.
// Else nobody can say where b left out what a looked for.
func (d *Difference) outcome() (exitCode int, words string) {
	counts := func(f oracle.Finding) bool { return f.Severity != oracle.Notice && f.Known == "" }
	switch {
	case slices.ContainsFunc(slices.Concat(d.New, d.Wider), counts), len(d.Untested) > 0, len(d.Unpinned) > 0:
		return ExitNonconforming, "WORSE"
	case d.After.Cases == 0:
		return ExitInconclusive, "NOTHING COMPARED"
	case len(d.NotLookedFor) > 0:
		return ExitInconclusive, "CANNOT SAY"
	}
	return ExitConforming, "NOT WORSE"
}

// ExitCode is 1 where b is worse; else 3 where it left out what a looked for, or carried out no case.
func (d *Difference) ExitCode() int {
	code, _ := d.outcome()
	return code
}

// Sentence says in one line whether the second report is worse, and how many
// findings came and went.
func (d *Difference) Sentence() string {
	_, verdict := d.outcome()
	text := fmt.Sprintf("%s: %s, %d gone, %d remaining", verdict, wording.Count(len(d.New), "new finding"), len(d.Gone), d.Remaining)
	for _, more := range []struct {
		n    int
		what string
	}{
		{len(d.Wider), "of them in more cases"},
		{len(d.Unseen), "not looked for again"},
		{len(d.Untested), "clauses not tested any more"},
		{len(d.Unpinned), "open points no longer as pinned"},
	} {
		if more.n > 0 {
			text += fmt.Sprintf(", %d %s", more.n, more.what)
		}
	}
	if len(d.NotLookedFor) > 0 {
		text += "; the second run did not look for " + strings.Join(d.NotLookedFor, ", nor for ")
	}
	if d.After.Cases == 0 {
		text += "; the second run carried out no case"
	}
	return text
}

// maxDiffLines is how many lines of a section are shown.
const maxDiffLines = 20

// WriteText writes a difference for people.
func (d *Difference) WriteText(w io.Writer, s Style) error {
	const rest = ", --json has all"
	p := newScreen(s)
	colour := map[int]Verdict{ExitConforming: Conforming, ExitNonconforming: Nonconforming, ExitInconclusive: Inconclusive}
	p.say(0, verdicts[colour[d.ExitCode()]], "%s", d.Sentence())
	for i, side := range []Side{d.Before, d.After} {
		name := []string{"before", "after"}[i]
		p.say(0, Faint, "%-7s %s (%s): %s, depth %s, seed %d", name, side.Verdict, side.Reason, side.BaseURL, side.Depth, side.Seed)
	}
	for _, of := range []struct {
		title    string
		mark     Mark
		findings []oracle.Finding
	}{{"New findings", Bad, d.New}, {"In more cases", Bad, d.Wider}, {"Gone", Good, d.Gone}, {"Not looked for again", Plain, d.Unseen}} {
		section(p, of.title, of.findings, maxDiffLines, rest, func(f oracle.Finding) {
			known := strings.Replace(" (known: "+f.Known+")", " (known: )", "", 1)
			p.say(2, of.mark, "%s (%s) %s%s", f.Clause, f.Basis, Told(&f), known)
			if len(f.NewCases) > 0 {
				p.say(4, of.mark, "newly fails in %s: %s", wording.Count(len(f.NewCases), "case"), wording.Some(f.NewCases, maxNewCases))
			}
			p.curl(&f, f.Curl)
		})
	}
	for _, of := range []struct {
		title string
		steps []Step
	}{{"Clauses", d.Clauses}, {"Cases", d.Cases}, {"Open points", d.OpenPoints}} {
		section(p, of.title, of.steps, maxDiffLines, rest, func(s Step) {
			p.say(2, Plain, "%s: %s → %s", s.ID, cmp.Or(s.Before, "none"), cmp.Or(s.After, "none"))
		})
	}
	section(p, "Pinned otherwise", d.Unpinned, maxDiffLines, rest, func(id string) { p.say(2, Bad, "%s", id) })
	return p.write(w)
}
