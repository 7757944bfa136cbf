package compare_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/compare"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// TestSamples writes comparisons for the tests in a browser into the folder that REPORT_SAMPLES
// names: of real reports, of two hundred, and of hostile ones.
func TestSamples(t *testing.T) {
	dir := os.Getenv("REPORT_SAMPLES")
	if dir == "" {
		t.Skip("REPORT_SAMPLES is not set")
	}
	large, evil := t.TempDir(), t.TempDir()
	if err := many(large, folder(t), 200); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		changed(t, filepath.Join(folder(t), "reference"), filepath.Join(evil, name), func(r *report.Report) {
			hostile(r)
			r.Reason += name
		})
	}
	for name, from := range map[string]string{"compared": folder(t), "compared-200": large, "compared-hostile": evil} {
		to := filepath.Join(dir, name)
		if err := errors.Join(compare.CheckDir(to), compare.WriteDir(to, compared(t, compare.Options{Suite: "devel"}, from))); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTargetsSideBySide(t *testing.T) {
	g := NewWithT(t)
	c := compared(t, compare.Options{}, folder(t))
	g.Expect(c.Targets).To(HaveLen(7), "two reports are of one target")
	g.Expect(c.LeftOut).To(BeEmpty())
	g.Expect(c.Operations).To(Equal([]string{
		"updateConnectionProfile", "updateConnectionProfileRuleHost", "updateCampaign", "deleteCreative", "listCreativeMediaFiles", "all",
	}))
	passing := map[string]bool{}
	for _, one := range c.Targets {
		passing[one.Name] = one.Reports[one.Current].Passes
	}
	// A selection, a read-only run and a target file that lacks something are no pass.
	g.Expect(passing).To(Equal(map[string]bool{
		"Reference": true, "North": true, "South": true, "East": false, "West": false, "low": false, "part": false,
	}))
	north, _, _ := target(t, c, "North")
	ref, _, whole := target(t, c, "Reference")
	for _, row := range c.Clauses {
		g.Expect(row.Targets[ref]).To(BeElementOf(compare.Held, compare.NotTested), row.ID)
		g.Expect(row.Text).NotTo(BeEmpty())
	}
	g.Expect(whole.Operations[0].Held).To(BeNumerically(">", 30))
	east, _, broken := target(t, c, "East")
	at := slices.IndexFunc(c.Clauses, func(row compare.Clause) bool { return row.ID == "EFFECT-3" && row.Operation == "deleteCreative" })
	g.Expect(c.Clauses[at].Targets[east]).To(Equal(compare.Broken))
	g.Expect(c.Clauses[at].Targets[ref]).To(Equal(compare.Held))
	g.Expect(c.Clauses[at].Differs).To(BeTrue())
	g.Expect(broken.Findings[0].Sentence).To(ContainSubstring("404"))
	trimming := slices.IndexFunc(c.OpenPoints, func(p compare.OpenPoint) bool { return p.ID == "trimming" })
	g.Expect(c.OpenPoints[trimming].Differs).To(BeTrue())
	g.Expect(c.OpenPoints[trimming].Targets[north].Answer).To(Equal("yes"))
	g.Expect(c.OpenPoints[trimming].Targets[ref].Answer).To(Equal("no"))
	for i, p := range c.OpenPoints {
		g.Expect(p.Differs && i > 0 && !c.OpenPoints[i-1].Differs).To(BeFalse(), "those that differ come first")
	}
	blank := slices.IndexFunc(c.OpenPoints, func(p compare.OpenPoint) bool { return p.ID == "blank-text" })
	g.Expect(c.OpenPoints[blank].Targets[ref].Answer).To(Equal("in part"))
	west, _, selected := target(t, c, "West")
	g.Expect(selected.Words).To(Equal("conforming in the 1 case selected, of 379"))
	g.Expect(slices.IndexFunc(c.Clauses, func(row compare.Clause) bool { return row.Targets[west] == compare.NotTested })).To(Equal(-1),
		"what a selection leaves out is not hidden by the target")
}

func TestHistory(t *testing.T) {
	g := NewWithT(t)
	_, north, newest := target(t, compared(t, compare.Options{}, folder(t)), "North")
	g.Expect(north.Reports).To(HaveLen(2), "organisations are the same in any letter case")
	g.Expect(newest.Version).To(Equal("2.4.1"))
	g.Expect(newest.Mended).To(Equal([]string{"EFFECT-1"}))
	g.Expect(north.Reports[1].Mended).To(BeEmpty())
}

// TestWhichReportStands: the newest, but not a selection that shows no violation.
func TestWhichReportStands(t *testing.T) {
	later := func(days int, change func(*report.Report)) func(*report.Report) {
		return func(r *report.Report) {
			r.Started = time.Date(2027, 1, days, 0, 0, 0, 0, time.UTC)
			r.Target.Implementation.Organisation, r.Target.Implementation.Product = "Example", "Reference"
			change(r)
		}
	}
	whole := filepath.Join(folder(t), "reference")
	selection := filepath.Join(folder(t), "west")
	for name, row := range map[string]struct {
		newer  string
		change func(*report.Report)
		want   string
	}{
		"a newer one":             {whole, func(*report.Report) {}, "newer"},
		"a selection":             {selection, func(*report.Report) {}, "older"},
		"traffic of others":       {whole, func(r *report.Report) { r.Level = report.Observed }, "older"},
		"a selection that breaks": {selection, func(r *report.Report) { r.Verdict, r.ExitCode = report.Nonconforming, 1 }, "newer"},
		"an inconclusive run":     {whole, func(r *report.Report) { r.Verdict, r.ExitCode = report.Inconclusive, 3 }, "newer"},
	} {
		dir := t.TempDir()
		changed(t, whole, filepath.Join(dir, "older"), later(1, func(*report.Report) {}))
		changed(t, row.newer, filepath.Join(dir, "newer"), later(2, row.change))
		_, _, r := target(t, compared(t, compare.Options{}, dir), "Reference")
		if got := filepath.Base(filepath.Dir(r.Path)); got != row.want {
			t.Errorf("%s: the %s one stands", name, got)
		}
	}
}

// TestWhatIsNoPass: a report that says conforming and complete, and is not to be shown so.
func TestWhatIsNoPass(t *testing.T) {
	for name, change := range map[string]func(*report.Report){
		"certificates were not checked": func(r *report.Report) { r.Insecure = true },
		"an exit code of its own":       func(r *report.Report) { r.ExitCode = report.ExitInterrupted },
		"inconclusive":                  func(r *report.Report) { r.Verdict = report.Inconclusive },
		"partial":                       func(r *report.Report) { r.Level = report.Partial },
		"a violation beside it": func(r *report.Report) {
			r.Findings = append(r.Findings, oracle.Finding{Clause: "AUTH-1", Operation: "updateCampaign", Severity: oracle.Violation})
		},
		"nothing held": func(r *report.Report) {
			for i := range r.Clauses {
				r.Clauses[i].Status = report.NotTested
			}
		},
	} {
		dir := t.TempDir()
		changed(t, filepath.Join(folder(t), "reference"), dir, change)
		if _, _, r := target(t, compared(t, compare.Options{}, dir), "Reference"); r.Passes {
			t.Errorf("%s: it passes", name)
		}
	}
}

func TestVerification(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	changed(t, filepath.Join(folder(t), "reference"), filepath.Join(dir, "bare"), func(r *report.Report) {
		r.Target.Implementation.Product = "Bare"
	})
	says := func(_ context.Context, path string) compare.Verification {
		switch {
		case strings.Contains(path, "south"):
			return compare.Verification{Status: compare.Refuted, Reason: "a verdict was changed"}
		case strings.Contains(path, "east"):
			panic("a defect")
		}
		return compare.Verification{Status: compare.Verified}
	}
	c := compared(t, compare.Options{Verify: says}, folder(t), dir)
	_, _, bare := target(t, c, "Bare")
	g.Expect(bare.Verification).To(Equal(compare.Verification{Status: compare.Unverified, Reason: "traffic.har beside it: there is none"}))
	_, _, east := target(t, c, "East")
	g.Expect(east.Verification.Status).To(Equal(compare.Unverified))
	g.Expect(east.Verification.Reason).To(ContainSubstring("a defect"))
	i, _, south := target(t, c, "South")
	g.Expect(south.Passes).To(BeFalse())
	g.Expect(south.Notes).To(ContainElement(ContainSubstring("a verdict was changed")))
	for _, row := range c.Clauses {
		g.Expect(row.Targets[i]).NotTo(Equal(compare.Held), "nothing that a refuted report says to hold is held")
	}
	_, _, ref := target(t, c, "Reference")
	g.Expect(ref.Passes).To(BeTrue())
	_, _, ref = target(t, compared(t, compare.Options{}, folder(t)), "Reference")
	g.Expect(ref.Verification.Status).To(Equal(compare.Unverified))
}

// TestWhatCannotBeTaken: a path without a report is an error; a bad report among others is left
// out and named.
func TestWhatCannotBeTaken(t *testing.T) {
	whole := mustRead(t, filepath.Join(folder(t), "reference", report.JSONFile))
	for name, row := range map[string]struct {
		write func(path string) error
		want  string
	}{
		"no JSON":       {text("{"), "not JSON"},
		"newer":         {text(strings.Replace(whole, "adconform/report/v1", "adconform/report/v2", 1)), `its schema is "adconform/report/v2"`},
		"of another":    {text(`{"schema": "other"}`), `its schema is "other"`},
		"half":          {text(`{"schema": "adconform/report/v1", "verdict": "conforming"}`), "no verdict or no clauses"},
		"another type":  {text(`{"schema": "adconform/report/v1", "clauses": 7}`), "cannot unmarshal number"},
		"a link":        {func(path string) error { return os.Symlink("/etc/hostname", path) }, "symbolic link"},
		"a huge one":    {func(path string) error { return errors.Join(text("{")(path), os.Truncate(path, 65<<20)) }, "65 MiB"},
		"deeply nested": {text(`{"schema": ` + strings.Repeat("[", 200_000)), "not JSON"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, report.JSONFile)
		if err := row.write(path); err != nil {
			t.Fatal(err)
		}
		_, err := compare.Reports(t.Context(), []string{dir}, compare.Options{})
		if err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), row.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s, alone: %v", name, err)
		}
		c := compared(t, compare.Options{}, dir, filepath.Join(folder(t), "reference"))
		if len(c.LeftOut) != 1 || !strings.Contains(c.LeftOut[0].Problem, row.want) || len(c.Targets) != 1 {
			t.Errorf("%s, among others: %v", name, c.LeftOut)
		}
	}
	empty := t.TempDir()
	_, err := compare.Reports(t.Context(), []string{empty, filepath.Join(empty, "none"), folder(t)}, compare.Options{})
	if err == nil || strings.Count(err.Error(), "\n") != 1 || !strings.Contains(err.Error(), "no report.json in it") ||
		!strings.Contains(err.Error(), "no such file") {
		t.Errorf("a line for each: %v", err)
	}
}

