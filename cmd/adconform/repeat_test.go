package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/adconform/adconform/cmd/adconform/internal/bundled"
	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// inTurn is a target whose provision puts a new server in the place of the last: before and
// after each round. disguises are those of the rounds, the last of all that follow.
type inTurn struct {
	t         *testing.T
	disguises []bundled.Disguise
	mu        sync.Mutex
	resets    int
	now       http.Handler
}

func (s *inTurn) round() int { return (s.resets + 1) / 2 }

func (s *inTurn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if r.URL.Path == "/reset" {
		s.resets++
		s.now = disguisedReference(s.t, s.disguises[min(s.round(), len(s.disguises))-1])
	}
	now := s.now
	s.mu.Unlock()
	if r.URL.Path != "/reset" {
		now.ServeHTTP(w, r)
	}
}

func disguisedReference(t *testing.T, d bundled.Disguise) http.Handler {
	options := reference.Options{World: fixtures.DefaultWorld()}
	on, err := d.Put(fixtures.DefaultWorld(), &options)
	if err != nil {
		t.Error(err)
		return http.NotFoundHandler()
	}
	server, err := reference.New(t.Context(), options)
	if err != nil {
		t.Error(err)
		return http.NotFoundHandler()
	}
	t.Cleanup(func() { server.Close() })
	return on.Wrap(server)
}

// targetInTurn is a target file for it.
func targetInTurn(t *testing.T, disguises ...bundled.Disguise) string {
	server := httptest.NewServer(&inTurn{t: t, disguises: disguises})
	t.Cleanup(server.Close)
	file := targetOf(t, server.URL+bundled.BasePath)
	provisioned(t, file, server.URL)
	return file
}

// provisioned adds a provision to a target file, and lets no requests overlap.
func provisioned(t *testing.T, file, url string) {
	own := strings.NewReplacer("# post: http://127.0.0.1:9090", "post: "+url, "# concurrency: 4", "concurrency: 1")
	write(t, file, own.Replace(mustRead(t, file)))
}

// faulty are the disguises of rounds; "" is none.
func faulty(faults ...string) (all []bundled.Disguise) {
	for _, fault := range faults {
		all = append(all, bundled.Disguise{Fault: fault})
	}
	return all
}

func readReport(t *testing.T, dir string) *report.Report {
	t.Helper()
	r, err := report.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A fault that some rounds have, of several kinds and operations, fails the run and is told
// from one that all have, in every file and by baseline add.
func TestRepeatTellsSteadyFindingsFromOthers(t *testing.T) {
	for i, fault := range []string{
		"auth/no-key/updateCampaign", "refused/401-any-key/updateConnectionProfile", "effect/not-stored-name/updateConnectionProfile",
		"delete/without-effect", "list/all-listed", "transport/bytes-after/updateConnectionProfileRuleHost",
	} {
		if testing.Short() && i > 0 {
			continue
		}
		t.Run(fault, func(t *testing.T) {
			for name, c := range map[string]struct {
				rounds []string
				seen   string
				steady bool
			}{
				"in one": {[]string{"", fault, ""}, "[2]", false},
				"in all": {[]string{fault, fault, fault}, "[1 2 3]", true},
			} {
				dir := t.TempDir()
				target := targetInTurn(t, faulty(c.rounds...)...)
				code, stdout, stderr := run(t, nil, briefly("--depth quick", "run", "--target", target, "--repeat", "3", "--report", dir)...)
				if code != report.ExitNonconforming || !strings.Contains(stdout, "NONCONFORMING in 3 rounds: ") {
					t.Fatalf("%s: exit code %d\n%s%s", name, code, stdout, stderr)
				}
				r := readReport(t, dir)
				if len(r.Repeat.Rounds) != 3 || !testing.Short() && r.Requests < 3*600 {
					t.Errorf("%s: rounds %+v, %d requests", name, r.Repeat.Rounds, r.Requests)
				}
				first := counted(r)[0]
				if fmt.Sprint(first.Rounds.Seen) != c.seen || first.Rounds.Of != 3 || first.Rounds.Steady != c.steady {
					t.Errorf("%s: %s %+v", name, first.Cause(), *first.Rounds)
				}
				saysRounds(t, dir, stdout, c.steady)
				added(t, dir, c.steady)
			}
		})
	}
}

// What few rounds saw is not fixed for not being seen three times.
func TestReplayIsPatientWithWhatFewRoundsSaw(t *testing.T) {
	dir := t.TempDir()
	target := targetInTurn(t, faulty("auth/no-key/updateCampaign", "", "")...)
	run(t, nil, briefly("--depth quick --case updateCampaign/401/no-key",
		"run", "--target", target, "--repeat", "3", "--report", dir, "--quiet")...)
	code, stdout, stderr := run(t, nil, "replay", dir, "updateCampaign/401/no-key")
	if code != report.ExitConforming || !strings.Contains(stdout, "not seen in 9 tries") || !strings.Contains(stdout, "in 1 of 3 rounds (1)") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// counted are the findings that fail a run.
func counted(r *report.Report) []oracle.Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f oracle.Finding) bool { return f.Severity == oracle.Notice })
}

