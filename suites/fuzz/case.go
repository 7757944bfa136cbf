package fuzz

import (
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/session"
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

// Cases send these inputs again, each in a case of its class.
func Cases(contract *spec.Contract, inputs []Input) []*testcase.Case {
	var all []*testcase.Case
	of := map[string][]Input{}
	for _, in := range inputs {
		c := NewCase(contract.Operation(in.Operation), in)
		if of[c.ID] == nil {
			c.Steps = session.Steps(func(t *session.T) { Play(t, of[c.ID]) })
			all = append(all, c)
		}
		of[c.ID] = append(of[c.ID], in)
	}
	return all
}

// Play sends inputs in the name of a running case.
func Play(t *session.T, inputs []Input) {
	p := &Player{
		Hand: t, ReadOnly: t.Session.Shared.ReadOnly,
		Case: func(Input) *testcase.Case { return t.Case() },
		Found: func(_ Input, found []*judge.Finding) {
			for _, f := range found {
				t.Test.Take(f)
			}
		},
	}
	for _, in := range inputs {
		if p.Over() == "" {
			p.Play(in)
		}
	}
	p.Look()
	if why := p.Over(); why != "" {
		t.NotTested(testcase.ByTarget, why)
	}
}
