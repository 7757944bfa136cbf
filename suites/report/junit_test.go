package report_test

import (
	"encoding/xml"
	"errors"
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
		Cases []struct {
			Name       string `xml:"name,attr"`
			Class      string `xml:"classname,attr"`
			Time       string `xml:"time,attr"`
			Properties []struct {
				Value string `xml:"value,attr"`
			} `xml:"properties>property"`
			Skipped *resultXML `xml:"skipped"`
			Failure *resultXML `xml:"failure"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

type resultXML struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func junit(t *testing.T, r *report.Report) (s suitesXML) {
	t.Helper()
	text := written(t, r, (*report.View).WriteJUnit)
	// Every token: the decoder refuses what XML 1.0 cannot hold.
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("no well-formed XML: %v", err)
		}
	}
	if err := xml.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, "<properties></properties>") || strings.Contains(text, "<script>") ||
		!strings.Contains(text, " seeded faults") {
		t.Error("an empty list of properties, which readers refuse; a tag of the target; or nothing of what judged")
	}
	return s
}

func TestJUnitHasATestCaseForEachCase(t *testing.T) {
	s := junit(t, made())
	if s.Tests != 4 || s.Failures != 1 || s.Errors != 0 || s.Skipped != 2 || len(s.Suites) != 2 {
		t.Errorf("%d tests, %d failures, %d errors, %d skipped in %d suites", s.Tests, s.Failures, s.Errors, s.Skipped, len(s.Suites))
	}
	failed := s.Suites[0].Cases[0]
	if failed.Name != "updateCampaign/401/no-key" || failed.Class != "updateCampaign.401" || failed.Time != "0.25" {
		t.Errorf("case %q of class %q took %q", failed.Name, failed.Class, failed.Time)
	}
	if p := failed.Properties; len(p) != 2 || p[0].Value != "AUTH-1" || p[1].Value != "stated" {
		t.Errorf("properties %v", p)
	}
	if f := failed.Failure; f == nil || f.Message != "updateCampaign answered 200 where 401 was expected" ||
		!strings.Contains(f.Text, "expected  status 401") || !strings.Contains(f.Text, "curl -i http") {
		t.Errorf("failure %+v", f)
	}
	if skipped := s.Suites[0].Cases[2].Skipped; skipped == nil || skipped.Message != "credentials.stranger is not in the target file" {
		t.Errorf("skipped %+v", skipped)
	}
	junit(t, hostile())
}

func TestJUnitIsRedWhenTheRunFails(t *testing.T) {
	r := made()
	r.Results[2].Cause = judge.BySuite
	if s := junit(t, r); s.Errors != 1 || s.Failures != 1 || s.Skipped != 1 {
		t.Errorf("%d errors, %d skipped: a defect of the suite is an error", s.Errors, s.Skipped)
	}
	r = made()
	r.Results = r.Results[1:] // nothing failed, two cases were not tested
	r.Verdict, r.Reason, r.ExitCode = report.Inconclusive, "1 stated clause not tested: AUTH-2", report.ExitInconclusive
	if s := junit(t, r); s.Errors != 1 || s.Tests != 4 {
		t.Errorf("%d errors of %d tests, want one that tells the verdict", s.Errors, s.Tests)
	}
	r.ExitCode = report.ExitConforming // --allow-inconclusive
	if s := junit(t, r); s.Errors+s.Failures != 0 {
		t.Errorf("%d errors, %d failures, want none", s.Errors, s.Failures)
	}
}
