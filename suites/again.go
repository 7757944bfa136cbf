package suites

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/baseline"
	"github.com/adconform/adconform/suites/fuzz"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/specs"
	"github.com/adconform/adconform/suites/testcase"
)

// given is what a report says of the configuration, so that its run can be made again from
// the recorded answers.
func (c *Config) given(contract *spec.Contract) *report.Run {
	target := *c.Target
	target.Provision = nil // it may hold what is secret
	owner := target.Credentials.Owner
	r := &report.Run{
		Mark: c.Mark, Contract: contract.Sources, Target: &target, File: target.File != "",
		Keys: report.Keys{
			Header: target.Credentials.Header, Stranger: target.Credentials.Stranger != "",
			Length: max(leastUnknownKey, len(owner)), Forms: specs.KeyForms(owner),
		},
		Bases: c.Bases, Require: c.Require, AllowInconclusive: c.AllowInconclusive,
		ReadOnly: c.ReadOnly, Combined: c.Combined, StopEarly: c.StopEarly, Disabled: c.Disabled, Provision: c.provisions(),
	}
	for _, in := range c.Inputs {
		r.Inputs = append(r.Inputs, in.String())
	}
	if b := c.Budget; b != (Budget{}) {
		r.Budget = &report.Bound{Requests: b.Requests, Seconds: b.Time.Seconds(), InOrder: b.InOrder}
	}
	if c.Baseline != nil {
		r.Baseline = c.Baseline.Text()
	}
	return r
}

// leastUnknownKey is the least length of a key that nobody has.
const leastUnknownKey = 16

// maxKey is the longest key of which a report is believed that it was sent.
const maxKey = 64 << 10

// Again is the configuration of the run that made a report, as far as the report says it.
// Its keys are others than those of the run.
func Again(r *report.Report) (*Config, error) {
	run := r.Run
	contract, err := ContractOf(r)
	if err != nil {
		return nil, err
	}
	target, err := targetOf(r, contract)
	if err != nil {
		return nil, err
	}
	c := NewConfig(target)
	if c.Depth, err = depthNamed(r.Depth); err != nil {
		return nil, err
	}
	if c.Edition = spec.LoadEditions().Find(r.Edition); c.Edition == nil && r.Edition != "" {
		return nil, fmt.Errorf("it is by edition %s, which this version does not have", r.Edition)
	}
	c.Contract, c.Seed, c.Mark, c.Exchanges, c.Now = contract, r.Seed, run.Mark, true, r.Started
	c.Bases, c.Require, c.AllowInconclusive = run.Bases, run.Require, run.AllowInconclusive
	c.ReadOnly, c.Combined, c.StopEarly, c.Disabled = run.ReadOnly, run.Combined, run.StopEarly, run.Disabled
	if b := run.Budget; b != nil {
		c.Budget = Budget{Requests: b.Requests, Time: time.Duration(b.Seconds * float64(time.Second)), InOrder: b.InOrder}
	}
	for _, text := range run.Inputs {
		in, err := fuzz.Read(contract, text)
		if err != nil {
			return nil, fmt.Errorf("run.inputs: %w", err)
		}
		c.Inputs = append(c.Inputs, in)
	}
	if run.Baseline != "" {
		if c.Baseline, err = baseline.Parse("run.baseline", []byte(run.Baseline), contract); err != nil {
			return nil, err
		}
	}
	if r.Selection != nil {
		chosen := map[string]bool{}
		for i := range r.Results {
			chosen[r.Results[i].ID] = true
		}
		c.Select, c.Filters = func(cs *testcase.Case) bool { return chosen[cs.ID] }, r.Selection.Filters
	}
	return c, nil
}

// ContractOf is the contract that a report was judged by: the embedded one, or that with an
// overlay. It is an error where that was another.
func ContractOf(r *report.Report) (*spec.Contract, error) {
	contract, err := spec.Load()
	if r.Run == nil {
		return contract, err
	}
	sources := r.Run.Contract
	if n := len(sources) - 1; err == nil && n >= 0 && sources[n].Text != "" {
		contract, err = spec.LoadOverlaid([]byte(sources[n].Text), sources[n].Name)
	}
	if err != nil {
		return nil, err
	}
	if !slices.Equal(sources, contract.Sources) {
		return nil, errors.New("it was judged by other documents of the contract than this version has")
	}
	return contract, nil
}

// targetOf is the target of a report, with keys that have the forms of those of the run.
func targetOf(r *report.Report, contract *spec.Contract) (*fixtures.Target, error) {
	keys := r.Run.Keys
	if keys.Length < leastUnknownKey || keys.Length > maxKey {
		return nil, fmt.Errorf("run.keys.length is %d", keys.Length)
	}
	length := keys.Length
	if !slices.Contains(keys.Forms, "shorter") {
		length = 1
	}
	text, err := json.Marshal(r.Run.Target)
	if err != nil {
		return nil, err
	}
	file := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	credentials := map[string]any{
		"owner":  map[string]string{"value": specs.KeyWith("OwnersKey", length, keys.Forms)},
		"header": keys.Header,
	}
	if keys.Stranger {
		credentials["stranger"] = map[string]string{"value": "StrangersKey"}
	}
	if r.Run.Target.Name == "" {
		delete(file, "name") // a target file has one or says nothing
	}
	if file["credentials"], err = json.Marshal(credentials); err != nil {
		return nil, err
	}
	if text, err = json.Marshal(file); err != nil {
		return nil, err
	}
	target, err := fixtures.Parse(text, "run.target", nil, contract.Keys()...)
	if err == nil && !r.Run.File {
		target.File = ""
	}
	return target, err
}

func depthNamed(name string) (testcase.Depth, error) {
	for _, d := range []testcase.Depth{testcase.Quick, testcase.Standard, testcase.Deep} {
		if d.String() == name {
			return d, nil
		}
	}
	return 0, fmt.Errorf("depth %q is not that of a run", name)
}
