package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/report"
)

const browsers = "../../suites/passive/testdata/playwright.har"

func TestCheckJudgesARecording(t *testing.T) {
	dir := t.TempDir()
	code, stdout, stderr := run(t, nil, "check", browsers, "--report", dir)
	want := regexp.MustCompile("^NOTHING WRONG SEEN in 6 exchanges: [0-9]+ of [0-9]+ clauses could be judged; tested:\n" +
		"recorded traffic at http://127.0.0.1:8080/v2\n6 recorded exchanges judged; 1 of other paths\n$")
	if code != 0 || !want.MatchString(stdout) || stderr != "" {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
	r, err := report.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if r.Recording == nil || r.Recording.Judged != 6 || r.Depth != "recorded" {
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
	if code != 1 || !strings.Contains(stdout, "CAMPAIGN-11 (published)") ||
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
