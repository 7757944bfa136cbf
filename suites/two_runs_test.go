package suites_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
)

// Two runs at once on one target make no finding of each other, however many cases
// one is ahead of the other, with one seed and with two.
func TestTwoRunsAtOnceMakeNoFinding(t *testing.T) {
	told := 0
	starts := []int{0, 120, 280, 40, 200, 340}
	if testing.Short() {
		starts = starts[1:3]
	}
	for _, ahead := range starts {
		server := bundled(t)
		var reports [2]*report.Report
		var both sync.WaitGroup
		begin := make(chan struct{})
		for i := range reports {
			c := suites.NewConfig(serve(t, server))
			c.Mark = fmt.Sprint("run ", i)
			c.Seed += uint64(i * ahead % 80)
			if i == 0 {
				c.Progress = func(done, _ int, _ *judge.Result) {
					if done == ahead+1 {
						close(begin)
					}
				}
			}
			both.Go(func() {
				if i == 1 {
					<-begin
				}
				reports[i] = execute(t, c)
			})
		}
		both.Wait()
		for i, r := range reports {
			for _, v := range violations(r) {
				t.Errorf("%d cases ahead, run %d: %s", ahead, i+1, v)
			}
			if strings.Contains(r.Reason, "are two at once on one target?") {
				told++
			}
		}
	}
	if told < 2*len(starts)/3 {
		t.Errorf("only %d runs were told that there was another", told)
	}
}

// What another run left over, and what it left alone, makes no difference.
func TestALeftoverOfAnotherRunIsNoOtherRun(t *testing.T) {
	server := bundled(t)
	c := suites.NewConfig(serve(t, server))
	c.Mark = "first"
	for _, o := range []*map[string]any{&c.Target.Objects.Campaign.Values, &c.Target.Objects.ConnectionProfile.Values} {
		(*o)["name"] = "Teal abcdefgjxr" // no mark of ours
	}
	execute(t, c)
	c = suites.NewConfig(serve(t, server))
	c.Mark = "second"
	c.Target.Objects.DisposableCreatives, c.Target.Objects.DisposableVastCreatives = nil, nil
	r := execute(t, c)
	if v := violations(r); len(v) > 0 || strings.Contains(r.Reason, "another run") {
		t.Errorf("%s: %s %v", r.Verdict, r.Reason, v)
	}
}
