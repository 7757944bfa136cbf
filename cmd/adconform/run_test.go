package main

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/report"
)

// referenceTarget is a target file of a reference that is running, less what change takes out.
func referenceTarget(t *testing.T, change func(*fixtures.Target)) string {
	t.Helper()
	target, stop, err := startBundled(t.Context(), fixtures.DefaultWorld(), "")
	noError(t, err)
	t.Cleanup(stop)
	target.Name = "Acme staging"
	change(target)
	path := filepath.Join(t.TempDir(), "target.yaml")
	noError(t, writeTarget(path, target))
	return path
}

// bundledTarget is the target file of a bundled reference that is running.
func bundledTarget(t *testing.T) string {
	t.Helper()
	return referenceTarget(t, func(*fixtures.Target) {})
}

func baseURLOf(t *testing.T, targetFile string) string {
	t.Helper()
	target, err := fixtures.Load(targetFile, lookup(nil))
	noError(t, err)
	return target.BaseURL
}

// served is the bundled reference by its URL, and the variables with its keys.
func served(t *testing.T) (url string, env map[string]string) {
	t.Helper()
	target, stop, err := startBundled(t.Context(), fixtures.DefaultWorld(), "")
	noError(t, err)
	t.Cleanup(stop)
	return target.BaseURL, map[string]string{
		fixtures.OwnerVariable: target.Credentials.Owner, fixtures.StrangerVariable: target.Credentials.Stranger,
	}
}

// freeURL is a base URL at which nothing listens.
func freeURL(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	defer l.Close()
	return "http://" + l.Addr().String() + basePath
}

func TestTheBundledReferenceConforms(t *testing.T) {
	dir := t.TempDir()
	for range 2 { // the former report is written over
		code, stdout, stderr := run(t, nil, "run", "--report", dir, "--require", "complete")
		if code != report.ExitConforming || !strings.HasPrefix(stdout, "CONFORMING (complete): ") ||
			!strings.Contains(stdout, "; tested: the bundled reference at\nhttp://127.0.0.1:") {
			t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
		}
		if strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "adconform: testing http://127.0.0.1:") {
			t.Errorf("standard error %q, want one line at the start", stderr)
		}
	}
	mustRead(t, filepath.Join(dir, "junit.xml"))
}

func TestVerdictsOfServersThatAnswerAllAlike(t *testing.T) {
	for status, want := range map[int]string{200: "AUTH-1 (stated, critical)", 500: "HTTP-1"} {
		code, stdout, stderr := run(t, nil, "run", "--depth", "quick", serving(t, answering(status, "{}")))
		if code != report.ExitNonconforming || !strings.HasPrefix(stdout, "NONCONFORMING") ||
			!strings.Contains(stdout, want) || !strings.Contains(stdout, "curl -i -X ") ||
			!strings.Contains(stderr, "\nFAIL ") || strings.Contains(stdout+stderr, "\x1b") {
			t.Errorf("%d: exit code %d\n%s%s", status, code, stdout, stderr)
		}
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
		target := serving(t, answering(status, "{}"))
		code, stdout, stderr := run(t, nil, briefly("--depth quick", "run", target, "--allow-inconclusive")...)
		if told := strings.Join(strings.Fields(stdout), " "); code != report.ExitInconclusive ||
			!strings.HasPrefix(told, "INCONCLUSIVE (partial, 0 of ") || !strings.Contains(told, want) ||
			strings.Contains(stderr, "FAIL ") || strings.Contains(stdout, "finding") {
			t.Errorf("%d: exit code %d\n%s%s", status, code, stdout, stderr)
		}
	}
}

