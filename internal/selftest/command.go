package selftest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/suites/report"
)

// flags are the flags of the command line. In the options, Faults and Variants mean only these.
type flags struct {
	Options
	json, list          bool
	figure, only, depth string
}

// Command returns `adconform selftest`. Its exit codes are 0 if every fault is caught and no variant flagged, 1 if
// not, and 2 for wrong usage. exit returns the error that ends the program with a code; interruptible returns a
// context that the first interrupt cancels.
func Command(exit func(code int) error, interruptible func(context.Context) (context.Context, func())) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "selftest",
		Short: "Show what the suite catches, on servers that are broken on purpose",
		Long: `Runs the suite against the bundled reference with every seeded fault, which it
has to find for the right reason, and with every variant, which conforms and
must not be flagged.

Exit codes: 0 all faults caught and no variant flagged, 1 otherwise. At depth
quick, 0 means that at least 55 % of the critical faults are caught.`,
		Example: `  adconform selftest
  adconform selftest --depth quick --faults  # what 120 requests find
  adconform selftest --only '^page/'
  adconform selftest --list`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, done := interruptible(cmd.Context())
			defer done()
			switch good, err := f.run(ctx, cmd); {
			case ctx.Err() != nil:
				return exit(report.ExitInterrupted)
			case err != nil:
				return err
			case !good:
				return exit(1)
			}
			return nil
		},
	}
	add := cmd.Flags()
	add.BoolVar(&f.Faults, "faults", false, "run only the faults")
	add.BoolVar(&f.Variants, "variants", false, "run only the variants")
	add.BoolVar(&f.Sample, "sample", false, "run every critical and major fault, about every fourth minor one, "+
		"each on the cases of its operation where these find it, and every variant")
	add.StringVar(&f.only, "only", "", "run only the faults and variants whose id matches this `regexp`")
	add.StringVar(&f.depth, "depth", "", "`depth` of each run: quick, which must find 55 % of the critical faults, "+
		"standard (the default, except for faults that need deep) or deep")
	add.BoolVar(&f.json, "json", false, "print the result or the list as JSON")
	add.BoolVar(&f.list, "list", false, "only list the faults and variants")
	add.StringVar(&f.figure, "figure", "", "write the figures to this `file` (suites/report/figure.json)")
	return cmd
}

// run does what the flags say, and reports whether all faults were caught and no variant was flagged.
func (f *flags) run(ctx context.Context, cmd *cobra.Command) (isGood bool, err error) {
	o, err := f.options()
	if err != nil {
		return false, fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	}
	w := cmd.OutOrStdout()
	if f.list {
		return true, list(w, o, f.json)
	}
	bad := 0
	o.Progress = func(done, of int, o Outcome) {
		if !o.Good() {
			bad++
			fmt.Fprintf(cmd.ErrOrStderr(), "selftest: %s: %s\n", o.ID, o.Verdict) // a run may be stopped before its end
		}
		if done*10/of != (done-1)*10/of { // every tenth part
			fmt.Fprintf(cmd.ErrOrStderr(), "selftest: %d of %d, %d wrong\n", done, of, bad)
		}
	}
	r, err := Run(ctx, o)
	if err != nil {
		return false, err
	}
	if f.figure != "" {
		write := func(w io.Writer) error { return render.WriteJSON(w, r.Figure, "  ") }
		if err := render.WriteFile(f.figure, 0o644, write); err != nil {
			return false, err
		}
	}
	if f.json {
		return r.Good(), render.WriteJSON(w, r, "  ")
	}
	return r.Good(), r.WriteText(w)
}

func (f *flags) options() (Options, error) {
	o := f.Options
	if f.Faults == f.Variants { // neither flag, or both
		o.Faults = true
		o.Variants = true
	}
	if f.depth != "" {
		depths := []judge.Depth{judge.Quick, judge.Standard, judge.Deep}
		isNamed := func(d judge.Depth) bool { return d.String() == f.depth }
		i := slices.IndexFunc(depths, isNamed)
		if i < 0 {
			return o, fmt.Errorf("--depth %s: want quick, standard or deep", f.depth)
		}
		o.Depth = &depths[i]
	}
	if f.figure != "" && f.isPartial() {
		return o, errors.New("--figure needs a whole self-test, without --only, --faults and --variants")
	}
	if f.only != "" {
		var err error
		if o.Only, err = regexp.Compile(f.only); err != nil {
			return o, fmt.Errorf("--only %q: %w", f.only, err)
		}
	}
	return o, nil
}

// isPartial reports whether the flags select some faults or variants. The figure at depth quick may have only faults.
func (f *flags) isPartial() bool {
	if f.only != "" || f.Sample {
		return true
	}
	hasKind := f.Faults || f.Variants
	return hasKind && f.depth != "quick"
}

// list writes the selected faults and variants, one per line.
func list(w io.Writer, o Options, asJSON bool) error {
	trials, err := o.trials()
	if err != nil {
		return err
	}
	var listed []Outcome
	for _, t := range trials {
		listed = append(listed, outcome(&t))
	}
	if asJSON {
		return render.WriteJSON(w, listed, "  ")
	}
	for _, l := range listed {
		kind := cmp.Or(l.Clause, l.Kind) + " " + string(l.Severity)
		fmt.Fprintf(w, "%s  %s  %s\n", l.ID, strings.TrimSpace(kind), l.Sentence)
	}
	return nil
}
