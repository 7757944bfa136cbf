package render

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"

	"github.com/onsi/ginkgo/v2/reporters"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/report"
)

// WriteJUnit writes the cases in the format of Ginkgo's JUnit reporter: a suite for each operation.
// A finding that fails the run is a failure, a defect of the suite an error. A run that fails
// without a failed case gets one more test case that says why.
func (v *View) WriteJUnit(w io.Writer) error {
	all := reporters.JUnitTestSuites{Time: v.DurationSeconds}
	about := reporters.JUnitProperties{}
	judgedBy := v.Suite.Name + " " + v.Suite.Version + " " +
		FigureWords(v.Suite.SelfTest)
	for i, text := range append([]string{judgedBy, string(v.Level), v.headline(v.Reason)}, v.Warnings...) {
		name := []string{"suite", "level", "headline", "warning"}[min(i, 3)]
		about.Properties = append(about.Properties,
			reporters.JUnitProperty{Name: name, Value: wording.Printable(text)})
	}
	add := func(name string, c reporters.JUnitTestCase) {
		i := slices.IndexFunc(all.TestSuites,
			func(s reporters.JUnitTestSuite) bool { return s.Name == name })
		if i < 0 {
			i = len(all.TestSuites)
			all.TestSuites = append(all.TestSuites, reporters.JUnitTestSuite{
				Name: name, Package: v.Suite.Name, Timestamp: v.Started.Format("2006-01-02T15:04:05"),
				Properties: about,
			})
		}
		s := &all.TestSuites[i]
		n := map[bool]int{true: 1}
		failed := n[c.Failure != nil]
		wrong := n[c.Error != nil]
		skipped := n[c.Skipped != nil]
		s.TestCases = append(s.TestCases, c)
		s.Tests++
		s.Time += c.Time
		s.Failures += failed
		s.Errors += wrong
		s.Skipped += skipped
		all.Tests++
		all.Failures += failed
		all.Errors += wrong
		all.Disabled += skipped
	}
	for i := range v.Results {
		add(v.Results[i].Operation, v.junitCase(&v.Results[i]))
	}
	if v.ExitCode != report.ExitConforming && all.Failures+all.Errors == 0 {
		add("verdict", reporters.JUnitTestCase{
			Name: "verdict", Classname: "run.verdict", Status: "failed",
			Error: &reporters.JUnitError{Message: wording.Printable(v.VerdictWords() + ": " +
				v.Reason), Type: string(v.Verdict)},
		})
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

// maxNamed limits the findings that one failure names and describes.
const maxNamed = 10

// junitCase returns a case for CI systems: skipped if it was not tested, or if nothing that it
// found fails the run. A failed case names each of its findings.
func (v *View) junitCase(c *report.Case) reporters.JUnitTestCase {
	j := reporters.JUnitTestCase{
		Name: wording.Printable(c.ID), Classname: wording.Printable(c.Operation + "." +
			c.Class), Status: string(c.Status), Time: c.Seconds,
	}
	var titles []string
	text := wording.Printable(c.Title)
	skipped := ""
	for i := range c.Findings {
		f := &c.Findings[i]
		switch title := cmp.Or(v.titles[f.ID], f.Headline()); {
		case f.Fails && !slices.Contains(titles, title):
			if titles = append(titles, title); len(titles) <= maxNamed {
				text += "\n\n" + title + "\n" + Describe(f)
			}
		case f.Known != "" || f.Ignored != "":
			skipped = cmp.Or(f.Known, f.Ignored) + ": " + title
		}
	}
	if c.Status == report.NotTested {
		skipped = c.Reason
	}
	switch {
	case len(titles) > 0:
		j.Failure = &reporters.JUnitFailure{
			Message: wording.Some(titles, maxNamed), Type: "failed", Description: text,
		}
	case c.Status == report.NotTested && c.Cause == report.BySuite:
		j.Error = &reporters.JUnitError{
			Message: wording.Printable(skipped), Type: string(c.Cause),
		}
	case skipped != "":
		j.Skipped = &reporters.JUnitSkipped{Message: wording.Printable(skipped)}
	}
	return j
}