func TestATargetThatDoesNotAnswerIsOneLine(t *testing.T) {
	closed, hang := freeURL(t), make(chan struct{})
	hanging := serving(t, func(http.ResponseWriter, *http.Request) { <-hang })
	t.Cleanup(func() { close(hang) })
	notHTTP, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
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
		"closed port":         {[]string{targetOf(t, closed)}, closed + " does not answer: refused: "},
		"closed port by URL":  {[]string{closed}, closed + " does not answer: refused: "},
		"unknown host":        {[]string{"http://nowhere.invalid/v2"}, "http://nowhere.invalid/v2 does not answer: "},
		"hanging":             {[]string{hanging, "--timeout", "50ms"}, "is it overloaded, or --timeout too short?"},
		"another protocol":    {[]string{targetOf(t, "http://"+notHTTP.Addr().String())}, "does not answer: "},
		"allowing it is vain": {[]string{closed, "--allow-inconclusive"}, closed + " does not answer: "},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			code, stdout, stderr := run(t, keys, append(briefly("--case updateCampaign/*", "run", "--quiet", "--report", dir), c.args...)...)
			if code != report.ExitInconclusive || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
				t.Errorf("exit code %d, %q, %q, want one line with %q", code, stdout, stderr, c.want)
			}
			if readReport(t, dir).Verdict != report.Inconclusive {
				t.Error("the report does not say so")
			}
		})
	}
}

func TestWaitSaysWhatCameLast(t *testing.T) {
	env := map[string]string{fixtures.OwnerVariable: "a-key"}
	starting := baseURLOf(t, serving(t, answering(http.StatusBadGateway, "{}")))
	for url, last := range map[string]string{freeURL(t): "connection refused", starting: "502 Bad Gateway"} {
		code, stdout, stderr := run(t, env, "run", url, "--wait", "200ms")
		if code != report.ExitInconclusive || stdout != "" || !strings.Contains(stderr, "waiting for "+url+": ") ||
			!strings.Contains(stderr, "nothing was tested: waited 200ms for "+url+", and the last was: ") || !strings.Contains(stderr, last) {
			t.Errorf("%s: exit code %d, %q, %q", url, code, stdout, stderr)
		}
	}
	url, env := served(t)
	if code, stdout, stderr := run(t, env, "run", url, "--wait", "1m", "--quiet"); code != report.ExitInconclusive || stderr != "" {
		t.Errorf("a server that answers: exit code %d, %s%s", code, stdout, stderr)
	}
}

// What the target file lacks is told before anything is sent, and with the verdict.
func TestWithoutTheStrangerTheRunIsInconclusive(t *testing.T) {
	target := bundledTarget(t)
	write(t, target, strings.Replace(mustRead(t, target), "\n  stranger:", "\n  # stranger:", 1))
	code, stdout, stderr := run(t, nil, briefly("--depth quick", "run", target)...)
	if code != report.ExitInconclusive || !strings.Contains(stdout, "without credentials.stranger: ") || !strings.Contains(stdout, "AUTH-2") ||
		!strings.Contains(stderr, "lacks 1 key that cases need, so ") || !strings.Contains(stderr, "adconform doctor") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if code, _, _ = run(t, nil, briefly("--depth quick", "run", target, "--allow-inconclusive")...); code != report.ExitConforming {
		t.Errorf("exit code %d with --allow-inconclusive", code)
	}
	if code, stdout, _ := run(t, nil, "run", "--read-only"); code != report.ExitInconclusive ||
		!strings.HasPrefix(stdout, "INCONCLUSIVE (partial, ") || !strings.Contains(stdout, "): read-only: ") ||
		!strings.Contains(stdout, "a read-only run leaves out what could change the target: ") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}

func TestFlagBeatsVariableBeatsTargetFile(t *testing.T) {
	dir := t.TempDir()
	env := map[string]string{
		"ADCONFORM_SEED": "7", "ADCONFORM_DEPTH": "quick", "ADCONFORM_TARGET": bundledTarget(t), "ADCONFORM_REPORT": dir,
	}
	code, stdout, stderr := run(t, env, "run", "--seed", "9")
	if r := readReport(t, dir); code != 0 || r.Seed != 9 || r.Depth != "quick" || r.Target.Name != "Acme staging" {
		t.Errorf("exit code %d, seed %d, depth %s\n%s%s", code, r.Seed, r.Depth, stdout, stderr)
	}
}

