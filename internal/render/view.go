package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/report"
)

// View is what every format of a report shows. It is made once, so that all formats agree.
type View struct {
	*report.Report `json:"-"` // with at most maxFindings findings per case, and with empty lists instead of nil
	Headline       string     `json:"-"`        // at most two lines of a terminal
	Why            string     `json:"-"`        // the reason of the verdict if the headline has only its beginning
	Notes          []string   `json:"notes"`    // below the headline: how much was tested, and how long the run waited
	Warnings       []string   `json:"warnings"` // what a reader must know first
	Next           string     `json:"next"`     // what to do next; DIR is the folder of the report
	// Failing holds the findings that the headline counts, worst first; the others are in one of
	// the next three lists: accepted by the baseline, of a basis that does not count, or notices.
	Failing, Accepted, Ignored, Notices []*report.Finding `json:"-"`

	Totals   []report.Clause `json:"totals"`   // each clause once
	Untested []Untested      `json:"untested"` // first what the operator could provide, then what hides most
	Left     []report.Change `json:"left"`     // objects that were changed and not, or not completely, restored
	Pins     string          `json:"pins"`     // what was seen at open points, as YAML for the target file

	titles map[string]string // of the findings, by id
}

// Untested is what one reason kept from being tested.
type Untested struct {
	Reason  string       `json:"reason"`
	Cause   report.Cause `json:"cause"`
	Cases   int          `json:"cases"`
	Clauses []string     `json:"clauses"`
	Need    string       `json:"need"`  // key that the target file lacks
	Shows   string       `json:"shows"` // what a run shows with it
}

// maxFindings limits the findings of one case in a file. A list with a fault in every item
// has thousands; Report.Findings counts them all.
const maxFindings = 50

// NewView returns the view of a report without changing the report.
func NewView(r *report.Report) *View {
	b := *r
	b.Findings = slices.Clone(r.Findings)
	b.Results = slices.Clone(r.Results)
	for i := range b.Results {
		c := &b.Results[i]
		c.Findings = c.Findings[:min(len(c.Findings), maxFindings)]
	}
	v := &View{
		Report: &b, Totals: Totals(r), Left: []report.Change{},
		Pins: PinBlock(r), titles: map[string]string{},
	}
	v.Untested = v.untested()
	for i := range b.Findings {
		f := &b.Findings[i]
		of := &v.Notices
		f.Title = f.Headline()
		v.titles[f.ID] = f.Title
		switch {
		case f.Fails:
			of = &v.Failing
		case f.Known != "":
			of = &v.Accepted
		case f.Ignored != "":
			of = &v.Ignored
		}
		*of = append(*of, f)
	}
	for _, c := range b.Changes {
		if c.Change != "deleted" && (!c.Restored || c.Reason != "") { // disposables are meant to be deleted
			v.Left = append(v.Left, c)
		}
	}
	v.Notes = v.notes()
	v.Headline = v.short(v.headline)
	if isLong(v.Headline) {
		v.Headline = v.short(v.outcome)
		v.Notes = append([]string{"tested: " + wording.Printable(targetWords(v.Target))}, v.Notes...)
	}
	v.Warnings = v.warnings()
	v.Next = v.next()
	return v
}

// untested groups what was not tested by reason: first what the operator can change, then by the
// number of cases.
func (v *View) untested() []Untested {
	all := []Untested{}
	of := func(reason string, cause report.Cause) *Untested {
		i := slices.IndexFunc(all,
			func(u Untested) bool { return u.Reason == reason && u.Cause == cause })
		if i < 0 {
			i = len(all)
			all = append(all,
				Untested{Reason: reason, Cause: cause, Clauses: []string{}})
		}
		return &all[i]
	}
	for _, c := range v.Results {
		if c.Status == report.NotTested {
			of(c.Reason, c.Cause).Cases++
		}
	}
	for _, c := range v.Totals {
		if c.Status == report.NotTested {
			u := of(c.Reason, c.Cause)
			u.Clauses = append(u.Clauses, c.ID)
		}
	}
	for _, g := range v.NotShown {
		if g.Need == "" {
			continue
		}
		object, field := valueOf(g.Need)
		if field == "" {
			u := of(g.Need+notInFile, report.ByOperator)
			u.Need = g.Need
			u.Shows = g.Text
			continue
		}
		u := of("values of "+object+notInFile, report.ByOperator) // without them cases judge less
		u.Need = cmp.Or(u.Need, g.Need)
		u.Shows = strings.TrimPrefix(u.Shows+", "+field, ", ")
	}
	slices.SortStableFunc(all, func(a, b Untested) int {
		return cmp.Or(cmp.Compare(a.Cause, b.Cause),
			b.Cases-a.Cases)
	})
	return all
}

