package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

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
	Clauses      []Step[string]   `json:"clauses"`      // status by clause, and by operation where it is about several
	Cases        []Step[string]   `json:"cases"`        // status by case; empty where it was not planned
	OpenPoints   []Step[[]string] `json:"openPoints"`   // what was observed
	Unpinned     []string         `json:"unpinned"`     // those of the open points that either target file pins, and are not as pinned now
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

// Step is a value that is another one now.
type Step[T any] struct {
	ID     string `json:"id"`
	Before T      `json:"before"`
	After  T      `json:"after"`
}

// Compare says what changed from a to b. Findings are the same when they have the same cause.
func Compare(a, b *Report) *Difference {
	side := func(r *Report) Side {
		return Side{r.Verdict, r.Reason, r.Target.BaseURL, r.Depth, r.Seed, r.Cases.Run}
	}
	d := &Difference{
		Before: side(a), After: side(b), NotLookedFor: notLookedFor(a, b),
		New: []oracle.Finding{}, Wider: []oracle.Finding{}, Gone: []oracle.Finding{}, Unseen: []oracle.Finding{},
	}
	before, after := sightsOf(a), sightsOf(b)
	for _, f := range b.Findings {
		known := before.of(&f, after)
		if known == nil {
			d.New = append(d.New, f)
			continue
		}
		d.Remaining++
		f.NewCases = nil
		for sight, fails := range after[cause(&f)] {
			if _, seen := known[sight]; fails && !seen && a.tested(sight.id) && !slices.Contains(f.NewCases, sight.id) {
				f.NewCases = append(f.NewCases, sight.id)
			}
		}
		if slices.Sort(f.NewCases); len(f.NewCases) > 0 {
			d.Wider = append(d.Wider, f)
		}
	}
	for _, f := range a.Findings {
		var cases []string
		for sight := range before[cause(&f)] {
			cases = append(cases, sight.id)
		}
		switch {
		case after.of(&f, before) != nil:
		case b.Whole() && all(cases, b.tested):
			d.Gone = append(d.Gone, f)
		default:
			d.Unseen = append(d.Unseen, f)
		}
	}
	same := func(a, b string) bool { return a == b }
	named := clauseNames(a, b)
	d.Clauses = steps(a.Clauses, b.Clauses, func(c Clause) (string, string) { return named(c), string(c.Status) }, same)
	d.Cases = steps(a.Results, b.Results, func(c Case) (string, string) { return c.ID, string(c.Status) }, same)
	slices.SortStableFunc(d.Cases, func(x, y Step[string]) int { // what fails now first
		fails := func(s Step[string]) int { return map[bool]int{true: 1}[s.After == string(judge.Failed)] }
		return fails(y) - fails(x)
	})
	d.OpenPoints = steps(a.OpenPoints, b.OpenPoints, func(p OpenPoint) (string, []string) { return p.ID, p.Observed }, slices.Equal[[]string])
	d.Unpinned = unpinned(a, b, d.OpenPoints)
	return d
}

// sight is where a finding was seen: in a case, and at a place.
type sight struct {
	id string
	at oracle.Cause
}

// sights are those of each finding by its cause, with whether it counts there: what the baseline
// accepts in a case does not.
type sights map[string]map[sight]bool

func cause(f *oracle.Finding) string { return cmp.Or(f.CauseWords, f.Cause().String()) }

func sightsOf(r *Report) sights {
	all := sights{}
	for i := range r.Findings {
		all[cause(&r.Findings[i])] = map[sight]bool{}
	}
	add := func(f *oracle.Finding, id string) {
		if of := all[cause(f)]; of != nil {
			of[sight{id, f.Cause()}] = of[sight{id, f.Cause()}] || f.Known == ""
		}
	}
	for i := range r.Results {
		for j := range r.Results[i].Findings {
			add(&r.Results[i].Findings[j], r.Results[i].ID)
		}
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; len(all[cause(f)]) == 0 { // of no case, or beyond what the report lists
			add(f, f.Case)
		}
	}
	return all
}

// of are the sights of another run's finding: those of the same cause, or where the words for
// that are others, of one that was seen wherever that one was. It is nil for none.
func (s sights) of(f *oracle.Finding, other sights) map[sight]bool {
	if of := s[cause(f)]; of != nil {
		return of
	}
	for _, of := range s {
		within := true
		for at := range other[cause(f)] {
			_, seen := of[at]
			within = within && seen
		}
		if within {
			return of
		}
	}
	return nil
}

