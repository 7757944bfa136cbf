package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
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
	i := len(l.names) - 1
	if r.Method == http.MethodGet {
		l.gets++
		for i > 0 && time.Since(l.at[i]) < l.behind {
			i--
		}
	} else {
		var body struct{ Name string }
		_ = json.Unmarshal(r.Body, &body)
		l.names, l.at = append(l.names, body.Name), append(l.at, time.Now())
		i++
	}
	body := fmt.Sprintf(`{"data": {"id": 25, "name": %q, "type": "video", "createdAt": "2024-03-01T09:00:00Z",
		"updatedAt": %q, "shareURL": "https://a.test/", "adspecId": 1, "userId": 1}}`, l.names[i], time.Now().UTC().Format(time.RFC3339))
	return &wire.Exchange{Seq: l.sent, Case: caseID, Request: r, Attempts: 1, Start: time.Now(), Response: &wire.Response{
		Status: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(body),
	}}
}

func TestAReadThatLagsIsSentAgainForTwoSeconds(t *testing.T) {
	for _, tc := range []struct {
		behind time.Duration
		reads  int
		gets   int           // sent for them
		took   time.Duration // by all together
		late   bool          // noticed
		stale  bool          // found
	}{
		{behind: 0, reads: 3, gets: 3},
		{behind: 100 * time.Millisecond, reads: 1, gets: 3, took: 150 * time.Millisecond, late: true},
		{behind: time.Second, reads: 1, gets: 6, took: 1550 * time.Millisecond, late: true},
		{behind: time.Second, reads: 30, gets: 30 + 19*5 + 4, took: 30 * time.Second, late: true}, // the rest shows nothing
		{behind: time.Hour, reads: 3, gets: 3 + 6, took: 2 * time.Second, stale: true},            // the first alone is sent again
	} {
		synctest.Test(t, func(t *testing.T) {
			client := &lagging{names: []string{"At first"}, at: []time.Time{time.Now()}}
			s, op := newTestSession(t, client)
			began := time.Now()
			r := s.Run(t.Context(), &judge.Case{ID: "c", Operation: op, Steps: session.Steps(func(t *session.T) {
				o := t.Test.Object(op, "campaign")
				for range 2 { // a way is trusted after it has shown two values
					t.Write(o, t.Ordinary(o, 0))
					t.Test.JudgeGet(t.Ask(judge.Call{Op: op, Method: http.MethodGet, Object: o, As: t.Known().Owner()}, judge.Expect{}))
				}
				client.behind, client.at = tc.behind, make([]time.Time, len(client.names)) // long ago
				client.gets = 0
				for i := range tc.reads {
					t.Write(o, t.Ordinary(o, i))
					a := t.Ask(judge.Call{Op: op, Method: http.MethodGet, Object: o, As: t.Known().Owner()}, judge.Expect{})
					t.Test.JudgeGet(a)
				}
			})})
			late, stale := false, false
			for _, f := range r.Findings {
				late, stale = late || f.Clause == "OPEN-13", stale || f.Clause == "CAMPAIGN-4"
			}
			if took := time.Since(began); client.gets != tc.gets || took != tc.took || late != tc.late || stale != tc.stale {
				t.Errorf("%s behind: %d requests for %d reads in %s, late %v, stale %v; want %+v",
					tc.behind, client.gets, tc.reads, took, late, stale, tc)
			}
			if len(r.Exchanges) != client.sent {
				t.Errorf("%s behind: the result has %d of %d exchanges", tc.behind, len(r.Exchanges), client.sent)
			}
		})
	}
}
