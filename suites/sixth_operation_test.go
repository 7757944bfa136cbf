package suites_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/report"
)

// sixth adds an operation to the document, and nothing else.
const sixth = `
overlay: 1.0.0
info: {title: A sixth operation, version: 1.0.0}
actions:
  - target: $.components.schemas
    update:
      CreativeUpdate:
        type: object
        properties:
          name: {type: string, x-field: name, x-clause: CREATIVE-3}
          width: {type: integer, x-field: width, x-clause: CREATIVE-12}
          active: {type: boolean, x-field: active, x-clause: CREATIVE-1}
      CreativeData:
        type: object
        required: [data]
        properties:
          data: {type: object, x-field: data, x-clause: CREATIVE-1, required: [id, name], properties: {
            id: {type: integer, x-field: id, x-clause: CREATIVE-1},
            name: {type: string, x-field: name, x-clause: CREATIVE-3}}}
  - target: $.components.parameters
    update:
      plainCreativeId: {name: creativeId, in: path, required: true, schema: {type: integer}, x-object: plainCreative}
  - target: $.paths['/creatives/{creativeId}']
    update:
      patch:
        operationId: updateCreative
        x-clause: CREATIVE-3
        x-effects: {identity: CREATIVE-1, shows: CREATIVE-3, persists: CREATIVE-3, stays: CREATIVE-4, updatedAt: CREATIVE-5}
        parameters: [{$ref: '#/components/parameters/plainCreativeId'}]
        requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/CreativeUpdate'}}}}
        responses:
          '200': {description: The new representation, content: {application/json: {schema: {$ref: '#/components/schemas/CreativeData'}}}}
          '401': {$ref: '#/components/responses/Error401'}
          '403': {$ref: '#/components/responses/Error403'}
          '404': {$ref: '#/components/responses/Error404'}
          '422': {$ref: '#/components/responses/Error422'}
`

// An operation that is added to the document is planned and sent without any
// new Go code.
func TestOperationIsPlannedFromTheDocument(t *testing.T) {
	contract, err := spec.LoadOverlaid([]byte(sixth), "sixth.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c := suites.NewConfig(serve(t, bundled(t)))
	c.Contract = contract
	c.Select = func(cs *engine.Case) bool { return cs.Operation.ID == "updateCreative" }
	plan, err := c.Plan()
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, cs := range plan {
		ids = append(ids, strings.TrimPrefix(cs.ID, "updateCreative/"))
	}
	for _, want := range []string{
		"success/ordinary", "401/no-key", "401/other-case-key", "403/stranger", "404/unknown-creative-1",
		"422/body-array", "422/name-is-number", "422/width-is-string", "422/width-is-decimal", "422/active-is-number",
		"text/name-emoji", "open/letters-creative", "open/name-null", "open/partial-bodies", "effects/persists", "effects/at-rest",
	} {
		if !slices.Contains(ids, want) {
			t.Errorf("no case %s is planned", want)
		}
	}
	// The reference does not have the operation, so each success is missed.
	r := execute(t, c)
	if r.Verdict != report.Nonconforming || r.Requests < 50 {
		t.Errorf("expected the cases to be sent and to fail, got %s after %d requests", r.Verdict, r.Requests)
	}
}
