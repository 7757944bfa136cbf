package reports

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/cmd/adconform/internal/flags"
	"github.com/adconform/adconform/cmd/adconform/internal/terminal"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/compare"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/verify"
)

type compareOptions struct {
	output             string
	noVerify, registry bool
}

// Compare is the command compare.
func Compare(t *terminal.Terminal) *cobra.Command {
	o := compareOptions{output: "comparison"}
	cmd := &cobra.Command{
		Use:   "compare REPORT...",
		Short: "Put the reports of several servers side by side",
		Long: `Writes a page (index.html), compare.md and compare.json that show targets beside
one another: what holds on which operation, what each chose at open points, and how
it changed from report to report. A REPORT is a report folder, a report.json, or a
folder that holds many. Reports of the same organisation and product (implementation
in the target file), else of the same name and base URL, are those of one target; the
newest stands for it.

Each report is verified by the traffic.har beside it, as adconform verify does it, and
those that are not are marked. Nothing that a report says is read as markup.

Exit codes: 0 compared, 2 wrong usage, or there is no report that can be read; 3
compared, but a report was left out, which the page lists with the reason.`,
		Example: `  adconform compare acme/report beta/report
  adconform compare reports --output public
  adconform compare reports --registry   # ORGANISATION/PRODUCT/DATE, see docs/registry`,
		Args: flags.Arguments(1, math.MaxInt, "a report is missing: name a report folder, or one that holds many"),
		RunE: func(cmd *cobra.Command, args []string) error { return compareReports(cmd.Context(), t, &o, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.output, "output", o.output, "`folder` for index.html, compare.md and compare.json")
	f.BoolVar(&o.noVerify, "no-verify", false, "verify no report: all are marked as not verified")
	f.BoolVar(&o.registry, "registry", false, "leave out a report that is not in the folder ORGANISATION/PRODUCT/DATE of what it is about")
	return cmd
}

func compareReports(ctx context.Context, t *terminal.Terminal, o *compareOptions, paths []string) error {
	ctx, cancel := t.Interruptible(ctx, "")
	defer cancel()
	options := compare.Options{Registry: o.registry, Suite: suites.Version(), Verify: byEvidence}
	if o.noVerify {
		options.Verify = nil
	}
	if err := compare.CheckDir(o.output); err != nil {
		return err
	}
	c, err := compare.Reports(ctx, paths, options)
	switch {
	case ctx.Err() != nil:
		return terminal.Interrupted
	case err != nil:
		return err
	}
	if err := compare.WriteDir(o.output, c); err != nil {
		return err
	}
	out := t.Harmless().Stdout
	c.WriteText(out)
	fmt.Fprintf(out, "\n%s\n", filepath.Join(o.output, "index.html"))
	if len(c.LeftOut) > 0 {
		return terminal.ExitCode(report.ExitInconclusive)
	}
	return nil
}

// byEvidence is what verify says of a report.
func byEvidence(ctx context.Context, path string) compare.Verification {
	r, err := verify.With(ctx, path, verify.Options{})
	if err != nil {
		return compare.Verification{Status: compare.Unverified, Reason: err.Error()}
	}
	status := map[verify.Status]compare.VerificationStatus{verify.Verified: compare.Verified, verify.Refuted: compare.Refuted}[r.Status]
	v := compare.Verification{Status: cmp.Or(status, compare.Unverified)}
	if len(r.Reasons) > 0 {
		v.Reason = r.Reasons[0]
	}
	return v
}
