package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

func TestDoctorSaysWhatIsMissingAndWhatItCosts(t *testing.T) {
	target := bundledTarget(t)
	code, stdout, stderr := run(t, nil, "doctor", target)
	if code != 0 || !strings.HasPrefix(stdout, "READY as far as reading tells: ") || stderr != "" {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	text := mustRead(t, target)
	text = strings.Replace(text, "\n  stranger:", "\n  # stranger:", 1)
	text = strings.Replace(text, "\n  otherCampaign:", "\n  # otherCampaign:", 1)
	text = strings.Replace(text, "\n  plainCreative: 230", "\n  plainCreative: 231000", 1)
	write(t, target, text)
	code, stdout, _ = run(t, nil, "doctor", target)
	if code != report.ExitInconclusive {
		t.Errorf("exit code %d", code)
	}
	has(t, stdout,
		"INCOMPLETE: a run would not test ", "\n  credentials.stranger: ", " cases, 1 clause (what another user may not do)\n",
		"\n  otherCampaign: 3 cases (a second campaign ", "Fine\n", "vastCreative 200",
	)
	code, stdout, _ = run(t, nil, "doctor", target, "--json")
	var r report.Preflight
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || code != r.ExitCode || r.Schema != report.PreflightSchema ||
		r.Cost.Stated != 1 {
		t.Errorf("exit code %d, %+v (%v)", code, r, err)
	}
	for _, u := range fixtures.DefaultWorld().Users {
		if strings.Contains(stdout, u.Key) {
			t.Error("a key is shown")
		}
	}
	for url, want := range map[string]string{
		freeURL(t): "is the server running?",
		"https://" + strings.TrimPrefix(baseURLOf(t, serving(t, answering(404, "{}"))), "http://"): "is it https",
	} {
		if code, stdout, _ := run(t, nil, "doctor", targetOf(t, url)); code != report.ExitInconclusive ||
			!strings.Contains(stdout, "the target does not answer") || !strings.Contains(stdout, want) {
			t.Errorf("%s: exit code %d\n%s", url, code, stdout)
		}
	}
}

func TestExplain(t *testing.T) {
	for word, wants := range map[string][]string{
		"AUTH-2": {"lacks permission", "basis:     stated:", "source:    ", "updateCampaign/403/stranger\n"},
		"auth-2": {"AUTH-2: "},
		"updateCampaign/401/no-key": {
			"sends:     PATCH /campaigns/{campaignId}", "expects:   status 401", "AUTH-1 (stated)",
			"objects.campaign in the target file", "adconform run --case updateCampaign/401/no-key",
		},
		"malformed-id":   {"reference: 404", "treatment: observe", "open: {malformedID: 404}", "/open/zero-campaign"},
		"page-parameter": {"open: {pageParameter: page}"},
		"rule-fields":    {"treatment: ignored"},
		"not-refused":    {"not-refused: ", "suites/"},
		"OPEN-4":         {"a breach is a notice and fails a run"},
	} {
		code, stdout, stderr := run(t, nil, "explain", word)
		if code != 0 {
			t.Errorf("%s: exit code %d, %s", word, code, stderr)
		}
		for _, want := range wants {
			if !strings.Contains(stdout, want) {
				t.Errorf("%s: %q is missing in\n%s", word, want, stdout)
			}
		}
	}
}

func TestVersionCounts(t *testing.T) {
	code, stdout, _ := run(t, nil, "version")
	first, _, _ := strings.Cut(stdout, "\n")
	if code != 0 || !strings.Contains(stdout, "(go1.") || !strings.Contains(stdout, "5 operations, ") ||
		!strings.Contains(stdout, " clauses, ") {
		t.Errorf("exit code %d, %q", code, stdout)
	}
	if code, stdout, stderr := run(t, nil, "--version"); code != 0 || stdout != first+"\n" || stderr != "" {
		t.Errorf("exit code %d, %q, %q; version says %q", code, stdout, stderr, first)
	}
}

func TestCasesListsThePlanTheSameEachTime(t *testing.T) {
	code, first, _ := run(t, nil, "cases")
	_, second, _ := run(t, nil, "cases")
	_, deep, _ := run(t, nil, "cases", "--depth", "deep")
	if code != 0 || first != second || strings.Count(first, "\n  judges ") > strings.Count(deep, "\n  judges ") {
		t.Errorf("exit code %d, the same twice: %v", code, first == second)
	}
	has(t, first, "updateCampaign/401/no-key\n", "judges AUTH-1 ", "needs objects.campaign", "observes malformed-id")
}

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
	for overlay, want := range map[string]string{
		post: "POST /campaigns/{campaignId} (extraOperation) gets no case…updates (PATCH, PUT)",
		pattern: "PUT /campaigns/{campaignId} (extraOperation) gets no case…field name of its request body…" +
			"give it an enum or a simpler pattern",
		list: "(extraOperation) gets no case…field names of its request body…texts, numbers and booleans",
	} {
		for _, command := range []string{"run", "cases", "doctor", "run --case updateCampaign/*"} {
			if testing.Short() && overlay != post && command != "run" {
				continue
			}
			refuses(t, nil, append(strings.Fields(command), target, "--overlay", overlay), strings.Split(want, "…")...)
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
	code, stdout, stderr := run(t, nil, "cases", "--overlay", overlay, "--case", "extraOperation/*")
	if code != 0 {
		t.Fatal(stderr)
	}
	has(t, stdout, "not used: format of extraOperation.name", "not used: maxLength of extraOperation.name")
	_, stdout, _ = run(t, nil, "run", "--overlay", overlay, "--case", "extraOperation/*")
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
	path := filepath.Join(t.TempDir(), "target.yaml")
	const text = `
baseURL: http://127.0.0.1:1
credentials: {owner: {value: owner-key-1234}}
objects: {adspec: {id: 5, name: A}, otherAdspec: 6, disposableAdspecs: [7, 8]}
foreign: {adspec: 9}
`
	overlay := " --overlay ../../suites/testdata/adspecs.yaml"
	for _, c := range []struct {
		old, bad, args string
		code           int
		want           string
	}{
		{"", "", overlay + " --case deleteAdspec/*", 0, "needs objects.disposableAdspecs[0]"},
		{"", "", "", 2, `unknown key "adspec"`},
		{"otherAdspec", "otherAdspce", overlay, 2, `did you mean "otherAdspec"?`},
		{"[7, 8]", "[5, 8]", overlay, 2, "5 is already objects.adspec"},
	} {
		write(t, path, strings.Replace(text, c.old, c.bad, 1))
		code, stdout, stderr := run(t, nil, strings.Fields("cases "+path+c.args)...)
		if code != c.code || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%q for %q: exit code %d, no %q in %s%s", c.bad, c.old, code, c.want, stdout, stderr)
		}
	}
}

var mapRow = regexp.MustCompile("(?m)^\\| `([^`]+)/` \\| (.*)$")

// The map of CONTRIBUTING.md has each package, in a row of its own or in that of the folder
// that it is in, and a package imports only those of rows further down.
func TestMapIsTrue(t *testing.T) {
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	noError(t, err)
	rows := mapRow.FindAllStringSubmatch(string(text), -1)
	place := func(folder string) int {
		for i, row := range rows {
			if row[1] == folder || row[1] == path.Dir(folder) && strings.Contains(row[2], "`"+path.Base(folder)+"/`") {
				return i
			}
		}
		return -1
	}
	const module = "github.com/adconform/adconform/"
	packages, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...").Output()
	noError(t, err)
	for line := range strings.Lines(string(packages)) {
		names := strings.Fields(strings.ReplaceAll(line, module, "./"))
		at := place(names[0][len("./"):])
		if at < 0 {
			t.Errorf("the map in CONTRIBUTING.md has no row for %s", names[0])
		}
		for _, imported := range names[1:] {
			folder, ours := strings.CutPrefix(imported, "./")
			if below := place(folder); ours && below >= 0 && below < at {
				t.Errorf("the map in CONTRIBUTING.md has %s below %s, which it imports", names[0], imported)
			}
		}
	}
}

func TestExplainKnowsEveryWord(t *testing.T) {
	contract, err := spec.Load()
	noError(t, err)
	for _, word := range explainable(contract) {
		if testing.Short() && !faults.Sampled(word, 32) {
			continue
		}
		cmd := explainCommand(&app{Stdout: io.Discard})
		cmd.SetArgs([]string{word})
		if err := cmd.Execute(); err != nil {
			t.Errorf("%s: %v", word, err)
		}
	}
}