// A verdict stays a line, whatever is not tested.
func TestAVerdictNamesAFewClauses(t *testing.T) {
	code, stdout, _ := run(t, nil, "run", serving(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodOptions { // so that its paths are there
			w.WriteHeader(http.StatusNoContent)
			return
		}
		answering(404, `{"error":{"responseCode":404,"issues":[]}}`)(w, r)
	}), "--quiet", "--basis", "published")
	if code != report.ExitInconclusive || !strings.Contains(stdout, " more to correct; ") ||
		!strings.Contains(stdout, "tested: ") || len(stdout) > 300 {
		t.Errorf("exit code %d: %s", code, stdout)
	}
}

func TestAURLAndAKeyAreEnoughToBegin(t *testing.T) {
	url, env := served(t)
	delete(env, fixtures.StrangerVariable)
	dir := t.TempDir()
	code, stdout, stderr := run(t, env, "run", url, "--report", dir)
	if code != report.ExitInconclusive || !strings.HasPrefix(stdout, "INCONCLUSIVE (partial, ") ||
		!strings.Contains(stdout, "without objects to test with, ") || !strings.Contains(stdout, "init --from "+url+" ") ||
		!strings.Contains(stdout, "without objects.campaign: ") || !strings.Contains(stderr, "a URL names no objects, so ") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	r := readReport(t, dir)
	if r.Requests < 60 || r.Requests > 100 || r.Cases.Passed < 60 || len(r.Findings) > 0 || len(r.Changes) > 0 {
		t.Errorf("%d requests, cases %+v, findings %+v, changes %+v", r.Requests, r.Cases, r.Findings, r.Changes)
	}
	for subject, want := range map[string]bool{
		"AUTH-1 deleteCreative": true, "ERR-1 updateCampaign": true, "ERR-6 listCreativeMediaFiles": true,
		"HTTP-2 updateConnectionProfile": true, "AUTH-2 updateCampaign": false, "CAMPAIGN-1 updateCampaign": false,
	} {
		held := func(c report.Clause) bool { return c.ID+" "+c.Operation == subject && c.Status == report.Held }
		if slices.ContainsFunc(r.Clauses, held) != want {
			t.Errorf("%s is held: want %t", subject, want)
		}
	}
	if code, stdout, _ := run(t, env, "doctor", url); code != report.ExitInconclusive || !strings.Contains(stdout, url) {
		t.Errorf("doctor: exit code %d, %s", code, stdout)
	}
}

// Without objects a server that lets everybody in cannot be told from one that looks at
// ids first, and is not called conforming.
func TestAURLFindsWhatNeedsNoObject(t *testing.T) {
	server := baseURLOf(t, serving(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-API-Key") == "the-owner" {
			answering(404, `{"error": {"responseCode": 404, "issues": []}}`)(w, r)
			return
		}
		answering(403, `{"error": {"responseCode": 403, "issues": []}}`)(w, r)
	}))
	code, stdout, _ := run(t, map[string]string{fixtures.OwnerVariable: "the-owner"}, "run", server)
	if code != report.ExitNonconforming || !strings.Contains(stdout, "AUTH-1") ||
		!strings.Contains(stdout, "answered 403 where 401 was expected") || !strings.Contains(stdout, "  expected  status 401, status 404") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}

