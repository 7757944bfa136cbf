package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/report"
)

const recordings = "../../suites/passive/recording/testdata/"

func TestCheckJudgesARecording(t *testing.T) {
	dir := t.TempDir()
	code, stdout, stderr := run(t, nil, "check", recordings+"playwright.har", "--report", dir)
	want := regexp.MustCompile("^NOTHING WRONG SEEN in 16 exchanges: [0-9]+ of [0-9]+ clauses could be judged; tested:\n" +
		"recorded traffic at http://127.0.0.1:8080/v2\n16 recorded exchanges judged; 1 of other paths\n$")
	if code != 0 || !want.MatchString(stdout) || stderr != "" {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
	r, err := report.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if r.Recording == nil || r.Recording.Judged != 16 || r.Depth != "recorded" {
		t.Errorf("%+v", r.Recording)
	}
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.Contains(mustRead(t, path), "sample-key-of") {
			t.Errorf("a key is in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// defective is a recording with text replaced.
func defective(t *testing.T, name, old, bad string) string {
	t.Helper()
	text := mustRead(t, recordings+name)
	if !strings.Contains(text, old) {
		t.Fatalf("%s is not in %s", old, name)
	}
	path := filepath.Join(t.TempDir(), name)
	write(t, path, strings.ReplaceAll(text, old, bad))
	return path
}

// The verdict, and what narrows it, are those of run.
func TestCheckTakesTheFlagsOfRun(t *testing.T) {
	bad := defective(t, "playwright.har", `\"adspecId\":3`, `\"adspecId\":\"3\"`)
	known := filepath.Join(t.TempDir(), "known.yaml")
	dir := t.TempDir()
	code, stdout, _ := run(t, nil, "check", bad, "--report", dir)
	if code != 1 || !strings.Contains(stdout, "CAMPAIGN-11 (published)") ||
		!strings.Contains(stdout, `-H "X-API-Key: $ADCONFORM_RECORDED_KEY"`) {
		t.Errorf("exit code %d, %s", code, stdout)
	}
	if code, _, stderr := run(t, nil, "baseline", "add", known, dir, "--reason", "ticket 1", "--expires", "2099-12-31"); code != 0 {
		t.Fatal(stderr)
	}
	for args, want := range map[string]int{
		"--basis stated": 0, "--basis published": 1, "--baseline " + known: 0, "--basis stated,published,standard,chosen": 1, "--quiet": 1,
		"--base-path /v2": 1, "--base-url http://127.0.0.1:8080/v2": 1,
	} {
		if code, stdout, stderr := run(t, nil, append([]string{"check", bad}, strings.Fields(args)...)...); code != want {
			t.Errorf("%s: exit code %d, want %d: %s%s", args, code, want, stdout, stderr)
		}
	}
	if code, stdout, _ := run(t, nil, "check", recordings+"playwright.har", "--overlay", "../../docs/dialect.yaml"); code != 1 ||
		!strings.Contains(stdout, "share_link") {
		t.Errorf("with other names: exit code %d, %s", code, stdout)
	}
}

func TestCheckOfNothingIsInconclusive(t *testing.T) {
	for name, c := range map[string]struct{ args, want string }{
		"other base": {
			recordings + "playwright.har --base-path /v3",
			"nothing to judge below /v3: the operations were called at http://127.0.0.1:8080/v2 (16)",
		},
		"no example":  {write1(t, `{"info":{},"item":[]}`), "none of 0 exchanges belongs"},
		"other paths": {write1(t, `{"log":{"entries":[{"request":{"method":"GET","url":"http://a.example/"}}]}}`), "none of 1 exchange belongs"},
		"no bodies":   {defective(t, "examples.postman_collection.json", `"code"`, `"_code"`), "nothing could be judged: 5 no response recorded"},
	} {
		code, stdout, stderr := run(t, nil, append([]string{"check"}, strings.Fields(c.args)...)...)
		if code != report.ExitInconclusive || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 || stdout != "" {
			t.Errorf("%s: exit code %d, %q, %q", name, code, stdout, stderr)
		}
	}
}

func write1(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.har")
	write(t, path, text)
	return path
}

func TestCheckOfAFolderAsksWhichBase(t *testing.T) {
	code, _, stderr := run(t, nil, "check", recordings)
	if code != 0 || stderr != "" { // newman.json is not named as a recording
		t.Errorf("exit code %d, %q", code, stderr)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.har"), mustRead(t, recordings+"playwright.har"))
	write(t, filepath.Join(dir, "b.har"), strings.ReplaceAll(mustRead(t, recordings+"mitmproxy.har"), "127.0.0.1:8080", "b.example"))
	refuses(t, nil, []string{"check", dir}, "http://127.0.0.1:8080/v2 (16), http://b.example/v2 (9); choose one with --base-url")
}

// What a recording says cannot move the cursor, name a file or show a key.
func TestCheckOfHostileText(t *testing.T) {
	for _, bad := range []string{
		defective(t, "playwright.har", `\"name\":\"Winter video\",`, `\"name\":\"\\u001b[2J\\u0007 sample-key-of-the-owner\",`),
		defective(t, "playwright.har", `"status": 422`, `"status": 499`),
		defective(t, "playwright.har", `127.0.0.1:8080`, "user:sample-key-of-the-owner@a.example\\u001b[2J"),
		defective(t, "playwright.har", `"version": "1.2"`, `"version": "\u001b[2J"`),
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
	bad := strings.ReplaceAll(mustRead(t, path), `\"responseCode\":403`, `\"responseCode\":401`)
	write(t, path, bad)
	if code, stdout, _ := run(t, nil, "check", dir); code != 1 || !strings.Contains(stdout, "ERR-7") {
		t.Errorf("exit code %d, %s", code, stdout)
	}
}
