// Package reports are the commands that read reports: whether one follows from its traffic,
// what changed from one to the next, several side by side, and what of one is accepted from
// now on. They send nothing; replay, which does, is not among them.
package reports

import (
	"errors"
	"regexp"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/cmd/adconform/internal/flags"
	"github.com/adconform/adconform/cmd/adconform/internal/terminal"
	"github.com/adconform/adconform/suites/verify"
)

// Verify is the command verify.
func Verify(t *terminal.Terminal) *cobra.Command {
	var o flags.Options
	var age time.Duration
	o.Format = flags.Text
	cmd := &cobra.Command{
		Use:   "verify REPORT",
		Short: "Say whether the verdict of a report follows from its traffic",
		Long: `Trusts no word of a report, which is a report.json or the folder that holds one:
looks at the form of report.json and at the digests of the files beside it, judges
traffic.har again as traffic that others sent, and makes the run again with the
recorded answers in the target's place. Nothing is sent. Every verdict, clause, case,
finding and count has to follow; where one does not, it says which. What the traffic
cannot show is listed.

Exit codes: 0 the verdict follows, whatever it is; 1 it does not, or a file was
changed; 2 wrong usage; 3 it cannot be said: the traffic is missing, or the run is of a
kind that is not made again, such as one that was interrupted.`,
		Example: `  adconform verify report
  adconform verify report --max-age 90d
  adconform verify report --format json | jq -r .status`,
		Args: flags.Arguments(1, 1, "a report is missing: name a folder that run --report wrote"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, cancel := t.Interruptible(cmd.Context(), "")
			defer cancel()
			r, err := verify.With(ctx, args[0], verify.Options{MaxAge: age})
			switch {
			case ctx.Err() != nil:
				return terminal.Interrupted
			case err != nil:
				return err
			case o.Format == flags.JSON:
				err = t.PrintJSON(r)
			default:
				err = r.WriteText(t.Harmless().Stdout, terminal.Columns(t.Stdout))
			}
			if err != nil {
				return err
			}
			return terminal.ExitCode(r.Exit())
		},
	}
	f := cmd.Flags()
	flags.Add(f, &age, "max-age", "days", readAge, "an older report is not verified: 90d; default: of any age")
	o.AddFormat(cmd)
	return cmd
}

var ageForm = regexp.MustCompile(`^([1-9][0-9]{0,4})d$`)

// readAge reads a number of days.
func readAge(text string) (time.Duration, error) {
	m := ageForm.FindStringSubmatch(text)
	if m == nil {
		return 0, errors.New("want a number of days such as 90d, more than 0")
	}
	n, err := strconv.Atoi(m[1])
	return time.Duration(n) * 24 * time.Hour, err
}
