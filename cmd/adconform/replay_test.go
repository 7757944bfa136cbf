package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
)

func TestReplaySaysWhatBecameOfAFailure(t *testing.T) {
	var broken atomic.Int32 // the status for a missing key
	bundled := startedReference(t)
	target := serving(t, func(w http.ResponseWriter, r *http.Request) {
		if status := int(broken.Load()); status != 0 && r.Header.Get("X-API-Key") == "" && strings.HasPrefix(r.URL.Path, "/campaigns/") {
			answering(status, "{}")(w, r)
			return
		}
		bundled.ServeHTTP(w, r)
	})
	broken.Store(403)
	dir, cases := t.TempDir(), "updateCampaign/*"
	if testing.Short() {
		cases = "updateCampaign/401/*"
	}
	args := briefly("--depth quick", "run", target, "--report", dir, "--case", cases, "--quiet")
	if code, stdout, _ := run(t, nil, args...); code != report.ExitNonconforming {
		t.Fatalf("exit code %d: %s", code, stdout)
	}
	const id = "updateCampaign/401/no-key"
	for _, step := range []struct {
		status int32
		code   int
		want   suites.ReplayStatus
	}{{403, 1, suites.StillFailing}, {500, 1, suites.Different}, {0, 0, suites.Fixed}} {
		broken.Store(step.status)
		code, stdout, stderr := run(t, nil, "replay", dir, id, "--json")
		var all []suites.Replayed
		if err := json.Unmarshal([]byte(stdout), &all); err != nil || len(all) != 1 {
			t.Fatalf("%v in %s%s", err, stdout, stderr)
		}
		if code != step.code || all[0].Status != step.want {
			t.Errorf("with %d: exit code %d, %+v", step.status, code, all[0])
		}
	}
	// Without a case: all that failed.
	if code, stdout, _ := run(t, nil, "replay", filepath.Join(dir, "report.json")); code != 0 ||
		!strings.Contains(stdout, "0 still failing, 0 different") || strings.HasPrefix(stdout, "0 fixed") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
	refuses(t, nil, []string{"replay", dir, "updateCampaign/401/nokey"},
		`it has no case "updateCampaign/401/nokey" (did you mean updateCampaign/401/no-key?)`)
}

func TestReplayOfASilentTargetIsNotTested(t *testing.T) {
	server := faultyTarget(t, "auth/no-key/updateCampaign")
	dir := t.TempDir()
	run(t, nil, "run", server, "--report", dir, "--case", "updateCampaign/401/no-key", "--quiet")
	elsewhere := map[string]string{"ADCONFORM_TARGET": targetOf(t, "http://127.0.0.1:1/v2")}
	code, stdout, _ := run(t, elsewhere, "replay", dir)
	if code != report.ExitInconclusive || !strings.Contains(stdout, "does not answer: refused") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}

// A report comes from elsewhere: it is said where its cases go, and what stands in
// it cannot act on the terminal or on GitHub's runner.
func TestReplayOfAReportFromElsewhere(t *testing.T) {
	dir := t.TempDir()
	target := faultyTarget(t, "auth/no-key/updateCampaign")
	run(t, nil, "run", target, "--report", dir, "--case", "updateCampaign/401/no-key", "--quiet")
	path := filepath.Join(dir, "report.json")
	text := mustRead(t, path)
	write(t, path, regexp.MustCompile(`"clause": "[A-Z]+-`).ReplaceAllString(text, `"clause": "\u001b[2J##[error]`))
	code, stdout, stderr := run(t, map[string]string{"GITHUB_ACTIONS": "true"}, "replay", dir)
	if code != report.ExitNonconforming || strings.Contains(stdout, "\x1b") || strings.Contains(stdout, "##[") ||
		!strings.Contains(stdout, "## [error]") {
		t.Errorf("exit code %d: %q", code, stdout)
	}
	if !strings.Contains(stderr, "sending 1 case of "+dir+" again to http://127.0.0.1:") {
		t.Errorf("it does not say where: %q", stderr)
	}
	if _, stdout, _ := run(t, map[string]string{"GITHUB_ACTIONS": "true"}, "diff", path, path); strings.Contains(stdout, "##[") {
		t.Errorf("diff: %q", stdout)
	}
	write(t, path, strings.ReplaceAll(text, target, "elsewhere/target.yaml"))
	refuses(t, nil, []string{"replay", dir}, `names the target file "elsewhere/target.yaml", which is not there: give it by ADCONFORM_TARGET`)
}

