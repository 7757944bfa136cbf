package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/doctor"
	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/wording"
)

// PreflightSchema names the JSON format of a preflight.
const PreflightSchema = "adconform/preflight/v2"

// Preflight says which of the things that a run needs a target provides.
type Preflight struct {
	Schema      string        `json:"schema"`
	ExitCode    int           `json:"exitCode"`
	Target      Target        `json:"target"`
	Requests    int           `json:"requests"`
	Parts       []doctor.Part `json:"parts"`
	Cost        doctor.Cost   `json:"cost"` // of everything that is missing or wrong together
	Findings    []finding.Row `json:"findings"`
	Provisioned bool          `json:"provisioned"` // a run restores the objects
	Unseen      []string      `json:"unseen"`      // objects that a run may restore to what the target file says without having seen them
}

// maxParts limits the missing or wrong parts that are shown without Style.All, so that the output
// fits a screen of 24 lines.
const maxParts = 5

// PreflightSummary writes a preflight for a terminal: what is missing or wrong, most costly first, and what
// to write. With Style.All it shows every part, also those that are fine or cannot be checked.
func PreflightSummary(w io.Writer, r *Preflight, s Style) error {
	p := newScreen(s)
	p.say(0, exitMarks[r.ExitCode], "%s", r.headline())
	p.say(0, Plain, "%s", r.Target.words())
	p.say(0, Faint, "%s sent, which only read", wording.Count(r.Requests, "request"))
	disposable, left, count := 0, 0, map[doctor.Status]int{}
	for _, part := range r.Parts {
		count[part.Status]++
		if strings.HasPrefix(part.Need, "objects.disposable") && strings.HasSuffix(part.Need, "]") && part.Status != doctor.Missing {
			disposable++
			if part.Status != doctor.Wrong {
				left++
			}
		}
	}
	switch {
	case r.Provisioned || disposable == 0:
	case left == 0:
		p.say(0, Plain, "no disposable object is left: name others, or add provision")
	default:
		p.say(0, Plain, "%s left: a full run deletes them all; without provision the next run needs others",
			wording.Count(left, "disposable object"))
	}
	if len(r.Unseen) > 0 && !r.Provisioned {
		p.say(0, Plain, "%s", r.unseenLine(s.All))
	}
	shown, clip := maxParts, 2*(p.Width-2)-1
	if s.All {
		shown, clip = len(r.Parts), math.MaxInt
	}
	if r.ExitCode == ExitNonconforming || s.All { // notices alone do not keep a run from beginning
		section(p, "Findings and notices", r.Findings, shown, "; --json shows all", func(f finding.Row) {
			p.say(2, Breaks, "%s (%s) %s", f.Clause, f.Basis, f.Sentence())
			p.curl(&finding.Row{}, f.Curl)
		})
		p.define(r.Target)
	}
	order := []doctor.Status{doctor.Wrong, doctor.Differs, doctor.Missing, doctor.Unchecked, doctor.Fine}
	cost := func(part doctor.Part) int { return cmp.Or(part.Cost, &doctor.Cost{}).Cases }
	parts := slices.SortedStableFunc(slices.Values(r.Parts), func(a, b doctor.Part) int {
		return cmp.Or(cost(b)-cost(a), slices.Index(order, a.Status)-slices.Index(order, b.Status))
	})
	if !s.All {
		parts = slices.DeleteFunc(parts, func(part doctor.Part) bool {
			return part.Status == doctor.Fine || part.Status == doctor.Unchecked
		})
	}
	parts = withoutRepeatedObjects(parts)
	title := "Missing or wrong in the target file, most costly first"
	if s.All {
		title = "The target file, most costly first"
	}
	section(p, title, parts, shown, "; --verbose shows all", func(part doctor.Part) {
		cost := cmp.Or(part.Cost, &doctor.Cost{})
		name := strings.TrimSpace(fmt.Sprintf("%s %s", strings.TrimPrefix(part.Need, "objects."), part.ID))
		state := strings.TrimSuffix(string(part.Status)+": "+part.Detail, ":"+notInFile)
		lost := Untested{Reason: name + ": " + state, Cases: cost.Cases, Clauses: cost.Clauses, Shows: part.NotShown}
		p.say(2, Plain, "%s", wording.ClipWords(lost.words(), clip))
		if part.Write != "" {
			section, _, _ := strings.Cut(part.Need, ".")
			p.say(4, Faint, "%s", wording.ClipWords("write under "+section+": "+part.Write, clip))
		}
	})
	if !s.All && count[doctor.Fine]+count[doctor.Unchecked] > 0 {
		p.say(0, Faint, "%s fine, %d cannot be checked by reading; --verbose shows all",
			wording.Count(count[doctor.Fine], "entry"), count[doctor.Unchecked])
	}
	return p.write(w)
}

// unseenLine says which values a run may have to take from the target file: of two objects, or of all, with their fields.
func (r *Preflight) unseenLine(all bool) string {
	objects := slices.Clone(r.Unseen)
	shown := len(objects)
	if !all {
		shown = 2
		for i := range objects {
			objects[i], _, _ = strings.Cut(objects[i], " (")
		}
	}
	return fmt.Sprintf("GET does not show the values of %s: where {} does not either, a run restores what the target file says",
		wording.Some(objects, shown))
}

// withoutRepeatedObjects returns parts with one part for all missing values of an object.
func withoutRepeatedObjects(parts []doctor.Part) (all []doctor.Part) {
	first := map[string]int{} // index of the part for an object
	for _, part := range parts {
		object, field := valueOf(part.Need)
		i, repeated := first[object]
		if field == "" || part.Status != doctor.Missing {
			all = append(all, part)
		} else if !repeated {
			first[object] = len(all)
			if !part.MayBeShown {
				part.NotShown = "whether these values are right"
			}
			all = append(all, part)
		} else {
			all[i].Need += ", " + field
			all[i].Write = strings.TrimSuffix(all[i].Write, "}") + ", " + field + ": …}"
		}
	}
	return all
}

func isSurelyMissing(part doctor.Part) bool { return part.Status == doctor.Missing && !part.MayBeShown }

// headline reports whether a run can begin, and what it would not test.
func (r *Preflight) headline() string {
	is := func(status doctor.Status) bool {
		return slices.ContainsFunc(r.Parts, func(part doctor.Part) bool { return part.Status == status })
	}
	cases, ready := wording.Count(r.Cost.Cases, "case"), "READY"
	if is(doctor.Unchecked) {
		ready += " as far as GET requests can tell"
	}
	switch {
	case r.ExitCode == ExitInterrupted:
		return "INTERRUPTED"
	case r.ExitCode == ExitNonconforming:
		return "BROKEN: an answer already broke the contract"
	case slices.ContainsFunc(r.Parts, func(part doctor.Part) bool { return part.Lost != nil }):
		return "INCOMPLETE: the target does not answer"
	case r.Cost.Stated > 0:
		return fmt.Sprintf("INCOMPLETE: a run would not test %s and %s, so it would be inconclusive",
			cases, wording.Count(len(r.Cost.Clauses), "clause"))
	case r.ExitCode == ExitInconclusive:
		return "INCOMPLETE: the target file does not fit the target"
	case r.Cost.Cases > 0:
		return ready + ": " + cases + " would be skipped; every stated clause is still tested (result: partial)"
	case is(doctor.Missing) && !slices.ContainsFunc(r.Parts, isSurelyMissing):
		return ready + ": without the values below, a run may leave out cases and be partial"
	case is(doctor.Missing):
		return ready + ". Every case would run, but the result would be partial: some values are missing from the target file"
	}
	return ready + ": the target file has everything that a run needs"
}
