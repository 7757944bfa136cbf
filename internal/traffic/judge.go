// Package traffic judges exchanges that others send: those in an HTTP Archive, and those of a
// client in a Go test. It sends nothing, and judges each answer by its own request alone. As there
// may be other clients and unknown keys, it judges less than a case does: no relation that another
// writer could break, and no refusal that another reason could explain.
package traffic

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/model"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
)

// A Judge judges exchanges. It is safe for concurrent use.
type Judge struct {
	keys   bool
	base   *url.URL
	client *wire.Client

	mu      sync.Mutex
	model   *judge.Model
	cases   map[string]*judge.Test // by id: one for each operation and status
	damaged bool                   // the target took invalid Unicode, and may show it again

	sequence *sequence // nil without a target file
}

// NewJudge returns a judge of exchanges with the base URL of o.Target. If the target has keys and objects, the judge
// also judges what several exchanges show together. If keys is false, the recorder is assumed to have removed them, so
// a request without a key shows nothing.
func NewJudge(o judge.ModelOptions, keys bool) (*Judge, error) {
	form := o.Target.Credentials.Form()
	client, err := wire.New(wire.Options{
		BaseURL: o.Target.BaseURL, Key: form,
	})
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(strings.TrimRight(o.Target.BaseURL, "/"))
	o.Redact = client.Redact
	j := &Judge{
		keys: keys, base: base, client: client, model: judge.NewModel(o),
	}
	j.cases = map[string]*judge.Test{}
	j.sequence = newSequence(j, o)
	return j, err
}

// Outcome returns the findings and the coverage so far.
func (j *Judge) Outcome() *judge.Outcome { return j.model.Outcome }

// Judge judges an exchange of one of the operations, with a whole answer, and returns its findings. It returns why it
// does not judge an exchange: the contract does not say which answer is right, or the answer is not the target's.
func (j *Judge) Judge(ex *wire.Exchange) (found []*judge.Finding, why string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var t *judge.Test
	if why = j.whyNot(ex); why == "" {
		t = j.judgeAlone(ex)
	}
	if j.sequence != nil {
		j.sequence.take(ex, t)
	}
	if t == nil {
		return nil, why
	}
	for _, f := range t.Result.Findings {
		if f.Exchange == ex.Seq {
			found = append(found, f)
		}
	}
	return found, ""
}

// Covers reports whether a request is for an operation below the base URL.
func (j *Judge) Covers(r *http.Request) bool {
	path, isBelow := strings.CutPrefix(r.URL.RequestURI(), j.base.EscapedPath())
	if !isBelow || authority(r.URL) != authority(j.base) {
		return false
	}
	op, _ := j.model.Contract.Match(r.Method, path)
	return op != nil
}

// whyNot returns why an exchange is not judged, or "".
func (j *Judge) whyNot(ex *wire.Exchange) string {
	switch {
	case isOutOfScope(ex):
		return OutOfScope
	case isBetween(ex.Response.Status):
		return Between
	case j.sequence != nil && j.sequence.hasStopped(ex):
		return KeyStopped
	}
	return ""
}

// pathOf returns the path of a request below the base URL.
func (j *Judge) pathOf(ex *wire.Exchange) string {
	return strings.TrimPrefix(ex.Request.Path, j.base.EscapedPath())
}

// judgeAlone judges an exchange by its own request, and returns the case that it counts for.
func (j *Judge) judgeAlone(ex *wire.Exchange) *judge.Test {
	path := j.pathOf(ex)
	op, ids := j.model.Contract.Match(ex.Request.Method, path)
	t := j.test(op, ex.Response.Status)
	sent := model.Request{Method: op.Method, Path: path, Body: ex.Request.Body}
	sent.Header = ex.Request.Header.Clone()
	j.client.Adopt(ex, t.Case.ID, path)
	right := j.allowed(ex, sent)
	c := j.call(ex, op, ids)
	c.Loose = right.IsLoose()
	if op.Body != nil {
		c.Body = &oracle.Body{Raw: sent.Body}
	}
	a := judge.Read(c, ex, nil)
	if a.OK && judge.Damaged(sent.Body) {
		j.damaged = true
	}
	t.Excused = func(f *judge.Finding) bool {
		switch {
		case f.Clause == "JSON-1":
			return j.damaged
		case f.Check == judge.CheckExpectedStatus.ID: // the oracle says why a body is not read
			return a.OK && a.Value == nil && op.Success != nil
		}
		return false
	}
	t.Judge(a, right.Expect())
	j.judgeShown(t, c, a, right.Shows)
	return t
}

