package engine_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// standardRequests is how many requests a standard run may send.
const standardRequests = 1700

func TestReferenceConforms(t *testing.T) {
	w, r := watch(t, 16)
	if r.ExitCode != report.ExitConforming {
		t.Errorf("exit code %d: %s", r.ExitCode, r.Reason)
	}
	noFinding(t, "reference", r)
	if r.Requests > standardRequests {
		t.Errorf("the standard suite may send %d requests, it sent %d: save some elsewhere, or make a case Deep", standardRequests, r.Requests)
	}
	for _, c := range r.Clauses {
		if c.Status != report.Held && c.ID != "PIN-1" && c.ID != "HTTP-4" { // no choice is pinned, and no list has a tag
			t.Errorf("%s is %s: %s", c.ID, c.Status, c.Reason)
		}
	}
	putBack(t, "conforming", r)
	sent := map[string]int{} // by case
	var looks []string       // paths of requests that belong to no case
	for _, ex := range r.Exchanges {
		id := ex["_case"].(string)
		sent[id]++
		if strings.Contains(id, "/preflight/") {
			url := ex["request"].(map[string]any)["url"].(string)
			looks = append(looks, url[strings.Index(url, "/v2/"):])
		}
	}
	// The first cases judge the answers that the survey got.
	for id, n := range map[string]int{"success/ordinary": 3, "401/no-key": 1, "403/stranger": 1} {
		if id = "listCreativeMediaFiles/" + id; sent[id] != n {
			t.Errorf("%s: %d exchanges, want %d", id, sent[id], n)
		}
	}
	// Lists that no case reads before others write: of the containers whose files are deleted, of the plain disposables
	// at both ends, to find an id that does not exist, and of the stranger's creatives.
	var wanted []string
	for _, id := range []int{240, 250, 301, 308, 96, 93} {
		wanted = append(wanted, fmt.Sprintf("/v2/creatives/%d/media-files", id))
	}
	if diff := cmp.Diff(wanted, looks); diff != "" {
		t.Errorf("requests that belong to no case: %s", diff)
	}
	if len(r.Exchanges) != r.Requests {
		t.Errorf("%d requests, %d exchanges in the report", r.Requests, len(r.Exchanges))
	}
	choicesNamePlaces(t, r)
	w.inOrder(t, r)
}

// choicesNamePlaces checks that the answers to open points name operation and field.
func choicesNamePlaces(t *testing.T, r *report.Report) {
	t.Helper()
	places := map[string][]string{}
	for _, point := range r.OpenPoints {
		for _, a := range point.Answers {
			places[point.ID+" "+a.Answer] = a.At
		}
	}
	for said, want := range map[string]string{
		"null-optional yes": "updateConnectionProfileRuleHost.regularExpression",
		"null-unsets yes":   "updateConnectionProfileRuleHost.regularExpression",
		"trimming yes":      "",
		"trimming no":       "updateCampaign.name updateConnectionProfile.name",
		"empty-object yes":  "updateCampaign updateConnectionProfile updateConnectionProfileRuleHost",
	} {
		if got := strings.Join(places[said], " "); got != want {
			t.Errorf("%s: %s, want %s", said, got, want)
		}
	}
}

// The template's examples of open are what the reference chooses, so that a user of serve may uncomment them all.
func TestExamplesOfOpenAreTheReferences(t *testing.T) {
	var file bytes.Buffer
	noError(t, fixtures.WriteTarget(&file, serve(t, bundled(t))))
	before, open, _ := strings.Cut(file.String(), "\nopen:")
	target, err := fixtures.Parse([]byte(before+"\nopen:"+strings.ReplaceAll(open, "  # ", "  ")), "target.yaml", nil)
	noError(t, err)
	noFinding(t, "with every example", runOf(t, target))
}

// With -short only the cases that depth standard lacks, as the test above runs the others.
func TestReferenceConformsInDepth(t *testing.T) {
	noFinding(t, "deep", runOn(t, bundled(t), func(c *engine.Config) {
		if c.Depth = judge.Deep; testing.Short() {
			c.Drawn, c.Select = 100, func(cs *judge.Case) bool { return cs.Depth == judge.Deep }
		}
	}))
}

