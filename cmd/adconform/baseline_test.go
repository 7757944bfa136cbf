package main

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/adconform/adconform/suites/report"
)

// What a baseline excuses is not all that can stop a gate: it says what else does.
func TestBaselineDoesNotHideWhatIsNotTested(t *testing.T) {
	var bundled http.Handler
	target := serving(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/campaigns/") && r.Header.Get("X-API-Key") == "" {
			answering(403, "{}")(w, r)
			return
		}
		bundled.ServeHTTP(w, r)
	})
	lacking := filepath.Join(t.TempDir(), "lacking.yaml")
	write(t, lacking, regexp.MustCompile(`(?m)^ +disposable.*\n`).ReplaceAllString(mustRead(t, target), ""))
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "known.yaml")
	bundled = startedReference(t)
	depth := "standard"
	if testing.Short() {
		depth = "quick"
	}
	run(t, nil, "run", "--target", lacking, "--report", dir, "--quiet", "--depth", depth)
	code, stdout, stderr := run(t, nil, "baseline", "add", file, dir, "--reason", "ticket 4711", "--expires", "2999-01-31")
	if code != 0 || stdout == "" {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if entries := mustRead(t, file); !strings.Contains(entries, "    depth: "+depth+"\n") {
		t.Errorf("the depth is not kept\n%s", entries)
	}
	bundled = startedReference(t)
	code, stdout, _ = run(t, nil, "run", "--target", lacking, "--baseline", file, "--quiet", "--depth", depth)
	if code != report.ExitInconclusive || !strings.Contains(stdout, ", all in the baseline; ") ||
		!strings.Contains(stdout, "not tested: DELETE-") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
}

// What could not be written is not told as done.
func TestBaselineThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	run(t, nil, "run", "--report", dir, "--depth", "quick", "--quiet", "--target", faultyTarget(t, "auth/no-key/updateCampaign"))
	file := filepath.Join(t.TempDir(), "none", "known.yaml")
	code, stdout, stderr := run(t, nil, "baseline", "add", file, dir, "--reason", "r", "--expires", "2999-01-31")
	if code != report.ExitUsage || stdout != "" || !strings.Contains(stderr, file+": no such file or directory") {
		t.Errorf("exit code %d: %q, %q", code, stdout, stderr)
	}
}

// A baseline excuses what it lists, nothing else, and has to be kept up to date.
func TestBaselineIsStrictBothWays(t *testing.T) {
	var keyless, unknown atomic.Int32 // statuses, where they are wrong
	var bundled http.Handler          // a fresh one for each run, as disposables are used up
	target := serving(t, func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("X-API-Key")
		switch campaign := strings.HasPrefix(r.URL.Path, "/campaigns/"); {
		case campaign && key == "" && keyless.Load() > 0:
			answering(int(keyless.Load()), "{}")(w, r)
		case campaign && strings.HasSuffix(r.Header.Get("X-Adconform-Case"), "/404/unknown-campaign-1") && unknown.Load() > 0:
			answering(int(unknown.Load()), "{}")(w, r)
		default:
			bundled.ServeHTTP(w, r)
		}
	})
	file, dir := filepath.Join(t.TempDir(), "known.yaml"), t.TempDir()
	suite := func(more ...string) (int, string) {
		bundled = startedReference(t)
		code, stdout, stderr := run(t, nil, append(briefly("--depth quick", "run", "--target", target, "--report", dir), more...)...)
		return code, stdout + stderr
	}
	keyless.Store(403)
	if code, out := suite(); code != report.ExitNonconforming {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	code, stdout, stderr := run(t, nil, "baseline", "add", file, dir, "--reason", "ticket 4711", "--expires", "2999-01-31")
	if code != 0 || !strings.Contains(stdout, "added   updateCampaign AUTH-1") {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}

	code, out := suite("--baseline", file)
	if code != 0 || !strings.Contains(out, "NONCONFORMING") || !strings.Contains(out, ", all in the baseline") ||
		!strings.Contains(out, "(ticket 4711)") {
		t.Errorf("known: exit code %d\n%s", code, out)
	}
	if junit := mustRead(t, filepath.Join(dir, "junit.xml")); strings.Contains(junit, "<failure") ||
		!strings.Contains(junit, `message="known: ticket 4711"`) {
		t.Error("junit.xml does not say that the failure is known")
	}

	unknown.Store(200)
	if code, out := suite("--baseline", file); code != report.ExitNonconforming || !strings.Contains(out, "in the baseline") ||
		strings.Contains(out, "all in the baseline") {
		t.Errorf("one more: exit code %d\n%s", code, out)
	}
	unknown.Store(0)

	expired := filepath.Join(t.TempDir(), "expired.yaml")
	write(t, expired, strings.ReplaceAll(mustRead(t, file), "2999", "2001"))
	if code, out := suite("--baseline", expired); code != report.ExitNonconforming || !strings.Contains(out, "has expired") {
		t.Errorf("expired: exit code %d\n%s", code, out)
	}

	keyless.Store(0)
	code, out = suite("--baseline", file)
	var r report.Report
	if err := json.Unmarshal([]byte(mustRead(t, filepath.Join(dir, "report.json"))), &r); err != nil {
		t.Fatal(err)
	}
	if code != report.ExitNonconforming || !strings.Contains(out, " no longer") || r.Verdict != report.Conforming ||
		len(r.Baseline.Stale) == 0 {
		t.Errorf("fixed: exit code %d, verdict %s\n%s", code, r.Verdict, out)
	}
	intermittent := filepath.Join(t.TempDir(), "intermittent.yaml")
	write(t, intermittent, strings.ReplaceAll(mustRead(t, file), "    reason:", "    intermittent: true\n    reason:"))
	if code, out := suite("--baseline", intermittent); code != 0 {
		t.Errorf("intermittent: exit code %d\n%s", code, out)
	}
	// What the run does not look for is not out of date.
	if code, out := suite("--baseline", file, "--case", "updateCampaign/404/unknown-campaign-1"); code != 0 {
		t.Errorf("not looked for: exit code %d\n%s", code, out)
	}
	if _, out := suite(); strings.Contains(out, "baseline") {
		t.Errorf("a baseline is told where there is none\n%s", out)
	}
	if code, stdout, _ := run(t, nil, "baseline", "prune", file, dir); code != 0 ||
		!strings.Contains(stdout, "removed updateCampaign AUTH-1") {
		t.Errorf("prune: exit code %d\n%s", code, stdout)
	}
	if code, out := suite("--baseline", file); code != 0 {
		t.Errorf("pruned: exit code %d\n%s", code, out)
	}
}

