package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2/reporters"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
)

// The form of Ginkgo's JUnit reporter, but for the place of a case's properties: readers want them
// first.
type (
	junitSuites struct {
		reporters.JUnitTestSuites
		Suites []*junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		reporters.JUnitTestSuite
		Cases []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Properties *reporters.JUnitProperties `xml:"properties"`
		reporters.JUnitTestCase
	}
)

// WriteJUnit writes the cases in the form of Ginkgo's JUnit reporter: a suite for each operation.
// What fails the run is a failure, a defect of the suite an error. A run that fails without a
// failed case has one more test case that says why.
func (v *View) WriteJUnit(w io.Writer) error {
	all := &junitSuites{}
	all.Time = v.DurationSeconds
	for i := range v.Results {
		v.addToJUnit(all, v.Results[i].Operation, v.junitCase(&v.Results[i]))
	}
	if v.ExitCode != ExitConforming && all.Failures+all.Errors == 0 {
		why := &reporters.JUnitError{Message: wording.Printable(v.VerdictWords() + ": " + v.Reason), Type: string(v.Verdict)}
		c := reporters.JUnitTestCase{Name: "verdict", Classname: "run.verdict", Status: "failed", Error: why}
		v.addToJUnit(all, "verdict", junitCase{JUnitTestCase: c})
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

// addToJUnit adds a test case to the suite of a name, and what it counts for.
func (v *View) addToJUnit(all *junitSuites, name string, c junitCase) {
	i := slices.IndexFunc(all.Suites, func(s *junitSuite) bool { return s.Name == name })
	if i < 0 {
		i = len(all.Suites)
		all.Suites = append(all.Suites, &junitSuite{JUnitTestSuite: reporters.JUnitTestSuite{
			Name: name, Package: v.Suite.Name, Timestamp: v.Started.Format("2006-01-02T15:04:05"), Properties: v.junitProperties(),
		}})
	}
	s, n := all.Suites[i], map[bool]int{true: 1}
	s.Cases = append(s.Cases, c)
	s.Time += c.Time
	failed, broke, skipped := n[c.Failure != nil], n[c.Error != nil], n[c.Skipped != nil]
	s.Tests, s.Failures, s.Errors, s.Skipped = s.Tests+1, s.Failures+failed, s.Errors+broke, s.Skipped+skipped
	all.Tests, all.Failures, all.Errors, all.Disabled = all.Tests+1, all.Failures+failed, all.Errors+broke, all.Disabled+skipped
}

// junitProperties say what judged, what that is worth, and how much it judged.
func (v *View) junitProperties() (p reporters.JUnitProperties) {
	add := func(name, value string) {
		p.Properties = append(p.Properties, reporters.JUnitProperty{Name: name, Value: wording.Printable(value)})
	}
	add("suite", v.Suite.Name+" "+v.Suite.Version)
	add("self-test", v.Suite.SelfTest.String())
	add("level", string(v.Level))
	for _, text := range v.notShown() {
		add("not-shown", text)
	}
	if v.Selection != nil {
		add("selection", v.Selection.words())
	}
	if v.Insecure {
		add("insecure", Insecure)
	}
	return p
}

// maxNamed is how many findings one failure names and describes.
const maxNamed = 10

// junitCase is a case as CI systems tell it: skipped where it was not tested, or nothing that it
// found fails the run. A failed one names each of its findings.
func (v *View) junitCase(c *Case) (j junitCase) {
	j.Name, j.Classname = wording.Printable(c.ID), wording.Printable(c.Operation+"."+c.Class)
	j.Status, j.Time = string(c.Status), c.Seconds
	var properties []reporters.JUnitProperty
	for _, id := range c.Clauses {
		properties = append(properties, reporters.JUnitProperty{Name: "clause", Value: id})
	}
	for _, b := range spec.Bases() {
		if slices.ContainsFunc(v.Totals, func(k Clause) bool { return k.Basis == b && slices.Contains(c.Clauses, k.ID) }) {
			properties = append(properties, reporters.JUnitProperty{Name: "basis", Value: string(b)})
		}
	}
	if properties != nil { // readers refuse an empty list
		j.Properties = &reporters.JUnitProperties{Properties: properties}
	}
	var titles []string
	text, beside := wording.Printable(c.Title), ""
	for i := range c.Findings {
		f := &c.Findings[i]
		switch title := cmp.Or(v.titles[f.ID], Headline(f)); {
		case f.Fails && !slices.Contains(titles, title):
			titles = append(titles, title)
			if len(titles) <= maxNamed {
				text += "\n\n" + title + "\n" + Describe(f)
			}
		case f.Known != "":
			beside = "known: " + f.Known
		case !f.Counts():
			beside = "does not count, " + f.Ignored + ": " + title
		}
	}
	switch {
	case len(titles) > 0:
		message := strings.Join(titles[:min(len(titles), maxNamed)], "; ")
		if more := len(titles) - maxNamed; more > 0 {
			message += fmt.Sprintf("; and %d more, see %s", more, JSONFile)
		}
		j.Failure = &reporters.JUnitFailure{Message: message, Type: "failed", Description: text}
	case c.Status == judge.NotTested && c.Cause == judge.BySuite:
		j.Error = &reporters.JUnitError{Message: wording.Printable(c.Reason), Type: string(c.Cause)}
	case c.Status == judge.NotTested:
		j.Skipped = &reporters.JUnitSkipped{Message: wording.Printable(c.Reason)}
	case beside != "":
		j.Skipped = &reporters.JUnitSkipped{Message: wording.Printable(beside)}
	}
	return j
}
