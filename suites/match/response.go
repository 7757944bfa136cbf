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
	return append(found, m.unmet(contract, op, response.StatusCode, judged.Value)...), nil
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

// unmet returns the breaches of the expectation, beyond those that are judged of every answer.
func (m *Matcher) unmet(contract *spec.Contract, op *spec.Operation, status int, body any) (found []*oracle.Finding) {
	e := m.expect
	if len(e.Statuses) == 0 && !e.Success && !e.AnyRefusal || status >= 500 {
		return nil
	}
	find := func(check, clause, pointer, expected, got string) {
		f := &oracle.Finding{
			Check: check, Operation: op.ID, Clause: clause, Severity: oracle.Violation, Pointer: pointer, Expected: expected, Got: got,
		}
		if c := contract.Clause(clause); c != nil {
			f.Basis = c.Basis
		}
		found = append(found, f)
	}
	page := oracle.ReadList(op, body)
	empty := status/100 == 2 && page != nil && len(page.Items) == 0
	if !e.Allows(status, oracle.Succeeds(op, status, body), empty) {
		find(e.Check(status), m.cited(op), "", e.Words(op), fmt.Sprintf("status %d", status))
		return found
	}
	if e.Field != "" && status == http.StatusUnprocessableEntity {
		named := oracle.Named(contract, body)
		if !slices.ContainsFunc(named, func(text string) bool { return oracle.LastSegment(text) == e.Field }) {
			find("related-field", "ERR-10", "/"+contract.Error.Field("error").Name,
				fmt.Sprintf("an issue whose relatedField names %q", e.Field), "issues that name "+oracle.Show(named))
		}
	}
	if status/100 != 2 || op.Representation() == nil {
		return found
	}
	shown := oracle.Representation(op, body)
	for _, name := range slices.Sorted(maps.Keys(m.shows)) {
		if want, got := m.shows[name], shown[name]; !oracle.Equal(op.Representation().Named(name), want, got) {
			find("shows-sent", op.Effects["shows"], "/"+op.Success.Field("data").Name+"/"+name,
				name+" "+oracle.Show(want)+", as sent", oracle.Show(got))
		}
	}
	return found
}

// cited returns the clause that an answer with another status breaks.
func (m *Matcher) cited(op *spec.Operation) string {
	switch {
	case m.expect.Clause != "":
		return m.expect.Clause
	case m.expect.Success:
		return op.Clause
	}
	for _, status := range m.expect.Statuses {
		if id := clauses[status]; id != "" {
			return id
		}
	}
	return "ERR-12"
}

// clauses are the clauses of refusals, by status, if none is cited.
var clauses = map[int]string{
	http.StatusUnauthorized: "AUTH-1", http.StatusForbidden: "AUTH-2", http.StatusNotFound: "ERR-1", http.StatusUnprocessableEntity: "ERR-4",
}
