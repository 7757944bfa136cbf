package suites_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// embeddedVariable makes the test binary act as a vendor's package, which has a Ginkgo suite of its own and the
// conformance suite twice: in that suite, as the value says, and as a test.
const embeddedVariable = "TEST_EMBEDDED"

// noted counts the requests of a server.
func noted(h http.Handler, requests *atomic.Int64) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		h.ServeHTTP(w, r)
	}
}

// mark prints what the test looks for.
func mark(format string, args ...any) { fmt.Printf("<"+format+">\n", args...) }

// heldCase is a case after the first update, whose request the target does not answer.
const heldCase = "updateCampaign/401/no-key"

func markRestored(r *report.Report) {
	mark("interrupted: %t, restored: %t", r.Interrupted, len(r.Changes) == 1 && r.Changes[0].Restored)
}

// registerOwnSuite registers a vendor's specs, and the conformance suite among them. The target's address is known only
// when they run.
func registerOwnSuite(form string) {
	requests, config := new(atomic.Int64), suites.NewConfig(fixtures.DefaultWorld().Target(""))
	selecting("updateCampaign/40")(config)
	config.Finished = func(r *report.Report) {
		var classes []string
		for _, c := range r.Results {
			classes = append(classes, c.Class)
		}
		slices.Sort(classes)
		mark("%s %s", r.Verdict, strings.Join(slices.Compact(classes), " "))
	}
	switch form {
	case "held":
		selecting("updateCampaign/")(config)
		config.Target.Limits.Timeout = time.Hour
		config.Finished = markRestored
	case "late":
		config.Target = nil
	}
	own := func(name string) { ginkgo.It(name, ginkgo.Offset(1), func() { mark("%s", name) }) }

	ginkgo.BeforeSuite(func() {
		t := ginkgo.GinkgoTB()
		handler := bundled(t)
		switch form {
		case "broken":
			handler = reftest.With(t, fixtures.DefaultWorld(), "refused/401-any-key/updateCampaign")
		case "held":
			handler = holding(t, heldCase, func() { mark("held") })
		case "late":
			config.Target = fixtures.DefaultWorld().Target("")
		}
		url := reftest.Serve(t, noted(handler, requests))
		if form != "nowhere" {
			config.Target.BaseURL = url
		}
	})
	ginkgo.ReportAfterSuite("requests", func(ginkgo.Report) { mark("sent: %t", requests.Load() > 0) })
	if form == "top" {
		suites.Describe(config)
	}
	decorators := map[string][]any{"ordered": {ginkgo.Ordered}, "labelled": {ginkgo.Label("server")}}[form]
	ginkgo.Describe("our server", append(decorators, func() {
		own("before")
		if form != "top" {
			suites.Describe(config)
		}
		own("after")
	})...)
}

// TestOwnSuite and TestOwnRun are the tests of the vendor's package.
func TestOwnSuite(t *testing.T) {
	if os.Getenv(embeddedVariable) == "" {
		t.Skip("it belongs to another process")
	}
	mark("suite")
	ginkgo.RunSpecs(t, "own", ginkgo.Label("integration"))
}

func TestOwnRun(t *testing.T) {
	if os.Getenv(embeddedVariable) == "" {
		t.Skip("it belongs to another process")
	}
	mark("run")
	if os.Getenv(embeddedVariable) == "held" {
		target := serve(t, holding(t, heldCase, func() { mark("held") }))
		target.Limits.Timeout = time.Hour
		suites.Run(t, target, selecting("updateCampaign/"), func(c *suites.Config) { c.Finished = markRestored })
		return
	}
	requests := new(atomic.Int64)
	r := suites.Run(t, serve(t, noted(bundled(t), requests)), selecting("updateCampaign/40"))
	mark("ran: %t, sent: %t", r != nil, requests.Load() > 0)
}

var marks = regexp.MustCompile(`<(.*?)>\n`)

// vendorTests runs the tests of the vendor's package, and returns the marks that they print, in order, and all that
// they print.
func vendorTests(t *testing.T, form string, args ...string) (marked, output string) {
	t.Helper()
	binary, err := os.Executable()
	noError(t, err)
	cmd := exec.CommandContext(t.Context(), binary, append([]string{"-test.run=TestOwn", "-ginkgo.no-color"}, args...)...)
	cmd.Env = append(cmd.Environ(), embeddedVariable+"="+form)
	text, _ := cmd.CombinedOutput() // it fails if the server is broken
	var all []string
	for _, m := range marks.FindAllStringSubmatch(string(text), -1) {
		all = append(all, m[1])
	}
	return strings.Join(all, "; "), string(text)
}

const (
	ownRun   = "run; ran: true, sent: true"
	ownSuite = "suite; before; conforming 401 403 404; after; sent: true"
)

