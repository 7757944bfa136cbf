package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/specs"
)

// Version is the command version.
func Version(t *Terminal) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version and the size of the suite",
		Long:    "Prints the version of adconform and of Go, and how many clauses and cases there are.",
		Example: "  adconform version",
		Args:    Arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			contract, err := spec.Load()
			if err != nil {
				return err
			}
			fmt.Fprintf(t.Stdout, "adconform %s\n", cmd.Root().Version)
			target := fixtures.DefaultWorld().Target(ExampleURL)
			cases := func(d judge.Depth) int { return len(specs.Plan(contract, target, d)) }
			fmt.Fprintf(t.Stdout, "%d operations, %d clauses, %d open points, %d cases at depth standard, %d at depth deep\n",
				len(contract.Operations), len(contract.Clauses), len(contract.Open), cases(judge.Standard), cases(judge.Deep))
			fmt.Fprintf(t.Stdout, "self-test: %s\n", report.SelfTest())
			return nil
		},
	}
}
