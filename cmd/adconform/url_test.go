package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adconform/adconform/cmd/adconform/internal/bundled"
	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/report"
)

// served is the bundled reference by its URL, and the variables with its keys.
func served(t *testing.T) (url string, env map[string]string) {
	t.Helper()
	target, stop, err := bundled.Start(t.Context(), fixtures.DefaultWorld(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return target.BaseURL, map[string]string{
		fixtures.OwnerVariable: target.Credentials.Owner, fixtures.StrangerVariable: target.Credentials.Stranger,
	}
}

func TestAURLAndAKeyAreEnoughToBegin(t *testing.T) {
	url, env := served(t)
	delete(env, fixtures.StrangerVariable)
	dir := t.TempDir()
	code, stdout, stderr := run(t, env, "run", url, "--report", dir)
	if code != report.ExitInconclusive || !strings.HasPrefix(stdout, "INCONCLUSIVE (partial, ") ||
		!strings.Contains(stdout, "without objects to test with, ") || !strings.Contains(stdout, "init --from "+url+" ") ||
		!strings.Contains(stdout, "without objects.campaign: ") || !strings.Contains(stderr, "a URL names no objects, so ") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	r, err := report.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if r.Requests < 60 || r.Requests > 100 || r.Cases.Passed < 60 || len(r.Findings) > 0 || len(r.Changes) > 0 {
		t.Errorf("%d requests, cases %+v, findings %+v, changes %+v", r.Requests, r.Cases, r.Findings, r.Changes)
	}
	held := map[string]bool{}
	for _, c := range r.Clauses {
		if c.Status == report.Held {
			held[c.ID+" "+c.Operation] = true
		}
	}
	for _, clause := range []string{
		"AUTH-1 deleteCreative", "ERR-1 updateCampaign", "ERR-6 listCreativeMediaFiles", "HTTP-2 updateConnectionProfile",
	} {
		if !held[clause] {
			t.Errorf("%s does not hold", clause)
		}
	}
	if held["AUTH-2 updateCampaign"] || held["CAMPAIGN-1 updateCampaign"] {
		t.Errorf("called held without an object: %v", held)
	}
}

// Without objects a server that lets everybody in cannot be told from one that looks at
// ids first, and is not called conforming.
func TestAURLFindsWhatNeedsNoObject(t *testing.T) {
	forbids := func(w http.ResponseWriter, r *http.Request) {
		status := map[bool]int{true: 403, false: 404}[r.Header.Get("X-API-Key") != "the-owner"]
		answering(status, `{"error": {"responseCode": `+map[int]string{403: "403", 404: "404"}[status]+`, "issues": []}}`)(w, r)
	}
	server := strings.TrimSuffix(baseURLOf(t, serving(t, forbids)), "/")
	code, stdout, _ := run(t, map[string]string{fixtures.OwnerVariable: "the-owner"}, "run", server)
	if code != report.ExitNonconforming || !strings.Contains(stdout, "AUTH-1") ||
		!strings.Contains(stdout, "answered 403 where 401 was expected") || !strings.Contains(stdout, "  expected  status 401, status 404") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}

func baseURLOf(t *testing.T, targetFile string) string {
	t.Helper()
	target, err := fixtures.Load(targetFile, lookup(nil))
	if err != nil {
		t.Fatal(err)
	}
	return target.BaseURL
}

func TestTheTargetIsAnArgument(t *testing.T) {
	url, env := served(t)
	file := filepath.Join(t.TempDir(), "target.yaml")
	write(t, file, "baseURL: "+url+"\ncredentials: {owner: {env: "+fixtures.OwnerVariable+"}}\n")
	env["ADCONFORM_TARGET"] = "nowhere.yaml" // an argument wins
	for _, args := range [][]string{{"run", "--quiet", file}, {"run", file, "--quiet"}} {
		if code, stdout, stderr := run(t, env, args...); code != report.ExitInconclusive || !strings.Contains(stdout, url) {
			t.Errorf("%q: exit code %d, %s%s", args, code, stdout, stderr)
		}
	}
	if code, stdout, _ := run(t, env, "doctor", url); code != report.ExitInconclusive || !strings.Contains(stdout, url) {
		t.Errorf("doctor: exit code %d, %s", code, stdout)
	}
}

func TestTheVersionIsAFlagToo(t *testing.T) {
	_, version, _ := run(t, nil, "version")
	first, _, _ := strings.Cut(version, "\n")
	if code, stdout, stderr := run(t, nil, "--version"); code != 0 || stdout != first+"\n" || stderr != "" {
		t.Errorf("exit code %d, %q, %q; version says %q", code, stdout, stderr, first)
	}
}
