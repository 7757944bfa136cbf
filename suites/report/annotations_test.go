package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// command is a workflow command as GitHub's runner reads it from a line.
type command struct{ name, title, text string }

// commands reads lines as the runner does: a command begins with :: after
// blanks, or stands as ##[…] anywhere in the line.
func commands(t *testing.T, output string) []command {
	t.Helper()
	var all []command
	for line := range strings.Lines(output) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "::")
		if !ok {
			t.Errorf("no command: %q", line)
			continue
		}
		head, text, _ := strings.Cut(rest, "::")
		name, properties, _ := strings.Cut(head, " ")
		c := command{name: name, text: unescape(text, "%0D", "\r", "%0A", "\n", "%25", "%")}
		for p := range strings.SplitSeq(properties, ",") {
			if title, ok := strings.CutPrefix(p, "title="); ok {
				c.title = unescape(title, "%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")
			} else {
				t.Errorf("property %q", p)
			}
		}
		all = append(all, c)
	}
	return all
}

func unescape(text string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}

func annotations(t *testing.T, r *report.Report) []command {
	t.Helper()
	return commands(t, written(t, r, func(b *strings.Builder) error { return report.WriteAnnotations(b, r) }))
}

func TestAnAnnotationForEachFinding(t *testing.T) {
	r := made()
	notice := finding("deleteCreative")
	notice.Severity = oracle.Notice
	r.Findings = append(r.Findings, notice)
	got := annotations(t, r)
	want := command{
		"error",
		"AUTH-1 (stated)",
		"updateCampaign answered 200 where 401 was expected\nfirst in case updateCampaign/401/no-key\ncurl -i http://127.0.0.1/campaigns/25",
	}
	if len(got) != 2 || got[0] != want || got[1].name != "notice" {
		t.Errorf("got %q", got)
	}
}

func TestATargetCannotGiveCommands(t *testing.T) {
	got := annotations(t, hostile())
	if len(got) != 3 {
		t.Fatalf("%d commands: %q", len(got), got)
	}
	for _, c := range got {
		if !strings.Contains(c.text, "pwned") || !strings.Contains(c.text, "%0A") || c.name == "add-mask" {
			t.Errorf("%q", c)
		}
	}
}

func TestNoMoreAnnotationsThanAreShown(t *testing.T) {
	for n, want := range map[int]string{10: "", 11: "2 more", 9999: "9990 more"} {
		got := annotations(t, numerous(n))
		last := got[len(got)-1]
		if len(got) != 10 || (want != "") != (last.title == want) {
			t.Errorf("%d findings: %d annotations, the last is %q", n, len(got), last)
		}
	}
}

func TestARunThatFailsWithoutAFindingIsAnnotated(t *testing.T) {
	r := made()
	r.Findings, r.Verdict, r.Reason, r.ExitCode = nil, report.Inconclusive, "1 stated clause not tested: AUTH-2", 3
	if got := fmt.Sprint(annotations(t, r)); got != "[{error adconform INCONCLUSIVE: 1 stated clause not tested: AUTH-2; "+
		"tested: Acme at http://127.0.0.1:1/v2}]" {
		t.Error(got)
	}
	r.ExitCode = 0
	if got := annotations(t, r); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
