package session

import (
	"strings"

	"github.com/onsi/gomega"

	"github.com/adconform/adconform/suites/judge"
)

// Expect states what a case expects, in gomega's way. A matcher of an answer judges
// it; what it finds is a finding of the case, with the line of the spec. So is what
// any other matcher finds.
func (t *T) Expect(actual any, extra ...any) gomega.Assertion {
	if t.matcher == nil {
		t.matcher = gomega.NewGomega(t.fail)
	}
	return t.matcher.Expect(actual, extra...)
}

// fail is told of a matcher that failed.
func (t *T) fail(message string, _ ...int) {
	if t.matched {
		t.matched = false
		return
	}
	t.Test.Find("spec", judge.Finding{
		Clause:   t.Test.Case.Clauses[0],
		Expected: t.Test.Case.Title,
		Got:      strings.Join(strings.Fields(message), " "),
	})
}
