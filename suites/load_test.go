package suites_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/load"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// loaded serves the reference over a world with so many sets of objects, with
// something round it.
func loaded(t testing.TB, sets int, wrap func(http.Handler) http.Handler) *fixtures.Target {
	t.Helper()
	world := fixtures.WorldWithLanes(sets - 1)
	server, err := reference.New(t.Context(), reference.Options{World: world, Choices: reference.DefaultChoices(), BasePath: basePath})
	if err != nil {
		t.Fatal(err)
	}
	var h http.Handler = server
	if wrap != nil {
		h = wrap(h)
	}
	listener := httptest.NewServer(h)
	t.Cleanup(func() { listener.Close(); server.Close() })
	return world.Target(listener.URL + basePath)
}

func runLoad(t testing.TB, c *suites.Config, l suites.Load) (*load.Result, *report.Report) {
	t.Helper()
	result, r, err := suites.RunLoad(t.Context(), c, l)
	if err != nil {
		t.Fatal(err)
	}
	if r.ExitCode != result.ExitCode || r.Interrupted != (r.ExitCode == report.ExitInterrupted) {
		t.Errorf("report.json has exit code %d, load.json %d", r.ExitCode, result.ExitCode)
	}
	holds(t, load.SchemaJSON(), func(w io.Writer) error { return load.WriteJSON(w, result) })
	holds(t, report.SchemaJSON(), func(w io.Writer) error { return report.WriteJSON(w, r) })
	return result, r
}

// holds holds a file to its schema.
func holds(t testing.TB, schema []byte, write func(io.Writer) error) {
	t.Helper()
	var file bytes.Buffer
	if err := write(&file); err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", must(jsonschema.UnmarshalJSON(bytes.NewReader(schema)))); err != nil {
		t.Fatal(err)
	}
	if err := must(c.Compile("schema.json")).Validate(must(jsonschema.UnmarshalJSON(&file))); err != nil {
		t.Error(err)
	}
}

func TestTheReferencePassesUnderLoad(t *testing.T) {
	result, r := runLoad(t, suites.NewConfig(loaded(t, 3, nil)), suites.Load{Lanes: 3, Requests: 3000})
	if result.Verdict != load.Passed || result.ExitCode != report.ExitConforming || r.Verdict != report.Conforming {
		t.Errorf("%s: %s (report: %s)", result.Verdict, result.Reason, r.Verdict)
	}
	for _, f := range result.Findings {
		t.Errorf("%s in %s: expected %s, got %s", f.Cause(), f.Case, f.Expected, f.Got)
	}
	if result.Exchanges < 3000 || result.Exchanges > 3010 || result.Cases.Passed < 1000 {
		t.Errorf("%d exchanges, %+v", result.Exchanges, result.Cases)
	}
	for _, l := range result.Lanes {
		if l.Objects != fixtures.LaneKey(l.Lane) || l.Requests == 0 || l.Cases < 250 {
			t.Errorf("%+v", l)
		}
	}
	if len(result.Operations) < 5 || result.Latency == nil || result.Latency.From != "start" {
		t.Errorf("%d operations, latency %+v", len(result.Operations), result.Latency)
	}
	if len(result.LeftOut) != 1 || !strings.Contains(result.LeftOut[0].Reason, "uses something up") {
		t.Errorf("left out: %+v", result.LeftOut)
	}
	for _, c := range result.Changes {
		if !c.Restored {
			t.Errorf("%s was not put back: %s", c.Object, c.Reason)
		}
	}
	if len(result.Changes) < 3*5 {
		t.Errorf("only %d objects were changed", len(result.Changes))
	}
}

// writes are the paths that each lane writes to, of those that no refusal saves.
type writes struct {
	mu    sync.Mutex
	lanes map[string]map[int]bool // by path
}

func (w *writes) record(lane int, ex *wire.Exchange) {
	if ex.Request.Method == http.MethodGet || ex.Attempts == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lanes == nil {
		w.lanes = map[string]map[int]bool{}
	}
	if w.lanes[ex.Request.Path] == nil {
		w.lanes[ex.Request.Path] = map[int]bool{}
	}
	w.lanes[ex.Request.Path][lane] = true
}

