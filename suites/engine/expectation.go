package engine

import (
	"fmt"
	"path"
	"runtime"
	"strings"

	"github.com/onsi/gomega"
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
	t.Test.find("spec", Finding{Clause: t.Test.Case.Clauses[0], Expected: t.Test.Case.Title, Got: strings.Join(strings.Fields(message), " ")})
}

const specs = "suites/specs"

// location is the file and line of the spec that runs, "" outside of any. The frame that
// runs a table's body is none.
func location() (at string) {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		if strings.Contains(f.Function, "adconform/"+specs+".") && !strings.Contains(f.Function, ".(*Specs).") {
			at = fmt.Sprintf("%s/%s:%d", specs, path.Base(f.File), f.Line)
		}
		if !more {
			return at
		}
	}
}
