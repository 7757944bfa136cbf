package report

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
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
		Before: side(a), After: side(b), NotLookedFor: notLookedFor(a, b), Unpinned: []string{},
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
		for s, fails := range after[cause(&f)] {
			if _, seen := known[s]; fails && !seen && a.tested(s.id) && !slices.Contains(f.NewCases, s.id) {
				f.NewCases = append(f.NewCases, s.id)
			}
		}
		if slices.Sort(f.NewCases); len(f.NewCases) > 0 {
			d.Wider = append(d.Wider, f)
		}
	}
	for _, f := range a.Findings {
		again := true
		for s := range before[cause(&f)] {
			again = again && b.tested(s.id)
		}
		switch {
		case after.of(&f, before) != nil:
		case again && b.Whole():
			d.Gone = append(d.Gone, f)
		default:
			d.Unseen = append(d.Unseen, f)
		}
	}
	named := clauseNames(a, b)
	d.Clauses = steps(a.Clauses, b.Clauses, func(c Clause) (string, string) { return named(c), string(c.Status) })
	d.Cases = steps(a.Results, b.Results, func(c Case) (string, string) { return c.ID, string(c.Status) })
	slices.SortStableFunc(d.Cases, func(x, y Step[string]) int { // what fails now first
		fails := func(s Step[string]) int { return strings.Count(s.After, string(judge.Failed)) }
		return fails(y) - fails(x)
	})
	d.OpenPoints = steps(a.OpenPoints, b.OpenPoints, func(p OpenPoint) (string, []string) { return p.ID, p.Observed })
	for _, p := range slices.Concat(a.OpenPoints, b.OpenPoints) {
		changed := slices.IndexFunc(d.OpenPoints, func(s Step[[]string]) bool { return s.ID == p.ID })
		if changed < 0 || p.Pinned == nil || p.ID == pageParameter || slices.Contains(d.Unpinned, p.ID) {
			continue
		}
		if !all(d.OpenPoints[changed].After, func(choice string) bool { return spec.AsPinned(p.Pinned, spec.Choice(choice)) }) {
			d.Unpinned = append(d.Unpinned, p.ID)
		}
	}
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

// of are the sights of another run's finding: those of the same cause, or where another version
// has other words for it, of one that was seen wherever that one was. It is nil for none.
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

// clauseNames names the clauses of two reports: with the operation, where one is about several.
func clauseNames(a, b *Report) func(Clause) string {
	operation, several := map[string]string{}, map[string]bool{}
	for _, c := range slices.Concat(a.Clauses, b.Clauses) {
		several[c.ID] = several[c.ID] || cmp.Or(operation[c.ID], c.Operation) != c.Operation
		operation[c.ID] = c.Operation
	}
	return func(c Clause) string {
		if !several[c.ID] {
			return c.ID
		}
		return c.Subject()
	}
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
		return texts
	case b.Stopped != "":
		why = b.Stopped
	case b.Selection != nil:
		why = strings.Join(b.Selection.Filters, " and ")
	case b.Depth != a.Depth:
		why = "depth " + b.Depth
	}
	return append(texts, fmt.Sprintf("%s (%s)", wording.Count(left, "case"), cmp.Or(why, "not carried out")))
}

// asksFor says whether a breach of a basis fails the run.
func (r *Report) asksFor(b spec.Basis) bool {
	return slices.Contains(r.Bases, b) || len(r.Bases) == 0 && b != spec.Chosen
}

