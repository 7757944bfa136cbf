package traffic

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

const key = "a-key-that-nobody-may-see"

// campaign is an answer that conforms, but for the id if that is not 25.
func campaign(id int, name string) string {
	return fmt.Sprintf(
		`{"data":{"id":%d,"name":%q,"createdAt":"2024-03-01T09:00:00Z","updatedAt":"2024-03-02T09:00:00Z","type":"video",`+
			`"shareURL":"https://a.example/25","adspecId":1,"userId":2}}`,
		id, name)
}

// answering gives every request the same answer.
func answering(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

// passing is a judging proxy in front of a target.
type passing struct {
	judge    *suites.Judge
	observer *Observer
	proxy    *Proxy
	front    *httptest.Server
}

func proxyTo(t testing.TB, targetURL string, o ProxyOptions, options ...func(*suites.Config)) *passing {
	t.Helper()
	c := suites.NewConfig(&fixtures.Target{BaseURL: targetURL + "/v2"})
	for _, option := range options {
		option(c)
	}
	judge, err := suites.NewJudge(c, true)
	if err != nil {
		t.Fatal(err)
	}
	p := &passing{judge: judge, observer: New(judge, Options{})}
	if p.proxy, err = NewProxy(c, p.observer, judge, o); err != nil {
		t.Fatal(err)
	}
	p.front = httptest.NewServer(p.proxy)
	t.Cleanup(p.front.Close)
	t.Cleanup(p.observer.Close)
	return p
}

func inFrontOf(t *testing.T, target http.HandlerFunc, o ProxyOptions, options ...func(*suites.Config)) *passing {
	t.Helper()
	server := httptest.NewServer(target)
	t.Cleanup(server.Close)
	return proxyTo(t, server.URL, o, options...)
}

func (p *passing) report() *report.Report {
	p.observer.Close()
	r := p.judge.Report()
	p.observer.Complete(r, p.judge.Redact)
	return r
}

// fakeJudge is a judge that does what a test wants.
type fakeJudge struct {
	mu        sync.Mutex
	begin     func()
	end       func(wire.Recorded)
	abandoned int
	forgotten int
}

func (j *fakeJudge) Concerns(string, string) bool { return true }

func (j *fakeJudge) Begin(string, string) *suites.Flight {
	if j.begin != nil {
		j.begin()
	}
	return &suites.Flight{}
}

func (j *fakeJudge) End(_ *suites.Flight, r wire.Recorded) []oracle.Finding {
	if j.end != nil {
		j.end(r)
	}
	return nil
}

func (j *fakeJudge) Abandon(*suites.Flight) { j.mu.Lock(); j.abandoned++; j.mu.Unlock() }
func (j *fakeJudge) Forget()                { j.mu.Lock(); j.forgotten++; j.mu.Unlock() }

func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}
