package selftest

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/internal/hostile"
)

// tryHostile runs this very program against every hostile server that is
// selected. The exit code is 1 when a run misses a bar.
func (f *flags) tryHostile(ctx context.Context, cmd *cobra.Command, o Options) (int, error) {
	program, err := os.Executable()
	if err != nil {
		return 0, err
	}
	tell := progressOf(cmd.ErrOrStderr())
	outcomes, err := hostile.Run(ctx, hostile.Options{
		Program: program, Only: o.Only, Parallel: o.Parallel,
		Progress: func(done, of int, o hostile.Outcome) { tell(done, of, o.ID, len(o.Problems) == 0) },
	})
	switch {
	case errors.Is(err, hostile.ErrNothing):
		return 0, fmt.Errorf("--only: %w; see the table of adconform selftest --hostile", err)
	case err != nil:
		return 0, err
	case f.json:
		err = writeJSON(cmd.OutOrStdout(), outcomes)
	default:
		err = hostile.WriteTable(cmd.OutOrStdout(), outcomes)
	}
	return min(1, hostile.Bad(outcomes)), err
}