// Each clause has a case that judges it, each check cites a clause, and no case
// cites a clause that does not exist.
func TestClausesAndChecksFitTogether(t *testing.T) {
	contract := spec.Load()
	judged, checked := citedByCases(t, contract), citedByChecks(t)
	for _, cl := range contract.Clauses {
		if !slices.Contains(judged, cl.ID) {
			t.Errorf("no case judges %s: %s", cl.ID, cl.Text)
		}
		if !slices.Contains(checked, cl.ID) && !bytes.Contains(spec.OpenAPI(), []byte("x-clause: "+cl.ID+"\n")) {
			t.Errorf("no check and no mark in openapi.yaml cites %s: %s", cl.ID, cl.Text)
		}
	}
	for _, cited := range slices.Concat(judged, checked) {
		if contract.Clause(cited) == nil {
			t.Errorf("a case or a check cites %s, which is not in clauses.yaml", cited)
		}
	}
}

// citedByCases returns the clauses that the cases of a plan cite.
func citedByCases(t *testing.T, contract *spec.Contract) (clauses []string) {
	target := fixtures.DefaultWorld().Target("http://127.0.0.1:1")
	target.Open = fixtures.Pins{"malformedID": 404}
	ids := map[string]bool{}
	for _, cs := range engine.NewConfig(target).Plan() {
		isUnknown := cs.Open != "" && contract.OpenPoint(cs.Open) == nil
		if ids[cs.ID] || isUnknown {
			t.Errorf("case %s is planned twice, or observes %s, which is not in open.yaml", cs.ID, cs.Open)
		}
		ids[cs.ID] = true
		clauses = append(clauses, cs.Clauses...)
	}
	return clauses
}

// citedByChecks returns the clauses that checks cite.
func citedByChecks(t *testing.T) (clauses []string) {
	for _, check := range slices.Concat(judge.Checks, oracle.Checks()) {
		if finding.Kind(check.ID).Sentence() == "" || check.Text == "" || len(check.Clauses) == 0 {
			t.Errorf("check %s has no text, cites no clause, or its cause has no sentence", check.ID)
		}
		clauses = append(clauses, check.Clauses...)
	}
	return clauses
}

// An update has a clause for each effect.
func TestEffectsOfUpdatesHaveClauses(t *testing.T) {
	for _, op := range spec.Load().Operations {
		for _, effect := range []string{"identity", "shows", "persists", "stays", "updatedAt"} {
			if op.Updates() && op.Effects[effect] == "" {
				t.Errorf("%s has no clause for %s", op.ID, effect)
			}
		}
	}
}

// sent returns the requests of a run without findings, by case.
func sent(t *testing.T, seed uint64, workers int) (exact, shape map[string][]string) {
	t.Helper()
	c := engine.NewConfig(serve(t, bundled(t)))
	withShort(c)
	c.Seed, c.Target.Limits.Concurrency = seed, workers
	exact, shape = map[string][]string{}, map[string][]string{}
	c.Record = func(ex *wire.Exchange) {
		r := ex.Request
		exact[ex.Case] = append(exact[ex.Case], fmt.Sprintf("%s %s %s %s", r.Method, r.Path, r.Credential.Name, r.Body))
		shape[ex.Case] = append(shape[ex.Case], ex.Request.Method+" "+ex.Request.Credential.Name)
	}
	noFinding(t, c.Depth.String(), execute(t, c))
	return exact, shape
}

func TestSameSeedSameRequests(t *testing.T) {
	exact, shape := sent(t, 7, 1)
	for _, workers := range []int{1, 3, 16}[reftest.Of(0, 2):] {
		if again, _ := sent(t, 7, workers); fmt.Sprint(exact) != fmt.Sprint(again) {
			t.Errorf("two runs with one seed sent different requests, the second with %d workers", workers)
		}
	}
	other, otherShape := sent(t, 8, 8)
	if fmt.Sprint(exact) == fmt.Sprint(other) {
		t.Error("another seed sent the same data")
	}
	if fmt.Sprint(shape) != fmt.Sprint(otherShape) {
		t.Error("another seed sent other kinds of requests, not only other data")
	}
}

