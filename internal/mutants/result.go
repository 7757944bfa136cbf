package mutants

import (
	"context"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/adconform/adconform/suites/report"
)

// Result is what the suite makes of the mutants.
type Result struct {
	Schema   string    `json:"schema"`
	Seconds  float64   `json:"seconds"`
	All      Count     `json:"all"`
	Kinds    []Group   `json:"kinds"`
	Files    []Group   `json:"files"`
	Problems []string  `json:"problems"` // of the table
	Outcomes []Outcome `json:"outcomes"`
}

// Schema names the form of a result as JSON.
const Schema = "adconform/mutants/v1"

// Count counts mutants by what became of them.
type Count struct {
	Mutants   int `json:"mutants"`
	Killed    int `json:"killed"`
	Missed    int `json:"missed"`    // not killed, and the table says that they break the contract
	Unlisted  int `json:"unlisted"`  // not killed, and not in the table
	Listed    int `json:"listed"`    // not killed, and the table says why they break nothing
	Stillborn int `json:"stillborn"` // the server does not start
}

// Breaking are the mutants that break the contract, as far as is known.
func (c Count) Breaking() int { return c.Killed + c.Missed + c.Unlisted }

// Share is how many of those are killed, between 0 and 1.
func (c Count) Share() float64 { return float64(c.Killed) / float64(max(1, c.Breaking())) }

// Bar is the share that has to be killed.
const Bar = 0.98

// Group counts the mutants of a kind or of a file.
type Group struct {
	ID string `json:"id"`
	Count
}

// Run tries the mutants of the source below root.
func Run(ctx context.Context, root string, o Options) (*Result, error) {
	table, err := Table()
	if err != nil {
		return nil, err
	}
	started := time.Now()
	p, err := Build(ctx, root, func(all []*Mutant) []*Mutant { return Selected(all, o.Only) })
	if err != nil {
		return nil, err
	}
	defer p.Close()
	entries, problems := listed(table, p.Mutants)
	outcomes, err := p.tryAll(ctx, o, entries)
	if err != nil {
		return nil, err
	}
	r := newResult(outcomes, problems)
	r.Seconds = time.Since(started).Seconds()
	return r, nil
}

func newResult(outcomes []Outcome, problems []string) *Result {
	r := &Result{Schema: Schema, Problems: append([]string{}, problems...), Outcomes: outcomes}
	for _, o := range outcomes {
		if o.Verdict == Killed && o.Reason != "" {
			r.Problems = append(r.Problems, fmt.Sprintf("%s is killed after all (%s): take it out", o.ID, o.Finding))
		}
	}
	r.All = count(outcomes)
	group := func(groups *[]Group, id string, of func(Outcome) string) {
		in := slices.DeleteFunc(slices.Clone(outcomes), func(o Outcome) bool { return of(o) != id })
		if len(in) > 0 {
			*groups = append(*groups, Group{id, count(in)})
		}
	}
	for _, k := range Kinds() {
		group(&r.Kinds, string(k), func(o Outcome) string { return string(o.Kind) })
	}
	var files []string
	for _, o := range outcomes {
		files = append(files, o.File)
	}
	for _, name := range slices.Compact(files) {
		group(&r.Files, name, func(o Outcome) string { return o.File })
	}
	return r
}

func count(outcomes []Outcome) Count {
	c := Count{Mutants: len(outcomes)}
	for _, o := range outcomes {
		switch {
		case o.Verdict == Killed:
			c.Killed++
		case o.Verdict == Stillborn:
			c.Stillborn++
		case o.Reason == "":
			c.Unlisted++
		case o.Missed:
			c.Missed++
		default:
			c.Listed++
		}
	}
	return c
}

// Good says whether enough is killed, every other mutant is in the table, and the table
// is right.
func (r *Result) Good() bool {
	return len(r.Problems) == 0 && r.All.Unlisted == 0 && (r.All.Breaking() == 0 || r.All.Share() >= Bar)
}

// Figure is the result in one line.
func (r *Result) Figure() string {
	return fmt.Sprintf("%d of %d mutants that break the contract killed (%.1f %%); %d others are listed with the reason, "+
		"%d do not start, in %.0f s",
		r.All.Killed, r.All.Breaking(), 100*r.All.Share(), r.All.Listed, r.All.Stillborn, r.Seconds)
}

// Published is the result as the figure has it.
func (r *Result) Published() *report.Mutants {
	share := report.Share{Of: r.All.Breaking(), Good: r.All.Killed, By: map[string][]report.Group{}}
	p := &report.Mutants{Share: share, Listed: r.All.Listed}
	for by, groups := range map[string][]Group{"kind": r.Kinds, "file": r.Files} {
		for _, g := range groups {
			if g.Breaking() > 0 {
				p.By[by] = append(p.By[by], report.Group{ID: g.ID, Of: g.Breaking(), Good: g.Killed})
			}
		}
	}
	return p
}

// fewMutants are shown one by one, with their changes.
const fewMutants = 20

// WriteText writes the result for people: what nobody expects first, then the counts.
func (r *Result) WriteText(w io.Writer) error {
	for _, o := range r.Outcomes {
		if len(r.Outcomes) <= fewMutants || !o.Good() {
			o.write(w)
		}
	}
	for _, p := range r.Problems {
		fmt.Fprintf(w, "table.yaml: %s\n", p)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tmutants\tkilled\tmissed\tunlisted\tlisted\tnot started\t")
	for _, groups := range [][]Group{r.Kinds, r.Files, {{ID: "all", Count: r.All}}} {
		for _, g := range groups {
			fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%s\t%s\t%s\t\n", g.ID, g.Mutants, g.Killed,
				orDot(g.Missed), orDot(g.Unlisted), orDot(g.Listed), orDot(g.Stillborn))
		}
		fmt.Fprintln(t, "\t\t\t\t\t\t\t")
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, r.Figure())
	return err
}

// orDot leaves out what does not happen, so that what does shows.
func orDot(n int) string {
	if n == 0 {
		return "."
	}
	return fmt.Sprint(n)
}

func (o Outcome) write(w io.Writer) {
	fmt.Fprintf(w, "%s: %s", o.ID, o.Verdict)
	if o.Setting != "" {
		fmt.Fprintf(w, " (served as %s)", o.Setting)
	}
	fmt.Fprintf(w, "\n  reference/%s:%d, %s\n  - %s\n  + %s\n", o.File, o.Line, o.Function, o.Before, o.After)
	switch {
	case o.Finding != "":
		fmt.Fprintf(w, "  %s\n", o.Finding)
	case o.Reason != "":
		fmt.Fprintf(w, "  listed: %s\n", o.Reason)
	case o.Verdict != Stillborn:
		fmt.Fprintln(w, "  not in internal/mutants/table.yaml")
	}
}
