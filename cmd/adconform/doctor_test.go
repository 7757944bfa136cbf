package main

import (
	"encoding/json"
	"net"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/report"
)

func TestDoctorSaysWhatIsMissingAndWhatItCosts(t *testing.T) {
	target := bundledTarget(t)
	code, stdout, stderr := run(t, nil, "doctor", "--target", target)
	if code != 0 || !strings.HasPrefix(stdout, "READY as far as reading tells: ") || stderr != "" {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	text := mustRead(t, target)
	text = strings.Replace(text, "\n  stranger:", "\n  # stranger:", 1)
	text = strings.Replace(text, "\n  otherCampaign:", "\n  # otherCampaign:", 1)
	text = strings.Replace(text, "\n  plainCreative: 230", "\n  plainCreative: 231000", 1)
	write(t, target, text)
	code, stdout, _ = run(t, nil, "doctor", "--target", target)
	if code != report.ExitInconclusive {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{
		"INCOMPLETE: a run would not test ", "\n  credentials.stranger: ", " cases, 1 clause (what another user may not do)\n",
		"\n  otherCampaign: 3 cases (a second campaign ", "Fine\n", "vastCreative 200",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in\n%s", want, stdout)
		}
	}
	code, stdout, _ = run(t, nil, "doctor", "--target", target, "--format", "json")
	var r report.Preflight
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || code != r.ExitCode || r.Schema != report.PreflightSchema ||
		r.Cost.Stated != 1 {
		t.Errorf("exit code %d, %+v (%v)", code, r, err)
	}
	for _, u := range fixtures.DefaultWorld().Users {
		if strings.Contains(stdout, u.Key) {
			t.Error("a key is shown")
		}
	}
}

func TestDoctorOfATargetThatDoesNotAnswer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	target := targetOf(t, "http://"+listener.Addr().String())
	listener.Close()
	code, stdout, _ := run(t, nil, "doctor", "--target", target)
	if code != report.ExitInconclusive || !strings.Contains(stdout, "the target does not answer") ||
		!strings.Contains(stdout, "is the server running?") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
	target = targetOf(t, "https://"+strings.TrimPrefix(plainServer(t), "http://"))
	if _, stdout, _ := run(t, nil, "doctor", "--target", target); !strings.Contains(stdout, "is it https") {
		t.Errorf("a server without TLS:\n%s", stdout)
	}
}

func plainServer(t *testing.T) string {
	t.Helper()
	loaded, err := fixtures.Load(serving(t, answering(404, "{}")), lookup(nil))
	if err != nil {
		t.Fatal(err)
	}
	return loaded.BaseURL
}

func TestDoctorWritesNoWiderThanItIsAsked(t *testing.T) {
	r := &report.Preflight{
		Target: report.Target{Name: "Acme", BaseURL: "http://127.0.0.1:8080/v2"}, Outcome: report.Incomplete,
		Cost: report.Cost{Cases: 12, Clauses: []string{"AUTH-2"}, Stated: 1},
	}
	for _, width := range []int{60, 100} {
		_, stdout, _ := run(t, map[string]string{"NO_COLOR": "1"}, "doctor")
		if strings.Contains(stdout, "\x1b") {
			t.Error("colours in spite of NO_COLOR")
		}
		var b strings.Builder
		if err := json.Unmarshal([]byte(doctorJSON(t)), r); err != nil {
			t.Fatal(err)
		}
		if err := report.PreflightSummary(&b, r, report.Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if lipgloss.Width(strings.TrimRight(line, "\n")) > width {
				t.Errorf("more than %d columns: %s", width, line)
			}
		}
	}
}

func doctorJSON(t *testing.T) string {
	t.Helper()
	_, stdout, _ := run(t, nil, "doctor", "--format", "json")
	return stdout
}

func TestARunTellsWhatTheTargetFileLacksBeforeItSends(t *testing.T) {
	target := bundledTarget(t)
	write(t, target, strings.Replace(mustRead(t, target), "\n  stranger:", "\n  # stranger:", 1))
	_, _, stderr := run(t, nil, "run", "--target", target)
	lines := strings.Split(stderr, "\n")
	if len(lines) < 2 || !strings.Contains(lines[1], "lacks 1 key that cases need, so ") ||
		!strings.Contains(lines[1], " cases and 1 clause (1 stated)") || !strings.Contains(lines[1], "adconform doctor") {
		t.Errorf("standard error %q", stderr)
	}
}

func TestReadOnlyRun(t *testing.T) {
	code, stdout, _ := run(t, nil, "run", "--read-only")
	if code != report.ExitInconclusive || !strings.HasPrefix(stdout, "INCONCLUSIVE (partial, ") ||
		!strings.Contains(stdout, "): read-only: ") ||
		!strings.Contains(stdout, "a read-only run leaves out what could change the target: ") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
	refuses(t, nil, []string{"run", "--read-only", "--operation", "updateCampaign"}, "no case of the selection")
}
