package bench

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

// request is one that the suite sent, as the server got it.
type request struct {
	method, uri string
	header      http.Header
	body        []byte
	alone       bool // on a connection of its own
	status      int  // of the answer
}

// record runs the suite once, one request after the other, and keeps them. Those that
// net/http refuses before any handler are not among them.
func record(tb testing.TB) []request {
	tb.Helper()
	var all []request
	s := serve(tb, func(next http.Handler) http.Handler {
		var order sync.Mutex
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			answer := httptest.NewRecorder()
			order.Lock()
			defer order.Unlock()
			next.ServeHTTP(answer, r)
			all = append(all, request{r.Method, r.RequestURI, r.Header.Clone(), body, r.Close, answer.Code})
			for name, values := range answer.Header() {
				w.Header()[name] = values
			}
			w.WriteHeader(answer.Code)
			w.Write(answer.Body.Bytes())
		})
	})
	r, _ := runSuite(tb, s.config(1))
	NewWithT(tb).Expect(len(all)).To(BeNumerically("~", r.Requests, r.Requests/50))
	return all
}

// loop sends requests as a plain Go program would: keep-alive connections, one a worker,
// bodies read and dropped, answers not looked at but for their status.
type loop struct {
	requests []request
	client   *http.Client
	others   atomic.Int64 // answers with another status than the suite got
}

func newLoop(tb testing.TB, requests []request) *loop {
	transport := &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}
	tb.Cleanup(transport.CloseIdleConnections)
	return &loop{requests: requests, client: &http.Client{Transport: transport}}
}

// run sends all requests to a base URL, in their order.
func (l *loop) run(tb testing.TB, baseURL string, workers int) time.Duration {
	tb.Helper()
	origin := strings.TrimSuffix(baseURL, basePath)
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var all sync.WaitGroup
	start := time.Now()
	for range workers {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(l.requests)); i = next.Add(1) - 1 {
				if err := l.send(tb.Context(), origin, &l.requests[i]); err != nil {
					failed.Store(&err)
				}
			}
		})
	}
	all.Wait()
	took := time.Since(start)
	if err := failed.Load(); err != nil {
		tb.Fatal(*err)
	}
	return took
}

func (l *loop) send(ctx context.Context, origin string, q *request) error {
	r, err := http.NewRequestWithContext(ctx, q.method, origin, bytes.NewReader(q.body))
	if err != nil {
		return err
	}
	r.URL.Opaque = q.uri // as it came: it need not be one that can be read
	r.Header, r.Close = q.header, q.alone
	answer, err := l.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != q.status {
		l.others.Add(1)
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

// The loop does what the suite made the server do: one worker gets the same statuses.
func TestLoopSendsWhatTheSuiteSent(t *testing.T) {
	g := NewWithT(t)
	requests := record(t)
	for kind, sees := range map[string]func(request) bool{
		"update":         func(q request) bool { return q.method == "PATCH" && len(q.body) > 0 && q.status == 200 },
		"delete":         func(q request) bool { return q.method == "DELETE" && q.alone && q.status == 204 },
		"without a key":  func(q request) bool { return q.header.Get("X-Api-Key") == "" && q.status == 401 },
		"list, as usual": func(q request) bool { return q.method == "GET" && !q.alone },
	} {
		g.Expect(slices.ContainsFunc(requests, sees)).To(BeTrue(), kind)
	}
	s := serve(t, nil)
	bare := newLoop(t, requests)
	bare.run(t, s.target.BaseURL, 1)
	g.Expect(bare.others.Load()).To(BeZero())
	bare.run(t, s.target.BaseURL, 1)
	g.Expect(bare.others.Load()).NotTo(BeZero(), "what was deleted is gone")
}
