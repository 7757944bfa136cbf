package report_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// One finding is one cause, in every form: all name the same, in the same order, and count them
// as the headline does. Two causes may break one clause at one place of one operation.
func TestEveryFormNamesTheSameFindings(t *testing.T) {
	r, err := brokenReport(t.Context(), judge.Standard)
	if err != nil {
		t.Fatal(err)
	}
	v := report.NewView(r)
	text := func(write func(io.Writer) error) string {
		var b strings.Builder
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	var want []string
	places := map[oracle.Cause]int{}
	for _, f := range v.Failing {
		want = append(want, f.Title)
		places[f.Cause()]++
	}
	if shared := slices.Max(slices.Collect(maps.Values(places))); shared < 2 {
		t.Error("no two causes break one clause at one place")
	}
	if !slices.IsSortedFunc(v.Failing, func(a, b *oracle.Finding) int {
		return slices.Index(spec.Impacts(), a.Impact) - slices.Index(spec.Impacts(), b.Impact)
	}) {
		t.Errorf("not by impact: %q", want)
	}
	if !strings.Contains(v.Headline, fmt.Sprintf(": %d findings; tested", len(want))) {
		t.Errorf("%s: %d findings", v.Headline, len(want))
	}
	var sarif struct {
		Runs []struct {
			Results []struct {
				Properties struct {
					Title string
					Fails bool
				}
			}
		}
	}
	var plain report.Report
	for file, to := range map[string]any{text(v.WriteSARIF): &sarif, text(v.WriteJSON): &plain} {
		if err := json.Unmarshal([]byte(file), to); err != nil {
			t.Fatal(err)
		}
	}
	forms := map[string][]oracle.Finding{"report.json": plain.Findings}
	for _, result := range sarif.Runs[0].Results {
		forms["findings.sarif"] = append(forms["findings.sarif"], oracle.Finding{Title: result.Properties.Title, Fails: result.Properties.Fails})
	}
	for _, f := range dataOf(t, text(v.WriteHTML)).Report.Findings {
		forms["report.html"] = append(forms["report.html"], oracle.Finding{Title: f.Title, Fails: f.Fails})
	}
	for form, findings := range forms {
		var got []string
		for _, f := range findings {
			if f.Fails {
				got = append(got, f.Title)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", form, diff)
		}
	}
	_, junit := junit(t, r)
	terminal := text(func(w io.Writer) error { return v.Summary(w, report.Style{Width: 1000}) })
	failures := ""
	for _, s := range junit.Suites {
		for _, c := range s.Cases {
			if c.Failure != nil {
				failures += c.Failure.Message + "\n"
			}
		}
	}
	for _, title := range want {
		for form, text := range map[string]string{"terminal": terminal, "summary.md": text(v.WriteMarkdown), "junit.xml": failures} {
			if !strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(title), " ")) {
				t.Errorf("%s does not name %q", form, title)
			}
		}
	}
}
