package render

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/report"
)

// maxParts limits the missing or wrong parts that are shown without Style.All, so that the output
// fits a screen of 24 lines.
const maxParts = 5

// PreflightSummary writes a preflight for a terminal: what is missing or wrong, most costly first, and what
// to write. With Style.All it shows every part, also those that are fine or cannot be checked.
func PreflightSummary(w io.Writer, r *report.Preflight, s Style) error {
	p := newScreen(s)
	p.say(0, exitMarks[r.ExitCode], "%s", preflightHeadline(r))
	p.say(0, Plain, "%s", targetWords(r.Target))
	p.say(0, Faint, "%s sent, which only read", wording.Count(r.Requests, "request"))
	if !r.Provisioned {
		p.disposables(r.Parts)
	}
	if len(r.Unseen) > 0 && !r.Provisioned {
		p.say(0, Plain, "%s", unseenLine(r.Unseen, s.All))
	}
	shown := maxParts
	if s.All {
		shown = len(r.Parts)
	}
	if r.ExitCode == report.ExitNonconforming || s.All { // notices alone do not keep a run from beginning
		section(p, "Findings and notices", r.Findings, shown, "; --json shows all", func(f report.Finding) {
			p.say(2, Breaks, "%s (%s) %s", f.Clause, f.Basis, f.Sentence())
			p.curl(&report.Finding{}, f.Curl)
		})
		p.define(r.Target)
	}
	title := "Missing or wrong in the target file, most costly first"
	if s.All {
		title = "The target file, most costly first"
	}
	section(p, title, mostCostlyFirst(r.Parts, s.All),
		shown, "; --verbose shows all", p.part)
	if !s.All {
		p.countOthers(r.Parts)
	}
	return p.write(w)
}

// disposables says how many disposable objects are left for a run, if the target file names any.
func (p *screen) disposables(parts []report.Part) {
	named := 0
	left := 0
	for _, part := range parts {
		isDisposable := strings.HasPrefix(part.Need, "objects.disposable") && strings.HasSuffix(part.Need, "]")
		if !isDisposable || part.Status == report.Missing {
			continue
		}
		named++
		if part.Status != report.Wrong {
			left++
		}
	}
	switch {
	case named == 0:
	case left == 0:
		p.say(0, Plain, "no disposable object is left: name others, or add provision")
	default:
		p.say(0, Plain, "%s left: a full run deletes them all; without provision the next run needs others",
			wording.Count(left, "disposable object"))
	}
}

// mostCostlyFirst returns the parts to show: all, or those that are missing or wrong.
func mostCostlyFirst(parts []report.Part, all bool) []report.Part {
	order := []report.PartStatus{
		report.Wrong, report.Differs, report.Missing, report.Unchecked, report.Fine,
	}
	cost := func(part report.Part) int {
		return cmp.Or(part.Cost, &report.Cost{}).Cases
	}
	parts = slices.SortedStableFunc(slices.Values(parts), func(a, b report.Part) int {
		return cmp.Or(cost(b)-cost(a),
			slices.Index(order, a.Status)-slices.Index(order, b.Status))
	})
	if !all {
		parts = slices.DeleteFunc(parts, func(part report.Part) bool {
			return part.Status == report.Fine || part.Status == report.Unchecked
		})
	}
	return withoutRepeatedObjects(parts)
}

// part shows a part of the target file, what it costs, and what to write.
func (p *screen) part(part report.Part) {
	clip := 2*(p.Width-2) - 1
	if p.All {
		clip = math.MaxInt
	}
	cost := cmp.Or(part.Cost, &report.Cost{})
	name := strings.TrimSpace(fmt.Sprintf("%s %s",
		strings.TrimPrefix(part.Need, "objects."), part.ID))
	state := strings.TrimSuffix(string(part.Status)+": "+part.Detail, ":"+notInFile)
	lost := Untested{Reason: name + ": " +
		state, Cases: cost.Cases, Clauses: cost.Clauses, Shows: part.NotShown}
	p.say(2, Plain, "%s", wording.ClipWords(lost.words(), clip))
	if part.Write != "" {
		section, _, _ := strings.Cut(part.Need, ".")
		p.say(4, Faint, "%s",
			wording.ClipWords("write under "+section+": "+part.Write, clip))
	}
}

