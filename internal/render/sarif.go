package render

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// object is an object of JSON.
type object = map[string]any

// WriteSARIF writes the findings as SARIF 2.1.0 (OASIS): rules are clauses, and locations are lines of the operator's
// files, since the repository that shows the findings is the target's.
func (v *View) WriteSARIF(w io.Writer) error {
	contract := spec.Load()
	version := strings.TrimPrefix(strings.Replace(v.Suite.Version, "devel", "0.0.0-devel", 1),
		"v") // readers require a number
	results := []object{}
	rules := []object{}
	for i := range v.Findings {
		results = append(results, v.sarifResult(&v.Findings[i], contract))
	}
	for _, c := range contract.Clauses {
		rules = append(rules, sarifRule(c))
	}
	if text := v.sarifVerdict(); text != "" {
		results = append(results, object{
			"ruleId": verdictRule, "level": "error", "message": sarifText(sarifMessage(text)),
			"partialFingerprints": fingerprints(report.Site{Check: verdictRule}.ID()),
			"locations":           v.sarifLocations(v.Places[""], nil),
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
			"executionSuccessful": !v.Interrupted && v.Stopped == "",
			"exitCode":            v.ExitCode, "exitCodeDescription": v.headline(v.Reason),
		}},
		"columnKind": "unicodeCodePoints", "results": results,
		"properties": object{
			"verdict": v.Verdict, "level": v.Level, "notShown": v.NotShown,
			"target":  wording.Printable(v.Target.Name),
			"baseURL": wording.Printable(v.Target.BaseURL), "insecure": v.Insecure,
			"selfTest": FigureWords(v.Suite.SelfTest),
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
var ranks = map[spec.Impact]string{
	spec.Critical: "9.5", spec.Major: "6.0", spec.Minor: "3.0",
}

func sarifRule(c *spec.Clause) object {
	level := "error"
	if c.Basis == spec.Chosen {
		level = "note"
	}
	help := fmt.Sprintf("%s\n\nBasis: %s, %s.\nSource: %s.\nMore: adconform explain %s",
		c.Text, c.Basis, c.Meaning(), c.Source, c.ID)
	return object{
		"id": c.ID, "shortDescription": sarifText(c.Text), "fullDescription": sarifText(c.Text), // GitHub requires both
		"help": sarifText(help), "defaultConfiguration": object{"level": level},
		"properties": object{
			"basis": c.Basis, "source": c.Source, "operation": c.Operation, "impact": c.Impact,
			"security-severity": ranks[c.Impact],
			"tags":              []string{"basis:" + string(c.Basis), "operation:" + c.Operation},
		},
	}
}

// sarifLevels maps severities to levels.
var sarifLevels = map[report.Severity]string{
	report.Violation: "error", report.Transport: "warning", report.Notice: "note",
}

// fingerprints returns the names by which code scanning recognises a result in the next run. GitHub reads only
// primaryLocationLineHash, which ends with the number of the result among those with the same hash.
func fingerprints(id string) object {
	return object{"finding/v3": id, "primaryLocationLineHash": id + ":1"}
}

// sarifResult returns a finding.
func (v *View) sarifResult(f *report.Finding, contract *spec.Contract) object {
	result := object{
		"ruleId": f.Clause, "level": sarifLevels[f.Severity],
		"message":             sarifText(sarifMessage(Told(f))),
		"partialFingerprints": fingerprints(f.ID), "properties": f,
		"locations": v.sarifLocations(v.Places[f.ID],
			contract.Operation(f.Operation)),
	}
	if f.Ignored != "" {
		result["level"] = "warning"
	}
	if f.Seen > 0 {
		result["occurrenceCount"] = f.Seen
	}
	if f.Known != "" {
		result["suppressions"] = []object{
			{"kind": "external", "justification": wording.Printable(f.Known)},
		}
	}
	return result
}

// verdictRule is the rule of the result for a run that fails for another reason than a finding.
const verdictRule = "verdict"

// sarifVerdict says why a run fails, unless findings say all of it; "" otherwise.
func (v *View) sarifVerdict() string {
	stale := v.Baseline != nil && len(v.Baseline.Stale) > 0
	if v.ExitCode == report.ExitConforming || len(v.Failing) > 0 && !stale {
		return ""
	}
	text := v.VerdictWords() + ": " + v.Reason
	if stale {
		text += ": " + wording.Some(v.Baseline.Stale, maxNamed)
	}
	return wording.Printable(text)
}

// sarifLocations returns the place in the target file, or else that of the operation in an overlay, if the file is in
// the working tree: code scanning knows no others.
func (v *View) sarifLocations(at report.Place, op *spec.Operation) []object {
	uri, in := inWorkingTree(at.File)
	if !in {
		uri, at.Line = v.inOverlays(op)
	}
	if uri == "" {
		return []object{}
	}
	return []object{{"physicalLocation": object{
		"artifactLocation": object{"uri": uri},
		"region":           object{"startLine": max(1, at.Line)},
	}}}
}

// inOverlays returns the place of an operation in the overlays, or the beginning of the first one; "" if none is in the
// working tree.
func (v *View) inOverlays(op *spec.Operation) (uri string, line int) {
	for _, overlay := range v.Target.Overlays() {
		at, in := inWorkingTree(overlay)
		if !in {
			continue
		}
		if line := lineOf(overlay, op); line > 0 {
			return at, line
		}
		uri = cmp.Or(uri, at)
	}
	return uri, 1
}

// inWorkingTree returns the path of a file as a URI reference relative to the repository around the working directory
// or, without one, to that directory.
func inWorkingTree(file string) (uri string, in bool) {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	path, err := filepath.Abs(file)
	inside, failed := filepath.Rel(repository(), path)
	if cmp.Or(err, failed) != nil || !filepath.IsLocal(inside) {
		return "", false
	}
	return (&url.URL{Path: filepath.ToSlash(inside)}).String(), true
}

// repository returns the root of the Git repository around the working directory, or that directory.
func repository() string {
	working, _ := filepath.Abs(".")
	for dir := working; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return working
		}
	}
}

// lineOf returns the first line of an overlay that has the path or the id of an operation, or 0.
func lineOf(overlay string, op *spec.Operation) int {
	text, err := wording.ReadFile(overlay, 1)
	if err != nil || op == nil {
		return 0
	}
	for i, line := range bytes.Split(text, []byte("\n")) {
		if bytes.Contains(line, []byte(op.Path)) || bytes.Contains(line, []byte(op.ID)) {
			return i + 1
		}
	}
	return 0
}

// sarifMessage escapes what would be read as placeholders (SARIF 2.1.0
// §3.11.5) or embedded links (§3.11.6).
func sarifMessage(text string) string {
	return strings.NewReplacer("{", "{{", "}", "}}", "[", `\[`, "]", `\]`, `\`, `\\`).Replace(text)
}
