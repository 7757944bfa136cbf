package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/adconform/adconform/internal/wording"
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
	var outcomes []outcome
	for i := range r.Results {
		c := &r.Results[i]
		o := outcomeOf(c)
		outcomes = append(outcomes, o)
		j := newJUnitCase(c.ID, c.Operation+"."+c.Class, c.Seconds, o)
		if len(c.Clauses) > 0 {
			j.Properties = newJUnitProperties(r, c)
		}
		suite(c.Operation).add(j)
	}
	if needsVerdict(r, outcomes) {
		why := outcome{status: errored, kind: string(r.Verdict), message: wording.Printable(r.VerdictWords() + ": " + r.Reason)}
		suite("verdict").add(newJUnitCase("verdict", "run.verdict", 0, why))
	}
	for _, s := range all.Suites {
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

func newJUnitCase(name, class string, took float64, o outcome) junitCase {
	j := junitCase{Name: name, Class: class, Time: seconds(took)}
	result := &junitResult{o.message, o.kind, o.text}
	switch o.status {
	case failed:
		j.Failure = result
	case errored:
		j.Error = result
	case skipped:
		j.Skipped = result
	}
	return j
}

func newJUnitProperties(r *Report, c *Case) *junitProperties {
	var all []junitProperty
	for _, id := range c.Clauses {
		all = append(all, junitProperty{"clause", id})
	}
	for _, b := range judgedBases(r, c) {
		all = append(all, junitProperty{"basis", b})
	}
	return &junitProperties{all}
}

// seconds are written with three decimals.
type seconds float64

// MarshalXMLAttr implements xml.MarshalerAttr.
func (s seconds) MarshalXMLAttr(name xml.Name) (xml.Attr, error) {
	return xml.Attr{Name: name, Value: fmt.Sprintf("%.3f", float64(s))}, nil
}
