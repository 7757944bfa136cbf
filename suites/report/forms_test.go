package report_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// forms are all formats of a report, by file.
var forms = map[string]func(*report.View, io.Writer) error{
	"report.json": (*report.View).WriteJSON, "report.html": (*report.View).WriteHTML, "junit.xml": (*report.View).WriteJUnit,
	"findings.sarif": (*report.View).WriteSARIF, "traffic.har": (*report.View).WriteHAR, "summary.md": (*report.View).WriteMarkdown,
	"terminal": func(v *report.View, w io.Writer) error { return v.Summary(w, report.Style{Width: 200}) },
}

// One finding is one cause in every format: all name the same findings, in the same order, and count
// them like the headline. Two causes may break one clause at one place of one operation.
func TestEveryFormNamesTheSameFindings(t *testing.T) {
	r := real(t)
	v := report.NewView(r)
	var want []named
	places := map[oracle.Cause]int{}
	for _, f := range v.Failing {
		want = append(want, named{f.Title, true})
		places[f.Cause()]++
	}
	if shared := slices.Max(slices.Collect(maps.Values(places))); shared < 2 {
		t.Error("no two causes break one clause at one place")
	}
	if !slices.IsSortedFunc(v.Failing, func(a, b *oracle.Finding) int {
		return slices.Index(spec.Impacts(), a.Impact) - slices.Index(spec.Impacts(), b.Impact)
	}) {
		t.Errorf("not by impact: %v", want)
	}
	if !strings.Contains(v.Headline, fmt.Sprintf(": %d findings; tested", len(want))) {
		t.Errorf("%s: %d findings", v.Headline, len(want))
	}
	var plain struct{ Findings []named }
	noError(t, json.Unmarshal([]byte(written(t, r, forms["report.json"])), &plain))
	lists := map[string][]named{"report.json": plain.Findings}
	for _, f := range dataOf(t, pageOf(t, r)).Report.Findings {
		lists["report.html"] = append(lists["report.html"], named{f.Title, f.Fails})
	}
	for _, result := range sarif(t, r).Results {
		lists["findings.sarif"] = append(lists["findings.sarif"], result.Properties)
	}
	for form, findings := range lists {
		findings = slices.DeleteFunc(findings, func(f named) bool { return !f.Fails })
		if diff := cmp.Diff(want, findings); diff != "" {
			t.Errorf("%s: %s", form, diff)
		}
	}
	failures := ""
	for _, s := range junit(t, r).Suites {
		for _, c := range s.Cases {
			if c.Failure != nil {
				failures += c.Failure.Message + "\n"
			}
		}
	}
	inWords := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	for form, text := range map[string]string{
		"terminal": written(t, r, forms["terminal"]), "summary.md": written(t, r, forms["summary.md"]), "junit.xml": failures,
	} {
		for _, f := range want {
			if !strings.Contains(inWords(text), inWords(f.Title)) {
				t.Errorf("%s does not name %q", form, f.Title)
			}
		}
	}
}

// Unprintable text would affect a terminal, a CI system or a browser.
func TestEveryFormIsClean(t *testing.T) {
	for file, write := range forms {
		text := written(t, hostile(), write)
		if !strings.Contains(text, "pwned") || file == "report.json" && strings.Contains(text, "##[") {
			t.Errorf("%s: %.300s", file, text)
		}
	}
	var back report.Report
	noError(t, json.Unmarshal([]byte(written(t, hostile(), forms["report.json"])), &back))
	if want := strings.ToValidUTF8(evil, "\ufffd"); back.Findings[len(hostilities)-1].Expected != want {
		t.Errorf("reads back as %q, want %q", back.Findings[len(hostilities)-1].Expected, want)
	}
}

// The cost of a finding does not grow with their number. The output for people is limited, and so are the
// findings of one case: a list with every item wrong has thousands.
func TestTenThousandFindings(t *testing.T) {
	few, many := reftest.Of(1_000, 50), reftest.Of(10_000, 500)
	less, more := large(few, few), large(many, many)
	for file, write := range forms {
		small, large := written(t, less, write), written(t, more, write)
		if len(large) > 11*len(small) || len(large) > 70_000 && file == "summary.md" {
			t.Errorf("%s: %d bytes for %d findings, %d for %d", file, len(small), few, len(large), many)
		}
		each := map[string]string{"findings.sarif": `"ruleId":`, "traffic.har": `_seq":`, "junit.xml": "<failure "}[file]
		if n := strings.Count(large, each); each != "" && n%many != 0 {
			t.Errorf("%s: %d times %s", file, n, each)
		}
	}
	r, long := made(), finding("updateCampaign")
	for i := range 500 {
		long.ID, long.Pointer = fmt.Sprint(i), fmt.Sprintf("/data/%d", i)
		if long.Curl = ""; i < 3 {
			long.Curl = strings.Repeat("x", 1<<17)
		}
		r.Results[0].Findings = append(r.Results[0].Findings, long)
	}
	if text := written(t, r, forms["junit.xml"]); len(text) > 100_000 || !strings.Contains(text, " and 40 more") {
		t.Errorf("junit.xml has %d bytes", len(text))
	}
	if n := strings.Count(written(t, r, forms["report.json"]), `"/data/`); n > 50 || len(r.Results[0].Findings) != 501 {
		t.Errorf("report.json has %d findings, and the report itself %d", n, len(r.Results[0].Findings))
	}
}

// .ci/formats shows that the schema detects errors.
func TestReportsMatchTheSchema(t *testing.T) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile("report.schema.json")
	noError(t, err)
	for name, r := range map[string]*report.Report{"real": real(t), "made": made(), "empty lists": {
		Schema: report.Schema, Verdict: report.Inconclusive, Reason: "none", Level: report.Complete, ExitCode: 3, Depth: "quick",
		OpenPoints: []report.OpenPoint{{}}, Results: []report.Case{{ID: "a/b/c", Status: "passed"}},
	}} {
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(written(t, r, forms["report.json"])))
		if err = errors.Join(err, schema.Validate(document)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