// call returns a recorded request as the judge of cases knows it.
func (j *Judge) call(ex *wire.Exchange, op *spec.Operation, ids []string) *judge.Call {
	c := &judge.Call{
		Op: op, Method: op.Method, Path: ids, As: ex.Request.Credential,
	}
	if c.Object = object(op, ids); c.Object != nil {
		c.Path = c.Object.Path()
	}
	_, query, _ := strings.Cut(ex.Request.Path, "?")
	c.Query = wire.WithoutKeys(query)
	if op.Lists() && c.Query != "" {
		parameter := cmp.Or(j.model.PageParameter(op), "page")
		c.Asked = pageNumber(c.Query, parameter)
		c.OutOfRange = c.Asked == 0 // the page may not exist
	}
	ex.Request.Parts = c.Parts()
	return c
}

// pageNumber returns the page that a query asks for, or 0 if it may ask for something else.
func pageNumber(query, parameter string) int64 {
	page, isPage := strings.CutPrefix(query, parameter+"=")
	number, err := strconv.ParseInt(page, 10, 64)
	if !isPage || err != nil {
		return 0
	}
	return max(number, 0)
}

// test returns the case that an exchange counts for.
func (j *Judge) test(op *spec.Operation, status int) *judge.Test {
	id := fmt.Sprintf("%s/recorded/%d", op.ID, status)
	if j.cases[id] == nil {
		j.cases[id] = j.model.Begin(&judge.Case{
			ID: id, Operation: op, Class: strconv.Itoa(status),
			Title: fmt.Sprintf("A recorded answer with status %d conforms to the contract.", status),
		})
		j.cases[id].Recorded = true
	}
	return j.cases[id]
}

// object returns the object that a path names, with nothing but its ids, or nil if they are malformed.
func object(op *spec.Operation, path []string) *judge.Object {
	var ids []spec.ID
	for i, text := range path {
		id := spec.ID(plainSegment(text))
		if !op.Params[i].Holds(id) {
			return nil
		}
		ids = append(ids, id)
	}
	key := strings.TrimSpace(op.Key() + " " + strings.Join(path, "/"))
	return judge.NewObject(key, op, ids, nil)
}

// plainSegment returns a part of a path without its encoding, or "" if it is encoded in an unusual way, which may be
// refused.
func plainSegment(part string) string {
	text, err := url.PathUnescape(part)
	if err != nil || part != text && part != url.PathEscape(text) {
		return ""
	}
	return text
}

// allowed returns which answers to a request are right. A key that the recorder has removed may be anyone's.
func (j *Judge) allowed(ex *wire.Exchange, r model.Request) model.Allowed {
	if j.sequence != nil {
		return j.sequence.allowed(ex)
	}
	key := ex.Request.Credential
	mayBeRemoved := !j.keys || key.Name == wire.UnknownKey
	if key.Value == "" && mayBeRemoved {
		r.Header.Set(fixtures.DefaultKeyHeader, "a key that is not recorded")
	}
	known := model.World{Contract: j.model.Contract, Target: j.model.Target}
	return known.Right(r)
}

// judgeShown judges a representation against the path and what was sent.
func (j *Judge) judgeShown(t *judge.Test, c *judge.Call, a *judge.Answer, shows []model.Shown) {
	if c.Op.Lists() || c.Object == nil || a.Shown == nil {
		return
	}
	if !t.JudgeIdentity(c.Op, c.Object, a) || !c.Op.Updates() {
		return
	}
	for _, shown := range shows {
		if r := c.Op.Representation().Field(shown.Meaning); r != nil {
			t.JudgeShown(c, shown.Field, r, shown.Value,
				a.Shown[r.Name])
		}
	}
}

// conditions lists the request headers that change which answer is right, in ways that the contract
// does not describe.
var conditions = []string{
	"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range", "Range",
	"Prefer", "Upgrade", "X-Http-Method-Override", "X-Http-Method", "X-Method-Override",
}

// isOutOfScope reports whether the contract does not say which answer is right: the request asks for
// something other than JSON, or the target asked the client to come later.
func isOutOfScope(ex *wire.Exchange) bool {
	asked := ex.Request.Header
	if slices.ContainsFunc(conditions, func(name string) bool { return len(asked.Values(name)) > 0 }) {
		return true
	}
	switch ex.Response.Status {
	case http.StatusTooManyRequests, http.StatusRequestTimeout:
		return true
	}
	return !isJSONAccepted(asked) || !wire.Decodable(ex.Response.Header.Get("Content-Encoding"))
}

// isJSONAccepted reports whether the request takes JSON, in any of its Accept headers.
func isJSONAccepted(request http.Header) bool {
	accept := cmp.Or(strings.Join(request.Values("Accept"), ","), "*/*")
	return strings.Contains(accept, "json") || strings.Contains(accept, "*/*")
}

// isBetween reports whether an answer is first of all that of a gateway, a proxy or a cache: it says nothing about
// the target. 304 answers a condition that a cache added, as the request has none.
func isBetween(status int) bool {
	switch status {
	case http.StatusNotModified, http.StatusProxyAuthRequired, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout, http.StatusNetworkAuthenticationRequired:
		return true
	}
	return status >= 520 && status <= 530 // a content delivery network does not reach the target
}