// notLookedFor says in words what b left out that a looked for: that it shows nothing there
// means nothing.
func notLookedFor(a, b *Report) []string {
	all := []string{}
	var bases []string
	for _, basis := range spec.Bases() {
		if a.asksFor(basis) && !b.asksFor(basis) {
			bases = append(bases, string(basis))
		}
	}
	if len(bases) > 0 {
		all = append(all, "what is "+wording.List(bases)+" (--basis)")
	}
	left, why := 0, ""
	for i := range a.Results {
		c := &a.Results[i]
		at := slices.IndexFunc(b.Results, func(d Case) bool { return d.ID == c.ID })
		switch {
		case c.Status == judge.NotTested:
		case at < 0 && (b.Selected || b.Depth != a.Depth || !b.Whole()):
			left++
		case at >= 0 && b.Results[at].Status == judge.NotTested && b.Results[at].Cause != judge.ByTarget:
			left, why = left+1, cmp.Or(why, b.Results[at].Reason)
		}
	}
	switch {
	case left == 0:
		return all
	case b.Stopped != "":
		why = b.Stopped
	case b.Selection != nil:
		why = strings.Join(b.Selection.Filters, " and ")
	case b.Depth != a.Depth:
		why = "depth " + b.Depth
	}
	return append(all, fmt.Sprintf("%s (%s)", wording.Count(left, "case"), cmp.Or(why, "not carried out")))
}

// asksFor says whether a breach of a basis fails the run.
func (r *Report) asksFor(b spec.Basis) bool {
	return slices.Contains(r.Bases, b) || len(r.Bases) == 0 && b != spec.Chosen
}

// unpinned are the open points that were decided otherwise than they are pinned, by the
// target file of one of the runs.
func unpinned(a, b *Report, steps []Step[[]string]) []string {
	ids := []string{}
	for _, s := range steps {
		for _, p := range slices.Concat(a.OpenPoints, b.OpenPoints) {
			asPinned := func(choice string) bool { return spec.AsPinned(p.Pinned, spec.Choice(choice)) }
			if p.ID == s.ID && p.Pinned != nil && p.ID != pageParameter && !all(s.After, asPinned) && !slices.Contains(ids, p.ID) {
				ids = append(ids, p.ID)
			}
		}
	}
	return ids
}

// pageParameter is the open point of which a pin only informs.
const pageParameter = "page-parameter"

func all[T any](of []T, is func(T) bool) bool {
	return !slices.ContainsFunc(of, func(v T) bool { return !is(v) })
}

// Worse says whether b gives a reason to stop: a finding that is no notice, is in
// no baseline and was not there before, or not in a case that fails now; an open point
// that is pinned and decided otherwise now; or a clause that is not tested any more.
func (d *Difference) Worse() bool {
	isFresh := func(f oracle.Finding) bool { return f.Severity != oracle.Notice && f.Known == "" }
	return slices.ContainsFunc(d.New, isFresh) || slices.ContainsFunc(d.Wider, isFresh) || len(d.Untested()) > 0 || len(d.Unpinned) > 0
}

// Vague says whether b is not worse as far as it looked, but left out what a looked for.
func (d *Difference) Vague() bool { return len(d.NotLookedFor) > 0 && !d.Worse() }

// Empty says whether b carried out no case, so that it is neither worse than a nor not
// worse: where a had judged a clause, it is worse.
func (d *Difference) Empty() bool { return d.After.Cases == 0 && !d.Worse() }