// saysRounds looks for what each form says of the rounds.
func saysRounds(t *testing.T, dir, stdout string, steady bool) {
	t.Helper()
	words := "in 1 of 3 rounds (2)"
	if steady {
		words = "steady: in each of 3 rounds"
	}
	texts := map[string]string{"the terminal": stdout}
	for _, file := range []string{"summary.md", "junit.xml", "findings.sarif", "report.html"} {
		texts[file] = strings.ReplaceAll(mustRead(t, filepath.Join(dir, file)), `\`, "")
	}
	for where, text := range texts {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), words) {
			t.Errorf("%s does not say %q", where, words)
		}
	}
	if junit := texts["junit.xml"]; !strings.Contains(junit, "<failure ") || strings.Contains(junit, "flakyFailure") {
		t.Error("junit.xml has no failure")
	}
}

// added adds the findings to a baseline and looks which are intermittent there.
func added(t *testing.T, dir string, steady bool) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "known.yaml")
	if code, _, stderr := run(t, nil, "baseline", "add", file, dir, "--reason", "r", "--expires", "2999-01-31"); code != 0 {
		t.Fatal(stderr)
	}
	entries := mustRead(t, file)
	if n := strings.Count(entries, "intermittent: true"); steady && n > 0 || !steady && n != strings.Count(entries, "- operation:") {
		t.Errorf("%d intermittent entries in\n%s", n, entries)
	}
}

func TestRepeatedVariantsConform(t *testing.T) {
	for i, variant := range []string{"answer/date-rfc1123", "body/scalars-taken", "list/no-paging", "connection/closed-after-three"} {
		if testing.Short() && i > 0 {
			continue
		}
		target := targetInTurn(t, bundled.Disguise{Variant: variant})
		code, stdout, stderr := run(t, nil, briefly("--depth quick", "run", "--target", target, "--repeat", "3")...)
		if code != report.ExitConforming || !strings.Contains(stdout, " in 3 rounds: ") || strings.Contains(stdout, "left out") {
			t.Errorf("%s: exit code %d\n%s%s", variant, code, stdout, stderr)
		}
	}
}

// What needs disposables that nothing brings back is left out later, and the report says so:
// nothing is sent to what is gone, and a fault that only they show is no less steady.
func TestRepeatDoesNotUseDisposablesTwice(t *testing.T) {
	server := httptest.NewServer(disguisedReference(t, bundled.Disguise{Fault: "auth/any-key/deleteCreative"}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	code, stdout, _ := run(t, nil,
		briefly("--operation deleteCreative", "run", "--target", targetOf(t, server.URL+bundled.BasePath), "--repeat", "3", "--report", dir)...)
	r := readReport(t, dir)
	if code != report.ExitNonconforming || !strings.Contains(stdout, "an earlier one used up") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
	for _, f := range counted(r) {
		if !f.Rounds.Steady {
			t.Errorf("%s is %s", f.Cause(), f.Rounds)
		}
	}
	if r.Repeat.Rounds[1].LeftOut == 0 || len(r.Mistakes) > 0 {
		t.Errorf("%+v, mistakes %q", r.Repeat.Rounds, r.Mistakes)
	}
	deletedIn := map[string]int{}
	for _, e := range entriesOf(t, dir) {
		if earlier, gone := deletedIn[e.Request.URL]; gone && earlier < e.Round {
			t.Errorf("%s in round %d, deleted in round %d", e.Request.URL, e.Round, earlier)
		}
		if e.Request.Method == http.MethodDelete && e.Response.Status == http.StatusNoContent {
			deletedIn[e.Request.URL] = e.Round
		}
	}
	if len(deletedIn) < 4 {
		t.Errorf("deleted %v", deletedIn)
	}
}

// entry is what is looked at of an entry of traffic.har.
type entry struct {
	Round    int                          `json:"_round"`
	Request  struct{ Method, URL string } `json:"request"`
	Response struct{ Status int }         `json:"response"`
}

func entriesOf(t *testing.T, dir string) []entry {
	t.Helper()
	var archive struct{ Log struct{ Entries []entry } }
	if err := json.Unmarshal([]byte(mustRead(t, filepath.Join(dir, "traffic.har"))), &archive); err != nil {
		t.Fatal(err)
	}
	return archive.Log.Entries
}

// What one round lacks no other makes up for: a round that is cut off, or finds nobody there,
// leaves the run inconclusive, and no round follows it.
func TestARoundThatEndsEarly(t *testing.T) {
	inRound := func(file string, n int, then func(w http.ResponseWriter, r *http.Request)) string {
		resets, server := 0, startedReference(t)
		target := serving(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/reset" {
				if resets++; resets%2 == 1 {
					server = startedReference(t)
				}
				return
			}
			if resets == 2*n-1 && then != nil {
				then(w, r)
				return
			}
			server.ServeHTTP(w, r)
		})
		provisioned(t, target, regexp.MustCompile(`baseURL: (\S+)`).FindStringSubmatch(mustRead(t, target))[1])
		return target
	}
	hangUp := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

	dir := t.TempDir()
	code, stdout, _ := run(t, nil, briefly("--depth quick",
		"run", "--target", inRound("gone", 2, hangUp), "--repeat", "4", "--report", dir, "--allow-inconclusive")...)
	if r := readReport(t, dir); code != report.ExitInconclusive || len(r.Repeat.Rounds) != 2 ||
		!strings.Contains(r.Reason, "in round 2 of 4: ") || !strings.Contains(stdout, " in 2 of 4 rounds") || r.Repeat.Ended == "" {
		t.Errorf("gone: exit code %d, %+v\n%s", code, r.Repeat, stdout)
	}

	interrupts := make(chan os.Signal)
	stderr, reached := newBuffer(), make(chan struct{})
	var once sync.Once
	interrupt := func(_ http.ResponseWriter, r *http.Request) {
		once.Do(func() {
			interrupts <- os.Interrupt
			select {
			case <-reached:
			case <-r.Context().Done():
			}
		})
		panic(http.ErrAbortHandler)
	}
	go func() {
		stderr.await(t, "putting back what was changed")
		close(reached)
	}()
	a := newApp(newBuffer(), stderr, nil, interrupts)
	code = a.run(briefly("--depth quick", "run", "--target", inRound("interrupted", 3, interrupt), "--repeat", "10", "--report", dir))
	if r := readReport(t, dir); code != report.ExitInterrupted || !r.Interrupted || len(r.Repeat.Rounds) != 3 || r.Level != report.Partial {
		t.Errorf("interrupted: exit code %d, %+v, level %s", code, r.Repeat, r.Level)
	}
}
