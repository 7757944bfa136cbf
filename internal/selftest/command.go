package selftest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
)

// Surroundings are what the command needs of the program around it.
type Surroundings struct {
	// Exit is the error that ends the program with a code when all is said.
	Exit func(code int) error
	// Interruptible is a context that the first interrupt ends.
	Interruptible func(context.Context) (context.Context, func())
}

// flags are what the command line says.
type flags struct {
	faults, variants, json, list, checks bool
	coverage, rank, oneSet               bool
	ablate                               bool
	figure                               string
	only                                 string
	without                              []string
	budget, parallel, lanes, compare     int
}

// Command is `adconform selftest`. Exit codes: 0 when every fault is caught and
// no variant flagged, 1 when not, 2 for wrong usage.
func Command(s Surroundings) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "selftest",
		Short: "Show what the suite catches, on servers that are broken on purpose",
		Long: `Runs the suite against the bundled reference with every seeded fault, which it
has to find for the right reason, and with every variant, which conforms and must
not be flagged.

Exit codes: 0 all faults caught and no variant flagged, 1 not so. With --budget,
0 means that at least 80 % of the faults are caught.`,
		Example: `  adconform selftest
  adconform selftest --budget 60         # what a minute at the published rate limit finds
  adconform selftest --only '^page/'
  adconform selftest --list-faults`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, s) },
	}
	add := cmd.Flags()
	add.BoolVar(&f.faults, "faults", false, "only the faults")
	add.BoolVar(&f.variants, "variants", false, "only the variants")
	add.StringVar(&f.only, "only", "", "only the faults and variants whose id matches this `regexp`; with --checks the checks")
	add.IntVar(&f.budget, "budget", 0, "at most so many `requests` for each fault and variant")
	add.IntVar(&f.parallel, "parallel", 0, "so many `runs` at a time (default: one for each processor)")
	add.IntVar(&f.lanes, "lanes", 0, "so many `lanes` in each run (default: the suite's own choice)")
	add.IntVar(&f.compare, "compare-lanes", 0, "run with --lanes (default 1) and with so many `lanes`: the reports have to say the same")
	add.BoolVar(&f.oneSet, "one-set", false, "the target file names one set of objects, and no lanes beside it")
	add.StringSliceVar(&f.without, "without", nil, "the target file lacks these `keys`, such as objects.campaign.type")
	add.BoolVar(&f.ablate, "ablate", false, "take each key of the target file out in turn: a run that is called complete has to find every fault without it")
	add.BoolVar(&f.json, "json", false, "write the result as JSON")
	add.BoolVar(&f.coverage, "coverage", false, "run to the end, so that --json names every case that finds a fault")
	add.BoolVar(&f.list, "list-faults", false, "list the faults and variants, and do nothing")
	add.BoolVar(&f.checks, "checks", false, "take out each check of the suite in turn: some fault has to slip through")
	add.StringVar(&f.figure, "figure", "", "write how many were caught and flagged to this `file` (suites/report/figure.json)")
	add.BoolVar(&f.rank, "rank", false, "write the order in which a budget is spent, from what each case finds (suites/specs/ranking.txt)")
	return cmd
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%q is too much: selftest takes no argument; see %s --help", args[0], cmd.CommandPath())
	}
	return nil
}

func (f *flags) run(cmd *cobra.Command, s Surroundings) error {
	o, err := f.options()
	if err != nil {
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	}
	ctx, done := s.Interruptible(cmd.Context())
	defer done()
	code := 0
	switch {
	case f.list:
		err = list(cmd.OutOrStdout(), o, f.json)
	case f.rank:
		o.Progress = progress(cmd.ErrOrStderr())
		err = Rank(ctx, o, cmd.OutOrStdout())
	case f.compare > 0:
		code, err = compareLanes(ctx, cmd.OutOrStdout(), o, max(1, f.lanes), f.compare, f.json)
	case f.ablate:
		code, err = ablate(ctx, cmd.OutOrStdout(), o, f.json)
	case f.checks:
		code, err = proveChecks(ctx, cmd.OutOrStdout(), o, f.json)
	default:
		o.Progress = progress(cmd.ErrOrStderr())
		code, err = selfTest(ctx, cmd.OutOrStdout(), o, f.json, f.figure)
	}
	switch {
	case ctx.Err() != nil:
		return s.Exit(interrupted)
	case err != nil:
		return err
	case code != 0:
		return s.Exit(code)
	}
	return nil
}

const interrupted = 130

func (f *flags) options() (Options, error) {
	o := Options{Faults: f.faults || !f.variants, Variants: f.variants || !f.faults, Budget: f.budget, Parallel: f.parallel, Lanes: f.lanes, OneSet: f.oneSet, Without: f.without, Coverage: f.coverage}
	if f.budget < 0 || f.parallel < 0 || f.lanes < 0 || f.compare < 0 {
		return o, fmt.Errorf("--budget, --parallel, --lanes and --compare-lanes want 0 or more")
	}
	if f.only != "" {
		var err error
		if o.Only, err = regexp.Compile(f.only); err != nil {
			return o, fmt.Errorf("--only %q: %w", f.only, err)
		}
	}
	return o, nil
}