// steps are the values that differ, in the order of b, then those only in a.
func steps[I, V any](a, b []I, of func(I) (string, V)) []Step[V] {
	before, seen, all := map[string]V{}, map[string]bool{}, []Step[V]{}
	for _, item := range a {
		id, v := of(item)
		before[id] = v
	}
	for _, item := range b {
		id, v := of(item)
		seen[id] = true
		if old, ok := before[id]; !ok || !reflect.DeepEqual(old, v) {
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

// Worse says whether b gives a reason to stop: a finding that is no notice, is in
// no baseline and was not there before, or not in a case that fails now; an open point
// that is pinned and decided otherwise now; or a clause that is not tested any more.
func (d *Difference) Worse() bool {
	counts := func(f oracle.Finding) bool { return f.Severity != oracle.Notice && f.Known == "" }
	return slices.ContainsFunc(d.New, counts) || slices.ContainsFunc(d.Wider, counts) || len(d.Untested()) > 0 || len(d.Unpinned) > 0
}

// Vague says whether b is not worse as far as it looked, but left out what a looked for.
func (d *Difference) Vague() bool { return len(d.NotLookedFor) > 0 && !d.Worse() }

// Empty says whether b carried out no case, so that it is neither worse than a nor not
// worse: where a had judged a clause, it is worse.
func (d *Difference) Empty() bool { return d.After.Cases == 0 && !d.Worse() }

// Untested are the clauses that were judged before and are not any more.
func (d *Difference) Untested() []string {
	var ids []string
	judged := func(status string) bool { return status == string(Held) || status == string(Broken) }
	for _, c := range d.Clauses {
		if id, _, _ := strings.Cut(c.ID, " "); judged(c.Before) && !judged(c.After) && !spec.HangsOnTiming(id) {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// Sentence says in one line whether the second report is worse, and how many
// findings came and went.
func (d *Difference) Sentence() string {
	left := "the second run did not look for " + strings.Join(d.NotLookedFor, ", nor for ")
	text, end := "NOT WORSE: ", ""
	switch {
	case d.Worse():
		text = "WORSE: "
		if len(d.NotLookedFor) > 0 {
			end = ", and " + left
		}
	case d.Empty():
		return "NOTHING COMPARED: the second run carried out no case"
	case d.Vague():
		text = "CANNOT SAY: " + left + "; of the rest: "
	}
	text += fmt.Sprintf("%s, %d gone, %d remaining", wording.Count(len(d.New), "new finding"), len(d.Gone), d.Remaining)
	if n := len(d.Wider); n > 0 {
		text += fmt.Sprintf(", %d of them in more cases", n)
	}
	if n := len(d.Unseen); n > 0 {
		text += fmt.Sprintf(", %d not looked for again", n)
	}
	if n := len(d.Untested()); n > 0 {
		text += fmt.Sprintf(", %s not tested any more", wording.Count(n, "clause"))
	}
	if n := len(d.Unpinned); n > 0 {
		text += fmt.Sprintf(", %s no longer as pinned", wording.Count(n, "open point"))
	}
	return text + end
}

// maxDiffLines is how many lines of a section are shown.
const maxDiffLines = 20

// WriteText writes a difference for people.
func (d *Difference) WriteText(w io.Writer, s Style) error {
	p := newScreen(s)
	style := colours[Conforming]
	if d.Worse() {
		style = colours[Nonconforming]
	}
	p.say(0, style, "%s", d.Sentence())
	p.say(0, plain, "%s (%s) → %s (%s)", d.Before.Verdict, d.Before.Reason, d.After.Verdict, d.After.Reason)
	for name, of := range [][2]any{{d.Before.BaseURL, d.After.BaseURL}, {d.Before.Depth, d.After.Depth}, {d.Before.Seed, d.After.Seed}} {
		if of[0] != of[1] {
			p.say(0, faint, "not alike: %s %v → %v", []string{"target", "depth", "seed"}[name], of[0], of[1])
		}
	}
	finding := func(style lipgloss.Style, f oracle.Finding) {
		text := fmt.Sprintf("%s (%s) %s", f.Clause, f.Basis, Told(&f))
		if f.Known != "" {
			text += fmt.Sprintf(" (known: %s)", f.Known)
		}
		p.say(2, style, "%s", text)
	}
	section(p, "New findings", d.New, maxDiffLines, ", --json has all", func(f oracle.Finding) {
		finding(red, f)
		p.curl(&f, f.Curl)
	})
	section(p, "In more cases", d.Wider, maxDiffLines, ", --json has all", func(f oracle.Finding) {
		finding(red, f)
		p.say(4, red, "newly fails in %s: %s", wording.Count(len(f.NewCases), "case"), wording.Some(f.NewCases, maxNewCases))
		p.curl(&f, f.Curl)
	})
	section(p, "Gone", d.Gone, maxDiffLines, ", --json has all", func(f oracle.Finding) { finding(green, f) })
	section(p, "Not looked for again", d.Unseen, maxDiffLines, ", --json has all", func(f oracle.Finding) { finding(plain, f) })
	step := func(s Step[string]) {
		p.say(2, plain, "%s: %s → %s", s.ID, cmp.Or(s.Before, "not planned"), cmp.Or(s.After, "not planned"))
	}
	section(p, "Clauses", d.Clauses, maxDiffLines, ", --json has all", step)
	section(p, "Cases", d.Cases, maxDiffLines, ", --json has all", step)
	section(p, "Open points", d.OpenPoints, maxDiffLines, ", --json has all", func(s Step[[]string]) {
		choices := func(observed []string) string { return cmp.Or(strings.Join(observed, ", "), "not observed") }
		p.say(2, plain, "%s: %s → %s", s.ID, choices(s.Before), choices(s.After))
		if slices.Contains(d.Unpinned, s.ID) {
			p.say(4, red, "it is pinned otherwise")
		}
	})
	return p.write(w)
}