// A watcher records which requests run at the same time.
type watcher struct {
	http.Handler
	named map[string]bool // ids of the target file

	mu       sync.Mutex
	underWay map[string]string // the case that is under way, by path
	crossed  []string
	now, max int
}

func (w *watcher) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	path, of := r.URL.Path, r.Header.Get(wire.CaseHeader)
	watched := w.named[path[strings.LastIndexByte(path, '/')+1:]] && r.Method != http.MethodGet
	w.mu.Lock()
	w.now++
	w.max = max(w.max, w.now)
	if other, busy := w.underWay[path]; watched && busy && other != of {
		w.crossed = append(w.crossed, other+" and "+of+" on "+path)
	}
	if watched {
		w.underWay[path] = of
	}
	w.mu.Unlock()
	time.Sleep(time.Millisecond) // lets requests that may overlap do so; no result of the test depends on it
	w.Handler.ServeHTTP(rw, r)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now--
	if watched {
		delete(w.underWay, path)
	}
}

func watch(t *testing.T, workers int) (*watcher, *report.Report) {
	w := &watcher{Handler: bundled(t), named: map[string]bool{}, underWay: map[string]string{}}
	target := serve(t, w)
	for _, n := range target.Named() {
		w.named[string(n.ID)] = true
	}
	target.Limits.Concurrency = workers
	c := engine.NewConfig(target)
	c.Exchanges = true
	r := execute(t, c)
	if r.Verdict != report.Conforming {
		t.Errorf("%d workers: %s: %s", workers, r.Verdict, r.Reason)
	}
	return w, r
}

// inOrder checks a run of 16 workers: cases on one object never overlap, and the results are those of one worker,
// which sends one request at a time, unless a case needs two at once.
func (w *watcher) inOrder(t *testing.T, many *report.Report) {
	t.Helper()
	for _, crossed := range w.crossed {
		t.Error(crossed)
	}
	alone, one := watch(t, 1)
	if w.max < 4 || alone.max > 2 {
		t.Errorf("with 16 workers at most %d requests were under way at once, and with one %d", w.max, alone.max)
	}
	sameReport(t, "conforming", one, many)
}

// With a refused key, many workers send no more than one does, and the results are the same.
func TestARefusedKeyIsKnownBeforeWorkersBegin(t *testing.T) {
	for name, selected := range map[string]func(*judge.Case) bool{
		"all":                      nil,
		"without reads":            func(c *judge.Case) bool { return c.Writes },
		"first without the owner":  func(c *judge.Case) bool { return c.Writes && c.Stretch },
		"first as nobody, then as": func(c *judge.Case) bool { return c.Class == judge.Class401 || c.Class == judge.Class422 },
	} {
		run := func(workers int) *report.Report {
			target := serve(t, bundled(t))
			target.Credentials.Owner = "someOtherKey1"
			target.Limits.Concurrency = workers
			c := engine.NewConfig(target)
			c.Select, c.Exchanges = selected, true
			return execute(t, c)
		}
		one, many := run(1), run(16)
		sameReport(t, name, one, many)
		if one.Verdict == report.Nonconforming || one.Reason != many.Reason {
			t.Errorf("%s: %s %s, and with 16 workers %s %s", name, one.Verdict, one.Reason, many.Verdict, many.Reason)
		}
	}
}

// sameReport compares what two runs sent and found, in the order of the plan.
func sameReport(t *testing.T, name string, one, many *report.Report) {
	t.Helper()
	if len(one.Exchanges) != len(many.Exchanges) || len(one.Results) != len(many.Results) {
		t.Fatalf("%s: %d and %d exchanges, %d and %d results", name, len(one.Exchanges), len(many.Exchanges), len(one.Results), len(many.Results))
	}
	for i, a := range one.Results {
		if b := many.Results[i]; a.ID != b.ID || a.Status != b.Status || a.Reason != b.Reason || len(a.Findings) != len(b.Findings) {
			t.Errorf("%s: result %d is %s %s %s, or %s %s %s", name, i, a.ID, a.Status, a.Reason, b.ID, b.Status, b.Reason)
		}
	}
}
