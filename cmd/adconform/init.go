package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/report"
)

func (a *app) initCommand() *cobra.Command {
	var baseURL string
	var force bool
	cmd := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a target file to fill in",
		Long: `Writes a target file (target.yaml, unless another is named) with comments that
say what each key is for, and beside it the JSON Schema that editors use. A file
that is already there stays as it is.`,
		Example: `  adconform init
  adconform init staging.yaml --base-url https://staging.example.com/v2`,
		Args: arguments(0, 1, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := "target.yaml"
			if len(args) > 0 {
				path = args[0]
			}
			if _, err := os.Lstat(path); err == nil && !force {
				return fmt.Errorf("%s is already there; name another file, or overwrite it with --force", path)
			}
			err := report.WriteFile(path, 0o644, func(w io.Writer) error { return fixtures.WriteTemplate(w, baseURL) })
			if err != nil {
				return err
			}
			if err := writeSchema(path); err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "%s is written: fill it in, set OWNER_KEY and STRANGER_KEY, then: adconform run --target %s\n", path, path)
			return nil
		},
	}
	cmd.Flags().StringVar(&baseURL, "base-url", "", "`URL` that the paths of the interface follow")
	cmd.Flags().BoolVar(&force, "force", false, "overwrite the file")
	return cmd
}
