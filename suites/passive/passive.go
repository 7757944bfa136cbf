// Package passive judges what a client and a server say to one another in your tests. It sends nothing, and judges each
// answer by its own request; with a target file also what several exchanges show together. As there may be other
// clients and unknown keys, it judges less than a run does: no relation that another writer could break, and no refusal
// that another reason could explain.
package passive

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/traffic"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// Transport returns a RoundTripper that judges what a client sends to baseURL and what comes
// back. It fails the test for each breach of the contract:
//
//	client := &http.Client{Transport: passive.Transport(t, server.URL+"/v2", nil)}
//
// next sends the requests; nil means http.DefaultTransport. One that is not an *http.Transport, or
// has a client certificate, may add a key, so requests without a key are not judged as such. Requests
// to other URLs are not judged. A test in which no exchange was judged fails.
func Transport(t testing.TB, baseURL string, next http.RoundTripper) http.RoundTripper {
	t.Helper()
	return TransportTo(t, &fixtures.Target{BaseURL: baseURL}, next)
}

// TransportTo is Transport with a target file (fixtures.Load): it also judges what several exchanges show together, as
// the file says whose the keys and the objects are. Nothing else may write to these objects meanwhile.
func TransportTo(t testing.TB, target *fixtures.Target, next http.RoundTripper) http.RoundTripper {
	t.Helper()
	if next == nil {
		next = http.DefaultTransport
	}
	options := judge.ModelOptions{Target: target, Contract: spec.Load()}
	j, err := traffic.NewJudge(options, !mayAddKey(next))
	if err != nil {
		t.Fatalf("%s", wording.Inert("adconform: "+err.Error()))
	}
	tr := &transport{t: t, base: strings.TrimRight(target.BaseURL, "/"), judge: j, next: next}
	tr.skipped = map[string]int{}
	tr.reported = map[report.Site]bool{}
	t.Cleanup(tr.conclude)
	return tr
}

// mayAddKey reports whether a RoundTripper may identify the user otherwise than the request does.
func mayAddKey(next http.RoundTripper) bool {
	plain, isPlain := next.(*http.Transport)
	if !isPlain {
		return true
	}
	config := cmp.Or(plain.TLSClientConfig, new(tls.Config))
	return len(config.Certificates) > 0 || config.GetClientCertificate != nil
}

type transport struct {
	t     testing.TB
	base  string
	judge *traffic.Judge
	next  http.RoundTripper

	mu       sync.Mutex
	judged   bool
	skipped  map[string]int // exchanges, by the reason
	reported map[report.Site]bool
}

// RoundTrip implements http.RoundTripper. It reads both bodies of an operation completely.
func (tr *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if !tr.judge.Covers(r) {
		return tr.next.RoundTrip(r)
	}
	seen := &wire.Exchange{Start: time.Now()}
	seen.Request = wire.Request{Method: r.Method, Path: r.URL.RequestURI(), Header: r.Header.Clone()}
	if r.Body != nil && r.Body != http.NoBody {
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			return nil, err
		}
		seen.Request.Body = body
		r = r.WithContext(r.Context()) // the caller's request must not be changed
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	tr.judge.Begin(seen)
	res, err := tr.next.RoundTrip(r)
	if err != nil || res.StatusCode == http.StatusSwitchingProtocols {
		return res, err
	}
	body, err := io.ReadAll(res.Body)
	res.Body.Close()
	end := iotest.ErrReader(cmp.Or(err, io.EOF))
	res.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), end))
	if err != nil {
		return res, nil //nolint:nilerr // the client sees it when it reads the body
	}
	seen.Duration = time.Since(seen.Start)
	head := res.Header.Clone()
	seen.Response = &wire.Response{Proto: res.Proto, Status: res.StatusCode, Header: head, Body: body}
	tr.report(tr.judge.Judge(seen))
	return res, nil
}

// report fails the test for each new cause among findings. why is the reason why an exchange was not judged.
func (tr *transport) report(found []*judge.Finding, why string) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if why != "" {
		tr.skipped[why]++
		return
	}
	tr.judged = true
	for _, f := range found {
		if f.Severity != oracle.Violation || tr.reported[f.Site()] {
			continue
		}
		tr.reported[f.Site()] = true
		place := strings.TrimSpace(f.Operation + " " + f.Pointer)
		sentence := spec.Load().Clause(f.Clause).Text
		text := fmt.Sprintf("adconform: %s (%s) %s\n  %s: expected %s, got %s\n  %s",
			f.Clause, f.Basis, sentence, place, f.Expected, f.Got, f.Curl)
		tr.t.Errorf("%s", wording.Inert(text))
	}
}

// conclude fails a test in which nothing was judged, and says how often others answered in place of the target.
func (tr *transport) conclude() {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	var others []string
	for _, why := range slices.Sorted(maps.Keys(tr.skipped)) {
		others = append(others, fmt.Sprintf("%d %s", tr.skipped[why], why))
	}
	skipped := strings.Join(others, ", ")
	switch {
	case tr.judged:
		if tr.skipped[traffic.Between] > 0 {
			tr.t.Logf("adconform: exchanges that were not judged: %s", skipped)
		}
	case tr.t.Failed(), tr.t.Skipped():
	case skipped != "":
		tr.t.Errorf("adconform: no exchange below %s was judged: %s", tr.base, skipped)
	default:
		tr.t.Errorf("adconform: no exchange below %s was judged: is the base URL right?", tr.base)
	}
}