// No two lanes write to the same object, and lanes without objects of their own
// write to none. Ids that nobody has are everybody's.
func TestLanesAreIsolated(t *testing.T) {
	var w writes
	target := loaded(t, 3, nil)
	named := map[string]bool{}
	for _, n := range target.Named() {
		named[strings.TrimSpace(string(must(json.Marshal(n.ID))))] = true
	}
	result, _ := runLoad(t, suites.NewConfig(target), suites.Load{Lanes: 5, Requests: 6000, Record: w.record})
	all := map[int]bool{}
	for path, lanes := range w.lanes {
		known := true
		for i, part := range strings.Split(path, "/") {
			known = known && (i%2 == 1 || part == "" || named[part])
		}
		for lane := range lanes {
			all[lane] = all[lane] || known
		}
		if known && len(lanes) > 1 {
			t.Errorf("%s is written to by lanes %v", path, lanes)
		}
	}
	if !all[0] || !all[1] || !all[2] || len(all) != 3 {
		t.Errorf("lanes that write: %v", all)
	}
	for _, l := range result.Lanes[3:] {
		if l.Objects != "" || l.Requests == 0 {
			t.Errorf("a lane that only reads: %+v", l)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// mixing shows one of the campaigns in the place of another while at least so
// many are updated at once.
func mixing(atOnce int64) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		var underWay atomic.Int64
		var last atomic.Pointer[[]byte]
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPatch || !strings.Contains(r.URL.Path, "/campaigns/") {
				h.ServeHTTP(w, r)
				return
			}
			n := underWay.Add(1)
			defer underWay.Add(-1)
			answer := httptest.NewRecorder()
			h.ServeHTTP(answer, r)
			body := answer.Body.Bytes()
			if answer.Code == http.StatusOK {
				if before := last.Swap(&body); before != nil && max(n, underWay.Load()) >= atOnce {
					body = *before
				}
			}
			for name, values := range answer.Header() {
				if name != "Content-Length" {
					w.Header()[name] = values
				}
			}
			w.WriteHeader(answer.Code)
			w.Write(body)
		})
	}
}

// A case sends two at once at most, so three at once are only there under load.
func TestAFaultThatNeedsLoadIsFoundAndCalledSo(t *testing.T) {
	const lanes = 6
	for name, c := range map[string]struct {
		atOnce int64
		found  bool
	}{"mixes answers": {3, true}, "does not": {1 << 40, false}} {
		t.Run(name, func(t *testing.T) {
			config := suites.NewConfig(loaded(t, lanes, mixing(c.atOnce)))
			config.Select = func(cs *engine.Case) bool { return cs.Operation.ID == "updateCampaign" }
			if r := execute(t, config); r.Verdict != report.Inconclusive && r.Verdict != report.Conforming {
				t.Fatalf("it shows without load: %s %s", r.Verdict, r.Reason)
			}
			result, r := runLoad(t, config, suites.Load{Lanes: lanes, Requests: 8000})
			if found := result.Verdict == load.Failed; found != c.found || found != (result.ExitCode == report.ExitNonconforming) || found != (r.Verdict == report.Nonconforming) {
				t.Fatalf("%s: %s, exit code %d", result.Verdict, result.Reason, result.ExitCode)
			}
			if !c.found {
				return
			}
			if f := result.Findings[0]; !f.OnlyUnderLoad || f.Quiet != 0 || f.Seen == 0 || f.Operation != "updateCampaign" || f.Curl == "" {
				t.Errorf("%+v", f)
			}
			if !strings.Contains(result.Reason, "only under load") || result.OnlyUnderLoad() == 0 {
				t.Errorf("reason %q", result.Reason)
			}
		})
	}
}

