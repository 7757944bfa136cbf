package report

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

const (
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	homePage    = "https://github.com/adconform/adconform"
)

// WriteSARIF writes the findings as SARIF 2.1.0 (OASIS): the rules are the clauses, the
// places are lines of the OpenAPI document, which the file holds, since the repository that
// shows the findings is the target's.
func (v *View) WriteSARIF(w io.Writer) error {
	contract, err := spec.Load()
	if err != nil {
		return err
	}
	run := v.sarifRun()
	for _, c := range contract.Clauses {
		run.Tool.Driver.AddRule(newSARIFRule(c))
	}
	lines := strings.Split(string(spec.OpenAPI()), "\n")
	for i := range v.Findings {
		f := &v.Findings[i]
		if run.GetRuleIndex(f.Clause) < 0 {
			run.Tool.Driver.AddRule(newSARIFRule(spec.Clause{ID: f.Clause, Basis: f.Basis, Text: f.Clause, Impact: spec.Minor}))
		}
		place := sarifPlace(lines, contract.LineOf(f.Operation, f.Clause))
		run.AddResult(newSARIFResult(f, place).WithRuleIndex(run.GetRuleIndex(f.Clause)))
	}
	log := sarif.NewReport().AddRun(run)
	log.Schema = sarifSchema
	data, err := json.Marshal(log)
	if err != nil {
		return err
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		return err
	}
	dropUnset(tree)
	return files.WriteJSON(w, tree, "  ")
}

// dropUnset leaves out the indices that are not set. The library writes them as -1, of which
// validators warn (SARIF 2.1.0 §3.4).
func dropUnset(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			dropUnset(item)
		}
	case map[string]any:
		for name, member := range v {
			if member == -1.0 && strings.HasSuffix(strings.ToLower(name), "index") {
				delete(v, name)
			}
			dropUnset(member)
		}
	}
}

func (v *View) sarifRun() *sarif.Run {
	document := spec.OpenAPI()
	run := sarif.NewRunWithInformationURI(v.Suite.Name, homePage)
	run.Tool.Driver.WithVersion(sarifVersion(v.Suite.Version)).WithFullName(v.Suite.Name + " " + v.Suite.Version).WithLanguage("en")
	run.WithAutomationDetails(sarif.NewRunAutomationDetails().WithID(v.Suite.Name + "/"))
	ended := v.Started.Add(time.Duration(v.DurationSeconds * float64(time.Second)))
	run.AddInvocation(sarif.NewInvocation().WithExecutionSuccessful(!v.Interrupted).
		WithStartTimeUtc(v.Started.Format(time.RFC3339Nano)).WithEndTimeUtc(ended.Format(time.RFC3339Nano)).
		WithExitCode(v.ExitCode).WithExitCodeDescription(v.Headline))
	run.AddArtifact(sarif.NewArtifact().WithLocation(sarif.NewSimpleArtifactLocation(spec.OpenAPIFile).WithIndex(0)).
		WithHashes(map[string]string{"sha-256": fmt.Sprintf("%x", sha256.Sum256(document))}).
		WithContents(sarif.NewArtifactContent().WithText(string(document))))
	return run.WithLanguage("en").WithNewlineSequences([]string{"\n"}).WithColumnKind("unicodeCodePoints").
		WithProperties(sarifProperties(map[string]any{
			"verdict": v.Verdict, "level": v.Level, "notShown": v.notShown(), "target": wording.Printable(v.Target.Name),
			"baseURL": wording.Printable(v.Target.BaseURL), "insecure": v.Insecure, "selfTest": v.Suite.SelfTest.String(),
			"findings": len(v.Failing),
		}))
}

func sarifProperties(properties map[string]any) *sarif.PropertyBag {
	bag := sarif.NewPropertyBag()
	bag.Properties = properties
	return bag
}

// ranks are the impacts as those who sort alerts take them: GitHub's security-severity, from 0
// to 10.
var ranks = map[spec.Impact]string{spec.Critical: "9.5", spec.Major: "6.0", spec.Minor: "3.0"}

