package k6_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/testcase"
)

// The exit codes of k6 that a script of ours comes to.
const (
	thresholdBroken = 99
	aborted         = 108
)

// TestK6 plays scripts with k6 itself, where it is installed: make k6 does that.
func TestK6(t *testing.T) {
	k6, err := exec.LookPath("k6")
	if err != nil {
		t.Skip("k6 is not installed; make k6 builds it and runs this test")
	}
	world, target := small()
	objectSets := fixtures.WorldWithObjectSets(3)
	standard := text(t, plan(t, target, testcase.Standard, nil))
	wide := text(t, plan(t, objectSets.Target("http://127.0.0.1:8080"+basePath), testcase.Standard, nil))
	for name, tc := range map[string]struct {
		script, baseURL string
		change          map[string]string
		exit            int
		says            string
	}{
		"reference":          {script: standard, baseURL: serve(t, world)},
		"reference in lanes": {script: wide, baseURL: serve(t, objectSets), change: map[string]string{"PASSES": "2"}},
		"open loop": {
			script: wide, baseURL: serve(t, objectSets),
			change: map[string]string{"PASSES": "", "DURATION": "2s", "RATE": "100", "WRITE_RATE": "20"},
		},
		"variant": {script: standard, baseURL: faulty(t, "answer/charset-upper")},
		"wrong status": {
			script: standard, baseURL: faulty(t, "permission/not-found-instead/deleteCreative"), exit: thresholdBroken,
			says: "deleteCreative/403/strangers: AUTH-2: status 404, expected 403",
		},
		"wrong code": {script: standard, baseURL: faulty(t, "deleteCreative/401/code-404"), exit: thresholdBroken, says: "ERR-7"},
		"wrong member": {
			script: standard, baseURL: faulty(t, "updateCampaign/404/error.issues.message-as-object"), exit: thresholdBroken,
			says: "ERR-11",
		},
		"crash": {
			script: standard, baseURL: faulty(t, "crash/name-quote/updateConnectionProfile"), exit: thresholdBroken, says: "HTTP-1",
		},
		"no address": {script: standard, exit: aborted, says: "give BASE_URL"},
		"other host": {script: standard, baseURL: "http://192.0.2.1", exit: aborted, says: "I_OWN_THIS_TARGET"},
		"nobody there": {
			script: standard, baseURL: "http://127.0.0.1:1",
			change: map[string]string{"I_OWN_THIS_TARGET": "", "PASSES": "", "DURATION": "1s"}, exit: thresholdBroken,
			says: "no answer",
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "load.js")
			must(t, os.WriteFile(path, []byte(tc.script), 0o600))
			env := once(tc.baseURL)
			for name, value := range tc.change {
				env[name] = value
			}
			cmd := exec.CommandContext(t.Context(), k6, "run", "--quiet", "--no-usage-report", path)
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
			for name, value := range env {
				cmd.Env = append(cmd.Env, name+"="+value)
			}
			out, err := cmd.CombinedOutput()
			var failed *exec.ExitError
			if err != nil && !errors.As(err, &failed) {
				t.Fatal(err)
			}
			if got := cmd.ProcessState.ExitCode(); got != tc.exit || !strings.Contains(string(out), tc.says) {
				t.Errorf("exit code %d, want %d; %q in\n%s", got, tc.exit, tc.says, out)
			}
		})
	}
}
