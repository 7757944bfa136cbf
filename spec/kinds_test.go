package spec

import (
	"fmt"
	"strings"
	"testing"
)

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
      textId: {name: adspecId, in: path, required: true, schema: {type: string}, x-object: adspec}
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

const (
	disposableID = "parameters: [{$ref: '#/components/parameters/disposableId'}]\n"
	oneID        = "parameters: [{$ref: '#/components/parameters/adspecId'}]\n"
	refused      = "'401': {$ref: '#/components/responses/Error401'}\n  '403': {$ref: '#/components/responses/Error403'}\n" +
		"  '404': {$ref: '#/components/responses/Error404'}\n  '422': {$ref: '#/components/responses/Error422'}\n"
	object = "responses:\n  '200': {$ref: '#/components/responses/Object'}\n  " + refused
	page   = "responses:\n  '200': {$ref: '#/components/responses/List'}\n  " + refused
	empty  = "responses:\n  '204': {description: Done}\n  " + refused
	body   = "requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/CampaignUpdate'}}}}\n"
	marks  = "operationId: extra\nx-clause: CAMPAIGN-1\n"
)

func with(ref, responses string) string {
	return strings.Replace(responses, "#/components/responses/Object", "#/components/responses/"+ref, 1)
}

// Each kind of operation is taken up with a clause and the keys of its objects alone.
func TestEveryKindNeedsFewMarks(t *testing.T) {
	for name, tc := range map[string]struct{ path, method, operation string }{
		"read":              {"/adspecs/{adspecId}", "get", marks + oneID + object},
		"list":              {"/adspecs", "get", marks + page},
		"list of an object": {"/adspecs/{adspecId}/creatives", "get", marks + oneID + page},
		"update":            {"/adspecs/{adspecId}", "patch", marks + oneID + body + object},
		"replacement":       {"/adspecs/{adspecId}", "put", marks + oneID + body + object},
		"delete":            {"/adspecs/{adspecId}", "delete", marks + disposableID + empty},
		"second list of a creative": {
			"/creatives/{creativeId}/variations", "get", marks + "parameters: [{$ref: '#/components/parameters/vastCreativeId'}]\n" + page,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := LoadOverlaid([]byte(added(tc.path, tc.method, tc.operation)), "mine.yaml")
			if err != nil {
				t.Fatal(err)
			}
			op := c.Operation("extra")
			if op == nil {
				t.Fatal("the operation is not there")
			}
			for effect, clause := range op.Effects {
				if clause != "CAMPAIGN-1" {
					t.Errorf("%s is judged by %q, expected the clause of the operation", effect, clause)
				}
			}
		})
	}
}

// What the suite has no cases for is an error that names the operation and what is
// missing.
func TestOperationsWithoutCasesAreErrors(t *testing.T) {
	for name, tc := range map[string]struct{ path, method, operation, want string }{
		"POST":           {"/adspecs", "post", marks + body + object, "reads and lists (GET), updates (PATCH, PUT) and deletes (DELETE)"},
		"no operationId": {"/adspecs", "get", "x-clause: CAMPAIGN-1\n" + page, "has no operationId"},
		"id of another":  {"/adspecs", "get", strings.Replace(marks, "extra", "updateCampaign", 1) + page, "same operationId"},
		"read of nothing": {
			"/adspecs/{adspecId}", "get", marks + oneID + with("Bare", object),
			"neither an object data (a read) nor an array data with meta (a list)",
		},
		"read without id":   {"/adspecs/{adspecId}", "get", marks + oneID + with("NoID", object), "no integer property id"},
		"list without meta": {"/adspecs", "get", marks + with("NoMeta", object), "meta.pagination.count"},
		"no clause":         {"/adspecs", "get", "operationId: extra\n" + page, "x-clause is missing"},
		"unknown effect": {
			"/adspecs", "get", marks + "x-effects: {uniqe: MEDIA-8}\n" + page,
			"x-effects names uniqe, none of unique, repeats, holds, members",
		},
		"unknown clause":     {"/adspecs", "get", marks + "x-effects: {unique: MEDIA-88}\n" + page, "MEDIA-88 of extra is not in clauses.yaml"},
		"unknown open point": {"/adspecs", "get", marks + "x-open: {missing: nowhere}\n" + page, "x-open of extra names nowhere"},
		"no x-object": {
			"/adspecs/{adspecId}", "get", marks + "parameters: [{$ref: '#/components/parameters/plainId'}]\n" + object,
			"x-object is missing (the key of the target file's object whose id it holds) at the path parameter adspecId",
		},
		"id that is a text": {
			"/adspecs/{adspecId}", "get", marks + "parameters: [{$ref: '#/components/parameters/textId'}]\n" + object,
			"ids in the target file are integers, and so has to be the type at the path parameter adspecId",
		},
		"undeclared parameter":  {"/adspecs/{adspecId}", "get", marks + object, "a parameter of its path is not declared"},
		"read without id path":  {"/me", "get", marks + object, "its path has no parameter with x-object"},
		"update without body":   {"/adspecs/{adspecId}", "put", marks + oneID + object, "its request body has no properties"},
		"update without answer": {"/adspecs/{adspecId}", "put", marks + oneID + body + empty, "its success has no object data"},
		"delete of a campaign": {
			"/adspecs/{adspecId}", "delete", marks + "parameters: [{$ref: '#/components/parameters/campaignOnly'}]\n" + empty,
			"campaign, which may not be deleted; name a key that begins with disposable, such as disposableCampaigns",
		},
		"read of a disposable": {
			"/adspecs/{adspecId}", "get", marks + disposableID + object,
			"only a delete may use what is disposable",
		},
		"delete with an answer": {
			"/adspecs/{adspecId}", "delete", marks + disposableID + object,
			"deletes that are answered 204",
		},
		"required query": {
			"/adspecs", "get", marks + "parameters: [{$ref: '#/components/parameters/q'}]\n" + page, "the required query parameter q",
		},
		"no 403": {
			"/adspecs/{adspecId}", "get", marks + oneID + strings.Replace(object, "'403'", "'410'", 1), "its responses lack 403",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := LoadOverlaid([]byte(added(tc.path, tc.method, tc.operation)), "mine.yaml")
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("expected one line with %q, got %v", tc.want, err)
			}
			if !strings.Contains(err.Error(), tc.path) && !strings.Contains(err.Error(), "extra") {
				t.Errorf("the operation is not named: %v", err)
			}
		})
	}
}
