package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
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
func WriteSARIF(w io.Writer, r *Report) error {
	contract, err := spec.Load()
	if err != nil {
		return err
	}
	run := newSARIFRun(r)
	for _, c := range contract.Clauses {
		run.Tool.Driver.AddRule(newSARIFRule(c))
	}
	lines := strings.Split(string(spec.OpenAPI()), "\n")
	for i := range r.Findings {
		f := &r.Findings[i]
		if run.GetRuleIndex(f.Clause) < 0 {
			run.Tool.Driver.AddRule(newSARIFRule(spec.Clause{ID: f.Clause, Basis: f.Basis, Text: f.Clause}))
		}
		place := sarifPlace(lines, contract.LineOf(f.Operation, f.Clause))
		run.AddResult(newSARIFResult(f, place).WithRuleIndex(run.GetRuleIndex(f.Clause)))
	}
	log := sarif.NewReport().AddRun(run)
	log.Schema = sarifSchema
	tree, err := withoutUnset(log)
	if err != nil {
		return err
	}
	return files.WriteJSON(w, tree, "  ")
}

// withoutUnset is a log without the indices that are not set. The library writes them as
// -1, of which validators warn (SARIF 2.1.0 §3.4).
func withoutUnset(log *sarif.Report) (tree any, err error) {
	data, err := json.Marshal(log)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return nil, err
	}
	dropUnset(tree)
	return tree, nil
}

func dropUnset(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			dropUnset(item)
		}
	case map[string]any:
		for name, member := range v {
			if member == any(json.Number("-1")) && strings.HasSuffix(strings.ToLower(name), "index") {
				delete(v, name)
			}
			dropUnset(member)
		}
	}
}

func newSARIFRun(r *Report) *sarif.Run {
	document := spec.OpenAPI()
	run := sarif.NewRunWithInformationURI(r.Suite.Name, homePage)
	run.Tool.Driver.WithVersion(sarifVersion(r.Suite.Version)).WithFullName(r.Suite.Name + " " + r.Suite.Version).WithLanguage("en")
	run.WithAutomationDetails(sarif.NewRunAutomationDetails().WithID(r.Suite.Name + "/"))
	run.AddInvocation(sarif.NewInvocation().WithExecutionSuccessful(!r.Interrupted).
		WithStartTimeUtc(r.Started.Format(time.RFC3339Nano)).WithEndTimeUtc(r.ended().Format(time.RFC3339Nano)).
		WithExitCode(r.ExitCode).WithExitCodeDescription(VerdictLine(r)))
	run.AddArtifact(sarif.NewArtifact().WithLocation(sarif.NewSimpleArtifactLocation(spec.OpenAPIFile).WithIndex(0)).
		WithHashes(map[string]string{"sha-256": fmt.Sprintf("%x", sha256.Sum256(document))}).
		WithContents(sarif.NewArtifactContent().WithText(string(document))))
	return run.WithLanguage("en").WithNewlineSequences([]string{"\n"}).WithColumnKind("unicodeCodePoints").
		WithProperties(sarifProperties(map[string]any{
			"verdict": r.Verdict, "level": r.Level, "notShown": notShownTexts(r), "target": wording.Printable(r.Target.Name),
			"baseURL": wording.Printable(r.Target.BaseURL), "insecure": r.Insecure, "selfTest": r.Suite.SelfTest.String(),
		}))
}

func sarifProperties(properties map[string]any) *sarif.PropertyBag {
	bag := sarif.NewPropertyBag()
	bag.Properties = properties
	return bag
}

func newSARIFRule(c spec.Clause) *sarif.ReportingDescriptor {
	level := sarif.LevelError
	if c.Basis == spec.Chosen {
		level = sarif.LevelNote
	}
	text := sarif.NewMultiformatMessageString().WithText(c.Text)
	help := fmt.Sprintf("%s\n\nBasis: %s, %s.\nSource: %s.\nMore: adconform explain %s", c.Text, c.Basis, c.Basis.Meaning(), c.Source, c.ID)
	properties := sarifProperties(map[string]any{"basis": c.Basis, "source": c.Source, "operation": c.Operation})
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
	const before, after = 1, 3
	region := func(from, to int) *sarif.Region {
		return sarif.NewSimpleRegion(from, to).WithSnippet(sarif.NewArtifactContent().WithText(strings.Join(lines[from-1:to], "\n")))
	}
	return sarif.NewPhysicalLocation().WithArtifactLocation(sarif.NewSimpleArtifactLocation(spec.OpenAPIFile).WithIndex(0)).
		WithRegion(region(line, line)).WithContextRegion(region(max(1, line-before), min(len(lines), line+after)))
}

func newSARIFResult(f *oracle.Finding, place *sarif.PhysicalLocation) *sarif.Result {
	name := f.Operation
	if f.Pointer != "" {
		name = wording.Printable(f.Pointer)
	}
	properties := map[string]any{
		"check": wording.Printable(f.Check), "explain": explain(f),
		"case": f.Case, "cases": f.Cases, "basis": f.Basis, "seen": f.Seen, "of": f.Of,
		"expected": wording.Printable(f.Expected), "got": wording.Printable(f.Got), "curl": wording.Printable(f.Curl),
	}
	for name, value := range map[string]string{"cause": f.CauseWords, "says": serverSays(f), "sent": sentOf(f), "ignored": f.Ignored} {
		if value != "" {
			properties[name] = wording.Printable(value)
		}
	}
	if h := HintFor(f); h != nil {
		properties["hint"] = h.String()
	}
	if len(f.NewCases) > 0 {
		properties["newCases"] = f.NewCases
	}
	if f.WFC > 0 {
		properties["wfc"] = f.WFC
	}
	member := sarif.NewLogicalLocation().WithName(name).WithKind("member").
		WithFullyQualifiedName(wording.Printable(strings.TrimSuffix(f.Operation+" "+f.Pointer, " ")))
	result := sarif.NewRuleResult(f.Clause).WithLevel(sarifLevels[f.Severity]).WithMessage(sarif.NewTextMessage(sarifMessage(Told(f)))).
		AddLocation(sarif.NewLocationWithPhysicalLocation(place).AddLogicalLocation(member)).
		WithPartialFingerprints(map[string]string{"finding/v2": f.Cause().ID()}).WithProperties(sarifProperties(properties))
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
