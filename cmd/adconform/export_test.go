package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/adconform/adconform/fixtures"
)

func TestExportK6SendsNothingToTheTarget(t *testing.T) {
	var reached atomic.Int64
	target := serving(t, func(http.ResponseWriter, *http.Request) { reached.Add(1) })
	path := filepath.Join(t.TempDir(), "load.js")
	code, stdout, stderr := run(t, nil, "export", "k6", "--target", target, "--output", path, "--depth", "quick")
	if code != 0 || stdout != "" || reached.Load() > 0 {
		t.Fatalf("exit code %d, %d requests, %q, %q", code, reached.Load(), stdout, stderr)
	}
	for _, want := range []string{"the script has ", " VUs", " left out: what a case deletes"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("%q is missing in %q", want, stderr)
		}
	}
	script := mustRead(t, path)
	if !strings.Contains(script, "export function setup()") || strings.Contains(script, fixtures.DefaultWorld().Users[0].Key) {
		t.Error("no script, or one with a key")
	}
	if code, _, stderr := run(t, nil, "export", "k6", "-o", path); code != 2 || !strings.Contains(stderr, "--force") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
	if code, _, _ := run(t, nil, "export", "k6", "-o", path, "--force", "--case", "updateCampaign/401/no-key"); code != 0 ||
		len(mustRead(t, path)) >= len(script) {
		t.Errorf("exit code %d, or not overwritten", code)
	}
}

func TestExportK6Selects(t *testing.T) {
	code, script, stderr := run(t, nil, "export", "k6", "--label-filter", "operation:updateCampaign && class:401")
	if code != 0 || !strings.Contains(script, "updateCampaign/401/empty-key") ||
		strings.Contains(script, `"updateCampaign/403/`) || strings.Contains(script, "ADCONFORM_STRANGER_KEY=") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
	if code, script, stderr = run(t, nil, "export", "k6", "--read-only"); code != 0 || strings.Contains(script, `"PATCH"`) {
		t.Errorf("read-only: exit code %d, %q", code, stderr)
	}
	for name, args := range map[string][]string{
		"what deletes":  {"--case", "deleteCreative/success/ordinary"},
		"unknown case":  {"--case", "updateCampaign/401/no-kee"},
		"unknown words": {"more"},
	} {
		if code, stdout, stderr := run(t, nil, append([]string{"export", "k6"}, args...)...); code != 2 || stdout != "" ||
			strings.Count(stderr, "\n") > 3 {
			t.Errorf("%s: exit code %d, %q", name, code, stderr)
		}
	}
}

func TestExportK6NamesWhatItCannotPutBack(t *testing.T) {
	target := filepath.Join(t.TempDir(), "target.yaml")
	text := "version: 1\nbaseURL: http://127.0.0.1:1\ncredentials: {owner: {value: abcdefgh12345678}}\nobjects:\n" +
		"  campaign: 25\nlimits: {rate: 2/s}\n"
	must := os.WriteFile(target, []byte(text), 0o600)
	if must != nil {
		t.Fatal(must)
	}
	code, script, stderr := run(t, nil, "export", "k6", "--target", target)
	if code != 0 || !strings.Contains(stderr, "objects.campaign (name) at /campaigns/25 cannot be put back") ||
		!strings.Contains(stderr, "adconform doctor") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
	if strings.Contains(script, "rate: 10,") {
		t.Error("the rate of the target file is not kept to")
	}
}