func TestBaselineUsage(t *testing.T) {
	dir := t.TempDir()
	run(t, nil, "run", "--report", dir, "--depth", "quick", "--quiet", "--target", faultyTarget(t, "auth/no-key/updateCampaign"))
	for _, c := range []struct{ args, want string }{
		{"baseline add known.yaml " + dir, "--reason is missing"},
		{"baseline add known.yaml " + dir + " --reason r", "--expires is missing"},
		{"baseline add known.yaml " + dir + " --reason r --expires soon", `"soon" is not a date`},
		{"baseline add known.yaml " + dir + " --reason r --expires 2001-01-01", "--expires 2001-01-01 is over"},
		{
			"baseline add known.yaml " + dir + " --reason r --expires 2999-01-01 --clause AUTH1",
			`--clause "AUTH1" is not one of the contract's (did you mean AUTH-1?)`,
		},
		{"baseline add known.yaml", "an argument is missing: name the baseline and the report"},
		{"baseline prune known.yaml " + dir, "baseline known.yaml: no such file or directory"},
		{"baseline prone known.yaml", `did you mean prune?`},
		{"run --baseline known.yaml", "--baseline: baseline known.yaml: no such file"},
	} {
		refuses(t, nil, strings.Fields(c.args), c.want)
	}
}

// A gate with --strict can bear notices for a time, too.
func TestBaselineOfNotices(t *testing.T) {
	dir := t.TempDir()
	har, file := filepath.Join(dir, "a.har"), filepath.Join(dir, "known.yaml")
	write(t, har,
		`{"log":{"version":"1.2","entries":[{"startedDateTime":"2026-01-02T03:04:05Z","time":1,"request":{"method":"DELETE",`+
			`"url":"http://a.example/v2/creatives/3","headers":[]},"response":{"status":204,"headers":[{"name":"Content-Length",`+
			`"value":"0"}],"content":{"size":0,"text":""}}}]}}`)
	if code, out, errs := run(t, nil, "check", har, "--strict", "--report", dir); code != report.ExitNonconforming {
		t.Fatalf("exit code %d: %s%s", code, out, errs)
	}
	add := []string{"baseline", "add", file, dir, "--reason", "ticket 4711", "--expires", "2999-01-31"}
	if code, out, _ := run(t, nil, add...); code != 0 || !strings.Contains(out, "nothing to add but 1 notice: give --notices") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if code, out, _ := run(t, nil, append(add, "--notices")...); code != 0 || !strings.Contains(out, "added   deleteCreative OPEN-4") {
		t.Errorf("exit code %d: %s", code, out)
	}
	code, out, errs := run(t, nil, "check", har, "--strict", "--baseline", file)
	if code != report.ExitConforming || !strings.Contains(out, "all in the baseline") {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
}
