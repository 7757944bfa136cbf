package fuzz

import (
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/testcase"
)

// NewCase is the case in whose name the inputs of a class are sent:
// updateCampaign/fuzz/json-duplicate-member.
func NewCase(op *spec.Operation, in Input) *testcase.Case {
	c := classes[in.Class()]
	return &testcase.Case{
		ID: op.ID + "/fuzz/" + strings.ReplaceAll(c.id, "/", "-"), Operation: op, Class: testcase.ClassFuzz, Depth: testcase.Standard,
		Title:    "No conforming server breaks on " + c.words + ".",
		Location: "suites/fuzz/" + c.family() + ".go:1",
		Clauses:  Clauses(op), Writes: !reads(op), UnknownIDs: true,
	}
}

// Clauses are those that inputs can show broken.
func Clauses(op *spec.Operation) []string {
	all := []string{"HTTP-1", "HTTP-2", "JSON-1"}
	if op.Updates() {
		all = append(all, "EFFECT-1")
	}
	return all
}