// Untested are the clauses that were judged before and are not any more.
func (d *Difference) Untested() []string {
	var ids []string
	for _, c := range d.Clauses {
		if id, _, _ := strings.Cut(c.ID, " "); spec.HangsOnTiming(id) {
			continue
		}
		if c.Before != "" && c.Before != string(NotTested) && c.After != string(Held) && c.After != string(Broken) {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// steps are the values that differ, in the order of b, then those only in a.
func steps[I, V any](a, b []I, of func(I) (string, V), same func(V, V) bool) []Step[V] {
	before, seen, all := map[string]V{}, map[string]bool{}, []Step[V]{}
	for _, item := range a {
		id, v := of(item)
		before[id] = v
	}
	for _, item := range b {
		id, v := of(item)
		seen[id] = true
		if old, ok := before[id]; !ok || !same(old, v) {
			all = append(all, Step[V]{id, old, v})
		}
	}
	for _, item := range a {
		if id, v := of(item); !seen[id] {
			all = append(all, Step[V]{ID: id, Before: v})
		}
	}
	return all
}

// Sentence says in one line whether the second report is worse, and how many
// findings came and went.
func (d *Difference) Sentence() string {
	word, left := "NOT WORSE", ""
	if len(d.NotLookedFor) > 0 {
		left = "the second run did not look for " + strings.Join(d.NotLookedFor, ", nor for ")
	}
	switch {
	case d.Worse():
		word = "WORSE"
	case d.Empty():
		return "NOTHING COMPARED: the second run carried out no case"
	case left != "":
		word, left = "CANNOT SAY: "+left+"; of the rest", ""
	}
	parts := []string{wording.Count(len(d.New), "new finding"), fmt.Sprintf("%d gone", len(d.Gone)), fmt.Sprintf("%d remaining", d.Remaining)}
	for _, of := range []struct {
		n    int
		text string
	}{
		{len(d.Wider), fmt.Sprintf("%d of them in more cases", len(d.Wider))},
		{len(d.Unseen), fmt.Sprintf("%d not looked for again", len(d.Unseen))},
		{len(d.Untested()), wording.Count(len(d.Untested()), "clause") + " not tested any more"},
		{len(d.Unpinned), wording.Count(len(d.Unpinned), "open point") + " no longer as pinned"},
	} {
		if of.n > 0 {
			parts = append(parts, of.text)
		}
	}
	if left != "" {
		parts = append(parts, "and "+left)
	}
	return word + ": " + strings.Join(parts, ", ")
}

// maxDiffLines is how many lines of a section are shown.
const maxDiffLines = 20

// inDiff shows a section of a difference, if there is anything in it.
func inDiff[T any](p *screen, title string, items []T, show func(T)) {
	if len(items) > 0 {
		p.title("%s", title)
		first(p, items, maxDiffLines, ", --json has all", show)
	}
}

// WriteText writes a difference for people.
func (d *Difference) WriteText(w io.Writer, s Style) error {
	p := newScreen(s)
	style := colours[Conforming]
	if d.Worse() {
		style = colours[Nonconforming]
	}
	p.say(0, style, "%s", d.Sentence())
	p.say(0, plain, "%s (%s) → %s (%s)", d.Before.Verdict, d.Before.Reason, d.After.Verdict, d.After.Reason)
	for _, c := range [][3]string{
		{"target", d.Before.BaseURL, d.After.BaseURL},
		{"depth", d.Before.Depth, d.After.Depth},
		{"seed", fmt.Sprint(d.Before.Seed), fmt.Sprint(d.After.Seed)},
	} {
		if c[1] != c[2] {
			p.say(0, faint, "not alike: %s %s → %s", c[0], c[1], c[2])
		}
	}
	findings := func(title string, style lipgloss.Style, found []oracle.Finding, wider, curl bool) {
		inDiff(p, title, found, func(f oracle.Finding) {
			text := fmt.Sprintf("%s (%s) %s", f.Clause, f.Basis, Told(&f))
			if wider {
				fails := map[bool]string{true: "case newly fails", false: "cases newly fail"}[len(f.NewCases) == 1]
				text += fmt.Sprintf("; %d %s: %s", len(f.NewCases), fails, wording.Some(f.NewCases, maxNewCases))
			}
			if f.Known != "" {
				text += fmt.Sprintf(" (known: %s)", f.Known)
			}
			p.say(2, style, "%s", text)
			if curl {
				p.curl(&f, f.Curl)
			}
		})
	}
	findings("New findings", red, d.New, false, true)
	findings("In more cases", red, d.Wider, true, true)
	findings("Gone", green, d.Gone, false, false)
	findings("Not looked for again", plain, d.Unseen, false, false)
	step := func(s Step[string]) {
		p.say(2, plain, "%s: %s → %s", s.ID, cmp.Or(s.Before, "not planned"), cmp.Or(s.After, "not planned"))
	}
	inDiff(p, "Clauses", d.Clauses, step)
	inDiff(p, "Cases", d.Cases, step)
	inDiff(p, "Open points", d.OpenPoints, func(s Step[[]string]) {
		choices := func(observed []string) string { return cmp.Or(strings.Join(observed, ", "), "not observed") }
		style, text := plain, fmt.Sprintf("%s: %s → %s", s.ID, choices(s.Before), choices(s.After))
		if slices.Contains(d.Unpinned, s.ID) {
			style, text = red, text+" (pinned otherwise)"
		}
		p.say(2, style, "%s", text)
	})
	return p.write(w)
}
