package suites_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/load"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/testcase"
	"github.com/adconform/adconform/suites/wire"
)

func TestALoadOnNobodyIsInconclusive(t *testing.T) {
	target := fixtures.DefaultWorld().Target("http://127.0.0.1:1/v2")
	result, _ := runLoad(t, suites.NewConfig(target), suites.Load{VirtualUsers: 2, Duration: time.Minute})
	if result.ExitCode != report.ExitInconclusive || !strings.Contains(result.Reason, "no answer") {
		t.Errorf("%s: %s, exit code %d", result.Verdict, result.Reason, result.ExitCode)
	}
}

// A target that dies under load fails it, long before its time is over.
func TestATargetThatDiesUnderLoadFailsIt(t *testing.T) {
	var n atomic.Int64
	target := loaded(t, 2, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n.Add(1) > int64(reftest.Of(1500, 600)) {
				hangUp(w)
			}
			h.ServeHTTP(w, r)
		})
	})
	result, _ := runLoad(t, suites.NewConfig(target), suites.Load{VirtualUsers: 2, Duration: time.Hour})
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
	target.Objects.Campaign = &fixtures.Object{ID: 987_654}
	config := suites.NewConfig(target)
	config.Select = func(cs *testcase.Case) bool {
		return cs.Operation.ID == "updateCampaign" && cs.Class == testcase.ClassSuccess
	}
	result, _ := runLoad(t, config, suites.Load{VirtualUsers: 2, Requests: 101})
	if result.Verdict != load.Passed {
		t.Errorf("%s: %s", result.Verdict, result.Reason)
	}
}

func TestALoadWithAWrongKeyIsInconclusive(t *testing.T) {
	target := loaded(t, 1, nil)
	target.Credentials.Owner = "wrong-key-00"
	result, _ := runLoad(t, suites.NewConfig(target), suites.Load{VirtualUsers: 2, Duration: time.Minute})
	if result.ExitCode != report.ExitInconclusive || !strings.Contains(result.Reason, "the owner's key") {
		t.Errorf("%s: %s, exit code %d", result.Verdict, result.Reason, result.ExitCode)
	}
}

// An interrupt ends a load that has no end, and what was changed is put back.
func TestAnInterruptedLoadPutsBack(t *testing.T) {
	target := loaded(t, 2, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var n atomic.Int64
	result, _, err := suites.RunLoad(ctx, suites.NewConfig(target), suites.Load{
		VirtualUsers: 2, Duration: time.Hour, Rate: 2000,
		Record: func(int, *wire.Exchange) {
			if n.Add(1) == int64(reftest.Of(2000, 1000)) {
				cancel()
			}
		},
	})
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
		"limits.concurrency is 2": func(c *suites.Config, l *suites.Load) { c.Target.Limits.Concurrency, l.VirtualUsers = 2, 3 },
		"a duration or a number":  func(_ *suites.Config, l *suites.Load) { l.Requests = 0 },
		"it uses something up":    func(c *suites.Config, _ *suites.Load) { c.Select = func(cs *testcase.Case) bool { return cs.Once } },
		"a read-only load leaves out what cou": func(c *suites.Config, _ *suites.Load) {
			c.ReadOnly = true
			c.Select = func(cs *testcase.Case) bool { return cs.Writes && !cs.Once }
		},
	} {
		c, l := suites.NewConfig(fixtures.DefaultWorld().Target("http://127.0.0.1:1/v2")), suites.Load{Requests: 1}
		change(c, &l)
		if _, _, err := suites.RunLoad(t.Context(), c, l); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}
