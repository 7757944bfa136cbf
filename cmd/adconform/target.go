package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// LoadTarget reads a target file, or makes a target of a URL and the keys of the
// environment. Such a target names no objects. With an overlay the file may name
// what the operations that it adds are tried on.
func LoadTarget(t *Terminal, where, overlay string) (*fixtures.Target, error) {
	if !IsURL(where) {
		if _, err := os.Stat(where); err != nil && fixtures.HostAndPort.MatchString(where) {
			return nil, fmt.Errorf("the target %s is neither a file nor a URL; did you mean http://%s?", where, where)
		}
		contract, err := LoadContract(overlay)
		if err != nil {
			return nil, err
		}
		target, err := fixtures.Load(where, t.Env, contract.Keys()...)
		if err != nil {
			return nil, err
		}
		t.TellWarnings(&target.Warnings)
		return target, nil
	}
	return fixtures.FromURL(where, t.Env)
}

// IsURL tells a base URL from a target file.
func IsURL(where string) bool { return strings.Contains(where, "://") }

// TargetVariable names the target where no argument does.
const TargetVariable = "ADCONFORM_TARGET"

// TargetArgument lets a command take its target as an argument, else from the variable. One that
// is empty is none: a test of the bundled reference is not what is meant.
func (o *Options) TargetArgument(env func(string) (string, bool)) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > 1:
			return Usagef(cmd, "unexpected argument %q: one target is tested", args[1])
		case len(args) == 1 && blank(args[0]):
			return Usagef(cmd, "the target is empty: "+needed)
		case len(args) == 1:
			o.Target = args[0]
			return nil
		}
		return o.TargetOfVariable(cmd, env)
	}
}

const needed = "name a target file or a base URL, or leave it out"

// TargetOfVariable takes the target of the variable, where it is set.
func (o *Options) TargetOfVariable(cmd *cobra.Command, env func(string) (string, bool)) error {
	given := false
	if o.Target, given = env(TargetVariable); given && blank(o.Target) {
		return Usagef(cmd, "the variable %s is empty: %s", TargetVariable, needed)
	}
	return nil
}

// LoadContract reads the contract, with an overlay if a file is named.
func LoadContract(overlay string) (*spec.Contract, error) {
	if overlay == "" {
		return spec.Load()
	}
	data, err := os.ReadFile(overlay)
	if err != nil {
		return nil, fmt.Errorf("--overlay %s: %w", overlay, files.WithoutPath(err))
	}
	return spec.LoadOverlaid(data, overlay)
}

// WriteTarget writes a target file, readable by its owner only as it holds keys,
// and its schema beside it.
func WriteTarget(path string, t *fixtures.Target) error {
	if err := report.CheckOwn(path, fixtures.TargetMark); err != nil {
		return err
	}
	if err := WriteSchema(path); err != nil {
		return err
	}
	return files.Write(path, 0o600, func(w io.Writer) error {
		return fixtures.WriteTarget(w, t)
	})
}

// WriteSchema writes the schema that editors use beside a target file.
func WriteSchema(targetFile string) error {
	if err := CheckSchema(targetFile); err != nil {
		return err
	}
	return files.Write(schemaBeside(targetFile), 0o644, func(w io.Writer) error {
		_, err := w.Write(fixtures.Schema())
		return err
	})
}

// CheckSchema says whether the schema can be written.
func CheckSchema(targetFile string) error {
	return report.CheckOwn(schemaBeside(targetFile), fixtures.SchemaMark)
}

func schemaBeside(targetFile string) string {
	return filepath.Join(filepath.Dir(targetFile), fixtures.SchemaFile)
}
