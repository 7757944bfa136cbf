package recording_test

import (
	"compress/gzip"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/passive/recording"
	"github.com/adconform/adconform/suites/report"
)

// check judges recordings as the command does.
func check(t testing.TB, files ...string) *report.Report {
	t.Helper()
	var all []*recording.Recording
	for _, file := range files {
		r, err := recording.Open(file, nil, reftest.Contract(t))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	base, err := recording.ChooseBase(recording.Bases(all), "", "")
	if err != nil {
		t.Fatal(err)
	}
	j, err := suites.NewJudge(suites.NewConfig(&fixtures.Target{BaseURL: base}), recording.Keys(all, base))
	if err != nil {
		t.Fatal(err)
	}
	n := &report.Recording{Skipped: map[string]int{}}
	for _, r := range all {
		if err := r.Judge(context.Background(), j, base, n); err != nil {
			t.Fatal(err)
		}
	}
	r := j.Report()
	r.Recording = n
	return r
}

func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func broken(r *report.Report) []string {
	var ids []string
	for _, c := range r.Clauses {
		if c.Status == report.Broken {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// What recorders write is taken as it is, and what they leave out is counted.
func TestRecordersAreUnderstood(t *testing.T) {
	for name, want := range map[string]report.Recording{
		"playwright.har": {Judged: 16, Others: 1},
		"mitmproxy.har":  {Judged: 8, Others: 1, Skipped: map[string]int{string(recording.NoRequestBody): 1}},
		"newman.json":    {Judged: 5, Others: 1},
		"firefox.har": {Judged: 16, Others: 1, Skipped: map[string]int{
			string(recording.CutBody): 1, string(recording.NoResponse): 1, string(recording.NoRequestBody): 1,
		}},
		"devtools.har": {Judged: 16, Skipped: map[string]int{
			string(recording.FromCache): 1, string(recording.NoBody): 1, string(recording.NoResponse): 1,
		}},
		"examples.postman_collection.json": {Judged: 5, Others: 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := check(t, filepath.Join("testdata", name))
			if r.Verdict != report.Conforming || len(r.Findings) > 0 {
				t.Errorf("%s: %s: %+v", r.Verdict, r.Reason, r.Findings)
			}
			if n := r.Recording; n.Judged != want.Judged || n.Others != want.Others || !maps.Equal(n.Skipped, want.Skipped) {
				t.Errorf("got %+v, want %+v", n, want)
			}
		})
	}
}

// The same recordings with a defect have a finding.
func TestDefectsShowInEveryRecording(t *testing.T) {
	for name, c := range map[string]struct{ old, bad, clause string }{
		"playwright.har":                   {`\"adspecId\":3`, `\"adspecId\":\"3\"`, "CAMPAIGN-11"},
		"mitmproxy.har":                    {`\"totalPages\":1`, `\"totalPages\":3`, "MEDIA-6"},
		"newman.json":                      {`"code": 422`, `"code": 402`, "ERR-12"},
		"firefox.har":                      {`\"responseCode\":403`, `\"responseCode\":404`, "ERR-7"},
		"devtools.har":                     {`"status": 404`, `"status": 204`, "DELETE-2"},
		"examples.postman_collection.json": {`\"count\":2`, `\"count\":5`, "MEDIA-3"},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(data), c.old) {
				t.Fatalf("%s is not in it", c.old)
			}
			r := check(t, write(t, name, strings.ReplaceAll(string(data), c.old, c.bad)))
			if ids := broken(r); r.Verdict != report.Nonconforming || !slices.Contains(ids, c.clause) {
				t.Errorf("%s, broken: %q", r.Verdict, ids)
			}
			for _, f := range r.Findings {
				if !strings.HasPrefix(f.Curl, "curl ") || strings.Contains(f.Curl, "/:") || strings.Contains(f.Curl, "{{") ||
					strings.Contains(f.Curl, "sample-key") {
					t.Errorf("it is seen again with %s", f.Curl)
				}
			}
		})
	}
}

func TestPackedRecording(t *testing.T) {
	data, err := os.ReadFile("testdata/firefox.har")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.har.gz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	z.Write(data)
	z.Close()
	f.Close()
	t.Setenv("TMPDIR", t.TempDir())
	if r := check(t, path); r.Recording.Judged != 16 {
		t.Errorf("%+v", r.Recording)
	}
}

func TestStandardInputIsReadFromAPipe(t *testing.T) {
	data, err := os.ReadFile("testdata/mitmproxy.har")
	if err != nil {
		t.Fatal(err)
	}
	r, err := recording.Open("-", strings.NewReader(string(data)), reftest.Contract(t))
	if err != nil {
		t.Fatal(err)
	}
	if bases := recording.Bases([]*recording.Recording{r}); len(bases) != 1 || bases[0].Exchanges != 9 {
		t.Errorf("%v", bases)
	}
}

// Files of different times are not held against one another.
func TestTheSameRecordingTwice(t *testing.T) {
	if r := check(t, "testdata/playwright.har", "testdata/playwright.har"); r.Verdict != report.Conforming || r.Recording.Judged != 32 {
		t.Errorf("%s: %+v", r.Reason, r.Findings)
	}
}
