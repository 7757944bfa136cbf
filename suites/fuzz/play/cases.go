package play

import (
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/fuzz"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/testcase"
)

// Cases send these inputs again, each in a case of its class.
func Cases(contract *spec.Contract, inputs []fuzz.Input) []*testcase.Case {
	var all []*testcase.Case
	of := map[string][]fuzz.Input{}
	for _, in := range inputs {
		c := fuzz.NewCase(contract.Operation(in.Operation), in)
		if of[c.ID] == nil {
			c.Steps = session.Steps(func(t *session.T) { Inputs(t, of[c.ID]) })
			all = append(all, c)
		}
		of[c.ID] = append(of[c.ID], in)
	}
	return all
}

// Inputs sends inputs in the name of a running case.
func Inputs(t *session.T, inputs []fuzz.Input) {
	p := &Player{
		Hand: t, ReadOnly: t.Session.Shared.ReadOnly,
		Case: func(fuzz.Input) *testcase.Case { return t.Case() },
		Found: func(_ fuzz.Input, found []*judge.Finding) {
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