// valueOf splits a need for a value of a single object, such as objects.campaign.name; field is "" for another need.
func valueOf(need string) (object, field string) {
	words := strings.Split(need, ".")
	if len(words) != 3 || words[0] != "objects" || strings.Contains(need, "[") || words[2] == "mediaFiles" {
		return need, ""
	}
	return words[0] + "." + words[1], words[2]
}

// notInFile ends the reason of a case that is not tested because the target file lacks a key.
const notInFile = " is not in the target file"

// words returns a line of text: "without credentials.stranger (what another user may not do): 33 cases, clause AUTH-2".
func (u *Untested) words() string {
	text := u.Reason
	if need, ok := strings.CutSuffix(text, notInFile); ok {
		text = "without " + need
	}
	text = wording.ClipWords(strings.TrimSuffix(text+" ("+u.Shows+")", " ()"),
		320)
	return wording.Printable(strings.TrimSuffix(text+": "+u.costs(), ": "))
}

// costs returns the cases and clauses: "33 cases, clause AUTH-2".
func (u *Untested) costs() string {
	var lost []string
	if u.Cases > 0 {
		lost = append(lost, wording.Count(u.Cases, "case"))
	}
	if n := len(u.Clauses); n > 0 {
		lost = append(lost,
			wording.Noun(n, "clause")+" "+wording.Some(u.Clauses, maxShown))
	}
	return strings.Join(lost, ", ")
}

// VerdictLine returns the verdict of a report and its reason, in one line of any length.
func VerdictLine(r *report.Report) string { return NewView(r).headline(r.Reason) }

// beginning returns what fits of a reason: up to a colon or semicolon, if that leaves enough of it, or else with an
// ellipsis.
func beginning(reason string, room int) string {
	text := wording.ClipWords(reason, room)
	if end := max(strings.LastIndex(text, ": "), strings.LastIndex(text, "; ")); end > leastReason {
		return text[:end]
	}
	return text
}

// leastReason is how many characters of a reason the headline has even if it is too long.
const leastReason = 24

// isLong reports whether a headline takes more than two lines of a terminal.
func isLong(headline string) bool { return len(Wrap(headline, defaultWidth)) > 2 }

// short returns a headline with as much of the reason as fits into two lines of a terminal, and at least its beginning.
// Why is then the whole reason.
func (v *View) short(headline func(reason string) string) string {
	v.Why = ""
	text := headline(v.Reason)
	for room := len(v.Reason); isLong(text) && room > leastReason; room-- {
		text = headline(beginning(v.Reason, room))
		v.Why = v.Reason
	}
	return text
}

// headline returns the outcome and what was tested: "NONCONFORMING: 2 findings; tested: Acme at https://…"
func (v *View) headline(reason string) string {
	return v.outcome(reason) + wording.Printable("; tested: "+targetWords(v.Target))
}

// outcome returns the verdict, its scope and a reason.
func (v *View) outcome(reason string) string {
	return wording.Printable(strings.ToUpper(v.VerdictWords()) + v.scope() + ": " + reason)
}

// targetWords returns the name and URL of a target, and the overlays: "Acme staging at https://staging.acme.test/v2
// with dialect.yaml".
func targetWords(t report.Target) string {
	text := cmp.Or(t.Name, "the target") + " at " + t.BaseURL
	return strings.TrimSuffix(text+" with "+wording.List(t.Overlays()), " with ")
}

// VerdictWords returns the verdict in words that agree with the exit code. A target that was only
// observed is not called conforming.
func (v *View) VerdictWords() string {
	has := func(is func(f report.Finding) bool) bool {
		return slices.ContainsFunc(v.Findings, is)
	}
	excuse := "not counted"
	if has(func(f report.Finding) bool { return f.Known != "" && f.Ignored == "" }) {
		excuse = "accepted"
	}
	switch {
	case has(func(f report.Finding) bool { return f.Fails }):
	case v.ExitCode == report.ExitNonconforming && v.Baseline != nil:
		return "baseline out of date"
	case v.Verdict == report.Nonconforming && v.ExitCode == report.ExitConforming:
		return "nonconforming, " + excuse
	case v.Verdict == report.Nonconforming && v.ExitCode == report.ExitInconclusive:
		return "nonconforming, " + excuse + ", but inconclusive"
	case v.Verdict == report.Conforming && v.Level == report.Observed:
		return "nothing wrong seen"
	}
	return string(v.Verdict)
}

