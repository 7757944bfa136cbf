package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/oracle"
)

// The JUnit form that CI systems read. Its texts are character data: the encoder
// escapes what would end it and replaces what XML 1.0 cannot hold.
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		junitCounts
		Suites []*junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name string `xml:"name,attr"`
		junitCounts
		Timestamp  string          `xml:"timestamp,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitCounts struct {
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Time     string `xml:"time,attr"` // seconds
	}
	junitCase struct {
		Name       string           `xml:"name,attr"`
		Class      string           `xml:"classname,attr"`
		Time       string           `xml:"time,attr"`
		Properties *junitProperties `xml:"properties"` // nil, as none may not be empty
		Skipped    *junitResult     `xml:"skipped"`
		Error      *junitResult     `xml:"error"`
		Failure    *junitResult     `xml:"failure"`
	}
	junitProperties struct {
		All []junitProperty `xml:"property"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitResult struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

const (
	junitFindings = 10      // told in the text of one failure
	junitCurl     = 4 << 10 // bytes of a curl line
)

// newJUnitSuite says, with its name, what judged and what that is worth.
func newJUnitSuite(name string, r *Report) *junitSuite {
	s := &junitSuite{Name: name, Timestamp: r.Started.Format(time.RFC3339), Properties: []junitProperty{
		{"suite", r.Suite.Name + " " + r.Suite.Version}, {"self-test", r.Suite.SelfTest.String()},
	}}
	if r.Level != unlevelled {
		s.Properties = append(s.Properties, junitProperty{"level", string(r.Level)})
	}
	for _, text := range notShownTexts(r) {
		s.Properties = append(s.Properties, junitProperty{"not-shown", text})
	}
	if r.Selection != nil {
		s.Properties = append(s.Properties, junitProperty{"selection", Printable(r.Selection.words())})
	}
	if r.Insecure {
		s.Properties = append(s.Properties, junitProperty{"insecure", Insecure})
	}
	return s
}

// WriteJUnit writes a report as JUnit XML: a suite for each operation, a test
// case for each case. A violation is a failure, a defect of the suite an error.
// A run that fails without a failed case has one more test case that says why.
func WriteJUnit(w io.Writer, r *Report) error {
	all := &junitSuites{Name: r.Suite.Name}
	bases := basesOf(r)
	byName := map[string]*junitSuite{}
	seconds := map[string]float64{}
	for i := range r.Results {
		c := &r.Results[i]
		s := byName[c.Operation]
		if s == nil {
			s = newJUnitSuite(c.Operation, r)
			byName[c.Operation] = s
			all.Suites = append(all.Suites, s)
		}
		seconds[c.Operation] += c.Seconds
		s.add(newJUnitCase(c, bases))
	}
	for _, s := range all.Suites {
		s.Time = inSeconds(seconds[s.Name])
		all.count(s.junitCounts)
	}
	if r.ExitCode != ExitConforming && all.Failures+all.Errors == 0 {
		s := newJUnitSuite("verdict", r)
		s.Time = inSeconds(0)
		s.add(junitCase{
			Name: "verdict", Class: "run.verdict", Time: inSeconds(0),
			Error: &junitResult{Message: Printable(r.VerdictWords() + ": " + r.Reason), Type: string(r.Verdict)},
		})
		all.Suites = append(all.Suites, s)
		all.count(s.junitCounts)
	}
	all.Time = inSeconds(r.DurationSeconds)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuite) add(c junitCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
}

func (n *junitCounts) count(s junitCounts) {
	n.Tests += s.Tests
	n.Failures += s.Failures
	n.Errors += s.Errors
	n.Skipped += s.Skipped
}

func newJUnitCase(c *Case, bases map[string]spec.Basis) junitCase {
	j := junitCase{Name: c.ID, Class: c.Operation + "." + c.Class, Time: inSeconds(c.Seconds)}
	var properties []junitProperty
	for _, id := range c.Clauses {
		properties = append(properties, junitProperty{"clause", id})
	}
	for _, b := range judgedBases(c, bases) {
		properties = append(properties, junitProperty{"basis", b})
	}
	if len(properties) > 0 {
		j.Properties = &junitProperties{properties}
	}
	switch {
	case c.Status == engine.Failed && allKnown(c):
		j.Skipped = &junitResult{Message: Printable("known: " + c.Findings[known(c)].Known), Type: "baseline"}
	case c.Status == engine.Failed:
		j.Failure = failure(c)
	case c.Status == engine.NotTested && c.Cause == engine.BySuite:
		j.Error = &junitResult{Message: Printable(c.Reason), Type: string(c.Cause)}
	case c.Status == engine.NotTested:
		j.Skipped = &junitResult{Message: Printable(c.Reason), Type: string(c.Cause)}
	}
	return j
}

// basesOf are the bases of the report's clauses, by id.
func basesOf(r *Report) map[string]spec.Basis {
	bases := map[string]spec.Basis{}
	for _, c := range r.Clauses {
		bases[c.ID] = c.Basis
	}
	return bases
}

// judgedBases are the bases of a case's clauses, in order of weight.
func judgedBases(c *Case, bases map[string]spec.Basis) []string {
	var judged []string
	for _, b := range spec.Bases() {
		if slices.ContainsFunc(c.Clauses, func(id string) bool { return bases[id] == b }) {
			judged = append(judged, string(b))
		}
	}
	return judged
}

// known is the first finding of a case that the baseline excuses, -1 for none.
func known(c *Case) int {
	return slices.IndexFunc(c.Findings, func(f oracle.Finding) bool { return f.Known != "" })
}

// allKnown says whether the baseline excuses all that failed a case.
func allKnown(c *Case) bool {
	return known(c) >= 0 &&
		!slices.ContainsFunc(c.Findings, func(f oracle.Finding) bool { return fresh(&f) })
}

// failure tells the findings of a failed case, notices and known ones left out.
func failure(c *Case) *junitResult {
	findings := slices.DeleteFunc(slices.Clone(c.Findings), func(f oracle.Finding) bool { return !fresh(&f) })
	if len(findings) == 0 {
		return &junitResult{Message: c.Title}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n", c.Title)
	for _, f := range findings[:min(len(findings), junitFindings)] {
		fmt.Fprintf(&b, "\n%s (%s) at %s, check %s\n  expected: %s\n  got:      %s\n  %s\n  %s\n", f.Clause, f.Basis,
			Printable(place(&f)), Printable(f.Check), Printable(f.Expected), Printable(f.Got), cut(Printable(f.Curl), junitCurl), explain(&f))
	}
	if more := len(findings) - junitFindings; more > 0 {
		fmt.Fprintf(&b, "\n… and %d more findings, see %s\n", more, JSONFile)
	}
	first := &findings[0]
	return &junitResult{Message: Sentence(first), Type: first.Clause, Text: b.String()}
}

// place is where in the response a finding is.
func place(f *oracle.Finding) string { return cmp.Or(f.Pointer, "the response") }

// cut shortens a text to n bytes and says so.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "… (cut)"
}

func inSeconds(s float64) string { return fmt.Sprintf("%.3f", s) }