// A report from elsewhere does not say to whom the keys go.
func TestReplayAsksForTheURL(t *testing.T) {
	dir := t.TempDir()
	keys := map[string]string{fixtures.OwnerVariable: "abcdefgh12"}
	run(t, keys, "run", "http://127.0.0.1:1/v2", "--report", dir, "--quiet")
	refuses(t, keys, []string{"replay", dir, "updateCampaign/401/no-key"}, "is about http://127.0.0.1:1/v2: give that by ADCONFORM_TARGET")
}

func TestReplayNeedsAReportWithFailures(t *testing.T) {
	dir := t.TempDir()
	run(t, nil, "run", "--report", dir, "--depth", "quick", "--quiet")
	refuses(t, nil, []string{"replay", dir}, "no case failed; name the case to be sent again")
}

func TestDiffOfTwoRuns(t *testing.T) {
	before, after := t.TempDir(), t.TempDir()
	run(t, nil, "run", "--report", before, "--depth", "quick", "--quiet")
	run(t, nil, "run", "--report", after, "--depth", "quick", "--quiet", faultyTarget(t, "auth/no-key/updateCampaign"))
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"diff " + before + " " + before, 0, "NOT WORSE: 0 new findings, 0 gone, 0 remaining"},
		{"diff " + before + " " + after, 1, "WORSE: "},
		{"diff " + after + " " + before, 0, "NOT WORSE: 0 new findings, "},
		{"diff --json " + before + " " + after, 1, `"after": {`},
		{"diff " + before, 2, ""},
		{"diff " + before + " " + filepath.Join(after, "junit.xml"), 2, ""},
	} {
		code, stdout, stderr := run(t, nil, strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(stdout, c.want) || c.code == 2 && strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d\n%s%s", c.args, code, stdout, stderr)
		}
	}
}

// The server does not keep what it is told, so nothing can be put back.
func TestReplaySaysWhatItLeavesChanged(t *testing.T) {
	target, dir := faultyTarget(t, "effect/stores-swapped/updateConnectionProfile"), t.TempDir()
	run(t, nil, "run", target, "--report", dir, "--case", "updateConnectionProfile/*", "--quiet")
	r := readReport(t, dir)
	for _, c := range r.Results {
		if c.Status != judge.Failed {
			continue
		}
		_, stdout, stderr := run(t, nil, "replay", dir, c.ID)
		if !strings.Contains(stdout, "\n  not put back: connectionProfile 12: ") || !strings.Contains(stdout, "\n      curl -i -X PATCH ") {
			t.Errorf("%s\n%s", stdout, stderr)
		}
		return
	}
	t.Error("no case failed")
}

func TestReplaySaysThatItIsAboutTheCasesSentAgain(t *testing.T) {
	dir := t.TempDir()
	run(t, nil, "run", "--quiet", "--depth", "quick", "--report", dir)
	code, stdout, _ := run(t, nil, "replay", dir, "updateCampaign/401/no-key")
	if code != 0 || !regexp.MustCompile(`1 still passing, 0 not tested: 1 of \d+ cases, sent again to http://127\.0\.0\.1:\d+/v2; it `+
		`says nothing of the others\n$`).MatchString(stdout) {
		t.Errorf("exit code %d: %s", code, stdout)
	}
}

const browsers = "../../suites/passive/testdata/playwright.har"

