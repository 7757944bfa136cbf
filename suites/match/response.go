package match

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

// judge judges a response by the oracle alone, without regard to other answers.
func (m *Matcher) judge(actual any) ([]*oracle.Finding, error) {
	response, err := received(actual) //nolint:bodyclose // its owner closes it
	if err != nil {
		return nil, err
	}
	contract := spec.Load()
	op, id, err := m.asked(contract, response)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("the body of the response cannot be read: %w", err)
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	judged := oracle.New(contract, nil).Judge(op,
		oracle.Response{Status: response.StatusCode, Header: response.Header, Body: body, PathID: id})
	var found []*oracle.Finding
	for i := range judged.Findings {
		f := &judged.Findings[i]
		inForm := m.expect.ErrorForm && judged.Valid && strings.HasPrefix(f.Clause, "ERR-")
		if !m.expect.OnlyCrash || f.Clause == "HTTP-1" || inForm {
			found = append(found, f)
		}
	}
	one := single{m, contract, op, response.StatusCode, judged.Value}
	return append(found, one.findings()...), nil
}

// received returns the response under test.
func received(actual any) (*http.Response, error) {
	switch r := actual.(type) {
	case *http.Response:
		if r != nil {
			return r, nil
		}
	case *httptest.ResponseRecorder:
		if r != nil {
			return r.Result(), nil
		}
	}
	return nil, fmt.Errorf("expected an *http.Response or an *httptest.ResponseRecorder, got %T", actual)
}

// asked returns the operation that answered, below any base path, and the last id of the path, or 0 if
// it is unknown.
func (m *Matcher) asked(c *spec.Contract, r *http.Response) (op *spec.Operation, id int64, err error) {
	method, path, _ := strings.Cut(m.operation, " ")
	if r.Request != nil && r.Request.URL != nil && path == "" {
		method, path = r.Request.Method, r.Request.URL.EscapedPath()
	}
	for at := range path {
		if path[at] == '/' && op == nil {
			var ids []string
			if op, ids = c.Match(method, path[at:]); len(ids) > 0 {
				id, _ = strconv.ParseInt(ids[len(ids)-1], 10, 64) // 0 for none
			}
		}
	}
	named := c.Operation(m.operation)
	switch {
	case op != nil && (named == nil || named == op):
		return op, id, nil
	case named != nil:
		return named, 0, nil
	case path != "":
		return nil, 0, fmt.Errorf("%s %s is no operation of the contract", method, path)
	case m.operation != "":
		return nil, 0, fmt.Errorf("the contract has no operation %q", m.operation)
	}
	return nil, 0, fmt.Errorf("the response does not say what was asked: name the operation, such as Of(%q)", c.Operations[0].ID)
}

// A single is one answer with its expectation.
type single struct {
	*Matcher
	contract *spec.Contract
	op       *spec.Operation
	status   int
	body     any // decoded
}

// findings returns the breaches of the expectation, beyond those that are judged of every answer.
func (s single) findings() (found []*oracle.Finding) {
	e := s.expect
	if len(e.Statuses) == 0 && !e.Success && !e.AnyRefusal || e.AnyStatus || s.status >= 500 {
		return nil
	}
	page := oracle.ReadList(s.op, s.body)
	empty := s.status/100 == 2 && page != nil && len(page.Items) == 0
	if !e.Allows(s.status, oracle.Succeeds(s.op, s.status, s.body), empty) {
		return append(found, s.find(e.Check(s.status), s.cited(), "", e.Words(s.op), fmt.Sprintf("status %d", s.status)))
	}
	if e.Field != "" && s.status == http.StatusUnprocessableEntity {
		named := oracle.Named(s.contract, s.body)
		if !slices.ContainsFunc(named, func(text string) bool { return oracle.LastSegment(text) == e.Field }) {
			found = append(found, s.find("related-field", "ERR-10", "/"+s.contract.Error.Field("error").Name,
				fmt.Sprintf("an issue whose relatedField names %q", e.Field), "issues that name "+oracle.Show(named)))
		}
	}
	if s.status/100 != 2 || s.op.Representation() == nil {
		return found
	}
	shown := oracle.Representation(s.op, s.body)
	for _, name := range slices.Sorted(maps.Keys(s.shows)) {
		if want, got := s.shows[name], shown[name]; !oracle.Equal(s.op.Representation().Named(name), want, got) {
			found = append(found, s.find("shows-sent", s.op.Effects["shows"], "/"+s.op.Success.Field("data").Name+"/"+name,
				name+" "+oracle.Show(want)+", as sent", oracle.Show(got)))
		}
	}
	return found
}

func (s single) find(check, clause, pointer, expected, got string) *oracle.Finding {
	f := &oracle.Finding{
		Check: check, Operation: s.op.ID, Clause: clause, Severity: oracle.Violation, Pointer: pointer, Expected: expected, Got: got,
	}
	if c := s.contract.Clause(clause); c != nil {
		f.Basis = c.Basis
	}
	return f
}

// cited returns the clause that an answer with another status breaks.
func (s single) cited() string {
	switch {
	case s.expect.Clause != "":
		return s.expect.Clause
	case s.expect.Success:
		return s.op.Clause
	}
	for _, status := range s.expect.Statuses {
		if id := clauses[status]; id != "" {
			return id
		}
	}
	return "ERR-12"
}
