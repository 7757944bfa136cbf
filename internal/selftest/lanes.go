package selftest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// Difference is a fault or variant of which a run says one thing with few lanes
// and another with many.
type Difference struct {
	ID   string   `json:"id"`
	Few  []string `json:"few"` // lines that only the run with few lanes has
	Many []string `json:"many"`
	// Unsteady faults do not show the same in two runs with as many lanes either: they
	// count requests, change other objects than the one that is named, or hang on which
	// of two requests at the same instant comes first. Verdict and finding of the fault
	// have to be the same. A variant is never excused so.
	Unsteady bool `json:"unsteady"`
	// Moved says that the findings are the same and only the cases that have them
	// differ: the fault counts requests.
	Moved bool `json:"moved"`
}

// again is how often runs that differ are made again, to see whether the fault is
// steady.
const again = 4

// CompareLanes runs the suite to its end against each fault and variant, with few
// lanes and with many, and compares what the reports say: verdict, cases, clauses
// and findings, in their order.
func CompareLanes(ctx context.Context, o Options, few, many int, tell func(Difference)) (tried int, differ []Difference, err error) {
	contract, err := spec.Load()
	if err != nil {
		return 0, nil, err
	}
	trials := o.trials(contract)
	if len(trials) == 0 {
		return 0, nil, errNothing
	}
	var telling sync.Mutex
	err = o.each(ctx, trials, func(ctx context.Context, i int) error {
		d, err := o.compare(ctx, contract, trials[i], few, many)
		if err != nil || d == nil {
			return err
		}
		telling.Lock()
		defer telling.Unlock()
		differ = append(differ, *d)
		if tell != nil {
			tell(*d)
		}
		return nil
	})
	return len(trials), differ, err
}

// compare is the difference for one server, nil where there is none.
func (o Options) compare(ctx context.Context, contract *spec.Contract, t trial, few, many int) (*Difference, error) {
	a, err := o.says(ctx, contract, t, few)
	if err != nil {
		return nil, err
	}
	b, err := o.says(ctx, contract, t, many)
	if err != nil || slices.Equal(a.lines, b.lines) {
		return nil, err
	}
	d := &Difference{ID: t.id(), Few: without(a.lines, b.lines), Many: without(b.lines, a.lines)}
	if t.fault == nil {
		return d, nil
	}
	if d.Moved = a.verdict == b.verdict && a.proved && b.proved && slices.Equal(a.causes, b.causes); d.Moved {
		return d, nil
	}
	all := map[int][]said{few: {a}, many: {b}}
	for range again {
		for _, lanes := range []int{few, many} {
			c, err := o.says(ctx, contract, t, lanes)
			if err != nil {
				return nil, err
			}
			all[lanes] = append(all[lanes], c)
		}
	}
	d.Unsteady = unsteady(all[few], all[many])
	return d, nil
}

// unsteady says whether runs differ for another reason than the number of lanes:
// those with the same number differ, or one with few says what one with many does.
// Each has to come to the same verdict and to find the fault.
func unsteady(few, many []said) bool {
	shaky := false
	for _, a := range slices.Concat(few, many) {
		if a.verdict != few[0].verdict || !a.proved {
			return false
		}
	}
	for _, a := range few {
		for _, b := range many {
			shaky = shaky || slices.Equal(a.lines, b.lines) || !slices.Equal(a.lines, few[0].lines) || !slices.Equal(b.lines, many[0].lines)
		}
	}
	return shaky
}

// said is what a report says.
type said struct {
	verdict report.Verdict
	proved  bool // of a fault: some finding proves it
	lines   []string
	causes  []string // of the findings, sorted
}

// says is what the report of a run with so many lanes says.
func (o Options) says(ctx context.Context, contract *spec.Contract, t trial, lanes int) (said, error) {
	o.Lanes = lanes
	s, err := o.serve(ctx, contract, t)
	if err != nil {
		return said{}, err
	}
	r, err := suites.Execute(ctx, s.config)
	if err = errors.Join(err, s.stop(), ctx.Err()); err != nil {
		return said{}, err
	}
	proved := t.fault == nil || cites(t.fault, r, contract.Clause(t.fault.Clause).Basis)
	return said{r.Verdict, proved, lines(r), causes(r)}, nil
}

// lines are what has to be the same in two reports. How often something was seen,
// and the values that a finding quotes, may hang on when a request came.
func lines(r *report.Report) []string {
	all := []string{"verdict " + string(r.Verdict)}
	for _, f := range r.Findings {
		all = append(all, fmt.Sprintf("finding %s %v in %s", f.Severity, f.Cause(), f.Case))
	}
	for _, c := range r.Clauses {
		all = append(all, fmt.Sprintf("clause %s %s", c.ID, c.Status))
	}
	for _, c := range r.Results {
		all = append(all, fmt.Sprintf("case %s %s", c.ID, c.Status))
	}
	return all
}

// causes are what is found, whichever case found it.
func causes(r *report.Report) []string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, fmt.Sprint(f.Severity, f.Cause()))
	}
	slices.Sort(all)
	return all
}

func without(a, b []string) []string {
	left := slices.DeleteFunc(slices.Clone(a), func(line string) bool { return slices.Contains(b, line) })
	if len(left) == 0 && !slices.Equal(a, b) {
		return []string{"the same, in another order"}
	}
	return left
}

func writeDifference(w io.Writer, d Difference) {
	why := ""
	switch {
	case d.Moved:
		why = " (the same findings, in other cases)"
	case d.Unsteady:
		why = " (runs with as many lanes differ, too)"
	}
	fmt.Fprintf(w, "%s%s\n  few:  %s\n  many: %s\n", d.ID, why, strings.Join(d.Few, "\n        "), strings.Join(d.Many, "\n        "))
}
