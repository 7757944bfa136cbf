package report_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
)

// suitesXML is what a CI system reads of junit.xml.
type suitesXML struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"disabled,attr"`
	Suites   []struct {
		Name  string    `xml:"name,attr"`
		Tests int       `xml:"tests,attr"`
		Cases []caseXML `xml:"testcase"`
	} `xml:"testsuite"`
}

type caseXML struct {
	Name       string `xml:"name,attr"`
	Class      string `xml:"classname,attr"`
	Time       string `xml:"time,attr"`
	Properties []struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	} `xml:"properties>property"`
	Skipped, Error, Failure *resultXML
}

type resultXML struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func (c *caseXML) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	type plain caseXML
	var named struct {
		plain
		S *resultXML `xml:"skipped"`
		E *resultXML `xml:"error"`
		F *resultXML `xml:"failure"`
	}
	err := d.DecodeElement(&named, &start)
	*c = caseXML(named.plain)
	c.Skipped, c.Error, c.Failure = named.S, named.E, named.F
	return err
}

func junit(t *testing.T, r *report.Report) (string, suitesXML) {
	t.Helper()
	var b strings.Builder
	if err := report.NewView(r).WriteJUnit(&b); err != nil {
		t.Fatal(err)
	}
	// Every token: the decoder refuses what XML 1.0 cannot hold.
	for d := xml.NewDecoder(strings.NewReader(b.String())); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("no well-formed XML: %v", err)
		}
	}
	var s suitesXML
	if err := xml.Unmarshal([]byte(b.String()), &s); err != nil {
		t.Fatal(err)
	}
	return b.String(), s
}

func TestJUnitHasATestCaseForEachCase(t *testing.T) {
	_, s := junit(t, made())
	if s.Tests != 4 || s.Failures != 1 || s.Errors != 0 || s.Skipped != 2 || len(s.Suites) != 2 {
		t.Errorf("%d tests, %d failures, %d errors, %d skipped in %d suites", s.Tests, s.Failures, s.Errors, s.Skipped, len(s.Suites))
	}
	failed := s.Suites[0].Cases[0]
	if failed.Name != "updateCampaign/401/no-key" || failed.Class != "updateCampaign.401" || failed.Time != "0.25" {
		t.Errorf("case %q of class %q took %q", failed.Name, failed.Class, failed.Time)
	}
	if p := failed.Properties; len(p) != 2 || p[0].Value != "AUTH-1" || p[1].Name != "basis" || p[1].Value != "stated" {
		t.Errorf("properties %v", p)
	}
	if f := failed.Failure; f == nil || f.Message != "updateCampaign answered 200 where 401 was expected" ||
		!strings.Contains(f.Text, "expected  status 401") || !strings.Contains(f.Text, "curl -i http") {
		t.Errorf("failure %+v", f)
	}
	if skipped := s.Suites[0].Cases[2].Skipped; skipped == nil || skipped.Message != "credentials.stranger is not in the target file" {
		t.Errorf("skipped %+v", skipped)
	}
}

func TestJUnitIsWellFormedWhateverTheTargetSends(t *testing.T) {
	for _, text := range []string{"a]]>b", "\x00\x1b[31m\x08", "\ufffe\uffff", "<&>\"'", "caf\xe9", "🙂"} {
		r := made()
		r.Results[0].Findings[0].Got = text
		r.Results[0].Findings[0].Expected = text
		r.Results[0].Findings[0].Curl = text
		r.Results[0].Title, r.Results[2].Reason = text, text
		junit(t, r)
	}
}

func TestJUnitOfACaseIsBounded(t *testing.T) {
	r := made()
	long := finding("updateCampaign")
	long.Curl = strings.Repeat("x", 1<<20)
	for i := range 100 {
		long.Pointer = fmt.Sprintf("/data/%d", i)
		long.ID = long.Cause().ID() + fmt.Sprint(i)
		r.Results[0].Findings = append(r.Results[0].Findings, long)
	}
	text, _ := junit(t, r)
	if len(text) > 100_000 || !strings.Contains(text, "and 40 more, see report.json") {
		t.Errorf("%d bytes, of 101 findings", len(text))
	}
}

func TestJUnitIsRedWhenTheRunFails(t *testing.T) {
	r := made()
	r.Results = r.Results[1:] // nothing failed, two cases were not tested
	r.Verdict, r.Reason, r.ExitCode = report.Inconclusive, "1 stated clause not tested: AUTH-2", report.ExitInconclusive
	if _, s := junit(t, r); s.Errors != 1 || s.Tests != 4 {
		t.Errorf("%d errors of %d tests, want one that tells the verdict", s.Errors, s.Tests)
	}
	r.ExitCode = report.ExitConforming // --allow-inconclusive
	if _, s := junit(t, r); s.Errors+s.Failures != 0 {
		t.Errorf("%d errors, %d failures, want none", s.Errors, s.Failures)
	}
}

func TestJUnitTellsADefectOfTheSuiteAsAnError(t *testing.T) {
	r := made()
	r.Results[2].Cause = judge.BySuite
	if _, s := junit(t, r); s.Errors != 1 || s.Skipped != 1 {
		t.Errorf("%d errors, %d skipped", s.Errors, s.Skipped)
	}
}

func TestJUnitSaysWhatJudged(t *testing.T) {
	r := made()
	r.Suite.SelfTest = report.Figure{Faults: 7, Caught: 6, Variants: 3, Flagged: 1}
	var b strings.Builder
	if err := report.NewView(r).WriteJUnit(&b); err != nil {
		t.Fatal(err)
	}
	if want := "catches 6 of 7 seeded faults and flags 1 of 3 conforming variants"; !strings.Contains(b.String(), want) {
		t.Errorf("no %q in\n%s", want, b.String())
	}
}

// Readers refuse a list of properties without one.
func TestJUnitHasNoEmptyProperties(t *testing.T) {
	var b strings.Builder
	if err := report.NewView(made()).WriteJUnit(&b); err != nil { // one of its cases cites no clause
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "<properties></properties>") {
		t.Error("an empty list of properties")
	}
}
