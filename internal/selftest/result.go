package selftest

import (
	"cmp"
	"slices"

	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
)

// Result is the outcome of a self-test.
type Result struct {
	Schema     string    `json:"schema"`
	Budget     int       `json:"budget,omitempty"` // requests a run
	Seconds    float64   `json:"seconds"`
	Faults     Count     `json:"faults"`
	Variants   Count     `json:"variants"`
	Clauses    []Tally   `json:"clauses"`
	Bases      []Tally   `json:"bases"`
	Sources    []Tally   `json:"sources"`
	Severities []Tally   `json:"severities"`
	Outcomes   []Outcome `json:"outcomes"`
}

// Schema names the form of a result as JSON.
const Schema = "adconform/selftest/v1"

// Count is how many faults were caught, or how many variants passed, of how
// many; Inert faults changed nothing at the wire and prove nothing.
type Count struct {
	Of          int `json:"of"`
	Good        int `json:"good"`
	Missed      int `json:"missed,omitempty"`
	WrongReason int `json:"wrongReason,omitempty"`
	Inert       int `json:"inert,omitempty"`
	Requests    int `json:"requests"` // median of a run, or until a fault was found
}

// Tally counts the faults of one clause, basis or source.
type Tally struct {
	ID string `json:"id"`
	Count
}

func newResult(contract *spec.Contract, outcomes []Outcome) *Result {
	r := &Result{Schema: Schema, Outcomes: outcomes}
	var found, whole []int
	clauses, bases, sources, severities := tallies{}, tallies{}, tallies{}, tallies{}
	for _, o := range outcomes {
		if o.Kind == "variant" {
			r.Variants.add(o)
			whole = append(whole, o.Requests)
			continue
		}
		r.Faults.add(o)
		clauses.add(o.Clause, o)
		bases.add(string(o.Basis), o)
		sources.add(string(o.Source), o)
		severities.add(string(o.Severity), o)
		if o.Verdict == Caught {
			found = append(found, o.Requests)
		}
	}
	r.Faults.Requests, r.Variants.Requests = median(found), median(whole)
	for _, c := range contract.Clauses {
		r.Clauses = clauses.list(r.Clauses, c.ID)
	}
	for _, b := range spec.Bases() {
		r.Bases = bases.list(r.Bases, string(b))
	}
	for _, s := range []string{"document", "hand"} {
		r.Sources = sources.list(r.Sources, s)
	}
	for _, s := range faults.Severities() {
		r.Severities = severities.list(r.Severities, string(s))
	}
	return r
}

// Perfect says whether every fault was caught and no variant flagged.
func (r *Result) Perfect() bool {
	return r.Faults.Good == r.Faults.Of && r.Variants.Good == r.Variants.Of
}

// ExitCode is 0 for a perfect result and 1 for any other. With a budget it is
// the share of faults that counts: see BudgetShare.
func (r *Result) ExitCode() int {
	if r.Perfect() || r.Budget > 0 && r.Variants.Good == r.Variants.Of && r.share() >= BudgetShare {
		return 0
	}
	return 1
}

// BudgetShare is the part of the faults that a run with a budget has to find:
// what a minute at the published rate limit is worth.
const BudgetShare = 0.8

func (r *Result) share() float64 {
	return float64(r.Faults.Good) / float64(max(1, r.Faults.Of))
}

func (c *Count) add(o Outcome) {
	c.Of++
	switch {
	case o.Good():
		c.Good++
	case o.Verdict == Missed:
		c.Missed++
	case o.Verdict == WrongReason:
		c.WrongReason++
	case o.Verdict == Inert:
		c.Inert++
	}
}

type tallies map[string]*tally

type tally struct {
	Tally
	requests []int
}

func (t tallies) add(id string, o Outcome) {
	one := t[id]
	if one == nil {
		one = &tally{Tally: Tally{ID: id}}
		t[id] = one
	}
	one.Count.add(o)
	if o.Verdict == Caught {
		one.requests = append(one.requests, o.Requests)
	}
}

func (t tallies) list(all []Tally, id string) []Tally {
	one := t[id]
	if one == nil {
		return all
	}
	one.Requests = median(one.requests)
	return append(all, one.Tally)
}

func median(n []int) int {
	if len(n) == 0 {
		return 0
	}
	slices.SortFunc(n, cmp.Compare[int])
	return n[len(n)/2]
}
