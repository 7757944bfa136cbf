package match

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
)

// judge judges a response as a run judges its first answer.
func (m *Matcher) judge(actual any) ([]*oracle.Finding, error) {
	response, err := responseOf(actual) //nolint:bodyclose // its owner closes it
	if err != nil {
		return nil, err
	}
	contract := spec.Load()
	op, id, err := m.operationOf(contract, response)
	if err != nil {
		return nil, err
	}
	body, err := readBody(response)
	if err != nil {
		return nil, err
	}
	m.empty = len(body) == 0 && response.StatusCode != http.StatusNoContent
	model := judge.NewModel(judge.ModelOptions{
		Contract: contract, Target: &fixtures.Target{}, Redact: func(text string) string { return text },
	})
	t := model.Begin(&judge.Case{Operation: op})
	t.Recorded = true
	call := &judge.Call{Op: op, Method: op.Method, Object: judge.NewObject("", op, []spec.ID{id}, nil)}
	answered := &wire.Response{Status: response.StatusCode, Header: response.Header, Body: body}
	a := judge.Read(call, &wire.Exchange{Response: answered}, nil)
	expect := m.expect
	expect.Clause = m.clause(op)
	if expect.Clause != "" && contract.Clause(expect.Clause) == nil {
		return nil, fmt.Errorf("the contract has no clause %q", expect.Clause)
	}
	t.Judge(a, expect)
	if !a.Expected || a.Shown == nil {
		return t.Result.Findings, nil
	}
	for _, name := range slices.Sorted(maps.Keys(m.shows)) {
		f := cmp.Or(op.Representation().Named(name), &spec.Field{Name: name})
		t.JudgeShown(call, f, f, m.shows[name], a.Shown[name])
	}
	return t.Result.Findings, nil
}

// clause returns the clause that an unexpected answer breaks: the cited one, or that of the expected answer.
func (m *Matcher) clause(op *spec.Operation) string {
	e := m.expect
	clause := e.Clause
	if e.Success {
		clause = cmp.Or(clause, op.Clause)
	}
	for _, status := range e.Statuses {
		clause = cmp.Or(clause, clauses[status])
	}
	if e.AnyRefusal || len(e.Statuses) > 0 {
		clause = cmp.Or(clause, "ERR-12")
	}
	return clause
}

// responseOf returns the response under test. A recorder's response has all that was written, even if a test has
// read the body of its Result.
func responseOf(actual any) (*http.Response, error) {
	kind := fmt.Sprintf("%T", actual)
	switch r := actual.(type) {
	case *http.Response:
		if r != nil {
			return r, nil
		}
		kind = "a nil one"
	case *httptest.ResponseRecorder:
		if r != nil {
			return recordedResponse(r)
		}
		kind = "a nil one"
	}
	return nil, fmt.Errorf("expected an *http.Response or an *httptest.ResponseRecorder, got %s", kind)
}

func recordedResponse(r *httptest.ResponseRecorder) (*http.Response, error) {
	response := *r.Result() //nolint:bodyclose // it has nothing to close
	if r.Body != nil {
		if r.Body.Len() == 0 && r.Body.Cap() > 0 { // a buffer keeps its memory when it has been read to the end
			return nil, errRead
		}
		response.Body = io.NopCloser(bytes.NewReader(r.Body.Bytes()))
	}
	return &response, nil
}

var errRead = errors.New("the body of the response was read before: match it first, or give it back its body: " +
	"response.Body = io.NopCloser(bytes.NewReader(body))")

// readBody reads the body of a response, if there is one, so that it can be read again.
func readBody(r *http.Response) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(r.Body)
	switch {
	case err != nil && strings.Contains(err.Error(), "closed"): // net/http has a name for this error of a request only
		return nil, errRead
	case err != nil:
		return nil, fmt.Errorf("the body of the response cannot be read: %w", err)
	case int64(len(body)) < r.ContentLength:
		return nil, errRead
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return body, nil
}

// operationOf returns the operation that answered, below any base path, and the last id of the path, "" if unknown.
func (m *Matcher) operationOf(c *spec.Contract, r *http.Response) (op *spec.Operation, id spec.ID, err error) {
	method, path, _ := strings.Cut(m.operation, " ")
	if path == "" && r.Request != nil && r.Request.URL != nil {
		method = cmp.Or(r.Request.Method, http.MethodGet)
		path = r.Request.URL.EscapedPath()
	}
	op, id = find(c, method, path)
	named := c.Operation(m.operation)
	switch {
	case named != nil && named != op:
		return named, "", nil
	case op != nil:
		return op, id, nil
	case path != "":
		return nil, "", fmt.Errorf("%s %s is no operation of the contract", method, path)
	case m.operation != "":
		return nil, "", fmt.Errorf("the contract has no operation %q", m.operation)
	}
	return nil, "", fmt.Errorf("the response does not say what was asked: name the operation, such as Of(%q)",
		c.Operations[0].ID)
}

// find returns the operation of a path, below any base path, and the last id of the path, "" if it is unknown.
func find(c *spec.Contract, method, path string) (op *spec.Operation, id spec.ID) {
	for at := range path {
		if path[at] != '/' {
			continue
		}
		op, ids := c.Match(method, path[at:])
		if op == nil {
			continue
		}
		if len(ids) > 0 {
			last, _ := url.PathUnescape(ids[len(ids)-1]) // "" for a malformed one
			id = spec.ID(last)
		}
		return op, id
	}
	return nil, ""
}

// clauses are the clauses of refusals, by status, if none is cited.
var clauses = map[int]string{
	http.StatusUnauthorized:        "AUTH-1",
	http.StatusForbidden:           "AUTH-2",
	http.StatusNotFound:            "ERR-1",
	http.StatusUnprocessableEntity: "ERR-4",
}
