package suites_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// A result is told while nothing can add to it: before a later case touches the
// same object, which may show what an earlier one did.
func TestAResultIsToldBeforeItsObjectsAreUsedAgain(t *testing.T) {
	var mu sync.Mutex
	rootsOf, latest := map[string]map[string]bool{}, map[string]string{} // by case, by root
	server := bundled(t)
	target := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path := strings.Split(strings.TrimPrefix(r.URL.Path, basePath+"/"), "/"); path[0] != "creatives" && len(path[1]) < 8 {
			root, of := r.URL.Path, r.Header.Get(wire.CaseHeader)
			mu.Lock()
			if rootsOf[of] == nil {
				rootsOf[of] = map[string]bool{}
			}
			rootsOf[of][root], latest[root] = true, of
			mu.Unlock()
		}
		server.ServeHTTP(w, r)
	}))
	target.Limits.Concurrency = 16
	c := suites.NewConfig(target)
	c.Progress = func(_, _ int, r *judge.Result) {
		time.Sleep(time.Millisecond) // so that another case may come; the test does not wait for it
		mu.Lock()
		defer mu.Unlock()
		for root := range rootsOf[r.Case.ID] {
			if latest[root] != r.Case.ID && !strings.HasPrefix(latest[root], "foreign") {
				t.Errorf("%s was told after %s had used %s", r.Case.ID, latest[root], root)
			}
		}
	}
	execute(t, c)
}

// With many workers no more is sent with a refused key than with one, whatever is
// selected, and the report says the same.
func TestARefusedKeyIsKnownBeforeWorkersBegin(t *testing.T) {
	for name, selected := range map[string]func(*judge.Case) bool{
		"all":                      nil,
		"without reads":            func(c *judge.Case) bool { return c.Writes },
		"first without the owner":  func(c *judge.Case) bool { return c.Writes && !c.Probes },
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

// sameReport compares what two reports say, in its order.
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
	for i, a := range one.Exchanges {
		b := many.Exchanges[i]
		_, pathA, _ := strings.Cut(a.URL, basePath)
		if _, pathB, _ := strings.Cut(b.URL, basePath); a.Seq != b.Seq || a.Case != b.Case || a.Method != b.Method || pathA != pathB {
			t.Fatalf("%s: exchange %d is %d %s %s in %s, or %d %s %s in %s", name, i+1, a.Seq, a.Method, a.URL, a.Case, b.Seq,
				b.Method, b.URL, b.Case)
		}
	}
}