func selfTest(ctx context.Context, w io.Writer, o Options, asJSON bool, figure string) (int, error) {
	r, err := Run(ctx, o)
	if err != nil {
		return 0, err
	}
	if figure != "" {
		if err := writeFigure(figure, r); err != nil {
			return 0, err
		}
	}
	if asJSON {
		return r.ExitCode(), writeJSON(w, r)
	}
	return r.ExitCode(), r.WriteText(w)
}

func compareLanes(ctx context.Context, w io.Writer, o Options, few, many int, asJSON bool) (int, error) {
	tell := func(d Difference) { writeDifference(w, d) }
	if asJSON {
		tell = nil
	}
	tried, differ, err := CompareLanes(ctx, o, few, many, tell)
	if err != nil {
		return 0, err
	}
	moved, unsteady, other := 0, 0, 0
	for _, d := range differ {
		switch {
		case d.Moved:
			moved++
		case d.Unsteady:
			unsteady++
		default:
			other++
		}
	}
	code := 0
	if other > 0 {
		code = 1
	}
	if asJSON {
		return code, writeJSON(w, map[string]any{"tried": tried, "few": few, "many": many, "differ": differ})
	}
	_, err = fmt.Fprintf(w, "%d of %d faults and variants get the same verdict, findings and order from %d and from %d lanes\n"+
		"%d faults count requests: the same is found, in other cases\n"+
		"%d faults are found by both and are unsteady themselves: runs with as many lanes differ, too\n%d differ\n",
		tried-len(differ), tried, few, many, moved, unsteady, other)
	return code, err
}

func ablate(ctx context.Context, w io.Writer, o Options, asJSON bool) (int, error) {
	a, err := Ablate(ctx, o)
	if err != nil {
		return 0, err
	}
	code := 0
	if len(a.Missed) > 0 {
		code = 1
	}
	if asJSON {
		return code, writeJSON(w, a)
	}
	return code, a.WriteText(w)
}

func proveChecks(ctx context.Context, w io.Writer, o Options, asJSON bool) (int, error) {
	tell := func(p CheckProof) { writeProof(w, p) }
	if asJSON {
		tell = nil
	}
	proofs, err := ProveChecks(ctx, o, tell)
	if err != nil {
		return 0, err
	}
	if len(proofs) == 0 {
		return 0, fmt.Errorf("--only matches no check")
	}
	if asJSON {
		err = writeJSON(w, proofs)
	}
	if unneeded(proofs) != "" {
		return 1, err
	}
	return 0, err
}

// list writes the faults and variants that are selected, one a line.
func list(w io.Writer, o Options, asJSON bool) error {
	contract, err := spec.Load()
	if err != nil {
		return err
	}
	type line struct {
		ID       string          `json:"id"`
		Kind     string          `json:"kind"`
		Clause   string          `json:"clause,omitempty"`
		Severity faults.Severity `json:"severity,omitempty"`
		Source   faults.Source   `json:"source,omitempty"`
		Open     []string        `json:"open,omitempty"`
		Sentence string          `json:"sentence"`
	}
	lines := []line{}
	for _, t := range o.trials(contract) {
		if f := t.fault; f != nil {
			lines = append(lines, line{ID: f.ID, Kind: "fault", Clause: f.Clause, Severity: f.Severity, Source: f.Source, Sentence: f.Sentence})
		} else {
			lines = append(lines, line{ID: t.variant.ID, Kind: "variant", Open: t.variant.Open, Sentence: t.variant.Sentence})
		}
	}
	switch {
	case asJSON:
		return writeJSON(w, lines)
	case len(lines) == 0:
		return errNothing
	}
	for _, l := range lines {
		what := l.Clause + " " + string(l.Severity)
		if l.Kind == "variant" {
			what = "variant"
		}
		fmt.Fprintf(w, "%s  %s  %s\n", l.ID, what, l.Sentence)
	}
	return nil
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// progress tells how far a self-test is: on a terminal in one line that is
// rewritten, elsewhere every tenth part.
func progress(w io.Writer) func(done, of int, o Outcome) {
	tell := progressOf(w)
	return func(done, of int, o Outcome) { tell(done, of, o.ID, o.Good()) }
}

func progressOf(w io.Writer) func(done, of int, id string, good bool) {
	file, isFile := w.(*os.File)
	terminal := isFile && term.IsTerminal(int(file.Fd()))
	bad := 0
	return func(done, of int, id string, good bool) {
		if !good {
			bad++
		}
		switch {
		case terminal && done == of:
			fmt.Fprint(w, "\r\x1b[K")
		case terminal:
			fmt.Fprintf(w, "\r\x1b[K%d of %d, %d not as they should be: %s", done, of, bad, id)
		case done*10/of != (done-1)*10/of:
			fmt.Fprintf(w, "selftest: %d of %d, %d not as they should be\n", done, of, bad)
		}
	}
}
