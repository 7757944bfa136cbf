package engine_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/model"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites/report"
)

// inTurns passes each request on to the server that which returns for its number.
func inTurns(which func(n int64, r *http.Request) int, servers ...http.Handler) http.Handler {
	var n atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		servers[which(n.Add(1), r)].ServeHTTP(w, r)
	})
}

// A target that loses its data in a restart has no finding: the run is inconclusive and says why, if anything shows it.
func TestARestartIsNoFinding(t *testing.T) {
	t.Parallel()
	seen, runs := 0, 0
	for _, workers := range []int{1, 8} {
		for _, restarts := range reftest.Of([][]int64{{150}, {450}, {700}, {300, 600}}, [][]int64{{450}}) {
			after := func(n int64, _ *http.Request) (which int) {
				for _, at := range restarts {
					if n > at {
						which++
					}
				}
				return which
			}
			target := serve(t, inTurns(after, bundled(t), bundled(t), bundled(t)))
			target.Limits.Concurrency = workers
			r := runOf(t, target)
			runs++
			name := fmt.Sprintf("after %d, %d workers: %s", restarts, workers, r.Reason)
			noViolation(t, name, r)
			switch {
			case r.ExitCode == 0:
			case r.ExitCode == report.ExitInconclusive && strings.Contains(r.Reason, model.Restarted):
				seen++
			default:
				t.Error(name)
			}
		}
	}
	if seen < runs/2 {
		t.Errorf("%d of %d runs saw the restart", seen, runs)
	}
}

// A server that loses the updates of one kind of objects again and again is not restarted.
func TestALossIsNoRestart(t *testing.T) {
	t.Parallel()
	var updates atomic.Int64
	servers := []http.Handler{bundled(t)}
	for range 40 {
		servers = append(servers, bundled(t))
	}
	loses := func(_ int64, r *http.Request) int {
		if !strings.Contains(r.URL.Path, "/hosts/") {
			return 0
		}
		return min(int(updates.Add(1)/30), len(servers)-1)
	}
	if r := runOn(t, inTurns(loses, servers...)); r.Verdict != report.Nonconforming {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
}

// Two servers that answer in turn do not conform, and the finding says that it may be them.
func TestTwoServersInTurn(t *testing.T) {
	t.Parallel()
	alternate := func(n int64, _ *http.Request) int { return int(n/7) % 2 }
	r := runOn(t, inTurns(alternate, bundled(t), bundled(t)), func(c *engine.Config) { c.Target.Limits.Concurrency = 1 })
	isNamed := strings.Contains(strings.Join(violations(r), "\n"), model.InTurn)
	if r.Verdict != report.Nonconforming || !isNamed {
		t.Errorf("%s: %s\n%s", r.Verdict, r.Reason, strings.Join(violations(r), "\n"))
	}
}
