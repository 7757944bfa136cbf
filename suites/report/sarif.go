package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

// The part of SARIF 2.1.0 (OASIS) that is used here.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Automation  sarifID           `json:"automationDetails"`
		Invocations []sarifInvocation `json:"invocations"`
		Artifacts   []sarifArtifact   `json:"artifacts"`
		Language    string            `json:"language"`
		Newlines    []string          `json:"newlineSequences"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
		Properties  map[string]any    `json:"properties"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name        string      `json:"name"`
		Version     string      `json:"version"`
		FullName    string      `json:"fullName"`
		Information string      `json:"informationUri"`
		Language    string      `json:"language"`
		Rules       []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID            string         `json:"id"`
		Short         sarifText      `json:"shortDescription"`
		Full          sarifText      `json:"fullDescription"`
		Help          sarifText      `json:"help"`
		Configuration sarifLevel     `json:"defaultConfiguration"`
		Properties    map[string]any `json:"properties"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifID struct {
		ID string `json:"id"`
	}
	sarifInvocation struct {
		Successful  bool      `json:"executionSuccessful"`
		Start       time.Time `json:"startTimeUtc"`
		End         time.Time `json:"endTimeUtc"`
		ExitCode    int       `json:"exitCode"`
		Description string    `json:"exitCodeDescription"`
	}
	sarifArtifact struct {
		Location sarifURI          `json:"location"`
		Hashes   map[string]string `json:"hashes"`
		Contents sarifText         `json:"contents"`
	}
	sarifURI struct {
		URI   string `json:"uri"`
		Index int    `json:"index"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Occurrences  int               `json:"occurrenceCount,omitempty"`
		Suppressions []sarifSuppressed `json:"suppressions,omitempty"`
		Properties   map[string]any    `json:"properties"`
	}
	sarifSuppressed struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations"`
	}
	sarifPhysical struct {
		Artifact sarifURI    `json:"artifactLocation"`
		Region   sarifRegion `json:"region"`
		Context  sarifRegion `json:"contextRegion"`
	}
	sarifRegion struct {
		StartLine int        `json:"startLine"`
		EndLine   int        `json:"endLine,omitempty"`
		Snippet   *sarifText `json:"snippet,omitempty"`
	}
	sarifLogical struct {
		Name          string `json:"name"`
		QualifiedName string `json:"fullyQualifiedName"`
		Kind          string `json:"kind"`
	}
)

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// WriteSARIF writes the findings as SARIF 2.1.0: the rules are the clauses, the
// places are lines of the OpenAPI document, which the file holds, since the
// repository that shows the findings is the target's.
func WriteSARIF(w io.Writer, r *Report) error {
	contract, err := spec.Load()
	if err != nil {
		return err
	}
	document, lines := spec.Sources()[0], strings.Split(string(spec.OpenAPI()), "\n")
	run := sarifRun{
		Tool: sarifTool{sarifDriver{
			Name: r.Suite.Name, Version: sarifVersion(r.Suite.Version), FullName: r.Suite.Name + " " + r.Suite.Version,
			Information: "https://github.com/adconform/adconform", Language: "en",
		}},
		Automation: sarifID{r.Suite.Name + "/"},
		Invocations: []sarifInvocation{{
			Successful: !r.Interrupted, Start: r.Started, End: r.ended(), ExitCode: r.ExitCode, Description: VerdictLine(r),
		}},
		Artifacts: []sarifArtifact{{
			Location: sarifURI{document.Name, 0}, Hashes: map[string]string{"sha-256": document.SHA256}, Contents: sarifText{string(spec.OpenAPI())},
		}},
		Language: "en", Newlines: []string{"\n"}, ColumnKind: "unicodeCodePoints", Results: []sarifResult{},
		Properties: map[string]any{"verdict": r.Verdict, "level": r.Level, "notShown": notShownTexts(r), "target": Printable(r.Target.Name), "baseURL": Printable(r.Target.BaseURL), "insecure": r.Insecure, "selfTest": r.Suite.SelfTest.String()},
	}
	rules := map[string]int{}
	for i, c := range contract.Clauses {
		rules[c.ID] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, newSARIFRule(c))
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		rule, ok := rules[f.Clause]
		if !ok {
			rule = len(run.Tool.Driver.Rules)
			rules[f.Clause] = rule
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, newSARIFRule(spec.Clause{ID: f.Clause, Basis: f.Basis, Text: f.Clause}))
		}
		run.Results = append(run.Results, newSARIFResult(f, rule, sarifPlace(document.Name, lines, contract.LineOf(f.Operation, f.Clause))))
	}
	return writeJSON(w, sarifLog{sarifSchema, "2.1.0", []sarifRun{run}}, "  ")
}

