package selftest

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/parallel"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// Difference is a fault or variant of which a run says one thing with few workers
// and another with many.
type Difference struct {
	ID   string   `json:"id"`
	Few  []string `json:"few"` // lines that only the run with few workers has
	Many []string `json:"many"`
	// Unsteady faults do not show the same in two runs with as many workers either: they
	// count requests, change other objects than the one that is named, or depend on which
	// of two requests at the same instant comes first. Verdict and finding of the fault
	// have to be the same. That is no accept for a variant.
	Unsteady bool `json:"unsteady"`
	// Moved says that the findings are the same and only the cases that have them
	// differ: the fault counts requests.
	Moved bool `json:"moved"`
}

// again is how often runs that differ are made again, to see whether the fault is
// steady.
const again = 4

// Comparison is what two numbers of workers make of faults and variants.
type Comparison struct {
	Tried  int          `json:"tried"`
	Few    int          `json:"few"`
	Many   int          `json:"many"`
	Differ []Difference `json:"differ"`
}

// CompareWorkers runs the suite to its end against each fault and variant, with few
// workers and with many, and compares what the reports say: verdict, cases, clauses
// and findings, in their order.
func CompareWorkers(ctx context.Context, o Options, few, many int) (*Comparison, error) {
	contract, trials, err := o.selected()
	if err != nil {
		return nil, err
	}
	differ, err := parallel.Map(ctx, o.Parallel, trials, func(ctx context.Context, t trial) (*Difference, error) {
		d, err := o.compare(ctx, contract, t, few, many)
		return d, t.named(err)
	}, nil)
	c := &Comparison{Tried: len(trials), Few: few, Many: many, Differ: []Difference{}}
	for _, d := range differ {
		if d != nil {
			c.Differ = append(c.Differ, *d)
		}
	}
	return c, err
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
		for _, workers := range []int{few, many} {
			c, err := o.says(ctx, contract, t, workers)
			if err != nil {
				return nil, err
			}
			all[workers] = append(all[workers], c)
		}
	}
	d.Unsteady = unsteady(all[few], all[many])
	return d, nil
}

// unsteady says whether runs differ for another reason than the number of workers:
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

// says is what the report of a run with so many workers says.
func (o Options) says(ctx context.Context, contract *spec.Contract, t trial, workers int) (said, error) {
	o.Workers = workers
	r, err := o.execute(ctx, contract, t)
	if err != nil {
		return said{}, err
	}
	proved := t.fault == nil || cites(t.fault, r, contract.Clause(t.fault.Clause).Basis)
	return said{r.Verdict, proved, lines(r), causes(r)}, nil
}

// lines are what has to be the same in two reports. How often something was seen,
// and the values that a finding quotes, may depend on when a request came.
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

// Count counts the differences by their kind; those of the last are defects.
func (c *Comparison) Count() (moved, unsteady, other int) {
	for _, d := range c.Differ {
		switch {
		case d.Moved:
			moved++
		case d.Unsteady:
			unsteady++
		default:
			other++
		}
	}
	return moved, unsteady, other
}

// Good says whether nothing differs but what is unsteady itself.
func (c *Comparison) Good() bool {
	_, _, other := c.Count()
	return other == 0
}

// WriteText writes the differences and what they come to.
func (c *Comparison) WriteText(w io.Writer) error {
	for _, d := range c.Differ {
		why := ""
		switch {
		case d.Moved:
			why = " (the same findings, in other cases)"
		case d.Unsteady:
			why = " (runs with as many workers differ, too)"
		}
		fmt.Fprintf(w, "%s%s\n  few:  %s\n  many: %s\n", d.ID, why, strings.Join(d.Few, "\n        "), strings.Join(d.Many, "\n        "))
	}
	moved, unsteady, other := c.Count()
	_, err := fmt.Fprintf(w, "%d of %d faults and variants get the same verdict, findings and order from %d and from %d workers\n"+
		"%d faults count requests: the same is found, in other cases\n"+
		"%d faults are found by both and are unsteady themselves: runs with as many workers differ, too\n%d differ\n",
		c.Tried-len(c.Differ), c.Tried, c.Few, c.Many, moved, unsteady, other)
	return err
}
