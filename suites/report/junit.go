package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
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
		Tests    int     `xml:"tests,attr"`
		Failures int     `xml:"failures,attr"`
		Errors   int     `xml:"errors,attr"`
		Skipped  int     `xml:"skipped,attr"`
		Time     seconds `xml:"time,attr"`
	}
	junitCase struct {
		Name       string           `xml:"name,attr"`
		Class      string           `xml:"classname,attr"`
		Time       seconds          `xml:"time,attr"`
		Properties *[]junitProperty `xml:"properties>property"` // nil, as a list may not be empty
		Skipped    *junitResult     `xml:"skipped"`
		Error      *junitResult     `xml:"error"`
		Failure    *junitResult     `xml:"failure"`
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

// newJUnitSuite says, with its name, what judged and what that is worth.
func newJUnitSuite(name string, r *Report) *junitSuite {
	s := &junitSuite{Name: name, Timestamp: r.Started.Format(time.RFC3339), Properties: []junitProperty{
		{"suite", r.Suite.Name + " " + r.Suite.Version},
		{"self-test", r.Suite.SelfTest.String()},
		{"level", string(r.Level)},
	}}
	for _, text := range notShownTexts(r) {
		s.Properties = append(s.Properties, junitProperty{"not-shown", text})
	}
	if r.Selection != nil {
		s.Properties = append(s.Properties, junitProperty{"selection", wording.Printable(r.Selection.words())})
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
	suite := func(name string) *junitSuite {
		i := slices.IndexFunc(all.Suites, func(s *junitSuite) bool { return s.Name == name })
		if i < 0 {
			i = len(all.Suites)
			all.Suites = append(all.Suites, newJUnitSuite(name, r))
		}
		return all.Suites[i]
	}
	for i := range r.Results {
		suite(r.Results[i].Operation).add(newJUnitCase(r, &r.Results[i]))
	}
	for _, s := range all.Suites {
		all.count(s.junitCounts)
	}
	if r.ExitCode != ExitConforming && all.Failures+all.Errors == 0 {
		s := suite("verdict")
		s.add(junitCase{Name: "verdict", Class: "run.verdict", Error: newJUnitResult(string(r.Verdict), r.VerdictWords()+": "+r.Reason)})
		all.count(s.junitCounts)
	}
	all.Time = seconds(r.DurationSeconds)
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

// add adds a test case, and what it counts for.
func (s *junitSuite) add(c junitCase) {
	s.Cases = append(s.Cases, c)
	one := junitCounts{Tests: 1, Time: c.Time}
	switch {
	case c.Failure != nil:
		one.Failures = 1
	case c.Error != nil:
		one.Errors = 1
	case c.Skipped != nil:
		one.Skipped = 1
	}
	s.count(one)
}

func (n *junitCounts) count(s junitCounts) {
	n.Tests += s.Tests
	n.Failures += s.Failures
	n.Errors += s.Errors
	n.Skipped += s.Skipped
	n.Time += s.Time
}

// maxShown is how many findings the text of one failure holds.
const maxShown = 10

// newJUnitCase is a case as CI systems tell it: skipped where it was not tested, or all that
// failed is accepted; an error by a defect of the suite.
func newJUnitCase(r *Report, c *Case) junitCase {
	j := junitCase{Name: c.ID, Class: c.Operation + "." + c.Class, Time: seconds(c.Seconds)}
	if len(c.Clauses) > 0 {
		j.Properties = newJUnitProperties(r, c)
	}
	fresh := slices.DeleteFunc(slices.Clone(c.Findings), func(f oracle.Finding) bool { return !fresh(&f) })
	accepted := slices.IndexFunc(c.Findings, func(f oracle.Finding) bool { return isAccepted(&f) })
	without := slices.IndexFunc(c.Findings, func(f oracle.Finding) bool { return isIgnored(&f) })
	switch {
	case c.Status == judge.Failed && len(fresh) > 0:
		j.Failure = &junitResult{Headline(&fresh[0]), fresh[0].Clause, failure(c, fresh)}
	case c.Status == judge.Failed && accepted >= 0:
		j.Skipped = newJUnitResult("baseline", "known: "+c.Findings[accepted].Known)
	case c.Status == judge.Failed:
		j.Failure = newJUnitResult("", c.Title)
	case c.Status == judge.Passed && without >= 0:
		f := &c.Findings[without]
		j.Skipped = newJUnitResult("basis", "does not count, "+f.Ignored+": "+Headline(f))
	case c.Status == judge.NotTested && c.Cause == judge.BySuite:
		j.Error = newJUnitResult(string(c.Cause), c.Reason)
	case c.Status == judge.NotTested:
		j.Skipped = newJUnitResult(string(c.Cause), c.Reason)
	}
	return j
}

func newJUnitResult(kind, message string) *junitResult {
	return &junitResult{Message: wording.Printable(message), Type: kind}
}

// newJUnitProperties are the clauses of a case, and their bases, in order of weight.
func newJUnitProperties(r *Report, c *Case) *[]junitProperty {
	var all []junitProperty
	for _, id := range c.Clauses {
		all = append(all, junitProperty{"clause", id})
	}
	for _, b := range spec.Bases() {
		if slices.ContainsFunc(r.Clauses, func(k Clause) bool { return k.Basis == b && slices.Contains(c.Clauses, k.ID) }) {
			all = append(all, junitProperty{"basis", string(b)})
		}
	}
	return &all
}

// seconds are written with three decimals.
type seconds float64

// MarshalXMLAttr implements xml.MarshalerAttr.
func (s seconds) MarshalXMLAttr(name xml.Name) (xml.Attr, error) {
	return xml.Attr{Name: name, Value: fmt.Sprintf("%.3f", float64(s))}, nil
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