func newSARIFRule(c spec.Clause) sarifRule {
	level := "error"
	if c.Basis == spec.Chosen {
		level = "note"
	}
	return sarifRule{
		ID: c.ID, Short: sarifText{c.Text}, Full: sarifText{c.Text},
		Help:          sarifText{fmt.Sprintf("%s\n\nBasis: %s, %s.\nSource: %s.", c.Text, c.Basis, c.Basis.Meaning(), c.Source)},
		Configuration: sarifLevel{level},
		Properties:    map[string]any{"basis": c.Basis, "source": c.Source, "operation": c.Operation, "tags": []string{"basis:" + string(c.Basis), "operation:" + c.Operation}},
	}
}

// sarifLevels are the levels of the severities.
var sarifLevels = map[oracle.Severity]string{oracle.Violation: "error", oracle.Transport: "warning", oracle.Notice: "note"}

// sarifPlace is a line of the document, with those around it.
func sarifPlace(document string, lines []string, line int) sarifPhysical {
	const before, after = 1, 3
	from, to := max(1, line-before), min(len(lines), line+after)
	return sarifPhysical{
		sarifURI{document, 0},
		sarifRegion{line, line, &sarifText{lines[line-1]}},
		sarifRegion{from, to, &sarifText{strings.Join(lines[from-1:to], "\n")}},
	}
}

func newSARIFResult(f *oracle.Finding, rule int, place sarifPhysical) sarifResult {
	name := f.Operation
	if f.Pointer != "" {
		name = Printable(f.Pointer)
	}
	properties := map[string]any{
		"check": Printable(f.Check), "case": f.Case, "cases": f.Cases, "basis": f.Basis, "expected": Printable(f.Expected), "got": Printable(f.Got), "curl": Printable(f.Curl),
		"seen": f.Seen, "of": f.Of,
	}
	if len(f.NewCases) > 0 {
		properties["newCases"] = f.NewCases
	}
	if f.WFC > 0 {
		properties["wfc"] = f.WFC
	}
	var suppressed []sarifSuppressed
	if f.Known != "" {
		suppressed = []sarifSuppressed{{"external", Printable(f.Known)}}
	}
	return sarifResult{
		Suppressions: suppressed,
		RuleID:       f.Clause, RuleIndex: rule, Level: sarifLevels[f.Severity], Message: sarifText{sarifMessage(Sentence(f))},
		Locations: []sarifLocation{{
			place,
			[]sarifLogical{{name, Printable(strings.TrimSuffix(f.Operation+" "+f.Pointer, " ")), "member"}},
		}},
		Fingerprints: map[string]string{"finding/v2": f.Cause().ID()}, Occurrences: f.Seen, Properties: properties,
	}
}

// sarifMessage keeps a text from being read as placeholders (SARIF 2.1.0
// §3.11.5) or embedded links (§3.11.6).
func sarifMessage(text string) string {
	return strings.NewReplacer("{", "{{", "}", "}}", "[", `\[`, "]", `\]`, `\`, `\\`).Replace(text)
}

// ended is when the run was over.
func (r *Report) ended() time.Time {
	return r.Started.Add(time.Duration(r.DurationSeconds * float64(time.Second)))
}

// sarifVersion is a version that begins with a number, as SARIF's readers want it.
func sarifVersion(version string) string {
	version = strings.TrimPrefix(version, "v")
	if version == "" || version[0] < '0' || version[0] > '9' {
		return "0.0.0-" + version
	}
	return version
}