// changing changes the answers to updates of the campaigns with these ids.
func changing(ids string, change func(http.ResponseWriter, []byte)) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, id, ok := strings.Cut(r.URL.Path, "/campaigns/")
			if !ok || r.Method != http.MethodPatch || !strings.Contains(ids, id) {
				h.ServeHTTP(w, r)
				return
			}
			answer := httptest.NewRecorder()
			h.ServeHTTP(answer, r)
			if answer.Code != http.StatusOK {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(answer.Code)
				w.Write(answer.Body.Bytes())
				return
			}
			w.Header().Set("Content-Type", "application/json")
			change(w, answer.Body.Bytes())
		})
	}
}

func withoutType(w http.ResponseWriter, body []byte) {
	w.Write(bytes.Replace(body, []byte(`"type"`), []byte(`"kind"`), 1))
}

// What is wrong anyway is told so, also where only another lane's object shows it.
func TestAFaultThatNeedsNoLoadIsCalledSo(t *testing.T) {
	for lane, object := range []func(*fixtures.Target) *fixtures.Object{
		func(t *fixtures.Target) *fixtures.Object { return t.Objects.Campaign },
		func(t *fixtures.Target) *fixtures.Object { return t.Lanes[0].Campaign },
	} {
		world := fixtures.WorldWithLanes(1)
		id := string(must(json.Marshal(object(world.Target("http://a")).ID)))
		config := suites.NewConfig(loaded(t, 2, changing(id, withoutType)))
		config.Select = func(cs *engine.Case) bool { return cs.Operation.ID == "updateCampaign" }
		result, _ := runLoad(t, config, suites.Load{Lanes: 2, Requests: 600})
		if result.Verdict != load.Failed || len(result.Findings) == 0 {
			t.Fatalf("lane %d: %s: %s", lane, result.Verdict, result.Reason)
		}
		for _, f := range result.Findings {
			if f.OnlyUnderLoad || f.Quiet == 0 {
				t.Errorf("lane %d: %s is called one that needs load: %+v", lane, f.Cause(), f)
			}
		}
	}
}

// busyNow answers every so many requests with 503, or hangs up.
func busyNow(every int64, fail func(http.ResponseWriter)) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		var n atomic.Int64
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n.Add(1)%every == 0 {
				io.Copy(io.Discard, r.Body)
				fail(w)
				return
			}
			h.ServeHTTP(w, r)
		})
	}
}

func hangUp(http.ResponseWriter) { panic(http.ErrAbortHandler) }

// A limit of errors says how many are borne; without one two lost answers fail a
// load as they fail a run.
func TestALimitSaysHowManyErrorsAreBorne(t *testing.T) {
	for _, c := range []struct {
		limits string
		want   load.Verdict
	}{{"", load.Failed}, {"errors=5%", load.Passed}, {"errors=0.1%", load.Failed}, {"p99=1h", load.Failed}, {"max=1ns", load.Failed}} {
		config := suites.NewConfig(loaded(t, 1, busyNow(150, hangUp)))
		config.Select = func(cs *engine.Case) bool { return !cs.Writes }
		l := suites.Load{Lanes: 2, Requests: 600}
		if c.limits != "" {
			l.Limits = []load.Limit{must(load.ReadLimit(c.limits))}
		}
		result, _ := runLoad(t, config, l)
		if result.Verdict != c.want || result.Lost == 0 || result.ErrorRate() <= 0.001 {
			t.Errorf("%q: %s: %s, %d lost", c.limits, result.Verdict, result.Reason, result.Lost)
		}
	}
}

// Answers that ask to wait are waited for and no errors, and have a limit of their
// own.
func TestAnswersThatAskToWaitAreCountedApart(t *testing.T) {
	later := func(w http.ResponseWriter) {
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusTooManyRequests)
	}
	config := suites.NewConfig(loaded(t, 1, busyNow(40, later)))
	config.Select = func(cs *engine.Case) bool { return !cs.Writes }
	l := suites.Load{Lanes: 2, Requests: 400, Limits: []load.Limit{must(load.ReadLimit("limited=0.1%"))}}
	result, _ := runLoad(t, config, l)
	if result.RateLimited < 5 || result.Lost+result.ServerErrors > 0 || result.Requests != result.Exchanges+result.RateLimited {
		t.Errorf("%+v", result.Counts)
	}
	if result.Verdict != load.Failed || !strings.HasPrefix(result.Reason, "limited ") {
		t.Errorf("%s: %s", result.Verdict, result.Reason)
	}
}

