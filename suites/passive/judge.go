// Package passive judges exchanges that others send: those of an HTTP Archive, and those of a
// client in a Go test. It sends nothing, and judges each answer alone, by what its own request
// shows. Whoever sends may not be alone with the target and may use keys that it was not told
// of, so it judges less than a case does: no relation that another writer could break, and no
// refusal that another reason could explain.
package passive

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
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
	tr := &transport{t: t, judge: j, contract: o.Contract, host: base.Host, next: next, reported: map[oracle.Cause]bool{}}
	t.Cleanup(tr.conclude)
	return tr
}

type transport struct {
	t        testing.TB
	judge    *Judge
	contract *spec.Contract
	host     string
	next     http.RoundTripper

	mu       sync.Mutex
	judged   int
	others   int
	reported map[oracle.Cause]bool
}

// RoundTrip implements http.RoundTripper. It reads both bodies of an operation whole.
func (tr *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.EqualFold(r.URL.Host, tr.host) || !tr.judge.Concerns(r.Method, r.URL.RequestURI()) {
		tr.report(nil, nil)
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
		tr.report(nil, nil)
		return res, err
	}
	body, err := io.ReadAll(res.Body)
	res.Body.Close()
	res.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil { // which the client sees where it came
		tr.report(nil, nil)
		res.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), iotest.ErrReader(err)))
		return res, nil
	}
	seen.Duration = time.Since(seen.Start)
	seen.Response = &wire.Response{Proto: res.Proto, Status: res.StatusCode, Header: res.Header.Clone(), Body: body}
	tr.report(tr.judge.Judge(seen))
	return res, nil
}

