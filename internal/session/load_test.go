package session_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/internal/wire"
)

// A single worker takes 300 ms for a request, and finishes what it has begun to wait for although its client is gone.
type worker struct {
	scripted
	free   time.Time // when it has answered all
	blocks bool      // on the first requests that come together, for good
	sent   map[string]int
}

const timeout = 2 * time.Second

func (w *worker) serve(caseID string, r wire.Request) *wire.Exchange {
	w.scripted.sent++
	w.sent[r.Method]++
	now := time.Now()
	if w.free.Before(now) {
		w.free = now
	}
	w.free = w.free.Add(300 * time.Millisecond)
	ex := &wire.Exchange{Seq: w.scripted.sent, Case: caseID, Request: r, Attempts: 1, Start: now, Duration: w.free.Sub(now)}
	if ex.Duration > timeout {
		ex.Duration, ex.Err = timeout, &wire.TransportError{Kind: wire.Timeout}
		return ex
	}
	ex.Response = &wire.Response{Status: http.StatusNotFound, Header: http.Header{}}
	return ex
}

func (w *worker) Do(_ context.Context, caseID string, r wire.Request) *wire.Exchange {
	ex := w.serve(caseID, r)
	time.Sleep(ex.Duration)
	return ex
}

func (w *worker) DoAll(_ context.Context, caseID string, _ wire.Way, all ...wire.Request) (exchanges []*wire.Exchange) {
	if w.blocks {
		w.free = time.Now().Add(time.Hour)
	}
	for _, r := range all {
		exchanges = append(exchanges, w.serve(caseID, r))
	}
	time.Sleep(timeout)
	return exchanges
}

func TestARequestThatTimesOutBesideOthersIsSentAgainAlone(t *testing.T) {
	for _, tc := range []struct {
		operation string
		blocks    bool
		sent      int
		lost      int // findings of answers that did not come
		loaded    int // notices of load
	}{
		{"listCreativeMediaFiles", false, 40 + 34, 0, 34},
		{"updateCampaign", false, 40 + 34, 0, 34},
		{"deleteCreative", false, 40, 34, 0},            // the second may rightly be answered otherwise
		{"listCreativeMediaFiles", true, 40 + 1, 40, 0}, // one alone shows that load is not the reason
	} {
		synctest.Test(t, func(t *testing.T) {
			client := &worker{blocks: tc.blocks, sent: map[string]int{}}
			s, _ := newTestSession(t, client)
			op := s.Model.Contract.Operation(tc.operation)
			r := s.Run(t.Context(), &judge.Case{ID: "c", Operation: op, Steps: session.Steps(func(t *session.T) {
				calls := make([]judge.Call, 40)
				for i := range calls {
					calls[i] = t.ToUnknownID(op)
				}
				t.SendTogether(calls...)
			})})
			lost, loaded := 0, 0
			for _, f := range r.Findings {
				if f.Check == judge.CheckTransport.ID && f.Severity == oracle.Transport {
					lost++
				} else if f.Pointer == "load" {
					loaded++
				}
			}
			if sent := client.sent[op.Method]; sent != tc.sent || lost != tc.lost || loaded != tc.loaded {
				t.Errorf("%s, blocks %v: %d requests, %d lost, %d under load; want %+v", tc.operation, tc.blocks, sent, lost, loaded, tc)
			}
		})
	}
}
