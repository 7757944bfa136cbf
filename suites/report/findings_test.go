package report_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/session"
)

// evil is what a hostile target may put into any text.
const evil = "` `` ``` www.evil.example @octocat pwned \x1b[2J\u009b31m\u202egnp\u200b\x00\a\r\n::error::pwned\n" +
	"##[add-mask]a ]]> --> <script>alert(1)</script> <img src=x> " +
	"&lt; [click](https://evil.example) ![i](https://evil.example/i.png) https://evil.example www.evil.example me@evil.example " +
	"@octocat #1 | ` `` ``` ~~~ *b* _i_ \\ {0} {{ %0A \U000e0041 \xff"

// hostile is a report of which every text that a target or a target file has a
// part in is evil.
func hostile() *report.Report {
	r := made()
	r.Target = report.Target{Name: evil, BaseURL: "http://127.0.0.1/" + evil}
	r.Reason = "1 finding " + evil
	bad := func(f *oracle.Finding) {
		f.Pointer, f.Expected, f.Got, f.Curl = "/data/"+evil, evil, evil, "curl -i 'http://127.0.0.1' --data '"+evil+"'"
	}
	bad(&r.Findings[0])
	notice := r.Findings[0]
	notice.Severity, notice.Clause, notice.Fails = oracle.Notice, "OPEN-3", false
	lost := r.Findings[0]
	lost.Severity, lost.Clause = oracle.Transport, "HTTP-2"
	r.Findings = append(r.Findings, notice, lost)
	bad(&r.Results[0].Findings[0])
	for i := range r.Results {
		r.Results[i].Reason = evil
	}
	r.Clauses[1].Reason = evil
	r.OpenPoints = []report.OpenPoint{{
		ID: "malformed-id", Question: "?", Observed: []string{evil, "404"},
		Answers: []report.Answer{{Answer: evil, At: []string{evil}}, {Answer: "404"}},
	}}
	r.Changes = []session.Change{{Object: evil, ID: 1, Change: "updated", Reason: evil, Undo: "curl " + evil}}
	r.Exchanges = []report.Exchange{
		exchange(1, "updateCampaign/401/no-key", "PATCH", "http://127.0.0.1/campaigns/25?x=%1b&a=b", 200, `{"name":"`+evil+`"}`, evil),
		exchange(2, "updateCampaign/401/no-key", "PATCH", "http://127.0.0.1/campaigns/25", 0, "", ""),
	}
	r.Exchanges[1].Error = "reset: " + evil
	return r
}

// written is what a format writes; it has to be clean.
func written(t *testing.T, r *report.Report, format func(*strings.Builder) error) string {
	t.Helper()
	var b strings.Builder
	if err := format(&b); err != nil {
		t.Fatal(err)
	}
	for i, c := range b.String() {
		if c != '\n' && !unicode.IsPrint(c) {
			t.Fatalf("%U at byte %d, after %q", c, i, b.String()[max(0, i-40):i])
		}
	}
	return b.String()
}

func TestReportJSONIsClean(t *testing.T) {
	r := hostile()
	text := written(t, r, func(b *strings.Builder) error { return report.NewView(r).WriteJSON(b) })
	if strings.Contains(text, "##[") {
		t.Error("a command to a runner")
	}
	var back report.Report
	if err := json.Unmarshal([]byte(text), &back); err != nil {
		t.Fatal(err)
	}
	if want := strings.ToValidUTF8(evil, "\ufffd"); back.Findings[0].Got != want {
		t.Errorf("reads back as %q, want %q", back.Findings[0].Got, want)
	}
}

func TestJUnitIsClean(t *testing.T) {
	r := hostile()
	text := written(t, r, func(b *strings.Builder) error { return report.NewView(r).WriteJUnit(b) })
	if strings.Contains(strings.ReplaceAll(text, "]]&gt;", ""), "]]>") || strings.Contains(text, "<script>") ||
		!strings.Contains(text, "pwned") {
		t.Error(text)
	}
}

// numerous is a report with n findings, each in a case of its own, and an
// exchange for each.
func numerous(n int) *report.Report {
	r := made()
	r.Findings, r.Results = nil, nil
	for i := range n {
		f := finding("updateCampaign")
		f.Case, f.Pointer, f.Exchange = fmt.Sprintf("updateCampaign/401/case-%d", i), fmt.Sprintf("/data/field%d", i), i+1
		f.ID = f.Cause().ID()
		r.Findings = append(r.Findings, f)
		r.Results = append(r.Results, report.Case{
			ID: f.Case, Operation: f.Operation, Class: "401", Title: "T", Status: judge.Failed, Clauses: []string{"AUTH-1"},
			Requests: 1, Findings: []oracle.Finding{f},
		})
		r.Exchanges = append(r.Exchanges,
			exchange(i+1, f.Case, "PATCH", "http://127.0.0.1/campaigns/25", 200, "", strings.Repeat("x", 200)))
	}
	r.Cases = report.Counts{Planned: n, Run: n, Failed: n}
	return r
}

// The files of a former report are written over; a file of the same name that is not of a
// report is not, whichever it is and whatever it holds.
func TestOnlyFilesOfAReportAreWrittenOver(t *testing.T) {
	r := made()
	r.Selection, r.Selected = nil, false
	for _, made := range []*report.Report{r, hostile()} {
		dir := t.TempDir()
		if err := report.WriteDir(dir, report.NewView(made)); err != nil {
			t.Fatal(err)
		}
		if err := report.CheckDir(dir); err != nil {
			t.Errorf("a former report: %v", err)
		}
		names := files(t, dir)
		for i, name := range names {
			path := filepath.Join(dir, name)
			ours, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			other := filepath.Join(dir, names[(i+1)%len(names)])
			theirs, err := os.ReadFile(other)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{"our own notes on adconform\n", "{}", string(theirs)} {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				want := "report folder: " + path + " is there, and adconform did not write it; name another, or move it away"
				if err := report.CheckDir(dir); err == nil || err.Error() != want {
					t.Errorf("%s with %.20q: %v", name, text, err)
				}
			}
			if err := os.WriteFile(path, ours, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestWhatIsInTheWay(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report.html")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := report.CheckDir(dir); err != nil {
		t.Errorf("an empty file holds nothing: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := report.CheckDir(dir); err == nil || !strings.Contains(err.Error(), path+" is a folder") {
		t.Errorf("a folder: %v", err)
	}
	if report.Holds(dir) {
		t.Error("the folder holds no report")
	}
	other := filepath.Join(dir, "notes.html") // any other file is nobody's business
	if err := os.WriteFile(other, []byte("notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := report.CheckDir(dir); err != nil {
		t.Error(err)
	}
}

func TestHintsCanBeRead(t *testing.T) {
	seen := map[string]bool{}
	for _, h := range judge.Hints() {
		if h.ID == "" || h.Text == "" || len(h.When) == 0 || seen[h.ID] {
			t.Errorf("%+v", h)
		}
		seen[h.ID] = true
	}
}
