package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

// object is an object of JSON.
type object = map[string]any

// WriteSARIF writes the findings as SARIF 2.1.0 (OASIS): rules are clauses, and locations are
// lines of the OpenAPI document, which the file contains, since the repository that
// shows the findings is the target's.
func (v *View) WriteSARIF(w io.Writer) error {
	contract := spec.Load()
	version := strings.TrimPrefix(strings.Replace(v.Suite.Version, "devel", "0.0.0-devel", 1), "v") // readers require a number
	results, rules := []object{}, []object{}
	for i := range v.Findings {
		results = append(results, sarifResult(&v.Findings[i], contract))
	}
	for _, c := range contract.Clauses {
		rules = append(rules, sarifRule(c))
	}
	if text := v.sarifVerdict(); text != "" {
		results = append(results, object{
			"ruleId": verdictRule, "level": "error", "message": sarifText(sarifMessage(text)),
			"partialFingerprints": object{"finding/v3": verdictRule}, "locations": sarifLocations(1),
		})
		rules = append(rules, object{
			"id": verdictRule, "shortDescription": sarifText("A run fails for another reason than a finding."),
			"fullDescription":      sarifText("The run is inconclusive, or its baseline is out of date."),
			"defaultConfiguration": object{"level": "error"},
		})
	}
	run := object{
		"tool": object{"driver": object{
			"name": v.Suite.Name, "version": version, "informationUri": "https://github.com/adconform/adconform",
			"rules": rules,
		}},
		"automationDetails": object{"id": v.Suite.Name + "/"},
		"invocations": []object{{
			"executionSuccessful": !v.Interrupted && v.Stopped == "", "exitCode": v.ExitCode, "exitCodeDescription": v.Headline,
		}},
		"artifacts":  []object{{"location": object{"uri": spec.OpenAPIFile}, "contents": sarifText(string(spec.OpenAPI()))}},
		"columnKind": "unicodeCodePoints", "results": results,
		"properties": object{
			"verdict": v.Verdict, "level": v.Level, "notShown": v.NotShown, "target": wording.Printable(v.Target.Name),
			"baseURL": wording.Printable(v.Target.BaseURL), "insecure": v.Insecure, "selfTest": v.Suite.SelfTest.String(),
			"findings": len(v.Failing),
		},
	}
	return WriteJSON(w, object{
		"$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		"version": "2.1.0", "runs": []object{run},
	}, "  ")
}

func sarifText(text string) object { return object{"text": text} }

// ranks maps impacts to GitHub's security-severity (0 to 10), by which it sorts alerts.
var ranks = map[spec.Impact]string{spec.Critical: "9.5", spec.Major: "6.0", spec.Minor: "3.0"}

func sarifRule(c *spec.Clause) object {
	level := "error"
	if c.Basis == spec.Chosen {
		level = "note"
	}
	help := fmt.Sprintf("%s\n\nBasis: %s, %s.\nSource: %s.\nMore: adconform explain %s", c.Text, c.Basis, c.Meaning(), c.Source, c.ID)
	return object{
		"id": c.ID, "shortDescription": sarifText(c.Text), "fullDescription": sarifText(c.Text), // GitHub requires both
		"help": sarifText(help), "defaultConfiguration": object{"level": level},
		"properties": object{
			"basis": c.Basis, "source": c.Source, "operation": c.Operation, "impact": c.Impact, "security-severity": ranks[c.Impact],
			"tags": []string{"basis:" + string(c.Basis), "operation:" + c.Operation},
		},
	}
}

// sarifLevels maps severities to levels.
var sarifLevels = map[oracle.Severity]string{oracle.Violation: "error", oracle.Transport: "warning", oracle.Notice: "note"}

// sarifResult returns a finding at the line of its operation in the document.
func sarifResult(f *oracle.Finding, contract *spec.Contract) object {
	line := 1
	if op := contract.Operation(f.Operation); op != nil {
		line = op.Line
	}
	result := object{
		"ruleId": f.Clause, "level": sarifLevels[f.Severity], "message": sarifText(sarifMessage(Told(f))),
		"partialFingerprints": object{"finding/v3": f.ID}, "properties": f, "locations": sarifLocations(line),
	}
	if f.Ignored != "" {
		result["level"] = "warning"
	}
	if f.Seen > 0 {
		result["occurrenceCount"] = f.Seen
	}
	if f.Known != "" {
		result["suppressions"] = []object{{"kind": "external", "justification": wording.Printable(f.Known)}}
	}
	return result
}

// verdictRule is the rule of the result for a run that fails for another reason than a finding.
const verdictRule = "verdict"

// sarifVerdict says why a run fails, unless findings say all of it; "" otherwise.
func (v *View) sarifVerdict() string {
	stale := v.Baseline != nil && len(v.Baseline.Stale) > 0
	if v.ExitCode == ExitConforming || len(v.Failing) > 0 && !stale {
		return ""
	}
	text := v.VerdictWords() + ": " + v.Reason
	if stale {
		text += ": " + wording.Some(v.Baseline.Stale, maxNamed)
	}
	return wording.Printable(text)
}

// sarifLocations returns a line of the document as the place of a result.
func sarifLocations(line int) []object {
	return []object{{"physicalLocation": object{
		"artifactLocation": object{"uri": spec.OpenAPIFile, "index": 0}, "region": object{"startLine": line},
	}}}
}

// sarifMessage escapes what would be read as placeholders (SARIF 2.1.0
// §3.11.5) or embedded links (§3.11.6).
func sarifMessage(text string) string {
	return strings.NewReplacer("{", "{{", "}", "}}", "[", `\[`, "]", `\]`, `\`, `\\`).Replace(text)
}
