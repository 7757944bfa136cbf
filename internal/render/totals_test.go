package render_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/suites/report"
)

// A clause of several operations has the state that says most, the first of equal ones, and the cases of all.
func TestTotals(t *testing.T) {
	clause := func(id, operation string, status report.Status, cause report.Cause, reason string) report.Clause {
		return report.Clause{ID: id, Operation: operation, Status: status, Cause: cause, Reason: reason, Cases: 1}
	}
	byOperator, byTarget := report.ByOperator, report.ByTarget
	r := report.Report{Clauses: []report.Clause{
		clause("A", "one", report.NotTested, byOperator, "first"), clause("A", "two", report.NotTested, byOperator, "second"),
		clause("B", "one", report.NotTested, byTarget, "open"), clause("B", "two", report.NotTested, byOperator, "missing"),
		clause("C", "one", report.Held, "", ""), clause("C", "two", report.Broken, "", "wrong"), clause("C", "three", report.Held, "", ""),
		clause("D", "one", report.NotTested, byOperator, "missing"), clause("D", "two", report.Held, "", ""),
		clause("E", "one", report.Held, "", ""),
	}}
	total := func(id, operation string, cases int, status report.Status, cause report.Cause, reason string) report.Clause {
		return report.Clause{ID: id, Operation: operation, Status: status, Cause: cause, Reason: reason, Cases: cases}
	}
	want := []report.Clause{
		total("A", report.AllOperations, 2, report.NotTested, byOperator, "first"),
		total("B", report.AllOperations, 2, report.NotTested, byOperator, "missing"),
		total("C", report.AllOperations, 3, report.Broken, "", "wrong"),
		total("D", report.AllOperations, 2, report.Held, "", ""),
		total("E", "one", 1, report.Held, "", ""),
	}
	if diff := cmp.Diff(want, render.Totals(&r)); diff != "" {
		t.Error(diff)
	}
}
