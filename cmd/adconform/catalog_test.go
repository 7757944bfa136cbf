package main

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"charm.land/lipgloss/v2"

	"github.com/adconform/adconform/fixtures"
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
	for _, want := range []string{
		"INCOMPLETE: a run would not test ", "\n  without credentials.stranger: ", " cases and 1 clause not tested (AUTH-2):",
		"\n  without otherCampaign: 3 cases not tested: a second campaign ", "Fine\n", "vastCreative 200",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in\n%s", want, stdout)
		}
	}
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
}

func TestDoctorOfATargetThatDoesNotAnswer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	target := targetOf(t, "http://"+listener.Addr().String())
	listener.Close()
	code, stdout, _ := run(t, nil, "doctor", target)
	if code != report.ExitInconclusive || !strings.Contains(stdout, "the target does not answer") ||
		!strings.Contains(stdout, "is the server running?") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
	target = targetOf(t, "https://"+strings.TrimPrefix(plainServer(t), "http://"))
	if _, stdout, _ := run(t, nil, "doctor", target); !strings.Contains(stdout, "is it https") {
		t.Errorf("a server without TLS:\n%s", stdout)
	}
}

func plainServer(t *testing.T) string {
	t.Helper()
	loaded, err := fixtures.Load(serving(t, answering(404, "{}")), lookup(nil))
	if err != nil {
		t.Fatal(err)
	}
	return loaded.BaseURL
}

func TestDoctorWritesNoWiderThanItIsAsked(t *testing.T) {
	r := &report.Preflight{
		Target: report.Target{Name: "Acme", BaseURL: "http://127.0.0.1:8080/v2"}, Outcome: report.Incomplete,
		Cost: report.Cost{Cases: 12, Clauses: []string{"AUTH-2"}, Stated: 1},
	}
	for _, width := range []int{60, 100} {
		_, stdout, _ := run(t, map[string]string{"NO_COLOR": "1"}, "doctor")
		if strings.Contains(stdout, "\x1b") {
			t.Error("colours in spite of NO_COLOR")
		}
		var b strings.Builder
		if err := json.Unmarshal([]byte(doctorJSON(t)), r); err != nil {
			t.Fatal(err)
		}
		if err := report.PreflightSummary(&b, r, report.Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if lipgloss.Width(strings.TrimRight(line, "\n")) > width {
				t.Errorf("more than %d columns: %s", width, line)
			}
		}
	}
}

func doctorJSON(t *testing.T) string {
	t.Helper()
	_, stdout, _ := run(t, nil, "doctor", "--json")
	return stdout
}

func TestCasesListsThePlanTheSameEachTime(t *testing.T) {
	code, first, _ := run(t, nil, "cases")
	_, second, _ := run(t, nil, "cases")
	if code != 0 || first != second {
		t.Errorf("exit code %d, the same twice: %v", code, first == second)
	}
	for _, want := range []string{"updateCampaign/401/no-key\n", "judges AUTH-1 ", "needs objects.campaign", "observes malformed-id"} {
		if !strings.Contains(first, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

func TestCasesOfAGreaterDepthIncludeTheSmaller(t *testing.T) {
	n := map[string]int{}
	for _, depth := range []string{"quick", "standard", "deep"} {
		_, stdout, _ := run(t, nil, "cases", "--depth", depth)
		n[depth] = strings.Count(stdout, "\n  judges ")
	}
	if n["quick"] == 0 || n["quick"] >= n["standard"] || n["standard"] > n["deep"] {
		t.Errorf("cases %v", n)
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
	if code != 0 || !strings.Contains(stdout, "(go1.") || !strings.Contains(stdout, "5 operations, ") ||
		!strings.Contains(stdout, " clauses, ") {
		t.Errorf("exit code %d, %q", code, stdout)
	}
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
	planning := []string{"run", "cases", "doctor", "run --case updateCampaign/*"}
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
			args := append(strings.Fields(command), target, "--overlay", overlay)
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
	code, stdout, stderr := run(t, nil, "cases", "--overlay", overlay, "--case", "extraOperation/*")
	if code != 0 {
		t.Fatal(stderr)
	}
	for _, want := range []string{"not used: format of extraOperation.name", "not used: maxLength of extraOperation.name"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("expected %q in %q", want, stdout)
		}
	}
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
	overlay := filepath.Join("..", "..", "suites", "testdata", "adspecs.yaml")
	path := filepath.Join(t.TempDir(), "target.yaml")
	text := `
baseURL: http://127.0.0.1:1
credentials: {owner: {value: owner-key-1234}}
objects: {adspec: {id: 5, name: A}, otherAdspec: 6, disposableAdspecs: [7, 8]}
foreign: {adspec: 9}
`
	write(t, path, text)
	code, stdout, stderr := run(t, nil, "cases", path, "--overlay", overlay, "--case", "deleteAdspec/*")
	if code != 0 || !strings.Contains(stdout, "needs objects.disposableAdspecs[0]") {
		t.Errorf("expected the cases, got %d: %s%s", code, stdout, stderr)
	}
	if code, _, stderr := run(t, nil, "cases", path); code != 2 || !strings.Contains(stderr, `unknown key "adspec"`) {
		t.Errorf("without the overlay: expected an unknown key, got %d: %s", code, stderr)
	}
	write(t, path, strings.Replace(text, "otherAdspec", "otherAdspce", 1))
	if code, _, stderr := run(t, nil, "cases", path, "--overlay", overlay); code != 2 ||
		!strings.Contains(stderr, `did you mean "otherAdspec"?`) {
		t.Errorf("a misspelt key: expected a suggestion, got %d: %s", code, stderr)
	}
	write(t, path, strings.Replace(text, "[7, 8]", "[5, 8]", 1))
	if code, _, stderr := run(t, nil, "cases", path, "--overlay", overlay); code != 2 ||
		!strings.Contains(stderr, "5 is already objects.adspec") {
		t.Errorf("a disposable that is also the main object: expected an error, got %d: %s", code, stderr)
	}
}

var mapRow = regexp.MustCompile("(?m)^\\| `([^`]+)/` \\| (.*)$")

// The map of CONTRIBUTING.md has each package, in a row of its own or in that of the folder
// that it is in, and a package imports only those of rows further down.
func TestMapIsTrue(t *testing.T) {
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
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
