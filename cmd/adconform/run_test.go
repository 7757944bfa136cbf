package main

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/adconform/adconform/cmd/adconform/internal/bundled"
	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/report"
)

func TestTheBundledReferenceConforms(t *testing.T) {
	dir := t.TempDir()
	code, stdout, stderr := run(t, nil, "run", "--report", dir)
	if code != report.ExitConforming || !strings.HasPrefix(stdout, "CONFORMING (complete): ") ||
		!strings.Contains(stdout, "; tested: the bundled reference at\nhttp://127.0.0.1:") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "adconform: testing http://127.0.0.1:") {
		t.Errorf("standard error %q, want one line at the start", stderr)
	}
	for _, file := range []string{"report.json", "junit.xml"} {
		if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
			t.Error(err)
		}
	}
}

func TestVerdictsOfServersThatAnswerAllAlike(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		want   string
	}{
		"200": {200, "ERR-12 (stated)"},
		"500": {500, "HTTP-1"},
	} {
		t.Run(name, func(t *testing.T) {
			target := serving(t, answering(c.status, "{}"))
			code, stdout, stderr := run(t, nil, "run", "--depth", "quick", "--target", target)
			if code != report.ExitNonconforming || !strings.HasPrefix(stdout, "NONCONFORMING") {
				t.Errorf("exit code %d\n%s", code, stdout)
			}
			if !strings.Contains(stdout, c.want) || !strings.Contains(stdout, "curl -i -X ") {
				t.Errorf("%q or the curl line is missing in\n%s", c.want, stdout)
			}
			if !strings.Contains(stderr, "\nFAIL ") {
				t.Errorf("no line for a failure in %q", stderr)
			}
			if strings.Contains(stdout+stderr, "\x1b") {
				t.Error("escape sequences without a terminal")
			}
		})
	}
}

// A server that knows none of the paths, or no key, shows a mistake in the target
// file, which is told with its remedy; no finding is made of it.
func TestServersThatShowTheOperatorsMistake(t *testing.T) {
	for status, want := range map[int]string{
		403: "baseURL: every path beneath it is answered 403, with a key and without: is its path right?",
		404: "baseURL: every path beneath it is answered 404, with a key and without: is its path right?",
		401: "every operation answers 401 to credentials.owner: is it the right key, and X-API-Key its header?",
	} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			target := serving(t, answering(status, "{}"))
			code, stdout, stderr := run(t, nil, briefly("--depth quick", "run", "--target", target, "--allow-inconclusive")...)
			if told := strings.Join(strings.Fields(stdout), " "); code != report.ExitInconclusive ||
				!strings.HasPrefix(told, "INCONCLUSIVE (partial, 0 of ") || !strings.Contains(told, want) {
				t.Errorf("exit code %d\n%s", code, stdout)
			}
			if strings.Contains(stderr, "FAIL ") || strings.Contains(stdout, "finding") {
				t.Errorf("a finding in\n%s%s", stdout, stderr)
			}
		})
	}
}

func TestATargetThatDoesNotAnswerIsOneLine(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + listener.Addr().String() + "/v2"
	listener.Close()
	hang := make(chan struct{})
	hanging := serving(t, func(http.ResponseWriter, *http.Request) { <-hang })
	t.Cleanup(func() { close(hang) })
	notHTTP, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { notHTTP.Close() })
	go func() {
		for {
			conn, err := notHTTP.Accept()
			if err != nil {
				return
			}
			conn.Write([]byte("SSH-2.0-other\r\n"))
			conn.Close()
		}
	}()
	keys := map[string]string{fixtures.OwnerVariable: "abcdefgh12"}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"closed port":         {[]string{"--target", targetOf(t, closed)}, closed + " does not answer: refused: "},
		"closed port by URL":  {[]string{"--target", closed}, closed + " does not answer: refused: "},
		"unknown host":        {[]string{"--target", "http://nowhere.invalid/v2"}, "http://nowhere.invalid/v2 does not answer: "},
		"hanging":             {[]string{"--target", hanging, "--timeout", "50ms"}, "is it overloaded, or --timeout too short?"},
		"another protocol":    {[]string{"--target", targetOf(t, "http://"+notHTTP.Addr().String())}, "does not answer: "},
		"allowing it is vain": {[]string{"--target", closed, "--allow-inconclusive"}, closed + " does not answer: "},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			code, stdout, stderr := run(t, keys, append(briefly("--operation updateCampaign", "run", "--quiet", "--report", dir), c.args...)...)
			if code != report.ExitInconclusive || stdout != "" {
				t.Errorf("exit code %d, standard output %q", code, stdout)
			}
			if strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
				t.Errorf("standard error %q, want one line with %q", stderr, c.want)
			}
			if !strings.Contains(mustRead(t, filepath.Join(dir, "report.json")), `"verdict": "inconclusive"`) {
				t.Error("the report does not say so")
			}
		})
	}
}

