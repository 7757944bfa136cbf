package main

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adconform/adconform/cmd/adconform/internal/bundled"
	"github.com/adconform/adconform/suites/report"
)

// An unknown fault or variant is answered with those that are meant, else with those that
// begin as it does, whichever command it is given to.
func TestUnknownFaultsSuggestThoseAlike(t *testing.T) {
	const list = "; adconform serve --list-faults lists all"
	const misspelt = `unknown fault "auth/any-ky/updateCampaign" (did you mean auth/any-key/updateCampaign?)`
	for args, want := range map[string]string{
		"serve --fault auth/any-ky/updateCampaign": misspelt + list,
		"serve --fault auth/any-key":               `; beginning alike: auth/any-key/deleteCreative, `,
		"run --fault auth/any-key":                 `; beginning alike: auth/any-key/deleteCreative, `,
		"run --fault zz":                           `unknown fault "zz"` + list,
		"run --fault authentication/none":          `; beginning alike: auth/`,
		"serve --variant wire/prety":               `(did you mean wire/pretty?)` + list,
		"selftest --only ^auth/any-ky/":            `; beginning alike: auth/any-key/`,
		"selftest --list --only wire/prety":        `(did you mean wire/pretty?); adconform selftest --list`,
		"run --fault x --target y":                 `--fault breaks the bundled reference: leave out --target and --overlay`,
	} {
		refuses(t, nil, strings.Fields(args), want)
	}
}

func TestServeListsFaults(t *testing.T) {
	code, stdout, stderr := run(t, nil, "serve", "--list-faults")
	_, all, _ := run(t, nil, "selftest", "--list")
	if code != 0 || stderr != "" || stdout != all || strings.Count(stdout, "\n") < 1000 {
		t.Errorf("exit code %d, %q, %d bytes, want %d", code, stderr, len(stdout), len(all))
	}
}

// The banner and the page at / name the fault and the objects; the page has no key.
func TestServeSaysWhatItServes(t *testing.T) {
	target, stdout, _ := startServe(t, "--fault", "refused/401-any-key/updateCampaign", "--variant", "wire/pretty")
	response, err := http.Get(strings.TrimSuffix(target.BaseURL, bundled.BasePath) + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || response.Header.Get("Content-Security-Policy") == "" {
		t.Fatalf("%d %v (%v)", response.StatusCode, response.Header, err)
	}
	for _, want := range []string{"refused/401-any-key/updateCampaign: ", "wire/pretty: ", "301–308", "56–58", "91"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("%q is missing in\n%s", want, stdout)
		}
		if !strings.Contains(string(page), want) {
			t.Errorf("%q is missing in\n%s", want, page)
		}
	}
	for _, want := range []string{`href="/docs"`, "PATCH /v2/connection-profiles/12/rules/34/hosts/56", "DELETE /v2/creatives/301"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("%q is missing in\n%s", want, page)
		}
	}
	if strings.Contains(string(page), target.Credentials.Owner) || strings.Contains(string(page), target.Credentials.Stranger) {
		t.Error("the page shows a key")
	}
	_, plain, _ := startServe(t)
	if strings.Contains(plain.String(), "fault ") || strings.Contains(plain.String(), "variant ") {
		t.Errorf("no fault is on:\n%s", plain)
	}
}

// run --fault breaks the bundled reference, and replay does so again.
func TestRunWithAFault(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "report")
	code, stdout, stderr := run(t, nil, briefly("--operation deleteCreative",
		"run", "--fault", "permission/not-found-instead/deleteCreative", "--report", dir)...)
	if code != report.ExitNonconforming ||
		!strings.Contains(flat(stdout), flat("the bundled reference with the fault permission/not-found-instead/deleteCreative at ")) {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr = run(t, nil, "replay", dir)
	if code != report.ExitNonconforming || !strings.Contains(stdout, "0 fixed, 3 still failing") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}