func text(text string) func(string) error {
	return func(path string) error { return os.WriteFile(path, []byte(text), 0o666) }
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestPlacesInARegistry(t *testing.T) {
	day := time.Date(2026, 11, 22, 23, 59, 0, 0, time.FixedZone("", -3600)) // the 23rd, UTC
	for place, want := range map[string]string{
		"acme-ads/north-2.0/2026-11-23":   "",
		"acme-ads/north-2.0/2026-11-23-2": "",
		"acme-ads/north-2.0/2026-11-22":   "has to be acme-ads/north-2.0/2026-11-23",
		"beta/north-2.0/2026-11-23":       "has to be",
		"acme-ads/south/2026-11-23":       "has to be",
		"acme-ads/north-2.0/x/2026-11-23": "has to be",
		"acme-ads/2026-11-23":             "has to be",
		"acme-ads/north-2.0/latest":       "has to be",
		".":                               "has to be",
	} {
		dir := t.TempDir()
		changed(t, filepath.Join(folder(t), "reference"), filepath.Join(dir, place), func(r *report.Report) {
			r.Started = day
			r.Target.Implementation.Organisation, r.Target.Implementation.Product = " Acme  Ads!", "North 2.0"
		})
		_, err := compare.Reports(t.Context(), []string{dir}, compare.Options{Registry: true})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", place, err)
		}
	}
	dir := t.TempDir()
	changed(t, filepath.Join(folder(t), "low"), filepath.Join(dir, "low/low/2026-11-22"), func(*report.Report) {})
	if _, err := compare.Reports(t.Context(), []string{dir}, compare.Options{Registry: true}); err == nil ||
		!strings.Contains(err.Error(), "does not name organisation and product") {
		t.Error(err)
	}
}

