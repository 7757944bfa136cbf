package report_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/adconform/adconform/suites/report"
)

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile("report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func asJSON(t *testing.T, r *report.Report) map[string]any {
	t.Helper()
	var b bytes.Buffer
	if err := report.NewView(r).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	return document.(map[string]any)
}

func TestReportsMatchTheSchema(t *testing.T) {
	s := schema(t)
	for name, r := range map[string]*report.Report{"real": realReport(t), "made": made(), "empty lists": {
		Schema: report.Schema, Verdict: report.Inconclusive, Reason: "none", Level: report.Complete, ExitCode: 3, Depth: "quick",
		OpenPoints: []report.OpenPoint{{}}, Results: []report.Case{{ID: "a/b/c", Status: "passed"}},
	}} {
		if err := s.Validate(asJSON(t, r)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheSchemaRefusesWhatIsNoReport(t *testing.T) {
	s, r := schema(t), realReport(t)
	for name, change := range map[string]func(map[string]any){
		"another schema":     func(m map[string]any) { m["schema"] = "adconform/report/v2" },
		"unknown verdict":    func(m map[string]any) { m["verdict"] = "fine" },
		"no findings":        func(m map[string]any) { delete(m, "findings") },
		"unknown member":     func(m map[string]any) { m["more"] = true },
		"null for a list":    func(m map[string]any) { m["changes"] = nil },
		"text for a number":  func(m map[string]any) { m["requests"] = "7" },
		"negative count":     func(m map[string]any) { m["lost"] = json.Number("-1") },
		"no date":            func(m map[string]any) { m["started"] = "yesterday" },
		"finding, severity":  func(m map[string]any) { m["findings"].([]any)[0].(map[string]any)["severity"] = "bad" },
		"clause, its status": func(m map[string]any) { m["clauses"].([]any)[0].(map[string]any)["status"] = "maybe" },
		"case without id":    func(m map[string]any) { delete(m["results"].([]any)[0].(map[string]any), "id") },
	} {
		document := asJSON(t, r)
		change(document)
		if s.Validate(document) == nil {
			t.Errorf("%s: let pass", name)
		}
	}
}