func TestWithoutTheStrangerTheRunIsInconclusive(t *testing.T) {
	target := bundledTarget(t)
	text := strings.Replace(mustRead(t, target), "\n  stranger:", "\n  # stranger:", 1)
	write(t, target, text)
	code, stdout, _ := run(t, nil, briefly("--depth quick", "run", "--target", target)...)
	if code != report.ExitInconclusive || !strings.Contains(stdout, "without credentials.stranger: ") || !strings.Contains(stdout, "AUTH-2") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
	code, _, _ = run(t, nil, briefly("--depth quick", "run", "--target", target, "--allow-inconclusive")...)
	if code != report.ExitConforming {
		t.Errorf("exit code %d with --allow-inconclusive", code)
	}
}

// bundledTarget is the target file of a bundled reference that is running.
func bundledTarget(t *testing.T) string {
	t.Helper()
	target, stop, err := bundled.Start(t.Context(), fixtures.DefaultWorld(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return targetOf(t, target.BaseURL)
}

func TestFlagBeatsVariableBeatsTargetFile(t *testing.T) {
	target := bundledTarget(t)
	env := map[string]string{"ADCONFORM_SEED": "7", "ADCONFORM_DEPTH": "quick", "ADCONFORM_TARGET": target, "ADCONFORM_FORMAT": "json"}
	code, stdout, stderr := run(t, env, "run", "--seed", "9")
	var r report.Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%v: %s%s", err, stdout, stderr)
	}
	if code != 0 || r.Seed != 9 || r.Depth != "quick" {
		t.Errorf("exit code %d, seed %d, depth %s", code, r.Seed, r.Depth)
	}
}

func TestSelectionNarrowsTheRun(t *testing.T) {
	for args, want := range map[string]string{
		"--case updateCampaign/401/no-key":           "1 case: 1 passed",
		"--operation deleteCreative --clause AUTH-1": "0 failed",
		"--case deleteCreative/401/no-key --seed 5":  "seed 5",
	} {
		code, stdout, stderr := run(t, nil, append([]string{"run", "--allow-inconclusive"}, strings.Fields(args)...)...)
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("%s: exit code %d\n%s%s", args, code, stdout, stderr)
		}
	}
}

func TestQuietAndVerbose(t *testing.T) {
	_, stdout, stderr := run(t, nil, "run", "--quiet", "--depth", "quick")
	if strings.Count(stdout, "\n") != 1 || stderr != "" {
		t.Errorf("quiet: %q, %q", stdout, stderr)
	}
	_, _, stderr = run(t, nil, "run", "--verbose", "--case", "updateCampaign/401/no-key")
	if !strings.Contains(stderr, "updateCampaign/401/no-key: PATCH http://127.0.0.1:") || !strings.Contains(stderr, ": 401\n") {
		t.Errorf("verbose: %q", stderr)
	}
}

func TestAnInterruptPutsBackAndReports(t *testing.T) {
	interrupts := make(chan os.Signal)
	var once sync.Once
	reached := make(chan struct{})
	bundled := startedReference(t)
	target := serving(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("X-Adconform-Case"), "updateConnectionProfile/422/") {
			once.Do(func() {
				interrupts <- os.Interrupt
				select {
				case <-reached: // the note: the context has ended or is about to
				case <-r.Context().Done():
				}
			})
		}
		bundled.ServeHTTP(w, r)
	})
	stderr := newBuffer()
	go func() {
		stderr.await(t, "putting back what was changed")
		close(reached)
	}()
	dir := t.TempDir()
	a := newApp(newBuffer(), stderr, nil, interrupts)
	code := a.run([]string{"run", "--target", target, "--report", dir, "--quiet"})
	var r report.Report
	if err := json.Unmarshal([]byte(mustRead(t, filepath.Join(dir, "report.json"))), &r); err != nil {
		t.Fatal(err)
	}
	if code != report.ExitInterrupted || !r.Interrupted || r.Cases.NotTested == 0 {
		t.Errorf("exit code %d, interrupted %v, %d not tested", code, r.Interrupted, r.Cases.NotTested)
	}
	if len(r.Changes) == 0 {
		t.Error("no changes are told")
	}
	for _, c := range r.Changes {
		if !c.Restored && c.Change != "deleted" {
			t.Errorf("change %+v", c)
		}
	}
}

// A verdict stays a line, whatever is not tested.
func TestAVerdictNamesAFewClauses(t *testing.T) {
	code, stdout, _ := run(t, nil, "run", "--target", serving(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodOptions { // so that its paths are there
			w.WriteHeader(http.StatusNoContent)
			return
		}
		answering(404, `{"error":{"responseCode":404,"issues":[]}}`)(w, r)
	}), "--quiet", "--basis", "chosen")
	if code != report.ExitInconclusive || !strings.Contains(stdout, " more to correct; ") ||
		!strings.Contains(stdout, "tested: ") || len(stdout) > 300 {
		t.Errorf("exit code %d: %s", code, stdout)
	}
}
