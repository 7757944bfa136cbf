package suites_test

import (
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
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
	c.Select = func(cs *judge.Case) bool { return cs.Operation.ID == "updateCreative" }
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
		"text/name-many", "open/letters-creative", "open/name-null", "open/partial-bodies", "effects/persists", "effects/at-rest",
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

// An operation that would get no case is an error of the run, not a pass.
func TestOperationsWithoutCasesDoNotRun(t *testing.T) {
	post := strings.Replace(sixth, "patch:", "post:", 1)
	if _, err := spec.LoadOverlaid([]byte(post), "sixth.yaml"); err == nil ||
		!strings.Contains(err.Error(), "POST /creatives/{creativeId} (updateCreative) gets no case") {
		t.Errorf("expected an error that names the operation, got %v", err)
	}
	pattern := strings.Replace(sixth, "name: {type: string, x-field: name", "name: {type: string, pattern: '(?=x)y', x-field: name", 1)
	contract, err := spec.LoadOverlaid([]byte(pattern), "sixth.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c := suites.NewConfig(serve(t, bundled(t)))
	c.Contract = contract
	c.Select = func(cs *judge.Case) bool { return cs.Operation.ID == "updateCampaign" }
	if _, err := suites.Execute(t.Context(), c); err == nil ||
		!strings.Contains(err.Error(), "(updateCreative) gets no case: the field name") {
		t.Errorf("expected an error that names the operation and the field, got %v", err)
	}
}

// ofAdspecs is a run of the operations that testdata/adspecs.yaml adds.
func ofAdspecs(t *testing.T, fault string) *suites.Config {
	t.Helper()
	c := suites.NewConfig(adspecTarget(t, newAdspecServer(fault)))
	c.Contract = adspecContract(t)
	c.Select = func(cs *judge.Case) bool { return strings.Contains(cs.Operation.ID, "Adspec") }
	return c
}

// A read and an update that do not agree may both be to blame: what the read shows is
// what is reported.
var seenByRead = []string{"put-not-stored", "put-cut-short"}

// Operations of every kind that are added to the document are tested without any
// new Go code, and a server that has them right has no finding.
func TestAddedOperationsConform(t *testing.T) {
	for name, change := range map[string]func(*suites.Config){
		"quick":      func(c *suites.Config) { c.Depth = judge.Quick },
		"standard":   func(*suites.Config) {},
		"one by one": func(c *suites.Config) { c.Target.Limits.Concurrency = 1 },
		"deep":       func(c *suites.Config) { c.Depth = judge.Deep },
		"seed 2":     func(c *suites.Config) { c.Depth, c.Seed = judge.Deep, 2 },
		"seed 3":     func(c *suites.Config) { c.Depth, c.Seed = judge.Deep, 3 },
		"read-only":  func(c *suites.Config) { c.ReadOnly = true },
	} {
		if testing.Short() && !slices.Contains([]string{"standard", "deep", "read-only"}, name) {
			continue
		}
		c := ofAdspecs(t, "")
		change(c)
		r := execute(t, c)
		for _, f := range r.Findings {
			t.Errorf("%s: %s %s %s: %s, got %s\n%s", name, f.Case, f.Clause, f.Pointer, f.Expected, f.Got, f.Curl)
		}
		for _, cs := range r.Results {
			if cs.Status == judge.NotTested && cs.Cause != judge.ByTarget && !c.ReadOnly {
				t.Errorf("%s: %s is not tested: %s", name, cs.ID, cs.Reason)
			}
		}
		for _, change := range r.Changes {
			if change.Change != "deleted" && !change.Restored {
				t.Errorf("%s: %+v", name, change)
			}
		}
	}
}

// What a malformed id is answered is open, so that 422 is right where the document of an
// operation does not list it, too; where nothing leaves it open it is a finding.
func TestAStatusThatACaseAllowsNeedNotBeListed(t *testing.T) {
	server := newAdspecServer("")
	of := func(strangers string) *suites.Config {
		c := ofAdspecs(t, "")
		c.Target = adspecTarget(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id := path.Base(r.URL.Path)
			_, err := strconv.Atoi(id)
			if err != nil && id != "adspecs" || r.Header.Get("X-API-Key") == adspecStranger && id == strangers {
				problem(w, 422, "")
				return
			}
			server.ServeHTTP(w, r)
		}))
		for _, op := range c.Contract.Operations {
			if op.ID == "getAdspec" {
				delete(op.Responses, "422")
			}
		}
		c.Select = func(cs *judge.Case) bool { return cs.Operation.ID == "getAdspec" }
		return c
	}
	if r := execute(t, of("none")); len(violations(r)) > 0 {
		t.Errorf("malformed ids: %s", violations(r))
	}
	if r := execute(t, of("701")); len(violations(r)) == 0 {
		t.Error("422 in place of 403 is no violation")
	}
}

// Each way of breaking an added operation is found, and said of that operation.
func TestBrokenAddedOperationsAreFound(t *testing.T) {
	of := map[string]string{
		"get": "getAdspec", "put": "replaceAdspec", "delete": "deleteAdspec", "list": "listAdspecs", "below": "listAdspecCampaigns",
	}
	for i, fault := range []string{
		"get-another", "get-stale", "get-too-long", "get-off-pattern", "get-out-of-bounds", "get-without-name",
		"get-without-key", "get-unknown-taken", "get-hidden", "get-of-anyone",
		"put-refuses-the-bound", "put-takes-too-long", "put-takes-too-short", "put-takes-too-large",
		"put-takes-too-small",
		"put-takes-missing", "put-takes-off-pattern", "put-names-another", "put-not-stored", "put-cut-short", "put-of-all",

		"put-without-key", "put-unknown-taken", "put-hidden", "put-of-anyone", "put-made-all-the-same",
		"delete-keeps", "delete-leaves-listed", "delete-without-key", "delete-hidden",
		"delete-of-anyone", "delete-unknown-taken",
		"list-loses-one", "list-repeats-one", "list-wrong-total", "list-wrong-pages", "list-unsteady",
		"list-lacks-one", "list-of-all-users", "list-without-key",
		"below-loses-one", "below-repeats-one", "below-wrong-total", "below-wrong-pages", "below-unsteady",
		"below-without-key", "below-unknown-taken", "below-hidden", "below-of-anyone",
	} {
		if testing.Short() && i%10 > 0 {
			continue
		}
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			kind, _, _ := strings.Cut(fault, "-")
			c := ofAdspecs(t, fault)
			c.Select = func(cs *judge.Case) bool {
				return cs.Operation.ID == of[kind] || kind == "put" && cs.Operation.ID == of["get"]
			}
			r := execute(t, c)
			if r.Verdict != report.Nonconforming {
				t.Fatalf("expected a finding, got %s: %s", r.Verdict, r.Reason)
			}
			var said []string
			for _, f := range r.Findings {
				said = append(said, fmt.Sprintf("%s %s: %s, got %s", f.Case, f.Clause, f.Expected, f.Got))
				if slices.Contains(f.Operations, of[kind]) || slices.Contains(f.Operations, of["get"]) && slices.Contains(seenByRead, fault) {
					return
				}
			}
			t.Errorf("no finding is about %s:\n%s", of[kind], strings.Join(slices.Compact(said), "\n"))
		})
	}
}
