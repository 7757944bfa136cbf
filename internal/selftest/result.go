package selftest

import (
	"slices"
	"strings"

	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/testcase"
)

// Result is the outcome of a self-test.
type Result struct {
	Schema     string    `json:"schema"`
	Depth      string    `json:"depth,omitempty"` // of each run; empty: standard
	Seconds    float64   `json:"seconds"`
	Faults     Count     `json:"faults"`
	Variants   Count     `json:"variants"`
	Clauses    []Group   `json:"clauses"`
	Bases      []Group   `json:"bases"`
	Sources    []Group   `json:"sources"`
	Severities []Group   `json:"severities"`
	Kinds      []Group   `json:"kinds"`
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

// Group counts the faults of one clause, basis, source, severity or kind.
type Group struct {
	ID string `json:"id"`
	Count
}

func newResult(contract *spec.Contract, outcomes []Outcome) *Result {
	r := &Result{Schema: Schema, Outcomes: outcomes}
	isVariant := func(o Outcome) bool { return o.Kind == "variant" }
	seeded := slices.DeleteFunc(slices.Clone(outcomes), isVariant)
	r.Faults = count(seeded)
	r.Variants = count(slices.DeleteFunc(slices.Clone(outcomes), func(o Outcome) bool { return !isVariant(o) }))
	group := func(groups *[]Group, id string, of func(Outcome) string) {
		all := slices.DeleteFunc(slices.Clone(seeded), func(o Outcome) bool { return of(o) != id })
		if len(all) > 0 {
			*groups = append(*groups, Group{id, count(all)})
		}
	}
	for _, c := range contract.Clauses {
		group(&r.Clauses, c.ID, func(o Outcome) string { return o.Clause })
	}
	for _, b := range spec.Bases() {
		group(&r.Bases, string(b), func(o Outcome) string { return string(o.Basis) })
	}
	for _, s := range []string{"document", "hand"} {
		group(&r.Sources, s, func(o Outcome) string { return string(o.Source) })
	}
	for _, s := range faults.Severities() {
		group(&r.Severities, string(s), func(o Outcome) string { return string(o.Severity) })
	}
	for _, k := range kinds(seeded) {
		group(&r.Kinds, k, kind)
	}
	return r
}

// kind is what a fault is about: the topic of those by hand, which their ids begin with.
func kind(o Outcome) string {
	if o.Source == faults.Document {
		return string(faults.Document)
	}
	topic, _, _ := strings.Cut(o.ID, "/")
	return topic
}

// kinds are those of outcomes, sorted.
func kinds(outcomes []Outcome) (all []string) {
	for _, o := range outcomes {
		all = append(all, kind(o))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// count counts faults, or variants; the median is that of what is as it has to be, and
// of variants that were flagged, too.
func count(outcomes []Outcome) Count {
	c := Count{Of: len(outcomes)}
	var requests []int
	for _, o := range outcomes {
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
		if o.Verdict == Caught || o.Kind == "variant" {
			requests = append(requests, o.Requests)
		}
	}
	if len(requests) > 0 {
		slices.Sort(requests)
		c.Requests = requests[len(requests)/2]
	}
	return c
}

// Perfect says whether every fault was caught and no variant flagged.
func (r *Result) Perfect() bool {
	return r.Faults.Good == r.Faults.Of && r.Variants.Good == r.Variants.Of
}

// Good says whether a result is perfect. At depth quick it is the share of critical faults
// that counts, see QuickShare.
func (r *Result) Good() bool {
	if r.Depth == testcase.Quick.String() {
		return r.critical() >= QuickShare && r.Variants.Good == r.Variants.Of
	}
	return r.Perfect()
}

// QuickShare is the part of the critical faults that depth quick has to find in its 120
// requests. They are seeded in each operation, key form, field and place of a path, and most
// take a request of their own.
const QuickShare = 0.55

func share(c Count) float64 { return float64(c.Good) / float64(max(1, c.Of)) }

// critical is the share of the critical faults that were caught, 1 where there are none.
func (r *Result) critical() float64 {
	for _, g := range r.Severities {
		if g.ID == string(faults.Critical) {
			return share(g.Count)
		}
	}
	return 1
}
