package load

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/wire"
)

// target answers after a service time of its own, in the virtual time of a
// bubble of synctest.
type target struct {
	service func(request int) time.Duration
	mu      sync.Mutex
	sent    int
}

func (s *target) Do(ctx context.Context, caseID string, r wire.Request) *wire.Exchange {
	s.mu.Lock()
	request := s.sent
	s.sent++
	s.mu.Unlock()
	ex := &wire.Exchange{Case: caseID, Request: r, Start: time.Now(), Attempts: 1}
	select {
	case <-time.After(s.service(request)):
		ex.Response = &wire.Response{Status: http.StatusOK}
	case <-ctx.Done():
		ex.Err = &wire.TransportError{Kind: wire.Canceled}
	}
	ex.Duration = time.Since(ex.Start)
	return ex
}

func (s *target) DoAll(ctx context.Context, caseID string, way wire.Way, reqs ...wire.Request) []*wire.Exchange {
	all := make([]*wire.Exchange, len(reqs))
	var done sync.WaitGroup
	for i, r := range reqs {
		done.Go(func() { all[i] = s.Do(ctx, caseID, r) })
		if way == wire.InOrder {
			done.Wait()
		}
	}
	done.Wait()
	return all
}

func (s *target) Redact(text string) string { return text }

// sendAlong sends through the virtual users of a load until it is over, and returns what
// was measured.
func sendAlong(t *testing.T, d Demand, service func(request int) time.Duration, each func(*paced)) (result Result, sent int) {
	t.Helper()
	contract := reftest.Contract(t)
	synctest.Test(t, func(t *testing.T) {
		server := &target{service: service}
		r := newRun(Options{Contract: contract, Client: server, Target: &fixtures.Target{}, Demand: d})
		r.schedule = newSchedule(time.Now(), d.Rate, d.Requests, d.Duration)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if d.Duration > 0 {
			defer time.AfterFunc(d.Duration+time.Second, cancel).Stop()
		}
		var running sync.WaitGroup
		for _, l := range r.users {
			l.client.free = false
			running.Go(func() {
				for !l.over(ctx) {
					each(l.client)
				}
			})
		}
		running.Wait()
		r.elapsed = time.Since(r.schedule.start)
		r.chargeUnsent(time.Now())
		result, sent = r.result(), server.sent
	})
	return result, sent
}

var campaign = wire.Request{Method: http.MethodPatch, Path: "/campaigns/25"}

func one(p *paced) { p.Do(context.Background(), "case", campaign) }

// stallOnce takes a millisecond for each request, and a second for one of them.
func stallOnce(request int) time.Duration {
	if request == 100 {
		return time.Second
	}
	return time.Millisecond
}

// A target that stalls for a second is charged for the hundred requests that were
// due meanwhile, not only for the one that it kept.
func TestAStallIsChargedForTheRequestsBehindIt(t *testing.T) {
	result, sent := sendAlong(t, Demand{VirtualUsers: 1, Rate: 100, Requests: 1000}, stallOnce, one)
	if sent != 1000 || result.Latency.All.Count != 1000 {
		t.Errorf("%d requests were sent and %d counted", sent, result.Latency.All.Count)
	}
	latency, service := result.Latency.All, result.Latency.Service
	if latency.P99 < 900 || latency.P90 < 50 || latency.P50 > 2 {
		t.Errorf("latency %+v", latency)
	}
	if service.P99 > 2 || service.Max < 990 {
		t.Errorf("the service time is to show one slow request: %+v", service)
	}
	if b := result.Behind; b.NoUserFree.Requests < 90 || b.NoUserFree.Max < 900 || b.WokeLate.Requests > 0 || b.Unsent > 0 {
		t.Errorf("behind %+v", b)
	}
}

func TestAClosedLoopDoesNotShowAStall(t *testing.T) {
	result, _ := sendAlong(t, Demand{VirtualUsers: 1, Requests: 1000}, stallOnce, one)
	if l := result.Latency; l.From != "start" || l.All != l.Service || l.All.P99 > 2 {
		t.Errorf("%+v", l)
	}
}