func TestAPartialRunSaysWhatItDidNotShow(t *testing.T) {
	less := func(target *fixtures.Target) { target.Foreign.Campaign, target.Objects.PlainCreative = 0, nil }
	dir := t.TempDir()
	code, stdout, _ := run(t, nil, "run", referenceTarget(t, less), "--report", dir, "--quiet", "--require", "partial")
	headline := regexp.MustCompile(`^CONFORMING \(partial, (\d+) of (\d+) cases\): not shown: the list of a creative that is no ` +
		`VAST creative, objects of other users; \d+ clauses held; ` +
		`tested: Acme staging at http://127\.0\.0\.1:\d+/v2\n$`)
	if code != report.ExitConforming || !headline.MatchString(stdout) {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	for file, want := range map[string]string{
		"report.json": `"level": "partial"`, "junit.xml": `<property name="level" value="partial">`,
		"findings.sarif": `"level": "partial"`, "report.html": `"level":"partial"`, "summary.md": "adconform: conforming (partial, ",
	} {
		if text := mustRead(t, filepath.Join(dir, file)); !strings.Contains(text, want) || !strings.Contains(text, "objects of other users") {
			t.Errorf("%s does not say %s, or what was not shown", file, want)
		}
	}
	code, stdout, _ = run(t, nil, "run", referenceTarget(t, less), "--quiet", "--require", "complete", "--allow-inconclusive")
	if code != report.ExitInconclusive || !strings.HasPrefix(stdout, "INCONCLUSIVE (partial, ") ||
		!strings.Contains(stdout, "--require complete, and the run is no more than partial: not shown: ") {
		t.Errorf("--require complete: exit code %d: %s", code, stdout)
	}
}

func TestASelectionIsNoMoreThanASelection(t *testing.T) {
	const id = "updateCampaign/401/no-key"
	for _, c := range []struct {
		args, words string
		cases       int // 0: some
	}{
		{"--case " + id, "--case " + id, 1},
		{"--case */401/no-key", "--case */401/no-key", 5},
		{"--case updateCampaign/401/* --skip */no-key", "--case updateCampaign/401/* and --skip */no-key", 0},
		{"--case updateCampaign/401/*,deleteCreative/401/* --clause AUTH-1", "--case deleteCreative/401/* and --clause AUTH-1", 0},
		{"--clause CAMPAIGN-3 --require selection", "--clause CAMPAIGN-3", 0},
	} {
		dir := t.TempDir()
		code, stdout, _ := run(t, nil, append([]string{"run", "--quiet", "--report", dir}, strings.Fields(c.args)...)...)
		if code != 0 || !regexp.MustCompile(`^CONFORMING in the \d+ cases? selected, of \d+: \d+ clauses held \(`).MatchString(stdout) ||
			!strings.Contains(stdout, c.words) {
			t.Errorf("%s: exit code %d: %s", c.args, code, stdout)
		}
		r := readReport(t, dir)
		if r.Level != report.Selected || r.Selection == nil ||
			!strings.Contains(strings.Join(r.Selection.Filters, " and "), c.words) || r.Selection.Cases != r.Cases.Planned ||
			r.Selection.Of <= r.Selection.Cases || c.cases > 0 && r.Cases.Planned != c.cases {
			t.Errorf("%s: level %s, selection %+v", c.args, r.Level, r.Selection)
		}
	}
	if code, stdout, _ := run(t, nil, "run", "--quiet", "--case", id, "--require", "partial"); code != report.ExitInconclusive {
		t.Errorf("less than was required: exit code %d: %s", code, stdout)
	}
}

// What could not be sent is not in the selection's favour.
func TestASelectionOfWhichNothingCouldBeSent(t *testing.T) {
	target := referenceTarget(t, func(target *fixtures.Target) { target.Foreign.Campaign = 0 })
	for ids, want := range map[string]string{
		"updateCampaign/403/owner-on-foreign":                             "adconform: nothing was sent: no case has all that it needs",
		"updateCampaign/403/owner-on-foreign,updateCampaign/403/stranger": "CONFORMING in 1 of the 2 cases selected, of ",
	} {
		code, stdout, stderr := run(t, nil, "run", target, "--case", ids, "--allow-inconclusive", "--quiet")
		if (code == 0) != strings.HasPrefix(want, "CONFORMING") || !strings.HasPrefix(stdout+stderr, want) {
			t.Errorf("%s: exit code %d: %s%s", ids, code, stdout, stderr)
		}
	}
}

// What the run does not ask for fails neither it nor any of its cases, and is told all the same.
func TestAnIgnoredBasisFailsNoCase(t *testing.T) {
	for _, c := range []struct {
		fault, bases string
		fails        bool
	}{
		{"crash/no-key/updateCampaign", "stated", false},
		{"crash/no-key/listCreativeMediaFiles", "stated,published", false},
		{"crash/no-key/updateCampaign", "stated,standard", true},
		{"auth/no-key/updateCampaign", "stated", true},
		{"auth/no-key/updateCampaign", "standard", false},
	} {
		t.Run(c.fault+" "+c.bases, func(t *testing.T) {
			g := NewWithT(t)
			dir := t.TempDir()
			code, stdout, stderr := run(t, nil, briefly("--case "+path.Base(c.fault)+"/*",
				"run", "--depth", "quick", "--fault", c.fault, "--basis", c.bases, "--report", dir)...)
			junit := mustRead(t, filepath.Join(dir, "junit.xml"))
			if c.fails {
				g.Expect(code).To(Equal(report.ExitNonconforming))
				g.Expect(stderr).To(ContainSubstring("FAIL "))
				g.Expect(junit).To(ContainSubstring("<failure "))
				return
			}
			g.Expect(code).To(Equal(report.ExitConforming), stdout)
			g.Expect(stderr).NotTo(ContainSubstring("FAIL "))
			g.Expect(stdout).To(And(ContainSubstring(" 0 failed"), ContainSubstring("does not count"), ContainSubstring("is not asked for")))
			g.Expect(junit).NotTo(ContainSubstring("<failure "))
			g.Expect(junit).To(ContainSubstring("is not asked for"))
		})
	}
}

// What was seen at open points is shown as lines that can be pasted into the target file,
// and then judged.
func TestWhatIsPastedUnderOpenIsJudged(t *testing.T) {
	target, dir := bundledTarget(t), t.TempDir()
	before, _, _ := strings.Cut(mustRead(t, target), "\nopen:")
	write(t, target, before+"\n")
	selected := []string{"run", target, "--case", "updateCampaign/*", "--seed", "1"}
	_, stdout, _ := run(t, nil, append(selected, "--verbose", "--report", dir)...)
	block := report.PinBlock(readReport(t, dir))
	if !strings.Contains(block, "malformedID: 404\n") || !strings.Contains(stdout, "\n    malformedID: 404\n") ||
		!strings.Contains(mustRead(t, filepath.Join(dir, "summary.md")), "```yaml\n"+block+"```") ||
		!strings.Contains(mustRead(t, filepath.Join(dir, "report.html")), `malformedID: 404\n`) {
		t.Fatalf("%s\n%s", block, stdout)
	}
	pasted := "open:\n  " + strings.ReplaceAll(strings.TrimSpace(block), "\n", "\n  ") + "\n"
	write(t, target, before+"\n"+pasted)
	if code, stdout, stderr := run(t, nil, append(selected, "--report", dir)...); code != 0 || report.PinBlock(readReport(t, dir)) != "" {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	write(t, target, before+"\n"+strings.Replace(pasted, "malformedID: 404", "malformedID: 422", 1))
	if code, stdout, _ := run(t, nil, selected...); code != report.ExitNonconforming || !strings.Contains(stdout, "PIN-1") {
		t.Errorf("another choice than pinned: exit code %d, %s", code, stdout)
	}
}

// run --fault breaks the bundled reference, and replay does so again.
func TestRunWithAFault(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "report")
	code, stdout, stderr := run(t, nil, briefly("--case deleteCreative/*",
		"run", "--fault", "permission/not-found-instead/deleteCreative", "--report", dir)...)
	if code != report.ExitNonconforming ||
		!strings.Contains(flat(stdout), flat("the bundled reference with the fault permission/not-found-instead/deleteCreative at ")) {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr = run(t, nil, "replay", dir)
	if code != report.ExitNonconforming || !strings.Contains(stdout, "0 fixed, 3 still failing") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// A finding is told of the operation whose answer shows it, not of the one whose
// effect was looked for.
func TestFindingsNameTheOperationThatAnswered(t *testing.T) {
	_, stdout, _ := run(t, nil, briefly("--case listCreativeMediaFiles/*", "run", "--fault", "list/changing-width")...)
	if !strings.Contains(stdout, "1 finding\n") ||
		!strings.Contains(stdout, "\nlistCreativeMediaFiles: two reads differ, with no write between them: width (") {
		t.Error(stdout)
	}
	_, stdout, _ = run(t, nil, "run", "--fault", "shown/other-object/updateCampaign", "--case", "updateC*")
	if !strings.Contains(stdout, "1 finding\n") ||
		!strings.Contains(stdout, "\nupdateCampaign: the answer is about another object than the path names: id (") {
		t.Error(stdout)
	}
}

// What a run leaves that is killed is not the report of the run before; one that
// cannot begin says whose it is.
func TestTheReportOfAnEarlierRun(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, report.JSONFile)
	const earlier, told = `{"schema": "adconform/report/1"}`, "is that of an earlier run"
	write(t, path, earlier)
	var once sync.Once
	target := serving(t, func(w http.ResponseWriter, r *http.Request) {
		once.Do(func() {
			if _, err := os.Stat(path); err == nil {
				t.Error("it is there while the next one runs")
			}
		})
		answering(500, "{}")(w, r)
	})
	if code, _, errs := run(t, nil, "run", "--depth", "quick", target, "--report", dir); code != report.ExitNonconforming ||
		!json.Valid([]byte(mustRead(t, path))) || len(mustRead(t, path)) <= len(earlier) {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	write(t, path, earlier)
	for _, args := range [][]string{
		{"run", filepath.Join(dir, "none.yaml")}, {"run", target, "--skip", "*"}, {"check", filepath.Join(dir, "none.har")},
	} {
		code, _, errs := run(t, nil, append(args, "--report", dir)...)
		if code != report.ExitUsage || strings.Count(errs, told) != 1 || strings.Count(errs, "\n") != 2 {
			t.Errorf("%v: exit code %d: %s", args, code, errs)
		}
		if _, _, errs = run(t, nil, append(args, "--report", t.TempDir())...); strings.Contains(errs, told) {
			t.Errorf("%v: there is none, and yet: %s", args, errs)
		}
	}
	if mustRead(t, path) != earlier {
		t.Error("a run that did not begin removed it")
	}
}

// A gate may not be green without its report.
func TestAReportThatCannotBeWritten(t *testing.T) {
	dir, reference := t.TempDir(), startedReference(t)
	target := serving(t, func(w http.ResponseWriter, r *http.Request) {
		if err := os.MkdirAll(filepath.Join(dir, report.JSONFile, "in-the-way"), 0o700); err != nil {
			t.Error(err)
		}
		reference.ServeHTTP(w, r)
	})
	code, stdout, stderr := run(t, nil, "run", target, "--quiet", "--case", "updateCampaign/401/no-key", "--report", dir)
	if code != report.ExitUsage || !strings.HasPrefix(stdout, "CONFORMING") || !strings.Contains(stderr, "the report could not be written: ") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
}

func TestTimeoutOfTheTargetFileIsOverridden(t *testing.T) {
	o := &options{rate: 3, timeout: 5}
	target := fixtures.DefaultWorld().Target("http://127.0.0.1:1")
	target.Limits.Rate = 1
	if c, err := o.config(target); err != nil || c.Target.Limits.Rate != 3 || c.Target.Limits.Timeout != 5 {
		t.Errorf("limits %+v (%v)", target.Limits, err)
	}
}
