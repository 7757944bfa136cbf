// Package match provides gomega matchers that judge one answer of a server by the contract. The specs of
// the suite use them in a run; a vendor's own test needs no run:
//
//	Expect(response).To(match.ConformTo("updateCampaign"))
//	Expect(response).To(match.BeAccepted().Showing(map[string]any{"name": "Spring"}))
//	Expect(response).To(match.BeRefused(422).Naming("name"))
//
// The answer is an *http.Response or an *httptest.ResponseRecorder; its body can still be read afterwards. The
// request of a response identifies the operation that answered; for a recorder, which has no request, Of names
// it. The answer always has to follow the contract: a declared status, a JSON body that matches the schema, an
// error object that repeats the status. A failed matcher names the broken clauses, what they expect, and what
// came.
package match

import (
	"fmt"
	"slices"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

// A Matcher judges an answer. It is a gomega matcher (types.GomegaMatcher).
type Matcher struct {
	expect    oracle.Expect
	operation string
	shows     map[string]any // by wire name
	found     []*oracle.Finding
	empty     bool // the answer has no body
}

// ConformTo accepts every answer that the contract allows for the operation, which is named by its operationId
// or by method and path: "PATCH /campaigns/25".
func ConformTo(operation string) *Matcher { return (&Matcher{}).Of(operation) }

// BeAccepted expects a success of the operation: a 2xx with the representation or the list, or 204.
func BeAccepted() *Matcher { return &Matcher{expect: oracle.Expect{Success: true}} }

// BeRefused expects an error with one of the statuses, or with any 4xx if none is given.
func BeRefused(statuses ...int) *Matcher {
	return &Matcher{expect: oracle.Expect{Statuses: statuses, AnyRefusal: len(statuses) == 0}}
}

// BeAnswered expects a status below 500 and judges nothing else.
func BeAnswered() *Matcher { return &Matcher{expect: oracle.Expect{OnlyCrash: true}} }

// Or also accepts these statuses.
func (m *Matcher) Or(statuses ...int) *Matcher {
	m.expect.Statuses = slices.Concat(m.expect.Statuses, statuses)
	return m
}

// OrRefused also accepts every 4xx.
func (m *Matcher) OrRefused() *Matcher {
	m.expect.AnyRefusal = true
	return m
}

// OrEmpty also accepts a 2xx with an empty list.
func (m *Matcher) OrEmpty() *Matcher {
	m.expect.EmptyList = true
	return m
}

// InForm makes BeAnswered also judge the form of an error.
func (m *Matcher) InForm() *Matcher {
	m.expect.ErrorForm = true
	return m
}

// Naming expects an issue of a 422 to name field, the only one that was wrong.
func (m *Matcher) Naming(field string) *Matcher {
	m.expect.Field = field
	return m
}

// Showing expects the representation to show these values, which were sent. A run knows what was sent
// and does not need it.
func (m *Matcher) Showing(sent map[string]any) *Matcher {
	m.shows = sent
	return m
}

// Citing sets the clause that an answer with another status breaks. By default it is the operation's clause
// if a success is expected, and otherwise that of the status or of the spec.
func (m *Matcher) Citing(clause string) *Matcher {
	m.expect.Clause = clause
	return m
}

// Of sets the operation that answered, by its operationId or by method and path.
func (m *Matcher) Of(operation string) *Matcher {
	m.operation = operation
	return m
}

// Match implements types.GomegaMatcher. It returns an error if the answer cannot be judged.
func (m *Matcher) Match(actual any) (success bool, err error) {
	var found []*oracle.Finding
	if a, ok := actual.(*judge.Answer); ok && a != nil { // within a run, which judges it by all that it knows
		found = a.Judge(m.expect)
	} else if found, err = m.judge(actual); err != nil {
		return false, err
	}
	isNotice := func(f *oracle.Finding) bool { return f.Severity == oracle.Notice }
	m.found = slices.DeleteFunc(slices.Clone(found), isNotice)
	return len(m.found) == 0, nil
}

// FailureMessage implements types.GomegaMatcher. It lists each broken clause with its basis and sentence,
// what it expects, and what came.
func (m *Matcher) FailureMessage(any) string {
	text := "The answer breaks the contract:"
	contract := spec.Load()
	for _, f := range m.found {
		text += fmt.Sprintf("\n  %s %s (%s)", f.Operation, f.Clause, f.Basis)
		if contract.Clause(f.Clause) != nil {
			text += ": " + contract.Clause(f.Clause).Text
		}
		if f.Pointer != "" {
			text += "\n    at       " + f.Pointer
		}
		text += "\n    expected " + f.Expected + "\n    got      " + f.Got
	}
	if m.empty {
		text += "\n  The body is empty: was it read before?"
	}
	return wording.Inert(text)
}

// NegatedFailureMessage implements types.GomegaMatcher.
func (m *Matcher) NegatedFailureMessage(any) string {
	return "The answer conforms, which was not expected"
}
