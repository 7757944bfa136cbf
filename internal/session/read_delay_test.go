package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/internal/wire"
)

// A lagging client answers updates as they are made, and each GET as it would have been some time before.
type lagging struct {
	scripted
	behind time.Duration
	names  []string
	at     []time.Time // when each name was set
	gets   int
}

func (l *lagging) Do(_ context.Context, caseID string, r wire.Request) *wire.Exchange {
	l.sent++
	i, start := len(l.names)-1, time.Now()
	if r.Method == http.MethodGet {
		l.gets++
		for i > 0 && time.Since(l.at[i]) < l.behind {
			i--
		}
	} else {
		var body struct{ Name string }
		_ = json.Unmarshal(r.Body, &body)
		l.names = append(l.names, body.Name)
		l.at = append(l.at, time.Now())
		i++
		time.Sleep(time.Millisecond) // which of two updates was the last is known
	}
	updatedAt := time.Now().UTC().Format(time.RFC3339)
	body := fmt.Sprintf(`{"data": {"id": 25, "name": %q, "type": "video", "createdAt": "2024-03-01T09:00:00Z",
		"updatedAt": %q, "shareURL": "https://a.test/", "adspecId": 1, "userId": 1}}`, l.names[i], updatedAt)
	return &wire.Exchange{
		Seq: l.sent, Case: caseID, Request: r, Attempts: 1, Start: start, Duration: time.Since(start),
		Response: &wire.Response{Status: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(body)},
	}
}

// lagged is what a run with a lagging target comes to.
type lagged struct {
	gets  int           // sent for the reads
	took  time.Duration // by all reads together, without the updates
	late  bool          // noticed
	stale bool          // found
}

func TestAReadThatLagsIsSentAgainForTwoSeconds(t *testing.T) {
	for _, tc := range []struct {
		behind time.Duration
		reads  int
		want   lagged
	}{
		{behind: 0, reads: 3, want: lagged{gets: 3}},
		{100 * time.Millisecond, 1, lagged{gets: 3, took: 150 * time.Millisecond, late: true}},
		{time.Second, 1, lagged{gets: 6, took: 1550 * time.Millisecond, late: true}},
		{time.Second, 30, lagged{gets: 30 + 19*5 + 4, took: 30 * time.Second, late: true}}, // the rest shows nothing
		{time.Hour, 3, lagged{gets: 3 + 6, took: 2 * time.Second, stale: true}},            // only the first is sent again
	} {
		synctest.Test(t, func(t *testing.T) {
			if got := readLate(t, tc.behind, tc.reads); got != tc.want {
				t.Errorf("%d reads %s behind: %+v, want %+v", tc.reads, tc.behind, got, tc.want)
			}
		})
	}
}

// readLate updates and reads an object several times, after a way of reading it has become trusted.
func readLate(t *testing.T, behind time.Duration, reads int) (got lagged) {
	client := &lagging{names: []string{"At first"}, at: []time.Time{time.Now()}}
	s, op := newTestSession(t, client)
	began := time.Now()
	r := s.Run(t.Context(), &judge.Case{ID: "c", Operation: op, Steps: session.Steps(func(t *session.T) {
		o := t.Test.Object(op, "campaign")
		updateAndRead := func(round int) {
			t.Write(o, t.Ordinary(o, round))
			get := judge.Call{Op: op, Method: http.MethodGet, Object: o, As: t.Known().Owner()}
			t.Test.JudgeGet(t.Ask(get, judge.Expect{}))
		}
		for range 2 { // a way is trusted after it has shown two values
			updateAndRead(0)
		}
		client.behind = behind
		client.at = make([]time.Time, len(client.names)) // long ago
		client.gets = 0
		for i := range reads {
			updateAndRead(i)
		}
	})})
	if len(r.Exchanges) != client.sent {
		t.Errorf("the result has %d of %d exchanges", len(r.Exchanges), client.sent)
	}
	isFound := func(clause string) bool {
		return slices.ContainsFunc(r.Findings, func(f *judge.Finding) bool { return f.Clause == clause })
	}
	took := time.Since(began).Truncate(50 * time.Millisecond)
	return lagged{client.gets, took, isFound("OPEN-13"), isFound("CAMPAIGN-4")}
}
