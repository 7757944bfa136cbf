package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/doctor"
	"github.com/adconform/adconform/suites/oracle"
)

// PreflightSchema names the form of a preflight as JSON.
const PreflightSchema = "adconform/preflight/v1"

// Outcome is what a preflight comes to.
type Outcome string

// The outcomes of a preflight.
const (
	Ready      Outcome = "ready"      // a run can judge every stated clause
	Incomplete Outcome = "incomplete" // something is missing or wrong in the target file, or nobody answers
	Broke      Outcome = "broken"     // an answer already broke the contract
)

// Preflight is what a target has of that which a run needs.
type Preflight struct {
	Schema      string           `json:"schema"`
	Outcome     Outcome          `json:"outcome"`
	ExitCode    int              `json:"exitCode"`
	Interrupted bool             `json:"interrupted,omitempty"`
	Target      Target           `json:"target"`
	Requests    int              `json:"requests"`
	Parts       []Part           `json:"parts"`
	Cost        Cost             `json:"cost"` // of all that is missing or wrong together
	Findings    []oracle.Finding `json:"findings"`
	// Disposables are what a full run uses up; Provisioned says whether it is brought back.
	Disposables []Disposables `json:"disposables"`
	Provisioned bool          `json:"provisioned"`
}

// Disposables are the objects under a key that a full run uses up.
type Disposables struct {
	Key   string `json:"key"`
	Takes int    `json:"takes"` // all that are named, or at least so many
	Named int    `json:"named"` // in the target file
}

// Part is a part of the target file with what was seen of it, and what a run
// goes without where it is missing or wrong.
type Part struct {
	doctor.Check
	Cost *Cost `json:"cost,omitempty"`
	// NotShown says what a run does not show without it.
	NotShown string `json:"notShown,omitempty"`
}

// Cost is what a run goes without.
type Cost struct {
	Cases   int      `json:"cases"`   // that cannot be run
	Clauses []string `json:"clauses"` // that no other case judges, on one operation at least
	Stated  int      `json:"stated"`  // of these clauses: each makes a run inconclusive
}

// PreflightSummary writes a preflight on about a screen: what is wrong or
// missing and what that costs first, then what is fine.
func PreflightSummary(w io.Writer, r *Preflight, s Style) error {
	p := newScreen(s)
	p.say(0, colours[map[Outcome]Verdict{Ready: Conforming, Incomplete: Inconclusive, Broke: Nonconforming}[r.Outcome]], "%s", r.headline())
	p.say(0, plain, "%s", r.Target.words())
	p.say(0, faint, "%s, none of which can change anything", wording.Count(r.Requests, "request"))
	if text := r.usesUp(); text != "" {
		p.say(0, plain, "%s", text)
	}
	missing := r.of(doctor.Missing)
	slices.SortStableFunc(missing, func(a, b Part) int {
		return cmp.Or(b.Cost.Cases-a.Cost.Cases, len(b.Cost.Clauses)-len(a.Cost.Clauses))
	})
	p.parts("To be corrected", red, r.of(doctor.Wrong, doctor.Differs), func(part Part) string {
		text := part.Detail
		if cost := part.cost(); cost != "" {
			text += "; without it a run does not test " + cost
		}
		return text
	})
	p.parts("Missing in the target file, and what a run does not test without it", plain, missing, Part.cost)
	p.parts("Not to be checked without writing", plain, r.of(doctor.Unchecked), func(part Part) string { return part.Detail })
	p.parts("Fine", plain, r.of(doctor.Fine), func(Part) string { return "" })
	section(p, wording.Count(len(r.Findings), "finding"), r.Findings, maxParts, "; --json has all", func(f oracle.Finding) {
		p.say(2, red, "%s (%s) %s", f.Clause, f.Basis, Sentence(&f))
		p.curl(nil, f.Curl)
	})
	return p.write(w)
}