// mark returns the mark of the run: green would contradict another exit code than 0, and red that of accepted findings.
func (v *View) mark() Mark {
	if v.ExitCode == report.ExitConforming && v.Verdict != report.Conforming {
		return Unsure
	}
	return exitMarks[v.ExitCode]
}

// Words returns verdict and level: "conforming (partial, 355 of 371 cases)".
func (v *View) Words() string { return v.VerdictWords() + v.scope() }

// scope returns how much a verdict covers, to follow the verdict; "" if that is obvious.
func (v *View) scope() string {
	parts := []string{string(v.Level)}
	all := v.Cases.Planned
	run := all // except those that did not run for reasons other than the target's choices
	for _, u := range v.Untested {
		if u.Cause != report.ByTarget {
			run -= u.Cases
		}
	}
	if v.Selection != nil {
		all = v.Selection.Of
	} else if v.Level == report.Complete && v.Verdict != report.Conforming {
		return ""
	}
	if v.Level == report.Observed {
		return strings.TrimSuffix(" ("+Counted(v.Report)+")", " ()")
	}
	if run < all {
		parts = append(parts, fmt.Sprintf("%d of %s", run, wording.Count(all, "case")))
	}
	if v.Depth != report.Standard.String() {
		parts = append(parts, "depth "+v.Depth)
	}
	if counted := Counted(v.Report); counted != "" {
		parts = append(parts, counted)
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// undecided says how many cases of a pass the target's own choices hide, and the main reason; "" if there are none.
func (v *View) undecided() string {
	n := 0
	reasons := []string{}
	for _, u := range v.Untested {
		if u.Cause == report.ByTarget && u.Cases > 0 {
			n += u.Cases
			reasons = append(reasons, wording.ClipWords(u.Reason, 120))
		}
	}
	if n == 0 || v.Verdict != report.Conforming || v.Level == report.Observed {
		return ""
	}
	planned := wording.Count(v.Cases.Planned, "case")
	return fmt.Sprintf("%d of %s could not decide anything: %s", n, planned, wording.Some(reasons, 1))
}

// notes returns lines on how much was tested, and how long the run waited. A recording has neither depth nor seed.
func (v *View) notes() []string {
	c := v.Cases
	notes := []string{
		fmt.Sprintf("%s: %d passed, %d failed, %d not tested", wording.Count(c.Planned, "case"), c.Passed,
			c.Failed, c.NotTested),
		v.clauseCounts(),
		fmt.Sprintf("%s in %.1f s (depth %s, seed %d)", wording.Count(v.Requests, "request"), v.DurationSeconds,
			v.Depth, v.Seed),
	}
	if v.Recording != nil {
		notes = []string{v.Recording.String(), notes[1]}
	}
	if text := v.undecided(); text != "" {
		notes = slices.Insert(notes, 1, text)
	}
	if v.WaitedSeconds > 0 {
		notes = append(notes,
			fmt.Sprintf("waited %.1f s for the target: %s 429, %s busy or away (502 to 504, or no connection)",
				v.WaitedSeconds, wording.Count(v.RateLimited, "answer"),
				wording.Count(v.Unavailable, "time")))
	}
	if unseen := v.unseen(); len(unseen) > 0 {
		objects := strings.Join(unseen, ", ")
		notes = append(notes, "set to what the target file says, as no answer showed the values before: "+objects)
	}
	return notes
}

// unseen lists the objects that were restored to values that the target file gives and no answer has shown.
func (v *View) unseen() (objects []string) {
	for _, c := range v.Changes {
		if len(c.Unseen) > 0 {
			objects = append(objects, fmt.Sprintf("%s %s (%s)", c.Object, c.ID,
				strings.Join(c.Unseen, ", ")))
		}
	}
	return objects
}

// clauseCounts counts the clauses in words that fit the verdict: notices alone fail no run, and clauses that
// the target's own choices hide do not make it partial.
func (v *View) clauseCounts() string {
	words := []string{"held", "broken", "with notices only", "not tested", "not shown"}
	violations := slices.Concat(v.Failing, v.Accepted, v.Ignored)
	count := map[string]int{}
	for _, c := range v.Totals {
		word := string(c.Status)
		cites := func(f *report.Finding) bool {
			return slices.Contains(f.Clauses, c.ID)
		}
		switch {
		case c.Status == report.Broken && !slices.ContainsFunc(violations, cites):
			word = words[2]
		case c.Status == report.NotTested && c.Cause == report.ByTarget:
			word = words[4]
		case c.Status == report.NotTested:
			word = words[3]
		}
		count[word]++
	}
	var texts []string
	for i, word := range words {
		if n := count[word]; n > 0 || i < 2 {
			texts = append(texts, fmt.Sprintf("%d %s", n, word))
		}
	}
	return wording.Count(len(v.Totals), "clause") + ": " +
		strings.Join(texts, ", ")
}

// Insecure warns in every report of a run with --insecure.
const Insecure = "INSECURE: certificates are not verified (--insecure), so another server may have answered"

// warnings returns what a reader must know first.
func (v *View) warnings() []string {
	texts := []string{}
	if v.Insecure {
		texts = append(texts, Insecure)
	}
	texts = append(texts, v.Defects...)
	for _, mistake := range v.Mistakes {
		if !strings.Contains(v.Reason, mistake) {
			texts = append(texts, mistake)
		}
	}
	if b := v.Baseline; b != nil {
		for _, finding := range b.Stale {
			texts = append(texts, fmt.Sprintf("%s: gone: %s", b.File, finding))
		}
	}
	return texts
}

// replay returns the command that sends the failed cases again; DIR is the folder of the report.
func (v *View) replay() string { return "adconform replay DIR" + v.Flags.Replay }

// next returns what to do next; "" if there is nothing to do.
func (v *View) next() string {
	hasStopped := v.Stopped != "" || v.Interrupted
	switch {
	case v.Recording != nil:
		return ""
	case len(v.Failing) > 1:
		return "fix the first finding (the most severe), then run " + v.replay()
	case len(v.Failing) > 0:
		return "fix the finding, then run " + v.replay()
	case v.Baseline != nil && len(v.Baseline.Stale) > 0:
		return "adconform baseline " + wording.Quote(v.Baseline.File) +
			" DIR removes the entries of findings that are gone"
	case hasStopped && v.Cases.Run > 0:
		return "correct what stopped the run, and run it to its end: this verdict covers only what was tested before"
	}
	if text := v.toTestMore(); text != "" || v.Verdict != report.Conforming {
		return text
	}
	if v.Target.Given == "" {
		return "adconform run URL tests your server"
	}
	target := wording.Quote(v.Target.Given)
	next := "keep it that way in CI: adconform run " + target + v.Flags.Run + " --require " + string(v.Level)
	isUsedUp := func(c report.Change) bool { return c.Change == "deleted" && !c.Restored }
	if slices.ContainsFunc(v.Changes, isUsedUp) {
		next += "; its disposable creatives are used up, so name others first, or add provision"
	}
	return next
}

// toTestMore says what to do so that the next run tests more; "" if there is nothing.
func (v *View) toTestMore() string {
	given := v.Target.Given
	target := wording.Quote(v.Target.Given)
	missing := slices.IndexFunc(v.Untested,
		func(u Untested) bool { return u.Need != "" })
	isMistaken := v.Cases.Run == 0 || len(v.Mistakes) > 0
	switch {
	case v.Verdict == report.Inconclusive && isMistaken && given != "":
		return "correct this, and run again; adconform doctor " + target + v.Flags.Doctor +
			" checks by reading only"
	case v.Selection != nil:
		return fmt.Sprintf("a run without these filters tests all %s", wording.Count(v.Selection.Of, "case"))
	case Counted(v.Report) != "":
		return "a run without --basis counts all violations"
	case strings.Contains(given, "://"):
		return "adconform init --from " + target + v.Flags.Init +
			" writes target.yaml, which names the objects that other " +
			"cases need; adconform doctor target.yaml" + v.Flags.Doctor + " shows what is still missing"
	case missing >= 0 && given != "":
		return fmt.Sprintf("give %s in %s; adconform doctor %[2]s%s lists everything that is missing",
			v.Untested[missing].Need, target, v.Flags.Doctor)
	}
	return ""
}

// NotShownLine names everything that was not shown once; it is "" if there is nothing.
func NotShownLine(gaps []report.Gap) string {
	var texts []string
	for _, g := range gaps {
		text := g.Text
		if g.Need == "" && g.Cases > 0 {
			text = fmt.Sprintf("%s (%s)", wording.Count(g.Cases, "case"), text)
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return strings.TrimSuffix("not shown: "+wording.Some(texts, 4), "not shown: ")
}