func TestCheckJudgesARecording(t *testing.T) {
	dir := t.TempDir()
	code, stdout, stderr := run(t, nil, "check", browsers, "--report", dir)
	want := regexp.MustCompile("^NOTHING WRONG SEEN in 6 exchanges: [0-9]+ of [0-9]+ clauses could be judged; tested:\n" +
		"recorded traffic at http://127.0.0.1:8080/v2\n6 recorded exchanges judged; 1 of other paths\n$")
	if code != 0 || !want.MatchString(stdout) || stderr != "" {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
	r := readReport(t, dir)
	if r.Recording == nil || r.Recording.Judged != 6 || r.Depth != "recorded" {
		t.Errorf("%+v", r.Recording)
	}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.Contains(mustRead(t, path), "sample-key-of") {
			t.Errorf("a key is in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// defective is the recording with text replaced.
func defective(t *testing.T, old, bad string) string {
	t.Helper()
	text := mustRead(t, browsers)
	if !strings.Contains(text, old) {
		t.Fatalf("%s is not in it", old)
	}
	path := filepath.Join(t.TempDir(), "a.har")
	write(t, path, strings.ReplaceAll(text, old, bad))
	return path
}

// The verdict, and what narrows it, are those of run.
func TestCheckTakesTheFlagsOfRun(t *testing.T) {
	bad := defective(t, `\"adspecId\":3`, `\"adspecId\":\"3\"`)
	known := filepath.Join(t.TempDir(), "known.yaml")
	dir := t.TempDir()
	code, stdout, _ := run(t, nil, "check", bad, "--report", dir)
	if code != 1 || !strings.Contains(stdout, "CAMPAIGN-11 (published, major)") ||
		!strings.Contains(stdout, `-H "X-API-Key: $ADCONFORM_RECORDED_KEY"`) {
		t.Errorf("exit code %d, %s", code, stdout)
	}
	if code, _, stderr := run(t, nil, "baseline", "add", known, dir, "--reason", "ticket 1", "--expires", "2099-12-31"); code != 0 {
		t.Fatal(stderr)
	}
	for args, want := range map[string]int{
		"--basis stated": 0, "--basis published": 1, "--baseline " + known: 0, "--basis stated,published,standard,chosen": 1, "--quiet": 1,
		"--base-url http://127.0.0.1:8080/v2": 1, "--overlay ../../docs/dialect.yaml": 1,
	} {
		if code, stdout, stderr := run(t, nil, append([]string{"check", bad}, strings.Fields(args)...)...); code != want {
			t.Errorf("%s: exit code %d, want %d: %s%s", args, code, want, stdout, stderr)
		}
	}
}

func TestCheckOfNothingIsInconclusive(t *testing.T) {
	elsewhere := filepath.Join(t.TempDir(), "a.har")
	write(t, elsewhere, `{"log":{"entries":[{"request":{"method":"GET","url":"http://a.example/"}}]}}`)
	for path, want := range map[string]string{
		elsewhere: "none of 1 exchange belongs",
		defective(t, `"status": `, `"_status": `): "nothing could be judged: 6 not recorded whole",
	} {
		code, stdout, stderr := run(t, nil, "check", path)
		if code != report.ExitInconclusive || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 || stdout != "" {
			t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
		}
	}
	refuses(t, nil, []string{"check", browsers, "--base-url", "http://127.0.0.1:8080/v3"},
		"the operations were called at http://127.0.0.1:8080/v2: choose one with --base-url")
}

// What a recording says cannot move the cursor, name a file or show a key.
func TestCheckOfHostileText(t *testing.T) {
	for _, bad := range []string{
		defective(t, `\"name\":\"Winter video\",`, `\"name\":\"\\u001b[2J\\u0007 sample-key-of-the-owner\",`),
		defective(t, `"status": 422`, `"status": 499`),
		defective(t, `"status": 422`, `"status": "\u001b[2J"`),
		defective(t, `127.0.0.1:8080`, `user:sample-key-of-the-owner@a.example\u001b[2J`),
	} {
		code, stdout, stderr := run(t, nil, "check", bad)
		if code == 0 || strings.ContainsAny(stdout+stderr, "\x1b\a") || strings.Contains(stdout+stderr, "sample-key-of") {
			t.Errorf("exit code %d: %q %q", code, stdout, stderr)
		}
	}
}

// The suite's own traffic can be checked: conforming, and with a fault not.
func TestCheckOfOwnTraffic(t *testing.T) {
	dir := t.TempDir()
	if code, _, stderr := run(t, nil, "run", "--quiet", "--depth", "quick", "--report", dir); code != 0 {
		t.Fatal(stderr)
	}
	path := filepath.Join(dir, "traffic.har")
	code, stdout, stderr := run(t, nil, "check", path)
	if code != 0 || stderr != "" {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
	write(t, path, strings.ReplaceAll(mustRead(t, path), `\"responseCode\":403`, `\"responseCode\":401`))
	if code, stdout, _ := run(t, nil, "check", path); code != 1 || !strings.Contains(stdout, "ERR-7") {
		t.Errorf("exit code %d, %s", code, stdout)
	}
}
