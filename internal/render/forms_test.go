package render_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// forms are all formats of a report, by file.
var forms = map[string]func(*render.View, io.Writer) error{
	"report.json": (*render.View).WriteJSON, "report.html": (*render.View).WriteHTML, "junit.xml": (*render.View).WriteJUnit,
	"findings.sarif": (*render.View).WriteSARIF, "traffic.har": (*render.View).WriteHAR, "summary.md": (*render.View).WriteMarkdown,
	"terminal": func(v *render.View, w io.Writer) error { return v.Summary(w, render.Style{Width: 200}) },
}

// One finding is one cause in every format: all name the same findings, in the same order, and count
// them like the headline. Two causes may break one clause at one place of one operation.
func TestEveryFormNamesTheSameFindings(t *testing.T) {
	r := real(t)
	v := render.NewView(r)
	var want []named
	places := map[report.Site]int{}
	for _, f := range v.Failing {
		want = append(want, named{f.Title, true})
		places[f.Site()]++
	}
	if shared := slices.Max(slices.Collect(maps.Values(places))); shared < 2 {
		t.Error("no two causes break one clause at one place")
	}
	if !slices.IsSortedFunc(v.Failing, func(a, b *report.Finding) int {
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
	inWords := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	for form, text := range map[string]string{
		"terminal": written(t, r, forms["terminal"]), "summary.md": written(t, r, forms["summary.md"]), "junit.xml": failuresOf(t, r),
	} {
		for _, f := range want {
			if !strings.Contains(inWords(text), inWords(f.Title)) {
				t.Errorf("%s does not name %q", form, f.Title)
			}
		}
	}
}

// failuresOf returns the messages of a report's JUnit file.
func failuresOf(t *testing.T, r *report.Report) (messages string) {
	t.Helper()
	for _, s := range junit(t, r).Suites {
		for _, c := range s.Cases {
			if c.Failure != nil {
				messages += c.Failure.Message + "\n"
			}
		}
	}
	return messages
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
	r, long := made(), exampleOf("updateCampaign")
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
	schema, err := c.Compile("../../suites/report/report.schema.json")
	noError(t, err)
	for name, r := range map[string]*report.Report{"real": real(t), "made": made()} {
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(written(t, r, forms["report.json"])))
		if err = errors.Join(err, schema.Validate(document)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// suitesXML is what a CI system reads from junit.xml.
type suitesXML struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"disabled,attr"`
	Suites   []struct {
		Cases []struct {
			Name    string     `xml:"name,attr"`
			Class   string     `xml:"classname,attr"`
			Time    string     `xml:"time,attr"`
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
	text := written(t, r, (*render.View).WriteJUnit)
	// Read every token: the decoder rejects what XML 1.0 does not allow.
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("no well-formed XML: %v", err)
		}
	}
	noError(t, xml.Unmarshal([]byte(text), &s))
	if strings.Contains(text, "<script>") || !strings.Contains(text, " seeded faults") {
		t.Error("a tag of the target; or nothing of what judged")
	}
	return s
}

func TestJUnitHasATestCaseForEachCase(t *testing.T) {
	junit(t, hostile())
	s := junit(t, made())
	if len(s.Suites) != 2 {
		t.Fatalf("%d suites", len(s.Suites))
	}
	failed := s.Suites[0].Cases[0]
	if failed.Failure == nil || s.Suites[0].Cases[2].Skipped == nil {
		t.Fatalf("%+v", s.Suites[0])
	}
	got := []string{
		failed.Name, failed.Class, failed.Time, failed.Failure.Message, s.Suites[0].Cases[2].Skipped.Message,
	}
	if diff := cmp.Diff([]string{
		"updateCampaign/401/no-key", "updateCampaign.401", "0.25", "updateCampaign: expected status 401; got status 200",
		"credentials.stranger is not in the target file",
	}, got); diff != "" {
		t.Error(diff)
	}
	if text := failed.Failure.Text; !strings.Contains(text, "expected  status 401") || !strings.Contains(text, "curl -i http") {
		t.Errorf("failure %q", text)
	}
}

// A run that fails has a failure, a defect of the suite is an error, and no other run has either.
func TestJUnitIsRedWhenTheRunFails(t *testing.T) {
	for want, change := range map[[4]int]func(*report.Report){ // tests, failures, errors, skipped
		{4, 1, 0, 2}: func(*report.Report) {},
		{4, 1, 1, 1}: func(r *report.Report) { r.Results[2].Cause = report.BySuite },
		{4, 0, 1, 2}: func(r *report.Report) { // nothing failed, two cases were not tested: one more tells the verdict
			r.Results, r.Verdict, r.ExitCode = r.Results[1:], report.Inconclusive, report.ExitInconclusive
		},
		{3, 0, 0, 2}: func(r *report.Report) { r.Results, r.Verdict, r.ExitCode = r.Results[1:], report.Inconclusive, 0 }, // allowed
	} {
		r := made()
		change(r)
		if s := junit(t, r); [4]int{s.Tests, s.Failures, s.Errors, s.Skipped} != want {
			t.Errorf("%d tests, %d failures, %d errors, %d skipped; want %v", s.Tests, s.Failures, s.Errors, s.Skipped, want)
		}
	}
}

// sarifRun is what code scanning reads from findings.sarif.
type sarifRun struct {
	Tool struct {
		Driver struct {
			Version string
			Rules   []struct {
				ID                     string
				ShortDescription, Help message
				DefaultConfiguration   struct{ Level string }
				Properties             map[string]any
			}
		}
	}
	Invocations []struct {
		ExitCode            int
		ExitCodeDescription string
	}
	Results []struct {
		RuleID, Level       string
		Message             message
		PartialFingerprints map[string]string
		Properties          named
		Suppressions        []struct{ Justification string }
		Locations           []struct {
			PhysicalLocation struct {
				ArtifactLocation struct{ URI string }
				Region           struct{ StartLine int }
			}
		}
	}
}

type message struct{ Text string }

// named is a finding by its name.
type named struct {
	Title string
	Fails bool
}

func sarif(t *testing.T, r *report.Report) sarifRun {
	t.Helper()
	var log struct {
		Version string
		Runs    []sarifRun
	}
	if err := json.Unmarshal([]byte(written(t, r, (*render.View).WriteSARIF)), &log); err != nil || log.Version != "2.1.0" ||
		len(log.Runs) != 1 {
		t.Fatalf("%v, version %q, %d runs", err, log.Version, len(log.Runs))
	}
	return log.Runs[0]
}

func TestSARIFHasAResultForEachFinding(t *testing.T) {
	r := made()
	for _, s := range []report.Severity{report.Notice, report.Transport} {
		f := exampleOf("deleteCreative")
		f.Severity, f.Clause, f.Known = s, "ERR-1", "ticket 7"
		r.Findings = append(r.Findings, f)
	}
	run := sarif(t, r)
	contract := spec.Load()
	rules := run.Tool.Driver.Rules
	if run.Tool.Driver.Version != "0.0.0-devel" || len(rules) != len(contract.Clauses) ||
		run.Invocations[0].ExitCode != 1 || run.Invocations[0].ExitCodeDescription != render.VerdictLine(r) {
		t.Errorf("version %q, %d rules, %+v", run.Tool.Driver.Version, len(rules), run.Invocations)
	}
	var levels []string
	for i, res := range run.Results {
		f := r.Findings[i]
		levels = append(levels, res.Level)
		if res.RuleID != f.Clause || len(res.Suppressions) != min(i, 1) || res.Locations == nil || len(res.Locations) > 0 {
			t.Errorf("result %d: %+v", i, res)
		}
	}
	const message = "updateCampaign: expected status 401; got status 200"
	if got := run.Results[0].Message.Text; fmt.Sprint(levels) != "[error note warning]" || got != message {
		t.Errorf("levels %v, message %q", levels, got)
	}
	rule := rules[slices.IndexFunc(contract.Clauses, func(c *spec.Clause) bool { return c.ID == run.Results[0].RuleID })]
	if !strings.Contains(rule.Help.Text, "Basis: stated, the interface document says it.\nSource: interface document, ") ||
		rule.ShortDescription.Text == "" || rule.DefaultConfiguration.Level != "error" || rule.Properties["security-severity"] != "9.5" {
		t.Errorf("rule %+v", rule)
	}
	braces, links := regexp.MustCompile(`(^|[^{]){(\d+)}`), regexp.MustCompile(`[^\\]\[[^\]]*\]\(`)
	for _, res := range sarif(t, hostile()).Results {
		if text := res.Message.Text; braces.MatchString(text) || links.MatchString(text) {
			t.Errorf("a placeholder or a link in %q", text)
		}
	}
}

// A location is a line of a file in the repository around the working directory, as code scanning wants it.
func TestSARIFLocations(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"a/.git", "a/b"} {
		noError(t, os.MkdirAll(filepath.Join(root, filepath.FromSlash(dir)), 0o700))
	}
	for _, file := range []string{"outside.yaml", "a/over lay.yaml", "a/b/target.yaml"} {
		text := "actions:\n- target: $\n- target: $.paths['/campaigns/{campaignId}']\n"
		noError(t, os.WriteFile(filepath.Join(root, filepath.FromSlash(file)), []byte(text), 0o600))
	}
	noError(t, os.WriteFile(filepath.Join(root, "a", "empty.yaml"), nil, 0o600))
	t.Chdir(filepath.Join(root, "a", "b"))
	for _, row := range []struct {
		file    string // of line 7
		overlay string
		want    string
	}{
		{"target.yaml", "", "b/target.yaml 7"},
		{filepath.Join(root, "a", "b", "target.yaml"), "../over lay.yaml", "b/target.yaml 7"},
		{"", "../over lay.yaml", "over%20lay.yaml 3"},
		{"../../outside.yaml", "../over lay.yaml", "over%20lay.yaml 3"},
		{"", "target.yaml,../../outside.yaml,../over lay.yaml", "b/target.yaml 3"},
		{"", "../empty.yaml,../over lay.yaml", "over%20lay.yaml 3"},
		{"", "../../outside.yaml,../empty.yaml", "empty.yaml 1"},
		{"../../outside.yaml", "", ""},
		{"gone.yaml", "", ""},
		{".", "", ""},
		{"", "", ""},
	} {
		r, got := made(), ""
		r.Target.Overlay, r.Places = row.overlay, map[string]report.Place{r.Findings[0].ID: {File: row.file, Line: 7}}
		for _, l := range sarif(t, r).Results[0].Locations {
			got += fmt.Sprint(l.PhysicalLocation.ArtifactLocation.URI, " ", l.PhysicalLocation.Region.StartLine)
		}
		if got != row.want {
			t.Errorf("%q, overlay %q: %q, want %q", row.file, row.overlay, got, row.want)
		}
	}
}

// A finding has the same identity in the next run, whatever value was seen, and no other finding has it.
func TestFingerprints(t *testing.T) {
	seen := map[string]bool{}
	for _, res := range sarif(t, real(t)).Results {
		print := res.PartialFingerprints["finding/v3"]
		if print == "" || seen[print] || res.PartialFingerprints["primaryLocationLineHash"] != print+":1" {
			t.Errorf("fingerprint %q of %s is not unique", print, res.Message.Text)
		}
		seen[print] = true
	}
	a := report.Finding{Check: "schema", Operation: "listCreativeMediaFiles", Clause: "MEDIA-2", Pointer: "/data/0/id", Got: `"1"`}
	same, other, elsewhere := a, a, a
	same.Pointer, same.Got, same.Case = "/data/17/id", `"x"`, "other"
	other.Check, elsewhere.Pointer = "identity", "/data/0/name"
	if id := a.Site().ID(); id != same.Site().ID() || id == other.Site().ID() || id == elsewhere.Site().ID() {
		t.Error("another fingerprint for one cause, or one for two")
	}
}

// All text from a target is in one code block, where GitHub parses no HTML, links or mentions.
func TestMarkdownOfAHostileTargetIsCode(t *testing.T) {
	source := written(t, hostile(), (*render.View).WriteMarkdown)
	head, block, _ := strings.Cut(source, "\n\n")
	fence, code, _ := strings.Cut(block, "text\n")
	code, end := strings.CutSuffix(code, fence+"\n")
	if !end || strings.Trim(fence, "`") != "" || len(fence) < 3 || strings.Contains(code, fence) || strings.Contains(head, "\n") ||
		strings.ContainsAny(head, "<[@") || !strings.Contains(code, "octocat") {
		t.Errorf("%s\n\n%s, ended %t", head, fence, end)
	}
}

// It has what the terminal shows, and stays below GitHub's size limit.
func TestMarkdownTellsWhatIsWrong(t *testing.T) {
	long := large(100, 1_000)
	long.Findings[0].Curl = "curl " + strings.Repeat("x", 1<<20)
	long.Changes = changes
	for r, wants := range map[*report.Report][]string{
		made(): {
			"# ❌ adconform: nonconforming\n",
			"\nupdateCampaign: expected status 401; got status 200\n  clause    AUTH-1 (stated, critical) ", "\n```\n",
		},
		long: {"\n… and more, see report.json\n", "is too long to show here; see DIR/report.html#", "connectionProfile 12 (updated): "},
	} {
		source := written(t, r, (*render.View).WriteMarkdown)
		for _, want := range wants {
			if len(source) > 70_000 || !strings.Contains(source, want) {
				t.Errorf("%d bytes, %q is missing:\n%.3000s", len(source), want, source)
			}
		}
	}
}
