package suites_test

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

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
		w.named[strconv.FormatInt(n.ID, 10)] = true
	}
	target.Limits.Concurrency = workers
	c := suites.NewConfig(target)
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
			c := suites.NewConfig(target)
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
