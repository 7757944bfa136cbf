package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// oneMore is an overlay that adds an operation to the document.
func oneMore(t *testing.T, operation string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "more.yaml")
	write(t, path, `
overlay: 1.0.0
info: {title: One more operation, version: 1.0.0}
actions:
  - target: $.paths['/campaigns/{campaignId}']
    update: `+operation+`
`)
	return path
}

const campaignErrors = `'401': {$ref: '#/components/responses/Error401'}, '403': {$ref: '#/components/responses/Error403'},
      '404': {$ref: '#/components/responses/Error404'}, '422': {$ref: '#/components/responses/Error422'}`

func campaignOperation(method, fields string) string {
	return `{` + method + `: {operationId: extraOperation, x-clause: CAMPAIGN-1, parameters: [{$ref: '#/components/parameters/campaignId'}],
      requestBody: {content: {application/json: {schema: {type: object, properties: {` + fields + `}}}}},
      responses: {'200': {description: One, content: {application/json: {schema: {$ref: '#/components/schemas/CampaignData'}}}},
        ` + campaignErrors + `}}}`
}

// An operation of the document that would get no case ends every command that takes
// the document, before anything is sent.
func TestOperationsWithoutCasesAreWrongUsage(t *testing.T) {
	var sent atomic.Int32
	target := serving(t, func(w http.ResponseWriter, r *http.Request) {
		sent.Add(1)
		answering(404, "{}")(w, r)
	})
	recorded := filepath.Join(t.TempDir(), "session.har")
	write(t, recorded, `{"log": {"entries": []}}`)
	post := oneMore(t, campaignOperation("post", "name: {type: string}"))
	pattern := oneMore(t, campaignOperation("put", `name: {type: string, pattern: '^(?=x)y$'}`))
	list := oneMore(t, campaignOperation("put", `names: {type: array, items: {type: string}}`))
	planning := []string{"run", "cases", "doctor", "run --dry-run", "run --operation updateCampaign"}
	others := planning // to whom the two other overlays are given
	if testing.Short() {
		others = planning[:2]
	}
	for overlay, tc := range map[string]struct {
		want     []string
		commands []string
	}{
		post: {
			[]string{"POST /campaigns/{campaignId} (extraOperation) gets no case", "updates (PATCH, PUT)"},
			planning,
		},
		pattern: {
			[]string{
				"PUT /campaigns/{campaignId} (extraOperation) gets no case",
				"field name of its request body",
				"give it an enum or a simpler pattern",
			},
			others,
		},
		list: {[]string{"(extraOperation) gets no case", "field names of its request body", "texts, numbers and booleans"}, others},
	} {
		for _, command := range tc.commands {
			args := append(strings.Fields(command), "--target", target, "--overlay", overlay)
			code, _, stderr := run(t, nil, args...)
			if code != 2 {
				t.Errorf("%s: expected exit code 2, got %d: %s", command, code, stderr)
			}
			for _, want := range tc.want {
				if !strings.Contains(stderr, want) {
					t.Errorf("%s: expected %q in %q", command, want, stderr)
				}
			}
		}
	}
	refuses(t, nil, []string{"check", recorded, "--overlay", post}, "extraOperation")
	if n := sent.Load(); n > 0 {
		t.Errorf("%d requests were sent", n)
	}
}

// A bound that the document states and that no value is sent for is named.
func TestUnusedBoundsAreNamed(t *testing.T) {
	overlay := oneMore(t, campaignOperation("put", `name: {type: string, format: uri, maxLength: 80, x-field: name}`))
	code, stdout, stderr := run(t, nil, "cases", "--overlay", overlay, "--operation", "extraOperation")
	if code != 0 {
		t.Fatal(stderr)
	}
	for _, want := range []string{"not used: format of extraOperation.name", "not used: maxLength of extraOperation.name"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("expected %q in %q", want, stdout)
		}
	}
	_, stdout, _ = run(t, nil, "run", "--overlay", overlay, "--operation", "extraOperation")
	if want := "Stated by the document, and not used"; !strings.Contains(stdout, want) {
		t.Errorf("expected %q in %q", want, stdout)
	}
	if _, stdout, _ = run(t, nil, "cases"); strings.Contains(stdout, "not used") {
		t.Errorf("the embedded document states what is not used: %s", stdout)
	}
}

// The target file may name objects under the keys that an overlay brings, and under
// no others.
func TestOverlaysBringKeysOfTheTargetFile(t *testing.T) {
	overlay := filepath.Join("..", "..", "suites", "testdata", "adspecs.yaml")
	path := filepath.Join(t.TempDir(), "target.yaml")
	text := `
baseURL: http://127.0.0.1:1
credentials: {owner: {value: owner-key-1234}}
objects: {adspec: {id: 5, name: A}, otherAdspec: 6, disposableAdspecs: [7, 8]}
foreign: {adspec: 9}
`
	write(t, path, text)
	code, stdout, stderr := run(t, nil, "cases", "--target", path, "--overlay", overlay, "--operation", "deleteAdspec")
	if code != 0 || !strings.Contains(stdout, "needs objects.disposableAdspecs[0]") {
		t.Errorf("expected the cases, got %d: %s%s", code, stdout, stderr)
	}
	if code, _, stderr := run(t, nil, "cases", "--target", path); code != 2 || !strings.Contains(stderr, `unknown key "adspec"`) {
		t.Errorf("without the overlay: expected an unknown key, got %d: %s", code, stderr)
	}
	write(t, path, strings.Replace(text, "otherAdspec", "otherAdspce", 1))
	if code, _, stderr := run(t, nil, "cases", "--target", path, "--overlay", overlay); code != 2 ||
		!strings.Contains(stderr, `did you mean "otherAdspec"?`) {
		t.Errorf("a misspelt key: expected a suggestion, got %d: %s", code, stderr)
	}
	write(t, path, strings.Replace(text, "[7, 8]", "[5, 8]", 1))
	if code, _, stderr := run(t, nil, "cases", "--target", path, "--overlay", overlay); code != 2 ||
		!strings.Contains(stderr, "5 is already objects.adspec") {
		t.Errorf("a disposable that is also the main object: expected an error, got %d: %s", code, stderr)
	}
}
