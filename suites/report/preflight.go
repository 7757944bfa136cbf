package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

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
	p.say(0, colours[verdicts[r.Outcome]], "%s", outcomeLine(r))
	p.say(0, plain, "%s", r.Target.words())
	p.say(0, faint, "%s, none of which can change anything", wording.Count(r.Requests, "request"))
	if text := takes(r); text != "" {
		p.say(0, plain, "%s", text)
	}
	p.parts(r)
	p.preflightFindings(r)
	return p.write(w)
}

var verdicts = map[Outcome]Verdict{Ready: Conforming, Incomplete: Inconclusive, Broke: Nonconforming}

func outcomeLine(r *Preflight) string {
	has := func(is func(Part) bool) bool { return slices.ContainsFunc(r.Parts, is) }
	cases := wording.Count(r.Cost.Cases, "case")
	switch {
	case r.Interrupted:
		return "INTERRUPTED"
	case r.Outcome == Broke:
		return "BROKEN: an answer already broke the contract"
	case r.Outcome == Ready:
	case has(func(part Part) bool { return part.Lost }):
		return "INCOMPLETE: the target does not answer"
	case r.Cost.Stated > 0:
		clauses := wording.Count(len(r.Cost.Clauses), "clause")
		return fmt.Sprintf("INCOMPLETE: a run would not test %s and %s, so it would be inconclusive", cases, clauses)
	default:
		return "INCOMPLETE: the target file and the target do not fit together"
	}
	text, rest, unread := "READY", "", len(r.of(doctor.Unchecked))
	if unread > 0 {
		text, rest = "READY as far as reading tells", fmt.Sprintf("; %s of it cannot be read", wording.Count(unread, "object"))
	}
	switch {
	case r.Cost.Cases > 0:
		text += ": a run leaves out " + cases + " and loses no stated clause; it is partial"
	case len(r.of(doctor.Missing)) > 0:
		text += ": a run sends every case; it is partial, as it cannot judge all by what the target file says"
	case unread > 0:
		text += ": all that a run needs is in the target file"
	default:
		text += ": all that a run needs is there"
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

// takes says what a full run uses up: all that is named, as far as its cases go; and what
// they would take at least, where less is named.
func takes(r *Preflight) string {
	var used, short []string
	for _, d := range r.Disposables {
		if n := min(d.Takes, d.Named); n > 0 {
			used = append(used, fmt.Sprintf("%d of %s", n, d.Key))
		}
		if d.Named < d.Takes {
			short = append(short, fmt.Sprintf("%d of %s (%d named)", d.Takes, d.Key, d.Named))
		}
	}
	var texts []string
	switch {
	case len(used) > 0 && r.Provisioned:
		texts = append(texts, "a full run uses up "+wording.List(used)+", which provision brings back")
	case len(used) > 0:
		texts = append(texts, "a full run uses up "+wording.List(used)+"; no provision brings them back, so the next run needs others")
	}
	if len(short) > 0 {
		texts = append(texts, "cases of deletes are left out, as they take at least "+wording.List(short))
	}
	return strings.Join(texts, "; ")
}

// parts shows what is wrong, then what is missing, what costs most first, then what
// could not be checked, then what is fine.
func (p *screen) parts(r *Preflight) {
	if wrong := r.of(doctor.Wrong, doctor.Differs); len(wrong) > 0 {
		p.title("To be corrected")
		first(p, wrong, maxMissing, "; --json has all", func(part Part) {
			p.say(2, red, "%s: %s", name(part), part.Detail)
			if text := worth(part); text != "" {
				p.say(4, plain, "without it a run does not test %s", text)
			}
		})
	}
	if missing := r.of(doctor.Missing); len(missing) > 0 {
		slices.SortStableFunc(missing, func(a, b Part) int {
			return cmp.Or(b.Cost.Cases-a.Cost.Cases, len(b.Cost.Clauses)-len(a.Cost.Clauses))
		})
		p.title("Missing in the target file, and what a run does not test without it")
		first(p, missing, maxMissing, "; --json has all", func(part Part) {
			p.say(2, plain, "%s: %s", name(part), worth(part))
		})
	}
	p.gathered("Not to be checked without writing", r.of(doctor.Unchecked), true)
	p.gathered("Fine", r.of(doctor.Fine), false)
}

// How many missing parts and findings are shown.
const (
	maxMissing = 12 // lines: with what stands around them, a screen
	maxBroken  = 10
)

// name is a part as its key in the target file, with its id.
func name(part Part) string {
	key := strings.TrimPrefix(part.Need, "objects.")
	if part.ID != 0 {
		key += fmt.Sprintf(" %d", part.ID)
	}
	return key
}

// worth says what a run does not test where a part is missing or wrong: "59 cases, 29
// clauses (updates of campaigns)".
func worth(part Part) string {
	c := part.Cost
	if c == nil {
		return ""
	}
	if c.Cases == 0 { // cases that are run judge less
		return part.NotShown
	}
	text := wording.Count(c.Cases, "case")
	if len(c.Clauses) > 0 {
		text += ", " + wording.Count(len(c.Clauses), "clause")
	}
	return text + " (" + part.NotShown + ")"
}

// gathered shows parts of one state together, those with one detail in one
// paragraph.
func (p *screen) gathered(heading string, parts []Part, detailed bool) {
	if len(parts) == 0 {
		return
	}
	names := map[string][]string{}
	var details []string
	for _, part := range parts {
		detail := part.Detail
		if !detailed {
			detail = ""
		}
		if !slices.Contains(details, detail) {
			details = append(details, detail)
		}
		names[detail] = append(names[detail], name(part))
	}
	p.title("%s", heading)
	for _, detail := range details {
		text := strings.Join(names[detail], ", ")
		if detail != "" {
			text += ": " + detail
		}
		p.say(2, plain, "%s", text)
	}
}

func (p *screen) preflightFindings(r *Preflight) {
	if len(r.Findings) == 0 {
		return
	}
	p.title("%s", wording.Count(len(r.Findings), "finding"))
	first(p, r.Findings, maxBroken, "; --json has all", func(f oracle.Finding) {
		p.say(2, red, "%s (%s) %s", f.Clause, f.Basis, Sentence(&f))
		p.curl(nil, f.Curl)
	})
}