func newSARIFRule(c spec.Clause) *sarif.ReportingDescriptor {
	level := sarif.LevelError
	if c.Basis == spec.Chosen {
		level = sarif.LevelNote
	}
	text := sarif.NewMultiformatMessageString().WithText(c.Text)
	help := fmt.Sprintf("%s\n\nBasis: %s, %s.\nSource: %s.\nMore: adconform explain %s", c.Text, c.Basis, c.Meaning(), c.Source, c.ID)
	properties := sarifProperties(map[string]any{
		"basis": c.Basis, "source": c.Source, "operation": c.Operation, "impact": c.Impact, "security-severity": ranks[c.Impact],
	})
	return sarif.NewRule(c.ID).WithShortDescription(text).WithFullDescription(text).
		WithHelp(sarif.NewMultiformatMessageString().WithText(help)).
		WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(level)).
		WithProperties(properties.WithTags([]string{"basis:" + string(c.Basis), "operation:" + c.Operation}))
}

// sarifLevels are the levels of the severities.
var sarifLevels = map[oracle.Severity]string{
	oracle.Violation: sarif.LevelError, oracle.Transport: sarif.LevelWarning, oracle.Notice: sarif.LevelNote,
}

// sarifPlace is a line of the document, with those around it.
func sarifPlace(lines []string, line int) *sarif.PhysicalLocation {
	region := func(from, to int) *sarif.Region {
		return sarif.NewSimpleRegion(from, to).WithSnippet(sarif.NewArtifactContent().WithText(strings.Join(lines[from-1:to], "\n")))
	}
	return sarif.NewPhysicalLocation().WithArtifactLocation(sarif.NewSimpleArtifactLocation(spec.OpenAPIFile).WithIndex(0)).
		WithRegion(region(line, line)).WithContextRegion(region(max(1, line-1), min(len(lines), line+3)))
}

func newSARIFResult(f *oracle.Finding, place *sarif.PhysicalLocation) *sarif.Result {
	properties := map[string]any{
		"title": f.Title, "check": f.Check, "explain": explain(f),
		"impact": f.Impact, "fails": f.Fails, "case": f.Case, "cases": f.Cases, "clauses": f.Clauses,
		"operations": f.Operations, "basis": f.Basis, "seen": f.Seen, "of": f.Of, "expected": f.Expected, "got": f.Got,
		"curl": f.Curl, "cause": f.CauseWords, "with": f.Shows, "says": serverSays(f), "sent": sentOf(f), "ignored": f.Ignored,
		"hint": f.Hint, "newCases": f.NewCases,
	}
	for name, value := range properties {
		switch value := value.(type) {
		case string:
			properties[name] = wording.Printable(value)
			if value == "" {
				delete(properties, name)
			}
		case []string:
			if len(value) == 0 {
				delete(properties, name)
			}
		}
	}
	if f.WFC > 0 {
		properties["wfc"] = f.WFC
	}
	result := sarif.NewRuleResult(f.Clause).WithLevel(sarifLevels[f.Severity]).WithMessage(sarif.NewTextMessage(sarifMessage(Told(f)))).
		WithPartialFingerprints(map[string]string{"finding/v3": f.ID}).WithProperties(sarifProperties(properties))
	location := sarif.NewLocationWithPhysicalLocation(place)
	var names []string
	for _, at := range append([]oracle.Cause{f.Cause()}, f.At...) {
		name := wording.Printable(strings.TrimSuffix(at.Operation+" "+at.Place, " "))
		if slices.Contains(names, name) {
			continue
		}
		names = append(names, name)
		location.AddLogicalLocation(sarif.NewLogicalLocation().WithName(name).WithKind("member").WithFullyQualifiedName(name))
	}
	result.AddLocation(location)
	if f.Seen > 0 {
		result.WithOccurrenceCount(f.Seen)
	}
	if f.Known != "" {
		result.AddSuppression(sarif.NewSuppression().WithKind("external").WithJustification(wording.Printable(f.Known)))
	}
	return result
}

// sarifMessage keeps a text from being read as placeholders (SARIF 2.1.0
// §3.11.5) or embedded links (§3.11.6).
func sarifMessage(text string) string {
	return strings.NewReplacer("{", "{{", "}", "}}", "[", `\[`, "]", `\]`, `\`, `\\`).Replace(text)
}

// sarifVersion is a version that begins with a number, as SARIF's readers want it.
func sarifVersion(version string) string {
	version = strings.TrimPrefix(version, "v")
	if version == "" || version[0] < '0' || version[0] > '9' {
		return "0.0.0-" + version
	}
	return version
}
