package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/wire"
)

// request is one that the suite sent, as the server got it.
type request struct {
	method, uri string
	header      http.Header
	body        []byte
	alone       bool // on a connection of its own
	status      int  // of the answer
}

// recordRun runs the suite once and keeps every request, in the order in which
// the server answered them.
func recordRun(ctx context.Context) ([]request, error) {
	var all []request
	var order sync.Mutex
	s, err := open(ctx, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			noting := &statusWriter{ResponseWriter: w}
			order.Lock()
			defer order.Unlock()
			next.ServeHTTP(noting, r)
			all = append(all, request{r.Method, r.RequestURI, r.Header.Clone(), body, r.Close, noting.status})
		})
	})
	if err != nil {
		return nil, err
	}
	defer s.stop()
	c := suites.NewConfig(s.target)
	c.Target.Limits.Concurrency = 1
	var refused []request // by net/http, before any handler; that changes nothing, so they may come last
	c.Record = func(ex *wire.Exchange) {
		order.Lock()
		defer order.Unlock()
		if _, err := url.ParseRequestURI(ex.Request.Path); err != nil && ex.Response != nil {
			refused = append(refused, request{
				method: ex.Request.Method, uri: basePath + ex.Request.Path, header: all[0].header, body: ex.Request.Body, status: ex.Response.Status,
			})
		}
	}
	r, err := suites.Execute(ctx, c)
	if err != nil {
		return nil, err
	}
	if all = append(all, refused...); r.Requests != len(all) {
		return nil, fmt.Errorf("the report counts %d requests, the server %d", r.Requests, len(all))
	}
	return all, nil
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// loop sends requests as a plain Go program would: keep-alive connections, one a
// lane, bodies read and dropped, answers not looked at but for their status.
type loop struct {
	requests []request
	client   *http.Client
}

func newLoop(requests []request) *loop {
	return &loop{requests, &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}}
}

// run sends all requests to a base URL from so many lanes, in their order. Only
// one lane has to get the answers that the suite got.
func (l *loop) run(ctx context.Context, baseURL string, lanes int) (time.Duration, error) {
	origin := strings.TrimSuffix(baseURL, basePath)
	var next, others atomic.Int64
	var lost atomic.Pointer[error]
	start := time.Now()
	var all sync.WaitGroup
	for range lanes {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(l.requests)); i = next.Add(1) - 1 {
				status, err := l.send(ctx, origin, &l.requests[i])
				if err != nil {
					lost.Store(&err)
				} else if status != l.requests[i].status {
					others.Add(1)
				}
			}
		})
	}
	all.Wait()
	took := time.Since(start)
	if err := lost.Load(); err != nil {
		return 0, fmt.Errorf("bare loop: %w", *err)
	}
	if n := others.Load(); lanes == 1 && n > 0 {
		return 0, fmt.Errorf("bare loop: %d of %d requests were answered otherwise than in the suite's run", n, len(l.requests))
	}
	return took, nil
}

func (l *loop) send(ctx context.Context, origin string, q *request) (int, error) {
	r, err := http.NewRequestWithContext(ctx, q.method, origin, bytes.NewReader(q.body))
	if err != nil {
		return 0, err
	}
	r.URL.Opaque = q.uri // as it came: it need not be one that can be read
	r.Header, r.Close = q.header, q.alone
	answer, err := l.client.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, err
}