// A Ginkgo suite and the conformance suite leave one another whole in one package, whichever runs first.
func TestTheSuiteLivesBesideAnother(t *testing.T) {
	missing := map[string]bool{ownRun + "; " + ownSuite: true, ownSuite + "; " + ownRun: true}
	for seed := 1; len(missing) > 0; seed++ {
		marked, output := vendorTests(t, "within", fmt.Sprintf("-test.shuffle=%d", seed))
		if delete(missing, marked); seed > 40 || !strings.Contains(output, "| 0 Skipped") {
			t.Fatalf("seed %d: %s in\n%s", seed, marked, output)
		}
	}
}

// In one tree, the conformance suite is where the vendor puts it, and sends only what Ginkgo selects.
func TestTheSuiteLivesInsideAnother(t *testing.T) {
	const files = "-ginkgo.focus-file=embedded -ginkgo.skip-file=not_found|updates"
	const suiteOrClass = "-ginkgo.label-filter=integration||class:401"
	for _, c := range []struct{ form, args, marks, says string }{
		{"within", "-ginkgo.dry-run", "suite; sent: false", "| 0 Skipped"},
		{"within", "-ginkgo.focus=403", "suite; conforming 403; sent: true", "| 0 Pending |"},
		{"within", "-ginkgo.focus=before", "suite; before; sent: false", "1 Passed |"},
		{"within", "-ginkgo.skip=adconform", "suite; before; after; sent: false", "2 Passed |"},
		{"within", "-ginkgo.label-filter=integration&&class:403", "suite; conforming 403; sent: true", "| 0 Pending |"},
		{"within", suiteOrClass, "suite; before; conforming 401; after; sent: true", "did not foresee"},
		{"labelled", "-ginkgo.label-filter=server&&class:403", "suite; conforming 403; sent: true", "| 0 Pending |"},
		{"within", files, "suite; before; conforming 401 403; after; sent: true", "| 0 Pending |"},
		{"top", "-ginkgo.seed=1", "suite; conforming 401 403 404; before; after; sent: true", "CONFORMING (selection, "},
		{"ordered", "", ownSuite, "CONFORMING (selection, "},
		{"late", "", ownSuite, "CONFORMING (selection, "},
		{"nowhere", "", "suite; before; after; sent: false", "base URL"},
		{"broken", "", "suite; before; nonconforming 401 403 404; after; sent: true", "a refused request was carried out"},
	} {
		args := append(strings.Fields(c.args), "-test.run=TestOwnSuite")
		marked, output := vendorTests(t, c.form, args...)
		if marked != c.marks || !strings.Contains(output, c.says) {
			t.Errorf("%s %s: %s, want %s and %q in\n%s", c.form, c.args, marked, c.marks, c.says, output)
		}
	}
}

// A test that calls Run honours the flags of Ginkgo, prints no escapes, and only with -v a line for each case.
func TestRunInATest(t *testing.T) {
	for args, says := range map[string]string{
		"":                                   "CONFORMING (selection, ",
		"-ginkgo.focus=403":                  "(Ginkgo's filters)",
		"-ginkgo.dry-run -test.v":            "cases are selected, and none is sent",
		"-ginkgo.parallel.process=2 -test.v": "process 1 of ginkgo -p runs the suite",
		"-test.v":                            "passed updateCampaign/401/no-key",
		"-ginkgo.focus=before":               "no case matches Ginkgo's filters",
	} {
		_, output := vendorTests(t, "within", append(strings.Fields(args), "-test.run=TestOwnRun")...)
		if !strings.Contains(output, says) || strings.ContainsAny(output, "\x1b•") {
			t.Errorf("%s: want %q, and no escapes, in\n%s", args, says, output)
		}
		if strings.Contains(output, "passed updateCampaign") != strings.HasPrefix(args, "-test.v") {
			t.Errorf("%s: a line for each case\n%s", args, output)
		}
	}
}

// A run ends before go test's -timeout does: a target that does not answer is restored, and the report made.
func TestTheDeadlineOfATest(t *testing.T) {
	t.Parallel() // most of it is waiting
	for test, want := range reftest.FewOf(1, map[string]string{
		"TestOwnRun":   "run; held; interrupted: false, restored: true",
		"TestOwnSuite": "suite; before; held; interrupted: false, restored: true; after; sent: true",
	}) {
		for limit := 4 * time.Second; ; limit *= 2 { // a busy machine takes longer
			marked, output := vendorTests(t, "held", "-test.run="+test, "-test.timeout="+limit.String())
			if marked == want && strings.Contains(output, "before the test's deadline, to restore objects and report") {
				break
			}
			if limit > 30*time.Second {
				t.Fatalf("%s: %s in\n%s", test, marked, output)
			}
		}
	}
}
