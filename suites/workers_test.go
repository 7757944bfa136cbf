package suites_test

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// watcher notes which requests are under way at once.
type watcher struct {
	http.Handler
	named map[string]bool // ids of the target file

	mu       sync.Mutex
	underWay map[string]string // case, by path
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
	time.Sleep(time.Millisecond) // so that requests meet that may; the test does not wait for it
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

// Cases on one object never overlap. One worker sends one request at a time, but where a
// case is about two at once. A report looks the same whatever the number of workers: places
// and numbers too.
func TestWorkers(t *testing.T) {
	w, one := watch(t, 1)
	if w.max > 2 {
		t.Errorf("with one worker %d requests were under way at once", w.max)
	}
	w, many := watch(t, 16)
	for _, crossed := range w.crossed {
		t.Error(crossed)
	}
	if w.max < 4 {
		t.Errorf("with 16 workers at most %d requests were under way at once", w.max)
	}
	sameReport(t, "conforming", one, many)
}

// Workers are for targets whose requests are not rationed.
func TestARateMeansOneWorker(t *testing.T) {
	w := &watcher{Handler: bundled(t), underWay: map[string]string{}}
	target := serve(t, w)
	target.Limits.Rate = 100_000
	execute(t, withShort(suites.NewConfig(target)))
	if w.max > 2 {
		t.Errorf("with a rate %d requests were under way at once", w.max)
	}
}
