package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/spec"
)

// loadTarget reads a target file, or makes a target of a URL and the keys of the
// environment. Such a target names no objects. With an overlay the file may name
// what the operations that it adds are tried on.
func (a *app) loadTarget(where, overlay string) (*fixtures.Target, error) {
	if !isURL(where) {
		if _, err := os.Stat(where); err != nil && fixtures.HostAndPort.MatchString(where) {
			return nil, fmt.Errorf("the target %s is neither a file nor a URL; did you mean http://%s?", where, where)
		}
		contract, err := loadContract(overlay)
		if err != nil {
			return nil, err
		}
		target, err := fixtures.Load(where, a.env, contract.Keys()...)
		if err != nil {
			return nil, err
		}
		a.tellWarnings(&target.Warnings)
		return target, nil
	}
	return fixtures.FromURL(where, a.env)
}

// isURL tells a base URL from a target file.
func isURL(where string) bool { return strings.Contains(where, "://") }

// targetArgument lets a command take its target as an argument as well.
func targetArgument(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case len(args) > 1:
		return usagef(cmd, "unexpected argument %q: one target is tested", args[1])
	case blank(args[0]):
		return usagef(cmd, "the target is empty: name a target file or a base URL, or leave it out")
	case cmd.Flags().Changed("target"):
		return usagef(cmd, "the target is given twice: %q and --target", args[0])
	}
	return cmd.Flags().Set("target", args[0])
}

// loadContract reads the contract, with an overlay if a file is named.
func loadContract(overlay string) (*spec.Contract, error) {
	if overlay == "" {
		return spec.Load()
	}
	data, err := os.ReadFile(overlay)
	if err != nil {
		return nil, fmt.Errorf("--overlay %s: %w", overlay, files.WithoutPath(err))
	}
	return spec.LoadOverlaid(data, overlay)
}
