package hostile

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/adconform/adconform/internal/wording"
)

// rowWidth keeps a row on a wide screen, in characters.
const rowWidth = 140

// Targets is the table of all hostile servers.
func Targets() []Target {
	all := wireTargets()
	for _, more := range [][]Target{bodyTargets(), textTargets(), secretTargets(), refusalTargets(), killedTargets(), failingTargets()} {
		all = append(all, more...)
	}
	return all
}

// Bad counts the outcomes with a problem.
func Bad(outcomes []Outcome) int {
	n := 0
	for _, o := range outcomes {
		if len(o.Problems) > 0 {
			n++
		}
	}
	return n
}

// WriteTable writes a row for each outcome, with its problems under it, and what
// it comes to in all.
func WriteTable(w io.Writer, outcomes []Outcome) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "target\tverdict\texit\ttime\tmemory\tfirst finding")
	var slowest float64
	var largest int64
	for _, o := range outcomes {
		fmt.Fprintf(t, "%s\t%s\t%d\t%.1f s\t%s\t%s\n", o.ID, o.Verdict, o.ExitCode, o.Seconds, mebibytes(o.Memory), wording.Clip(o.First, rowWidth))
		for _, p := range o.Problems {
			fmt.Fprintf(t, "  PROBLEM: %s\n", wording.Clip(p, rowWidth))
		}
		slowest, largest = max(slowest, o.Seconds), max(largest, o.Memory)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%d hostile targets, %d not held; at most %.1f s of %.0f s and %s of %s\n",
		len(outcomes), Bad(outcomes), slowest, MaxTime.Seconds(), mebibytes(largest), mebibytes(MaxMemory))
	return err
}

func mebibytes(bytes int64) string {
	if bytes == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%d MiB", (bytes+1<<20-1)>>20)
}
