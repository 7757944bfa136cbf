package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/adconform/adconform/cmd/adconform/internal/flags"
	"github.com/adconform/adconform/cmd/adconform/internal/terminal"
	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/load"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

func TestLoadWritesItsFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "load")
	code, stdout, stderr := run(t, nil, "load", "--requests", "700", "--lanes", "7", "--rate", "3000/s", "--report", dir, "--format", "json")
	if code != 0 || !strings.Contains(stderr, "adconform: loading http://127.0.0.1:") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if stdout != mustRead(t, filepath.Join(dir, load.JSONFile)) {
		t.Error("the standard output is not load.json")
	}
	var result load.Result
	if err := json.Unmarshal([]byte(stdout), &result); err != nil || result.Schema != load.Schema || result.Requests < 700 ||
		len(result.VirtualUsers) != 7 || result.Rate != 3000 {
		t.Errorf("%v: %+v", err, result)
	}
	for _, l := range result.VirtualUsers {
		if l.Objects == "" {
			t.Errorf("lane %d of the bundled reference has no objects of its own", l.VirtualUser)
		}
	}
	var r report.Report
	if err := json.Unmarshal([]byte(mustRead(t, filepath.Join(dir, report.JSONFile))), &r); err != nil ||
		r.Verdict != report.Conforming || r.Requests <= result.Requests {
		t.Errorf("%v: %s, %d requests", err, r.Verdict, r.Requests)
	}
	world := fixtures.DefaultWorld().Target("http://a")
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) < 4+5 {
		t.Errorf("%v: %v", err, files)
	}
	for _, f := range files {
		text := mustRead(t, f)
		if strings.Contains(text, world.Credentials.Owner) || strings.Contains(text, world.Credentials.Stranger) {
			t.Errorf("%s holds a key", f)
		}
		if strings.HasSuffix(f, ".hgrm") && !strings.Contains(text, "#[Mean") {
			t.Errorf("%s is no percentile distribution:\n%s", f, text)
		}
	}
}

func TestLoadTellsWhatAPersonWants(t *testing.T) {
	for args, wants := range map[string][]string{
		"--requests 800 --lanes 2": {
			"PASSED: nothing found in 80", "a closed loop", "Service time in ms", "updateCampaign ", "  all  ", "errors 0 %",
			"Left out\n  14 cases by any lane",
		},
		"--requests 800 --lanes 2 --rate 2000/s --max p50=1h": {
			"PASSED: ", "2000 requests a second on a schedule", "Latency in ms, from when a request was due",
			"all, from when it was sent", "the schedule was ", "p50 ", " is within 1h",
		},
		"--requests 300 --lanes 2 --quiet":                       {"PASSED: nothing found in 30"},
		"--requests 60 --lanes 3 --operation updateCampaign":     {"PASSED: "},
		"--requests 300 --lanes 1 --read-only --max errors=0.1%": {"a read-only load leaves out", "errors 0 % is within 0.1%"},
	} {
		if testing.Short() && strings.HasPrefix(args, "--requests 300") {
			continue
		}
		command := append([]string{"load"}, strings.Fields(args)...)
		if strings.Contains(args, "--rate") {
			command = briefly("--operation updateCampaign", command...)
		}
		code, stdout, stderr := run(t, nil, command...)
		if code != 0 {
			t.Errorf("%s: exit code %d, %s", args, code, stderr)
		}
		for _, want := range wants {
			if !strings.Contains(stdout, want) {
				t.Errorf("%s: %q is missing in\n%s", args, want, stdout)
			}
		}
		if strings.Contains(args, "--quiet") && (stderr != "" || strings.Count(stdout, "\n") != 1) {
			t.Errorf("%s: %q, %q", args, stdout, stderr)
		}
	}
}

func TestLoadFailsBeyondALimit(t *testing.T) {
	code, stdout, _ := run(t, nil, briefly("--operation updateCampaign",
		"load", "--requests", "300", "--lanes", "1", "--max", "p99=1ns,errors=1%", "--max", "max=1h")...)
	if code != 1 || !strings.HasPrefix(stdout, "FAILED: p99 ") || !strings.Contains(stdout, " is above 1ns") ||
		!strings.Contains(stdout, " is within 1h") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}