func TestTooLittleForALimitIsInconclusive(t *testing.T) {
	l := suites.Load{Lanes: 1, Requests: 300, Limits: []load.Limit{must(load.ReadLimit("p99.9=1h"))}}
	if result, _ := runLoad(t, suites.NewConfig(loaded(t, 1, nil)), l); result.ExitCode != report.ExitInconclusive || !strings.Contains(result.Reason, "too few requests") {
		t.Errorf("%s: %s, exit code %d", result.Verdict, result.Reason, result.ExitCode)
	}
}

func TestALoadOnNobodyIsInconclusive(t *testing.T) {
	target := fixtures.DefaultWorld().Target("http://127.0.0.1:1/v2")
	if result, _ := runLoad(t, suites.NewConfig(target), suites.Load{Lanes: 2, Duration: time.Minute}); result.ExitCode != report.ExitInconclusive || !strings.Contains(result.Reason, "no answer") {
		t.Errorf("%s: %s, exit code %d", result.Verdict, result.Reason, result.ExitCode)
	}
}

// A target that dies under load fails it, long before its time is over.
func TestATargetThatDiesUnderLoadFailsIt(t *testing.T) {
	var n atomic.Int64
	target := loaded(t, 2, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n.Add(1) > 1500 {
				hangUp(w)
			}
			h.ServeHTTP(w, r)
		})
	})
	result, _ := runLoad(t, suites.NewConfig(target), suites.Load{Lanes: 2, Duration: time.Hour})
	if result.Verdict != load.Failed || !strings.Contains(result.Reason, "no answers any more") || result.Lost < 2 {
		t.Errorf("%s: %s, %d lost", result.Verdict, result.Reason, result.Lost)
	}
	owed := 0
	for _, c := range result.Changes {
		if !c.Restored && c.Reason != "" {
			owed++
		}
	}
	if owed == 0 {
		t.Error("nothing is said of the objects that could not be put back")
	}
}

// An object that is not there is the operator's mistake, also in a round that was
// cut off.
func TestAMissingObjectIsNoFinding(t *testing.T) {
	target := loaded(t, 2, nil)
	target.Lanes[0].Campaign = &fixtures.Object{ID: 987_654}
	config := suites.NewConfig(target)
	config.Select = func(cs *engine.Case) bool {
		return cs.Operation.ID == "updateCampaign" && cs.Class == engine.ClassSuccess
	}
	result, _ := runLoad(t, config, suites.Load{Lanes: 2, Requests: 101})
	if result.Verdict != load.Passed {
		t.Errorf("%s: %s", result.Verdict, result.Reason)
	}
}

func TestALoadWithAWrongKeyIsInconclusive(t *testing.T) {
	target := loaded(t, 1, nil)
	target.Credentials.Owner = "wrong-key-00"
	if result, _ := runLoad(t, suites.NewConfig(target), suites.Load{Lanes: 2, Duration: time.Minute}); result.ExitCode != report.ExitInconclusive || !strings.Contains(result.Reason, "credentials.owner") {
		t.Errorf("%s: %s, exit code %d", result.Verdict, result.Reason, result.ExitCode)
	}
}