func TestTheSameReportsGiveTheSameFiles(t *testing.T) {
	dir, again := t.TempDir(), t.TempDir()
	for _, to := range []string{dir, again} {
		if err := compare.WriteDir(to, compared(t, compare.Options{Suite: "devel"}, folder(t))); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"index.html", "compare.md", "compare.json"} {
		if mustRead(t, filepath.Join(dir, file)) != mustRead(t, filepath.Join(again, file)) {
			t.Errorf("%s is another each time", file)
		}
	}
}

// TestFiles: compare.json is as its schema says, of few reports and of two hundred; the page has
// the policy of its own script and style, and is no larger than it need be.
func TestFiles(t *testing.T) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(compare.SchemaJSON()))
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := errors.Join(err, compiler.AddResource("compare.schema.json", document)); err != nil {
		t.Fatal(err)
	}
	schema := compiler.MustCompile("compare.schema.json")
	large, evil := t.TempDir(), t.TempDir()
	if err := many(large, folder(t), reftest.Of(200, 60)); err != nil {
		t.Fatal(err)
	}
	changed(t, filepath.Join(folder(t), "reference"), evil, hostile)
	for name, from := range map[string]string{"few": folder(t), "many": large, "hostile": evil} {
		c := compared(t, compare.Options{Suite: "devel"}, from)
		dir := t.TempDir()
		if err := errors.Join(compare.WriteDir(dir, c), compare.CheckDir(dir)); err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(mustRead(t, filepath.Join(dir, "compare.json"))))
		if err = errors.Join(err, schema.Validate(value)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		page := mustRead(t, filepath.Join(dir, "index.html"))
		if len(page) > 5<<20 {
			t.Errorf("%s: the page has %d bytes", name, len(page))
		}
		policy := html.UnescapeString(regexp.MustCompile(`"Content-Security-Policy" content="(.*?)"`).FindStringSubmatch(page)[1])
		for _, element := range []string{"script", "style"} {
			sum := sha256.Sum256([]byte(regexp.MustCompile(`(?s)<` + element + `>(.*?)</` + element + `>`).FindStringSubmatch(page)[1]))
			if !strings.Contains(policy, element+"-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
				t.Errorf("%s: %s is not in the policy %s", name, element, policy)
			}
		}
	}
}