// headline says whether a run can begin, and what it would leave out.
func (r *Preflight) headline() string {
	cases, unread := wording.Count(r.Cost.Cases, "case"), len(r.of(doctor.Unchecked))
	switch {
	case r.Interrupted:
		return "INTERRUPTED"
	case r.Outcome == Broke:
		return "BROKEN: an answer already broke the contract"
	case r.Outcome == Ready:
	case slices.ContainsFunc(r.Parts, func(part Part) bool { return part.Lost }):
		return "INCOMPLETE: the target does not answer"
	case r.Cost.Stated > 0:
		clauses := wording.Count(len(r.Cost.Clauses), "clause")
		return fmt.Sprintf("INCOMPLETE: a run would not test %s and %s, so it would be inconclusive", cases, clauses)
	default:
		return "INCOMPLETE: the target file and the target do not fit together"
	}
	text, rest := "READY", ""
	if unread > 0 {
		text, rest = "READY as far as reading tells", fmt.Sprintf("; %s of it cannot be read", wording.Count(unread, "object"))
	}
	switch {
	case r.Cost.Cases > 0:
		text += ": a run leaves out " + cases + " and loses no stated clause; it is partial"
	case len(r.of(doctor.Missing)) > 0:
		text += ": a run sends every case; it is partial, as it cannot judge all by what the target file says"
	default:
		text += ": all that a run needs is in the target file"
	}
	return text + rest
}

// of are the parts of some states.
func (r *Preflight) of(status ...doctor.CheckStatus) (some []Part) {
	for _, part := range r.Parts {
		if slices.Contains(status, part.Status) {
			some = append(some, part)
		}
	}
	return some
}

// usesUp says what a full run uses up: all that is named, as far as its cases go; and what
// they would take at least, where less is named.
func (r *Preflight) usesUp() string {
	var used, short, texts []string
	for _, d := range r.Disposables {
		if n := min(d.Takes, d.Named); n > 0 {
			used = append(used, fmt.Sprintf("%d of %s", n, d.Key))
		}
		if d.Named < d.Takes {
			short = append(short, fmt.Sprintf("%d of %s (%d named)", d.Takes, d.Key, d.Named))
		}
	}
	if len(used) > 0 {
		then := "; no provision brings them back, so the next run needs others"
		if r.Provisioned {
			then = ", which provision brings back"
		}
		texts = append(texts, "a full run uses up "+wording.List(used)+then)
	}
	if len(short) > 0 {
		texts = append(texts, "cases of deletes are left out, as they take at least "+wording.List(short))
	}
	return strings.Join(texts, "; ")
}

// maxParts is how many parts of one kind are shown: with what stands around them, a screen.
const maxParts = 12

// parts shows parts, those of which the same is to be said in one paragraph.
func (p *screen) parts(title string, style lipgloss.Style, parts []Part, say func(Part) string) {
	var texts []string
	names := map[string][]string{}
	for _, part := range parts {
		text := say(part)
		if names[text] == nil {
			texts = append(texts, text)
		}
		name := strings.TrimPrefix(part.Need, "objects.") // its key in the target file
		if part.ID != 0 {
			name += fmt.Sprintf(" %d", part.ID)
		}
		names[text] = append(names[text], name)
	}
	section(p, title, texts, maxParts, "; --json has all", func(text string) {
		p.say(2, style, "%s", strings.TrimSuffix(strings.Join(names[text], ", ")+": "+text, ": "))
	})
}

// cost says what a run does not test where a part is missing or wrong: "59 cases, 29
// clauses (updates of campaigns)".
func (part Part) cost() string {
	switch c := part.Cost; {
	case c == nil:
		return ""
	case c.Cases == 0: // cases that are run judge less
		return part.NotShown
	case len(c.Clauses) == 0:
		return fmt.Sprintf("%s (%s)", wording.Count(c.Cases, "case"), part.NotShown)
	default:
		return fmt.Sprintf("%s, %s (%s)", wording.Count(c.Cases, "case"), wording.Count(len(c.Clauses), "clause"), part.NotShown)
	}
}