// What was due and never sent counts with the time that it waited.
func TestATargetThatStopsIsChargedForWhatWasNotSent(t *testing.T) {
	hangs := func(request int) time.Duration {
		if request >= 100 {
			return time.Hour
		}
		return time.Millisecond
	}
	result, sent := sendAlong(t, Demand{VirtualUsers: 2, Rate: 100, Duration: 10 * time.Second}, hangs, one)
	if sent != 102 || result.Behind.Unsent != 1000-sent {
		t.Errorf("%d requests were sent and %d were not", sent, result.Behind.Unsent)
	}
	if l := result.Latency.All; l.P50 < 4000 || l.Max < 9000 {
		t.Errorf("latency %+v", l)
	}
}

func TestLanesShareOneSchedule(t *testing.T) {
	const users, rate = 4, 50
	result, sent := sendAlong(t, Demand{VirtualUsers: users, Rate: rate, Duration: 10 * time.Second},
		func(int) time.Duration { return 3 * time.Millisecond }, one)
	if sent != 10*rate || result.Behind.Unsent > 0 {
		t.Errorf("%d requests in 10 s", sent)
	}
	if l := result.Latency.All; l.Max > 4 {
		t.Errorf("a lane was free for each request, yet latencies are %+v", l)
	}
}

// Requests that belong together take a slot each, so that the rate holds.
func TestRequestsThatBelongTogetherTakeASlotEach(t *testing.T) {
	for name, each := range map[string]func(*paced){
		"together": func(p *paced) { p.DoAll(context.Background(), "case", wire.Together, campaign, campaign) },
		"in order": func(p *paced) { p.DoAll(context.Background(), "case", wire.InOrder, campaign, campaign, campaign) },
	} {
		t.Run(name, func(t *testing.T) {
			result, sent := sendAlong(t, Demand{VirtualUsers: 1, Rate: 100, Duration: 3 * time.Second},
				func(int) time.Duration { return time.Millisecond }, each)
			if sent != 300 {
				t.Errorf("%d requests in 3 s at 100/s", sent)
			}
			if l := result.Latency.All; l.Max > 2 || l.P50 < 0.9 {
				t.Errorf("latencies of a target that takes a millisecond: %+v", l)
			}
		})
	}
}

func TestThereAreNoMoreSlotsThanWereAskedFor(t *testing.T) {
	s := newSchedule(time.Now(), 0, 2, 0)
	for i, want := range []bool{true, true, false} {
		if _, ok := s.take(t.Context(), 1); ok != want {
			t.Errorf("slot %d of 2: %v", i+1, ok)
		}
	}
}

func TestANumberOfRequestsEndsALoad(t *testing.T) {
	for _, rate := range []float64{0, 1000} {
		_, sent := sendAlong(t, Demand{VirtualUsers: 3, Rate: rate, Requests: 200}, func(int) time.Duration { return time.Millisecond }, one)
		if sent != 200 {
			t.Errorf("rate %g: %d requests", rate, sent)
		}
	}
}

// When a load is over nothing is sent but what puts objects back.
func TestAfterTheLoadOnlyRestoringSends(t *testing.T) {
	sendAlong(t, Demand{VirtualUsers: 1, Requests: 1}, func(int) time.Duration { return time.Millisecond }, func(p *paced) {
		one(p)
		if ex := p.Do(context.Background(), "case", campaign); ex.Err == nil || ex.Err.Kind != wire.Canceled || ex.Attempts > 0 {
			t.Errorf("%+v", ex)
		}
		p.restoring = true
		if ex := p.Do(context.Background(), "case", campaign); ex.Err != nil || ex.Attempts != 1 {
			t.Errorf("restoring: %+v", ex)
		}
	})
}

func TestRequestsAreCountedByOperation(t *testing.T) {
	r := &run{}
	var err error
	if r.Contract, err = spec.Load(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ method, path, want string }{
		{"PATCH", "/campaigns/25", "updateCampaign"},
		{"PATCH", "/campaigns/abc?x=1", "updateCampaign"},
		{"PATCH", "/connection-profiles/1/rules/2/hosts/3", "updateConnectionProfileRuleHost"},
		{"GET", "/creatives/1/media-files?page=2", "listCreativeMediaFiles"},
		{"GET", "/campaigns/25", other},
		{"DELETE", "/creatives/1/media-files", other},
	} {
		if got := r.operation(wire.Request{Method: c.method, Path: c.path}); got != c.want {
			t.Errorf("%s %s is counted as %s", c.method, c.path, got)
		}
	}
}
