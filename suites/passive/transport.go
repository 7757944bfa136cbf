package passive

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// Transport judges what a client sends to baseURL and what comes back, and fails the test for
// what breaks the contract:
//
//	client := &http.Client{Transport: passive.Transport(t, server.URL+"/v2", nil)}
//
// next sends; nil is http.DefaultTransport. Where it is no *http.Transport, or has a client
// certificate, it may add a key, and a request without one says nothing. What goes elsewhere
// passes unjudged. A test in which no exchange was judged fails. Options change what is judged by.
func Transport(t testing.TB, baseURL string, next http.RoundTripper, options ...func(*judge.ModelOptions)) http.RoundTripper {
	t.Helper()
	base, err := url.Parse(baseURL)
	if err != nil || base.Host == "" {
		t.Fatalf("adconform: the base URL %q is not absolute: give one such as http://127.0.0.1:8080/v2", baseURL)
	}
	if next == nil {
		next = http.DefaultTransport
	}
	o := judge.ModelOptions{Target: &fixtures.Target{BaseURL: baseURL}}
	if o.Contract, err = spec.Load(); err != nil {
		t.Fatalf("adconform: %v", err)
	}
	for _, option := range options {
		option(&o)
	}
	plain, known := next.(*http.Transport)
	certified := known && plain.TLSClientConfig != nil &&
		(len(plain.TLSClientConfig.Certificates) > 0 || plain.TLSClientConfig.GetClientCertificate != nil)
	j, err := NewJudge(o, known && !certified)
	if err != nil {
		t.Fatalf("adconform: %v", err)
	}
	tr := &transport{t: t, judge: j, contract: o.Contract, host: base.Host, next: next, told: map[oracle.Cause]bool{}}
	t.Cleanup(tr.conclude)
	return tr
}

type transport struct {
	t        testing.TB
	judge    *Judge
	contract *spec.Contract
	host     string
	next     http.RoundTripper

	mu     sync.Mutex
	judged int
	others int
	told   map[oracle.Cause]bool
}

// RoundTrip implements http.RoundTripper. It reads both bodies of an operation whole.
func (tr *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.EqualFold(r.URL.Host, tr.host) || !tr.judge.Concerns(r.Method, r.URL.RequestURI()) {
		tr.tell(nil, nil)
		return tr.next.RoundTrip(r)
	}
	seen := wire.Recorded{Method: r.Method, Target: r.URL.RequestURI(), RequestHeader: r.Header.Clone(), Start: time.Now()}
	if r.Body != nil && r.Body != http.NoBody {
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			return nil, err
		}
		seen.RequestBody, seen.HasRequestBody = body, true
		r = r.WithContext(r.Context()) // the caller's may not be changed
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	res, err := tr.next.RoundTrip(r)
	if err != nil || res.StatusCode == http.StatusSwitchingProtocols {
		tr.tell(nil, nil)
		return res, err
	}
	body, err := io.ReadAll(res.Body)
	res.Body.Close()
	res.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil { // which the client sees where it came
		tr.tell(nil, nil)
		res.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), iotest.ErrReader(err)))
		return res, nil
	}
	seen.Duration = time.Since(seen.Start)
	seen.Response = &wire.Response{Proto: res.Proto, Status: res.StatusCode, Header: res.Header.Clone(), Body: body}
	tr.tell(tr.judge.Judge(seen))
	return res, nil
}

// tell counts an exchange and fails the test for each new cause of what is wrong with it.
func (tr *transport) tell(ex *wire.Exchange, found []*judge.Finding) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if ex == nil {
		tr.others++
	} else {
		tr.judged++
	}
	for _, f := range found {
		if f.Severity != oracle.Violation || !f.Counts() || tr.told[f.Cause()] {
			continue
		}
		tr.told[f.Cause()] = true
		at := strings.TrimSpace(f.Operation + " " + f.Pointer)
		tr.t.Errorf("adconform: %s (%s) %s\n  %s: expected %s, got %s\n  %s",
			f.Clause, f.Basis, tr.contract.Clause(f.Clause).Text, at, f.Expected, f.Got, f.Curl)
	}
}

func (tr *transport) conclude() {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	summary := fmt.Sprintf("adconform: %d exchanges judged, %d others", tr.judged, tr.others)
	if tr.judged == 0 && !tr.t.Failed() && !tr.t.Skipped() {
		tr.t.Error(summary + ": is the base URL right?")
		return
	}
	tr.t.Log(summary)
}
