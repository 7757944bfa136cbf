package suites_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// Two runs at once on one target make no finding of each other, however far one is
// ahead of the other.
func TestTwoRunsAtOnceMakeNoFinding(t *testing.T) {
	for _, ahead := range []time.Duration{0, 20 * time.Millisecond, 80 * time.Millisecond, 150 * time.Millisecond} {
		server := bundled(t)
		var reports [2]*report.Report
		var both sync.WaitGroup
		for i := range reports {
			c := suites.NewConfig(serve(t, server))
			c.Mark = fmt.Sprint("run ", i)
			both.Go(func() {
				time.Sleep(time.Duration(i) * ahead)
				reports[i] = execute(t, c)
			})
		}
		both.Wait()
		for i, r := range reports {
			for _, v := range violations(r) {
				t.Errorf("%s ahead, run %d: %s", ahead, i+1, v)
			}
			if r.ExitCode == report.ExitInconclusive && !strings.Contains(r.Reason, "at once") {
				t.Errorf("%s ahead, run %d: %s", ahead, i+1, r.Reason)
			}
		}
	}
}
