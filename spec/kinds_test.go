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
		"read of nothing":       {one, "get", oneID + bare, "neither an object data (a read) nor an array data with meta (a list)"},
		"read without id":       {one, "get", oneID + noID, "no integer property id"},
		"list without meta":     {all, "get", marks + noMeta, "meta.pagination.count"},
		"no clause":             {all, "get", "operationId: extra\n" + page, "x-clause is missing"},
		"unknown effect":        {all, "get", marks + "x-effects: {uniqe: MEDIA-8}\n" + page, "names uniqe, none of unique, repeats"},
		"unknown clause":        {all, "get", marks + "x-effects: {unique: MEDIA-88}\n" + page, "MEDIA-88 of extra is not in clauses.yaml"},
		"unknown open point":    {all, "get", marks + "x-open: {missing: nowhere}\n" + page, "x-open of extra names nowhere"},
		"no x-object":           {one, "get", withParameter("plainId") + object, "x-object is missing (the key of the target file's object"},
		"id that is a text":     {one, "get", withParameter("textId") + object, "must be the type at the path parameter adspecId"},
		"undeclared parameter":  {one, "get", marks + object, "its path has no parameter with x-object"},
		"read without id path":  {"/me", "get", marks + object, "its path has no parameter with x-object"},
		"update without body":   {one, "put", oneID + object, "its request body has no properties"},
		"update without answer": {one, "put", oneID + body + empty, "its success has no object data"},
		"delete of a campaign":  {one, "delete", withParameter("campaignOnly") + empty, "begins with disposable, such as disposableCampaigns"},
		"read of a disposable":  {one, "get", disposableID + object, "only a delete may use disposable objects"},
		"delete with an answer": {one, "delete", disposableID + object, "deletes that are answered 204"},
		"required query":        {all, "get", withParameter("q") + page, "the required query parameter q"},
		"no 403":                {one, "get", oneID + no403, "its responses have no 403"},
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
