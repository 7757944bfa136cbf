package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
)

// outcome is what became of a case, as CI systems tell it apart.
type outcome struct {
	status  status
	kind    string // clause of the first finding, or why the case is skipped or an error
	message string
	text    string // of a failure: all that it is about
}

type status string

const (
	passed  status = "passed"
	failed  status = "failed"
	skipped status = "skipped" // not tested, or all that failed is accepted
	errored status = "error"   // by a defect of the suite
)

const maxShown = 10 // findings in the text of one failure

func outcomeOf(c *Case) outcome {
	fresh := slices.DeleteFunc(slices.Clone(c.Findings), func(f oracle.Finding) bool { return !fresh(&f) })
	accepted := slices.IndexFunc(c.Findings, func(f oracle.Finding) bool { return isAccepted(&f) })
	without := slices.IndexFunc(c.Findings, func(f oracle.Finding) bool { return isIgnored(&f) })
	switch {
	case c.Status == judge.Failed && len(fresh) == 0 && accepted >= 0:
		return outcome{status: skipped, kind: "baseline", message: wording.Printable("known: " + c.Findings[accepted].Known)}
	case c.Status == judge.Failed && len(fresh) == 0:
		return outcome{status: failed, message: wording.Printable(c.Title)}
	case c.Status == judge.Failed:
		return outcome{failed, fresh[0].Clause, Headline(&fresh[0]), failure(c, fresh)}
	case c.Status == judge.Passed && without >= 0:
		return outcome{status: skipped, kind: "basis", message: wording.Printable("does not count, " + c.Findings[without].Ignored +
			": " + Headline(&c.Findings[without]))}
	case c.Status == judge.NotTested && c.Cause == judge.BySuite:
		return outcome{status: errored, kind: string(c.Cause), message: wording.Printable(c.Reason)}
	case c.Status == judge.NotTested:
		return outcome{status: skipped, kind: string(c.Cause), message: wording.Printable(c.Reason)}
	}
	return outcome{status: passed}
}

// failure is the findings of a failed case as text.
func failure(c *Case, findings []oracle.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n", c.Title)
	for _, f := range findings[:min(len(findings), maxShown)] {
		b.WriteString("\n" + Describe(&f))
	}
	if more := len(findings) - maxShown; more > 0 {
		fmt.Fprintf(&b, "\n… and %d more %s, see %s\n", more, wording.Noun(more, "finding"), JSONFile)
	}
	return b.String()
}

// Describe is a finding as the failure of a test tells it, in lines that end.
func Describe(f *oracle.Finding) string {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "  %-9s %s\n", name, wording.Printable(text))
		}
	}
	fmt.Fprintf(&b, "%s\n", Headline(f))
	at := f.Pointer
	if at != "" {
		at = ", at " + at
	}
	line("clause", fmt.Sprintf("%s (%s)%s", f.Clause, f.Basis, at))
	line("sent", sentOf(f))
	line("expected", f.Expected)
	line("got", f.Got)
	line("server", serverSays(f))
	if h := HintFor(f); h != nil {
		line("hint", h.String())
	}
	for i, q := range f.Requests {
		line(fmt.Sprintf("%d.", i+1), fmt.Sprintf("%s # answered %s", q.Curl, q.Then))
	}
	if len(f.Requests) == 0 {
		line("again", curlLine(f))
	}
	line("check", fmt.Sprintf("%s, see %s", f.Check, explain(f)))
	line("spec", f.Location)
	line("known", f.Known)
	return b.String()
}

// needsVerdict says that a run fails without a failed case: then one more says why.
func needsVerdict(r *Report, outcomes []outcome) bool {
	return r.ExitCode != ExitConforming &&
		!slices.ContainsFunc(outcomes, func(o outcome) bool { return o.status == failed || o.status == errored })
}

// judgedBases are the bases of a case's clauses, in order of weight.
func judgedBases(r *Report, c *Case) []string {
	var judged []string
	for _, b := range spec.Bases() {
		if slices.ContainsFunc(r.Clauses, func(k Clause) bool { return k.Basis == b && slices.Contains(c.Clauses, k.ID) }) {
			judged = append(judged, string(b))
		}
	}
	return judged
}