// countOthers counts the parts that are not shown.
func (p *screen) countOthers(parts []report.Part) {
	count := map[report.PartStatus]int{}
	for _, part := range parts {
		count[part.Status]++
	}
	if count[report.Fine]+count[report.Unchecked] > 0 {
		p.say(0, Faint, "%s fine, %d cannot be checked by reading; --verbose shows all",
			wording.Count(count[report.Fine], "entry"), count[report.Unchecked])
	}
}

// unseenLine says which values a run may have to take from the target file: of two objects, or of all, with their
// fields.
func unseenLine(objects []string, all bool) string {
	objects = slices.Clone(objects)
	shown := len(objects)
	if !all {
		shown = 2
		for i := range objects {
			objects[i], _, _ = strings.Cut(objects[i], " (")
		}
	}
	return fmt.Sprintf("GET does not show the values of %s: where {} does not either, "+
		"a run restores what the target file says", wording.Some(objects, shown))
}

// withoutRepeatedObjects returns parts with one part for all missing values of an object.
func withoutRepeatedObjects(parts []report.Part) (all []report.Part) {
	first := map[string]int{} // index of the part for an object
	for _, part := range parts {
		object, field := valueOf(part.Need)
		i, repeated := first[object]
		if field == "" || part.Status != report.Missing {
			all = append(all, part)
		} else if !repeated {
			first[object] = len(all)
			if !part.MayBeShown {
				part.NotShown = "whether these values are right"
			}
			all = append(all, part)
		} else {
			all[i].Need += ", " + field
			all[i].Write = strings.TrimSuffix(all[i].Write, "}") + ", " +
				field + ": …}"
		}
	}
	return all
}

func isSurelyMissing(part report.Part) bool { return part.Status == report.Missing && !part.MayBeShown }

// preflightHeadline reports whether a run can begin, and what it would not test.
func preflightHeadline(r *report.Preflight) string {
	is := func(status report.PartStatus) bool {
		return slices.ContainsFunc(r.Parts,
			func(part report.Part) bool { return part.Status == status })
	}
	cases := wording.Count(r.Cost.Cases, "case")
	ready := "READY"
	if is(report.Unchecked) {
		ready += " as far as GET requests can tell"
	}
	switch {
	case r.ExitCode == report.ExitInterrupted:
		return "INTERRUPTED"
	case r.ExitCode == report.ExitNonconforming:
		return "BROKEN: an answer already broke the contract"
	case slices.ContainsFunc(r.Parts,
		func(part report.Part) bool { return part.Lost != nil }):
		return "INCOMPLETE: the target does not answer"
	case slices.ContainsFunc(r.Parts,
		func(part report.Part) bool { return part.EndsRun }):
		return "INCOMPLETE: a run would stop before it writes anything: correct what is wrong below"
	case r.Cost.Stated > 0:
		return fmt.Sprintf("INCOMPLETE: a run would not test %s and %s, so it would be inconclusive",
			cases, wording.Count(len(r.Cost.Clauses), "clause"))
	case r.ExitCode == report.ExitInconclusive:
		return "INCOMPLETE: the target file does not fit the target"
	case r.Cost.Cases > 0:
		return ready + ": " + cases + " would be skipped; every stated clause is still tested (result: partial)"
	case is(report.Missing) && !slices.ContainsFunc(r.Parts, isSurelyMissing):
		return ready + ": without the values below, a run may leave out cases and be partial"
	case is(report.Missing):
		return ready +
			". Every case would run, but the result would be partial: some values are missing from the target file"
	}
	return ready + ": the target file has everything that a run needs"
}