// An interrupt ends a load that has no end, and what was changed is put back.
func TestAnInterruptedLoadPutsBack(t *testing.T) {
	target := loaded(t, 2, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var n atomic.Int64
	result, _, err := suites.RunLoad(ctx, suites.NewConfig(target), suites.Load{Lanes: 2, Duration: time.Hour, Rate: 2000, Record: func(int, *wire.Exchange) {
		if n.Add(1) == 2000 {
			cancel()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if result.ExitCode != report.ExitInterrupted || result.Requests == 0 || result.DurationSeconds > 3000 {
		t.Errorf("exit code %d after %d requests", result.ExitCode, result.Requests)
	}
	for _, c := range result.Changes {
		if !c.Restored {
			t.Errorf("%s was not put back: %s", c.Object, c.Reason)
		}
	}
	if len(result.Changes) == 0 {
		t.Error("nothing was changed")
	}
}

func TestWhatTheTargetFileAllowsBoundsALoad(t *testing.T) {
	for want, change := range map[string]func(*suites.Config, *suites.Load){
		"limits.rate is 10/s":     func(c *suites.Config, l *suites.Load) { c.Target.Limits.Rate, l.Rate = 10, 11 },
		"limits.concurrency is 2": func(c *suites.Config, l *suites.Load) { c.Target.Limits.Concurrency, l.Lanes = 2, 3 },
		"a duration or a number":  func(_ *suites.Config, l *suites.Load) { l.Requests = 0 },
		"it uses something up":    func(c *suites.Config, _ *suites.Load) { c.Select = func(cs *engine.Case) bool { return cs.Once } },
		"a read-only load leaves out what cou": func(c *suites.Config, _ *suites.Load) {
			c.ReadOnly = true
			c.Select = func(cs *engine.Case) bool { return cs.Writes && !cs.Once }
		},
	} {
		c, l := suites.NewConfig(fixtures.DefaultWorld().Target("http://127.0.0.1:1/v2")), suites.Load{Requests: 1}
		change(c, &l)
		if _, _, err := suites.RunLoad(t.Context(), c, l); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// sampler looks at the memory in use when so many exchanges were judged.
type sampler struct {
	n    atomic.Int64
	at   [3]int64
	mu   sync.Mutex
	heap [3]uint64
}

func newSampler(total int64) *sampler {
	return &sampler{at: [3]int64{total / 10, total / 2, total - total/100}}
}

func (s *sampler) record(int, *wire.Exchange) {
	n := s.n.Add(1)
	for i, at := range s.at {
		if n == at {
			s.mu.Lock()
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			s.heap[i] = m.HeapAlloc
			s.mu.Unlock()
		}
	}
}

// Memory does not grow with the number of exchanges. A round that kept its session
// would take some MiB more by the end.
func TestMemoryIsFlat(t *testing.T) {
	const exchanges = 20_000
	s := newSampler(exchanges)
	result, _ := runLoad(t, suites.NewConfig(loaded(t, 2, nil)), suites.Load{Lanes: 2, Requests: exchanges, Record: s.record})
	if result.Verdict != load.Passed {
		t.Fatal(result.Reason)
	}
	t.Logf("heap after 10 %%, 50 %% and 99 %%: %v", s.heap)
	if ratio := float64(s.heap[2]) / float64(s.heap[0]); ratio > 1.3 {
		t.Errorf("the heap grew by a factor of %.2f: %v", ratio, s.heap)
	}
}

// leastSoak is what judges something: the first run of a benchmark has an N of 1.
const leastSoak = 1000

// BenchmarkSoak gives the growth of memory over b.N exchanges, reference included:
// make soak runs it over a million.
func BenchmarkSoak(b *testing.B) {
	s := newSampler(int64(b.N))
	result, _ := runLoad(b, suites.NewConfig(loaded(b, suites.LoadLanes, nil)), suites.Load{Requests: max(b.N, leastSoak), Record: s.record})
	if result.Verdict != load.Passed {
		b.Fatal(result.Reason)
	}
	if s.heap[0] > 0 {
		b.ReportMetric(float64(s.heap[1])/float64(s.heap[0]), "heap-50%/10%")
		b.ReportMetric(float64(s.heap[2])/float64(s.heap[0]), "heap-100%/10%")
		b.ReportMetric(float64(s.heap[2])/(1<<20), "heap-MiB")
	}
	if l := result.Latency; l != nil {
		b.ReportMetric(l.All.P99, "p99-ms")
	}
	b.ReportMetric(result.PerSecond, "requests/s")
}
