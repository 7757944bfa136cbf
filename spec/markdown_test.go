package spec_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/template"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/adconform/adconform/spec"
)

var update = flag.Bool("update", false, "write docs/contract.md and docs/interface.md again")

// The contract as pages for vendors: what is judged and on which basis, what is
// open, and the interface itself.
func TestContractPagesAreFresh(t *testing.T) {
	c := spec.Load()
	of := map[string][]*spec.Clause{} // by operation
	for _, cl := range c.Clauses {
		of[cl.Operation] = append(of[cl.Operation], cl)
	}
	functions := template.FuncMap{
		"cell": strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace,
		"kind": typeOf,
		"add":  func(a, b int) int { return a + b },
	}
	for name, content := range map[string]any{"contract.md": contractPage(c, of), "interface.md": interfacePage(t, c, of)} {
		text, err := template.New(name + ".tmpl").Funcs(functions).ParseFiles("testdata/" + name + ".tmpl")
		noError(t, err)
		var page bytes.Buffer
		noError(t, text.Execute(&page, content))
		file := filepath.Join("../docs", name)
		if *update {
			noError(t, os.WriteFile(file, page.Bytes(), 0o644))
		}
		written, err := os.ReadFile(file)
		noError(t, err)
		if !bytes.Equal(written, page.Bytes()) {
			t.Errorf("%s is stale: run make generate", file)
		}
	}
}

func contractPage(c *spec.Contract, of map[string][]*spec.Clause) any {
	type section struct {
		Title, Path string
		Clauses     []*spec.Clause
	}
	sections := []section{{Title: "Every operation", Clauses: of["all"]}}
	for _, op := range c.Operations {
		if len(of[op.ID]) > 0 {
			sections = append(sections, section{op.Summary, op.Method + " " + op.Path, of[op.ID]})
		}
	}
	return map[string]any{"Sections": sections, "Open": c.Open}
}

// interfacePage follows the order of the interface document, to whose headings the
// clauses point.
func interfacePage(t *testing.T, c *spec.Contract, of map[string][]*spec.Clause) any {
	t.Helper()
	type resource struct {
		Title  string
		Fields []*spec.Field
	}
	type endpoint struct {
		*spec.Operation
		Parameters openapi3.Parameters
		Answer     string // example of a success's body, "" where it has none
		Effects    []*spec.Clause
	}
	var resources []resource
	inTable := map[string]bool{} // clauses of members
	for _, op := range c.Operations {
		if shown := op.Representation(); shown != nil {
			title, _, _ := strings.Cut(shown.Schema.Description, ";")
			_, title, _ = strings.Cut(title, " ") // the article
			resources = append(resources, resource{strings.ToUpper(title[:1]) + title[1:], shown.Fields})
		}
		if op.Lists() {
			resources = append(resources, resource{"List metadata", op.Pagination().Fields})
		}
	}
	for _, r := range resources {
		for _, f := range r.Fields {
			inTable[f.Clause] = true
		}
	}
	var endpoints []endpoint
	for _, op := range c.Operations {
		e := endpoint{Operation: op, Parameters: c.OpenAPI.Paths.Value(op.Path).GetOperation(op.Method).Parameters}
		if op.Success != nil {
			e.Answer = inJSON(t, example(op.Success.Schema))
		}
		for _, cl := range of[op.ID] {
			if !inTable[cl.ID] && cl.Basis != spec.Chosen {
				e.Effects = append(e.Effects, cl)
			}
		}
		endpoints = append(endpoints, e)
	}
	var authentication, errors []*spec.Clause
	for _, cl := range of["all"] {
		switch {
		case strings.HasPrefix(cl.ID, "AUTH-"):
			authentication = append(authentication, cl)
		case strings.HasPrefix(cl.ID, "ERR-"), strings.HasPrefix(cl.ID, "EFFECT-"):
			errors = append(errors, cl)
		}
	}
	refused := c.OpenAPI.Components.Responses["Error422"].Value.Content.Get("application/json")
	return map[string]any{
		"Key": c.OpenAPI.Components.SecuritySchemes["apiKey"].Value.Name, "Authentication": authentication,
		"Operations": endpoints, "Resources": resources,
		"Errors": c.OpenAPI.Components.Responses, "Issue": c.Error.Field("error").Object.Field("issues").Items.Fields,
		"ErrorExample": inJSON(t, refused.Example), "ErrorClauses": errors,
	}
}

// typeOf returns the type of a field in words.
func typeOf(f *spec.Field) string {
	words := []string{f.Type}
	switch {
	case f.Date:
		words = []string{"date"}
	case f.Schema.Format == "uri":
		words = []string{"URL"}
	case len(f.Enum) > 0:
		words = []string{strings.Join(f.Enum, ", ")}
	}
	switch {
	case f.Schema.Nullable:
		words = append(words, "or null")
	case f.Optional:
		words = append(words, "(optional)")
	}
	return strings.Join(words, " ")
}

// example returns an example composed of those of a schema's members.
func example(s *openapi3.Schema) any {
	if s.Example != nil || s.Items == nil && len(s.Properties) == 0 {
		return s.Example
	}
	if s.Items != nil {
		return []any{example(s.Items.Value)}
	}
	members := map[string]any{}
	for name, member := range s.Properties {
		members[name] = example(member.Value)
	}
	return members
}

func inJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.MarshalIndent(value, "", "  ")
	noError(t, err)
	return string(text)
}

// noError fails the test at once on an error that is unrelated to its subject.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
