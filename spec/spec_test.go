package spec_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/adconform/adconform/spec"
)

func TestEmbeddedContractLoadsInDocumentOrder(t *testing.T) {
	c := spec.Load()
	if err := c.OpenAPI.Validate(context.Background()); err != nil {
		t.Errorf("openapi.yaml: %v", err)
	}
	var names []string
	for _, op := range c.Operations {
		names = append(names, op.ID)
	}
	for _, f := range c.Operation("updateCampaign").Representation().Fields {
		names = append(names, f.Name)
	}
	for _, p := range c.Operation("updateConnectionProfileRuleHost").Params {
		names = append(names, p.Object)
	}
	want := "updateConnectionProfile updateConnectionProfileRuleHost updateCampaign deleteCreative listCreativeMediaFiles " +
		"id name createdAt updatedAt type shareURL adspecId userId connectionProfile connectionProfileRule connectionProfileRuleHost"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("expected %s, got %s", want, got)
	}
}

// The lists are read strictly, so their keys are known. Each row of the resource tables is a
// property with a clause of its own.
func TestListsAreWellFormed(t *testing.T) {
	c := spec.Load()
	for _, cl := range c.Clauses {
		if c.Clause(cl.ID) != cl || !slices.Contains(spec.Bases(), cl.Basis) || !slices.Contains(spec.Impacts(), cl.Impact) {
			t.Errorf("%s is given twice, or has an unknown basis or impact: %q, %q", cl.ID, cl.Basis, cl.Impact)
		}
	}
	for _, p := range c.Open {
		if c.OpenPoint(p.ID) != p || !slices.Contains([]string{"observe", "adopted", "ignored"}, p.Treatment) {
			t.Errorf("%s is given twice, or has an unknown treatment: %q", p.ID, p.Treatment)
		}
	}
	for _, op := range c.Operations {
		seen := map[string]bool{"": true}
		for i := 0; op.Representation() != nil && i < len(op.Representation().Fields); i++ {
			f := op.Representation().Fields[i]
			if seen[f.Clause] {
				t.Errorf("%s: the x-clause of %s is %q, that of another or none", op.ID, f.Name, f.Clause)
			}
			seen[f.Clause] = true
		}
	}
}

// An observation at an open point is an answer to its question.
func TestChoicesAnswerTheQuestion(t *testing.T) {
	for _, c := range []struct {
		point, want string
		choice      spec.Choice
	}{
		{"trimming", "yes", "trimmed, folded or normalised"},
		{"trimming", "no", "accepted"},
		{"trimming", "refused (422)", "refused (422)"},
		{"unknown-fields", "yes", "refused (422)"},
		{"regex-syntax", "yes", "huge-quantifier: refused (422)"},
		{"delete-container", "yes", "204 No Content"},
		{"www-authenticate", "Bearer", "Bearer"},
	} {
		if got := spec.Load().OpenPoint(c.point).Answer(c.choice); got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.point, c.choice, got, c.want)
		}
	}
}

func TestAsPinned(t *testing.T) {
	for _, c := range []struct {
		point     string
		pin       any
		like, not spec.Choice
	}{
		{"malformed-id", int64(404), "404 Not Found", "422 Unprocessable Entity"},
		{"malformed-id", 404.0, "404 Not Found", "4040"}, // as JSON has it
		{"null-fields", "refused", "refused (422)", "accepted"},
		{"unknown-fields", "ignored", "accepted", "refused (422)"},
		{"null-fields", "ignored", "ignored", "accepted"},
		{"null-fields", "accepted", "ignored", "refused (422)"},
		{"date-format", "RFC 3339", "rfc3339", "rfc1123"},
		{"date-format", "datetime-space", "datetime-space", "rfc3339"},
	} {
		p := spec.Load().OpenPoint(c.point)
		like, not := p.AsPinned(c.pin, c.like), p.AsPinned(c.pin, c.not)
		if !like || not {
			t.Errorf("%s %v: %s %t, %s %t", c.point, c.pin, c.like, like, c.not, not)
		}
	}
}

func TestMatchFindsTheOperationAndItsIDs(t *testing.T) {
	c := spec.Load()
	for request, want := range map[[2]string]struct {
		operation string
		ids       []string
	}{
		{"PATCH", "/campaigns/25"}:                          {"updateCampaign", []string{"25"}},
		{"PATCH", "/campaigns/25?fields=name"}:              {"updateCampaign", []string{"25"}},
		{"PATCH", "/campaigns/%7B"}:                         {"updateCampaign", []string{"%7B"}},
		{"GET", "/creatives/7/media-files"}:                 {"listCreativeMediaFiles", []string{"7"}},
		{"PATCH", "/connection-profiles/1/rules/2/hosts/3"}: {"updateConnectionProfileRuleHost", []string{"1", "2", "3"}},
		{"GET", "/campaigns/25"}:                            {},
		{"PATCH", "/campaigns/"}:                            {},
		{"PATCH", "/campaigns/25/"}:                         {},
		{"PATCH", "/v2/campaigns/25"}:                       {},
		{"PATCH", "campaigns/25"}:                           {},
		{"PATCH", ""}:                                       {},
	} {
		op, ids := c.Match(request[0], request[1])
		operation := ""
		if op != nil {
			operation = op.ID
		}
		if operation != want.operation || !slices.Equal(ids, want.ids) {
			t.Errorf("%v: expected %v, got %s %v", request, want, operation, ids)
		}
		if op != nil && op.At(ids...) != strings.TrimSuffix(request[1], "?fields=name") {
			t.Errorf("%v: At(%v) is %s", request, ids, op.At(ids...))
		}
	}
}