// report counts an exchange and fails the test for each new cause of what is wrong with it.
func (tr *transport) report(ex *wire.Exchange, found []*judge.Finding) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if ex == nil {
		tr.others++
	} else {
		tr.judged++
	}
	for _, f := range found {
		if f.Severity != oracle.Violation || !f.Counts() || tr.reported[f.Cause()] {
			continue
		}
		tr.reported[f.Cause()] = true
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

// Judge judges exchanges. It is safe for concurrent use.
type Judge struct {
	keys   bool
	base   string // path of the base URL
	client *wire.Client

	mu    sync.Mutex
	model *judge.Model
	cases map[string]*judge.Test // by id: one for each operation and status
	set   map[string][]*oracle.Body
}

// NewJudge returns a judge of what is sent to the base URL of o.Target, of which nothing else
// is needed. Without keys, requests are taken to lack the key that they were sent with, and one
// without a key says nothing.
func NewJudge(o judge.ModelOptions, keys bool) (*Judge, error) {
	client, err := wire.New(wire.Options{BaseURL: o.Target.BaseURL, KeyHeader: o.Target.Credentials.Header})
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(o.Target.BaseURL)
	if err != nil {
		return nil, err
	}
	o.Redact = client.Redact
	return &Judge{
		keys: keys, base: strings.TrimRight(base.EscapedPath(), "/"), client: client,
		model: judge.NewModel(o), cases: map[string]*judge.Test{}, set: map[string][]*oracle.Body{},
	}, nil
}

// Outcome is what was found and judged so far.
func (j *Judge) Outcome() *judge.Outcome { return j.model.Outcome }

// Concerns says whether a request belongs to one of the operations.
func (j *Judge) Concerns(method, target string) bool {
	below, ok := strings.CutPrefix(target, j.base)
	op, _ := j.model.Contract.Match(method, below)
	return ok && op != nil
}

// Judge judges the exchange of a request that Concerns accepts, with a whole answer, and returns
// what is wrong with it. The exchange is nil where the contract does not say what is right.
func (j *Judge) Judge(r wire.Recorded) (*wire.Exchange, []*judge.Finding) {
	if outOfScope(r) {
		return nil, nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	path := strings.TrimPrefix(r.Target, j.base)
	op, ids := j.model.Contract.Match(r.Method, path)
	t := j.test(op, r.Response.Status)
	ex := j.client.Record(t.Case.ID, path, r)
	c := &judge.Call{Op: op, Method: op.Method, Path: ids, Object: object(op, ids), As: ex.Request.Credential}
	_, c.Query, _ = strings.Cut(path, "?")
	if op.Lists() {
		c.Asked, c.OutOfRange = j.askedPage(c)
	}
	ex.Request.Sent = c.Parts()
	first := len(t.Result.Findings)
	e := j.expect(c, &ex.Request)
	a := judge.Read(c, ex, nil, "")
	t.Excused = func(f *judge.Finding) bool { return j.setBefore(c, f.Pointer, ex.Response.Body) }
	t.Judge(a, e)
	j.judgeShown(t, c, a)
	if c.Body != nil && (c.Loose || e.Clause != "" || e.OnlyCrash) { // an ordinary value is right wherever it shows
		object := strings.Join(append(ids, op.ID), "/")
		j.set[object] = append(j.set[object], c.Body)
	}
	return ex, t.Result.Findings[first:]
}

// setBefore says whether what is wrong at a place of an answer is what an earlier request gave the
// object, and this one says nothing of.
func (j *Judge) setBefore(c *judge.Call, pointer string, answer []byte) bool {
	if c.Body == nil || c.Op.Representation() == nil {
		return false
	}
	name := pointer[strings.LastIndexByte(pointer, '/')+1:]
	shown := c.Op.Representation().Named(name)
	if shown == nil || c.Op.Body.Field(shown.Meaning) == nil {
		return false
	}
	field := c.Op.Body.Field(shown.Meaning).Name
	if _, sent := c.Body.Fields[field]; sent {
		return false
	}
	now := oracle.Representation(c.Op, oracle.Decode(answer))
	return slices.ContainsFunc(j.set[strings.Join(append(slices.Clone(c.Path), c.Op.ID), "/")], func(earlier *oracle.Body) bool {
		value, given := earlier.Fields[field]
		return judge.Damaged(earlier.Raw) && judge.Damaged(answer) || given && reflect.DeepEqual(value, now[name])
	})
}

// test is the case that an exchange counts for.
func (j *Judge) test(op *spec.Operation, status int) *judge.Test {
	id := fmt.Sprintf("%s/recorded/%d", op.ID, status)
	t := j.cases[id]
	if t == nil {
		t = j.model.Begin(&judge.Case{
			ID: id, Operation: op, Class: strconv.Itoa(status),
			Title: fmt.Sprintf("A recorded answer with status %d is as the contract has it.", status),
		})
		t.Recorded = true
		j.cases[id] = t
	}
	return t
}

// object is the one that a path names, of which nothing but its ids is known; nil when they are
// no numbers.
func object(op *spec.Operation, path []string) *judge.Object {
	var ids []int64
	for _, text := range path {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id <= 0 || strconv.FormatInt(id, 10) != text {
			return nil
		}
		ids = append(ids, id)
	}
	kind := op.Path // of a collection
	if n := len(op.Params); n > 0 {
		kind = strings.TrimSuffix(op.Params[n-1].Name, "Id")
	}
	return judge.NewObject(kind+" "+strings.Join(path, "/"), op, ids, nil)
}

// judgeShown judges a representation by the path and by what was sent.
func (j *Judge) judgeShown(t *judge.Test, c *judge.Call, a *judge.Answer) {
	updated := c.Body != nil && c.Body.Fields != nil && a.Expected
	if c.Object == nil || a.Shown == nil || !c.Op.Reads() && !updated || !t.JudgeIdentity(c.Op, c.Object, a) || !updated {
		return
	}
	for _, field := range c.Op.Body.Fields {
		r, sent := c.Op.Representation().Field(field.Meaning), c.Body.Fields[field.Name]
		_, coerced := oracle.TextOf(field, sent)
		if r == nil || sent == nil || coerced || a.Expect.Clause != "" || openForm(field, sent, a.Shown[r.Name]) {
			continue
		}
		t.JudgeShown(c, field, r, sent, a.Shown[r.Name])
	}
}

// askedPage is the page that a query asks for, 0 for none. What else a query has may ask for
// items that do not exist: open.
func (j *Judge) askedPage(c *judge.Call) (page int64, open bool) {
	query, err := url.ParseQuery(c.Query)
	name := cmp.Or(j.model.PageParameter(c.Op), "page")
	asked := query[name]
	query.Del(name)
	if err != nil || len(query) > 0 || len(asked) > 1 {
		return 0, true
	}
	if len(asked) == 0 || asked[0] == "" {
		return 0, false
	}
	page, err = strconv.ParseInt(asked[0], 10, 64)
	return page, err != nil || page < 1
}

// asking are request headers that change what a right answer is, in ways that the contract says
// nothing of.
var asking = []string{
	"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range", "Range",
	"Prefer", "Upgrade", "X-Http-Method-Override", "X-Http-Method", "X-Method-Override",
}

// outOfScope says whether the contract leaves open what is right in an exchange: it asks for
// something else than an operation in JSON, or the target asked to come later.
func outOfScope(r wire.Recorded) bool {
	for _, name := range asking {
		if len(r.RequestHeader.Values(name)) > 0 {
			return true
		}
	}
	accept, h := strings.Join(r.RequestHeader.Values("Accept"), ","), r.Response.Header
	status, unwanted := r.Response.Status, !strings.Contains(accept, "json") && !strings.Contains(accept, "*/*")
	later := status == http.StatusTooManyRequests || status == http.StatusRequestTimeout ||
		status == http.StatusServiceUnavailable && h.Get("Retry-After") != ""
	return later || accept != "" && unwanted || !wire.Decodable(h.Get("Content-Encoding"))
}