// TestStrangersAreNotTrusted: no text of a report becomes markup, a path or a control sequence,
// and the words of known clauses and open points are ours.
func TestStrangersAreNotTrusted(t *testing.T) {
	g := NewWithT(t)
	outer := t.TempDir()
	dir := filepath.Join(outer, "in", "out")
	changed(t, filepath.Join(folder(t), "reference"), filepath.Join(outer, "in", "report"), hostile)
	c := compared(t, compare.Options{}, filepath.Join(outer, "in", "report"), filepath.Join(folder(t), "reference"))
	g.Expect(errors.Join(compare.CheckDir(dir), compare.WriteDir(dir, c))).To(Succeed())
	entries, err := filepath.Glob(filepath.Join(outer, "*"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(entries).To(Equal([]string{filepath.Join(outer, "in")}))
	page := mustRead(t, filepath.Join(dir, "index.html"))
	for _, markup := range []string{"<script>alert", "<img", "<svg", "<!--", `href="javascript`, `href="http`} {
		g.Expect(page).NotTo(ContainSubstring(markup))
	}
	g.Expect(strings.Count(page, "<script")).To(Equal(1))
	for _, file := range []string{"index.html", "compare.md", "compare.json"} {
		g.Expect(mustRead(t, filepath.Join(dir, file))).NotTo(MatchRegexp("[\x00-\x08\x1b\u202e\u2028]"), file)
	}
	g.Expect(mustRead(t, filepath.Join(dir, "compare.md"))).NotTo(MatchRegexp(`(?m)^# c`))
	contract, err := spec.Load()
	g.Expect(err).NotTo(HaveOccurred())
	ours := 0
	alone := compared(t, compare.Options{}, filepath.Join(outer, "in", "report"))
	for _, row := range alone.Clauses {
		if known := contract.Clause(row.ID); known != nil {
			ours++
			g.Expect(row.Text).To(Equal(known.Text))
			g.Expect(row.Basis).To(Equal(known.Basis))
		}
	}
	for _, p := range alone.OpenPoints {
		if known := contract.OpenPoint(p.ID); known != nil {
			ours++
			g.Expect(p.Question).To(Equal(known.Question))
		}
	}
	g.Expect(ours).To(BeNumerically(">", 50))
	mine := filepath.Join(dir, "index.html")
	g.Expect(os.WriteFile(mine, []byte("mine"), 0o666)).To(Succeed())
	g.Expect(compare.CheckDir(dir)).To(MatchError(ContainSubstring("adconform did not write it")))
}