// added is an overlay that adds an operation. Its answers are the usual ones unless
// the operation has responses of its own.
func added(path, method, operation string) string {
	return fmt.Sprintf(`
overlay: 1.0.0
info: {title: One more operation, version: 1.0.0}
actions:
  - target: $.components.parameters
    update:
      adspecId: {name: adspecId, in: path, required: true, schema: {type: integer}, x-object: adspec}
      plainId: {name: adspecId, in: path, required: true, schema: {type: integer}}
      numberId: {name: adspecId, in: path, required: true, schema: {type: number}, x-object: adspec}
      campaignOnly: {name: adspecId, in: path, required: true, schema: {type: integer}, x-object: campaign}
      disposableId: {name: adspecId, in: path, required: true, schema: {type: integer}, x-object: disposableAdspecs}
      q: {name: q, in: query, required: true, schema: {type: string}}
  - target: $.components.responses
    update:
      Object: {description: One, content: {application/json: {schema: {$ref: '#/components/schemas/CampaignData'}}}}
      List: {description: A page, content: {application/json: {schema: {$ref: '#/components/schemas/CreativeList'}}}}
      Bare: {description: One, content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}
      NoID: {description: One, content: {application/json: {schema: {type: object,
        properties: {data: {type: object, properties: {name: {type: string}}}}}}}}
      NoMeta: {description: Some, content: {application/json: {schema: {type: object,
        properties: {data: {type: array, items: {$ref: '#/components/schemas/Campaign'}}}}}}}
  - target: $.paths
    update:
      %s:
        %s:
          %s
`, path, method, strings.ReplaceAll(strings.TrimSpace(operation), "\n", "\n          "))
}

func withParameter(name string) string {
	return marks + "parameters: [{$ref: '#/components/parameters/" + name + "'}]\n"
}

const (
	refused = "'401': {$ref: '#/components/responses/Error401'}\n  '403': {$ref: '#/components/responses/Error403'}\n" +
		"  '404': {$ref: '#/components/responses/Error404'}\n  '422': {$ref: '#/components/responses/Error422'}\n"
	object = "responses:\n  '200': {$ref: '#/components/responses/Object'}\n  " + refused
	page   = "responses:\n  '200': {$ref: '#/components/responses/List'}\n  " + refused
	empty  = "responses:\n  '204': {description: Done}\n  " + refused
	body   = "requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/CampaignUpdate'}}}}\n"
	marks  = "operationId: extra\nx-clause: CAMPAIGN-1\n"
)

var (
	oneID        = withParameter("adspecId")
	disposableID = withParameter("disposableId")
	bare         = strings.Replace(object, "Object", "Bare", 1)
	noID         = strings.Replace(object, "Object", "NoID", 1)
	noMeta       = strings.Replace(object, "Object", "NoMeta", 1)
	no403        = strings.Replace(object, "'403'", "'410'", 1)
)

// An operation for which the suite has no cases is an error that names it and what is
// missing.
func TestOperationsWithoutCasesAreErrors(t *testing.T) {
	const all, one = "/adspecs", "/adspecs/{adspecId}"
	for name, tc := range map[string]struct{ path, method, operation, want string }{
		"POST":                  {all, "post", marks + body + object, "reads and lists (GET), updates (PATCH, PUT) and deletes (DELETE)"},
		"no operationId":        {all, "get", "x-clause: CAMPAIGN-1\n" + page, "has no operationId"},
		"id of another":         {all, "get", "x-clause: CAMPAIGN-1\noperationId: updateCampaign\n" + page, "same operation id"},
		"read of nothing":       {one, "get", oneID + bare, "answers, as application/json, an object data (a read) or an array data"},
		"read without id":       {one, "get", oneID + noID, "each with an id, an integer or a text"},
		"list without meta":     {all, "get", marks + noMeta, "meta.pagination.count"},
		"no clause":             {all, "get", "operationId: extra\n" + page, "x-clause is missing"},
		"unknown effect":        {all, "get", marks + "x-effects: {uniqe: MEDIA-8}\n" + page, "names uniqe, none of unique, repeats"},
		"unknown clause":        {all, "get", marks + "x-effects: {unique: MEDIA-88}\n" + page, "MEDIA-88 of extra is not in clauses.yaml"},
		"unknown open point":    {all, "get", marks + "x-open: {missing: nowhere}\n" + page, "x-open of extra names nowhere"},
		"no x-object":           {one, "get", withParameter("plainId") + object, "x-object is missing (the key of the target file's object"},
		"id of another type":    {one, "get", withParameter("numberId") + object, "must be integer or string at the path parameter adspecId"},
		"undeclared parameter":  {one, "get", marks + object, "its path has no parameter with x-object"},
		"read without id path":  {"/me", "get", marks + object, "its path has no parameter with x-object"},
		"update without body":   {one, "put", oneID + object, "an update takes a body with properties"},
		"update without answer": {one, "put", oneID + body + empty, "answers an object with an id, an integer or a text"},
		"delete of a campaign":  {one, "delete", withParameter("campaignOnly") + empty, "keys that begin with disposable"},
		"read of a disposable":  {one, "get", disposableID + object, "only a delete, uses keys"},
		"delete with an answer": {one, "delete", disposableID + object, "deletes that take no body and are answered 204"},
		"required query":        {all, "get", withParameter("q") + page, "the required query parameter q"},
		"no 403":                {one, "get", oneID + no403, "its responses have no 403"},
	} {
		_, err := spec.LoadOverlays(spec.Overlay{File: "mine.yaml", Data: []byte(added(tc.path, tc.method, tc.operation))})
		if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: expected one line with %q, got %v", name, tc.want, err)
		} else if !strings.Contains(err.Error(), tc.path) && !strings.Contains(err.Error(), "extra") {
			t.Errorf("%s: the operation is not named: %v", name, err)
		}
	}
}

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