func TestLoadTellsFindings(t *testing.T) {
	file := faultyTarget(t, "permission/not-found-instead/updateCampaign")
	code, stdout, stderr := run(t, nil, briefly("--operation updateCampaign",
		"load", "--target", file, "--requests", strconv.Itoa(reftest.Of(800, 300)), "--lanes", "2")...)
	if code != 1 || !strings.HasPrefix(stdout, "FAILED: ") ||
		!strings.Contains(stdout, "AUTH-2 (stated) also without load: seen ") ||
		!strings.Contains(stdout, "$ADCONFORM_STRANGER_KEY") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
	if !strings.Contains(stderr, "FAIL updateCampaign/403/") || strings.Contains(stdout, "only under load") {
		t.Errorf("%s\n%s", stderr, stdout)
	}
}

// A load on a server of others is not started by mistake.
func TestLoadRefusesOtherMachines(t *testing.T) {
	for _, own := range []string{
		"http://127.0.0.1:9/v2", "http://127.9.9.9/v2", "https://[::1]:9/v2", "http://localhost/v2", "unix:///run/server.sock:/v2",
		"http://[::ffff:127.0.0.1]/v2",
	} {
		if err := new(flags.Options).MayBeHarmed(t.Context(), own, "load"); err != nil {
			t.Errorf("%s: %v", own, err)
		}
	}
	for _, others := range []string{
		"http://192.0.2.1/v2", "https://[2001:db8::1]/v2", "http://0.0.0.0/v2", "http://[::ffff:192.0.2.1]/v2",
		"http://nobody.invalid/v2",
	} {
		env := map[string]string{fixtures.OwnerVariable: "abcdefgh12"}
		refuses(t, env, []string{"load", "--target", others, "--requests", "1"}, "--i-own-this-target")
	}
	target := fixtures.DefaultWorld().Target("http://192.0.2.1/v2")
	target.Limits.Rate = 1
	file := filepath.Join(t.TempDir(), "target.yaml")
	if err := flags.WriteTarget(file, target); err != nil {
		t.Fatal(err)
	}
	refuses(t, nil, []string{"load", "--target", file, "--i-own-this-target", "--rate", "2/s"}, "limits.rate is 1/s")
}

func TestAnInterruptEndsALoadInOrder(t *testing.T) {
	bundled := startedReference(t)
	interrupts := make(chan os.Signal)
	reached := int64(1500)
	if testing.Short() {
		reached = 600
	}
	var n atomic.Int64
	file := serving(t, func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) == reached {
			interrupts <- os.Interrupt
		}
		bundled.ServeHTTP(w, r)
	})
	dir := t.TempDir()
	stdout, stderr := newBuffer(), newBuffer()
	a := newApp(stdout, stderr, nil, interrupts)
	code := a.run(briefly("--operation updateCampaign", "load", "--target", file, "--duration", "1h", "--lanes", "2", "--report", dir))
	if code != 130 || !strings.Contains(stderr.String(), "putting back") ||
		!strings.Contains(stdout.String(), "PASSED: nothing found in") || strings.Contains(stdout.String(), "Not put back") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if text := mustRead(t, filepath.Join(dir, load.JSONFile)); !strings.Contains(text, `"exitCode": 130`) {
		t.Error(text)
	}
}

func TestLoadProgress(t *testing.T) {
	s := load.Snapshot{Elapsed: 10 * time.Second, Requests: 4000, P99: 3141592 * time.Nanosecond, Errors: 1, Findings: 2}
	found := load.Finding{Finding: oracle.Finding{
		Case: "updateCampaign/401/no-key", Operation: "updateCampaign", Clause: "AUTH-1", Basis: "stated",
		Severity: oracle.Violation, Expected: "status 401", Got: "status 200",
	}}
	for _, c := range []struct {
		columns int
		load    suites.Load
		want    string
	}{
		{
			0,
			suites.Load{Duration: 30 * time.Second},
			"adconform: loading http://a, after a quiet round\nFAIL updateCampaign/401/no-key AUTH-1 (stated): updateCampaign " +
				"answered 200 where 401 was expected\nadconform: 10s of 30s: 4000 requests, 400/s, p99 3.14ms, 1 error, 2 findings\n",
		},
		{
			60,
			suites.Load{Requests: 9000},
			clearLine + "a quiet round first" + clearLine + "4000 of 9000: 4000 requests, 400/s, p99 3.14ms, 1 error,…" + clearLine,
		},
	} {
		w := newBuffer()
		p, at := terminal.NewProgress(w, c.columns), time.Now()
		p.Now = func() time.Time { at = at.Add(10 * time.Second); return at }
		o := &loadOptions{Load: c.load}
		o.reportProgress(p, "http://a")
		o.Begin()
		o.Found(found)
		o.Progress(s)
		p.End()
		if got := w.String(); got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
}
